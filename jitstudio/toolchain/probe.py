"""Which tools, driver and GPUs are here, and which file each tool was loaded from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version

from jitstudio.core.request import ProbeRequest
from jitstudio.core.toolchain_info import ArchInfo, ToolchainInfo, ToolInfo
from jitstudio.core.tools import Tool
from jitstudio.toolchain import driver, locate, nvcc, nvfatbin, nvjitlink, nvrtc, nvvm
from jitstudio.toolchain.tool_output import ToolMissing

_VERSIONS: dict[Tool, Callable[[], str]] = {
    Tool.NVRTC: nvrtc.version,
    Tool.NVVM: nvvm.version,
    Tool.NVJITLINK: nvjitlink.version,
    Tool.NVFATBIN: nvfatbin.version,
    Tool.NVDISASM: partial(locate.program_version, Tool.NVDISASM),
    Tool.CUOBJDUMP: partial(locate.program_version, Tool.CUOBJDUMP),
    Tool.NVCC: nvcc.version,
    Tool.TILEIRAS: partial(locate.program_version, Tool.TILEIRAS),
    Tool.TILEIRDISASM: partial(locate.program_version, Tool.TILEIRDISASM),
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
