"""Requests to the process in which a simulated run is stepped through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.simulator.stepping.requests import (
    LARGEST_PAGE,
    MemoryArea,
    MemoryPage,
    RecordingAbout,
    ReplayedRun,
    SimulatedThread,
    StepMove,
    StepState,
)
from jitstudio.worker.programs.launch import LaunchCommand
from jitstudio.worker.protocol import RequestType, Unfit, WorkerProgram, check_diagnostics

if TYPE_CHECKING:
    from jitstudio.simulator.stepping.session import StepSession


@dataclass(frozen=True)
class OpenSteps:
    """A request to begin a run, in place of the run before.

    Attributes:
        number: Of the run; later requests name it.
        command: The launch; nothing is written to the launch's folder.
        thread: The thread to look at.
    """

    number: int
    command: LaunchCommand
    thread: SimulatedThread


@dataclass(frozen=True)
class OpenRecording:
    """A request to show a recording, in place of the run before.

    Attributes:
        number: Of the run; later requests name it.
        data: The recording, as `RecordedSteps` has it.
    """

    number: int
    data: bytes


@dataclass(frozen=True)
class MoveSteps:
    """A request to move through the run.

    Attributes:
        number: Of the run.
        move: Where to; None to go on with the move before.
        seconds: After which to answer, however far it is.
    """

    number: int
    move: StepMove | None
    seconds: float


@dataclass(frozen=True)
class LookAt:
    """A request for the state of another thread at the same step.

    Attributes:
        number: Of the run.
        thread: The thread.
        whole_line: Whether to find all accesses of its source line.
    """

    number: int
    thread: SimulatedThread
    whole_line: bool = False


@dataclass(frozen=True)
class ReadMemory:
    """A request for bytes of memory.

    Attributes:
        number: Of the run.
        area: Which memory.
        thread: Whose block's or own memory it is, for shared and local memory.
        start: The first byte of it.
        count: How many bytes.
    """

    number: int
    area: MemoryArea
    thread: SimulatedThread
    start: int
    count: int


@dataclass(frozen=True)
class RecordSteps:
    """A request to record the work of the thread's block around this step.

    Attributes:
        number: Of the run.
        about: The window's facts about the step; None to go on with the recording before.
        seconds: After which to answer, however far it is.
    """

    number: int
    about: RecordingAbout | None
    seconds: float


@dataclass(frozen=True)
class LeaveRecording:
    """A request to go back to where the run was, without a recording."""

    number: int


@dataclass(frozen=True)
class RecordedSteps:
    """A recording, as bytes of a file."""

    data: bytes


@dataclass(frozen=True)
class StepsLost:
    """There is no run of this number in this process: the process is another by now."""


RunRequest = MoveSteps | LookAt | ReadMemory | RecordSteps | LeaveRecording
"""What is asked of a run."""


def answer_with(
    session: StepSession, request: RunRequest
) -> StepState | MemoryPage | RecordedSteps:
    """Returns the answer of a session to a request.

    Raises:
        ValueError: Why there is none, a sentence.
    """
    match request:
        case MoveSteps(_, move, seconds):
            if move is not None:
                session.begin(move)
            return session.go_on(seconds)
        case LookAt(_, thread, whole_line):
            return session.look_at(thread, whole_line=whole_line)
        case RecordSteps(_, about, seconds):
            if about is not None:
                session.record(about)
            recorded = session.go_on_recording(seconds)
            return RecordedSteps(recorded) if isinstance(recorded, bytes) else recorded
        case LeaveRecording():
            return session.leave_recording()
    return session.read(request.area, request.thread, request.start, request.count)


def _check(
    _: object, said: StepState | ReplayedRun | RecordedSteps | StepsLost | Diagnostic
) -> None:
    if isinstance(said, Diagnostic):
        check_diagnostics([said])


def _check_page(request: ReadMemory, said: MemoryPage | StepsLost | Diagnostic) -> None:
    _check(request, said)  # type: ignore[arg-type]
    if isinstance(said, MemoryPage) and not len(said.data) == len(said.written) <= request.count:
        raise Unfit("it tells of more memory than it was asked for")


_STATE = 64 << 20

STEPPING = WorkerProgram(
    "jitstudio.worker.children.step",
    (
        RequestType(OpenSteps, _STATE, StepState | Diagnostic, check=_check),
        RequestType(OpenRecording, _STATE, ReplayedRun | Diagnostic, check=_check),
        RequestType(MoveSteps, _STATE, StepState | StepsLost | Diagnostic, check=_check),
        RequestType(LookAt, _STATE, StepState | StepsLost | Diagnostic, check=_check),
        RequestType(
            RecordSteps, _STATE, StepState | RecordedSteps | StepsLost | Diagnostic, check=_check
        ),
        RequestType(LeaveRecording, _STATE, StepState | StepsLost | Diagnostic, check=_check),
        RequestType(
            ReadMemory, 4 * LARGEST_PAGE, MemoryPage | StepsLost | Diagnostic, check=_check_page
        ),
    ),
)
