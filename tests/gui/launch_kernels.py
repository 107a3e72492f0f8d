"""Kernels to fill in, as a build would find them."""

from jitstudio.core.launch.request import FormParameter, KernelForm, ParameterSlot
from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer
from jitstudio.core.launch.types import Field, NumberKind, Opaque, Pointer, Scalar, Struct

FLOAT = Scalar("float", "float32", 4, NumberKind.FLOATING)
INT = Scalar("int", "int32", 4, NumberKind.SIGNED)
PARAMS = Struct("Params", (Field("x", FLOAT, 0), Field("y", INT, 4)), 8, 4)

A = FormParameter("a", FLOAT, ParameterSlot(0, 4, 4), "T")
X = FormParameter("x", Pointer(FLOAT, const=True), ParameterSlot(8, 8, 8), "const T*")
Y = FormParameter("y", Pointer(FLOAT), ParameterSlot(16, 8, 8), "T*")
N = FormParameter("n", INT, ParameterSlot(24, 4, 4), "int")
STRUCT = FormParameter("params", PARAMS, ParameterSlot(28, 8, 4), "Params")
BYTES = FormParameter("arg0", Opaque("unknown", 12, 4), ParameterSlot(0, 12, 4))

SAXPY = KernelForm("_Z5saxpyIfE", "saxpy<float>", (A, X, Y, N), module="saxpy.cu", line=7)
SAXPY_DOUBLE = KernelForm("_Z5saxpyIdE", "saxpy<double>", (A, X, Y, N), module="saxpy.cu", line=7)
APPLY = KernelForm(
    "apply",
    "apply",
    (Y, STRUCT),
    notes=("The source gives 'params' 12 bytes, the PTX gives it 8.",),
    block_hint=128,
    cluster=(2, 1, 1),
)
TICK = KernelForm("tick", "tick", ())

SAXPY_TEXTS = {"a": "2.0f", "x": "n:random(1)", "y": "n:zeros:out", "n": "1024"}

FULL = LaunchSpec(
    kernel="saxpy<float>",
    arguments=tuple(SAXPY_TEXTS.items()),
    grid="4,4",
    cover="",
    block="64",
    cluster="2",
    shared="48*1024",
    cooperative=True,
    load=LoadMode.DRIVER_JIT,
    warmup=3,
    repeats=0,
    flush_l2=True,
    expectations=("y = a * x + y",),
    relative=1e-3,
    absolute=0.0,
    integer_tolerance=2,
    poison=False,
    guards=False,
    sanitizer=Sanitizer.RACECHECK,
    timeout=2.5,
    blocks=3,
    seed=5,
    seeds=2,
    both=True,
)
