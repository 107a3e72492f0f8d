"""Everything that crosses the pipe between the program and its worker processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jitstudio.core.launch.request import LaunchRequest
from jitstudio.worker.access import Access


@dataclass(frozen=True)
class Precompile:
    """Make the precompiled headers that would have helped the jobs until now. Takes seconds."""


@dataclass(frozen=True)
class Launch:
    """Launch a kernel.

    Attributes:
        request: Which, and how.
        prepared: Name and file of each buffer that a file or an expression fills.
        folder: Where the outputs go.
        asked_at: When it was asked for, by `time.monotonic`.
    """

    request: LaunchRequest
    prepared: tuple[tuple[str, str], ...]
    folder: str
    asked_at: float


@dataclass(frozen=True)
class ListDevices:
    """Tell the GPUs."""


@dataclass(frozen=True)
class WarmUp:
    """Open a GPU before it is needed; takes half a second in a fresh process."""

    device: int


@dataclass(frozen=True)
class Call:
    """To the child: do this. Each child program says in its `main` which requests it takes.

    Attributes:
        ticket: The number of the call.
        request: What to do.
        access: What the process may reach; it is sealed with that of its first call.
    """

    ticket: int
    request: Any
    access: Access = field(default_factory=Access)


@dataclass(frozen=True)
class Told:
    """From the child, while it works: this happened."""

    ticket: int
    event: Any


@dataclass(frozen=True)
class Done:
    """From the child: finished.

    Attributes:
        ticket: Of the call.
        answer: What was asked for. What a `Job` has made is in its events; its answer is the file
            that its tool was loaded from.
        chores: Whether a `Precompile` would be of use.
        spent: Whether the process is of no use any more, so that the next call needs another.
    """

    ticket: int
    answer: Any = None
    chores: bool = False
    spent: bool = False


@dataclass(frozen=True)
class Broke:
    """From the child: an exception that nobody expected, a bug of jitstudio's own."""

    ticket: int
    traceback: str


Reply = Told | Done | Broke
