"""Named places in a source; in PTX and LLVM IR by the beginnings of lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from jitstudio.ptx.scanner import bare_ptx
from jitstudio.ptx.skimming import (
    FunctionText,
    VariableText,
    function_texts,
    items,
    local_variables,
    variable_texts,
)


class SymbolKind(Enum):
    """Kinds of symbols; the value is the word for the kind."""

    KERNEL = "kernel"
    FUNCTION = "function"
    TYPE = "type"
    VARIABLE = "variable"
    MACRO = "macro"
    LABEL = "label"


@dataclass(frozen=True)
class Symbol:
    """Something that a source defines.

    Attributes:
        name: As it is written, with its namespaces and classes where it is in any.
        kind: What it is.
        line: Where its name is, from 1.
    """

    name: str
    kind: SymbolKind
    line: int


_LLVM_NAME = r'(?:[-\w$.]+|"[^"]*")'
_LLVM_PATTERN = re.compile(
    rf"define\b(?=[^@]*\b(?P<kernel>ptx_kernel)\b|)[^@]*+@(?P<FUNCTION>{_LLVM_NAME})\s*\("
    rf"|(?P<VARIABLE>@{_LLVM_NAME})\s*=[^\"]*\b(?:global|constant)\b"
    rf"|(?P<TYPE>%{_LLVM_NAME})\s*=\s*type\b"
    rf"|(?P<LABEL>{_LLVM_NAME}):\s*(?:;|$)"
)
_ANNOTATION = re.compile(rf'^!\w+ = .*?@(?P<name>{_LLVM_NAME}),\s*!"kernel",\s*i32 1\b')
# A longer line is data.
_REACH = 4000


def ptx_symbols(text: str) -> tuple[Symbol, ...]:
    """Returns the kernels, functions, variables and labels, in order."""
    bare = bare_ptx(text)
    functions = tuple(function_texts(bare))
    # By where their names are.
    places = [(name, SymbolKind.VARIABLE, at) for name, at in _declared(bare, functions)]
    for function in functions:
        kind = SymbolKind.KERNEL if function.is_kernel else SymbolKind.FUNCTION
        places.append((function.name, kind, function.name_at))
        if function.body < 0:
            continue
        for item in items(bare, function.body, function.end):
            if item["label"]:
                places.append((item["label"], SymbolKind.LABEL, item.start("label")))
            elif item["statement"] and (some := local_variables(bare, *item.span("statement"))):
                places += [(n, SymbolKind.VARIABLE, at) for n, at in _named(some)]
    places.sort(key=lambda place: place[2])
    symbols, line, last = [], 1, 0
    for name, kind, at in places:
        line += bare.count("\n", last, at)
        last = at
        symbols.append(Symbol(name, kind, line))
    return tuple(symbols)


def _declared(bare: str, functions: Iterable[FunctionText]) -> Iterator[tuple[str, int]]:
    for some in variable_texts(bare, functions):
        yield from _named(some)


def _named(some: VariableText) -> Iterator[tuple[str, int]]:
    return zip(some.names, some.names_at, strict=True)


def llvm_symbols(text: str) -> tuple[Symbol, ...]:
    """Returns the kernels, functions, variables, types and blocks, in order."""
    kernels = {match["name"] for _, match in _matches(_ANNOTATION, text)}
    symbols = []
    for number, match in _matches(_LLVM_PATTERN, text):
        kind = match.lastgroup
        if kind is None:
            continue
        name = match[kind]
        is_kernel = kind == "FUNCTION" and (match["kernel"] or name in kernels)
        shown = name if kind in ("TYPE", "VARIABLE") else name.strip('"')
        symbols.append(Symbol(shown, SymbolKind["KERNEL" if is_kernel else kind], number))
    return tuple(symbols)


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        match = pattern.match(line, 0, _REACH)
        if match:
            yield number, match
