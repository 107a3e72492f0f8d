"""Pointers into the memory of another buffer, ``same(a)`` and ``same(a+16)``.

As in C++, the number counts elements of that buffer: ``kernel(a, a + 16)``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.problems import SpecProblem, TextError, argument_place, unknown
from jitstudio.core.launch.request import (
    Argument,
    Buffer,
    FormParameter,
    SharedPointer,
)
from jitstudio.core.launch.types import Pointer
from jitstudio.core.launch.values import Number, UnknownNameError, integer

SAME = "same"
"""The word that such a text begins with."""

_EXAMPLE = "Write same(a), or same(a+16) for a place after its start."
_SAME = re.compile(
    rf"{SAME}\s*+\(\s*+(?P<name>[^+\-*/()\s]++)\s*+(?:(?P<sign>[+-])(?P<elements>.*))?\)",
    re.DOTALL,
)
_WORD = re.compile(rf"\s*+{SAME}\b\s*+(?:\(|$)")


class UnknownBufferError(UnknownNameError):
    """There is no buffer of this name; the name may be that of a faulty argument."""

    def __init__(self, name: str, known: Collection[str]) -> None:
        TextError.__init__(self, f"There is no buffer '{name}'.", unknown(name, known))
        self.name = name


def is_shared(text: str) -> bool:
    """Returns whether a text begins as that of a pointer into another buffer."""
    return bool(_WORD.match(text))


@dataclass(frozen=True)
class SharedText:
    """The text of a pointer into another buffer, in parts.

    Attributes:
        name: Of that buffer, or of a pointer into it.
        elements: How far behind its start, an expression; empty for at its start.
    """

    name: str
    elements: str = ""


def parse_shared(text: str) -> SharedText | None:
    """Reads the text of a pointer into another buffer; None where the text is another kind.

    Raises:
        TextError: It begins like one and is none.
    """
    if not is_shared(text):
        return None
    match = _SAME.fullmatch(text.strip())
    if match is None:
        before, _, after = text.rpartition(")")
        if _SAME.fullmatch(f"{before})".strip()) and after.lstrip().startswith(":"):
            raise TextError(
                f"'{after.strip(' :')}' belongs to the buffer whose memory it is, as fill and "
                "direction do.",
                f"Write {before.strip()}) alone, and the rest after that buffer.",
            )
        raise TextError(f"'{text.strip()}' names no buffer.", _EXAMPLE)
    if match["sign"] == "-":
        raise TextError(f"'{text.strip()}' points in front of {match['name']}.", _EXAMPLE)
    return SharedText(match["name"], (match["elements"] or "").strip())


def owner_of(
    pointer: SharedPointer,
    texts: Mapping[str, SharedText],
    arguments: Mapping[str, Argument],
    names: Mapping[str, Number],
) -> SharedPointer:
    """Returns a pointer with the buffer that owns the memory, and the distance into that buffer.

    Args:
        pointer: As it was read.
        texts: The texts of all such pointers, by name.
        arguments: All arguments by name.
        names: The names in expressions.

    Raises:
        UnknownBufferError: There is no such buffer.
        TextError: The place is not in it, or it has no memory to share.
    """
    shift, way, name = 0, [pointer.name], pointer.name
    while (text := texts.get(name)) is not None:
        target = arguments.get(text.name)
        if text.name in way:
            circle = " and ".join(sorted(set(way)))
            share = "share the memory of each other" if len(set(way)) > 1 else "shares its own"
            raise TextError(f"{circle} {share}.", "Give one of them a length, such as 1024.")
        if not isinstance(target, (Buffer, SharedPointer)):
            known = [a.name for a in arguments.values() if isinstance(a, Buffer) and a.length]
            raise UnknownBufferError(text.name, known)
        elements = integer(text.elements, names) if text.elements else 0
        shift += elements * target.element.size
        way.append(text.name)
        name = text.name
    owner = arguments[name]
    assert isinstance(owner, Buffer)
    if owner.symbol:
        raise TextError(f"{name} is a module variable, which no argument leads to.")
    if owner.texels is not None:
        raise TextError(f"{name} is a texture or surface, which has no address.")
    if not owner.length:
        raise TextError(f"{name} is null, so that nothing shares its memory.", "Write null here.")
    shift += owner.start_bytes
    if not 0 <= shift <= owner.bytes:
        size = owner.element.size
        raise TextError(
            f"{pointer.name} is to begin at element {shift // size:,} of {name}, which has "
            f"{owner.length:,}.",
            f"Give {name} a larger length.",
        )
    return replace(pointer, buffer=name, shift=shift)


def restrict_problems(
    arguments: Iterable[Argument], rows: Mapping[str, FormParameter]
) -> Iterator[SpecProblem]:
    """Yields warnings where a compiler may assume that two pointers lead to different memory.

    Pointers to one element are told; of others it is not known how far a kernel goes from there,
    and halves of a buffer are what ``__restrict__`` permits.

    Args:
        arguments: All of them, pointers with their places.
        rows: The rows of the form that they are represented by.
    """
    leading = [a for a in arguments if isinstance(a, (Buffer, SharedPointer)) and a.name in rows]
    for at, pointer in enumerate(leading):
        for other in leading[:at]:
            if _memory(pointer)[0] == _memory(other)[0]:
                yield from _restrict_problem(pointer, other, rows)


def _restrict_problem(
    pointer: Buffer | SharedPointer,
    other: Buffer | SharedPointer,
    rows: Mapping[str, FormParameter],
) -> Iterator[SpecProblem]:
    if isinstance(pointer, Buffer):
        pointer, other = other, pointer
    both = [rows[pointer.name], rows[other.name]]
    declared = [row.name for row in both if "__restrict" in row.spelling]
    if not declared or all(isinstance(row.type, Pointer) and row.type.const for row in both):
        return
    if _memory(pointer) == _memory(other):
        yield SpecProblem(
            argument_place(pointer.name),
            f"{pointer.name} and {other.name} share memory, and {declared[0]} is declared "
            "__restrict__: the compiler may take it that they do not.",
            "Take __restrict__ away, or give each a buffer of its own.",
            Severity.WARNING,
        )
    else:
        yield SpecProblem(
            argument_place(pointer.name),
            f"{pointer.name} and {other.name} begin at different elements of one buffer, and "
            f"{declared[0]} is declared __restrict__: that is wrong only if the kernel writes "
            "elements by one of them that it accesses by the other, too.",
            "",
            Severity.INFO,
        )


def _memory(pointer: Buffer | SharedPointer) -> tuple[str, int]:
    """Returns the buffer that a pointer leads into, and the bytes from the start."""
    if isinstance(pointer, SharedPointer):
        return pointer.buffer, pointer.shift
    return pointer.name, pointer.start_bytes


def first_element(name: str, arguments: Sequence[Argument]) -> int:
    """Returns the element of the owner at which a pointer into a buffer begins; 0 for others."""
    for argument in arguments:
        if isinstance(argument, SharedPointer) and argument.name == name:
            owner = next(a for a in arguments if a.name == argument.buffer)
            return argument.shift // max(1, owner.element.size) if isinstance(owner, Buffer) else 0
    return 0


def with_owners(text: str, arguments: Sequence[Argument]) -> str:
    """Returns an expression in which pointers into a buffer are parts of that buffer.

    Args:
        text: The expression, or the target of an expectation.
        arguments: The arguments of the kernel.

    Raises:
        TextError: One of them sees that memory as elements of another type.
    """
    buffers = {a.name: a for a in arguments if isinstance(a, Buffer)}
    pointers = {a.name: a for a in arguments if isinstance(a, SharedPointer)}
    if not pointers:
        return text
    names = "|".join(re.escape(name) for name in sorted(pointers, key=len, reverse=True))

    def part(match: re.Match[str]) -> str:
        pointer = pointers.get(match["name"] or "")
        if pointer is None:
            return match[0]
        owner = buffers[pointer.buffer]
        first = pointer.shift // owner.element.size
        place = f"{owner.name}[{first}:]" if first else owner.name
        if pointer.element != owner.element:
            raise TextError(
                f"{pointer.name} is the memory of {owner.name}, whose elements are "
                f"{owner.element.name} and not {pointer.element.name}.",
                f"Write it with {place}.",
            )
        return place

    return re.sub(
        rf"'[^']*+(?:'|\Z)|\"[^\"]*+(?:\"|\Z)|(?<![\w.])(?P<name>{names})(?!\w)", part, text
    )
