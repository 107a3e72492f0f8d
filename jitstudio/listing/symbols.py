"""A place in a source that has a name; those of PTX and LLVM IR by the beginnings of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class SymbolKind(Enum):
    """What has the name; the value is the word for it."""

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
_PTX_NAME = r"[A-Za-z_$%][\w$]*+"
_PTX_PATTERN = re.compile(
    rf"\s*+(?:\.(?:visible|extern|weak|common)\s++)*+(?:"
    rf"\.entry\s++(?P<KERNEL>{_PTX_NAME})"
    rf"|\.func\s++(?:\([^)]*+\)\s*+)?(?P<FUNCTION>{_PTX_NAME})"
    rf"|\.(?:global|const|shared)\s[^;=(]*?(?<![\w$%])(?P<VARIABLE>{_PTX_NAME})\s*+(?:\[|=|;)"
    rf"|(?P<LABEL>{_PTX_NAME}):(?!:)"
    r")"
)
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
    return tuple(
        Symbol(match[match.lastgroup], SymbolKind[match.lastgroup], number)
        for number, match in _matches(_PTX_PATTERN, text)
        if match.lastgroup
    )


def llvm_symbols(text: str) -> tuple[Symbol, ...]:
    """Returns the kernels, functions, variables, types and blocks, in order."""
    kernels = {match["name"] for _, match in _matches(_ANNOTATION, text)}
    found = []
    for number, match in _matches(_LLVM_PATTERN, text):
        kind = match.lastgroup
        if kind is None:
            continue
        name = match[kind]
        is_kernel = kind == "FUNCTION" and (match["kernel"] or name in kernels)
        shown = name if kind in ("TYPE", "VARIABLE") else name.strip('"')
        found.append(Symbol(shown, SymbolKind["KERNEL" if is_kernel else kind], number))
    return tuple(found)


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        match = pattern.match(line, 0, _REACH)
        if match:
            yield number, match
