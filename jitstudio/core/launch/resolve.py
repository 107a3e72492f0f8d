"""From what the user has written to a launch that can be carried out.

What is wrong becomes problems, all of them at once; only where there is nothing to launch at all
is an error raised.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, Artifact, CodeKind
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.arguments import arguments_of
from jitstudio.core.launch.compatibility import code_problems
from jitstudio.core.launch.defaults import default_arguments
from jitstudio.core.launch.device import Device, DeviceList
from jitstudio.core.launch.faults import Faults
from jitstudio.core.launch.geometry import geometry
from jitstudio.core.launch.limits import Figures, config_problems
from jitstudio.core.launch.problems import SpecError, SpecProblem
from jitstudio.core.launch.request import (
    Buffer,
    Direction,
    Expectation,
    LaunchConfig,
    LaunchRequest,
)
from jitstudio.core.launch.signature import KernelForm
from jitstudio.core.launch.spec import LaunchSpec, LoadMode
from jitstudio.core.launch.texts import TextError, in_bytes, listing, unknown
from jitstudio.core.launch.types import Pointer
from jitstudio.core.result import BuildResult

__all__ = ["Resolved", "choose_code", "choose_form", "default_arguments", "resolve"]

_CODE = {LoadMode.CUBIN: CodeKind.CUBIN, LoadMode.DRIVER_JIT: CodeKind.PTX}
_MOST_LAUNCHES = 1_000_000
_ASSIGNED = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*=(?!=)\s*(?P<expression>.*)", re.DOTALL)
_BASE = re.compile(r"[^<(]*")


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


def choose_form(kernel: str, forms: Sequence[KernelForm]) -> KernelForm:
    """The kernel that is meant by a name.

    Args:
        kernel: Lowered, or in C++ with or without namespaces, template arguments and parameters;
            empty for the only one.
        forms: All there are.

    Raises:
        SpecError: There is none of this name, or several are.
    """
    if not forms:
        raise _error("kernel", "The build has no kernel.", "Declare one with __global__.")
    titles = [form.title for form in forms]
    wanted = _squeezed(kernel)
    if not wanted and len(forms) > 1:
        message = f"There are {len(forms)} kernels."
        raise _error("kernel", message, f"Choose one of {listing(titles)}.")
    for name_of in _NAMES:
        found = [form for form in forms if not wanted or _squeezed(name_of(form)) == wanted]
        if len(found) == 1:
            return found[0]
        if found:
            meant = listing(form.title for form in found)
            message = f"'{kernel}' is the name of {len(found)} kernels."
            raise _error("kernel", message, f"Choose one of {meant}.")
    raise _error("kernel", f"There is no kernel '{kernel}'.", unknown(kernel, titles))


def choose_code(result: BuildResult, form: KernelForm, load: LoadMode) -> Artifact:
    """The code of a build to load for a kernel.

    Raises:
        SpecError: The build did not make it.
    """
    kind = _CODE[load]
    modules = [kernel.module for kernel in result.kernels if kernel.name == form.lowered]
    for name in (LINKED, *modules, form.module):
        if found := result.artifact(kind, name):
            return found
    if not result.ok:
        raise _error("code", f"There is nothing to launch. {result.reason}", "Build again.")
    if load is LoadMode.DRIVER_JIT and result.artifact(CodeKind.CUBIN, LINKED):
        message = "A link by PTX makes no PTX of the whole, so the driver has none to assemble."
        raise _error("code", message, "Load the cubin, or link by LTO-IR with PTX as an output.")
    raise _error(
        "code",
        f"The build made no {kind.title} with {form.title} in it.",
        f"Build with {kind.title} among the outputs (--emit {kind.value}).",
    )


def resolve(
    spec: LaunchSpec,
    form: KernelForm,
    code: Artifact,
    devices: DeviceList,
    device: int,
    *,
    folder: str = "",
    arch: Arch | None = None,
    facts: Figures | None = None,
) -> Resolved:
    """Find out what a launch is, and all that is wrong with it.

    Args:
        spec: What the user has written.
        form: The kernel.
        code: What to load.
        devices: The GPUs.
        device: The ordinal of the one to use.
        folder: Where relative paths of files start; empty for the working directory.
        arch: What the code was built for, which tells the suffix of a cubin's target.
        facts: What the kernel needs, for the limits that depend on it.
    """
    faults = Faults()
    gpu = faults.attempt("device", lambda: _device(devices, device))
    if gpu:
        faults.add(*code_problems(code, gpu, devices.driver_version, arch))
    if not form.complete:
        message = f"Not all parameters of {form.title} are known."
        faults.add(SpecProblem("kernel", message, " ".join(form.notes)))
    arguments = arguments_of(form, spec.arguments, folder, faults)
    config = geometry(spec, form, arguments.names, faults)
    if config and gpu:
        clustered = replace(config, cluster=config.cluster or form.cluster)
        faults.add(*config_problems(clustered, gpu, facts, form.block_hint))
    buffers = tuple(a for a in arguments.found if isinstance(a, Buffer))
    if gpu:
        faults.add(*_memory_problems(buffers, gpu))
    expectations = _expectations(spec, form, buffers, faults)
    faults.add(*_number_problems(spec))
    if faults.fatal or config is None:
        return Resolved(None, tuple(faults.problems), config)
    request = replace(
        _request(spec, form, code, config),
        device=device,
        arguments=arguments.found,
        expectations=expectations,
    )
    return Resolved(request, tuple(faults.problems), config)


def _request(
    spec: LaunchSpec, form: KernelForm, code: Artifact, config: LaunchConfig
) -> LaunchRequest:
    """What can be said without the arguments."""
    return LaunchRequest(
        code=code.content,
        code_kind=code.kind,
        kernel=form.lowered,
        title=form.title,
        device=0,
        arguments=(),
        parameter_bytes=max((p.slot.offset + p.slot.size for p in form.parameters), default=0),
        config=config,
        warmup=spec.warmup,
        repeats=spec.repeats,
        flush_l2=spec.flush_l2,
        relative=spec.relative,
        absolute=spec.absolute,
        poison=spec.poison,
        guards=spec.guards,
        sanitizer=spec.sanitizer,
        timeout=spec.timeout,
    )


def _error(where: str, message: str, remedy: str) -> SpecError:
    return SpecError(SpecProblem(where, message, remedy))


def _squeezed(name: str) -> str:
    return "".join(name.split()).removeprefix("&").removeprefix("::")


def _base(form: KernelForm) -> str:
    found = _BASE.match(form.title)
    return found[0] if found else form.title


def _unqualified(name: str) -> str:
    base = _BASE.match(name)
    return name[base[0].rfind("::") + 2 :] if base and "::" in base[0] else name


_NAMES: tuple[Callable[[KernelForm], str], ...] = (
    lambda form: form.lowered,
    lambda form: form.title,
    lambda form: _unqualified(form.title),
    _base,
    lambda form: _unqualified(_base(form)),
)
"""What a kernel may be called by; the first that fits counts."""


def _device(devices: DeviceList, ordinal: int) -> Device:
    for found in devices.devices:
        if found.ordinal == ordinal:
            return found
    if devices.problem:
        raise TextError(devices.problem)
    known = listing(f"{found.ordinal} ({found.name})" for found in devices.devices)
    raise TextError(f"There is no GPU {ordinal}.", f"Known here: {known}.")


def _memory_problems(buffers: Sequence[Buffer], device: Device) -> Iterator[SpecProblem]:
    needed = sum(buffer.bytes for buffer in buffers)
    free = device.memory if device.memory_free is None else device.memory_free
    if needed <= free:
        return
    total = needed > device.memory
    has = f"{in_bytes(device.memory)}" if total else f"{in_bytes(free)} free"
    largest = max(buffers, key=lambda buffer: buffer.bytes)
    yield SpecProblem(
        f"arguments.{largest.name}",
        f"The buffers need {in_bytes(needed)}, {in_bytes(largest.bytes)} of them for "
        f"{largest.name}; {device.name} has {has}.",
        "Use shorter buffers, or a GPU with more memory.",
        # What was free a moment ago may be so no more, and what the last launch holds is given back.
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
