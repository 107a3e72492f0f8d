"""Films the passes of the compilers in a build; see `core.passes`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from jitstudio.core.code import CodeKind, split_variant
from jitstudio.core.events import Event, StageFinished
from jitstudio.core.options import OptionEffect, OptionGroup, find
from jitstudio.core.passes import (
    Film,
    LimitedRun,
    PassesEnd,
    PassesRequest,
    PassList,
)
from jitstudio.core.plan import Job, Ref, plan
from jitstudio.core.request import (
    DEFAULT_TIMEOUT,
    BuildRequest,
    CudaCompiler,
    DemangleRequest,
    LinkMode,
)
from jitstudio.core.result import BuildResult, StageResult
from jitstudio.core.tools import Tool
from jitstudio.listing.kernel_names import lowered_names, meanings, spelled
from jitstudio.worker.builder import Builder
from jitstudio.worker.calls import Ending, SingleWorker
from jitstudio.worker.crash_report import cause_of_death
from jitstudio.worker.execution import Schedule
from jitstudio.worker.host import ChildDeath
from jitstudio.worker.programs.passes import FILMING
from jitstudio.worker.sandbox.needs import HeaderRefused, HeaderScan, need_of

_PAUSE = 0.1
"""Seconds between two reports on the progress."""

_FILMED = (Tool.NVRTC, Tool.NVVM, Tool.NVJITLINK)


def ptx_request(request: BuildRequest) -> BuildRequest:
    """Returns the build of the PTX that a film is about."""
    link = request.link if request.link is LinkMode.LTO else LinkMode.NONE
    return replace(request, emit=frozenset({CodeKind.PTX}), link=link)


def why_no_passes(request: BuildRequest) -> str:
    """Returns why a build has no passes to film, and the remedy."""
    if request.compiler is CudaCompiler.NVCC and request.link is not LinkMode.LTO:
        return (
            "nvcc starts its compilers by itself, so that none stops after a pass. Compile with "
            "NVRTC: --compiler nvrtc on the command line."
        )
    return (
        "No pass of libNVVM runs here: it optimises CUDA C++, LLVM IR and a link of LTO-IR, and "
        "PTX is what it makes."
    )


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
        options=tuple(word for word in stage.options if not _is_report(word)),
        cacheable=False,
    )


def _is_report(word: str) -> bool:
    """Returns whether an option has the run described in a file: that of the build stays."""
    spec, _ = find(word)
    reports = spec and spec.group is OptionGroup.SPEED and spec.effect is OptionEffect.WRITES
    return bool(reports)


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
        """Films a run, as far as that goes where an end comes early.

        Args:
            request: The run.
            on_progress: Called in this thread with the film so far.
            ticket: The number by which `cancel` knows it.
            timeout: Seconds after which it is ended.

        Raises:
            WorkerError: The process could not be started, or a bug of jitstudio's own broke it.
        """
        job = request.job
        film, due = Film(job.name, job.tool), 0.0
        ptx: dict[int, str] = {}
        errors: dict[int, str] = {}

        def so_far() -> Film:
            return replace(film, ptx=dict(ptx), errors=dict(errors))

        def hear(event: PassList | LimitedRun) -> None:
            nonlocal film, due
            match event:
                case PassList(passes, last):
                    film = replace(film, pass_list=event)
                    ptx[len(passes)] = _text(last)
                case LimitedRun(limit, error=error) if error:
                    errors[limit] = error
                case LimitedRun(limit, made, same_as):
                    ptx[limit] = _text(made) if same_as is None else ptx.get(same_as, "")
            if time.monotonic() >= due:
                on_progress(so_far())
                due = time.monotonic() + _PAUSE

        try:
            need = need_of(job, HeaderScan())
        except HeaderRefused as error:
            return replace(film, problem=str(error))
        answer = self._ask(request, ticket, timeout, need, hear)
        film = so_far()
        return replace(film, problem=_problem(answer, film, timeout))

    def cancel(self, ticket: int) -> None:
        """Ends the film with this ticket; a film yet to come ends at once."""
        self._queue.cancel(ticket)


def _text(ptx: bytes) -> str:
    return ptx.decode("utf-8", "replace")


@dataclass(frozen=True)
class FilmedBuild:
    """A build, and a film for each run of a compiler that makes PTX.

    Attributes:
        result: The result of the build.
        films: The films; none where the build has failed.
        problem: Why there can be none, a sentence; empty if there can.
        demangled: What the lowered names in the films mean.
    """

    result: BuildResult
    films: tuple[Film, ...]
    problem: str = ""
    demangled: Mapping[str, str] = field(default_factory=dict)


class BuildFilmer:
    """Builds and films.

    Args:
        builder: Builds; `close` closes it, too.
    """

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._filmer = PassFilmer()

    def film(
        self,
        request: BuildRequest,
        on_progress: Callable[[Film], None] = lambda _: None,
        *,
        every_pass: bool = False,
        number: int | None = None,
        ticket: int = 0,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> FilmedBuild:
        """Builds the PTX of a request and films the runs behind that PTX.

        The passes name functions as in C++.

        Raises:
            WorkerError: See `Builder.build` and `PassFilmer.film`.
        """
        result, jobs = build_for_film(self._builder, request, ticket=ticket, timeout=timeout)
        films = [
            self._filmer.film(
                PassesRequest(job, every_pass, number), on_progress, ticket=ticket, timeout=timeout
            )
            for job in jobs
        ]
        names = lowered_names([text for film in films for text in _texts_with_names(film)])
        asked = DemangleRequest(tuple(sorted(names)))
        demangled = self._builder.demangle(asked) if names else {}
        titles = meanings(demangled, demangled)
        problem = why_no_passes(request) if result.ok and not jobs else ""
        return FilmedBuild(
            result, tuple(_with_titles(film, titles) for film in films), problem, demangled
        )

    def cancel(self, ticket: int) -> None:
        """Ends the build or film with this ticket; a later film ends at once."""
        self._builder.cancel(ticket)
        self._filmer.cancel(ticket)

    def close(self) -> None:
        """Ends all processes for good."""
        self._filmer.close()
        self._builder.close()


def _texts_with_names(film: Film) -> Iterator[str]:
    if film.pass_list is not None:
        yield from {optimiser_pass.unit for optimiser_pass in film.passes}
        yield from {code.unit for code in film.pass_list.back_end}
        yield from {remark.message for remark in film.pass_list.remarks}
        yield from film.ptx[len(film.passes)].splitlines()


def _with_titles(film: Film, titles: Mapping[str, str]) -> Film:
    """Returns a film whose passes and remarks name functions by titles, as in C++."""
    if film.pass_list is None:
        return film
    told = film.pass_list
    pass_list = replace(
        told,
        passes=tuple(replace(p, unit=spelled(p.unit, titles)) for p in told.passes),
        remarks=tuple(replace(r, message=spelled(r.message, titles)) for r in told.remarks),
        back_end=tuple(replace(code, unit=spelled(code.unit, titles)) for code in told.back_end),
    )
    return replace(film, pass_list=pass_list)


def _problem(answer: PassesEnd | Ending | ChildDeath, film: Film, timeout: float) -> str:
    """Returns why a film is not whole."""
    tried = ""
    if film.passes:
        tried = f" {film.tried:,} of {film.limits:,} limits were tried."
    match answer:
        case Ending.CANCEL:
            return f"Stopped.{tried}"
        case Ending.TIME_LIMIT:
            return f"Stopped after {timeout:g} s, the time limit.{tried}"
        case ChildDeath() as death:
            _, cause = cause_of_death(death)
            return f"The process that runs {film.tool.value} {cause}{tried}"
    return answer.problem
