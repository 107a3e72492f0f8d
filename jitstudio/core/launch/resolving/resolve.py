"""From what the user has written to a launch that can be carried out.

What is wrong becomes problems, all of them at once, never an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial

from jitstudio.core.launch.device import Device, DeviceList
from jitstudio.core.launch.problems import SpecProblem, argument_place
from jitstudio.core.launch.request import (
    Buffer,
    Direction,
    Expectation,
    LaunchConfig,
    LaunchRequest,
)
from jitstudio.core.launch.resolving.arguments import arguments_of
from jitstudio.core.launch.resolving.choice import Launchable
from jitstudio.core.launch.resolving.compatibility import code_problems
from jitstudio.core.launch.resolving.faults import Faults
from jitstudio.core.launch.resolving.geometry import geometry
from jitstudio.core.launch.resolving.limits import config_problems
from jitstudio.core.launch.signature import KernelForm
from jitstudio.core.launch.spec import LaunchSpec, RunOptions
from jitstudio.core.launch.texts.phrases import TextError, in_bytes, listing, unknown
from jitstudio.core.launch.types import Pointer
from jitstudio.core.severity import Severity

_MOST_LAUNCHES = 1_000_000
_WITHOUT_GRID = frozenset({"block", "shared"})
_ASSIGNED = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*=(?!=)\s*(?P<expression>.*)", re.DOTALL)


@dataclass(frozen=True)
class Resolved:
    """What came of a spec.

    Attributes:
        request: The launch; None where a problem forbids it.
        problems: Errors and warnings.
        config: How many threads there would be; None where that cannot be told.
    """

    request: LaunchRequest | None
    problems: tuple[SpecProblem, ...]
    config: LaunchConfig | None = None


def resolve(
    spec: LaunchSpec,
    kernel: Launchable,
    devices: DeviceList,
    device: int,
    *,
    folder: str = "",
) -> Resolved:
    """Find out what a launch is, and all that is wrong with it.

    Args:
        spec: What the user has written.
        kernel: What to launch.
        devices: The GPUs.
        device: The ordinal of the one to use.
        folder: Where relative paths of files start; empty for the working directory.
    """
    faults, form = Faults(), kernel.form
    gpu = faults.attempt("device", lambda: _device(devices, device))
    if gpu:
        faults.add(*code_problems(kernel.code, gpu, devices.driver_version, kernel.arch))
    if not form.complete:
        message = f"Not all parameters of {form.title} are known."
        faults.add(SpecProblem("kernel", message, " ".join(form.notes)))
    arguments = arguments_of(form, spec.arguments, folder, faults)
    made = geometry(spec, form, arguments.names, faults)
    config = made.config if made.complete else None
    if gpu:
        clustered = replace(made.config, cluster=made.config.cluster or form.cluster)
        found = config_problems(clustered, gpu, kernel.facts, form.block_hint)
        # Of a grid that nobody knows there is nothing to be said.
        faults.add(*(p for p in found if made.complete or p.where in _WITHOUT_GRID))
    buffers = tuple(a for a in arguments.found if isinstance(a, Buffer))
    if gpu:
        faults.add(*_memory_problems(buffers, gpu))
    expectations = _expectations(spec, form, buffers, faults)
    faults.add(*_number_problems(spec))
    if faults.fatal or config is None:
        return Resolved(None, tuple(faults.problems), config)
    other = kernel.counterpart
    if other and gpu and any(code_problems(other, gpu, devices.driver_version, kernel.arch)):
        # The driver's compiler makes code for GPUs that the cubin was not built for.
        kernel = replace(kernel, counterpart=None)
    request = replace(
        _request(spec, kernel, config),
        device=device,
        arguments=arguments.found,
        expectations=expectations,
    )
    return Resolved(request, tuple(faults.problems), config)


def _request(spec: LaunchSpec, kernel: Launchable, config: LaunchConfig) -> LaunchRequest:
    """What can be said without the arguments."""
    form = kernel.form
    return LaunchRequest(
        code=kernel.code.content,
        code_kind=kernel.code.kind,
        counterpart=kernel.counterpart.content if kernel.counterpart else b"",
        confined_to=kernel.confined_to,
        kernel=form.lowered,
        title=form.title,
        device=0,
        arguments=(),
        parameter_bytes=max((p.slot.offset + p.slot.size for p in form.parameters), default=0),
        config=config,
        **{option.name: getattr(spec, option.name) for option in fields(RunOptions)},
    )


def _device(devices: DeviceList, ordinal: int) -> Device:
    for found in devices.devices:
        if found.ordinal == ordinal:
            return found
    if devices.problem:
        raise TextError(devices.problem)
    known = listing(f"{found.ordinal} ({found.name})" for found in devices.devices)
    raise TextError(f"There is no GPU {ordinal}.", f"Known here: {known}.")


def _memory_problems(buffers: Sequence[Buffer], device: Device) -> Iterator[SpecProblem]:
    # What is read and written is kept a second time, to be put back before each launch.
    needed = sum(b.bytes * (2 if b.direction is Direction.INOUT else 1) for b in buffers)
    free = device.memory if device.memory_free is None else device.memory_free
    if needed <= free:
        return
    total = needed > device.memory
    has = f"{in_bytes(device.memory)}" if total else f"{in_bytes(free)} free"
    largest = max(buffers, key=lambda buffer: buffer.bytes)
    yield SpecProblem(
        argument_place(largest.name),
        f"The buffers need {in_bytes(needed)}, {in_bytes(largest.bytes)} of them for "
        f"{largest.name}; {device.name} has {has}.",
        "Use shorter buffers, or a GPU with more memory.",
        # The figure is a moment old, and what the last launch holds is given back first.
        Severity.ERROR if total else Severity.WARNING,
    )


def _expectations(
    spec: LaunchSpec, form: KernelForm, buffers: Sequence[Buffer], faults: Faults
) -> tuple[Expectation, ...]:
    known = {buffer.name: buffer for buffer in buffers if buffer.length}
    read_all = len(buffers) == sum(isinstance(p.type, Pointer) for p in form.parameters)
    lines = [line for line in spec.expectations if line.strip()]
    # With a buffer missing nobody can tell what is meant, and that is a fault already.
    if not read_all:
        return ()
    reads = (partial(_expectation, line, known) for line in lines)
    found = (faults.attempt("expectations", read) for read in reads)
    return tuple(expectation for expectation in found if expectation)


def _expectation(line: str, buffers: dict[str, Buffer]) -> Expectation:
    written = [b.name for b in buffers.values() if b.direction is not Direction.IN]
    assigned = _ASSIGNED.fullmatch(line)
    name, expression = (assigned["name"], assigned["expression"]) if assigned else ("", line)
    if not expression.strip():
        raise TextError(f"'{line.strip()}' expects nothing.", "Write something like out = a + b.")
    if not written:
        raise TextError("The kernel writes no buffer that could be checked.", "Mark one out.")
    if not name and len(written) > 1:
        raise TextError(
            f"The kernel writes {listing(written)}; which one is '{line.strip()}'?",
            f"Write {written[0]} = {line.strip()}.",
        )
    if name and name not in buffers:
        raise TextError(f"There is no buffer '{name}'.", unknown(name, written))
    if name and name not in written:
        raise TextError(f"{name} is only read, so there is nothing to check.", "Mark it inout.")
    return Expectation(name or written[0], expression.strip())


def _number_problems(spec: LaunchSpec) -> Iterator[SpecProblem]:
    for where in ("warmup", "repeats"):
        count = getattr(spec, where)
        if not 0 <= count <= _MOST_LAUNCHES:
            message = f"{count:,} launches make no sense here: from 0 to {_MOST_LAUNCHES:,}."
            yield SpecProblem(where, message)
    for where in ("relative", "absolute"):
        tolerance = getattr(spec, where)
        if not (math.isfinite(tolerance) and tolerance >= 0):
            yield SpecProblem(where, f"A tolerance of {tolerance} makes no sense; the least is 0.")
    if not (math.isfinite(spec.timeout) and spec.timeout > 0):
        message = f"A time limit of {spec.timeout} seconds makes no sense."
        yield SpecProblem("timeout", message, "Write the seconds that one launch may take.")
