"""Carries out what the dispatcher of the build side hands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from jitstudio.core.events import Event
from jitstudio.core.request import BuildRequest, DemangleRequest, ProbeRequest
from jitstudio.core.result import BuildResult
from jitstudio.core.tools import ToolchainInfo
from jitstudio.worker.builder import DEFAULT_TIMEOUT, Builder


@dataclass(frozen=True)
class EmptyCache:
    """Forget all results that were kept of earlier builds."""


_Request = BuildRequest | ProbeRequest | DemangleRequest | EmptyCache


class BuildListener(Protocol):
    """Who hears what came of builds; called in the thread of the dispatcher."""

    def told(self, ticket: int, event: Event) -> None:
        """Something happened in a build."""

    def built(self, ticket: int, result: BuildResult) -> None:
        """A build has ended, in whichever way."""

    def probed(self, ticket: int, info: ToolchainInfo) -> None:
        """A probe has ended well."""

    def demangled(self, ticket: int, names: dict[str, str]) -> None:
        """Names are known in words of C++."""

    def emptied(self, ticket: int, size: int) -> None:
        """The cache, which held this many bytes, is empty."""


class BuildDesk:
    """Carries out builds, probes, questions for names and what concerns the cache.

    Args:
        builder: Who does it; owned from now on.
        listener: Who hears of it.
        timeout: Seconds a build may take; can be changed for the builds to come.
    """

    def __init__(
        self, builder: Builder, listener: BuildListener, *, timeout: float = DEFAULT_TIMEOUT
    ) -> None:
        self._builder = builder
        self._listener = listener
        self.timeout = timeout
        self.cancel = builder.cancel
        self.close = builder.close

    def work(self, ticket: int, request: _Request) -> None:
        """See `Desk`."""
        match request:
            case BuildRequest():
                result = self._builder.build(
                    request,
                    ticket=ticket,
                    on_event=lambda event: self._listener.told(ticket, event),
                    timeout=self.timeout,
                )
                self._listener.built(ticket, result)
            case ProbeRequest():
                self._listener.probed(ticket, self._builder.probe(request))
            case DemangleRequest():
                self._listener.demangled(ticket, self._builder.demangle(request))
            case EmptyCache():
                self._listener.emptied(ticket, self._builder.empty_cache())
