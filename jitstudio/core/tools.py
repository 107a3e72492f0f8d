"""What a probe finds out about the tools, the driver and the GPUs of this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum

from jitstudio.core.arch import Arch
from jitstudio.core.launch.device import DeviceList

USUAL_TOOLKITS = ("/usr/local/cuda", "/opt/cuda")
"""Where a CUDA toolkit lies that no environment variable names."""


class Tool(Enum):
    """A native tool that a build step runs; the value is its name as NVIDIA writes it."""

    NVRTC = "NVRTC"
    NVVM = "libNVVM"
    NVJITLINK = "nvJitLink"
    NVFATBIN = "nvFatbin"
    NVDISASM = "nvdisasm"
    CUOBJDUMP = "cuobjdump"
    DRIVER = "CUDA driver"


@dataclass(frozen=True)
class FileStamp:
    """A file as it is: none of it can be written, replaced or touched without changing this.

    Attributes:
        path: The file.
        inode: Which file it is, whatever its path. Its device is left out: it may get another
            number whenever the machine starts.
        size: Its bytes.
        mtime_ns: When it was written; a program may set it.
        ctime_ns: When it was last written, renamed or touched, as the file system says.
    """

    path: str
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, path: str) -> FileStamp:
        """Returns the file as it is now.

        Raises:
            OSError: It is not there.
        """
        found = os.stat(path)
        return cls(path, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@dataclass(frozen=True)
class ToolFile:
    """The file that a tool was loaded from, as distinct from every other version of it.

    Attributes:
        path: The file.
        parts: The file itself and all that it loads or reads by itself, as they were.
    """

    path: str
    parts: tuple[FileStamp, ...]

    @property
    def is_there(self) -> bool:
        """Whether all of it is still as it was."""
        try:
            return all(FileStamp.of(part.path) == part for part in self.parts)
        except OSError:
            return False


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
    """

    tool: Tool
    version: str = ""
    path: str = ""
    found_via: str = ""
    package: str = ""
    problem: str = ""


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
