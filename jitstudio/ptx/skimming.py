"""Skims PTX text: the head, the functions, and the statements of functions.

Nothing is checked: of a broken text the readable part is returned. `jitstudio.simulator.ptx` is the
reader that understands and refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from heapq import merge
from sys import maxsize
from typing import NamedTuple

from jitstudio.ptx.scanner import (
    COMMENT,
    GAP,
    GUARD,
    INTEGER,
    LABEL,
    NAME,
    OPCODE,
    PARENTHESES,
    STRING,
    bare_ptx,
    integer_of,
)

# ptxas wants the number on the line of `.version`, and lets the target stand anywhere behind.
_VERSION = re.compile(
    rf"{COMMENT}|{STRING}|(?<![A-Za-z_$%])\.version[ \t]++(?P<value>\d{{1,4}}+\.\d{{1,4}}+)"
)
_TARGET = re.compile(
    rf"{COMMENT}|{STRING}|(?<![A-Za-z_$%])\.target\b{GAP}(?P<value>(?:sm|compute)_\d{{2,4}}+[af]?+)\b"
)


def version_at(text: str) -> re.Match[str] | None:
    """Returns the place of the version of a PTX text, such as ``8.5``, as group ``value``."""
    return _first(_VERSION, ".version", text)


def target_at(text: str) -> re.Match[str] | None:
    """Returns the place of the target of a PTX text, such as ``sm_90a``, as group ``value``."""
    return _first(_TARGET, ".target", text)


_TILE_IR = "\n.nv_intermediate_source_section"


def without_tile_ir(text: str) -> str:
    """Returns a PTX text without the Tile IR it was made from, which tileiras puts behind it."""
    ptx, section, _ = text.partition(_TILE_IR)
    return ptx + section[:1]


def is_ptx(text: str) -> bool:
    """Returns whether a text is PTX, by version or target."""
    return version_at(text) is not None or target_at(text) is not None


def ptx_version(text: str) -> str | None:
    """Returns the version of the PTX ISA of a text: ``8.5``."""
    match = version_at(text)
    return match["value"] if match else None


def ptx_target(text: str) -> str | None:
    """Returns the target of a PTX module: ``sm_90a``."""
    match = target_at(text)
    return match["value"].replace("compute_", "sm_") if match else None


def _first(pattern: re.Pattern[str], word: str, text: str) -> re.Match[str] | None:
    if word not in text:
        return None
    return next((match for match in pattern.finditer(text) if match["value"]), None)


class FunctionText(NamedTuple):
    """The place of a function in a text, by offsets.

    Attributes:
        name: The lowered name.
        linking: ``extern``, ``visible``, ``weak`` or empty.
        is_kernel: Whether the function is an ``.entry``.
        start: The offset of ``.entry`` or ``.func``.
        name_at: The offset of the name.
        parameters: The text between the parentheses behind the name.
        body: The offset of the brace that opens the body; -1 for a declaration.
        end: The offset behind the last brace or the semicolon.
    """

    name: str
    linking: str
    is_kernel: bool
    start: int
    name_at: int
    parameters: str
    body: int
    end: int


_LINKING = r"(?>\.(?P<linking>visible|extern|weak|common)\s*+)?+"
_HEAD = re.compile(
    rf"{_LINKING}\.(?P<kind>entry|func)\b(?>\s*+(?:\.(?:attribute|noreturn)\b|{PARENTHESES}))*+\s*+(?P<name>{NAME})"
    rf"\s*+(?>(?P<parameters>{PARENTHESES}))?+"
)
_KINDS = (".entry", ".func")
_LINKING_WORD = re.compile(r"\.(?:visible|extern|weak|common)\s*+")
# The next head ends the search, too, or many without bodies would each search the whole text.
# Behind the parameters `.pragma "nounroll";` has a semicolon that ends no declaration.
_BODY = re.compile(r"(?>[^{};.]|\.pragma\b[^{};.]*+;|\.(?!(?:entry|func)\b))*+[{};]?+")
_BRACE = re.compile(r"[{}]")


def function_texts(bare: str) -> Iterator[FunctionText]:
    """Yields the functions of a text whose comments are hidden, in order."""
    at = 0
    # A pattern alone is slow where there is no function for megabytes.
    for mark in merge(*(_places_of(word, bare) for word in _KINDS)):
        if mark < at:
            continue
        head = _head_at(mark, bare, at)
        if head is None:
            at = mark + 1
            continue
        behind = _BODY.match(bare, head.end())
        assert behind is not None
        sign, at = behind[0][-1:], behind.end()
        if sign not in ("{", ";") and at < len(bare):
            continue  # it is broken off
        body = at - 1 if sign == "{" else -1
        if body >= 0:
            at = _end_of_braces(bare, body)
        yield FunctionText(
            head["name"],
            head["linking"] or "",
            head["kind"] == "entry",
            head.start("kind") - 1,
            head.start("name"),
            (head["parameters"] or "")[1:-1],
            body,
            at,
        )


def _places_of(word: str, bare: str) -> Iterator[int]:
    at = -1
    while (at := bare.find(word, at + 1)) >= 0:
        yield at


def _head_at(mark: int, bare: str, at: int) -> re.Match[str] | None:
    """Returns the head with the kind at `mark`, whose linking stands behind `at`."""
    dot = bare.rfind(".", at, mark)
    is_linked = dot >= 0 and _LINKING_WORD.fullmatch(bare, dot, mark)
    return _HEAD.match(bare, dot if is_linked else mark)


def kernel_texts(bare: str) -> Iterator[FunctionText]:
    """Yields the kernels with a body of a text whose comments are hidden, in order."""
    return (f for f in function_texts(bare) if f.is_kernel and f.body >= 0)


def entries(text: str) -> tuple[str, ...]:
    """Returns the names of the kernels that a PTX text defines, in order.

    A declaration without a body names no kernel, nor does what is in a comment or a string.
    """
    return tuple(kernel.name for kernel in kernel_texts(bare_ptx(text)))


def _end_of_braces(bare: str, at: int) -> int:
    depth = 0
    for brace in _BRACE.finditer(bare, at):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    return len(bare)


class VariableText(NamedTuple):
    """The place of a statement that declares variables of the module, by offsets.

    Attributes:
        linking: ``extern``, ``visible``, ``weak``, ``common`` or empty.
        names: The names of the variables.
        names_at: The offsets of the names.
        parts: The range of each variable, with its extents and its initialiser.
        start: The offset of the statement.
        end: The offset behind the semicolon.
    """

    linking: str
    names: tuple[str, ...]
    names_at: tuple[int, ...]
    parts: tuple[tuple[int, int], ...]
    start: int
    end: int


_VARIABLES = re.compile(
    rf"{_LINKING}(?>\.attribute\s*+{PARENTHESES}\s*+)?+\.(?:global|const|shared|tex)\b"
    rf"(?>\s*+(?:\.align\s++\d\w*+|\.attribute\s*+{PARENTHESES}|\.[a-z]++\d\w*+|\.\w++ref\b))*+"
    # In a broken text the list ends at the next directive, also at that of `0.shared`.
    r"(?P<list>(?>[^;.]|(?<=\d)\.(?!(?:global|const|shared|tex)\b)|\.(?=\d|[su]64\s*+\)))*+);"
)
_VARIABLE = re.compile(rf"\s*+(?P<name>{NAME})")
_COMMA = re.compile(r"[,{}()]")


def variable_texts(bare: str, functions: Iterable[FunctionText]) -> Iterator[VariableText]:
    """Yields the declarations of variables outside of the functions of a text, in order."""
    at = 0
    for start, end in [*((f.start, f.end) for f in functions), (len(bare), len(bare))]:
        yield from filter(None, map(_variables, _VARIABLES.finditer(bare, at, start)))
        at = end


def local_variables(bare: str, start: int, end: int) -> VariableText | None:
    """Returns the shared, constant or global variables that a statement declares, or None."""
    match = _VARIABLES.match(bare, start, end + 1)
    return _variables(match) if match else None


def _variables(match: re.Match[str]) -> VariableText | None:
    parts = tuple(_listed(match.string, *match.span("list")))
    names = [_VARIABLE.match(match.string, *part) for part in parts]
    if not all(names):
        return None
    texts = tuple(name["name"] for name in names if name)
    places = tuple(name.start("name") for name in names if name)
    return VariableText(match["linking"] or "", texts, places, parts, *match.span())


def _listed(bare: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the ranges between commas that are in no brackets."""
    depth = 0
    for mark in _COMMA.finditer(bare, start, end):
        depth += (mark[0] in "{(") - (mark[0] in "})")
        if mark[0] == "," and not depth:
            yield start, mark.start()
            start = mark.end()
    yield start, end


LOC = (
    rf"\.loc\b(?P<place>(?>\s++{INTEGER}){{0,3}}+)(?>\s*+,\s*+function_name\s++(?P<callee>[\w$.%]++)"
    rf"(?>\s*+\+\s*+(?P<offset>{INTEGER}))?+\s*+,\s*+inlined_at(?P<call>(?>\s++{INTEGER}){{1,3}}+))?+"
)
"""``.loc 2 5 5, function_name $L__info_string0, inlined_at 1 14 9``; no semicolon ends it."""

FILE = (
    r'\.file\s++(?P<number>\d++)\s*+(?>(?P<folder>"[^"]*+"(?=\s*+")))?+\s*+(?P<file>"[^"]*+"?)'
    rf"(?>\s*+,\s*+{INTEGER}){{0,2}}+"
)
"""``.file 1 "/src/a.cu", 1700000000, 321``, or a folder and a file; no semicolon ends it."""

_LOC = re.compile(LOC)
_FILE = re.compile(FILE)
_UNNAMED_LOC = re.sub(r"\(\?P<\w+>", "(?:", LOC)
_LEADING = rf"(?>[\s{{}}]++|{LABEL}|{_UNNAMED_LOC})*+"

_INSTRUCTION = re.compile(
    rf"{_LEADING}(?>(?P<guard>{GUARD}))?+\s*+(?P<opcode>{OPCODE})\s*+(?P<operands>[^;]*+)"
)


def instruction_at(bare: str, at: int = 0, end: int = maxsize) -> re.Match[str] | None:
    """Returns the instruction that comes next, behind labels, braces and places in the source.

    Args:
        bare: PTX with its comments hidden.
        at: The end of the statement before.
        end: The end of the text.
    """
    return _INSTRUCTION.match(bare, at, end)


_ITEM = re.compile(
    rf"[\s{{}}]*+(?:(?P<loc>{LOC})|(?P<label>{NAME})\s*+:(?!:)|(?P<statement>[^;{{}}][^;]*+)|;|\Z)"
)


def items(bare: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yields places in the source, labels and statements of a function.

    The last group of a match tells the kind: ``loc``, ``label`` or ``statement``.
    """
    return (item for item in _ITEM.finditer(bare, start, end) if item.lastgroup)


def opcode_of(match: re.Match[str]) -> str:
    """Returns the opcode of an instruction without gaps between the parts."""
    return "".join(match["opcode"].split())


def file_names(text: str, bare: str) -> dict[int, str]:
    """Returns the names of the source files of a text by their numbers, as written."""
    spans = ((m, (m.span("folder"), m.span("file"))) for m in _FILE.finditer(bare))
    return {
        int(match["number"]): "/".join(text[a:b].strip('"') for a, b in parts if a >= 0)
        for match, parts in spans
    }


Place = tuple[int, int, int]
"""A file by its number, line and column."""


def place_of(numbers: str | None) -> Place | None:
    """Returns the place in a ``.loc``; None unless all three numbers are there."""
    with suppress(ValueError):
        file, line, column = map(integer_of, (numbers or "").split())
        return file, line, column
    return None


def places_in(bare: str) -> Iterator[Place]:
    """Yields the place of each ``.loc``."""
    yield from filter(None, (place_of(match["place"]) for match in _LOC.finditer(bare)))
