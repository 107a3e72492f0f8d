"""A probe's findings about the tools, driver and GPUs of this machine, also in sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from jitstudio.core.arch import Arch
from jitstudio.core.launch.device import Device, DeviceList
from jitstudio.core.launch.problems import in_bytes
from jitstudio.core.tools import OPTIONAL_TOOLS, Tool


@dataclass(frozen=True)
class ToolInfo:
    """A tool of this machine.

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
    """The guards of the processes in which compilers run.

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
    """All findings; `driver` and `sandbox` are None where these were not asked for."""

    tools: tuple[ToolInfo, ...]
    archs: tuple[ArchInfo, ...]
    driver: DeviceList | None = None
    sandbox: SandboxState | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """Why tools cannot be used that every installation has, and the remedy."""
        needed = (tool for tool in self.tools if tool.tool not in OPTIONAL_TOOLS)
        return tuple(tool.problem for tool in needed if tool.problem)


# ---- What the doctor says of it, for window and command line


@dataclass(frozen=True)
class DoctorFinding:
    """A finding of the doctor.

    Attributes:
        name: What it is called.
        state: Which version is here, or how things are; empty where there is none.
        place: The file it is in, where it is a file.
        problem: What is wrong with it and what to do; empty where all is well.
        is_tool: Whether it is one of the tools that every installation has.
    """

    name: str
    state: str = ""
    place: str = ""
    problem: str = ""
    is_tool: bool = False


def tool_findings(info: ToolchainInfo) -> Iterator[DoctorFinding]:
    """Yields the tools, the targets that NVRTC knows, and the guards of the processes."""
    for tool in info.tools:
        needed = tool.tool not in OPTIONAL_TOOLS
        yield DoctorFinding(tool.tool.value, _tool(tool), tool.path, tool.problem, needed)
    unknown = "" if info.archs else "The targets are unknown without NVRTC."
    yield DoctorFinding("targets", "  ".join(map(_target, info.archs)), problem=unknown)
    if info.sandbox is not None:
        yield _sandbox(info.sandbox)


def toolchain_finding(
    name: str, folder: str, files: Collection[Tool], info: ToolchainInfo | None, problem: str
) -> DoctorFinding:
    """Returns another version of the compilers: the tools that are there, and the missing tools.

    Args:
        name: What the user calls it.
        folder: Where it is.
        files: The tools that are in there.
        info: What a process found that works with it; None where none could.
        problem: What else is wrong with it; empty if nothing is.
    """
    title = name if name == folder else f"{name}  {folder}"
    tools = info.tools if info else ()
    versions = ", ".join(f"{tool.tool.value} {tool.version}" for tool in tools if tool.version)
    own = [tool.tool.value for tool in tools if tool.is_elsewhere]
    aside = f"From jitstudio's environment: {', '.join(own)}" if own else ""
    needed = [tool for tool in tools if tool.problem and tool.tool not in OPTIONAL_TOOLS]
    absent = [tool.tool.value for tool in needed if tool.tool not in files]
    lacks = f"Not there, so not to be used: {', '.join(absent)}" if absent else ""
    broken = [tool.problem for tool in tools if tool.problem and tool.tool in files]
    lines = filter(None, (title, versions, aside, lacks, *broken, problem))
    return DoctorFinding("toolchain", "\n".join(lines))


def gpu_findings(devices: DeviceList) -> Iterator[DoctorFinding]:
    """Yields the driver, and each GPU."""
    version = devices.driver_version
    yield DoctorFinding(
        "driver", f"serves CUDA {version}" if version else "", problem=devices.problem
    )
    for device in devices.devices:
        yield DoctorFinding(f"GPU {device.ordinal}", _gpu(device))


def python_finding(
    version: str = "",
    path: str = "",
    packages: Mapping[str, str] = MappingProxyType({}),
    install: str = "",
    *,
    problem: str = "",
) -> DoctorFinding:
    """Returns the interpreter that runs Python files, with the packages for kernels.

    Args:
        version: Its version.
        path: Its program.
        packages: The names and versions of what it has.
        install: The command that brings Triton and Numba.
        problem: Why it cannot be used; empty if it can.
    """
    if problem:
        return DoctorFinding("Python", problem=problem)
    versions = ", ".join((version, *(f"{name} {number}" for name, number in packages.items())))
    lacks = [name for name in ("triton", "numba-cuda") if name not in packages]
    remedy = f"\nNo {' and no '.join(lacks)}, for kernels in Python: {install}" if lacks else ""
    return DoctorFinding("Python", versions, f"{path}{remedy}")


def window_finding(problem: str, remedy: str) -> DoctorFinding:
    """Returns whether a window can be opened.

    Args:
        problem: Why not; empty if it can.
        remedy: The command that brings what is missing; empty if nothing is.
    """
    message = "\n".join(filter(None, (problem, remedy and f"On Debian and Ubuntu: {remedy}")))
    return DoctorFinding("window", "" if message else "can be opened", problem=message)


def _sandbox(state: SandboxState) -> DoctorFinding:
    """Returns a sentence that says which guards hold, and which do not."""
    if not state.problem:
        guards = f"landlock {state.landlock} guards your files, seccomp the system calls"
        return DoctorFinding("sandbox", f"compilers reach what they need only: {guards}")
    if state.landlock:
        lacks = "Compilers reach no file that they do not need, but all system calls"
    elif state.seccomp:
        lacks = "Compilers have no network, but can read and write all that you can"
    else:
        lacks = "Compilers can do all that you can"
    return DoctorFinding("sandbox", problem=f"{lacks}: {state.problem}. Build only what you trust.")


def _tool(tool: ToolInfo) -> str:
    return ", ".join(filter(None, (tool.version, tool.package or tool.found_via)))


def _target(arch: ArchInfo) -> str:
    return f"{arch.arch.sm} (LLVM {arch.llvm})" if arch.llvm else arch.arch.sm


def _gpu(device: Device) -> str:
    return f"{device.name}, compute capability {device.capability}, {in_bytes(device.memory)}"
