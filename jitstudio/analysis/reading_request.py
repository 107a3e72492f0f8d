"""The request to analyse machine code, and the answer where nothing could be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jitstudio.core.request import BuildRequest
from jitstudio.core.result import Outcome

_NO_PTX: Mapping[str, str] = {}
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
        function: The name of the only function to read, lowered or as in C++; empty for all. Of a
            cubin without it no code is read, but the names of all functions.
        toolchain: See `BuildRequest`: a cubin may be newer than our nvdisasm.
        counts_live: Whether to have live registers counted, for which nvdisasm runs once more.
        use_cache: Whether what was read before may be taken from the cache.
        tells_early: Whether to report the code before live registers are counted.
    """

    cubin: bytes
    name: str
    ptx: Mapping[str, str] = field(default_factory=dict)
    confined_to: tuple[str, ...] | None = None
    function: str = ""
    toolchain: str = ""
    counts_live: bool = True
    use_cache: bool = True
    tells_early: bool = False

    @classmethod
    def of_build(
        cls,
        build: BuildRequest,
        cubin: bytes,
        name: str,
        ptx: Mapping[str, str] = _NO_PTX,
        function: str = "",
    ) -> AnalysisRequest:
        """Returns the request to read a cubin of a build; for the arguments see the attributes."""
        return cls(
            cubin,
            name,
            ptx,
            build.confined_to,
            function,
            build.toolchain,
            use_cache=build.use_cache,
        )


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
