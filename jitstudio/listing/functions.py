"""Where the functions of a PTX or SASS listing begin and end."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from jitstudio.core.code import CodeKind
from jitstudio.ptx.scanner import bare_ptx
from jitstudio.ptx.skimming import FunctionText, function_texts, instruction_at


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
    """Returns the functions of a listing, in order; of a broken text all discernible ones."""
    return tuple(_FINDERS[kind](lines))


def function_at(listed: Sequence[Function], line: int) -> Function | None:
    """Returns the function of `listed` that a line belongs to, or None between two functions."""
    at = bisect_right(listed, line, key=lambda function: function.line) - 1
    return listed[at] if at >= 0 and line < listed[at].end else None


_ADDRESS = re.compile(r"\s*+/\*[0-9a-f]{4,}\*/\s")


def first_instruction(kind: CodeKind, lines: Sequence[str], function: Function) -> int:
    """Returns the line of the first instruction of a function; of the head without any."""
    if kind is CodeKind.SASS:
        body = range(function.line + 1, min(function.end, len(lines)))
        return next((at for at in body if _ADDRESS.match(lines[at])), function.line)
    bare, text, line = ptx_of(lines, function)
    at = text.body + 1 if text else 0
    while text and 0 < at < text.end:
        if (instruction := instruction_at(bare, at, text.end)) is not None:
            start = instruction.start("guard" if instruction["guard"] else "opcode")
            return line + bare.count("\n", 0, start)
        at = bare.find(";", at) + 1
    return function.line


def ptx_of(lines: Sequence[str], function: Function) -> tuple[str, FunctionText | None, int]:
    """Returns a function out of lines that other functions may be on, too.

    Returns:
        PTX with its comments hidden; where the function is in that, None if it has no body; and
        the line that the PTX begins with.
    """
    # Its first line may begin in a comment, which only the whole text tells.
    for start, end in ((function.line, function.end), (0, len(lines))):
        bare = bare_ptx("\n".join(lines[start:end]))
        for text in function_texts(bare):
            if text.name == function.name and text.body >= 0:
                return bare, text, start
    return "", None, function.line


def ptx_functions(bare: str, texts: Iterable[FunctionText] | None = None) -> Iterator[Function]:
    """Yields the functions of PTX whose comments are hidden.

    Args:
        bare: The PTX.
        texts: What `function_texts` gives for it, where that is known already.
    """
    line = at = 0
    for text in function_texts(bare) if texts is None else texts:
        line += bare.count("\n", at, text.start)
        at = text.start
        last = line + bare.count("\n", at, text.end)
        yield Function(text.name, line, last + 1, text.is_kernel, text.body >= 0)


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
    CodeKind.PTX: lambda lines: ptx_functions(bare_ptx("\n".join(lines))),
    CodeKind.SASS: _sass_functions,
}
