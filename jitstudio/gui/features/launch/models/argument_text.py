"""The text of one argument as the words of its cells: length, fill and direction.

Takes any text apart, also one that is half typed; whether it means anything is found out by
`core.launch.resolve`.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from jitstudio.core.launch.arguments import NULL
from jitstudio.core.launch.request import Direction, FillKind
from jitstudio.core.launch.types import Array, Opaque, Pointer, Struct, Type

_DIRECTIONS = frozenset(direction.value for direction in Direction)


@dataclass(frozen=True)
class BufferLabels:
    """What stands for one buffer; empty where the text leaves it to the default."""

    length: str
    fill: str = ""
    direction: str = ""

    @property
    def text(self) -> str:
        """All of it as one text."""
        if self.is_null:
            return self.length
        return ":".join((self.length, *filter(None, (self.fill, self.direction))))

    @property
    def is_null(self) -> bool:
        """Whether it is a null pointer, which has neither fill nor direction."""
        return self.length == NULL


def buffer_words(text: str) -> BufferLabels:
    """Take ``n:random(1):in`` apart where `core.launch.arguments` does."""
    length, _, rest = text.partition(":")
    before, _, last = rest.rpartition(":")
    direction = last.strip() if last.strip() in _DIRECTIONS else ""
    return BufferLabels(length.strip(), (before if direction else rest).strip(), direction)


def default_direction(pointer: Pointer) -> Direction:
    """What the kernel does with a buffer whose text does not say it."""
    return Direction.IN if pointer.const else Direction.INOUT


def default_fill(direction: str) -> FillKind:
    """What a buffer of this direction is filled with whose text does not say it."""
    return FillKind.RANDOM if direction == Direction.IN.value else FillKind.ZEROS


def example(kind: Type) -> str:
    """How a value of this type could be written, such as ``{x=0, y=0}``."""
    match kind:
        case Struct():
            return f"{{{', '.join(f'{f.name}={example(f.type)}' for f in kind.fields)}}}"
        case Array():
            return f"{{{', '.join([example(kind.element)] * kind.count)}}}"
        case Pointer():
            return NULL
        case Opaque():
            told = QCoreApplication.translate("ArgumentWords", "{size} bytes in hexadecimal digits")
            return told.format(size=kind.size)
    return "0"


def length_example(pointer: Pointer) -> str:
    """How the length of a buffer is written; with its elements where nobody else tells them."""
    return "n" if pointer.target else "float[n]"
