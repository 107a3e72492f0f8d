"""Explains the complaints of the tools, and offers fixes.

The explanations are data, in `resources/explanations.toml`; that file says how one is written.
What one needs to know of a source text is in `source_facts`.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain
from string import Template
from typing import Any

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Source, split_variant
from jitstudio.core.cpp_text import bare_cpp
from jitstudio.core.diagnostics import (
    FILE_FIXES,
    OPTION_FIXES,
    TEXT_FIXES,
    Diagnostic,
    Fix,
    FixKind,
    edit_for,
    start_of_line,
)
from jitstudio.core.fatbin import containers
from jitstudio.core.ir_functions import ir_functions, kernel_annotation
from jitstudio.core.options import did_you_mean_option
from jitstudio.core.ptx_targets import chips_with, nearest_target, targets_with
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult, StageResult
from jitstudio.core.source_facts import (
    ALIASES,
    CONSTANTS,
    LLVM_READ,
    TRIED,
    HostFunction,
    enclosing_head,
    first,
    function_at,
    memory_call,
    missing_name,
    quoted_name,
    refused_attribute,
    std_name,
    template_kernel,
)
from jitstudio.ptx.skimming import ptx_target, target_at, version_at
from jitstudio.system.paths import resource

_FILE = "explanations.toml"
_NOBODY = "jitstudio"
# The oldest target for which libNVVM reads opaque pointers.
_FIRST_OPAQUE = 100
_INCLUDE = re.compile(r"\s*#\s*include\s*(?P<included><[^>]*>|\"[^\"]*\")")
# A source is looked at no further; what is wanted is near its beginning or not at all.
_LONGEST_SOURCE = 1 << 20


@dataclass(frozen=True)
class Explanation:
    """A row of the file of explanations.

    Attributes:
        id: Its name.
        tools: The tools whose diagnostics it is about; empty for all.
        message: Found in the message of the diagnostic; its groups are words.
        where: Words with what must be found in them.
        unless: Words with what must not be found in them.
        text: The text, with placeholders in it.
        text_in: The same for modules of other kinds, where CUDA C++ would mean nothing to them.
        fix: The fields of the fix, with words in them; empty for none.
    """

    id: str
    tools: frozenset[str]
    message: str
    where: Mapping[str, str]
    unless: Mapping[str, str]
    text: str
    text_in: Mapping[CodeKind, str]
    fix: Mapping[str, str]


@dataclass(frozen=True)
class _Case:
    """A diagnostic with the request and the stages of the build."""

    diagnostic: Diagnostic
    request: BuildRequest
    stages: tuple[StageResult, ...]

    @property
    def tool(self) -> str:
        return self.diagnostic.tool.value if self.diagnostic.tool else _NOBODY

    @cached_property
    def stage(self) -> StageResult | None:
        """The stage that has reported the diagnostic, as far as that can be known."""
        candidates = [s for s in self.stages if self.diagnostic.tool in (s.tool, None)]
        named = [s for s in candidates if s.source == self.diagnostic.file]
        failed = [s for s in candidates if not s.ok]
        return next(iter(named or failed or candidates), None)

    @property
    def arch(self) -> Arch:
        """The target that the tool was sent; a fatbin has several."""
        sent = self.stage.options if self.stage else ()
        named = (option.partition("=")[2] for option in sent if option.startswith("-arch="))
        word = next(named, None)
        return Arch.parse(word) if word else self.request.arch

    @cached_property
    def source(self) -> str | None:
        """The text that the diagnostic is about; None for a text that is not the user's."""
        request, file = self.request, self.diagnostic.file
        known = {header.name: header.content for header in request.headers}
        known |= {source.name: source.content for source in request.sources}
        content = known.get(file)
        return None if content is None else content.decode("utf-8", "replace")[:_LONGEST_SOURCE]

    @property
    def kind(self) -> CodeKind:
        """The kind of the module that the diagnostic is about; of several kinds, CUDA C++."""
        sources = self.request.sources
        named = {s.kind for s in sources if s.name == self.diagnostic.file}
        kinds = named or {s.kind for s in sources}
        return kinds.pop() if len(kinds) == 1 else CodeKind.CUDA

    @property
    def module(self) -> Source | None:
        """The module of the stage; None for a link, or while no stage is known."""
        name = split_variant(self.stage.source)[0] if self.stage else ""
        return next((source for source in self.request.sources if source.name == name), None)

    @property
    def typed(self) -> tuple[str, ...]:
        """The options that the user has typed for the module of the stage."""
        module = self.module
        return self.request.options if module is None else self.request.options_of(module)

    def owner_of(self, option: str) -> str:
        """Returns the module whose own options a fix of this option changes, or empty.

        Of a build that was refused, it is a module whose options have the option.
        """
        if self.stage is not None:
            module = self.module
            return module.name if module is not None and module.options is not None else ""
        if option in self.request.options:
            return ""
        return next((s.name for s in self.request.sources if option in (s.options or ())), "")

    @property
    def code_and_log(self) -> str:
        """All texts of the build in a row, and the log of the stage."""
        sources = (source.content[:_LONGEST_SOURCE] for source in self.request.sources)
        texts = [content.decode("utf-8", "replace") for content in sources]
        return "\n".join([*texts, self.stage.log if self.stage else ""])

    @property
    def line_text(self) -> str | None:
        """The line that the diagnostic is about."""
        source, line = self.source, self.diagnostic.line
        if source is None or line is None:
            return None
        start = start_of_line(source, line)
        return source[start:].partition("\n")[0]

    @cached_property
    def function(self) -> HostFunction | None:
        """The function whose name is on that line."""
        return function_at(self.source or "", self.diagnostic.line, self.diagnostic.column)

    @property
    def missing(self) -> str | None:
        """The name that NVRTC does not know."""
        return missing_name(self.diagnostic.message, self.line_text or "")

    @property
    def annotation(self) -> str | None:
        """The lines that mark as a kernel the first function of LLVM IR that can be marked."""
        text, opaque = self.source or "", _reads_opaque(self)
        markable = (f for f in ir_functions(text) if f.can_be_marked)
        marks = (kernel_annotation(text, function, reads_opaque=opaque) for function in markable)
        return next(("\n".join(lines) for lines in marks), None)

    @property
    def attribute(self) -> tuple[str | None, str | None]:
        """The attribute of a function that libNVVM refuses, as written, and the line."""
        return refused_attribute(self.diagnostic.message, self.source or "") or (None, None)


def _include(case: _Case) -> str | None:
    """Returns the file name that the line includes, with the brackets or quotes."""
    match = _INCLUDE.match(case.line_text or "")
    return match["included"] if match else None


def _unmarked_line(case: _Case) -> str | None:
    """Returns the line of the host function that device code misses."""
    if case.stage is None or case.source is None or not case.missing:
        return None
    lines = case.source.split("\n")
    named = re.compile(rf"^[^#/;(]*\b{re.escape(case.missing)}\s*+\(")
    aside = (part for part in case.stage.host_code if part.name == case.diagnostic.file)
    numbers = (number for part in aside for number in part.line_numbers())
    matching = (n for n in numbers if n <= len(lines) and named.search(lines[n - 1]))
    return next(map(str, matching), None)


def _in_place_of_std(case: _Case, scope: str) -> str | None:
    """Returns the name in std on the line with another scope, and the character before the name."""
    written = std_name(case.diagnostic.message, case.line_text or "")
    return re.sub(r"std\s*+::\s*+", scope, written) if written else None


def _only_option(case: _Case) -> str | None:
    """Returns the option that the user has typed, if there is no other."""
    return case.typed[0] if len(case.typed) == 1 else None


# Headers, each with the names on a line that it declares.
_TYPE_HEADERS = {
    "cuda_fp16.h": re.compile(r"\b(?:__)?half2?\b"),
    "cuda_bf16.h": re.compile(r"\b(?:__)?nv_bfloat162?\b"),
    "cuda_fp8.h": re.compile(r"\b__nv_fp8\w*+\b"),
}
_LIMITS_HEADERS = {
    "cuda/std/cfloat": re.compile(r"\b(?:FLT|DBL)_\w*+"),
    "cuda/std/climits": re.compile(r"_(?:MAX|MIN|BIT)\b"),
}


def _first_of(headers: Mapping[str, re.Pattern[str]], case: _Case) -> str | None:
    """Returns the first header that declares the missing name and is not included."""
    text = case.missing if "identifier" in case.diagnostic.message else case.line_text
    declaring = (header for header, names in headers.items() if names.search(text or ""))
    header = next(declaring, None)
    return header if header and f"<{header}>" not in (case.source or "") else None


# What an explanation may name besides the groups of its message. None: not known in this case.
def _value(match: re.Match[str] | None) -> str | None:
    return match["value"] if match else None


def _line(match: re.Match[str] | None) -> str | None:
    """Returns the line of a directive's value, from 1."""
    return str(match.string.count("\n", 0, match.start("value")) + 1) if match else None


_WORDS: dict[str, Callable[[_Case], str | None]] = {
    "tool": lambda case: case.tool,
    "severity": lambda case: case.diagnostic.severity.value,
    "version": lambda case: case.stage.version if case.stage else "",
    "file": lambda case: case.diagnostic.file,
    "line": lambda case: str(case.diagnostic.line or ""),
    "arch": lambda case: case.arch.sm,
    "compute": lambda case: case.arch.compute,
    "dialect": lambda case: "opaque" if _reads_opaque(case) else "typed",
    "link": lambda case: case.request.link.value,
    "assembler": lambda case: case.request.assembler.value,
    "options": lambda case: " ".join(case.stage.options) if case.stage else "",
    "typed": lambda case: " ".join(case.typed),
    "only_option": _only_option,
    "final_code": lambda case: _final_code(case.request),
    "confined": lambda case: "" if case.request.confined_to is None else "yes",
    "other_modules": lambda case: " ".join(source.name for source in case.request.sources[1:]),
    "source": lambda case: case.source or "",
    "line_text": lambda case: case.line_text,
    "include": _include,
    "quoted_name": lambda case: _quoted_name(case.request),
    "ptx_target": lambda case: _value(target_at(case.source or "")),
    "target_line": lambda case: _line(target_at(case.source or "")),
    "ptx_version": lambda case: _value(version_at(case.source or "")),
    "version_line": lambda case: _line(version_at(case.source or "")),
    # What says the target of the code: of PTX that the user has written, its own text.
    "code_target": lambda case: ptx_target(case.source or "") or case.arch.sm,
    "own_target": lambda case: _value(target_at(case.source or "")) or "",
    "own_target_line": lambda case: _line(target_at(case.source or "")) or "",
    "target_kind": lambda case: (
        (FixKind.REPLACE_TEXT if ptx_target(case.source or "") else FixKind.SET_ARCH).value
    ),
    "chip": lambda case: nearest_target(case.diagnostic.message, case.code_and_log),
    "chips": lambda case: chips_with(case.diagnostic.message, case.code_and_log),
    "is_of_no_chip": lambda case: (
        "yes" if targets_with(case.diagnostic.message, case.code_and_log) == () else ""
    ),
    "all_device": lambda case: first(TRIED, case.stage.log if case.stage else ""),
    "llvm": lambda case: first(LLVM_READ, case.stage.log if case.stage else ""),
    "attribute_text": lambda case: case.attribute[0],
    "attribute_line": lambda case: case.attribute[1],
    "template_kernel": lambda case: template_kernel(case.source or "", case.diagnostic.message),
    "function": lambda case: case.function and case.function.text,
    "function_line": lambda case: str(case.function.line) if case.function else None,
    "hidden_function": lambda case: case.function and case.function.hidden,
    "enclosing": lambda case: enclosing_head(
        case.source or "", case.diagnostic.line, case.diagnostic.column
    ),
    "code": lambda case: bare_cpp(case.source or ""),
    "std_name": lambda case: std_name(case.diagnostic.message, case.line_text or ""),
    "cuda_std_name": lambda case: _in_place_of_std(case, "cuda::std::"),
    "plain_name": lambda case: _in_place_of_std(case, ""),
    "column": lambda case: str(case.diagnostic.column or ""),
    "type_header": lambda case: _first_of(_TYPE_HEADERS, case),
    "limits_header": lambda case: _first_of(_LIMITS_HEADERS, case),
    "missing": lambda case: case.missing,
    "unmarked_line": _unmarked_line,
    "constant": lambda case: CONSTANTS.get(case.missing or ""),
    "alias": lambda case: ALIASES.get(case.missing or ""),
    "annotation": lambda case: case.annotation,
    "cast_call": lambda case: (memory_call(case.line_text or "") or (None, None))[0],
    "plain_call": lambda case: (memory_call(case.line_text or "") or (None, None))[1],
    "meant_option": lambda case: _meant_option(case.diagnostic.message),
}


def _meant_option(message: str) -> str:
    """Returns a question with the known option most like that of a message; or empty."""
    option = re.search(r"(?<!\S)'?(--?[\w-]+)", message)
    return did_you_mean_option(option[1]) if option else ""


def _quoted_name(request: BuildRequest) -> str | None:
    """Returns a file name with a quotation mark, as a line table would have the name."""
    written = [source.content for source in request.sources]
    written += [header.content for header in request.headers]
    names = (os.path.join(source.folder, source.name) for source in request.sources)
    in_texts = (quoted_name(text.decode("utf-8", "replace")) for text in written)
    return next((name for name in chain(names, in_texts) if name and '"' in name), None)


def _final_code(request: BuildRequest) -> str | None:
    """Returns the first library or object whose device code no link can use.

    nvcc keeps relocatable code, which ``-rdc=true`` makes, in a section of its own.
    """
    built = (s for s in request.sources if s.kind in (CodeKind.LIBRARY, CodeKind.OBJECT))
    final = (
        s.name for s in built if _RELOCATABLE not in s.content and next(containers(s.content), None)
    )
    return next(final, None)


_RELOCATABLE = b"__nv_relfatbin"


def _reads_opaque(case: _Case) -> bool:
    return case.arch.number >= _FIRST_OPAQUE


class _UnknownWord(KeyError):
    """A word has no value in this case."""


class _Texts(dict[str, str]):
    """The words of a case: the groups of the message at once, the others when asked for."""

    def __init__(self, case: _Case, groups: Mapping[str, str | None]) -> None:
        super().__init__({name: value for name, value in groups.items() if value is not None})
        self._case = case

    def __missing__(self, name: str) -> str:
        value = _WORDS[name](self._case) if name in _WORDS else None
        if value is None:  # or a group that took no part in the match
            raise _UnknownWord(name)
        self[name] = value
        return value

    def has(self, name: str, pattern: str) -> bool:
        """Returns whether the pattern matches in a word; then the groups are words too."""
        try:
            match = re.search(pattern, self[name], re.MULTILINE)
        except _UnknownWord:
            return False
        if match is not None:
            self.update({key: value for key, value in match.groupdict().items() if value})
        return match is not None


def explained(request: BuildRequest, result: BuildResult) -> BuildResult:
    """Returns the result with an explanation and a fix at each diagnostic that is known."""
    explained = tuple(
        _explain(_Case(diagnostic, request, result.stages)) for diagnostic in result.diagnostics
    )
    return replace(result, diagnostics=explained)


@cache
def explanations() -> tuple[Explanation, ...]:
    """Returns all explanations, in the order of the file: the first that fits is taken."""
    listed = tomllib.loads(resource(_FILE).read_text(encoding="utf-8"))
    return tuple(_explanation(row) for row in listed["explanation"])


def _explanation(row: dict[str, Any]) -> Explanation:
    return Explanation(
        id=row["id"],
        tools=frozenset(row.get("tools", ())),
        message=row["message"],
        where=row.get("where", {}),
        unless=row.get("unless", {}),
        text=" ".join(row["text"].split()),
        text_in={CodeKind(kind): text for kind, text in row.get("text_in", {}).items()},
        fix=row.get("fix", {}),
    )


def _explain(case: _Case) -> Diagnostic:
    for explanation in explanations():
        words = _texts(explanation, case)
        if words is not None:
            text = explanation.text_in.get(case.kind, explanation.text)
            return replace(
                case.diagnostic,
                explanation=Template(text).safe_substitute(words),
                fix=_fix(explanation, case, words),
            )
    return case.diagnostic


def _texts(explanation: Explanation, case: _Case) -> _Texts | None:
    """Returns the words of the case if the explanation fits."""
    if explanation.tools and case.tool not in explanation.tools:
        return None
    match = re.search(explanation.message, case.diagnostic.message)
    if match is None:
        return None
    words = _Texts(case, match.groupdict())
    wanted = all(words.has(name, pattern) for name, pattern in explanation.where.items())
    unwanted = any(words.has(name, pattern) for name, pattern in explanation.unless.items())
    return words if wanted and not unwanted else None


def _changed_file(kind: FixKind, value: str, case: _Case) -> str:
    """Returns the file whose text or options a fix changes; empty for a setting."""
    if kind in OPTION_FIXES:
        return case.owner_of(value)
    return case.diagnostic.file if kind in FILE_FIXES else ""


def _fix(explanation: Explanation, case: _Case, words: _Texts) -> Fix | None:
    """Returns the fix, unless a word of the fix is unknown or the text is not the user's."""
    if not explanation.fix:
        return None
    try:
        texts = {key: Template(text).substitute(words) for key, text in explanation.fix.items()}
    except _UnknownWord:
        return None
    kind, line = FixKind(texts["kind"]), texts.get("line")
    fix = Fix(
        label=texts["label"],
        kind=kind,
        value=texts.get("value", ""),
        file=_changed_file(kind, texts.get("value", ""), case),
        line=int(line) if line else None,
        replaces=texts.get("replaces", ""),
    )
    if fix.kind in TEXT_FIXES and (case.source is None or edit_for(fix, case.source) is None):
        return None
    return fix
