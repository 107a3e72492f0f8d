"""The files of tools as they were when this process began."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from jitstudio.core.disk import TICK_NS
from jitstudio.core.tools import FileStamp, Tool, ToolFile
from jitstudio.toolchain import locate
from jitstudio.toolchain.tool_output import ToolMissing

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


# How the names of libraries begin that a tool loads: itself, and what lies next to it.
_FAMILIES = {
    Tool.NVRTC: ("libnvrtc",),
    Tool.NVVM: ("libnvvm",),
    Tool.NVJITLINK: ("libnvJitLink",),
    Tool.NVFATBIN: ("libnvfatbin",),
    Tool.DRIVER: ("libcuda", "libnvidia-"),
}


@cache
def identity(tool: Tool) -> ToolFile | None:
    """Returns the file of a tool with all parts; None if missing, or see `stamped`."""
    try:
        path, _ = locate.locate(tool)
        return stamped(path, _parts(tool, path))
    except (ToolMissing, OSError):
        return None


def _parts(tool: Tool, path: str) -> Iterator[str]:
    """Yields the files that a tool loads or reads by itself."""
    if tool in _FAMILIES:
        beside = Path(os.path.realpath(path)).parent
        yield from (str(file) for file in beside.iterdir() if _is_of(tool, str(file)))
        # The name of one that has been removed since, or replaced, has "(deleted)" behind it.
        yield from (file for file in _mapped() if _is_of(tool, file))
    if tool is Tool.NVVM:
        from jitstudio.toolchain import nvvm  # noqa: PLC0415 - loaded with the tool

        yield from nvvm.libdevice_file()
    if tool is Tool.TILEIRAS:
        # It starts ptxas and loads libNVVM.
        for name in ("ptxas", "../lib*/libnvvm.so*", "../nvvm/lib*/libnvvm.so*"):
            yield from locate.beside_tileiras(name)
    if tool is Tool.NVCC:
        from jitstudio.toolchain import nvcc  # noqa: PLC0415 - see above

        yield from nvcc.parts()


def _is_of(tool: Tool, path: str) -> bool:
    return os.path.basename(path).startswith(_FAMILIES.get(tool, ("/",)))


def _mapped() -> Iterator[str]:
    """Yields the files that are in the memory of this process."""
    try:
        lines = Path("/proc/self/maps").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        # Address, permissions, offset, device, inode; then the path, if there is one.
        _, slash, path = line.partition("/")
        if slash:
            yield f"/{path}"
