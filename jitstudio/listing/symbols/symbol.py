"""A place in a source that has a name."""

from __future__ import annotations

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
        line: Where its name stands, from 1.
    """

    name: str
    kind: SymbolKind
    line: int
