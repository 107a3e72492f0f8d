"""The background: a QThread that drives the worker process, so that the window never waits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from jitstudio.cache.store import Store
from jitstudio.core.code import TEXT_KINDS, Artifact, CodeKind
from jitstudio.core.events import Event, StageFinished
from jitstudio.core.request import BuildRequest, DemangleRequest, ProbeRequest
from jitstudio.core.result import BuildResult
from jitstudio.core.tools import ToolchainInfo
from jitstudio.gui.services.serving import Service
from jitstudio.listing.lines import split_at_newlines
from jitstudio.listing.sass import Extent, tightened
from jitstudio.worker.build_desk import BuildDesk, EmptyCache
from jitstudio.worker.builder import Builder
from jitstudio.worker.limits import share_of_memory

_BUILD = "build"
_PROBE = "probe"
_NAMES = "names"
_CACHE = "cache"


@dataclass(frozen=True, eq=False)
class Listing:
    """A text artifact, split into lines off the GUI thread: 300,000 of them take a while.

    Compared by identity, as comparing that many lines takes a while too.

    Attributes:
        extent: How much room it takes; None where nobody has measured.
    """

    kind: CodeKind
    name: str
    lines: tuple[str, ...]
    extent: Extent | None = None


class BuildService(Service):
    """Sends requests to the worker and tells in the GUI thread what came of them.

    Signals:
        build_started: The worker begins with the build of this ticket.
        build_told: An event of this build.
        listings_made: Text artifacts of this build, which may not have ended.
        build_finished: Its result, and all its listings.
        build_dropped: A newer request took its place before it began.
        probe_finished: The tools that are here.
        demangled: Lowered names, each with what it is in words of C++.
        cache_emptied: The results that were kept are forgotten; so many bytes are free now.
        broke: The worker itself failed; in words.
    """

    build_started = Signal(int)
    build_told = Signal(int, object)
    listings_made = Signal(int, tuple)
    build_finished = Signal(int, BuildResult, tuple)
    build_dropped = Signal(int)
    probe_finished = Signal(ToolchainInfo)
    demangled = Signal(dict)
    # Not `int`, which has 32 bits in C++.
    cache_emptied = Signal(object)
    broke = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = Store()
        self._builder = Builder(store=self._store)
        relay = _Relay(self)
        self._desk = BuildDesk(self._builder, relay)
        self._serve("build service", self._desk, relay)

    @property
    def worker_pid(self) -> int | None:
        """The process that the compilers run in now; of several, the one that always runs."""
        return self._builder.pid

    def build(self, request: BuildRequest, tag: str = _BUILD) -> int:
        """Build this; a build of the same tag that waits is forgotten, one that runs soon ended.

        Returns:
            The ticket that the signals carry.
        """
        return self._dispatcher.submit(tag, request)

    def set_time_limit(self, seconds: float) -> None:
        """End each build from the next one on after so long."""
        self._desk.timeout = seconds

    def set_memory_share(self, percent: float) -> None:
        """Let each worker that starts from now on take so much of the machine's memory."""
        self._builder.limit_memory(share_of_memory(percent / 100))

    def set_cache_size(self, size: int) -> None:
        """Keep so many bytes of results on disk from the next build on."""
        self._store.resize(size)

    def cancel(self, tag: str = _BUILD) -> None:
        """End the build of this tag that runs and forget the one that waits."""
        self._dispatcher.cancel(tag)

    def probe(self) -> None:
        """Ask which tools are here; also starts the worker before it is needed."""
        self._dispatcher.submit(_PROBE, ProbeRequest())

    def demangle(self, names: Iterable[str]) -> None:
        """Ask for names in words of C++; a question that waits is forgotten."""
        self._dispatcher.submit(_NAMES, DemangleRequest(tuple(names)))

    def empty_cache(self) -> None:
        """Forget all results that were kept, once what runs is done."""
        self._dispatcher.submit(_CACHE, EmptyCache())


class _Relay:
    """The dispatcher's listener: turns its calls into signals of the service."""

    def __init__(self, service: BuildService) -> None:
        self._service = service
        self._made: list[Listing] = []

    def started(self, ticket: int) -> None:
        self._made = []
        self._service.build_started.emit(ticket)

    def told(self, ticket: int, event: Event) -> None:
        self._service.build_told.emit(ticket, event)
        if isinstance(event, StageFinished):
            made = [_listing(a) for a in event.artifacts if a.kind in TEXT_KINDS]
            self._made += made
            if made:
                self._service.listings_made.emit(ticket, tuple(made))

    def built(self, ticket: int, result: BuildResult) -> None:
        self._service.build_finished.emit(ticket, result, tuple(self._made))

    def probed(self, _ticket: int, info: ToolchainInfo) -> None:
        self._service.probe_finished.emit(info)

    def demangled(self, _ticket: int, names: dict[str, str]) -> None:
        self._service.demangled.emit(names)

    def emptied(self, _ticket: int, size: int) -> None:
        self._service.cache_emptied.emit(size)

    def broke(self, ticket: int, message: str) -> None:
        self._service.broke.emit(ticket, message)

    def dropped(self, ticket: int) -> None:
        self._service.build_dropped.emit(ticket)


def _listing(artifact: Artifact) -> Listing:
    lines = tuple(split_at_newlines(artifact.text.rstrip("\n")))
    if artifact.kind is CodeKind.SASS:
        lines = tightened(lines)
    return Listing(artifact.kind, artifact.name, lines, Extent.of(lines, artifact.kind))
