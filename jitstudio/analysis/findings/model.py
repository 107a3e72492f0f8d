"""What a rule has to say about a function, and its words in `resources/analysis/findings.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from jitstudio.analysis.sass.model import InlineChain
from jitstudio.core.diagnostics import Severity
from jitstudio.paths import resource


@dataclass(frozen=True)
class RuleHit:
    """What a rule has found, before it becomes a text.

    Attributes:
        indices: The instructions it is about, in the order of the code.
        words: What replaces the braces of the rule's text.
        form: Which of the rule's texts applies; empty for the plain one.
    """

    indices: tuple[int, ...]
    words: Mapping[str, object] = field(default_factory=dict)
    form: str = ""


@dataclass(frozen=True)
class Finding:
    """Something in a function that may cost time.

    Attributes:
        rule: The name of the rule, such as ``spills``.
        severity: How much it is worth; never an error.
        title: What it is, a few words.
        reason: What was seen and why it matters.
        remedy: What can be done about it.
        places: Where it comes from; empty where the line table does not say.
        ptx_line: The line of the PTX, counted from 1; 0 where unknown.
        indices: The instructions it is about, in the order of the code.
    """

    rule: str
    severity: Severity
    title: str
    reason: str
    remedy: str
    places: InlineChain
    ptx_line: int
    indices: tuple[int, ...]


def text_of(rule: str, hit: RuleHit) -> Finding:
    """Returns what a rule has found in its words, without a place."""
    text = _texts()[f"{rule}.{hit.form}" if hit.form else rule]
    return Finding(
        rule,
        text.severity,
        text.title.format_map(hit.words),
        text.reason.format_map(hit.words),
        text.remedy.format_map(hit.words),
        (),
        0,
        hit.indices,
    )


class _Text(NamedTuple):
    severity: Severity
    title: str
    reason: str
    remedy: str


@cache
def _texts() -> Mapping[str, _Text]:
    content = tomllib.loads(resource("analysis/findings.toml").read_text("utf-8"))
    return {
        name: _Text(Severity(row["severity"]), row["title"], row["reason"], row["remedy"])
        for name, row in content.items()
    }
