"""The types that CUDA C++, PTX and LLVM IR know by themselves, by the names they have there.

To add a type that a kernel may take: a row here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from jitstudio.core.launch.types import (
    Array,
    Field,
    Handle,
    HandleKind,
    NumberKind,
    Opaque,
    Scalar,
    Struct,
    Type,
)

_SIGNED, _UNSIGNED = NumberKind.SIGNED, NumberKind.UNSIGNED
_FLOATING = NumberKind.FLOATING


def struct_of(name: str, members: Iterable[tuple[str, Type]], align: int | None = None) -> Struct:
    """Returns a struct laid out by the rules of the ABI.

    Args:
        name: Its name.
        members: Names and types in order.
        align: What `alignas` asks for at least, or None.
    """
    fields: list[Field] = []
    end, widest = 0, align or 1
    for member, kind in members:
        start = padded(end, kind.align)
        fields.append(Field(member, kind, start))
        end, widest = start + kind.size, max(widest, kind.align)
    return Struct(name, tuple(fields), padded(max(end, 1), widest), widest)


class BitField(NamedTuple):
    """A member of a struct of which the number of bits is said.

    Attributes:
        type: Of the member.
        bits: How many; 0 begins another unit of the type.
        is_named: Whether it has a name; else it is padding and aligns nothing.
    """

    type: Type
    bits: int
    is_named: bool


def with_bit_fields(
    name: str, members: Iterable[Type | BitField], align: int | None, *, is_union: bool
) -> Opaque | None:
    """Returns the size of a struct or union with bit fields; None where the ABI is not known.

    A bit field follows the bits before it, unless it would lie across the end of a unit of its
    type (System V ABI for x86-64, "Bit-Fields"). Compilers for Windows lay them out otherwise.

    Args:
        name: Its name.
        members: In order.
        align: What `alignas` asks for at least, or None.
        is_union: Whether all begin at the same place.
    """
    end, widest, largest = 0, align or 1, 1
    for member in members:
        kind = member.type if isinstance(member, BitField) else member
        unit = 8 * kind.size
        bits = member.bits if isinstance(member, BitField) else unit
        if _WINDOWS or bits > unit:
            return None
        begins_unit = not isinstance(member, BitField) or not bits
        if begins_unit or end // unit != (end + bits - 1) // unit:
            end = padded(end, 8 * kind.align)
        end += bits
        largest = max(largest, end)
        if is_union:
            end = 0
        if not isinstance(member, BitField) or member.is_named:
            widest = max(widest, kind.align)
    return Opaque(name, padded(-(-largest // 8), widest), widest)


def padded(size: int, align: int) -> int:
    """Returns the first multiple of `align` that is not below `size`."""
    return -(-size // align) * align


def named(spelling: str) -> Type | None:
    """Returns the type that C++ calls so without any declaration of the user's, or None.

    The order of words does not matter in ``long unsigned int``; ``std::``, ``cuda::std::`` and the
    inline namespaces below them may come in front.
    """
    words = _NAMESPACES.sub("", spelling).split()
    return _TYPES.get(" ".join(words)) or _NUMBERS.get(tuple(sorted(words)))


def instance(template: str, arguments: tuple[Type | int, ...]) -> Type | None:
    """Returns the type of a class template of libcu++ for these arguments, or None."""
    match _NAMESPACES.sub("", template), arguments:
        case "complex", (Scalar(kind=NumberKind.FLOATING) as part,):
            return struct_of(
                f"cuda::std::complex<{part.name}>",
                (("real", part), ("imag", part)),
                2 * part.size,
            )
        case "array", (element, int(count)) if count > 0 and not isinstance(element, int):
            array = ("elements", Array(element, count))
            return struct_of(f"cuda::std::array<{element.name}, {count}>", (array,))
    return None


_NAMESPACES = re.compile(r"^\s*(?:::)?(?:(?:cuda::)?std::|thrust::)?(?:(?:__\w*\d|_V_\w+)::)?")

# NVRTC follows the host: `long` is 64 bits wide on Linux, 32 on Windows.
_WINDOWS = sys.platform == "win32"
_LONG = 4 if _WINDOWS else 8

BOOL = Scalar("bool", "bool", 1, NumberKind.BOOLEAN)
CHAR = Scalar("char", "int8", 1, _SIGNED)
INT = Scalar("int", "int32", 4, _SIGNED)
UNSIGNED = Scalar("unsigned int", "uint32", 4, _UNSIGNED)
HALF = Scalar("__half", "float16", 2, _FLOATING)
BFLOAT16 = Scalar("__nv_bfloat16", "bfloat16", 2, _FLOATING)
FLOAT = Scalar("float", "float32", 4, _FLOATING)
DOUBLE = Scalar("double", "float64", 8, _FLOATING)
_E4M3 = Scalar("__nv_fp8_e4m3", "float8_e4m3fn", 1, _FLOATING)
_E5M2 = Scalar("__nv_fp8_e5m2", "float8_e5m2", 1, _FLOATING)
_SCHAR = Scalar("signed char", "int8", 1, _SIGNED)
_UCHAR = Scalar("unsigned char", "uint8", 1, _UNSIGNED)
_SHORT = Scalar("short", "int16", 2, _SIGNED)
_USHORT = Scalar("unsigned short", "uint16", 2, _UNSIGNED)
_LONG_INT = Scalar("long", f"int{8 * _LONG}", _LONG, _SIGNED)
_ULONG = Scalar("unsigned long", f"uint{8 * _LONG}", _LONG, _UNSIGNED)
_LONG_LONG = Scalar("long long", "int64", 8, _SIGNED)
_ULONG_LONG = Scalar("unsigned long long", "uint64", 8, _UNSIGNED)
_INT64, _UINT64 = (_LONG_LONG, _ULONG_LONG) if _WINDOWS else (_LONG_INT, _ULONG)

_INTEGERS = (
    ("short", _SHORT, _USHORT),
    ("", INT, UNSIGNED),
    ("long", _LONG_INT, _ULONG),
    ("long long", _LONG_LONG, _ULONG_LONG),
)


def _spelt() -> Iterator[tuple[str, Scalar]]:
    for width, signed, unsigned in _INTEGERS:
        for word in ("", "int"):
            yield f"{width} {word}", signed
            yield f"signed {width} {word}", signed
            yield f"unsigned {width} {word}", unsigned
    for scalar in (BOOL, CHAR, _SCHAR, _UCHAR, FLOAT, DOUBLE):
        yield scalar.name, scalar


# By their words in alphabetical order, as C++ lets them be in any.
_NUMBERS = {tuple(sorted(spelling.split())): scalar for spelling, scalar in _spelt()}
_NUMBERS.pop(())

_SIZED = {"int8": _SCHAR, "int16": _SHORT, "int32": INT, "int64": _INT64} | {
    "uint8": _UCHAR,
    "uint16": _USHORT,
    "uint32": UNSIGNED,
    "uint64": _UINT64,
}
_WCHAR = ("uint16", 2, _UNSIGNED) if _WINDOWS else ("int32", 4, _SIGNED)
_ALIASES: dict[str, Type] = {
    "size_t": _UINT64,
    "ptrdiff_t": _INT64,
    "intptr_t": _INT64,
    "uintptr_t": _UINT64,
    "intmax_t": _INT64,
    "uintmax_t": _UINT64,
    "byte": _UCHAR,
    "wchar_t": Scalar("wchar_t", *_WCHAR),
    "char8_t": Scalar("char8_t", "uint8", 1, _UNSIGNED),
    "char16_t": Scalar("char16_t", "uint16", 2, _UNSIGNED),
    "char32_t": Scalar("char32_t", "uint32", 4, _UNSIGNED),
    "__int128": Opaque("__int128", 16, 16),
    "__int128_t": Opaque("__int128", 16, 16),
    "__uint128_t": Opaque("unsigned __int128", 16, 16),
    "unsigned __int128": Opaque("unsigned __int128", 16, 16),
    "__half": HALF,
    "half": HALF,
    "__nv_bfloat16": BFLOAT16,
    "nv_bfloat16": BFLOAT16,
    "__nv_fp8_e4m3": _E4M3,
    "__nv_fp8_e5m2": _E5M2,
    "cudaTextureObject_t": Handle(HandleKind.TEXTURE),
    "cudaSurfaceObject_t": Handle(HandleKind.SURFACE),
    "CUtexObject": Handle(HandleKind.TEXTURE),
    "CUsurfObject": Handle(HandleKind.SURFACE),
}
_ALIASES |= {f"{name}_t": scalar for name, scalar in _SIZED.items()}

_VECTOR_ELEMENTS = {
    "char": _SCHAR,
    "uchar": _UCHAR,
    "short": _SHORT,
    "ushort": _USHORT,
    "int": INT,
    "uint": UNSIGNED,
    "long": _LONG_INT,
    "ulong": _ULONG,
    "longlong": _LONG_LONG,
    "ulonglong": _ULONG_LONG,
    "float": FLOAT,
    "double": DOUBLE,
}
_WIDEST_VECTOR = 16


def _vector(name: str, element: Scalar, count: int, align: int | None = None) -> Struct:
    # Three elements are aligned as one; others as a whole, as far as one access reaches.
    usual = element.size if count == 3 else min(element.size * count, _WIDEST_VECTOR)
    return struct_of(name, ((axis, element) for axis in "xyzw"[:count]), align or usual)


_VECTORS: dict[str, Type] = {
    f"{name}{count}": _vector(f"{name}{count}", element, count)
    for name, element in _VECTOR_ELEMENTS.items()
    for count in (1, 2, 3, 4)
}
_VECTORS |= {
    f"{name}4_{align}a": _vector(f"{name}4_{align}a", element, 4, align)
    for name, element in _VECTOR_ELEMENTS.items()
    for align in (16, 32)
    if element.size == 8
}
_VECTORS |= {
    "dim3": _vector("dim3", UNSIGNED, 3),
    "__half2": _vector("__half2", HALF, 2),
    "__nv_bfloat162": _vector("__nv_bfloat162", BFLOAT16, 2),
    "__nv_fp8x2_e4m3": _vector("__nv_fp8x2_e4m3", _E4M3, 2),
    "__nv_fp8x4_e4m3": _vector("__nv_fp8x4_e4m3", _E4M3, 4),
    "__nv_fp8x2_e5m2": _vector("__nv_fp8x2_e5m2", _E5M2, 2),
    "__nv_fp8x4_e5m2": _vector("__nv_fp8x4_e5m2", _E5M2, 4),
}
_VECTORS |= {
    "half2": _VECTORS["__half2"],
    "nv_bfloat162": _VECTORS["__nv_bfloat162"],
    "cuComplex": _VECTORS["float2"],
    "cuFloatComplex": _VECTORS["float2"],
    "cuDoubleComplex": _VECTORS["double2"],
}

_TYPES = _ALIASES | _VECTORS

PTX_SCALARS = {
    "u8": _UCHAR,
    "s8": _SCHAR,
    "b8": _UCHAR,
    "u16": _USHORT,
    "s16": _SHORT,
    "b16": _USHORT,
    "u32": UNSIGNED,
    "s32": INT,
    "b32": UNSIGNED,
    "u64": _ULONG_LONG,
    "s64": _LONG_LONG,
    "b64": _ULONG_LONG,
    "f16": HALF,
    "bf16": BFLOAT16,
    "f32": FLOAT,
    "f64": DOUBLE,
}
"""The number that a type of PTX most likely is, by its name without the dot."""

LLVM_SCALARS = {
    "i1": BOOL,
    "i8": _SCHAR,
    "i16": _SHORT,
    "i32": INT,
    "i64": _LONG_LONG,
    "half": HALF,
    "bfloat": BFLOAT16,
    "float": FLOAT,
    "double": DOUBLE,
}
"""The number that a type of LLVM IR most likely is."""
