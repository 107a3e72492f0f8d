"""Carries out launches: a process with the GPU or the simulator, an evaluator, and files.

The files are what passes between them: the content of buffers before and after a launch.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from jitstudio.analysis.reading_request import AnalysisRequest
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.agreement import COMPARED, OTHER, agreed, expectation_of
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.judging import judged
from jitstudio.core.launch.request import (
    Argument,
    Buffer,
    Direction,
    Fill,
    FillKind,
    InspectRequest,
    LaunchRequest,
)
from jitstudio.core.launch.result import (
    CheckResult,
    ConsoleText,
    KernelFacts,
    LaunchEvent,
    LaunchOutcome,
    LaunchProgress,
    LaunchResult,
    unchecked,
)
from jitstudio.core.launch.spec import Sanitizer
from jitstudio.core.tools import FileStamp
from jitstudio.worker import scratch
from jitstudio.worker.calls import CallQueue, Ending, RunningCalls
from jitstudio.worker.compute_sanitizer import SanitizerMissing, find_sanitizer, sanitized
from jitstudio.worker.crash_report import cause_of_death
from jitstudio.worker.evaluator import CalculationError, HostEvaluator
from jitstudio.worker.host import ChildDeath, WorkerError, WorkerHost
from jitstudio.worker.limits import default_memory_limit
from jitstudio.worker.programs.disassemble import DISASSEMBLING
from jitstudio.worker.programs.launch import (
    LAUNCHING,
    SIMULATING,
    LaunchCommand,
    ListDevices,
    WarmUp,
)
from jitstudio.worker.sandbox.access import Need, SandboxAccess

_ASKING_LIMIT = 60.0
_WARM_UP_LIMIT = 20.0
_LEAST_CHECK = 10.0
_KEPT = "Your form and your text are kept, and the next launch runs in a fresh process."
_NO_LIMIT = 0


class Launcher:
    """Launches kernels, in turn, in separate processes.

    Calls block; make them from a thread that may wait. `cancel` and `close` are safe from any
    other thread.
    """

    def __init__(self) -> None:
        self._gpu = WorkerHost(_NO_LIMIT, LAUNCHING)
        self._simulator = WorkerHost(default_memory_limit(), SIMULATING)
        self._code_reader = WorkerHost(default_memory_limit(), DISASSEMBLING)
        self._code_read: dict[tuple[bytes, str], Disassembly] = {}
        self._evaluator = HostEvaluator()
        self._confined_to: tuple[str, ...] | None = None
        self._files = LaunchFiles()
        self._all_files: dict[tuple[str, ...] | None, LaunchFiles] = {None: self._files}
        self._queue = CallQueue()

    @property
    def pid(self) -> int | None:
        """The process id of the child with the GPU, or None if none is running."""
        return self._gpu.pid

    def devices(self) -> DeviceList:
        """Returns the GPUs with their free memory.

        Raises:
            WorkerError: The process could not be started, or is broken.
        """
        with self._queue.take(0, _ASKING_LIMIT) as calls:
            answer = calls.ask(self._gpu, ListDevices(), need=self._need())
            if isinstance(answer, ChildDeath):
                return DeviceList(problem=f"The driver could not be asked. {_why(answer, calls)}")
            listed: DeviceList = answer
            return replace(listed, sanitizer=find_sanitizer() is not None)

    def inspect(self, request: InspectRequest) -> KernelFacts | Diagnostic:
        """Returns the driver's facts about a kernel, or why there are none.

        Raises:
            WorkerError: See `devices`.
        """
        with self._queue.take(0, _ASKING_LIMIT) as calls:
            self._enter(request.confined_to)
            answer = calls.ask(self._gpu, request, need=self._need())
            if isinstance(answer, ChildDeath):
                return _error(_why(answer, calls))
            facts: KernelFacts | Diagnostic = answer
            return facts

    def launch(
        self,
        request: LaunchRequest,
        *,
        ticket: int = 0,
        on_event: Callable[[LaunchEvent], None] = lambda event: None,
        asked_at: float | None = None,
        rival: LaunchRequest | None = None,
        rival_build: str = "",
    ) -> LaunchResult:
        """Launches and waits for the result.

        Args:
            request: The launch.
            ticket: The number by which `cancel` knows this call.
            on_event: Called in this thread with everything that happens meanwhile.
            asked_at: When the user asked for the launch, by `time.monotonic`; now if left out.
            rival: The same launch elsewhere or of another build, which runs next; what it leaves
                is compared with what this one does.
            rival_build: The options of the rival's build, in words; empty for the same build.

        Raises:
            WorkerError: See `devices`.
        """
        asked_at = time.monotonic() if asked_at is None else asked_at
        diary = _Diary(on_event)
        limit = request.timeout * (1 if rival is None else 2)
        with self._queue.take(ticket, limit) as calls:
            self._enter(request.confined_to)
            try:
                result = self._carry_out(request, calls, diary, asked_at)
                if rival is not None and result.outcome in COMPARED and calls.ending is None:
                    result = self._compared(request, result, rival, rival_build, calls, on_event)
            except OSError as error:
                diagnostic = _error(*scratch.unkept(error))
                result = _failed(request, LaunchOutcome.FAILED, diagnostic)
            result = replace(
                result,
                # A process that was killed has reported this, and takes nothing along.
                console=result.console or diary.printed,
                total_ms=(time.monotonic() - asked_at) * 1000,
            )
            simulated = request if request.is_simulated else rival
            result = self._as_executed(simulated, result, calls, diary)
            self._files.trim()
        return result

    def inputs(self, request: LaunchRequest) -> dict[str, Path]:
        """Returns the .npy files of the buffers that files and expressions fill.

        The launch that follows does not fill them again.

        Raises:
            CalculationError: One cannot be filled.
            WorkerError: See `devices`; also where the files cannot be made.
        """
        with self._queue.take(0, request.timeout) as calls:
            self._enter(request.confined_to)
            try:
                return self._files.prepare(request, self._evaluator, calls, lambda _: None)
            except OSError as error:
                raise WorkerError(" ".join(scratch.unkept(error))) from error

    def cancel(self, ticket: int) -> None:
        """Ends the launch with this ticket, by killing the processes; a launch yet to come, too."""
        self._queue.cancel(ticket)
        if self._queue.has(ticket):
            self._evaluator.cancel()

    def rest(self) -> None:
        """Ends the idle process with the GPU, which frees all memory there."""
        with self._queue.idle():
            self._gpu.rest()

    def close(self) -> None:
        """Kills all processes for good and removes all files. A launch in progress is cancelled."""
        self._evaluator.cancel()
        with self._queue.closing():
            self._gpu.close()
            self._simulator.close()
            self._code_reader.close()
            self._evaluator.close()
            for files in self._all_files.values():
                files.close()

    def _enter(self, confined_to: tuple[str, ...] | None) -> None:
        """Works for builds that are confined like this.

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
        calls: RunningCalls,
        tell: _Diary,
        asked_at: float,
    ) -> LaunchResult:
        try:
            prepared = self._files.prepare(request, self._evaluator, calls, tell)
        except CalculationError as error:
            if calls.ending is None:
                return _failed(request, LaunchOutcome.REFUSED, _error(str(error)))
            prepared = {}
        call = LaunchCommand(
            request,
            tuple((name, str(path)) for name, path in prepared.items()),
            str(self._files.new_run()),
            asked_at,
        )
        if request.is_simulated:
            alone = replace(call, request=request.alone)
            answer = calls.ask(self._simulator, alone, tell, self._need(gpu=False))
        elif request.sanitizer is None:
            answer = calls.ask(self._gpu, call, tell, self._need())
            self._warm_up(request.device)
        else:
            try:
                with sanitized(request.sanitizer, LAUNCHING) as run:
                    bare = replace(call, request=_bare(request))
                    answer = calls.ask(run.host, bare, tell, self._need())
                if isinstance(answer, LaunchResult):
                    answer = replace(answer, findings=run.findings)
            except SanitizerMissing as missing:
                return _failed(request, LaunchOutcome.MISSING, _error(str(missing)))
        if isinstance(answer, ChildDeath):
            return _ended(request, answer, calls.ending, tell.doing)
        checks = self._checks(request, answer, prepared, calls, tell)
        if checks and calls.ending is Ending.CANCEL:
            return _failed(request, LaunchOutcome.CANCELLED)
        return judged(request, replace(answer, checks=checks))

    def _as_executed(
        self,
        request: LaunchRequest | None,
        result: LaunchResult,
        calls: RunningCalls,
        tell: Callable[[LaunchEvent], None],
    ) -> LaunchResult:
        """Returns a simulated launch, with advice compared to texts and machine code.

        What is not read in the time that the launch has left leaves the advice as it is: assumed.
        """
        run = result.simulation
        if run is None or request is None:
            return result
        # Only here: the window has a launcher from the start on.
        from jitstudio.analysis.findings.executed import (  # noqa: PLC0415
            as_executed,
            is_to_compare,
        )
        from jitstudio.analysis.findings.library_calls import with_library_calls  # noqa: PLC0415

        run = with_library_calls(run, request.sources)
        result = replace(result, simulation=run)
        if not request.counterpart or not is_to_compare(run):
            return result
        tell(LaunchProgress("reading the machine code"))
        # The code of functions that a kernel calls is read with all that there is.
        function = "" if b".func" in request.code else request.kernel
        key = request.counterpart, function
        if (code := self._code_read.get(key)) is None:
            asked = AnalysisRequest(
                request.counterpart, request.title, function=function, counts_live=False
            )
            access = SandboxAccess(confined_to=request.confined_to)
            try:
                code = calls.ask(self._code_reader, asked, need=Need(access))
                self._code_reader.rest()
            except WorkerError:
                return result  # What was launched is there all the same.
            if not isinstance(code, Disassembly):
                return result
            self._code_read = {key: code}
        functions = [f for f in code.functions if f.name == request.kernel or not f.is_kernel]
        return replace(result, simulation=as_executed(run, functions) if functions else run)

    def _need(self, *, gpu: bool = True) -> Need:
        """Returns the need of a launch: the GPU, files that fill buffers, and the output folder.

        Args:
            gpu: Whether the GPU is needed.

        Raises:
            WorkerError: The folder cannot be made.
        """
        try:
            folder, runs = map(os.path.realpath, (self._files.folder, self._files.runs))
        except OSError as error:
            raise WorkerError(" ".join(scratch.unkept(error))) from error
        return Need(SandboxAccess((folder,), (runs,), gpu=gpu, confined_to=self._confined_to))

    def _checks(
        self,
        request: LaunchRequest,
        result: LaunchResult,
        prepared: dict[str, Path],
        calls: RunningCalls,
        tell: Callable[[LaunchEvent], None],
    ) -> tuple[CheckResult, ...]:
        if result.outcome is not LaunchOutcome.RAN or not request.expectations:
            return ()
        if result.simulation and result.simulation.is_partial:
            return ()  # what the other blocks write is not there
        tell(LaunchProgress("checking the results"))
        outputs = {buffer.name: buffer for buffer in result.buffers if buffer.path}
        checks = []
        for expectation in request.expectations:
            if calls.ending is not None:
                break
            buffer = outputs.get(expectation.buffer)
            if buffer is None:
                checks.append(unchecked(expectation, "it is not an output of this kernel"))
                continue
            check = self._evaluator.check(
                expectation,
                element=buffer.element,
                length=buffer.length,
                got=Path(buffer.path),
                values=request.values,
                buffers=request.buffers,
                prepared=prepared,
                relative=request.relative,
                absolute=request.absolute,
                integer_tolerance=request.integer_tolerance,
                timeout=max(_LEAST_CHECK, request.timeout),
                confined_to=request.confined_to,
            )
            checks.append(check)
        return tuple(checks)

    def _compared(
        self,
        request: LaunchRequest,
        result: LaunchResult,
        rival: LaunchRequest,
        build: str,
        calls: RunningCalls,
        on_event: Callable[[LaunchEvent], None],
    ) -> LaunchResult:
        """Returns a result with the comparison to another run of the launch."""

        def heard(event: LaunchEvent) -> None:
            # The kernel prints the same again.
            if not isinstance(event, ConsoleText):
                on_event(event)

        other = self._carry_out(rival, calls, _Diary(heard), time.monotonic())
        if calls.ending is Ending.CANCEL:
            return _failed(request, LaunchOutcome.CANCELLED)
        heard(LaunchProgress("comparing both runs"))
        checks = []
        theirs = {buffer.name: buffer for buffer in other.buffers if buffer.path}
        partial = any(run.simulation and run.simulation.is_partial for run in (result, other))
        for own in result.buffers:
            if not own.path or own.name not in theirs or partial or calls.ending is not None:
                continue
            there = Buffer(OTHER, own.element, 0, own.length)
            checks.append(
                self._evaluator.check(
                    expectation_of(own),
                    element=own.element,
                    length=own.length,
                    got=Path(own.path),
                    values={},
                    buffers=(there,),
                    prepared={OTHER: Path(theirs[own.name].path)},
                    relative=request.relative,
                    absolute=request.absolute,
                    integer_tolerance=request.integer_tolerance,
                    timeout=max(_LEAST_CHECK, request.timeout),
                    confined_to=request.confined_to,
                )
            )
        return agreed(result, other, checks, build)

    def _warm_up(self, device: int) -> None:
        """Has a process that was just replaced open the GPU before the next request."""
        if self._gpu.pid is None or self._gpu.has_served:
            return

        need = self._need()

        def warm() -> None:
            calls = RunningCalls(_WARM_UP_LIMIT)
            calls.start_clock()
            # Whatever is wrong with the GPU is reported at the next launch.
            with contextlib.suppress(WorkerError):
                calls.ask(self._gpu, WarmUp(device), need=need)
            calls.stop_clock()

        threading.Thread(target=warm, daemon=True).start()


def _bare(request: LaunchRequest) -> LaunchRequest:
    """Returns a launch without additions of ours: a sanitizer's findings shall be the kernel's.

    Zones of ours would hide from it where a buffer ends, and what fills an output that the kernel
    reads before it writes it.
    """
    arguments = request.arguments
    if request.sanitizer is Sanitizer.INITCHECK:
        arguments = tuple(map(_unfilled, arguments))
    return replace(request, repeats=0, poison=False, guards=False, arguments=arguments)


def _unfilled(argument: Argument) -> Argument:
    """Returns an output without a fill; other arguments unchanged."""
    if not isinstance(argument, Buffer) or argument.texels is not None:
        return argument
    if argument.direction is Direction.OUT:
        return replace(argument, fill=Fill(FillKind.UNFILLED))
    return argument


class _Diary:
    """Hands on the events of a launch, and remembers facts that a killed process cannot report.

    Attributes:
        doing: The last activity.
        printed: The text that the kernel has printed.
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


def _ended(
    request: LaunchRequest, death: ChildDeath, ending: Ending | None, doing: str
) -> LaunchResult:
    """Returns a launch whose process died or was killed during `doing`."""
    match ending:
        case Ending.CANCEL:
            return _failed(request, LaunchOutcome.CANCELLED)
        case Ending.TIME_LIMIT:
            diagnostic = _error(
                f"{request.title} had not ended after {request.timeout:g} s, the time limit, while "
                f"{doing}; its process was ended. {_KEPT}",
                "A loop that never ends, a barrier that not all threads reach, or threads that "
                "wait for one another are the usual causes of a kernel that does not end; or the "
                "work takes that long: raise the limit.",
            )
            return _failed(request, LaunchOutcome.TIMED_OUT, diagnostic)
        case None:
            return _failed(request, LaunchOutcome.CRASHED, _error(_last_output(death)))


def _why(death: ChildDeath, calls: RunningCalls) -> str:
    """Returns why a question was not answered."""
    match calls.ending:
        case Ending.CANCEL:
            return "It was cancelled."
        case Ending.TIME_LIMIT:
            return f"There was no answer within {calls.limit:g} s. Does another program hold it?"
        case None:
            return _last_output(death)


def _last_output(death: ChildDeath) -> str:
    _, what = cause_of_death(death)
    return f"The launch process {what} {_KEPT}"


def _failed(request: LaunchRequest, outcome: LaunchOutcome, *errors: Diagnostic) -> LaunchResult:
    return LaunchResult(outcome, request.title, diagnostics=errors)


def _error(message: str, explanation: str = "") -> Diagnostic:
    return Diagnostic(Severity.ERROR, "", None, None, message, explanation=explanation)


_KEPT_RUNS = 2
_KEPT_FILLS = 16
_KEPT_BYTES = 1 << 30
"""Of all contents together that are kept for launches to come."""


class LaunchFiles:
    """A folder that is made at the first launch and lasts as long as the launcher.

    The outputs of the last run stay until the one after the next, as somebody may look at them.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._numbers = itertools.count(1)
        self._runs: list[Path] = []
        self._fills: OrderedDict[object, Path] = OrderedDict()

    def new_run(self) -> Path:
        """Returns an empty folder for the outputs of a launch.

        Raises:
            OSError: It cannot be made.
        """
        run = self.runs / f"run{next(self._numbers)}"
        run.mkdir()
        self._runs.append(run)
        return run

    def trim(self) -> None:
        """Removes files that nobody looks at any more; large files take a while."""
        while len(self._runs) > _KEPT_RUNS:
            scratch.remove(self._runs.pop(0))
        sizes = [_size(path) for path in self._fills.values()]
        while len(sizes) > _KEPT_FILLS or sum(sizes) > _KEPT_BYTES:
            _, path = self._fills.popitem(last=False)
            del sizes[0]
            with contextlib.suppress(OSError):
                path.unlink()

    def prepare(
        self,
        request: LaunchRequest,
        calculator: HostEvaluator,
        calls: RunningCalls,
        tell: Callable[[LaunchEvent], None],
    ) -> dict[str, Path]:
        """Makes files with the content of the buffers that a file or an expression fills.

        What has been made before for the same launch is not made again, and nothing more is made
        once the launch is to end.

        Raises:
            CalculationError: A file cannot be read, or an expression not be evaluated.
            OSError: The files cannot be made.
        """
        prepared: dict[str, Path] = {}
        values = request.values
        for buffer in _in_order(request.buffers):
            if calls.ending is not None:
                break
            key = (buffer, *values.items(), request.buffers, _age(buffer), *prepared.values())
            if key not in self._fills:
                tell(LaunchProgress(f"calculating '{buffer.name}'"))
                path = self._fill_folder / f"fill{next(self._numbers)}.npy"
                others = tuple(other for other in request.buffers if other != buffer)
                calculator.fill(
                    buffer,
                    values,
                    others,
                    prepared,
                    path,
                    timeout=request.timeout,
                    confined_to=request.confined_to,
                )
                self._fills[key] = path
            self._fills.move_to_end(key)
            prepared[buffer.name] = self._fills[key]
        return prepared

    def close(self) -> None:
        """Removes all files."""
        if self._folder is not None:
            scratch.remove(self._folder)

    @property
    def folder(self) -> Path:
        """Where they all are.

        Raises:
            OSError: It cannot be made.
        """
        if self._folder is None or not scratch.is_there(self._folder):
            self.close()
            self._folder = scratch.make("launch")
            self._runs.clear()
            self._fills.clear()
            for inner in (self.runs, self._fill_folder):
                inner.mkdir()
        return self._folder

    @property
    def runs(self) -> Path:
        """The folder of outputs of launches; the rest of the folder is not theirs to change.

        Raises:
            OSError: It cannot be made.
        """
        return self.folder / "runs"

    @property
    def _fill_folder(self) -> Path:
        return self.folder / "fills"


def _in_order(buffers: tuple[Buffer, ...]) -> Iterator[Buffer]:
    """Yields the buffers that need a file: from files first, as expressions may refer to these."""
    for kind in (FillKind.FILE, FillKind.EXPRESSION):
        yield from (buffer for buffer in buffers if buffer.length and buffer.fill.kind is kind)


def _size(path: Path) -> int:
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return 0


def _age(buffer: Buffer) -> FileStamp | None:
    """Distinguishes a file from earlier versions of itself; None where there is none."""
    if buffer.fill.kind is not FillKind.FILE:
        return None
    try:
        return FileStamp.of(buffer.fill.text.rpartition("::")[0] or buffer.fill.text)
    except OSError:
        return None
