"""Carries out the plan of a build: hands steps to workers as the inputs become known."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from jitstudio.cache.results import Cache, Mark
from jitstudio.core.code import LINKED, TILE_PART, Artifact, Source, split_variant
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.events import Event, Notice, Problem, StageFinished, StageStarted
from jitstudio.core.kernel_resources import function_alone
from jitstudio.core.plan import Job, JobDependencies, PlanStep, Ref, nothing_to_link
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import Crash, Outcome
from jitstudio.core.tools import CUDA_COMPILERS, TILE_TOOLS, Tool
from jitstudio.worker.calls import Ending, RunningCalls
from jitstudio.worker.crash_report import crash_after_death, crash_after_time_limit
from jitstudio.worker.host import ChildDeath, WorkerHost
from jitstudio.worker.pool import Pool
from jitstudio.worker.protocol import Call, Done
from jitstudio.worker.sandbox.access import Need
from jitstudio.worker.sandbox.needs import HeaderRefused, HeaderScan, need_of


class Schedule:
    """Steps and the inputs still missing. Steps are numbered in the order of the plan.

    Args:
        request: The build.
        steps: Its plan.
        before: The number of steps that were done before these; the first is the next one.
    """

    def __init__(self, request: BuildRequest, steps: tuple[PlanStep, ...], before: int = 0) -> None:
        self._request = request
        self._waiting = dict(enumerate(steps, before + 1))
        self._total = before + len(steps)
        self._contents = dict(map(_reference, request.sources))
        self._inputs = frozenset(self._contents)

    @property
    def total(self) -> int:
        """The number of steps in the plan."""
        return self._total

    def take_ready(self) -> list[tuple[int, Job]]:
        """Returns the steps that have all they need, each given once, in the order of the plan."""
        ready = [
            number
            for number, step in self._waiting.items()
            if all(ref in self._contents for ref in step.inputs)
        ]
        return [(number, self._job(self._waiting.pop(number))) for number in ready]

    def take_incomplete(self) -> list[tuple[int, Job]]:
        """Returns the steps that link or pack several pieces of code, with those that are there.

        For when no more will be made: of tile functions and others a module may have one kind.
        Links come first, as their results are packed.
        """
        for tool in (Tool.NVJITLINK, Tool.NVFATBIN):
            for number, step in self._waiting.items():
                present = tuple(ref for ref in step.inputs if ref in self._contents)
                if step.tool is tool and present:
                    self._waiting[number] = replace(step, inputs=present)
            if ready := self.take_ready():
                return ready
        return []

    def link_of_nothing(self) -> tuple[int, str] | None:
        """Returns a link that has no piece of code, and why; None if there is none."""
        links = ((n, s) for n, s in self._waiting.items() if s.tool is Tool.NVJITLINK)
        number, step = next(links, (0, None))
        return (number, nothing_to_link(ref.name for ref in step.inputs)) if step else None

    def add(self, artifacts: Iterable[Artifact]) -> None:
        """Takes note of an artifact that others may wait for."""
        self._contents.update({Ref(a.kind, a.name): a.content for a in artifacts})

    def _job(self, step: PlanStep) -> Job:
        request = self._request
        module, _, _ = split_variant(step.name)
        source = next((s for s in request.sources if s.name == module), None)
        nvrtc, nvvm = step.tool is Tool.NVRTC, step.tool is Tool.NVVM
        return Job(
            tool=step.tool,
            name=step.name,
            inputs=tuple((ref, self._contents[ref]) for ref in step.inputs),
            makes=step.makes,
            options=step.options,
            headers=request.headers if step.tool in CUDA_COMPILERS else (),
            name_expressions=source.name_expressions if nvrtc and source else (),
            libraries=tuple(map(_reference, request.libraries)) if nvvm else (),
            libdevice=nvvm and request.libdevice,
            entry=request.entry if nvvm else "",
            cacheable=request.use_cache,
            keep_host_code=nvrtc and request.keep_host_code,
            precompile=nvrtc and request.precompile_headers,
            final=self._is_final(step, module),
            confined_to=request.confined_to,
            toolchain=request.toolchain,
            function=self._function(step),
            python=request.python if step.tool is Tool.PYTHON else "",
            folder=source.folder if step.tool is Tool.PYTHON and source else "",
        )

    def _function(self, step: PlanStep) -> str:
        if step.tool is not Tool.NVDISASM:
            return ""
        return function_alone(self._contents[step.inputs[0]], self._request.function)

    def _is_final(self, step: PlanStep, module: str) -> bool:
        if step.tool is Tool.NVDISASM and not self._inputs.issuperset(step.inputs):
            return False  # the step that built the cubin has listed its kernels
        is_apart = TILE_PART in step.name or step.tool in TILE_TOOLS
        return self._request.link is LinkMode.NONE or module == LINKED or is_apart


def _reference(source: Source) -> tuple[Ref, bytes]:
    return Ref(source.kind, source.name), source.content


@dataclass
class _Step:
    """A step that waits for a worker, or has a worker.

    Attributes:
        number: Its place in the plan.
        job: The job to do.
        mark: The properties that distinguish the job, now; None if the result is not kept.
        need: The files that the worker must be able to reach, and may.
        host: Its worker.
        ticket: The number of the call.
        thread: Where the call is made; None for the thread of `Execution.run`.
        started: The worker's report at the beginning.
        finished: The worker's report at the end.
        refused: Whether it reported why it cannot begin.
    """

    number: int
    job: Job
    mark: Mark | None
    need: Need
    host: WorkerHost | None = None
    ticket: int = 0
    thread: threading.Thread | None = None
    started: StageStarted | None = None
    finished: StageFinished | None = None
    refused: bool = False

    @property
    def begun(self) -> StageStarted:
        """The worker's report at the beginning, or the report that the worker would have made."""
        job = self.job
        started = self.started or StageStarted(job.tool, "", job.name, job.options)
        return replace(started, step=self.number)


_LAST_WAIT = 10.0
"""Seconds to wait for a killed worker; a hung driver can hold it longer."""

_Report = Event | Done[JobDependencies] | ChildDeath | BaseException


class Execution:
    """Carries out a schedule; everything but calls at the same time is in a single thread."""

    def __init__(
        self,
        pool: Pool,
        cache: Cache | None,
        headers: HeaderScan,
        calls: RunningCalls,
        schedule: Schedule,
        tell: Callable[[Event], None],
    ) -> None:
        self._schedule = schedule
        self._pool = pool
        self._cache = cache
        self._headers = headers
        self._calls = calls
        self._tell = tell
        self._cut_short = False
        self._went_wrong = False
        self._waiting: list[_Step] = []
        self._working: dict[int, _Step] = {}
        self._reports: queue.SimpleQueue[tuple[_Step, _Report]] = queue.SimpleQueue()

    def run(self) -> bool:
        """Works until nothing more can be done; returns False if ended before that."""
        self._pool.begin()
        try:
            while self._go_on():
                pass
            return not self._cut_short
        except BaseException:
            self._abandon()
            raise
        finally:
            self._pool.end()

    def _go_on(self) -> bool:
        """Begins ready steps and takes answers; returns whether there were any."""
        self._queue_ready()
        if self._waiting and not self._working and not self._pool.wait(self._is_over):
            self._cut_short = True
            return False
        if len(self._waiting) == 1 and not self._working:
            # Nothing else can happen meanwhile, and a thread costs more than a call.
            return self._begin(self._waiting.pop())
        # Those whose home is free choose first.
        self._waiting.sort(
            key=lambda step: (not self._pool.is_home_free(step.job.name), step.number)
        )
        while self._waiting and self._begin(self._waiting[0], aside=True):
            del self._waiting[0]
        if not self._working:
            return False
        self._take_in(*self._reports.get())
        return True

    def _queue_ready(self) -> None:
        """Takes ready steps from the cache where possible, and queues the rest for a worker."""
        while ready := self._schedule.take_ready() or self._rest():
            for number, job in ready:
                mark = self._cache.mark(job) if self._cache else None
                if mark is None and job.cacheable:
                    job = replace(job, cacheable=False)
                stored = self._cache.find(mark) if self._cache and mark else None
                if stored is not None:
                    self._finish(number, stored)
                    continue
                try:
                    need = need_of(job, self._headers)
                except HeaderRefused as error:
                    self._fail(number, str(error))
                else:
                    self._waiting.append(_Step(number, job, mark, need))

    def _rest(self) -> list[tuple[int, Job]]:
        """Returns the steps that can do without missing code, if nothing went wrong."""
        if self._waiting or self._working or self._went_wrong:
            return []
        steps = self._schedule.take_incomplete()
        if not steps and (link := self._schedule.link_of_nothing()):
            self._fail(*link)
        return steps

    def _fail(self, number: int, reason: str) -> None:
        diagnostic = Diagnostic(Severity.ERROR, "", None, None, reason)
        self._went_wrong = True
        self._tell(Problem(Outcome.FAILED, diagnostic, step=number))

    def _begin(self, step: _Step, *, aside: bool = False) -> bool:
        """Hands a step to a worker, aside in a thread of its own.

        Returns:
            Whether that began; not where no worker is free, or the build is over.
        """
        host = self._pool.take(step.job.name, step.need)
        if host is None:
            return False
        ticket = self._calls.begin(host)
        if ticket is None:
            self._pool.give(host)
            self._cut_short = True
            return False
        step.host, step.ticket = host, ticket
        self._working[ticket] = step
        if aside:
            # A daemon, so that a hung driver cannot keep the program from ending.
            call = (step, host, self._post)
            step.thread = threading.Thread(target=_call, args=call, daemon=True)
            step.thread.start()
        else:
            _call(step, host, self._take_in)
        return True

    def _is_over(self) -> bool:
        return self._calls.ending is not None

    def _post(self, step: _Step, report: _Report) -> None:
        self._reports.put((step, report))

    def _take_in(self, step: _Step, report: _Report) -> None:
        match report:
            case StageStarted() if step.started is not None:
                pass  # the second try of `_call`
            case StageStarted():
                step.started = replace(report, step=step.number, steps=self._schedule.total)
                self._tell(step.started)
            case StageFinished() if step.finished is not None:
                pass  # a step ends once, whatever a worker says
            case StageFinished():
                step.finished = report
                self._finish(step.number, report)
            case Problem():
                step.refused = self._went_wrong = True
                self._tell(replace(report, step=step.number))
            case Notice():
                self._tell(report)
            case _:
                self._end_call(step, report)

    def _end_call(
        self, step: _Step, report: Done[JobDependencies] | ChildDeath | BaseException
    ) -> None:
        """Frees the worker of a call that is over, in whichever way."""
        self._release(step, isinstance(report, Done) and report.chores)
        if isinstance(report, Done) and step.finished is None and not step.refused:
            report = ChildDeath(killed=False, nonsense="it ended without a result")
        match report:
            case Done(answer=JobDependencies() as basis):
                if self._cache and step.mark and step.finished:
                    self._cache.keep(step.mark, basis, step.finished)
            case ChildDeath():
                crash = self._crash(step.job.tool, report)
                self._went_wrong = True
                if crash is not None:
                    self._tell(step.begun.lost(crash, report.stderr))
            case BaseException():
                raise report

    def _crash(self, tool: Tool, death: ChildDeath) -> Crash | None:
        """Returns the crash of a worker; None for a kill that the user wanted."""
        if not death.killed:
            return crash_after_death(tool, death)
        self._cut_short = True
        if self._calls.ending is Ending.TIME_LIMIT:
            return crash_after_time_limit(tool, self._calls.limit or 0)
        return None

    def _release(self, step: _Step, chores: bool = False) -> None:
        del self._working[step.ticket]
        self._calls.end(step.ticket)
        if step.host is not None:
            self._pool.give(step.host, step.job.name, chores)

    def _finish(self, number: int, finished: StageFinished) -> None:
        self._tell(replace(finished, step=number))
        self._went_wrong |= not finished.stage.ok
        self._schedule.add(finished.artifacts)

    def _abandon(self) -> None:
        """Leaves no worker with a call that nobody waits for, after an exception."""
        self._calls.stop(Ending.CANCEL)
        for step in list(self._working.values()):
            if step.thread is not None:
                step.thread.join(_LAST_WAIT)
            self._release(step)


def _call(step: _Step, host: WorkerHost, tell: Callable[[_Step, _Report], None]) -> None:
    """Has a step done and reports everything, the end included.

    A crash in a child that has worked before is tried once more in a fresh one, as what the
    libraries keep from one job to the next can kill them: nvJitLink 13.5 dies of a symbol
    defined twice if it has done an LTO link before, and only then. Not so where the result had
    been reported already: others may build on it.
    """
    call = Call(step.ticket, step.job)
    answer: _Report
    finished = False

    def tell_event(event: Event) -> None:
        nonlocal finished
        finished = finished or isinstance(event, StageFinished)
        tell(step, event)

    try:
        again = host.has_served
        answer = host.ask(call, tell_event, step.need)
        if again and not finished and isinstance(answer, ChildDeath) and answer.by_itself:
            answer = host.ask(call, tell_event, step.need)
    except BaseException as error:
        answer = error
    tell(step, answer)
