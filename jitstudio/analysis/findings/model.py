"""The results of rules on a function, and their words in `resources/analysis/findings.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import PurePath
from typing import Any, NamedTuple

from jitstudio.analysis.sass.model import InlineChain, SourceLocation
from jitstudio.core.code import CodeKind, kind_of
from jitstudio.core.diagnostics import Severity
from jitstudio.system.paths import resource

_MOST_OF_RULE = 4
_MOST_LINES = 4
_LOOKED_FOR = "looked for"
_NOT_IN_CODE = (
    "Code does not show how often a line runs, where indices from memory lead to, and "
    "where threads part by their data: a run in the simulator counts that (Launch, or "
    "jitstudio run FILE --device sim)."
)
_NOT_SIMULATED = (
    "Neither shows what caches hold, how long memory takes and how busy the GPU is: launch the "
    "kernel on a GPU, or measure it with Nsight Compute (ncu)."
)
_ELSEWHERE = "In the other lines the figures are others."


@dataclass(frozen=True)
class RuleHit:
    """A place where a rule applies, before the words of a finding.

    Attributes:
        indices: The instructions concerned, in the order of the code.
        words: The values for the braces of the rule's text.
        form: The variant of the rule's texts; empty for the plain one.
        places: The place to show; empty for that of the first instruction.
    """

    indices: tuple[int, ...]
    words: Mapping[str, object] = field(default_factory=dict)
    form: str = ""
    places: InlineChain = ()


@dataclass(frozen=True)
class Finding:
    """A place in a function that may cost time.

    Attributes:
        rule: The name of the rule, such as ``spills``.
        severity: How grave the finding is; never an error.
        title: A few words.
        reason: The observation, and why it matters.
        remedy: The advice.
        places: The place in the source; empty where the line table does not say.
        ptx_line: The line of the PTX, counted from 1; 0 where unknown.
        indices: The instructions concerned, in the order of the code.
        lines: All source lines concerned, that of `places` first.
    """

    rule: str
    severity: Severity
    title: str
    reason: str
    remedy: str
    places: InlineChain
    ptx_line: int
    indices: tuple[int, ...]
    lines: tuple[SourceLocation, ...] = ()

    @property
    def more_lines(self) -> str:
        """The lines besides the first, such as ``14, 20 and util.h:3``; empty without any."""
        first, *others = self.lines or (None,)
        names = [
            str(line.line) if first and line.file == first.file else _short(line)
            for line in others[:_MOST_LINES]
        ]
        if len(others) > _MOST_LINES:
            names.append(f"{len(others) - _MOST_LINES:,} more lines")
        return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def text_of(
    rule: str,
    hit: RuleHit,
    places: Sequence[SourceLocation] = (),
    module: str = "",
    *,
    is_of_tiles: bool = False,
) -> Finding:
    """Returns a hit of a rule in words, without a place.

    Args:
        rule: The name of the rule.
        hit: The hit.
        places: The place; the words are for authors of that file's language.
        module: The module of the code, whose language counts where there are no places.
        is_of_tiles: Whether it is for authors of tile functions, whatever the file.
    """
    text = _texts()[f"{rule}.{hit.form}" if hit.form else rule]
    name = places[0].file if places else module
    language = CodeKind.TILEIR if is_of_tiles else kind_of(name) or CodeKind.CUDA
    language = language if language in _AUTHORS else CodeKind.CUDA
    return Finding(
        rule,
        text.severity,
        text.title_in.get(language, text.title).format_map(hit.words),
        text.reason_in.get(language, text.reason).format_map(hit.words),
        text.remedy_for(language).format_map(hit.words),
        (),
        0,
        hit.indices,
    )


def findings_called(name: str) -> tuple[Finding, ...]:
    """Returns the findings of a rule, such as ``spills``, or of a title; dots are for figures.

    A rule with several forms gives the first of each title.
    """
    findings: dict[str, Finding] = {}
    for key in _texts():
        rule, _, form = key.partition(".")
        finding = _without_figures(text_of(rule, RuleHit((), _Dots(), form)))
        pattern = _DOTS.join(map(re.escape, finding.title.split(_FIGURE)))
        if name == rule or re.fullmatch(pattern, name, re.IGNORECASE):
            findings.setdefault(finding.title, finding)
    return tuple(findings.values())


def _without_figures(finding: Finding) -> Finding:
    """Returns a finding without the dots that stand for a whole sentence."""
    reason, remedy = (
        re.sub(f"{_FIGURE}(?=[A-Z])|(?:^| ){_FIGURE}$", "", text)
        for text in (finding.reason, finding.remedy)
    )
    return replace(finding, reason=reason, remedy=remedy)


class _Dots(dict[str, object]):
    """The figures of a finding that nobody has measured."""

    def __missing__(self, _key: str) -> str:
        return _FIGURE


_FIGURE, _DOTS = "…", ".+"
_AUTHORS = frozenset(
    (CodeKind.CUDA, CodeKind.PTX, CodeKind.LLVM_IR, CodeKind.PYTHON, CodeKind.TILEIR)
)
"""The languages whose authors read findings; a cubin may be of any, and is of C++ mostly."""


def nothing_found(*, is_simulated: bool = False) -> str:
    """Returns the text where no rule applies: checks made, checks not made, and further ways.

    Args:
        is_simulated: Whether a run in the simulator was looked at, too.
    """
    *others, last = _content()[_LOOKED_FOR].values()
    looked_for = (
        f"No rule applies. Looked for: {', '.join(others)} and {last}, as far as {{}} shows them."
    )
    if is_simulated:
        return f"{looked_for.format('the code and one simulated run')} {_NOT_SIMULATED}"
    return f"{looked_for.format('the code')} {_NOT_IN_CODE} {_NOT_SIMULATED}"


def grouped(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Returns one finding for each cause, in the order of the first of each cause.

    Unrolling repeats a line, and a habit is in many lines. Findings in the same words become one;
    beyond a few, the lesser findings of a rule become one, too.
    """
    by_words = _merged(
        once_a_line(findings),
        lambda finding: (finding.rule, finding.title, finding.reason, finding.remedy),
    )
    ranks: dict[str, list[Finding]] = {}
    for finding in by_words:
        ranks.setdefault(finding.rule, []).append(finding)
    lesser = {
        id(finding)
        for of_rule in ranks.values()
        if len(of_rule) > _MOST_OF_RULE
        for finding in sorted(of_rule, key=_weight)[: 1 - _MOST_OF_RULE]
    }
    return _merged(by_words, lambda finding: finding.rule if id(finding) in lesser else finding)


def once_a_line(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Returns one finding for each rule and source line: an unrolled loop has many."""
    return _merged(
        findings, lambda finding: (finding.rule, finding.title, finding.lines or finding.ptx_line)
    )


def _merged(findings: Iterable[Finding], cause: Callable[[Finding], object]) -> tuple[Finding, ...]:
    """Returns one finding for each cause: the gravest, with the places of all."""
    by_cause: dict[object, list[Finding]] = {}
    for finding in findings:
        by_cause.setdefault(cause(finding), []).append(finding)
    return tuple(_one_of(alike) if len(alike) > 1 else alike[0] for alike in by_cause.values())


def _one_of(alike: Sequence[Finding]) -> Finding:
    first = max(alike, key=_weight)
    others = [finding for finding in alike if finding is not first]
    indices = dict.fromkeys(index for finding in (first, *others) for index in finding.indices)
    lines = {line for finding in others for line in finding.lines}.difference(first.lines)
    has_others = any(
        finding.reason != first.reason and finding.lines != first.lines for finding in others
    )
    reason = f"{first.reason} {_ELSEWHERE}" if has_others else first.reason
    return replace(
        first, reason=reason, indices=tuple(indices), lines=(*first.lines, *sorted(lines))
    )


def _weight(finding: Finding) -> tuple[bool, int, int]:
    """Returns the sort key of gravity: the greatest is the gravest, of equals the first."""
    line = finding.lines[0].line if finding.lines else 0
    return finding.severity is Severity.WARNING, len(finding.indices), -line


def _short(line: SourceLocation) -> str:
    return f"{PurePath(line.file).name}:{line.line}"


class _Text(NamedTuple):
    """The words of a rule, with words for authors of other languages."""

    severity: Severity
    title: str
    reason: str
    remedy: str
    title_in: Mapping[CodeKind, str]
    reason_in: Mapping[CodeKind, str]
    remedy_in: Mapping[CodeKind, str]

    def remedy_for(self, language: CodeKind) -> str:
        """Returns the remedy in a language; empty where the only remedy is for C++."""
        usual = "" if self.remedy_in and language is not CodeKind.CUDA else self.remedy
        return self.remedy_in.get(language, usual)


@cache
def _texts() -> Mapping[str, _Text]:
    return {name: _text(row) for name, row in _content().items() if name != _LOOKED_FOR}


def _text(row: Mapping[str, Any]) -> _Text:
    others = (
        {CodeKind(kind): text for kind, text in row.get(f"{part}_in", {}).items()}
        for part in ("title", "reason", "remedy")
    )
    return _Text(Severity(row["severity"]), row["title"], row["reason"], row["remedy"], *others)


@cache
def _content() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(resource("analysis/findings.toml").read_text("utf-8"))
