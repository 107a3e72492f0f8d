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
from jitstudio.numerics.dtypes import numpy_dtype, shape_of
from jitstudio.simulator.machine import simulate
from jitstudio.simulator.memory import place
from jitstudio.simulator.model import (
    Allocation,
    BoundTexels,
    Observer,
    SimulatedLaunch,
    SimulationOutcome,
    SimulationResult,
)
from jitstudio.simulator.reading import read_program
from tests.support import cuda, request

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
    parameters = bytearray()
    waiting = (handles.get(at, at) for at in addresses)
    for argument in arguments:
        is_array = isinstance(argument, np.ndarray)
        data = np.uint64(next(waiting)).tobytes() if is_array else argument.tobytes()
        align = len(data) & -len(data)
        parameters += bytes(-len(parameters) % align) + data
    data = bytes(parameters)
    return SimulatedLaunch(kernel, grid, block, data, allocations, bound, **options)


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


def kernel_of(body: str, *parameters: str, before: str = "") -> str:
    """A module with one kernel ``k`` around a few lines."""
    declared = ", ".join(f".param .{kind} k_{i}" for i, kind in enumerate(parameters))
    return f"{HEAD}{before}\n.visible .entry k({declared})\n{{\n{body}\nret;\n}}\n"
