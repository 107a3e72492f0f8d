"""From what the user has written to a launch that can be carried out.

What is wrong becomes problems, all of them at once, never an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TypeVar

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.arguments import BufferText, absolute, default_text, parse_buffer
from jitstudio.core.launch.c_types import named
from jitstudio.core.launch.choice import Launchable
from jitstudio.core.launch.device import Device, DeviceList, Dim3
from jitstudio.core.launch.host_needs import host_problems
from jitstudio.core.launch.limits import code_problems, config_problems
from jitstudio.core.launch.problems import (
    SpecProblem,
    TextError,
    argument_place,
    in_bytes,
    listing,
    parts,
    unknown,
)
from jitstudio.core.launch.request import (
    Buffer,
    Direction,
    Expectation,
    Fill,
    FillKind,
    FormParameter,
    KernelForm,
    LaunchConfig,
    LaunchRequest,
    ValueArgument,
)
from jitstudio.core.launch.spec import LaunchSpec, RunOptions
from jitstudio.core.launch.texel_text import texel_buffer
from jitstudio.core.launch.types import REFERENCES, Handle, NumberKind, Pointer, Scalar, Type
from jitstudio.core.launch.values import Number, UnknownNameError, encode, integer

_T = TypeVar("_T")


class SpecFaults:
    """What has been found so far.

    Attributes:
        problems: In the order they were found.
        faulty: Arguments that came to nothing; what only lacks one of them is no fault of its own.
    """

    def __init__(self) -> None:
        self.problems: list[SpecProblem] = []
        self.faulty: set[str] = set()

    @property
    def fatal(self) -> bool:
        """Whether one of them forbids the launch."""
        return any(problem.severity is Severity.ERROR for problem in self.problems)

    def add(self, *problems: SpecProblem) -> None:
        """Adds what has been found elsewhere."""
        self.problems += problems

    def attempt(self, where: str, work: Callable[[], _T]) -> _T | None:
        """What the work comes to; None where a text makes no sense, which is taken as a fault.

        Args:
            where: The field that the text is of.
            work: Reads the text.
        """
        try:
            return work()
        except UnknownNameError as error:
            if error.name not in self.faulty:
                self.add(error.problem(where))
        except TextError as error:
            self.add(error.problem(where))
        return None


_AXES = 3


@dataclass(frozen=True)
class Geometry:
    """How many threads, and what they share.

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
    """Returns the configuration of a launch, as far as it makes sense.

    A cluster that the kernel itself declares is not repeated in it.

    Args:
        spec: What the user has written.
        form: The kernel.
        names: The arguments that may occur in expressions.
        faults: Takes what is wrong.
    """
    block = faults.attempt("block", lambda: dims("block", spec.block, names))
    cluster = faults.attempt("cluster", lambda: _cluster(spec, form, names))
    shared = faults.attempt("shared", lambda: integer(spec.shared or "0", names))
    grid = _grid(spec, block, form.cluster or cluster or (1, 1, 1), names, faults)
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
    given = dims("cluster", spec.cluster, names)
    if form.cluster is None:
        return given
    if given != form.cluster:
        declared = ",".join(map(str, form.cluster))
        raise TextError(
            f"The kernel declares clusters of {declared}, which a launch cannot change.",
            f"Write {declared} or nothing, or change __cluster_dims__.",
        )
    return None


def _grid(
    spec: LaunchSpec,
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
                "Write a grid such as 128, or a cover such as n for one thread per element.",
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


_BYTE = Scalar("unsigned char", "uint8", 1, NumberKind.UNSIGNED)


@dataclass(frozen=True)
class Arguments:
    """What a kernel is given.

    Attributes:
        found: In order of the parameters; those that came to nothing are left out.
        names: What those that are numbers represent in expressions.
    """

    found: tuple[ValueArgument | Buffer, ...]
    names: Mapping[str, Number]


def arguments_of(
    form: KernelForm, given: tuple[tuple[str, str], ...], folder: str, faults: SpecFaults
) -> Arguments:
    """Reads the arguments of a kernel.

    Args:
        form: The kernel.
        given: Names and texts.
        folder: Where relative paths start.
        faults: Takes what is wrong.
    """
    texts = _texts(form, given, faults)
    present = [p for p in form.parameters if p.name in texts]
    values = _values([p for p in present if not isinstance(p.type, REFERENCES)], texts, faults)
    names = {name: v.number for name, v in values.items() if v.number is not None}
    found: dict[str, ValueArgument | Buffer] = {**values}
    for parameter in present:
        if isinstance(parameter.type, REFERENCES):
            read = partial(_buffer, parameter, parameter.type, texts, names, folder)
            buffer = faults.attempt(argument_place(parameter.name), read)
            if buffer is not None:
                found[parameter.name] = buffer
                faults.add(*_doubts(parameter.type, buffer))
    ordered = (found[p.name] for p in form.parameters if p.name in found)
    return Arguments(tuple(ordered), names)


def _texts(
    form: KernelForm, given: tuple[tuple[str, str], ...], faults: SpecFaults
) -> dict[str, str]:
    """Returns the texts by parameter; those without one are faulty."""
    texts: dict[str, str] = {}
    known = [parameter.name for parameter in form.parameters]
    for name, text in given:
        if name not in known:
            message = f"{form.title} has no parameter '{name}'."
            faults.add(SpecProblem(argument_place(name), message, unknown(name, known)))
        elif name in texts:
            faults.add(
                SpecProblem(argument_place(name), f"'{name}' is given twice.", "Remove one.")
            )
        else:
            texts[name] = text
    for name in known:
        if name not in texts:
            faults.faulty.add(name)
            advice = f"Give it a text such as {name}={default_text(form, name)}."
            faults.add(
                SpecProblem(argument_place(name), f"The argument '{name}' is missing.", advice)
            )
    return texts


def _values(
    parameters: list[FormParameter], texts: Mapping[str, str], faults: SpecFaults
) -> dict[str, ValueArgument]:
    """Returns the values by name; one may need another, whatever their order."""
    made: dict[str, ValueArgument] = {}
    names: dict[str, Number] = {}
    waiting, progress = parameters, True
    while waiting and progress:
        still = []
        for parameter in waiting:
            try:
                value = _value(parameter, texts[parameter.name], names)
            except UnknownNameError:
                still.append(parameter)
            except TextError as error:
                faults.faulty.add(parameter.name)
                faults.add(error.problem(argument_place(parameter.name)))
            else:
                made[value.name] = value
                if value.number is not None:
                    names[value.name] = value.number
        waiting, progress = still, len(still) < len(waiting)
    for parameter in waiting:
        read = partial(_value, parameter, texts[parameter.name], names)
        faults.attempt(argument_place(parameter.name), read)
    faults.faulty.update(parameter.name for parameter in waiting)
    return made


def _value(parameter: FormParameter, text: str, names: Mapping[str, Number]) -> ValueArgument:
    slot, kind = parameter.slot, parameter.type
    if kind.size != slot.size:
        raise TextError(
            f"{kind.name} has {kind.size} bytes, but the code expects {slot.size} here.",
            "Build again, so that source and code agree.",
        )
    encoded = encode(kind, text, names)
    return ValueArgument(parameter.name, kind, slot.offset, encoded.data, encoded.number)


def _buffer(
    parameter: FormParameter,
    pointer: Pointer | Handle,
    texts: Mapping[str, str],
    names: Mapping[str, Number],
    folder: str,
) -> Buffer:
    offset = parameter.slot.offset
    if isinstance(pointer, Handle):
        given = texts[parameter.name]
        return texel_buffer(parameter.name, pointer, offset, given, names, folder)
    text = parse_buffer(texts[parameter.name])
    if text is None:
        return Buffer(parameter.name, pointer.target or _BYTE, offset, 0)
    length = integer(text.length, names)
    if length < 1:
        raise TextError(
            f"A buffer of {length:,} elements makes no sense.", "Write null for a null pointer."
        )
    direction = text.direction or (Direction.IN if pointer.const else Direction.INOUT)
    usual = FillKind.RANDOM if direction is Direction.IN else FillKind.ZEROS
    fill = absolute(text.fill or Fill(usual), folder)
    return Buffer(parameter.name, _element(text, pointer), offset, length, fill, direction)


def _element(text: BufferText, pointer: Pointer) -> Type:
    if not text.element:
        return pointer.target or _BYTE
    found = named(text.element)
    if found is None:
        raise TextError(
            f"'{text.element}' is no type that is known here.",
            "Write a number or a vector, as in float[n] or float4[n].",
        )
    return found


def _doubts(pointer: Pointer | Handle, buffer: Buffer) -> tuple[SpecProblem, ...]:
    if (
        isinstance(pointer, Handle)
        or not pointer.const
        or not buffer.length
        or buffer.direction is Direction.IN
    ):
        return ()
    message = f"{buffer.name} is const, so the kernel will not write to it."
    return (SpecProblem(argument_place(buffer.name), message, "Mark it in.", Severity.WARNING),)


_MOST_LAUNCHES = 1_000_000
_MOST_SEEDS = 1_000
_WITHOUT_GRID = frozenset({"block", "shared"})
_ASSIGNED = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*=(?!=)\s*(?P<expression>.*)", re.DOTALL)


@dataclass(frozen=True)
class ResolvedSpec:
    """What came of a spec.

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
    """Finds out what a launch is, and all that is wrong with it.

    Args:
        spec: What the user has written.
        kernel: What to launch.
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
    made = geometry(spec, form, arguments.names, faults)
    config = made.config if made.complete else None
    if gpu:
        clustered = replace(made.config, cluster=made.config.cluster or form.cluster)
        found = config_problems(clustered, gpu, kernel.facts, form.block_hint)
        found += tuple(host_problems(clustered, gpu, kernel.facts, form.needs))
        # Of an unknown grid there is nothing to be said.
        faults.add(*(p for p in found if made.complete or p.where in _WITHOUT_GRID))
    buffers = tuple(a for a in arguments.found if isinstance(a, Buffer))
    if gpu:
        faults.add(*_memory_problems(buffers, gpu))
    expectations = _expectations(spec, form, buffers, faults)
    faults.add(*_number_problems(spec))
    if faults.fatal or config is None:
        return ResolvedSpec(None, tuple(faults.problems), config)
    other = kernel.counterpart
    if other and gpu and any(code_problems(other, gpu, devices.driver_version, kernel.arch)):
        # The driver's compiler makes code for GPUs that the cubin was not built for.
        kernel = replace(kernel, counterpart=None)
    request = replace(
        _request(spec, kernel, config),
        device=device or 0,
        arguments=arguments.found,
        expectations=expectations,
    )
    return ResolvedSpec(request, tuple(faults.problems), config)


def _request(spec: LaunchSpec, kernel: Launchable, config: LaunchConfig) -> LaunchRequest:
    """Returns what can be said without the arguments."""
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
    for found in devices.choices:
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
    spec: LaunchSpec, form: KernelForm, buffers: Sequence[Buffer], faults: SpecFaults
) -> tuple[Expectation, ...]:
    known = {buffer.name: buffer for buffer in buffers if buffer.length}
    read_all = len(buffers) == sum(isinstance(p.type, REFERENCES) for p in form.parameters)
    lines = [line for line in spec.expectations if line.strip()]
    # With a buffer missing the rest is ambiguous, and that is a fault already.
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
