"""The time of a compile by phase, header, template and kernel, from a trace that NVRTC writes.

The trace has the format of Chrome's "Trace Event Format": complete events (``ph`` is ``X``) with
their start and length in microseconds. An event lies within another where its time does.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

LARGEST_TRACE = 64 << 20
"""Bytes of the largest trace that is read: some 400,000 events."""

_HEADER = "Processing Header File"
_TEMPLATES = ("Instantiating Template Class", "Instantiating Template Function")
_KERNEL = "Optimizing compilation unit"
_DEEPEST = 2_000


class TraceError(ValueError):
    """A trace cannot be read; the message says why, and a remedy."""


@dataclass(frozen=True, eq=False)
class Span:
    """A piece of the work of a compiler.

    Attributes:
        name: The kind of work, such as ``Processing Header File``.
        detail: The header, template or function; empty where there is none.
        start: Milliseconds since the compile began.
        ms: The length.
        inner: The pieces within, in their order.
    """

    name: str
    detail: str
    start: float
    ms: float
    inner: list[Span] = field(default_factory=list)

    @property
    def own_ms(self) -> float:
        """The time outside of all inner pieces."""
        return max(0.0, self.ms - sum(span.ms for span in self.inner))

    def walk(self) -> Iterator[Span]:
        """Yields this piece and all within."""
        waiting = [self]
        while waiting:
            span = waiting.pop()
            yield span
            waiting += reversed(span.inner)


@dataclass(frozen=True)
class TimedPart:
    """The time of a header, template or kernel.

    Attributes:
        name: The name.
        ms: The time with everything within.
        own_ms: The time without headers, templates and the like within.
        count: How often it occurs.
    """

    name: str
    ms: float
    own_ms: float
    count: int


@dataclass(frozen=True, eq=False)
class TimeTrace:
    """The work of a compile.

    Attributes:
        spans: The outermost pieces, in their order.
    """

    spans: tuple[Span, ...]

    @cached_property
    def total_ms(self) -> float:
        """The time of all pieces together."""
        return sum(span.ms for span in self.spans)

    @cached_property
    def phases(self) -> tuple[TimedPart, ...]:
        """The outermost pieces, those of one name together."""
        return _summed(self.spans, lambda span: span.name)

    @cached_property
    def includes(self) -> tuple[TimedPart, ...]:
        """The headers that no other header includes, the slowest first."""
        return self._of((_HEADER,), _detail, is_outermost=True)

    @cached_property
    def headers(self) -> tuple[TimedPart, ...]:
        """The headers, the slowest first, each with all that it includes."""
        return self._of((_HEADER,), _detail)

    @cached_property
    def templates(self) -> tuple[TimedPart, ...]:
        """The templates, the slowest first, all instances of one together."""
        return self._of(_TEMPLATES, lambda span: span.detail.partition(" [")[0])

    @cached_property
    def kernels(self) -> tuple[TimedPart, ...]:
        """The kernels by their lowered names, with the time of ptxas for each."""
        return self._of((_KERNEL,), _detail)

    def _of(
        self, names: Collection[str], key: Callable[[Span], str], *, is_outermost: bool = False
    ) -> tuple[TimedPart, ...]:
        """Returns the pieces of these names; within a piece of the same key time counts once."""
        listed: list[Span] = []
        waiting = [(span, frozenset[str]()) for span in reversed(self.spans)]
        while waiting:
            span, above = waiting.pop()
            if span.name in names and key(span) not in above and not (is_outermost and above):
                listed.append(span)
                above |= {key(span)}
            waiting += ((inner, above) for inner in reversed(span.inner))
        return _summed(listed, key)


def read_trace(content: bytes, size: int = 0) -> TimeTrace:
    """Returns the work that a trace tells of.

    Args:
        content: The trace, or the beginning of a trace that is too large.
        size: The bytes of the whole trace, where that is known to be more.

    Raises:
        TraceError: It is too large, or none.
    """
    size = max(size, len(content))
    if size > LARGEST_TRACE:
        raise TraceError(
            f"The trace has {size >> 20:,} MiB, and no more than {LARGEST_TRACE >> 20} are "
            "read. Write it to a file with --option=--fdevice-time-trace=FILE, and open that in a "
            "browser, at ui.perfetto.dev."
        )
    try:
        events = [_event(event) for event in json.loads(content)["traceEvents"] if _is_whole(event)]
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        raise TraceError(
            "The trace is damaged or of another kind: NVRTC writes JSON with traceEvents."
        ) from error
    return TimeTrace(tuple(_nested(events)))


# `ptxas info    : Compiling entry function 'k' for 'sm_90'`, which not every ptxas writes,
# `ptxas info    : Function properties for k`, and `ptxas info    : Compile time = 2.068 ms`
_PTXAS_TIME = re.compile(
    r"Compiling entry function '(?P<entry>[^'\n]+)'|Function properties for (?P<function>\S+)"
    r"|Compile time = (?P<ms>\d+(?:\.\d+)?) ms"
)


def ptxas_times(log: str) -> tuple[TimedPart, ...]:
    """Returns the kernels in the log of ptxas -v, each with the time that it took."""
    times = []
    entry = function = ""
    for match in _PTXAS_TIME.finditer(log):
        entry, function = match["entry"] or entry, match["function"] or function
        if match["ms"]:
            ms = float(match["ms"])
            times.append(TimedPart(entry or function, ms, ms, 1))
            entry = function = ""
    return tuple(times)


def _detail(span: Span) -> str:
    return span.detail


def _is_whole(event: dict[str, object]) -> bool:
    return event.get("ph") == "X"


class _Event(NamedTuple):
    """A piece of work with its time in whole nanoseconds: sums of fractions are rounded."""

    start: int
    end: int
    span: Span


def _event(event: dict[str, object]) -> _Event:
    arguments = event.get("args")
    words = arguments if isinstance(arguments, dict) else {}
    detail = str(words.get("detail") or words.get("name") or "")
    start, length = (round(float(str(event[key])) * 1000) for key in ("ts", "dur"))
    length = max(0, length)
    span = Span(str(event["name"]), detail, start / 1_000_000, length / 1_000_000)
    return _Event(start, start + length, span)


def _nested(events: Iterable[_Event]) -> Iterator[Span]:
    above: list[_Event] = []
    for event in sorted(events, key=lambda event: (event.start, -event.end)):
        while above and event.start >= above[-1].end:
            above.pop()
        if above and len(above) < _DEEPEST:
            above[-1].span.inner.append(event.span)
        elif not above:
            yield event.span
        above.append(event)


def _summed(spans: Iterable[Span], name_of: Callable[[Span], str]) -> tuple[TimedPart, ...]:
    by_name: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        by_name[name_of(span)].append(span)
    parts = (
        TimedPart(name, sum(s.ms for s in same), sum(s.own_ms for s in same), len(same))
        for name, same in by_name.items()
    )
    return tuple(sorted(parts, key=lambda part: -part.ms))
