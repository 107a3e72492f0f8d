"""The worker process in which a simulated run is stepped through."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.numerics.dtypes import NumericsError
from jitstudio.ptx.tokens import PtxReadError
from jitstudio.simulator.running import launching
from jitstudio.simulator.stepping.conditions import StopConditionError
from jitstudio.simulator.stepping.recording import RecordingError
from jitstudio.simulator.stepping.requests import ReplayedRun, SimulatedThread
from jitstudio.simulator.stepping.run import SessionError
from jitstudio.simulator.stepping.session import StepSession, told_as_damage
from jitstudio.worker.children.serving import CallResult, Tell, serve, take_wire
from jitstudio.worker.limits import limit_memory
from jitstudio.worker.programs.step import (
    STEPPING,
    OpenRecording,
    OpenSteps,
    RunRequest,
    StepsLost,
    answer_with,
)
from jitstudio.worker.sandbox.seal import ProgramNeeds

_NO_LIMIT = float("inf")
_ERRORS = (
    *(PtxReadError, NumericsError, SessionError, StopConditionError, RecordingError, OSError),
)


class _Runs:
    """The run of this process, at most a single run at a time."""

    def __init__(self) -> None:
        self._number = 0
        self._session: StepSession | None = None
        self._is_recording = False

    def answer(self, request: OpenSteps | OpenRecording | RunRequest, _tell: Tell) -> CallResult:
        """Answers a request; failures are answers, too."""
        try:
            return CallResult(self._answer(request))
        except _ERRORS as error:
            return CallResult(Diagnostic(Severity.ERROR, "", None, None, str(error)))

    def _answer(self, request: OpenSteps | OpenRecording | RunRequest) -> object:
        if isinstance(request, OpenSteps):
            return self._open(request)
        if isinstance(request, OpenRecording):
            return self._replay(request)
        if self._session is None or request.number != self._number:
            return StepsLost()
        with told_as_damage() if self._is_recording else nullcontext():
            return answer_with(self._session, request)

    def _open(self, request: OpenSteps) -> object:
        # The memory of the run before is free before that of the next is taken.
        self._session = None
        files = {name: Path(path) for name, path in request.command.prepared}
        ready = launching.prepare(request.command.request, files, _NO_LIMIT)
        self._session = StepSession(ready.program, ready.launch, request.thread)
        self._number, self._is_recording = request.number, False
        return self._session.look_at(request.thread)

    def _replay(self, request: OpenRecording) -> ReplayedRun:
        self._session = None
        session, recording = StepSession.replaying(request.data)
        with told_as_damage():
            state = session.look_at(SimulatedThread(recording.index, recording.thread))
        self._session, self._number, self._is_recording = session, request.number, True
        return ReplayedRun(
            state,
            recording.about,
            recording.grid,
            recording.block,
            recording.index,
            recording.frames[0].step,
            recording.frames[-1].step,
            recording.ptx,
            tuple((region.name, region.size) for region in recording.cut),
        )


def main(memory_limit: int) -> None:
    """Serves requests until the parent is gone."""
    wire = take_wire()
    limit_memory(memory_limit)
    serve(wire, STEPPING, _Runs().answer, ProgramNeeds())
