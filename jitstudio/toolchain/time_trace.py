"""How long NVRTC took for each header, from the trace that ``--fdevice-time-trace`` writes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from jitstudio.core.disk import TICK_NS, working_folder
from jitstudio.core.options import read
from jitstudio.core.options.time_trace import TIME_TRACE, TRACE_ENDING
from jitstudio.core.plain_files import read_file
from jitstudio.core.result import Phase
from jitstudio.listing.includes import includes

_MOST = 10


def header_phases(text: bytes, options: Iterable[str], began_ns: int) -> tuple[Phase, ...]:
    """Returns the slowest of the headers that a module includes itself, with all below.

    Empty where no trace was asked for, or none can be read. A compile that fails writes none, so
    that one of a build before may lie there.

    Args:
        text: The module.
        options: All that was sent.
        began_ns: When the compile began, as `time.time_ns` tells it.
    """
    files = (o.value for o in read(tuple(options)) if o.spec is TIME_TRACE)
    file = next(filter(None, files), None)
    if file is None:
        return ()
    # Few compiles write one.
    from jitstudio.analysis.time_trace import (  # noqa: PLC0415
        LARGEST_TRACE,
        TraceError,
        read_trace,
    )

    names = includes(text).names
    longest: dict[str, float] = {}
    try:
        path = Path(working_folder(), file + TRACE_ENDING)
        if path.stat().st_mtime_ns < began_ns - TICK_NS:
            return ()
        content = read_file(path, LARGEST_TRACE)
        for header in read_trace(content).headers:
            file = header.name
            for name in (n for n in names if file == n or file.endswith(f"/{n}")):
                longest[name] = max(header.ms, longest.get(name, 0.0))
    except (OSError, TraceError):
        return ()
    slowest = sorted(longest.items(), key=lambda header: -header[1])
    return tuple(Phase(f"Header {name}", ms) for name, ms in slowest[:_MOST])
