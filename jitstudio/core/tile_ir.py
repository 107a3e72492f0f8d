"""The names of the kernels in Tile IR, which NVRTC and cuTile write as bytecode.

The format is that of `cuda.tile._bytecode` 1.7: sections with a length each, in any order. The
section of functions has a name, a type, flags, hints, attributes and a body for each; names are
numbers in the section of strings. All else is for `tileirdisasm` and `tileiras`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

MAGIC = b"\x7fTileIR\0"
_HEADER = len(MAGIC) + 4
_STRINGS, _FUNCTIONS = 0x01, 0x02
_ALIGNED = 0x80
_IS_KERNEL, _HAS_HINTS = 0x02, 0x04
# From this version on each kernel has hints, and each function attributes of its arguments.
_WITH_ATTRIBUTES = (13, 5)
_OFFSET = 4
_DEEPEST = 16
_LONGEST = 64
# NVRTC's, where there are tile functions and no kernel calls them.
_DUMMY = "__$dummy_kernel"


class _Bytes:
    """A place in bytes that moves on with each reading."""

    def __init__(self, content: bytes, at: int = 0) -> None:
        self._content, self.at = content, at

    def byte(self) -> int:
        """Returns the next byte."""
        self.at += 1
        return self._content[self.at - 1]

    def number(self, _depth: int = 0) -> int:
        """Returns the next number, seven bits to a byte.

        Raises:
            ValueError: It is longer than any.
        """
        value = shift = 0
        while (byte := self.byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift > _LONGEST:
                raise ValueError
        return value | byte << shift

    def align(self, alignment: int) -> None:
        """Moves on to a multiple of `alignment`.

        Raises:
            ValueError: Nothing is a multiple of it.
        """
        if not alignment:
            raise ValueError
        self.at += -self.at % alignment

    def take(self, size: int) -> bytes:
        """Returns the next bytes.

        Raises:
            IndexError: There are not so many.
        """
        self.at += size
        if self.at > len(self._content):
            raise IndexError
        return self._content[self.at - size : self.at]

    def attribute(self, depth: int = 0) -> None:
        """Moves on behind an attribute.

        Raises:
            ValueError: It is of an unknown kind, or nested too deep.
        """
        skip = _attributes().get(self.byte())
        if skip is None or depth > _DEEPEST:
            raise ValueError
        skip(self, depth + 1)


@cache
def _attributes() -> dict[int, Callable[[_Bytes, int], object]]:
    """Returns how to move on behind each kind of attribute that hints and arguments have."""

    def integer(content: _Bytes, _depth: int) -> None:
        content.number()
        content.number()

    def array(content: _Bytes, depth: int) -> None:
        for _ in range(content.number()):
            content.attribute(depth)

    def dictionary(content: _Bytes, depth: int) -> None:
        for _ in range(content.number()):
            content.number()
            content.attribute(depth)

    def divisor(content: _Bytes, _depth: int) -> None:
        content.number()
        bounds(content, _depth)

    def bounds(content: _Bytes, _depth: int) -> None:
        for _ in range(content.byte().bit_count()):
            content.number()

    return {
        0x01: integer,
        0x03: lambda content, _: content.byte(),
        0x04: _Bytes.number,
        0x05: _Bytes.number,
        0x06: array,
        0x08: divisor,
        0x0A: dictionary,
        0x0B: dictionary,
        0x0C: bounds,
    }


def tile_kernels(bytecode: bytes) -> tuple[str, ...] | None:
    """Returns the lowered names of the kernels in Tile IR; None for unreadable bytes."""
    try:
        sections = _sections(bytecode)
        strings = _strings(sections.get(_STRINGS, b"\0"))
        version = (bytecode[len(MAGIC)], bytecode[len(MAGIC) + 1])
        numbers = _kernels(_Bytes(sections.get(_FUNCTIONS, b"\0")), version)
        names = (strings[number].decode("utf-8", "replace") for number in numbers)
        return tuple(name for name in names if name != _DUMMY)
    except (IndexError, ValueError):
        return None


def _sections(bytecode: bytes) -> dict[int, bytes]:
    if not bytecode.startswith(MAGIC):
        raise ValueError
    content, sections = _Bytes(bytecode, _HEADER), dict[int, bytes]()
    while kind := content.byte():
        size = content.number()
        if kind & _ALIGNED:
            content.align(content.number())
        sections[kind & ~_ALIGNED] = content.take(size)
    return sections


def _strings(section: bytes) -> list[bytes]:
    content = _Bytes(section)
    count = content.number()
    content.align(_OFFSET)
    offsets = [int.from_bytes(content.take(_OFFSET), "little") for _ in range(count)]
    texts = section[content.at :]
    return [texts[a:b] for a, b in zip(offsets, [*offsets[1:], len(texts)], strict=True)]


def _kernels(content: _Bytes, version: tuple[int, int]) -> list[int]:
    """Returns the numbers of the names of kernels in a section of functions."""
    names = []
    for _ in range(content.number()):
        name, _type = content.number(), content.number()
        flags, _place = content.byte(), content.number()
        if flags & _IS_KERNEL:
            names.append(name)
        if flags & _HAS_HINTS or (flags & _IS_KERNEL and version >= _WITH_ATTRIBUTES):
            content.attribute()
        if version >= _WITH_ATTRIBUTES:
            content.attribute()
        content.take(content.number())
    return names
