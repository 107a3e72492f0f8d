"""Makes line tables for LLVM IR without any: each instruction has the line of its text.

libNVVM has no option for it, as NVRTC has -lineinfo; it writes the table of a module's own debug
metadata. So metadata is added to the copy that is compiled, of the emission kind that makes `.loc`
and nothing else (LLVM's `DebugDirectivesOnly`). What is added is behind an instruction or at the
end of the module: no line moves (see `supplied_copy`). Instructions are found as IR is commonly
written, each from the start of a line on; what is written otherwise has a coarser table, or one
that libNVVM refuses.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from jitstudio.toolchain.supplied_copy import IrCopy

# LLVM Language Reference Manual, "Identifiers": bare, or in quotation marks.
_NAME = r'(?:[-\w$.]++|"[^"\n]*+")'
_DEFINITION = re.compile(r"^[ \t]*+define\b", re.MULTILINE)
# The body's brace is the first one outside of brackets behind the parameters.
_HEAD_MARK = re.compile(rf'@(?P<name>{_NAME})|"[^"\n]*+"|;[^\n]*+|[](){{}}[<>]')
# `entry:`, also before an instruction on the same line.
_LABEL = re.compile(rf"\s*+{_NAME}:")
# What has no result begins with its opcode, and so may what has one that is not used.
_BEGIN = re.compile(
    rf"\s*+(%{_NAME}\s*+=|(?:ret|br|switch|indirectbr|invoke|callbr|resume|unreachable"
    r"|load|store|fence|call|tail|musttail|notail|atomicrmw|cmpxchg)\b)"
)
# Quoted text first: brackets and semicolons in there count for nothing.
_MARK = re.compile(r'"[^"\n]*+"|[];(){}[<>]')
_NUMBER = re.compile(r"!(\d{1,18}+)")
# A module with either has a table by its compiler already.
_DEBUG = re.compile(r"!DICompileUnit\b|!dbg\b")
_VERSIONS = re.compile(r"^!nvvmir\.version\s*+=[^\n]*+", re.MULTILINE)
# `!0 = !{i32 2, i32 0}`, which has two more numbers with debug metadata.
_VERSION = re.compile(r"^!(\d++)\s*+=\s*+!\{\s*+i32 \d++,\s*+i32 \d++(?=\s*+\})", re.MULTILINE)
_FLAG = '!"Debug Info Version"'
# Of those that a link can join with what NVRTC makes (behaviour 1) and with what Clang makes (2).
_OVERRIDE = 4
_UNIT = (
    "language: DW_LANG_C99, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly"
)
_LINE_END = re.compile(r"\n")
# As `\22` for a quotation mark: LLVM Language Reference Manual, "Identifiers".
_UNSPELT = re.compile(r"[^ !#-\[\]-~]")
_OPENING, _CLOSING = "([{<", ")]}>"

Span = tuple[int, int]
"""Offsets of the first character and behind the last one."""


@dataclass(frozen=True)
class _Function:
    """A function that is defined.

    Attributes:
        name: As it is spelt in the text, without quotation marks.
        head: The offset where it begins.
        body: That of its opening brace.
        instructions: Those that were found, each without a comment behind it.
    """

    name: str
    head: int
    body: int
    instructions: tuple[Span, ...]


def with_lines(module: IrCopy, major: int, minor: int) -> IrCopy | None:
    """Returns a module of LLVM IR with a line table.

    Args:
        module: The module, which the table calls by its name.
        major: The version of debug metadata, as libNVVM says it (`nvvmIRVersion`).
        minor: The second number of that.

    Returns:
        Another copy, or None where there is debug metadata already, or no function.
    """
    text = module.text
    if _DEBUG.search(text):
        return None
    copy = module.branch()
    file, unit, kind = (f"!{copy.take_number()}" for _ in range(3))
    starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
    subprograms = []
    for function in _functions(text):
        number, line = copy.take_number(), bisect_right(starts, function.head)
        # Of inlined code the table has the linkage name.
        subprograms.append(
            f'!{number} = distinct !DISubprogram(name: "{function.name}", '
            f'linkageName: "{function.name}", scope: {file}, '
            f"file: {file}, line: {line}, type: {kind}, isLocal: false, isDefinition: true, "
            f"scopeLine: {line}, isOptimized: true, unit: {unit})"
        )
        copy.change(function.body, f"!dbg !{number} ")
        for start, end in function.instructions:
            line = bisect_right(starts, start)
            copy.change(end, f", !dbg !DILocation(line: {line}, scope: !{number})")
    if not subprograms:
        return None
    for end in _version_ends(text):
        copy.change(end, f", i32 {major}, i32 {minor}")
    rest = [
        f'{file} = !DIFile(filename: "{_spelt(module.name)}", directory: "")',
        f'{unit} = distinct !DICompileUnit(file: {file}, producer: "jitstudio", {_UNIT})',
        f"{kind} = !DISubroutineType(types: !{{}})",
        *subprograms,
        f"!llvm.dbg.cu = !{{{unit}}}",
    ]
    if _FLAG not in text:
        flag = f"!{copy.take_number()}"
        rest += [f"{flag} = !{{i32 {_OVERRIDE}, {_FLAG}, i32 3}}"]
        rest += [f"!llvm.module.flags = !{{{flag}}}"]
    copy.append(rest)
    return copy


def _version_ends(text: str) -> Iterator[int]:
    """Yields where that of debug metadata belongs behind the version of NVVM IR."""
    versions = {number for line in _VERSIONS.findall(text) for number in _NUMBER.findall(line)}
    return (node.end() for node in _VERSION.finditer(text) if node[1] in versions)


def _functions(text: str) -> Iterator[_Function]:
    """Yields the defined functions, up to the first without an end."""
    at = 0
    while definition := _DEFINITION.search(text, at):
        name, body = _head(text, definition.end())
        instructions, at = _instructions(text, body + 1)
        if not name or not at:
            return
        yield _Function(name, definition.start(), body, instructions)


def _head(text: str, at: int) -> tuple[str, int]:
    """Returns the name of a function and where the body begins; both empty without a body."""
    name, depth = "", 0
    for mark in _HEAD_MARK.finditer(text, at):
        name = name or mark["name"] or ""
        # Braces before the name are of the type that is returned.
        if mark[0] == "{" and depth == 0 and name:
            return name.strip('"'), mark.start()
        depth += (mark[0] in _OPENING) - (mark[0] in _CLOSING)
    return "", 0


def _instructions(text: str, at: int) -> tuple[tuple[Span, ...], int]:
    """Returns the instructions of the body at `at` and where the body ends; 0 without an end."""
    spans: list[Span] = []
    depth = start = 0
    while at < len(text):
        stop = line_end = text.find("\n", at) + 1 or len(text)
        while depth == 0 and (label := _LABEL.match(text, at, stop)):
            start, at = 0, label.end()
        if depth == 0 and (begun := _BEGIN.match(text, at, stop)):
            start = begun.start(1)
            spans.append((start, start))
        for mark in _MARK.finditer(text, at, stop):
            if mark[0] == ";" or (mark[0] == "}" and depth == 0):
                stop = mark.start()
                break
            depth += (mark[0] in _OPENING) - (mark[0] in _CLOSING)
        if start and (code := text[at:stop].rstrip()):
            spans[-1] = (start, at + len(code))
        if text.startswith("}", stop) and depth == 0:
            return tuple(spans), stop + 1
        at = line_end
    return (), 0


def _spelt(name: str) -> str:
    """Returns a name as spelt in a string of LLVM IR."""
    characters = name.encode("utf-8", "surrogateescape").decode("latin-1")
    return _UNSPELT.sub(lambda match: f"\\{ord(match[0]):02X}", characters)
