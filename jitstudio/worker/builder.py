"""Builds: carries out plans over several worker processes, and takes known results from the store.

The plan, the order and the messages are made here, in the parent; a child runs one tool at a time.
"""

from __future__ import annotations

import codecs
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from jitstudio.cache.results import Cache
from jitstudio.cache.store import Store
from jitstudio.core.code import TEXT_KINDS, Artifact, CodeKind, Source, is_bitcode
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.events import BuildRecord, Event, Notice, Problem, StageFinished
from jitstudio.core.plan import PlanError, PlanStep, plan, script_steps
from jitstudio.core.prebuilt import target_shown
from jitstudio.core.request import (
    BuildRequest,
    DemangleRequest,
    LinkMode,
    ProbeRequest,
)
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.worker.calls import CallQueue, Ending, RunningCalls
from jitstudio.worker.crash_report import crash_after_death, crash_after_time_limit
from jitstudio.worker.execution import Execution, Schedule
from jitstudio.worker.host import ChildDeath, WorkerError, WorkerHost
from jitstudio.worker.limits import default_memory_limit
from jitstudio.worker.pool import Pool, default_size
from jitstudio.worker.sandbox.needs import HeaderScan

if TYPE_CHECKING:
    from jitstudio.core.toolchain_info import ToolchainInfo

_CHORES = 60.0
"""Seconds that `settle` waits."""

_OUTCOMES = {Ending.CANCEL: Outcome.CANCELLED, Ending.TIME_LIMIT: Outcome.TIMED_OUT}


class Builder:
    """Builds and probes, in turn.

    Calls block; make them from a thread that may wait. `cancel` and `close` are safe from any
    other thread.

    Args:
        memory_limit: Bytes each child may take, 0 for any number, None for the default.
        workers: How many children may work at a time; None for as many as there are cores.
        store: Where to keep results; None for nowhere.
        yields: Whether the children leave the cores to those of other builders, and end when there
            is nothing to build for a while.
    """

    def __init__(
        self,
        *,
        memory_limit: int | None = None,
        workers: int | None = None,
        store: Store | None = None,
        yields: bool = False,
    ) -> None:
        limit = default_memory_limit() if memory_limit is None else memory_limit
        size = default_size() if workers is None else workers
        hosts = (WorkerHost(limit, yields=yields) for _ in range(size))
        self._pool = Pool(hosts, warm=0 if yields else 1)
        self._store = store
        self._headers = HeaderScan()
        self._cache = Cache(store) if store is not None else None
        self._queue = CallQueue()

    @property
    def pid(self) -> int | None:
        """The process id of the first child, or None if none is running."""
        return self._pool.first.pid

    def limit_memory(self, size: int) -> None:
        """Lets each child that is started from now on take so many bytes, 0 for any number."""
        self._pool.limit_memory(size)

    def start(self) -> None:
        """Starts the first child now rather than at the first call.

        Raises:
            WorkerError: It cannot be started.
        """
        with self._queue.idle():
            self._pool.first.start()

    def build(
        self,
        request: BuildRequest,
        *,
        ticket: int = 0,
        on_event: Callable[[Event], None] = lambda event: None,
        timeout: float | None = None,
        steps: tuple[PlanStep, ...] | None = None,
    ) -> BuildResult:
        """Builds and waits for the result.

        Args:
            request: The build.
            ticket: The number by which `cancel` knows this call.
            on_event: Called in this thread with everything that happens meanwhile.
            timeout: Seconds after which the build is ended.
            steps: The plan of it, if somebody has made it already.

        Raises:
            WorkerError: A worker could not be started, or a bug of jitstudio's own broke the build.
        """
        start = time.perf_counter()
        record = BuildRecord(target_shown(request), request.emit)

        def tell(event: Event) -> None:
            record.add(event)
            on_event(event)

        with self._queue.take(ticket, timeout) as calls:
            done = self._carry_out(request, steps, tell, calls)
            # What came too late has changed nothing.
            ending = None if done else calls.ending
        total_ms = (time.perf_counter() - start) * 1000
        result = record.result(total_ms, _OUTCOMES[ending] if ending else None)
        if result.ok and (
            request.link is LinkMode.LTO or any(map(_function_of, result.diagnostics))
        ):
            result = _with_prototypes(request, result)
        if not result.diagnostics:
            return result
        # It loads what skims all languages.
        from jitstudio.core.explanations import explained  # noqa: PLC0415

        return explained(request, result)

    def probe(self, request: ProbeRequest, *, timeout: float | None = 60) -> ToolchainInfo:
        """Asks for the tools and waits for the answer.

        Raises:
            WorkerError: See `build`; also when the child died or took too long.
        """
        info: ToolchainInfo = self._ask(request, timeout)
        return info

    def demangle(self, request: DemangleRequest, *, timeout: float | None = 60) -> dict[str, str]:
        """Returns the names in C++; a name that no tool can read is unchanged.

        Raises:
            WorkerError: See `probe`.
        """
        names: dict[str, str] = self._ask(request, timeout)
        return names

    def cancel(self, ticket: int) -> None:
        """Ends the build with this ticket by killing the children; a later build ends at once."""
        self._queue.cancel(ticket)

    def settle(self, timeout: float = _CHORES) -> None:
        """Waits until the workers are done with the chores for builds to come."""
        self._pool.settle(timeout)

    def empty_cache(self) -> int:
        """Forgets all kept results and returns the bytes that were on disk."""
        return self._store.clear() if self._store is not None else 0

    def close(self) -> None:
        """Kills all children for good. A build in progress ends as cancelled."""
        with self._queue.closing():
            self._pool.close()
            if self._store is not None:
                self._store.close()

    def _ask(self, request: ProbeRequest | DemangleRequest, timeout: float | None) -> Any:
        with self._queue.take(0, timeout) as calls:
            answer = self._pool.ask(request, calls)
            if isinstance(answer, ChildDeath):
                raise WorkerError(_why_no_answer(answer, calls.ending, timeout))
            return answer

    def _carry_out(
        self,
        request: BuildRequest,
        steps: tuple[PlanStep, ...] | None,
        tell: Callable[[Event], None],
        calls: RunningCalls,
    ) -> bool:
        """Carries out a build; returns whether all steps were done before a cancel or limit."""
        try:
            steps = plan(request) if steps is None else steps
        except PlanError as error:
            tell(refused(error))
            return True
        problems = list(unreadable(request))
        for problem in problems:
            tell(problem)
        if problems:
            return True
        cache = self._cache if request.use_cache else None
        execution = partial(Execution, self._pool, cache, self._headers, calls)
        done, before = True, 0
        if scripts := script_steps(steps):
            # It loads what unpacks kernels.
            from jitstudio.core.scripts import with_kernels  # noqa: PLC0415

            by_script: dict[str, tuple[Source, ...]] = {}
            hear = _listening(tell, request, by_script)
            done = execution(Schedule(request, scripts), hear).run()
            request, before = with_kernels(request, by_script), len(scripts)
            # Where no script has found a kernel, its stage says why.
            goes_on = done and request.sources and request.emit != {CodeKind.CAPTURED}
            try:
                steps = plan(request) if goes_on else ()
            except PlanError as error:
                tell(refused(error))
                return True
        done = done and execution(Schedule(request, steps, before), tell).run()
        if self._store is not None and (message := self._store.take_problem()):
            tell(store_problem(message))
        return done


def _listening(
    tell: Callable[[Event], None], request: BuildRequest, by_script: dict[str, tuple[Source, ...]]
) -> Callable[[Event], None]:
    """Returns a listener that tells of events, names the kernels of scripts and stores these."""
    # See `_carry_out`.
    from jitstudio.core.scripts import kernel_sources  # noqa: PLC0415

    def hear(event: Event) -> None:
        if isinstance(event, StageFinished):
            script = event.stage.source
            packed = [a.content for a in event.artifacts]
            kernels = kernel_sources(packed, script, request, by_script)
            by_script[script] = kernels
            artifacts = tuple(Artifact(k.kind, k.name, k.content) for k in kernels)
            event = replace(event, artifacts=artifacts)
        tell(event)

    return hear


def _why_no_answer(death: ChildDeath, ending: Ending | None, timeout: float | None) -> str:
    match ending:
        case Ending.CANCEL:
            return "The question to the worker was cancelled."
        case Ending.TIME_LIMIT:
            return crash_after_time_limit(None, timeout or 0).message
        case None:
            return crash_after_death(None, death).message


def refused(error: PlanError) -> Problem:
    """Returns a wish that no plan can fulfil."""
    return Problem(Outcome.REFUSED, _error(str(error)))


def store_problem(message: str) -> Notice:
    """Returns the cache cannot be used, or could not."""
    return Notice(Diagnostic(Severity.WARNING, "", None, None, message))


def unreadable(request: BuildRequest) -> Iterator[Problem]:
    """Modules and headers that hold nothing, or bytes where there should be text."""
    for source in (*request.sources, *request.libraries):
        if not source.content.strip():
            message = f"'{source.name}' is empty: there is nothing to compile."
            yield Problem(Outcome.FAILED, _error(message, source.name))
        elif _is_text(source):
            yield from _no_text(source.name, source.content)
    for header in request.headers:
        yield from _no_text(header.name, header.content)


def _is_text(source: Source) -> bool:
    return source.kind in TEXT_KINDS and not is_bitcode(source.content)


def _no_text(name: str, content: bytes) -> Iterator[Problem]:
    """Yields the problem of UTF-16 or a NUL, for which compilers blame other lines."""
    at = content.find(b"\0")
    if content.startswith(_UTF_16):
        at, obstacle = 0, "UTF-16, which no compiler reads"
    elif at >= 0:
        obstacle = "a NUL character"
    else:
        return
    line = content.count(b"\n", 0, at) + 1
    column = len(content[content.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", "replace")) + 1
    message = f"'{name}' holds {obstacle}. Save the file as UTF-8 text and build again."
    yield Problem(Outcome.FAILED, _error(message, name, line, column))


_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _error(
    message: str, file: str = "", line: int | None = None, column: int | None = None
) -> Diagnostic:
    return Diagnostic(Severity.ERROR, file, line, column, message)


_PROTOTYPE = re.compile(r"Prototype doesn't match for '(?P<name>[^']+)'")


def _function_of(diagnostic: Diagnostic) -> str | None:
    """Returns the function whose prototypes differ by this diagnostic; None for any other."""
    match = _PROTOTYPE.match(diagnostic.message)
    return match["name"] if match else None


def _with_prototypes(request: BuildRequest, result: BuildResult) -> BuildResult:
    """Returns the result with a warning for each function whose prototypes differ, at its line.

    A link by LTO does not look at prototypes. Of a link by PTX the warning takes the place of the
    linker's, which names one module twice and no line.
    """
    # It loads a parser, and few builds are links by LTO.
    from jitstudio.listing.cuda.prototypes import differing_prototypes  # noqa: PLC0415
    from jitstudio.listing.kernels.forms import defines_of  # noqa: PLC0415

    defines = {
        source.name: [text.partition("=")[0] for text in defines_of(result, source.name)]
        for source in request.sources
    }
    warnings = tuple(differing_prototypes(request.sources, defines))
    placed = set(map(_function_of, warnings))
    kept = (d for d in result.diagnostics if _function_of(d) not in placed)
    return replace(result, diagnostics=(*kept, *warnings)) if warnings else result
