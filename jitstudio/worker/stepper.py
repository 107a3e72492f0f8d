"""Steps through a simulated run: a process with the run, and a new run if the process dies."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.request import LaunchRequest
from jitstudio.simulator.stepping.requests import (
    MemoryArea,
    MemoryPage,
    RecordingAbout,
    ReplayedRun,
    SimulatedThread,
    StepGoal,
    StepMove,
    StepState,
)
from jitstudio.worker.calls import CallQueue, Ending, RunningCalls
from jitstudio.worker.crash_report import cause_of_death
from jitstudio.worker.evaluator import CalculationError, HostEvaluator
from jitstudio.worker.host import ChildDeath, WorkerHost
from jitstudio.worker.launcher import LaunchFiles
from jitstudio.worker.limits import default_memory_limit
from jitstudio.worker.programs.launch import LaunchCommand
from jitstudio.worker.programs.step import (
    STEPPING,
    LeaveRecording,
    LookAt,
    MoveSteps,
    OpenRecording,
    OpenSteps,
    ReadMemory,
    RecordedSteps,
    RecordSteps,
    RunRequest,
    StepsLost,
)
from jitstudio.worker.sandbox.access import Need, SandboxAccess

_SLICE = 0.2
"""Seconds after which a move that is under way is reported, and can be left where it is."""

_LIMIT = 120.0
"""Seconds that a single answer may take, as a step of many threads is not interrupted."""


class Stepper:
    """Steps through a run, at most a single run at a time, in a separate process.

    Calls block; make them from a thread that may wait. `cancel` and `close` are safe from any
    other thread. What goes wrong is an answer.
    """

    def __init__(self) -> None:
        self._host = WorkerHost(default_memory_limit(), STEPPING)
        self._evaluator = HostEvaluator()
        self._files = LaunchFiles()
        self._queue = CallQueue()
        self._numbers = itertools.count(1)
        self._opened: OpenSteps | OpenRecording | None = None
        self._need = Need()
        self._step = 0
        self._paused: set[int] = set()
        self._lock = threading.Lock()

    @property
    def pid(self) -> int | None:
        """The process id of the child, or None if none is running."""
        return self._host.pid

    def open(
        self,
        request: LaunchRequest,
        thread: SimulatedThread,
        *,
        ticket: int = 0,
    ) -> StepState | Diagnostic:
        """Begins a run, in place of the run before.

        Args:
            request: The launch; the code is PTX.
            thread: The thread to look at.
            ticket: The number by which `cancel` knows this call.

        Raises:
            WorkerError: The process could not be started, or a bug of jitstudio's own broke it.
        """
        with self._queue.take(ticket, request.timeout) as calls:
            try:
                prepared = self._files.prepare(request, self._evaluator, calls, lambda _event: None)
                folder = os.path.realpath(self._files.folder)
            except (CalculationError, OSError) as error:
                return _error(f"The buffers cannot be filled: {error}")
            files = tuple((name, str(path)) for name, path in prepared.items())
            command = LaunchCommand(request.alone, files, "", time.monotonic())
            self._opened = OpenSteps(next(self._numbers), command, thread)
            self._need = Need(SandboxAccess((folder,), confined_to=request.confined_to))
            self._step = 0
            state: StepState | Diagnostic = self._ask(self._opened, calls)
            return state

    def move(
        self,
        move: StepMove,
        on_progress: Callable[[StepState], None] = lambda state: None,
        *,
        ticket: int = 0,
    ) -> StepState | Diagnostic:
        """Moves through the run until the goal is reached, or a `cancel` stops the move on the way.

        Args:
            move: Where to.
            on_progress: Called in this thread with the state now and then.
            ticket: The number by which `cancel` knows this call.

        Raises:
            WorkerError: See `open`.
        """
        with self._queue.take(ticket, None) as calls:
            state = self._current(partial(MoveSteps, move=move, seconds=_SLICE), calls)
            while isinstance(state, StepState) and state.moving and not self._is_paused(ticket):
                on_progress(state)
                state = self._current(partial(MoveSteps, move=None, seconds=_SLICE), calls)
            assert isinstance(state, StepState | Diagnostic)
            return state

    def look_at(
        self, thread: SimulatedThread, *, whole_line: bool = False, ticket: int = 0
    ) -> StepState | Diagnostic:
        """Returns the state of another thread at the same step; see `LookAt` for the arguments.

        Raises:
            WorkerError: See `open`.
        """
        with self._queue.take(ticket, _LIMIT) as calls:
            state = self._current(partial(LookAt, thread=thread, whole_line=whole_line), calls)
            assert isinstance(state, StepState | Diagnostic)
            return state

    def read(
        self, area: MemoryArea, thread: SimulatedThread, start: int, count: int, *, ticket: int = 0
    ) -> MemoryPage | Diagnostic:
        """Returns bytes of memory at the step; see `ReadMemory` for the arguments.

        Raises:
            WorkerError: See `open`.
        """
        with self._queue.take(ticket, _LIMIT) as calls:
            wanted = partial(ReadMemory, area=area, thread=thread, start=start, count=count)
            page = self._current(wanted, calls)
            assert isinstance(page, MemoryPage | Diagnostic)
            return page

    def record(
        self,
        about: RecordingAbout,
        on_progress: Callable[[StepState], None] = lambda state: None,
        *,
        ticket: int = 0,
    ) -> bytes | Diagnostic:
        """Records the work of the thread's block around this step.

        Args:
            about: The window's facts about the launch.
            on_progress: See `move`.
            ticket: The number by which `cancel` knows this call.

        Raises:
            WorkerError: See `open`.
        """
        with self._queue.take(ticket, None) as calls:
            step = self._step
            answer = self._current(partial(RecordSteps, about=about, seconds=_SLICE), calls)
            while isinstance(answer, StepState) and not self._is_paused(ticket):
                on_progress(answer)
                answer = self._current(partial(RecordSteps, about=None, seconds=_SLICE), calls)
            if isinstance(answer, StepState):
                self._current(LeaveRecording, calls)
                answer = _error("Nothing is recorded, as the recording was cancelled.")
            self._step = step
            return answer.data if isinstance(answer, RecordedSteps) else _diagnostic(answer)

    def replay(self, data: bytes, *, ticket: int = 0) -> ReplayedRun | Diagnostic:
        """Shows a recording, in place of the run before; nothing in the recording is run.

        Args:
            data: As `record` returns it.
            ticket: The number by which `cancel` knows this call.

        Raises:
            WorkerError: See `open`.
        """
        with self._queue.take(ticket, _LIMIT) as calls:
            self._opened = OpenRecording(next(self._numbers), data)
            self._need = Need()
            answer = self._ask(self._opened, calls)
            assert isinstance(answer, ReplayedRun | Diagnostic)
            return answer

    def cancel(self, ticket: int) -> None:
        """Stops the move with this ticket on the way; asked a second time, kills the process."""
        with self._lock:
            is_first = ticket not in self._paused
            self._paused.add(ticket)
        if not is_first or not self._queue.has(ticket):
            self._queue.cancel(ticket)

    def end(self) -> None:
        """Forgets the run and frees the memory."""
        with self._queue.idle():
            self._opened = None
            self._host.rest()

    def close(self) -> None:
        """Kills the process for good and removes all files."""
        self._evaluator.cancel()
        with self._queue.closing():
            self._host.close()
            self._evaluator.close()
            self._files.close()

    def _is_paused(self, ticket: int) -> bool:
        with self._lock:
            return ticket in self._paused

    def _current(
        self, request: Callable[[int], RunRequest], calls: RunningCalls
    ) -> StepState | MemoryPage | RecordedSteps | Diagnostic:
        """Asks the run, which begins anew and is brought back where the process has gone."""
        opened = self._opened
        if opened is None:
            return _error("There is no run to step through.", "Begin one.")
        answer: Any = self._ask(request(opened.number), calls)
        if isinstance(answer, StepsLost):
            step, answer = self._step, self._ask(opened, calls)
            if isinstance(answer, ReplayedRun):
                answer = answer.state
            move: StepMove | None = None
            if isinstance(answer, StepState):
                move = StepMove(StepGoal.STEP, answer.thread, step=step)
            while isinstance(answer, StepState) and (move or answer.moving):
                answer = self._ask(MoveSteps(opened.number, move, _SLICE), calls)
                move = None
            if isinstance(answer, StepState):
                answer = self._ask(request(opened.number), calls)
        assert isinstance(answer, StepState | MemoryPage | RecordedSteps | Diagnostic)
        return answer

    def _ask(self, request: object, calls: RunningCalls) -> Any:
        answer = calls.ask(self._host, request, need=self._need)
        if isinstance(answer, StepState | ReplayedRun):
            state = answer.state if isinstance(answer, ReplayedRun) else answer
            self._step = state.step
        if isinstance(answer, ChildDeath):
            is_recording = isinstance(self._opened, OpenRecording)
            return _error(
                _why(answer, calls.ending), _MAY_BE_DAMAGED if is_recording else _BEGINS_ANEW
            )
        return answer


_BEGINS_ANEW = "The next step runs the kernel again to where it was."
_MAY_BE_DAMAGED = "The recording may be damaged. The next step opens it again."


def _why(death: ChildDeath, ending: Ending | None) -> str:
    match ending:
        case Ending.CANCEL:
            return "The simulation was ended in the middle of a step."
        case Ending.TIME_LIMIT:
            return f"The simulation has not answered within {_LIMIT:g} s and was ended."
        case None:
            return f"The process of the simulation {cause_of_death(death)[1]}"


def _diagnostic(answer: object) -> Diagnostic:
    assert isinstance(answer, Diagnostic)
    return answer


def _error(message: str, explanation: str = "") -> Diagnostic:
    return Diagnostic(Severity.ERROR, "", None, None, message, explanation=explanation)
