"""The service that builds: a thread that drives the compilers, so that the window never waits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject

from jitstudio.cache.store import Store
from jitstudio.core.code import TEXT_KINDS, Artifact, CodeKind
from jitstudio.core.events import Event, StageFinished
from jitstudio.core.kernel_resources import code_sizes, function_alone
from jitstudio.core.plan import PlanStep
from jitstudio.core.request import DEFAULT_TIMEOUT, BuildRequest, DemangleRequest, ProbeRequest
from jitstudio.core.result import BuildResult
from jitstudio.gui.services.request_queue import RequestHandle, WorkerService
from jitstudio.listing.lines import split_at_newlines
from jitstudio.listing.sass import TextExtent, tightened
from jitstudio.worker.builder import Builder
from jitstudio.worker.limits import share_of_memory
from jitstudio.worker.queue import Report

_BUILD = "build"
_PROBE = "probe"
_NAMES = "names"
_CACHE = "cache"


@dataclass(frozen=True, eq=False)
class Listing:
    """A text artifact, split into lines off the GUI thread: splitting 300,000 lines takes a while.

    Compared by identity, as comparing that many lines takes a while too.

    Attributes:
        extent: How much room it takes; None where nobody has measured.
        function: The only function in it, by its lowered name; empty where it has all.
        functions: Where it has one only, all that there are.
    """

    kind: CodeKind
    name: str
    lines: tuple[str, ...]
    extent: TextExtent | None = None
    function: str = ""
    functions: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ListingsMade:
    """The event of finished listings in a build, which may not have ended."""

    listings: tuple[Listing, ...]


@dataclass(frozen=True, eq=False)
class BuildOutput:
    """The result of a build, with all listings."""

    result: BuildResult
    listings: tuple[Listing, ...]


class BuildService(WorkerService):
    """Has modules built, and asks the compilers' process about tools and names.

    Args:
        store: Where to keep results; None for a store of its own.
        yields: Whether its processes leave the cores to those of other services.
    """

    def __init__(
        self, parent: QObject | None = None, *, store: Store | None = None, yields: bool = False
    ) -> None:
        super().__init__(parent)
        self._store = store or Store()
        self._builder = Builder(store=self._store, yields=yields)
        self._time_limit = DEFAULT_TIMEOUT
        self._serve("build service", self._builder)

    @property
    def worker_pid(self) -> int | None:
        """The process of the compilers now; of several, the process that always runs."""
        return self._builder.pid

    def build(
        self, request: BuildRequest, tag: str = _BUILD, steps: tuple[PlanStep, ...] | None = None
    ) -> RequestHandle:
        """Builds a request; drops a waiting build of the same tag, and soon ends a running one.

        Args:
            request: The request.
            tag: Whose build it is.
            steps: The plan of it, if somebody has made it already.

        Returns:
            The handle. It reports build events and `ListingsMade`; the answer is a `BuildOutput`.
        """

        def work(ticket: int, report: Report) -> BuildOutput:
            # No stage makes the PTX of what is PTX already.
            own = (Artifact(s.kind, s.name, s.content) for s in request.sources)
            listings_of_build = [
                _listing(artifact, b"", None) for artifact in own if artifact.kind is CodeKind.PTX
            ]
            if listings_of_build:
                report(ListingsMade(tuple(listings_of_build)))
            cubins = {s.name: s.content for s in request.sources if s.kind is CodeKind.CUBIN}

            def hear(event: Event) -> None:
                report(event)
                if isinstance(event, StageFinished):
                    code = (a for a in event.artifacts if a.kind is CodeKind.CUBIN)
                    cubins.update({a.name: a.content for a in code})
                    texts = (a for a in event.artifacts if a.kind in TEXT_KINDS)
                    listings = tuple(
                        _listing(text, cubins.get(text.name, b""), request.function)
                        for text in texts
                    )
                    if listings:
                        listings_of_build.extend(listings)
                        report(ListingsMade(listings))

            result = self._builder.build(
                request, ticket=ticket, on_event=hear, timeout=self._time_limit, steps=steps
            )
            # Kernels of a script end in any order.
            places = {(a.kind, a.name): at for at, a in enumerate(result.artifacts)}
            listings_of_build.sort(
                key=lambda listing: places.get((listing.kind, listing.name), len(places))
            )
            # Python keeps the hash of bytes: the window compares builds without reading them.
            hash((request.sources, result.artifacts))
            return BuildOutput(result, tuple(listings_of_build))

        return self._submit(tag, work)

    def set_time_limit(self, seconds: float) -> None:
        """Ends each build from the next on after `seconds`."""
        self._time_limit = seconds

    def set_memory_share(self, percent: float) -> None:
        """Lets each worker that starts from now on take so much of the machine's memory."""
        self._builder.limit_memory(share_of_memory(percent / 100))

    def set_cache_size(self, size: int) -> None:
        """Keeps so many bytes of results on disk from the next build on."""
        self._store.resize(size)

    def probe(self, toolchain: str = "") -> RequestHandle:
        """Asks for the `ToolchainInfo`; also starts the worker before the first build.

        Args:
            toolchain: See `BuildRequest`.
        """
        request = ProbeRequest(toolchain=toolchain)
        return self._submit(_PROBE, lambda _ticket, _report: self._builder.probe(request))

    def demangle(self, names: Iterable[str]) -> RequestHandle:
        """Asks for names in C++; the answer is a mapping. A waiting request is dropped."""
        request = DemangleRequest(tuple(names))
        return self._submit(_NAMES, lambda _ticket, _report: self._builder.demangle(request))

    def empty_cache(self) -> RequestHandle:
        """Drops all kept results after the running builds; the answer is the bytes freed."""
        return self._submit(_CACHE, lambda _ticket, _report: self._builder.empty_cache())


def _listing(artifact: Artifact, cubin: bytes, wanted: str | None) -> Listing:
    lines = tuple(split_at_newlines(artifact.text.rstrip("\n")))
    function = ""
    if artifact.kind is CodeKind.SASS:
        lines = tightened(lines)
        function = function_alone(cubin, wanted)
    extent = TextExtent.of(lines, artifact.kind)
    functions = tuple(code_sizes(cubin)) if function else ()
    return Listing(artifact.kind, artifact.name, lines, extent, function, functions)
