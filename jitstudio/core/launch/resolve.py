"""From the user's texts to a launch that can be carried out.

What is wrong becomes problems, all of them at once, never an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TypeVar

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.argument_values import Arguments, arguments_of
from jitstudio.core.launch.arguments import unread_contents
from jitstudio.core.launch.choice import Launchable
from jitstudio.core.launch.device import Device, DeviceList, Dim3
from jitstudio.core.launch.expectations import expectations_of
from jitstudio.core.launch.faults import SpecFaults
from jitstudio.core.launch.fitting import largest_fitting
from jitstudio.core.launch.host_needs import host_problems
from jitstudio.core.launch.limits import code_problems, config_problems
from jitstudio.core.launch.problems import (
    SpecProblem,
    TextError,
    argument_place,
    in_bytes,
    listing,
    parts,
)
from jitstudio.core.launch.request import (
    Buffer,
    Direction,
    KernelForm,
    LaunchConfig,
    LaunchRequest,
)
from jitstudio.core.launch.spec import LaunchSpec, RunSettings
from jitstudio.core.launch.types import Array, Scalar
from jitstudio.core.launch.values import Number, integer

_T = TypeVar("_T")


_AXES = 3


@dataclass(frozen=True)
class Geometry:
    """The number of threads, and the memory that the threads share, as far as known.

    Attributes:
        config: With a single block, or a single thread, where nobody knows how many.
        complete: Whether all of it is known.
        has_block: Whether the threads of a block and their shared memory are.
    """

    config: LaunchConfig
    complete: bool
    has_block: bool


def geometry(
    spec: LaunchSpec, form: KernelForm, names: Mapping[str, Number], faults: SpecFaults
) -> Geometry:
    """Returns the configuration of a launch, as far as the texts make sense.

    A cluster that the kernel itself declares is not repeated in it.

    Args:
        spec: The user's texts.
        form: The kernel.
        names: The arguments that may occur in expressions.
        faults: Takes what is wrong.
    """
    block = faults.attempt("block", lambda: dims("block", spec.block, names))
    cluster = faults.attempt("cluster", lambda: _cluster(spec, form, names))
    shared = faults.attempt("shared", lambda: integer(spec.shared or "0", names))
    grid = _grid(spec, form, block, form.cluster or cluster or (1, 1, 1), names, faults)
    known = LaunchConfig(
        grid or (1, 1, 1), block or (1, 1, 1), cluster, shared or 0, spec.cooperative
    )
    has_block = None not in (block, shared)
    return Geometry(known, has_block and grid is not None, has_block)


def dims(what: str, text: str, names: Mapping[str, Number]) -> Dim3:
    """Reads ``x``, ``x,y`` or ``x,y,z``.

    Raises:
        TextError: It is none of these, or one of the numbers is below 1.
    """
    numbers = [integer(part, names) for part in parts(text)]
    if not 1 <= len(numbers) <= _AXES:
        raise TextError(
            f"A {what} has one to three numbers, '{text.strip()}' has {len(numbers)}.",
            "Write x or x,y or x,y,z, such as 256 or 16,16.",
        )
    if min(numbers) < 1:
        raise TextError(f"A {what} of {min(numbers):,} makes no sense; the least is 1.")
    x, y, z = (*numbers, 1, 1)[:_AXES]
    return x, y, z


def _cluster(spec: LaunchSpec, form: KernelForm, names: Mapping[str, Number]) -> Dim3 | None:
    if not spec.cluster.strip():
        return None
    cluster = dims("cluster", spec.cluster, names)
    if form.cluster is None:
        return cluster
    if cluster != form.cluster:
        declared = ",".join(map(str, form.cluster))
        raise TextError(
            f"The kernel declares clusters of {declared}, which a launch cannot change.",
            f"Write {declared} or nothing, or change __cluster_dims__.",
        )
    return None


_ANY_GRID = "Write a grid such as 128, or a cover such as n for one thread per element."
_TILE_GRID = "Write a grid such as 128: a block for each tile, however many elements that has."


def _grid(
    spec: LaunchSpec,
    form: KernelForm,
    block: Dim3 | None,
    cluster: Dim3,
    names: Mapping[str, Number],
    faults: SpecFaults,
) -> Dim3 | None:
    grid, cover = spec.grid.strip(), spec.cover.strip()
    if grid and cover:
        faults.add(
            SpecProblem(
                "grid", f"Both a grid of {grid} and a cover of {cover} are given.", "Empty one."
            )
        )
    elif grid:
        return faults.attempt("grid", lambda: dims("grid", grid, names))
    elif not cover:
        faults.add(
            SpecProblem(
                "grid",
                "Nothing says how many blocks there are.",
                _TILE_GRID if form.block else _ANY_GRID,
            )
        )
    covered = faults.attempt("cover", lambda: dims("cover", cover, names)) if cover else None
    if grid or covered is None or block is None:
        return None
    x, y, z = map(_blocks, covered, block, cluster)
    return x, y, z


def _blocks(covered: int, threads: int, cluster: int) -> int:
    """Returns as many blocks as cover so many elements, in whole clusters."""
    blocks = -(-covered // threads)
    return -(-blocks // cluster) * cluster


_MOST_LAUNCHES = 1_000_000
_MOST_SEEDS = 1_000
_WITHOUT_GRID = frozenset({"block", "shared"})


@dataclass(frozen=True)
class ResolvedSpec:
    """The result of resolving a spec.

    Attributes:
        request: The launch; None where a problem forbids it.
        problems: Errors and warnings.
        config: How many threads there would be; None where that cannot be known.
    """

    request: LaunchRequest | None
    problems: tuple[SpecProblem, ...]
    config: LaunchConfig | None = None


def resolve(
    spec: LaunchSpec,
    kernel: Launchable,
    devices: DeviceList,
    device: int | None,
    *,
    folder: str = "",
) -> ResolvedSpec:
    """Returns the launch that a spec describes, with all problems.

    Args:
        spec: The user's texts.
        kernel: The kernel to launch.
        devices: The GPUs.
        device: The ordinal of the one to use; None for a launch elsewhere, of which only the GPU's
            limits remain to be looked at.
        folder: Where relative paths of files start; empty for the working directory.
    """
    faults, form = SpecFaults(), kernel.form
    gpu = None
    if device is not None:
        gpu = faults.attempt("device", lambda: _device(devices, device))
    if gpu and not gpu.is_simulated:
        faults.add(*code_problems(kernel.code, gpu, devices.driver_version, kernel.arch))
    if not form.complete:
        message = f"Not all parameters of {form.title} are known."
        faults.add(SpecProblem("kernel", message, " ".join(form.notes)))
    arguments = arguments_of(form, spec.arguments, folder, faults)
    shape = geometry(spec, form, arguments.names, faults)
    config = shape.config if shape.complete else None
    if gpu:
        clustered = replace(shape.config, cluster=shape.config.cluster or form.cluster)
        problems = config_problems(clustered, gpu, kernel.facts, form.block_hint)
        problems += tuple(host_problems(clustered, gpu, kernel.facts, form.needs))
        problems += tuple(_required_block(form, shape.config))
        # Of an unknown grid there is nothing to be said.
        faults.add(*(p for p in problems if shape.complete or p.where in _WITHOUT_GRID))
    if gpu:
        faults.add(*_memory_problems(spec, form, folder, arguments, gpu))
    expectations = expectations_of(spec, form, arguments.values, faults)
    faults.add(*_number_problems(spec), *_unread(spec, form))
    if faults.fatal or config is None:
        return ResolvedSpec(None, tuple(faults.problems), config)
    other = kernel.counterpart
    loading = None if gpu is None or gpu.is_simulated else gpu
    if (
        other
        and loading
        and any(code_problems(other, loading, devices.driver_version, kernel.arch))
    ):
        # The driver's compiler makes code for GPUs that the cubin was not built for.
        kernel = replace(kernel, counterpart=None)
    request = replace(
        _request(spec, kernel, config),
        device=device or 0,
        arguments=arguments.values,
        expectations=expectations,
    )
    return ResolvedSpec(request, tuple(faults.problems), config)


def _required_block(form: KernelForm, config: LaunchConfig) -> Iterator[SpecProblem]:
    """Yields the problem of a block that is smaller than the kernel's code requires."""
    if form.block and config.threads_per_block < form.block:
        message = f"The code of {form.title} is for blocks of {form.block} threads, no fewer."
        yield SpecProblem("block", message, f"Use {form.block}.")


def _request(spec: LaunchSpec, kernel: Launchable, config: LaunchConfig) -> LaunchRequest:
    """Returns the parts of a request that need no arguments."""
    form = kernel.form
    return LaunchRequest(
        code=kernel.code.content,
        code_kind=kernel.code.kind,
        counterpart=kernel.counterpart.content if kernel.counterpart else b"",
        confined_to=kernel.confined_to,
        sources=kernel.sources,
        kernel=form.lowered,
        title=form.title,
        device=0,
        arguments=(),
        parameter_bytes=max((p.slot.offset + p.slot.size for p in form.parameters), default=0),
        config=config,
        **{option.name: getattr(spec, option.name) for option in fields(RunSettings)},
    )


def _device(devices: DeviceList, ordinal: int) -> Device:
    for device in devices.choices:
        if device.ordinal == ordinal:
            return device
    if devices.problem:
        raise TextError(devices.problem)
    known = listing(f"{device.ordinal} ({device.name})" for device in devices.devices)
    raise TextError(f"There is no GPU {ordinal}.", f"Known here: {known}.")


def _buffers(arguments: Arguments) -> tuple[Buffer, ...]:
    return tuple(a for a in arguments.values if isinstance(a, Buffer))


def _bytes_of(buffers: Iterable[Buffer]) -> int:
    # What is read and written is kept a second time, to be put back before each launch.
    return sum(b.bytes * (2 if b.direction is Direction.INOUT else 1) for b in buffers)


def _memory_problems(
    spec: LaunchSpec, form: KernelForm, folder: str, arguments: Arguments, device: Device
) -> Iterator[SpecProblem]:
    buffers = _buffers(arguments)
    needed = _bytes_of(buffers)
    free = device.memory if device.memory_free is None else device.memory_free
    if needed <= free:
        return
    total = needed > device.memory
    has = f"{in_bytes(device.memory)}" if total else f"{in_bytes(free)} free"
    largest = max(buffers, key=lambda buffer: buffer.bytes)

    def fits(name: str, value: int) -> bool:
        texts = tuple((n, str(value) if n == name else text) for n, text in spec.arguments)
        return _bytes_of(_buffers(arguments_of(form, texts, folder, SpecFaults()))) <= free

    fitting = largest_fitting(arguments.names, fits)
    yield SpecProblem(
        argument_place(largest.name),
        f"The buffers need {in_bytes(needed)}, {in_bytes(largest.bytes)} of them for "
        f"{largest.name}; {device.name} has {has}.",
        fitting.words if fitting else "Use shorter buffers, or a GPU with more memory.",
        # The figure is a moment old, and what the last launch holds is given back first.
        Severity.ERROR if total else Severity.WARNING,
        fitting.fix if fitting else None,
    )


def _unread(spec: LaunchSpec, form: KernelForm) -> Iterator[SpecProblem]:
    for row in unread_contents(form, spec.arguments):
        match row.type:
            case Array():
                holds = "random numbers"
            case Scalar():
                holds = "what it is declared with"
            case _:
                holds = "what its row begins with"
        yield SpecProblem(
            argument_place(row.name),
            f"Only a run of the host code would show what it copies to '{row.name}': "
            f"here it holds {holds}.",
            "Fill its row, or use --set, if the result depends on it.",
            Severity.INFO,
        )


def _number_problems(spec: LaunchSpec) -> Iterator[SpecProblem]:
    if spec.blocks < 0:
        message = f"{spec.blocks:,} blocks cannot be simulated; 0 means all."
        yield SpecProblem("blocks", message)
    if spec.seed < 0:
        yield SpecProblem("seed", f"A seed of {spec.seed:,} makes no sense; the least is 0.")
    if not 1 <= spec.seeds <= _MOST_SEEDS:
        message = f"{spec.seeds:,} orders make no sense here: from 1 to {_MOST_SEEDS:,}."
        yield SpecProblem("seeds", message)
    for where in ("warmup", "repeats"):
        count = getattr(spec, where)
        if not 0 <= count <= _MOST_LAUNCHES:
            message = f"{count:,} launches make no sense here: from 0 to {_MOST_LAUNCHES:,}."
            yield SpecProblem(where, message)
    for where in ("relative", "absolute"):
        tolerance = getattr(spec, where)
        if not (math.isfinite(tolerance) and tolerance >= 0):
            yield SpecProblem(where, f"A tolerance of {tolerance} makes no sense; the least is 0.")
    if not 0 <= spec.integer_tolerance < 1 << 64:
        message = f"A tolerance of {spec.integer_tolerance:,} makes no sense for integers."
        yield SpecProblem("integer_tolerance", message, "Write 0 to compare them exactly.")
    if not (math.isfinite(spec.timeout) and spec.timeout > 0):
        message = f"A time limit of {spec.timeout} seconds makes no sense."
        yield SpecProblem("timeout", message, "Write the seconds that one launch may take.")
