"""Requests to the processes of a launch, and checks on the answers.

One uses the GPU, one simulates, and one evaluates the user's expressions.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.request import (
    CalculationRefused,
    CheckCalculation,
    FillCalculation,
    InspectRequest,
    LaunchRequest,
)
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    KernelFacts,
    LaunchEvent,
    LaunchResult,
)
from jitstudio.worker.protocol import (
    RequestType,
    Unfit,
    WorkerProgram,
    check_devices,
    check_diagnostics,
)


@dataclass(frozen=True)
class LaunchCommand:
    """A request to launch a kernel.

    Attributes:
        request: Which, and how.
        prepared: Name and file of each buffer that a file or an expression fills.
        folder: Where the outputs go.
        asked_at: When it was asked for, by `time.monotonic`.
    """

    request: LaunchRequest
    prepared: tuple[tuple[str, str], ...]
    folder: str
    asked_at: float


@dataclass(frozen=True)
class ListDevices:
    """A request for the GPUs."""


@dataclass(frozen=True)
class WarmUp:
    """A request to open a GPU ahead of use; takes half a second in a fresh process."""

    device: int


def output_file(folder: str, number: int) -> Path:
    """Returns where the content of the buffer with this number goes.

    By number: the name is the source's and may be no name for a file.
    """
    return Path(folder) / f"{number}.npy"


def check_launch(call: LaunchCommand, said: LaunchEvent | LaunchResult) -> None:
    """Checks that a launch tells only of the launch's diagnostics, times and outputs.

    Raises:
        Unfit: It tells of others.
    """
    if not isinstance(said, LaunchResult):
        return
    check_diagnostics(said.diagnostics)
    if said.checks or said.findings:
        raise Unfit("it tells of checks that are not its own")
    timings = [said.timing, said.counterpart.timing if said.counterpart else None]
    if any(timing is not None and not timing.samples for timing in timings):
        raise Unfit("it tells the times of no launch")
    if said.buffers:
        _check_buffers(call, said.buffers)


def _check_buffers(call: LaunchCommand, reported: tuple[BufferResult, ...]) -> None:
    """Checks that the outputs are those asked for and lie there, as others open these files."""
    wanted = call.request.buffers
    if [(b.name, b.element, b.length, b.direction, b.shape) for b in reported] != [
        (b.name, b.element, b.length, b.direction, b.shape) for b in wanted
    ]:
        raise Unfit("it tells of buffers that the kernel has not")
    for number, buffer in enumerate(reported):
        if not buffer.path:
            continue
        path = output_file(call.folder, number)
        if buffer.path != str(path):
            raise Unfit("an output lies outside the folder of the launch")
        try:
            status = path.lstat()
        except OSError:
            raise Unfit("an output is not there") from None
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            raise Unfit("an output is not a file of its own")


def _check_facts(_: InspectRequest, facts: KernelFacts | Diagnostic) -> None:
    if isinstance(facts, Diagnostic):
        check_diagnostics([facts])


def _check_list(_: ListDevices, devices: DeviceList) -> None:
    check_devices(devices)


LAUNCHING = WorkerProgram(
    "jitstudio.worker.children.launch",
    (
        # What a kernel prints is reported up to thirty times a second.
        RequestType(LaunchCommand, 256 << 20, LaunchResult, LaunchEvent, check_launch, 100_000),
        RequestType(InspectRequest, 1 << 20, KernelFacts | Diagnostic, check=_check_facts),
        RequestType(ListDevices, 1 << 20, DeviceList, check=_check_list),
        RequestType(WarmUp, 1 << 16),
    ),
)


def _check_simulation(call: LaunchCommand, said: LaunchEvent | LaunchResult) -> None:
    check_launch(call, said)
    if isinstance(said, LaunchResult) and (said.timing or said.counterpart or said.facts):
        raise Unfit("it tells the times of a GPU")
    run = said.simulation if isinstance(said, LaunchResult) else None
    if run is not None and (run.is_read or run.unbranched or any(s.is_read for s in run.samples)):
        raise Unfit("it tells of machine code, which it has not")


SIMULATING = WorkerProgram(
    "jitstudio.worker.children.simulate",
    (RequestType(LaunchCommand, 256 << 20, LaunchResult, LaunchEvent, _check_simulation, 100_000),),
)


def _check_result(request: CheckCalculation, result: CheckResult | CalculationRefused) -> None:
    if isinstance(result, CheckResult):
        wanted = request.expectation
        if (result.target, result.expression) != (wanted.target, wanted.expression):
            raise Unfit("it tells of a comparison that nobody asked for")


EVALUATING = WorkerProgram(
    "jitstudio.worker.children.evaluate",
    (
        RequestType(FillCalculation, 1 << 20, CalculationRefused | None),
        RequestType(
            CheckCalculation, 16 << 20, CheckResult | CalculationRefused, check=_check_result
        ),
    ),
)
