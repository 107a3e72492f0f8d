"""What an analysis is asked, and what it answers where there is nothing to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jitstudio.core.result import Outcome

_MISHAPS = frozenset((Outcome.CRASHED, Outcome.TIMED_OUT))


@dataclass(frozen=True)
class AnalysisRequest:
    """A request to read the machine code of a cubin.

    Attributes:
        cubin: The file's content.
        name: How messages call it.
        ptx: The PTX texts that it can have been made of, by the module; without them, calls that
            code was inlined through are reported only where they are certain.
        confined_to: See `BuildRequest`: that of the build that made it.
        function: The lowered name of the only function to read; empty for all.
        toolchain: See `BuildRequest`: a cubin may be newer than our nvdisasm.
        counts_live: Whether to have live registers counted, for which nvdisasm runs once more.
    """

    cubin: bytes
    name: str
    ptx: Mapping[str, str] = field(default_factory=dict)
    confined_to: tuple[str, ...] | None = None
    function: str = ""
    toolchain: str = ""
    counts_live: bool = True


@dataclass(frozen=True)
class ReadingFailure:
    """There is no answer.

    Attributes:
        message: What happened, why, and what to do.
        outcome: How it ended.
    """

    message: str
    outcome: Outcome = Outcome.FAILED

    @property
    def is_mishap(self) -> bool:
        """Whether something befell the process that reads, so that another try may succeed."""
        return self.outcome in _MISHAPS
