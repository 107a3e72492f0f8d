"""Which file a tool was loaded from in this process."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache

from jitstudio.core.tools import Tool, ToolFile
from jitstudio.toolchain import locate, nvrtc
from jitstudio.toolchain.errors import ToolMissing
from jitstudio.toolchain.headers import header_folders

# What a tool reads besides its own file and what a job names.
_READS: dict[Tool, Callable[[], tuple[str, ...]]] = {
    Tool.NVRTC: lambda: header_folders(nvrtc.version())
}


@cache
def identity(tool: Tool) -> ToolFile | None:
    """The file as it was when it was loaded, or None where the tool is missing."""
    try:
        path, _ = locate.locate(tool)
        status = os.stat(path)
        folders = _READS[tool]() if tool in _READS else ()
        stamps = tuple((folder, os.stat(folder).st_mtime_ns) for folder in folders)
    except (ToolMissing, OSError):
        return None
    return ToolFile(path, status.st_size, status.st_mtime_ns, stamps)
