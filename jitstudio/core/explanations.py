"""Explains what the tools complain about, and says what the program can do about it.

The explanations are data, in `resources/explanations.toml`; that file says how one is written.
What an explanation needs to know of a source text is read as a person skims, not as a compiler
parses: each such function answers None where it is not sure, and then there is no fix.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain
from string import Template
from typing import Any

from jitstudio.core.arch import Arch
from jitstudio.core.diagnostics import (
    FILE_FIXES,
    TEXT_FIXES,
    Diagnostic,
    Fix,
    FixKind,
    edit_for,
    start_of_line,
)
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult, StageResult
from jitstudio.paths import resource

_FILE = "explanations.toml"
_NOBODY = "jitstudio"
# The oldest target for which libNVVM reads opaque pointers.
_FIRST_OPAQUE = 100
_INCLUDE = re.compile(r"\s*#\s*include\s*(?P<included><[^>]*>|\"[^\"]*\")")
# A source is looked at no further; what is wanted is near its beginning or not at all.
_LONGEST_SOURCE = 1 << 20


@dataclass(frozen=True)
class Explanation:
    """One row of the file.

    Attributes:
        id: Its name.
        tools: The tools whose diagnostics it is about; empty for all.
        message: Found in the message of the diagnostic; its groups are words.
        where: Words with what must be found in them.
        unless: Words with what must not be found in them.
        text: The text, with placeholders in it.
        fix: The fields of the fix, with words in them; empty for none.
    """

    id: str
    tools: frozenset[str]
    message: str
    where: Mapping[str, str]
    unless: Mapping[str, str]
    text: str
    fix: Mapping[str, str]


@dataclass(frozen=True)
class _Case:
    """A diagnostic and what it is about."""

    diagnostic: Diagnostic
    request: BuildRequest
    stages: tuple[StageResult, ...]

    @property
    def tool(self) -> str:
        return self.diagnostic.tool.value if self.diagnostic.tool else _NOBODY

    @cached_property
    def stage(self) -> StageResult | None:
        """The stage that has reported it, as far as one can know."""
        told = [s for s in self.stages if self.diagnostic.tool in (s.tool, None)]
        named = [s for s in told if s.source == self.diagnostic.file]
        failed = [s for s in told if not s.ok]
        return next(iter(named or failed or told), None)

    @property
    def arch(self) -> Arch:
        """The target that the tool was sent; a fatbin has several."""
        sent = self.stage.options if self.stage else ()
        named = (option.partition("=")[2] for option in sent if option.startswith("-arch="))
        told = next(named, None)
        return Arch.parse(told) if told else self.request.arch

    @cached_property
    def source(self) -> str | None:
        """The text that the diagnostic is about; None where the user has not written it."""
        request, file = self.request, self.diagnostic.file
        known = {header.name: header.content for header in request.headers}
        known |= {source.name: source.content for source in request.sources}
        content = known.get(file)
        return None if content is None else content.decode("utf-8", "replace")[:_LONGEST_SOURCE]

    @property
    def line_text(self) -> str | None:
        """The line that the diagnostic is about."""
        source, line = self.source, self.diagnostic.line
        if source is None or line is None:
            return None
        start = start_of_line(source, line)
        return source[start:].partition("\n")[0]


def _include(case: _Case) -> str | None:
    """Returns what the line includes, with its brackets or quotes."""
    match = _INCLUDE.match(case.line_text or "")
    return match["included"] if match else None


def _only_option(case: _Case) -> str | None:
    """Returns the option that the user has typed, if it is only one."""
    return case.request.options[0] if len(case.request.options) == 1 else None


# What an explanation may name besides the groups of its message. None: not known in this case.
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
    "typed": lambda case: " ".join(case.request.options),
    "only_option": _only_option,
    "confined": lambda case: "" if case.request.confined_to is None else "yes",
    "other_modules": lambda case: " ".join(source.name for source in case.request.sources[1:]),
    "source": lambda case: case.source or "",
    "line_text": lambda case: case.line_text,
    "include": _include,
    "quoted_name": lambda case: _quoted_name(case.request),
    "ptx_target": lambda case: ptx_target(case.source or ""),
    "template_kernel": lambda case: template_kernel(case.source or ""),
    "function": lambda case: function_at(case.source or "", case.diagnostic.line),
    "free_metadata": lambda case: free_metadata(case.source or ""),
    "annotation": lambda case: kernel_annotation(
        case.source or "", typed_pointers=not _reads_opaque(case)
    ),
}


def _quoted_name(request: BuildRequest) -> str | None:
    """Returns a name of a file, as a line table would have it, with a quotation mark in it."""
    written = [source.content for source in request.sources]
    written += [header.content for header in request.headers]
    names = (os.path.join(source.folder, source.name) for source in request.sources)
    told = (quoted_name(text.decode("utf-8", "replace")) for text in written)
    return next((name for name in chain(names, told) if name and '"' in name), None)


def _reads_opaque(case: _Case) -> bool:
    return case.arch.number >= _FIRST_OPAQUE


class _UnknownWord(KeyError):
    """A word has no value in this case."""


class _Texts(dict[str, str]):
    """The words of one case: the groups of the message at once, the others when asked for."""

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
        """Returns whether the pattern is found in a word; then its groups are words too."""
        try:
            match = re.search(pattern, self[name], re.MULTILINE)
        except _UnknownWord:
            return False
        if match is not None:
            self.update({key: value for key, value in match.groupdict().items() if value})
        return match is not None


def explained(request: BuildRequest, result: BuildResult) -> BuildResult:
    """Returns the result with an explanation and a fix at each diagnostic that is known."""
    if not result.diagnostics:
        return result
    explained = tuple(
        _explain(_Case(diagnostic, request, result.stages)) for diagnostic in result.diagnostics
    )
    return replace(result, diagnostics=explained)


@cache
def explanations() -> tuple[Explanation, ...]:
    """Returns all of them, in the order of the file: the first that fits is taken."""
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
        fix=row.get("fix", {}),
    )


def _explain(case: _Case) -> Diagnostic:
    for explanation in explanations():
        words = _texts(explanation, case)
        if words is not None:
            return replace(
                case.diagnostic,
                explanation=Template(explanation.text).safe_substitute(words),
                fix=_fix(explanation, case, words),
            )
    return case.diagnostic


def _texts(explanation: Explanation, case: _Case) -> _Texts | None:
    """Returns the words of the case if the explanation fits it."""
    if explanation.tools and case.tool not in explanation.tools:
        return None
    match = re.search(explanation.message, case.diagnostic.message)
    if match is None:
        return None
    words = _Texts(case, match.groupdict())
    wanted = all(words.has(name, pattern) for name, pattern in explanation.where.items())
    unwanted = any(words.has(name, pattern) for name, pattern in explanation.unless.items())
    return words if wanted and not unwanted else None


def _fix(explanation: Explanation, case: _Case, words: _Texts) -> Fix | None:
    """Returns the fix, unless something it needs is unknown or its text is not the user's."""
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
        file=case.diagnostic.file if kind in FILE_FIXES else "",
        line=int(line) if line else None,
        replaces=texts.get("replaces", ""),
    )
    if fix.kind in TEXT_FIXES and (case.source is None or edit_for(fix, case.source) is None):
        return None
    return fix


# An escaped character begins no text, so that none is looked through twice for its end.
_COMMENT_OR_TEXT = re.compile(
    r"""//[^\n]*+|/\*.*?(?:\*/|\Z)|\\.|"(?:\\.|[^"\\\n])*+"|'(?:\\.|[^'\\\n])*+'""", re.DOTALL
)
_HEAD = re.compile(r"[^;{}]++")
_TEMPLATE = re.compile(r"\btemplate\s*+<")
_GLOBAL = re.compile(r">\s*+__global__\b")
_FUNCTION_NAME = re.compile(
    r"\b(?!__launch_bounds__|__cluster_dims__|__block_size__|__maxnreg__)([a-zA-Z_]\w*+)\s*+\("
)
_SCOPE = re.compile(r"\b(?:inline\s++)?namespace(?:\s++(?P<name>\w[\w:]*+))?+\s*+\{|[{}]")
# The first that fits decides the argument that a template is tried with.
_ARGUMENTS = (
    (re.compile(r"(?:typename|class)\s+\w+"), "float"),
    (re.compile(r"bool\b.*"), "true"),
    (re.compile(r"(?>(?:unsigned|signed|int|long|short|char|\w+_t)\b\s*+)++\w*"), "32"),
)
_LONGEST_FUNCTION = 1 << 16
_BRACE = re.compile(r"[{}]")
_DEFINITION = re.compile(
    r"^define\s++(?!internal\b|private\b|linkonce|available_externally)[^@(\n]*?\bvoid\s++"
    r"(?P<name>@[\w.$]++)\s*+(?=\()",
    re.MULTILINE,
)
_LLVM_COMMENT = re.compile(r";[^\n]*")
_METADATA = re.compile(r"^!(\d{1,18}+)\s*+=", re.MULTILINE)
_PARAMETER_NAME = re.compile(r"\s%[\w.$]+$")
_PARAMETER_ATTRIBUTE = re.compile(
    r"\s(?:noalias|nocapture|nonnull|readonly|readnone|writeonly|signext|zeroext|inreg|byval"
    r"|noundef|align \d+|dereferenceable\(\d+\))(?=\s|$)"
)
_PTX_TARGET = re.compile(r"^[^\S\n]*+\.target\s++(sm_[0-9]{2,3}[af]?)\b", re.MULTILINE)

_LINE_NAME = re.compile(
    r'^[ \t]*#[ \t]*(?:line[ \t]+)?\d+[ \t]+"(?P<name>(?:\\.|[^"\\\n])*)"', re.MULTILINE
)


def quoted_name(text: str) -> str | None:
    """Returns the first name with a quotation mark in it that a ``#line`` of CUDA C++ gives."""
    names = (match["name"].replace('\\"', '"') for match in _LINE_NAME.finditer(text))
    return next((name for name in names if '"' in name), None)


def template_kernel(text: str) -> str | None:
    """A name expression for the first kernel template in CUDA C++, such as ``ns::scale<float>``."""
    code = _COMMENT_OR_TEXT.sub(" ", text)
    kernels = (_kernel_head(code, head) for head in _HEAD.finditer(code))
    start, parameters, name = next(filter(None, kernels), (0, "", ""))
    if not name:
        return None
    arguments = []
    for parameter in _split(parameters):
        if "=" in parameter:
            break  # it has a default, and so have all behind it
        argument = next((a for form, a in _ARGUMENTS if form.fullmatch(parameter)), None)
        if argument is None:
            return None
        arguments.append(argument)
    scope = "".join(f"{name}::" for name in _namespaces(code[:start]))
    return f"{scope}{name}<{', '.join(arguments)}>"


def _kernel_head(code: str, head: re.Match[str]) -> tuple[int, str, str] | None:
    """Where a head begins, its template's parameters and its name; None of what is no kernel's."""
    end = head.end()
    if (template := _TEMPLATE.search(code, head.start(), end)) is None:
        return None
    if (kernel := _GLOBAL.search(code, template.end(), end)) is None:
        return None
    if (name := _FUNCTION_NAME.search(code, kernel.end(), end)) is None:
        return None
    return template.start(), code[template.end() : kernel.start()], name[1]


def _namespaces(before: str) -> list[str]:
    """Returns the named namespaces that are open at the end of this code."""
    open_braces: list[str] = []
    for match in _SCOPE.finditer(before):
        if match[0] == "}":
            del open_braces[-1:]
        else:
            open_braces.append(match["name"] or "")
    return [name for name in open_braces if name]


def function_at(text: str, line: int | None) -> str | None:
    """Returns the whole C++ function whose head is on this line, from there to its last brace."""
    if line is None:
        return None
    start = start_of_line(text, line)
    function = text[start : start + _LONGEST_FUNCTION]
    # Braces in comments and texts do not count; all else must stay where it is.
    code = _COMMENT_OR_TEXT.sub(lambda match: " " * len(match[0]), function)
    depth = 0
    for match in _BRACE.finditer(code):
        depth += 1 if match[0] == "{" else -1
        if depth <= 0:
            return function[: match.end()] if depth == 0 else None
    return None


def kernel_annotation(text: str, *, typed_pointers: bool) -> str | None:
    """The first function of an LLVM module as `!nvvm.annotations` names it: type and name."""
    code = _LLVM_COMMENT.sub("", text)
    match = _DEFINITION.search(code)
    if match is None:
        return None
    if not typed_pointers:
        return f"ptr {match['name']}"
    types = (_type_of(parameter) for parameter in _split(_bracketed(code, match.end())))
    return f"void ({', '.join(types)})* {match['name']}"


def free_metadata(text: str) -> str:
    """Returns the first number that no numbered metadata behind it uses, such as ``4``."""
    return str(max((int(number) for number in _METADATA.findall(text)), default=-1) + 1)


def ptx_target(text: str) -> str | None:
    """Returns the target that a PTX module is written for, such as ``sm_90a``."""
    match = _PTX_TARGET.search(text)
    return match[1] if match else None


def _type_of(parameter: str) -> str:
    return _PARAMETER_ATTRIBUTE.sub("", _PARAMETER_NAME.sub("", parameter))


def _bracketed(text: str, start: int) -> str:
    """Returns what is between the bracket at `start` and its partner."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start + 1 : at]
    return ""


def _split(listed: str) -> Iterator[str]:
    """Yields the parts between the commas that are in no bracket."""
    depth, part = 0, ""
    for character in f"{listed},":
        depth += {"(": 1, "<": 1, "{": 1, "[": 1}.get(character, 0)
        depth -= {")": 1, ">": 1, "}": 1, "]": 1}.get(character, 0)
        if character == "," and depth == 0:
            if part.strip():
                yield part.strip()
            part = ""
        else:
            part += character
