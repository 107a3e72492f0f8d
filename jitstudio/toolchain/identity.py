"""Which file a tool was loaded from in this process."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from jitstudio.core.tools import FileStamp, Tool, ToolFile
from jitstudio.disk import TICK_NS
from jitstudio.toolchain import locate, nvvm
from jitstudio.toolchain.errors import ToolMissing

_BEGAN_NS = time.time_ns()
"""Before any tool was loaded."""

# How the names of libraries begin that a tool loads: itself, and what lies beside it.
_FAMILIES = {
    Tool.NVRTC: ("libnvrtc",),
    Tool.NVVM: ("libnvvm",),
    Tool.NVJITLINK: ("libnvJitLink",),
    Tool.NVFATBIN: ("libnvfatbin",),
    Tool.DRIVER: ("libcuda", "libnvidia-"),
}


@cache
def identity(tool: Tool) -> ToolFile | None:
    """The file with all its parts, or None where the tool is missing.

    None also where a part has changed since this process began: then nobody can tell which of its
    versions was loaded.
    """
    try:
        path, _ = locate.locate(tool)
        parts = tuple(FileStamp.of(part) for part in sorted({path, *_parts(tool, path)}))
    except (ToolMissing, OSError):
        return None
    changed = any(part.ctime_ns >= _BEGAN_NS - TICK_NS for part in parts)
    return None if changed else ToolFile(path, parts)


def _parts(tool: Tool, path: str) -> Iterator[str]:
    """What a tool loads or reads by itself."""
    if tool in _FAMILIES:
        beside = Path(os.path.realpath(path)).parent
        yield from (str(file) for file in beside.iterdir() if _is_of(tool, str(file)))
        # The name of one that has been removed since, or replaced, has "(deleted)" behind it.
        yield from (file for file in _mapped() if _is_of(tool, file))
    if tool is Tool.NVVM:
        yield from nvvm.libdevice_file()


def _is_of(tool: Tool, path: str) -> bool:
    return os.path.basename(path).startswith(_FAMILIES.get(tool, ("/",)))


def _mapped() -> Iterator[str]:
    """The files that are in the memory of this process."""
    try:
        lines = Path("/proc/self/maps").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        # Address, permissions, offset, device, inode; then the path, if there is one.
        _, slash, path = line.partition("/")
        if slash:
            yield f"/{path}"
