"""How long NVRTC took for each header, from the trace that ``--fdevice-time-trace`` writes.

The trace has the format of Chrome's "Trace Event Format": complete events (``ph`` is ``X``) with
their start and length in microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from jitstudio.core.disk import TICK_NS, working_folder
from jitstudio.core.options import read
from jitstudio.core.plain_files import read_file
from jitstudio.core.result import Phase
from jitstudio.listing.includes import includes

_OPTION = "--fdevice-time-trace"
# NVRTC appends this to the name that the option gives.
_ENDING = ".json"
# The event of a header in the trace, which is JSON of the Trace Event Format.
_HEADER = "Processing Header File"
_LARGEST = 256 << 20
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
    files = (o.value for o in read(tuple(options)) if o.spec and _OPTION in o.spec.flags)
    file = next(filter(None, files), None)
    if file is None:
        return ()
    names = includes(text).names
    longest: dict[str, float] = {}
    try:
        path = Path(working_folder(), file + _ENDING)
        if path.stat().st_mtime_ns < began_ns - TICK_NS:
            return ()
        content = read_file(path, _LARGEST)
        for header, ms in _headers(json.loads(content)["traceEvents"]):
            # A header that is read again has little to say then.
            for name in (n for n in names if header == n or header.endswith(f"/{n}")):
                longest[name] = max(ms, longest.get(name, 0.0))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ()
    slowest = sorted(longest.items(), key=lambda header: -header[1])
    return tuple(Phase(f"Header {name}", ms) for name, ms in slowest[:_MOST])


def _headers(events: Iterable[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    for event in events:
        if event.get("name") == _HEADER:
            yield str(event["args"]["detail"]), event["dur"] / 1000
