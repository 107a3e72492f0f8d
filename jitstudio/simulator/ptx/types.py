"""The scalar types of PTX, and the NumPy types that their values have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np


class TypeKind(Enum):
    """The reading of a value's bits."""

    BITS = "b"
    UNSIGNED = "u"
    SIGNED = "s"
    FLOAT = "f"
    PACKED = "packed"
    PREDICATE = "pred"


@dataclass(frozen=True)
class PtxType:
    """A scalar type.

    Attributes:
        name: As in PTX, such as ``f32``.
        kind: The reading of its bits.
        bits: The width; 1 for predicates.
        dtype: The type of its values in NumPy; of the bits for floats that NumPy lacks.
        bits_dtype: The type of registers.
    """

    name: str
    kind: TypeKind
    bits: int
    dtype: np.dtype[Any]
    bits_dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return max(1, self.bits // 8)

    @property
    def is_signed(self) -> bool:
        """Whether the type is a signed integer."""
        return self.kind is TypeKind.SIGNED

    @property
    def is_integer(self) -> bool:
        """Whether the type is an integer or untyped bits."""
        return self.kind in (TypeKind.BITS, TypeKind.UNSIGNED, TypeKind.SIGNED)

    def holds(self, kind: PtxType, *, wider: bool = False) -> bool:
        """Returns whether a register of this type may be an operand of an instruction's type.

        Args:
            kind: The type of the instruction.
            wider: Whether the register may have more bits.
        """
        if kind.kind is TypeKind.PREDICATE or self.kind is TypeKind.PREDICATE:
            return self.kind is kind.kind
        if self.bits != kind.bits and not (wider and self.bits > kind.bits):
            return False
        # PTX ISA, "Operand Type Checking Rules": bits fit all types of their size, integers fit
        # both signs, and floats only themselves.
        match kind.kind:
            case TypeKind.BITS:
                return True
            case TypeKind.SIGNED | TypeKind.UNSIGNED:
                return self.is_integer
        return self.kind is TypeKind.BITS or self.name == kind.name


def _type(name: str, kind: TypeKind, bits: int, dtype: str) -> PtxType:
    # NumPy has no integers of 128 bits: `V16` moves them and nothing else.
    holder = {1: "?", 4: "u1", 6: "u1", 8: "u1", 16: "u2", 32: "u4", 64: "u8", 128: "V16"}[bits]
    return PtxType(name, kind, bits, np.dtype(dtype), np.dtype(holder))


_WIDTHS = {8: "1", 16: "2", 32: "4", 64: "8"}
# PTX ISA, "Fundamental Types", "Alternate Floating-Point Data Formats" and "Packed Data Types".
TYPES: dict[str, PtxType] = {
    row.name: row
    for row in (
        *(_type(f"b{w}", TypeKind.BITS, w, f"u{n}") for w, n in _WIDTHS.items()),
        *(_type(f"u{w}", TypeKind.UNSIGNED, w, f"u{n}") for w, n in _WIDTHS.items()),
        *(_type(f"s{w}", TypeKind.SIGNED, w, f"i{n}") for w, n in _WIDTHS.items()),
        _type("b128", TypeKind.BITS, 128, "V16"),
        _type("pred", TypeKind.PREDICATE, 1, "?"),
        _type("f16", TypeKind.FLOAT, 16, "f2"),
        _type("f32", TypeKind.FLOAT, 32, "f4"),
        _type("f64", TypeKind.FLOAT, 64, "f8"),
        # Kept as bits: NumPy has no such floats.
        _type("bf16", TypeKind.FLOAT, 16, "u2"),
        _type("tf32", TypeKind.FLOAT, 32, "u4"),
        _type("e4m3", TypeKind.FLOAT, 8, "u1"),
        _type("e5m2", TypeKind.FLOAT, 8, "u1"),
        _type("f16x2", TypeKind.PACKED, 32, "u4"),
        _type("bf16x2", TypeKind.PACKED, 32, "u4"),
        _type("f32x2", TypeKind.PACKED, 64, "u8"),
        _type("u16x2", TypeKind.PACKED, 32, "u4"),
        _type("s16x2", TypeKind.PACKED, 32, "u4"),
        _type("e4m3x2", TypeKind.PACKED, 16, "u2"),
        _type("e5m2x2", TypeKind.PACKED, 16, "u2"),
        _type("e2m1x2", TypeKind.PACKED, 8, "u1"),
        _type("e2m3x2", TypeKind.PACKED, 16, "u2"),
        _type("e3m2x2", TypeKind.PACKED, 16, "u2"),
        _type("ue8m0x2", TypeKind.PACKED, 16, "u2"),
    )
}
PREDICATE = TYPES["pred"]
BITS = {width: TYPES[f"b{width}"] for width in (8, 16, 32, 64)}
