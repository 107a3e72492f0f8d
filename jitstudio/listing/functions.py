"""Where the functions of a PTX or SASS listing begin and end."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from jitstudio.core.code import CodeKind


@dataclass(frozen=True)
class Function:
    """A function of a listing. Lines count from 0.

    Attributes:
        name: Its lowered name.
        line: Where it begins.
        end: The line behind its last one.
        is_kernel: Whether it can be launched.
        is_defined: Whether it has a body here; PTX only declares what another module defines.
    """

    name: str
    line: int
    end: int
    is_kernel: bool
    is_defined: bool = True


def functions(kind: CodeKind, lines: Sequence[str]) -> tuple[Function, ...]:
    """The functions of a listing, in its order; of a broken text those that can be made out."""
    return tuple(_FINDERS[kind](lines))


def function_at(found: Sequence[Function], line: int) -> Function | None:
    """The function that a line belongs to, or None between two of them."""
    at = bisect_right(found, line, key=lambda function: function.line) - 1
    return found[at] if at >= 0 and line < found[at].end else None


_FIRST = {
    # Neither a directive nor a label, a brace or a comment.
    CodeKind.PTX: re.compile(r"\s*+(?:\{\s*+)?(?:@!?[\w%$]++\s++)?[a-z]\w*+(?![\w\s]*+:)"),
    CodeKind.SASS: re.compile(r"\s*+/\*[0-9a-f]{4,}\*/\s"),
}


def first_instruction(kind: CodeKind, lines: Sequence[str], function: Function) -> int:
    """The line of the first instruction of a function; its head where there is none."""
    body = range(function.line + 1, min(function.end, len(lines)))
    return next((at for at in body if _FIRST[kind].match(lines[at])), function.line)


# In blocks only lines with these can change anything; they are few.
_NOTEWORTHY = re.compile(r"[{}]|/\*")
_PTX_TOKEN = re.compile(
    r'//.*|/\*.*?(?:\*/|(?P<open>\Z))|"[^"]*"?|(?P<head>\.(?:entry|func)\b)|\.\w+'
    r"|(?P<mark>[{}();])|(?P<name>[A-Za-z_$%][\w$]*)"
)


class _PtxReader:
    """Reads PTX line by line; knows of blocks, of comments and of the heads of functions."""

    def __init__(self) -> None:
        self._depth = 0
        self._parentheses = 0
        self._in_comment = False
        self._head: Function | None = None

    def read(self, lines: Sequence[str]) -> Iterator[Function]:
        for number, line in enumerate(lines):
            if self._in_comment or not self._depth or _NOTEWORTHY.search(line):
                yield from self._read_line(number, line)
        if self._head is not None and self._head.name:
            yield replace(self._head, end=len(lines))

    def _read_line(self, number: int, line: str) -> Iterator[Function]:
        start = 0
        if self._in_comment:
            start = line.find("*/") + 2
            if start < 2:
                return
            self._in_comment = False
        for token in _PTX_TOKEN.finditer(line, start):
            if token["open"] is not None:
                self._in_comment = True
            elif token["head"] and not self._depth:
                self._head = Function("", number, number, token["head"] == ".entry", False)
                self._parentheses = 0
            elif token["mark"]:
                yield from self._mark(number, token["mark"])
            elif token["name"] and self._head and not (self._head.name or self._parentheses):
                # In front of the name of a function stands what it returns, in parentheses.
                self._head = replace(self._head, name=token["name"])

    def _mark(self, number: int, mark: str) -> Iterator[Function]:
        match mark:
            case "{":
                self._depth += 1
            case "}":
                self._depth = max(0, self._depth - 1)
            case "(":
                self._parentheses += 1
            case ")":
                self._parentheses -= 1
        if mark in "};" and not self._depth and self._head is not None:
            if self._head.name:
                yield replace(self._head, end=number + 1, is_defined=mark == "}")
            self._head = None


_SECTION = re.compile(r"\s*\.section\s+(\S+?)(?:,|$)")
_TYPE = re.compile(r"\s*\.type\s+(\S+?),@function")
_KERNEL = re.compile(r'\s*\.other\s+(\S+?),@"[^"]*\bSTO_CUDA_ENTRY\b')
_LABEL = re.compile(r"(\S+):\s*$")
_TEXT = ".text."


def _sass_functions(lines: Sequence[str]) -> Iterator[Function]:
    names: set[str] = set()
    kernels: set[str] = set()
    head: Function | None = None
    for number, line in enumerate(lines):
        if "/*" in line:
            continue  # an instruction, with its address in front
        if label := _LABEL.match(line):
            name = label[1].removeprefix(_TEXT)
            # The label of a section repeats that of its first function.
            if name in names and not (head and head.name == name):
                if head is not None:
                    yield replace(head, end=number)
                head = Function(name, number, number, name in kernels)
        elif typed := _TYPE.match(line):
            names.add(typed[1])
        elif entry := _KERNEL.match(line):
            kernels.add(entry[1])
        elif head is not None and _SECTION.match(line):
            yield replace(head, end=number)
            head = None
    if head is not None:
        yield replace(head, end=len(lines))


_FINDERS: dict[CodeKind, Callable[[Sequence[str]], Iterator[Function]]] = {
    CodeKind.PTX: lambda lines: _PtxReader().read(lines),
    CodeKind.SASS: _sass_functions,
}
