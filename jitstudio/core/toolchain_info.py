"""What a probe finds out about the tools, the driver and the GPUs of this machine."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.arch import Arch
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.tools import OPTIONAL_TOOLS, Tool


@dataclass(frozen=True)
class ToolInfo:
    """One tool as found.

    Attributes:
        tool: Which one.
        version: Such as ``13.4``; empty where the tool is missing.
        path: The file that was loaded; empty where missing.
        found_via: How it was found, such as ``site-packages`` or ``CUDA_PATH``.
        package: The wheel it came in with its version; empty where it came otherwise.
        problem: Why it cannot be used and what to do; empty where it can.
        is_elsewhere: Whether it is not in the folder of the compilers that were asked for.
    """

    tool: Tool
    version: str = ""
    path: str = ""
    found_via: str = ""
    package: str = ""
    problem: str = ""
    is_elsewhere: bool = False


@dataclass(frozen=True)
class ArchInfo:
    """An architecture that NVRTC compiles for.

    Attributes:
        arch: The architecture.
        llvm: Major version of the LLVM text that libNVVM reads for it: 7 means typed pointers,
            later ones opaque pointers. None where libNVVM does not say.
    """

    arch: Arch
    llvm: int | None


@dataclass(frozen=True)
class SandboxState:
    """What holds the processes in which compilers run.

    Attributes:
        landlock: The version of the kernel's landlock that guards files; 0 for none.
        seccomp: Whether seccomp refuses system calls.
        problem: Why something is missing; empty where all holds.
    """

    landlock: int = 0
    seccomp: bool = False
    problem: str = ""


@dataclass(frozen=True)
class ToolchainInfo:
    """All of it; `driver` and `sandbox` are None where they were not asked for."""

    tools: tuple[ToolInfo, ...]
    archs: tuple[ArchInfo, ...]
    driver: DeviceList | None = None
    sandbox: SandboxState | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """Why tools cannot be used that every installation has, and what to do."""
        needed = (tool for tool in self.tools if tool.tool not in OPTIONAL_TOOLS)
        return tuple(tool.problem for tool in needed if tool.problem)
