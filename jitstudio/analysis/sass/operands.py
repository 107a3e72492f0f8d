"""Which general registers an instruction reads and writes, as its text tells.

NVIDIA publishes no description of operands. What is known of their widths stands in the tables
here; an instruction that is in none of them takes one register for each that it names.
"""

from __future__ import annotations

import re
from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

from jitstudio.analysis.textures import COORDINATES, TEXTURES, texture_widths

_REGISTER = re.compile(r"(?<![\w.(])R(\d{1,3})\b((?:\.\w+)*)")
_PREDICATE = re.compile(r"!?U?P(?:\d+|T)\Z|PR\Z")
_BRACKETS = re.compile(r"\[[^\]]*+(?:\]|\Z)")
# `HMMA.16816.F32`, `DMMA.8x8x4`, `HGMMA.64x128x16.F32`.
_SHAPE = re.compile(r"\.(?:(8|16)(8|16)|(\d+)x(\d+)x)(\d+)\b")

# They write no general register, though one may stand first.
_NO_RESULT = frozenset(
    (
        *("ST", "STG", "STS", "STL", "STSM", "STTM", "SUST", "RED", "REDG", "REDS", "REDAS"),
        *("ISETP", "FSETP", "DSETP", "HSETP2", "PLOP3", "FCHK", "R2P", "BAR", "NANOSLEEP"),
        *("BRX", "BRXU", "JMX", "JMXU", "CALL", "RET", "LDGSTS", "WARPSYNC", "SYNCS", "BMOV"),
        *("CCTL", "UBLKCP", "UTMALDG", "UTMASTG", "WARPGROUP", "WARPGROUPSET"),
    )
)
# What they move has the width of the opcode; an address stands between brackets.
_MEMORY = frozenset(
    (
        *("LD", "LDG", "LDS", "LDL", "LDC", "LDSM", "ATOM", "ATOMG", "ATOMS", "ATOMAS"),
        *("ST", "STG", "STS", "STL", "STSM", "RED", "REDG", "REDS", "REDAS"),
        *("SULD", "SUST", "SUATOM", "SURED"),
    )
)
_SURFACES = frozenset(("SULD", "SUST", "SUATOM", "SURED"))
_WIDTHS = {
    **dict.fromkeys(("2", "64", "F64", "S64", "U64", "F32x2"), 2),
    "96": 3,
    **dict.fromkeys(("4", "128", "256"), 4),
}
_PAIRS = frozenset(
    (
        *("DADD", "DMUL", "DFMA", "DMNMX", "DSETP", "FADD2", "FMUL2", "FFMA2"),
        *("BRX", "JMX", "CALL", "RET", "LEPC"),
    )
)
_WIDE_INTEGERS = frozenset(("S64", "U64"))
# These take such sources, and the result is as wide, but for a mask of threads.
_TYPED = {"ISETP": 2, "IMNMX": 2, "VIMNMX": 2, "MATCH": 1}
_CONVERSIONS = frozenset(("F2F", "I2F", "F2I", "I2I", "FRND"))
# Of the result of a product to which 64 bits are added.
_PRODUCTS = {"WIDE": 2, "HI": 1}
# Bits of an element of the factors, and how many threads share a product.
_ELEMENTS = {"HMMA": 16, "DMMA": 64, "BMMA": 1, "HGMMA": 16, "BGMMA": 1}
_ELEMENTS |= dict.fromkeys(("IMMA", "QMMA", "OMMA", "IGMMA", "QGMMA"), 8)
_NARROW = {"TF32": 32, "U4": 4, "S4": 4}
_WARP, _WARPS = 32, 128
# R1 points to the stack: nvdisasm counts it to the end, whether it is read or not.
_READ_AT_LAST = dict.fromkeys(("EXIT", "RET"), 1 << 1)


class Access(NamedTuple):
    """What an instruction does with general registers: a bit for each of them."""

    reads: int
    writes: int


@lru_cache(maxsize=1 << 16)
def access(opcode: str, operands: str) -> Access:
    """The registers that are read and written, whatever the predicate says."""
    parts = [part.strip() for part in operands.split(",")]
    base, *modifiers = opcode.split(".")
    if base in TEXTURES:
        return _texture(opcode, parts)
    result = 0 if base in _NO_RESULT else _result(parts)
    widths = _Widths(base, tuple(modifiers), opcode)
    reads, writes, source = _READ_AT_LAST.get(base, 0), 0, 0
    for at, part in enumerate(parts):
        inside = "".join(_BRACKETS.findall(part))
        reads |= _named(inside, widths.address(inside))
        plain = _BRACKETS.sub("", part)
        if at + 1 == result:
            writes |= _named(plain, widths.result)
        else:
            reads |= _named(plain, widths.source(source))
        source += at + 1 > result and not _PREDICATE.match(part)
    return Access(reads, writes)


def _texture(opcode: str, parts: list[str]) -> Access:
    """Two results, and then what is read."""
    plain = [part for part in parts if not _PREDICATE.match(part)]
    widths = texture_widths(opcode, parts)
    named = [_named(part, width) for part, width in zip(plain, widths, strict=False)]
    return Access(reduce(or_, named[2:], 0), reduce(or_, named[:2], 0))


def _result(parts: list[str]) -> int:
    """Which operand is written, counted from 1; predicates may stand in front. 0 for none."""
    at = next((n for n, part in enumerate(parts, 1) if not _PREDICATE.match(part)), 0)
    return at if at and re.match(r"R(\d+|Z)\b", parts[at - 1]) else 0


def _named(text: str, width: int) -> int:
    """A bit for each register in a text, and for those that follow it."""
    found = 0
    for number, suffix in _REGISTER.findall(text):
        found |= ((1 << (2 if ".64" in suffix else width)) - 1) << int(number)
    return found


class _Widths:
    """How many registers the operands of an opcode take."""

    def __init__(self, base: str, modifiers: tuple[str, ...], opcode: str) -> None:
        self._base, self._modifiers = base, modifiers
        self._result, self._sources = self._find(opcode)

    @property
    def result(self) -> int:
        return self._result

    def source(self, number: int) -> int:
        """Of the source with this number, from 0; predicates are not counted."""
        return self._sources[min(number, len(self._sources) - 1)]

    def address(self, inside: str) -> int:
        """Of an address without a suffix, which has 64 bits until sm_75; or of coordinates."""
        if self._base in _SURFACES:
            return next((COORDINATES[m] for m in self._modifiers if m in COORDINATES), 1)
        is_wide = "E" in self._modifiers and self._base != "LDGSTS"
        return 2 if is_wide and ".64" not in inside and "UR" not in inside else 1

    def _find(self, opcode: str) -> tuple[int, tuple[int, ...]]:
        base, modifiers = self._base, self._modifiers
        if base in _MEMORY:
            width = next((_WIDTHS[m] for m in reversed(modifiers) if m in _WIDTHS), 1)
            # The surface itself stands behind its coordinates and what is moved.
            return width, (1, 1 if base == "SULD" else width, 1) if base in _SURFACES else (width,)
        if base in _ELEMENTS:
            return _matrix(base, modifiers, opcode)
        if base in _CONVERSIONS:
            return _conversion(base, modifiers)
        if base in _PAIRS or (base != "SYNCS" and "64" in modifiers):
            return 2, (2,)
        if base == "IMAD" and (word := next((m for m in modifiers if m in _PRODUCTS), None)):
            return _PRODUCTS[word], (1, 1, 2)
        if base in _TYPED and not _WIDE_INTEGERS.isdisjoint(modifiers):
            return _TYPED[base], (2,)
        if base == "CS2R":
            return (1 if "32" in modifiers else 2), (1,)
        return 1, (1,)


def _conversion(base: str, modifiers: tuple[str, ...]) -> tuple[int, tuple[int, ...]]:
    """`F2F.F64.F32` has the result first, the others tell one of both only."""
    floats = [modifier for modifier in modifiers if modifier[:1] == "F" and modifier[1:].isdigit()]
    wide_integer = not _WIDE_INTEGERS.isdisjoint(modifiers)
    first, last = floats[:1] == ["F64"], floats[-1:] == ["F64"]
    result, source = {
        "I2F": (first, wide_integer),
        "F2I": (wide_integer, last),
        "I2I": (wide_integer, False),
    }.get(base, (first, last))
    return 1 + result, (1 + source,)


def _matrix(base: str, modifiers: tuple[str, ...], opcode: str) -> tuple[int, tuple[int, ...]]:
    """Each thread of a warp, or of four, holds its part of the three matrices."""
    shape = _SHAPE.search(opcode)
    if shape is None:
        return 1, (1,)
    m, n, k = (int(size) for size in shape.groups() if size)
    is_half = "F16" in modifiers and "F32" not in modifiers
    factor = next((_NARROW[m] for m in modifiers if m in _NARROW), _ELEMENTS[base])
    product = 64 if base == "DMMA" else 16 if is_half else 32
    bits = 32 * (_WARPS if base.endswith("GMMA") else _WARP)
    sizes = ((m * k, factor), (n * k, factor), (m * n, product))
    registers = tuple(max(1, size * width // bits) for size, width in sizes)
    return registers[2], registers
