"""Carries out launches: a process with the GPU, one that calculates, and the files between them."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.events import ConsoleText, LaunchEvent, LaunchProgress
from jitstudio.core.launch.request import InspectRequest, LaunchRequest
from jitstudio.core.launch.result import CheckResult, KernelFacts, LaunchOutcome, LaunchResult
from jitstudio.core.launch.verdict import judged, unchecked
from jitstudio.core.severity import Severity
from jitstudio.worker.calls import Ending, Flights
from jitstudio.worker.compute_sanitizer import SanitizerMissing, find_sanitizer, sanitized
from jitstudio.worker.crash_report import cause_of_death
from jitstudio.worker.evaluator import CalculationError, Calculator
from jitstudio.worker.host import Death, WorkerError, WorkerHost
from jitstudio.worker.launch_files import LaunchFiles
from jitstudio.worker.programs.launch import LAUNCHING, Launch, ListDevices, WarmUp
from jitstudio.worker.sandbox.access import Access, Need
from jitstudio.worker.turns import Turns

_ASKING_LIMIT = 60.0
_WARM_UP_LIMIT = 20.0
_LEAST_CHECK = 10.0
_KEPT = "Your form and your text are kept, and the next launch runs in a fresh process."
_NO_LIMIT = 0


class Launcher:
    """Launches kernels, one after another, in processes of its own.

    Calls block; make them from a thread that may wait. `cancel` and `close` are safe from any
    other thread.
    """

    def __init__(self) -> None:
        self._gpu = WorkerHost(_NO_LIMIT, LAUNCHING)
        self._calculator = Calculator()
        self._confined_to: tuple[str, ...] | None = None
        self._files = LaunchFiles()
        self._all_files: dict[tuple[str, ...] | None, LaunchFiles] = {None: self._files}
        self._turns = Turns()

    @property
    def pid(self) -> int | None:
        """Process id of the one with the GPU, or None where none is running."""
        return self._gpu.pid

    def devices(self) -> DeviceList:
        """The GPUs with their free memory.

        Raises:
            WorkerError: The process could not be started, or is broken.
        """
        with self._turns.take(0, _ASKING_LIMIT) as flights:
            answer = flights.ask(self._gpu, ListDevices(), need=self._need())
            if isinstance(answer, Death):
                return DeviceList(problem=f"The driver could not be asked. {_why(answer, flights)}")
            found: DeviceList = answer
            return replace(found, sanitizer=find_sanitizer() is not None)

    def inspect(self, request: InspectRequest) -> KernelFacts | Diagnostic:
        """What the driver says about a kernel, or why it says nothing.

        Raises:
            WorkerError: See `devices`.
        """
        with self._turns.take(0, _ASKING_LIMIT) as flights:
            self._enter(request.confined_to)
            answer = flights.ask(self._gpu, request, need=self._need())
            if isinstance(answer, Death):
                return _error(_why(answer, flights))
            told: KernelFacts | Diagnostic = answer
            return told

    def launch(
        self,
        request: LaunchRequest,
        *,
        ticket: int = 0,
        on_event: Callable[[LaunchEvent], None] = lambda event: None,
        asked_at: float | None = None,
    ) -> LaunchResult:
        """Launch and wait for the result.

        Args:
            request: What to launch.
            ticket: The number by which `cancel` knows this call.
            on_event: Called in this thread with everything that happens meanwhile.
            asked_at: When the user asked for it, by `time.monotonic`; now where left out.

        Raises:
            WorkerError: See `devices`.
        """
        asked_at = time.monotonic() if asked_at is None else asked_at
        diary = _Diary(on_event)
        with self._turns.take(ticket, request.timeout) as flights:
            self._enter(request.confined_to)
            try:
                result = self._carry_out(request, flights, diary, asked_at)
            except OSError as error:
                told = _error(
                    f"The files of the launch cannot be kept: {error.strerror or error}.",
                    "Make room in the folder for temporary files, or set TMPDIR to another one.",
                )
                result = _failed(request, LaunchOutcome.FAILED, told)
            self._files.trim()
        return replace(
            result,
            # A process that was killed has told this, and takes nothing along.
            console=result.console or diary.printed,
            total_ms=(time.monotonic() - asked_at) * 1000,
        )

    def cancel(self, ticket: int) -> None:
        """End the launch with this ticket, by killing its processes; one yet to come, too."""
        self._turns.cancel(ticket)
        if self._turns.has(ticket):
            self._calculator.cancel()

    def rest(self) -> None:
        """End the idle process with the GPU, which gives all its memory back."""
        with self._turns.idle():
            self._gpu.rest()

    def close(self) -> None:
        """Kill all processes for good and remove all files. A launch in progress is cancelled."""
        self._calculator.cancel()
        with self._turns.closing():
            self._gpu.close()
            self._calculator.close()
            for files in self._all_files.values():
                files.close()

    def _enter(self, confined_to: tuple[str, ...] | None) -> None:
        """Work for builds that are confined like this.

        What nobody trusts may have taken over the processes it was in, and the files that those
        may write: others have processes and files of their own. The files of one other that nobody
        trusts are kept, and the user's own.
        """
        if confined_to not in (None, self._confined_to):
            for other in self._all_files.keys() - {None, confined_to}:
                self._all_files.pop(other).close()
        self._confined_to = confined_to
        self._files = self._all_files.setdefault(confined_to, LaunchFiles())

    def _carry_out(
        self,
        request: LaunchRequest,
        flights: Flights,
        tell: _Diary,
        asked_at: float,
    ) -> LaunchResult:
        try:
            prepared = self._files.prepare(request, self._calculator, tell)
        except CalculationError as error:
            if flights.ending is None:
                return _failed(request, LaunchOutcome.REFUSED, _error(str(error)))
            prepared = {}
        call = Launch(
            request,
            tuple((name, str(path)) for name, path in prepared.items()),
            str(self._files.new_run()),
            asked_at,
        )
        if request.sanitizer is None:
            answer = flights.ask(self._gpu, call, tell, self._need())
            self._warm_up(request.device)
        else:
            try:
                with sanitized(request.sanitizer, LAUNCHING) as run:
                    bare = replace(call, request=_bare(request))
                    answer = flights.ask(run.host, bare, tell, self._need())
                if isinstance(answer, LaunchResult):
                    answer = replace(answer, findings=run.findings)
            except SanitizerMissing as missing:
                return _failed(request, LaunchOutcome.MISSING, _error(str(missing)))
        if isinstance(answer, Death):
            return _ended(request, answer, flights.ending, tell.doing)
        checks = self._checks(request, answer, prepared, tell)
        if checks and flights.ending is Ending.CANCEL:
            return _failed(request, LaunchOutcome.CANCELLED)
        return judged(request, replace(answer, checks=checks))

    def _need(self) -> Need:
        """The GPU, what buffers begin with, and the folder of what kernels have written.

        Raises:
            WorkerError: The folder cannot be made.
        """
        try:
            folder, runs = map(os.path.realpath, (self._files.folder, self._files.runs))
        except OSError as error:
            raise WorkerError(
                f"The files of launches cannot be kept: {error.strerror or error}. Make room in "
                "the folder for temporary files, or set TMPDIR to another one."
            ) from error
        return Need(Access((folder,), (runs,), gpu=True, confined_to=self._confined_to))

    def _checks(
        self,
        request: LaunchRequest,
        result: LaunchResult,
        prepared: dict[str, Path],
        tell: Callable[[LaunchEvent], None],
    ) -> tuple[CheckResult, ...]:
        if result.outcome is not LaunchOutcome.RAN or not request.expectations:
            return ()
        tell(LaunchProgress("checking the results"))
        held = {buffer.name: buffer for buffer in result.buffers if buffer.path}
        made = []
        for expectation in request.expectations:
            buffer = held.get(expectation.buffer)
            if buffer is None:
                made.append(unchecked(expectation, "it is no output of this kernel"))
                continue
            check = self._calculator.check(
                expectation,
                element=buffer.element,
                length=buffer.length,
                got=Path(buffer.path),
                values=request.values,
                buffers=request.buffers,
                prepared=prepared,
                relative=request.relative,
                absolute=request.absolute,
                timeout=max(_LEAST_CHECK, request.timeout),
                confined_to=request.confined_to,
            )
            made.append(check)
        return tuple(made)

    def _warm_up(self, device: int) -> None:
        """Have a process that was just replaced open the GPU before it is asked to."""
        if self._gpu.pid is None or self._gpu.worn:
            return

        need = self._need()

        def warm() -> None:
            flights = Flights(_WARM_UP_LIMIT)
            flights.start_clock()
            # Whatever is wrong with the GPU is told at the next launch.
            with contextlib.suppress(WorkerError):
                flights.ask(self._gpu, WarmUp(device), need=need)
            flights.stop_clock()

        threading.Thread(target=warm, daemon=True).start()


def _bare(request: LaunchRequest) -> LaunchRequest:
    """One launch with nothing of ours around it: what a sanitizer sees shall be the kernel's.

    Zones of ours would hide from it where a buffer ends.
    """
    return replace(request, repeats=0, poison=False, guards=False)


class _Diary:
    """Hands on what happens in a launch, and remembers what a killed process cannot tell.

    Attributes:
        doing: What was being done last.
        printed: What the kernel has printed.
    """

    def __init__(self, on_event: Callable[[LaunchEvent], None]) -> None:
        self._on_event = on_event
        self.doing = "starting"
        self.printed = ""

    def __call__(self, event: LaunchEvent) -> None:
        match event:
            case LaunchProgress(doing):
                self.doing = doing
            case ConsoleText(text):
                self.printed += text
        self._on_event(event)


def _ended(request: LaunchRequest, death: Death, ending: Ending | None, doing: str) -> LaunchResult:
    """A launch whose process died or was killed while it was doing this."""
    match ending:
        case Ending.CANCEL:
            return _failed(request, LaunchOutcome.CANCELLED)
        case Ending.TIME_LIMIT:
            told = _error(
                f"{request.title} had not ended after {request.timeout:g} s, the time limit, while "
                f"{doing}; its process was ended. {_KEPT}",
                "A loop that never ends, a barrier that not all threads reach, or threads that "
                "wait for one another are the usual causes of a kernel that does not end; or the "
                "work takes that long: raise the limit.",
            )
            return _failed(request, LaunchOutcome.TIMED_OUT, told)
        case None:
            return _failed(request, LaunchOutcome.CRASHED, _error(_last_words(death)))


def _why(death: Death, flights: Flights) -> str:
    """Why a question was not answered."""
    match flights.ending:
        case Ending.CANCEL:
            return "It was cancelled."
        case Ending.TIME_LIMIT:
            return f"There was no answer within {flights.limit:g} s. Does another program hold it?"
        case None:
            return _last_words(death)


def _last_words(death: Death) -> str:
    _, what = cause_of_death(death)
    return f"The launch process {what} {_KEPT}"


def _failed(request: LaunchRequest, outcome: LaunchOutcome, *told: Diagnostic) -> LaunchResult:
    return LaunchResult(outcome, request.title, diagnostics=told)


def _error(message: str, explanation: str = "") -> Diagnostic:
    return Diagnostic(Severity.ERROR, "", None, None, message, explanation=explanation)
