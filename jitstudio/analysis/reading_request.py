"""The request to analyse machine code, and the answer where nothing could be read."""

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
        name: The name in messages.
        ptx: The PTX texts from which the cubin may be made, by module; without these, calls through
            which code was inlined are reported only where certain.
        confined_to: See `BuildRequest`: that of the build of the cubin.
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
    """The answer to a request that failed.

    Attributes:
        message: The event, the reason, and the next step.
        outcome: The outcome of the reading.
    """

    message: str
    outcome: Outcome = Outcome.FAILED

    @property
    def is_mishap(self) -> bool:
        """Whether the reading process came to grief, so that another try may succeed."""
        return self.outcome in _MISHAPS
