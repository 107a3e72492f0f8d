"""Runs PTX and CUDA C++ in the simulator with NumPy arrays as arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.request import Buffer
from jitstudio.core.launch.texel_text import texel_buffer
from jitstudio.core.launch.types import Handle, HandleKind
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.running.simulate import simulate
from jitstudio.simulator.state.memory import place
from jitstudio.simulator.state.model import (
    Allocation,
    BoundTexels,
    Observer,
    SimulatedLaunch,
    SimulationOutcome,
    SimulationResult,
)

program_of = lru_cache(maxsize=8)(read_program)


@dataclass(frozen=True)
class Simulated:
    """What came of a launch, with the arrays after it."""

    result: SimulationResult
    arrays: tuple[Any, ...]

    @property
    def messages(self) -> tuple[str, ...]:
        return tuple(fault.message for fault in self.result.faults)


class Texture(np.ndarray):
    """An array that a launch binds as a texture or, where `spec` says so, as a surface."""

    spec: Buffer


def texture(text: str, content: Any = 0, kind: HandleKind = HandleKind.TEXTURE) -> Texture:
    """Texels that the launch form would make of a text, with this content."""
    # Late: what compares with a GPU has NumPy at times, and no ml_dtypes.
    from jitstudio.numerics.dtypes import numpy_dtype, shape_of

    spec = texel_buffer("image", Handle(kind), 0, text, {}, "")
    held = np.zeros(shape_of(spec.element, spec.length), numpy_dtype(spec.element).base)
    held[...] = np.asarray(content).reshape(held.shape) if np.ndim(content) else content
    made = held.view(Texture)
    made.spec = spec
    return made


def surface(text: str, content: Any = 0) -> Texture:
    """The same as a surface."""
    return texture(text, content, HandleKind.SURFACE)


def ptx_of(tools: Any, text: str, arch: str = "sm_90", *options: str) -> str:
    """The PTX that NVRTC makes of CUDA C++."""
    # Late: what compares with a GPU has no pytest at times.
    from tests.support import cuda, request

    (artifact,) = tools.build(
        request(cuda(text), arch=arch, options=("-lineinfo", *options))
    ).artifacts
    assert artifact.kind is CodeKind.PTX
    return artifact.content.decode()


def launch_of(
    kernel: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    arguments: Sequence[Any],
    unwritten: Sequence[int] = (),
    **options: Any,
) -> SimulatedLaunch:
    """A launch on arrays and NumPy numbers; those of the arrays that nobody has written."""
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    addresses = place([a.nbytes for a in arrays])
    allocations = tuple(
        Allocation(f"array {i}", at, a.nbytes, None if i in unwritten else a.tobytes())
        for i, (at, a) in enumerate(zip(addresses, arrays, strict=True))
    )
    bound = tuple(
        BoundTexels(a.spec.name, handle, at, a.spec.element, a.spec.texels)
        for handle, (a, at) in enumerate(zip(arrays, addresses, strict=True), 1)
        if isinstance(a, Texture)
    )
    handles = {texels.address: texels.handle for texels in bound}
    parameters = parameter_bytes(arguments, [handles.get(at, at) for at in addresses])
    return SimulatedLaunch(kernel, grid, block, parameters, allocations, bound, **options)


def parameter_bytes(arguments: Sequence[Any], addresses: Sequence[int]) -> bytes:
    """The parameters of a launch: for the arrays their addresses or handles, and numbers."""
    parameters = bytearray()
    waiting = iter(addresses)
    for argument in arguments:
        is_array = isinstance(argument, np.ndarray)
        data = np.uint64(next(waiting)).tobytes() if is_array else argument.tobytes()
        align = len(data) & -len(data)
        parameters += bytes(-len(parameters) % align) + data
    return bytes(parameters)


def run(
    ptx: str,
    kernel: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    *arguments: Any,
    observers: Sequence[Observer] = (),
    finishes: bool = True,
    **options: Any,
) -> Simulated:
    """Runs a kernel, which finishes without a fault unless it need not."""
    launch = launch_of(kernel, grid, block, arguments, **options)
    result = simulate(launch, program_of(ptx), observers)
    if finishes:
        assert result.outcome is SimulationOutcome.FINISHED, result.message
        assert result.faults == ()
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    after = (
        np.frombuffer(data, a.dtype).reshape(a.shape)
        for data, a in zip(result.memory, arrays, strict=True)
    )
    return Simulated(result, tuple(after))


HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n"

BITS = {"pred": 8} | {
    f"{letter}{bits}": bits for letter in "busf" for bits in (8, 16, 32, 64)
} | {"bf16": 16, "f16x2": 32, "bf16x2": 32, "u16x2": 32, "s16x2": 32, "f32x2": 64}  # fmt: skip
"""Of each type how an array holds a value; predicates are bytes."""


def kernel_of(body: str, *parameters: str, before: str = "") -> str:
    """A module with one kernel ``k`` around a few lines."""
    declared = ", ".join(f".param .{kind} k_{i}" for i, kind in enumerate(parameters))
    return f"{HEAD}{before}\n.visible .entry k({declared})\n{{\n{body}\nret;\n}}\n"


def elementwise(instruction: str, result: str, sources: Sequence[str], name: str = "k") -> str:
    """A kernel in which each thread of a grid in x does an instruction on its elements.

    Args:
        instruction: With ``%d`` for the result, ``%a %b %c %e`` for sources.
        result: The type of the result; its array is the last parameter.
        sources: The type of each source; theirs are the parameters before.
        name: Of the kernel.
    """
    letters = "abce"[: len(sources)]
    lines = [
        ".reg .b32 %t, %u; .reg .b64 %at, %off;",
        "mov.u32 %t, %ctaid.x; mov.u32 %u, %ntid.x; mul.lo.u32 %t, %t, %u;",
        "mov.u32 %u, %tid.x; add.u32 %t, %t, %u;",
        *(f".reg .{register_of(kind)} %{x};" for x, kind in zip(letters, sources, strict=True)),
        f".reg .{register_of(result)} %d;",
    ]
    for index, (letter, kind) in enumerate(zip(letters, sources, strict=True)):
        lines += _at(f"{name}_{index}", BITS[kind])
        if kind == "pred":
            lines.append(f".reg .b16 %h{letter}; ld.global.u8 %h{letter}, [%at];")
            lines.append(f"setp.ne.u16 %{letter}, %h{letter}, 0;")
        else:
            lines.append(f"ld.global.b{BITS[kind]} %{letter}, [%at];")
    lines += [instruction, *_at(f"{name}_{len(sources)}", BITS[result])]
    if result == "pred":
        lines.append(".reg .b16 %hd; selp.u16 %hd, 1, 0, %d; st.global.u8 [%at], %hd;")
    else:
        lines.append(f"st.global.b{BITS[result]} [%at], %d;")
    declared = ", ".join(f".param .u64 {name}_{i}" for i in range(len(sources) + 1))
    return ".visible .entry {}({})\n{{\n{}\nret;\n}}\n".format(name, declared, "\n".join(lines))


def _at(parameter: str, bits: int) -> list[str]:
    return [
        f"mul.wide.u32 %off, %t, {bits // 8}; ld.param.u64 %at, [{parameter}];",
        "add.s64 %at, %at, %off;",
    ]


def register_of(kind: str) -> str:
    """The type of a register for values of a type."""
    return "pred" if kind == "pred" else f"b{max(BITS[kind], 16)}"
