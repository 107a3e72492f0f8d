"""Everything that crosses the pipe between the program and its worker process."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.events import Event
from jitstudio.core.request import Request
from jitstudio.core.tools import ToolchainInfo


@dataclass(frozen=True)
class Call:
    """To the child: do this."""

    ticket: int
    request: Request


@dataclass(frozen=True)
class Told:
    """From the child, while it works: this happened."""

    ticket: int
    event: Event


@dataclass(frozen=True)
class Done:
    """From the child: finished. A build's result is in its events, a probe's in `answer`."""

    ticket: int
    answer: ToolchainInfo | None = None


@dataclass(frozen=True)
class Broke:
    """From the child: an exception that nobody expected, a bug of jitstudio's own."""

    ticket: int
    traceback: str


Reply = Told | Done | Broke
