"""The files of tools as they were when this process began to use them."""

from __future__ import annotations

import time
from collections.abc import Iterable

from jitstudio.core.disk import TICK_NS
from jitstudio.core.tools import FileStamp, ToolFile

_BEGAN_NS = time.time_ns()
"""Before any tool was loaded."""


def stamped(path: str, parts: Iterable[str] = ()) -> ToolFile | None:
    """Returns the file of a tool with all parts, or None if a part is missing.

    None also where a part has changed since this process began: then nobody knows which of its
    versions was loaded.

    Args:
        path: The file.
        parts: The files that it loads or reads by itself.
    """
    try:
        stamps = tuple(FileStamp.of(part) for part in sorted({path, *parts}))
    except OSError:
        return None
    changed = any(stamp.ctime_ns >= _BEGAN_NS - TICK_NS for stamp in stamps)
    return None if changed else ToolFile(path, stamps)
