"""The native tools that builds run, and their files on disk."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum

USUAL_TOOLKITS = ("/usr/local/cuda", "/opt/cuda")
"""Where a CUDA toolkit lies that no environment variable names."""


class Tool(Enum):
    """A native tool that a build step runs; the value is NVIDIA's spelling of the name."""

    NVRTC = "NVRTC"
    NVVM = "libNVVM"
    NVJITLINK = "nvJitLink"
    NVFATBIN = "nvFatbin"
    NVDISASM = "nvdisasm"
    CUOBJDUMP = "cuobjdump"
    NVCC = "nvcc"
    TILEIRAS = "tileiras"
    TILEIRDISASM = "tileirdisasm"
    DRIVER = "CUDA driver"
    PYTHON = "Python"


CUDA_COMPILERS = frozenset((Tool.NVRTC, Tool.NVCC))
"""The tools that CUDA C++ can be given to."""

NO_COMPILERS = frozenset((Tool.DRIVER, Tool.PYTHON))
"""The tools that no wheel of NVIDIA's and no toolkit brings."""

TILE_TOOLS = frozenset((Tool.TILEIRAS, Tool.TILEIRDISASM))
"""The tools that work on Tile IR."""

OPTIONAL_TOOLS = frozenset((Tool.NVCC, *TILE_TOOLS))
"""The tools that the wheels jitstudio asks for do not bring: without them nothing is amiss."""


@dataclass(frozen=True)
class FileStamp:
    """A stamp of a file that changes when the file is written, replaced or touched.

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
        """Returns the stamp of the file at present.

        Raises:
            OSError: It is not there.
        """
        status = os.stat(path)
        return cls(path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(frozen=True)
class ToolFile:
    """The file that a tool was loaded from, as distinct from every other version of the file.

    Attributes:
        path: The file.
        parts: The file itself and all that it loads or reads by itself, as they were.
    """

    path: str
    parts: tuple[FileStamp, ...]

    @property
    def is_there(self) -> bool:
        """Whether all parts are unchanged."""
        try:
            return all(FileStamp.of(part.path) == part for part in self.parts)
        except OSError:
            return False
