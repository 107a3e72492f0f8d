"""Films the passes of the compilers in a build; see `core.passes`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from jitstudio.core.code import CodeKind, split_variant
from jitstudio.core.events import Event, StageFinished
from jitstudio.core.passes import Film, LimitedRun, PassesRequest, PassList
from jitstudio.core.plan import Job, Ref, plan
from jitstudio.core.request import DEFAULT_TIMEOUT, BuildRequest, LinkMode
from jitstudio.core.result import BuildResult, StageResult
from jitstudio.core.tools import Tool
from jitstudio.worker.builder import Builder
from jitstudio.worker.calls import Ending, SingleWorker
from jitstudio.worker.crash_report import cause_of_death
from jitstudio.worker.execution import Schedule
from jitstudio.worker.host import ChildDeath
from jitstudio.worker.programs.passes import FILMING
from jitstudio.worker.sandbox.needs import HeaderScan, need_of

_FILMED = (Tool.NVRTC, Tool.NVVM, Tool.NVJITLINK)


def ptx_request(request: BuildRequest) -> BuildRequest:
    """Returns the build of the PTX that a film is about."""
    link = request.link if request.link is LinkMode.LTO else LinkMode.NONE
    return replace(request, emit=frozenset({CodeKind.PTX}), link=link)


def build_for_film(
    builder: Builder, request: BuildRequest, *, ticket: int = 0, timeout: float = DEFAULT_TIMEOUT
) -> tuple[BuildResult, tuple[Job, ...]]:
    """Builds the PTX of a request; returns the result, and the runs that a film can be made of.

    Raises:
        WorkerError: See `Builder.build`.
    """
    request = ptx_request(request)
    finished: list[StageFinished] = []

    def hear(event: Event) -> None:
        if isinstance(event, StageFinished):
            finished.append(event)

    result = builder.build(request, ticket=ticket, on_event=hear, timeout=timeout)
    return result, tuple(_jobs(request, finished)) if result.ok else ()


def _jobs(request: BuildRequest, finished: Iterable[StageFinished]) -> Iterator[Job]:
    stages: dict[tuple[Tool, str], StageResult] = {}
    schedule = Schedule(request, plan(request))
    for event in finished:
        stages[event.stage.tool, event.stage.source] = event.stage
        schedule.add(event.artifacts)
    for _, job in schedule.take_ready():
        if CodeKind.PTX in job.makes and job.tool in _FILMED:
            yield _as_sent(job, stages[job.tool, job.name])


def _as_sent(job: Job, stage: StageResult) -> Job:
    """Returns a run with the texts and options that the tool has got in the build."""
    texts = {header.name: header.content for header in stage.copies}
    own = {split_variant(job.name)[0], *(ref.name for ref, _ in (*job.inputs, *job.libraries))}

    def with_copies(inputs: Iterable[tuple[Ref, bytes]]) -> tuple[tuple[Ref, bytes], ...]:
        return tuple((ref, texts.get(ref.name, content)) for ref, content in inputs)

    headers = [replace(h, content=texts.get(h.name, h.content)) for h in job.headers]
    known = own | {header.name for header in headers}
    return replace(
        job,
        inputs=with_copies(job.inputs),
        libraries=with_copies(job.libraries),
        headers=(*headers, *(copy for copy in stage.copies if copy.name not in known)),
        name_expressions=(*job.name_expressions, *stage.instances),
        options=stage.options,
        cacheable=False,
    )


class PassFilmer(SingleWorker):
    """Films runs, in turn.

    Args:
        memory_limit: See `SingleWorker`.
    """

    def __init__(self, memory_limit: int | None = None) -> None:
        super().__init__(FILMING, memory_limit)

    def film(
        self,
        request: PassesRequest,
        on_progress: Callable[[Film], None] = lambda _: None,
        *,
        ticket: int = 0,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> Film:
        """Films a run; what was filmed before an end that came early is in the film.

        Args:
            request: The run.
            on_progress: Called in this thread with the film so far.
            ticket: The number by which `cancel` knows it.
            timeout: Seconds after which it is ended.

        Raises:
            WorkerError: The process could not be started, or a bug of jitstudio's own broke it.
            HeaderRefused: The module includes what no compiler may be given.
        """
        job = request.job
        film = Film(job.name, job.tool)

        def hear(event: PassList | LimitedRun) -> None:
            nonlocal film
            film = _with(film, event)
            on_progress(film)

        need = need_of(job, HeaderScan())
        answer = self._ask(request, ticket, timeout, need, hear)
        return replace(film, problem=_problem(answer, film, timeout))

    def cancel(self, ticket: int) -> None:
        """Ends the film with this ticket; a film yet to come ends at once."""
        self._queue.cancel(ticket)


def _with(film: Film, event: PassList | LimitedRun) -> Film:
    match event:
        case PassList(passes, ptx):
            return replace(film, pass_list=event, ptx={len(passes): _text(ptx)})
        case LimitedRun(limit, error=error) if error:
            return replace(film, errors={**film.errors, limit: error})
        case LimitedRun(limit, ptx, same_as):
            text = _text(ptx) if same_as is None else film.ptx.get(same_as, "")
            return replace(film, ptx={**film.ptx, limit: text})


def _text(ptx: bytes) -> str:
    return ptx.decode("utf-8", "replace")


def _problem(answer: object, film: Film, timeout: float) -> str:
    """Returns why a film is not whole."""
    tried = ""
    if film.passes:
        tried = f" {len(film.ptx):,} of {len(film.passes) + 1:,} limits were tried."
    match answer:
        case Ending.CANCEL:
            return f"Stopped.{tried}"
        case Ending.TIME_LIMIT:
            return f"Stopped after {timeout:g} s, the time limit.{tried}"
        case ChildDeath() as death:
            _, cause = cause_of_death(death)
            return f"The process that runs {film.tool.value} {cause}{tried}"
    return str(getattr(answer, "problem"))
