"""Types as the signatures of kernels give them."""

from jitstudio.core.launch.c_types import instance
from jitstudio.core.launch.types import Array, Field, NumberKind, Opaque, Scalar, Struct

FLOAT = Scalar("float", "float32", 4, NumberKind.FLOATING)
DOUBLE = Scalar("double", "float64", 8, NumberKind.FLOATING)
HALF = Scalar("__half", "float16", 2, NumberKind.FLOATING)
BFLOAT = Scalar("__nv_bfloat16", "bfloat16", 2, NumberKind.FLOATING)
FP8 = Scalar("__nv_fp8_e4m3", "float8_e4m3fn", 1, NumberKind.FLOATING)
INT = Scalar("int", "int32", 4, NumberKind.SIGNED)
CHAR = Scalar("signed char", "int8", 1, NumberKind.SIGNED)
UCHAR = Scalar("unsigned char", "uint8", 1, NumberKind.UNSIGNED)
UINT = Scalar("unsigned int", "uint32", 4, NumberKind.UNSIGNED)
LONG = Scalar("long long", "int64", 8, NumberKind.SIGNED)
ULONG = Scalar("unsigned long long", "uint64", 8, NumberKind.UNSIGNED)
BOOL = Scalar("bool", "bool", 1, NumberKind.BOOLEAN)
INT128 = Scalar("__int128", "int128", 16, NumberKind.SIGNED)
UNKNOWN = Opaque("Unknown", 12, 4)


def vector(name, lane, count):
    fields = (Field("xyzw"[n], lane, n * lane.size) for n in range(count))
    return Struct(name, tuple(fields), lane.size * count, lane.size)


FLOAT2 = vector("float2", FLOAT, 2)
FLOAT3 = vector("float3", FLOAT, 3)
FLOAT4 = vector("float4", FLOAT, 4)
BFLOAT2 = vector("__nv_bfloat162", BFLOAT, 2)

PARTICLE = Struct(
    "Particle",
    (Field("id", INT, 0), Field("at", FLOAT3, 4), Field("mass", BFLOAT, 16)),
    size=20,
    align=4,
)
PAIR = Struct("Pair", (Field("a", INT, 0), Field("b", DOUBLE, 8)), size=16, align=8)
COMPLEX, COMPLEX_FLOAT = (instance("complex", (part,)) for part in (DOUBLE, FLOAT))
ROW = Array(FLOAT, 5)
