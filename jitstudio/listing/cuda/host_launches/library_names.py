"""Names of the headers of C, C++ and CUDA that matter to sizes and arguments of launches."""

from __future__ import annotations

import re

CONSTANTS: dict[str, int | float] = {
    "INT_MIN": -(1 << 31),
    "INT_MAX": (1 << 31) - 1,
    "UINT_MAX": (1 << 32) - 1,
    "INT64_MIN": -(1 << 63),
    "INT64_MAX": (1 << 63) - 1,
    "SIZE_MAX": (1 << 64) - 1,
    "FLT_MAX": 3.4028234663852886e38,
    "FLT_MIN": 1.1754943508222875e-38,
    "DBL_MAX": 1.7976931348623157e308,
}
VECTOR = re.compile(r"(?:make_)?(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]")
# Methods that give numbers, and no memory.
COUNTING = frozenset(
    {
        *("size", "length", "count", "bytes", "size_bytes", "capacity", "extent", "stride"),
        *("rows", "cols", "width", "height", "depth", "pitch", "elements", "numel", "dim"),
    }
)
# Two numbers of 16 bits of one number, or of two.
HALVES = frozenset(
    {
        *("__float2half2_rn", "__half2half2", "__floats2half2_rn", "__halves2half2", "make_half2"),
        *("__float2bfloat162_rn", "__floats2bfloat162_rn", "__bfloat162bfloat162"),
        *("__halves2bfloat162", "make_bfloat162"),
    }
)
CASTS = frozenset(
    {
        *("static_cast", "reinterpret_cast", "const_cast", "int", "unsigned", "size_t"),
        *("forward", "move", "__float2half", "__float2half_rn", "__double2half"),
        *("__float2bfloat16", "__float2bfloat16_rn", "__double2bfloat16"),
    }
)
# Of types whose headers come with no source: bytes, as curand_kernel.h of cuRAND 10 has them.
LIBRARY_SIZES = {
    **dict.fromkeys(("curandState", "curandState_t", "curandStateXORWOW_t"), 48),
    "curandStatePhilox4_32_10_t": 64,
}


def tuple_name(kind: str) -> str | None:
    """Returns ``pair`` or ``tuple`` for the type of one."""
    name = kind.removeprefix("const ").partition("<")[0].strip().rpartition("::")[2]
    return name if name in ("pair", "tuple") else None
