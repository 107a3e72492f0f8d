"""Everything that crosses the pipe between the program and its worker process."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.events import Event
from jitstudio.core.job import Job
from jitstudio.core.request import ProbeRequest
from jitstudio.core.tools import ToolchainInfo, ToolFile


@dataclass(frozen=True)
class Precompile:
    """Make the precompiled headers that would have helped the jobs until now. Takes seconds."""


@dataclass(frozen=True)
class Call:
    """To the child: run a job, look for all tools, or prepare for more."""

    ticket: int
    request: Job | ProbeRequest | Precompile


@dataclass(frozen=True)
class Told:
    """From the child, while it works: this happened."""

    ticket: int
    event: Event


@dataclass(frozen=True)
class Done:
    """From the child: finished.

    What a job has made is in its events; `answer` then is the file that its tool was loaded from,
    and `chores` whether a `Precompile` would be of use.
    """

    ticket: int
    answer: ToolchainInfo | ToolFile | None = None
    chores: bool = False


@dataclass(frozen=True)
class Broke:
    """From the child: an exception that nobody expected, a bug of jitstudio's own."""

    ticket: int
    traceback: str


Reply = Told | Done | Broke
