"""Launches as a GPU leaves them, with buffers in files, for the tests of the launch panel."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from jitstudio.core.arch import Arch
from jitstudio.core.axes import Axis, AxisKind
from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.judging import judged
from jitstudio.core.launch.request import Direction, LaunchConfig, LaunchRequest
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    KernelFacts,
    LaunchOutcome,
    LaunchResult,
    Mismatch,
    OutOfBoundsWrite,
    SanitizerFinding,
    Timing,
)
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.types import Field, NumberKind, Scalar, Struct, Type
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult, Kernel, Outcome, Resources
from jitstudio.numerics.dtypes import numpy_dtype, save_buffer
from jitstudio.variants.plan import Variant
from jitstudio.variants.rows import VariantRow, VariantTable
from tests.devices import H200

FLOAT = Scalar("float", "float32", 4, NumberKind.FLOATING)
INT = Scalar("int", "int32", 4, NumberKind.SIGNED)
UCHAR = Scalar("unsigned char", "uint8", 1, NumberKind.UNSIGNED)
BFLOAT = Scalar("__nv_bfloat16", "bfloat16", 2, NumberKind.FLOATING)
FLOAT4 = Struct("float4", tuple(Field(n, FLOAT, 4 * i) for i, n in enumerate("xyzw")), 16, 16)
PARTICLE = Struct(
    "Particle", (Field("place", FLOAT4, 0), Field("id", INT, 16), Field("kind", UCHAR, 20)), 32, 16
)
UNWRITTEN = b"\xcb"

FACTS = KernelFacts(32, 4096, 0, 0, 1024, 90, 90, (), 8, 1.0, 1024)
SAMPLES = tuple(0.4123 + 0.0007 * (n * 37 % 23) + (0.05 if n % 41 == 7 else 0) for n in range(100))
RAN = LaunchResult(
    LaunchOutcome.RAN,
    "saxpy<float>",
    H200.name,
    FACTS,
    Timing(SAMPLES),
    checks=(CheckResult("out", "a * x + y", True, 4096, 0, 1.2e-7, 6.1e-8),),
    console="block 0 says 1\nblock 1 says 2\n",
    moved_bytes=3 * (1 << 29),
    start_ms=3.21,
    total_ms=57.4,
)
REQUEST = LaunchRequest(b"", CodeKind.CUBIN, "_Z5saxpy", RAN.kernel, 0, (), 0, LaunchConfig())


def as_judged(result: LaunchResult, **found: object) -> LaunchResult:
    """The result as the launcher gives it, with this in it."""
    return judged(REQUEST, replace(result, **found))


MISMATCHES = (Mismatch((5,), "6.5", "5.5"), Mismatch((4000,), "nan", "4000.5"))
WRONG = as_judged(
    RAN,
    checks=(
        CheckResult("out", "a * x + y", False, 4096, 12, 1.0, 0.181818, MISMATCHES),
        CheckResult("sum", "np.sum(x)", True, 1, 0, 0.0, 0.0),
        CheckResult("other", "x[:7]", False, problem="7 values were expected for 8 elements."),
    ),
    findings=(
        SanitizerFinding(
            "Invalid __global__ read of size 4 bytes", "saxpy<float>", "saxpy.cu", 12, 32
        ),
        SanitizerFinding("Race reported between Write access and Read access", "saxpy<float>"),
    ),
    jit_log="ptxas info    : 0 bytes gmem\n",
)
FAILED = LaunchResult(
    LaunchOutcome.FAILED,
    "saxpy<float>",
    H200.name,
    FACTS,
    diagnostics=(
        Diagnostic(
            Severity.ERROR,
            "saxpy.cu",
            12,
            None,
            "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)",
            None,
            explanation="The kernel read or wrote an address that belongs to no buffer. "
            "Compare its indices with the lengths of the buffers.",
        ),
    ),
    total_ms=12.5,
)


def buffer(
    folder: Path, name: str, element: Type, values: object, direction=Direction.OUT, **more: object
) -> BufferResult:
    """A buffer with these values, in a file as a launch leaves it."""
    array = np.asarray(values, numpy_dtype(element).base)
    path = folder / f"{name}.npy"
    save_buffer(path, array)
    return BufferResult(name, element, len(array), direction, str(path), **more)


def vector(folder: Path, length: int = 4096, unwritten: int = 0) -> BufferResult:
    """A rising line as floats whose end was never written."""
    values = np.arange(length, dtype=np.float32) + 0.5
    first = length - unwritten
    values[first:] = np.frombuffer(UNWRITTEN * 4, np.float32)[0]
    told = {"unwritten": unwritten, "first_unwritten": first} if unwritten else {"unwritten": 0}
    return buffer(folder, "out", FLOAT, values, **told)


def lanes(folder: Path, length: int = 1000) -> BufferResult:
    """Vectors of four floats."""
    values = np.arange(4 * length, dtype=np.float32).reshape(length, 4) / 8
    return buffer(folder, "places", FLOAT4, values, Direction.INOUT)


def particles(folder: Path, length: int = 10) -> BufferResult:
    """Structs with members of several types."""
    values = np.zeros(length, numpy_dtype(PARTICLE))
    values["place"] = np.arange(4 * length).reshape(length, 4)
    values["id"] = -np.arange(length)
    values["kind"] = 200
    return buffer(folder, "particles", PARTICLE, values, Direction.IN)


def picture(folder: Path, width: int = 64, height: int = 48) -> BufferResult:
    """Bytes that are an image: rings."""
    y, x = np.mgrid[0:height, 0:width]
    rings = 127.5 + 127.5 * np.sin(np.hypot(x - width / 2, y - height / 2) / 3)
    return buffer(folder, "image", UCHAR, rings.astype(np.uint8).ravel())


STRAYS = (OutOfBoundsWrite(False, 4, 12), OutOfBoundsWrite(True, 0, 1))


def with_buffers(folder: Path, result: LaunchResult = RAN) -> LaunchResult:
    """A launch with a buffer of each sort."""
    out = replace(vector(folder, unwritten=1024), strays=STRAYS)
    kept = (out, lanes(folder), particles(folder), picture(folder, 512, 384))
    return replace(result, buffers=(*kept, BufferResult("nothing", FLOAT, 0, Direction.IN)))


_SAXPY = Kernel("saxpy.cu", "saxpy", "saxpy", Resources(registers=32, spill_stores=0))


def sweep() -> VariantTable:
    """Block sizes by types; one variant is wrong and one did not build."""
    blocks, types = ("64", "128", "256", "512", "1024"), ("float", "double")
    axes = (Axis(AxisKind.BLOCK, blocks), Axis(AxisKind.TEMPLATE, types, "T"))
    build, spec = BuildRequest(()), LaunchSpec()
    rows = []
    for index, values in enumerate(product(blocks, types)):
        variant = Variant(index, values, f"block={values[0]} T={values[1]}", build, spec)
        time = (2.0 if values[1] == "double" else 1.0) * (0.4 + abs(index // 2 - 2) * 0.05)
        row = VariantRow(
            variant,
            "ran",
            result=BuildResult(Outcome.BUILT, Arch(90), kernels=(_SAXPY,), total_ms=90.0),
            kernel="saxpy",
            occupancy=0.75,
            occupancy_source="driver",
            median_ms=time,
            minimum_ms=time,
            bandwidth=3e12,
            check=True,
            device=H200.name,
            site="here",
        )
        rows.append(row)
    rows[1] = replace(rows[1], outcome="wrong", message="12 of 4,096 are wrong.", check=False)
    rows[9] = VariantRow(rows[9].variant, "build-failed", "no instance of T matches")
    return VariantTable(axes, tuple(rows), 4000.0)
