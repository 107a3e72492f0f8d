"""Which tools, driver and GPUs are here, and which file each tool was loaded from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version
from pathlib import Path

from jitstudio.core.request import ProbeRequest
from jitstudio.core.toolchain_info import ArchInfo, ToolchainInfo, ToolInfo
from jitstudio.core.tools import Tool, ToolFile
from jitstudio.toolchain import driver, locate, nvcc, nvfatbin, nvjitlink, nvrtc, nvvm
from jitstudio.toolchain.tool_files import stamped
from jitstudio.toolchain.tool_output import ToolMissing

_VERSIONS: dict[Tool, Callable[[], str]] = {
    Tool.NVRTC: nvrtc.version,
    Tool.NVVM: nvvm.version,
    Tool.NVJITLINK: nvjitlink.version,
    Tool.NVFATBIN: nvfatbin.version,
    Tool.NVDISASM: partial(locate.program_version, Tool.NVDISASM),
    Tool.CUOBJDUMP: partial(locate.program_version, Tool.CUOBJDUMP),
    Tool.NVCC: nvcc.version,
}


def probe(request: ProbeRequest) -> ToolchainInfo:
    """Looks for everything; missing tools are named in the answer, not raised."""
    # The driver has a place of its own in the answer.
    tools = tuple(_tool(tool) for tool in _VERSIONS)
    usable = {tool.tool for tool in tools if not tool.problem}
    return ToolchainInfo(
        tools=tools,
        archs=_archs(usable),
        driver=driver.describe() if request.devices else None,
    )


def _tool(tool: Tool) -> ToolInfo:
    try:
        version = _VERSIONS[tool]()
        path, found_via = locate.locate(tool)
    except ToolMissing as missing:
        return ToolInfo(tool, problem=str(missing))
    if found_via == locate.ADDED:
        return ToolInfo(tool, version, path, found_via)
    package = _package(tool, path)
    return ToolInfo(
        tool, version, path, found_via, package, is_elsewhere=locate.other() is not None
    )


def _package(tool: Tool, path: str) -> str:
    name = locate.WHEELS[tool]
    if "site-packages" not in path:
        return ""
    try:
        return f"{name} {package_version(name)}"
    except PackageNotFoundError:
        return ""


def _archs(usable: set[Tool]) -> tuple[ArchInfo, ...]:
    if Tool.NVRTC not in usable:
        return ()
    dialects = Tool.NVVM in usable
    return tuple(
        ArchInfo(arch, nvvm.llvm_dialect(arch) if dialects else None)
        for arch in nvrtc.supported_archs()
    )


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
        yield from nvvm.libdevice_file()
    if tool is Tool.NVCC:
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
