"""Finds the native libraries: in the pip wheels first, in a CUDA toolkit second.

The search itself is cuda-pathfinder's; this module adds the toolkit that is installed but not
announced by CUDA_PATH, and words for what is missing. A process that works with other versions of
the compilers takes them from the folder that they are in, and nowhere else; what only reads their
results, nvdisasm and cuobjdump, is ours where that folder has none.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from glob import escape, glob
from itertools import chain
from pathlib import Path

from cuda.pathfinder import (
    DynamicLibNotFoundError,
    find_nvidia_binary_utility,
    load_nvidia_dynamic_lib,
)

from jitstudio.core.toolchain_folders import PROGRAMS, ToolchainFolder, toolchain_in
from jitstudio.core.tools import (
    CUDA_COMPILERS,
    OPTIONAL_TOOLS,
    TILE_TOOLS,
    USUAL_TOOLKITS,
    Tool,
)
from jitstudio.toolchain.tool_output import ToolMissing

# By the names that cuda-pathfinder has for libraries.
_LIBRARIES = {
    Tool.NVRTC: "nvrtc",
    Tool.NVVM: "nvvm",
    Tool.NVJITLINK: "nvJitLink",
    Tool.NVFATBIN: "nvfatbin",
    Tool.DRIVER: "cuda",
}
WHEELS = {
    Tool.NVRTC: "nvidia-cuda-nvrtc",
    Tool.NVVM: "nvidia-nvvm",
    Tool.NVJITLINK: "nvidia-nvjitlink",
    Tool.NVFATBIN: "nvidia-nvfatbin",
    Tool.NVCC: "nvidia-cuda-nvcc",
    Tool.NVDISASM: "nvidia-cuda-nvdisasm",
    Tool.CUOBJDUMP: "nvidia-cuda-cuobjdump",
    Tool.TILEIRAS: "nvidia-cuda-tileiras",
    Tool.TILEIRDISASM: "cuda-tile",
}
_EXTRA = "'jitstudio[tile]'"
"""What brings all tools for tile functions."""
ADDED = "toolchain"
"""How a tool was found that is in the folder chosen for this process."""


def announce_toolkit() -> None:
    """Lets cuda-pathfinder know an installed toolkit, unless the user has made a choice.

    Sets CUDA_PATH in this process; cuda-pathfinder still looks at the wheels first.
    """
    if os.environ.get("CUDA_PATH") or os.environ.get("CUDA_HOME"):
        return
    compiler = shutil.which("nvcc")
    roots = [Path(compiler).resolve().parent.parent] if compiler else []
    for root in [*roots, *map(Path, USUAL_TOOLKITS)]:
        if (root / "bin").is_dir() and (root / "nvvm").is_dir():
            os.environ["CUDA_PATH"] = str(root)
            return


_other: ToolchainFolder | None = None


def choose(folder: str) -> None:
    """Has this process work with the tools in a folder; to be called before any is loaded.

    Args:
        folder: See `BuildRequest.toolchain`.
    """
    global _other
    _other = toolchain_in(folder) if folder else None


def other() -> ToolchainFolder | None:
    """Returns the folder that was chosen for this process; None for the usual search."""
    return _other


@cache
def load(tool: Tool) -> tuple[str, str]:
    """Loads the library of a tool into this process.

    Returns:
        Its path, and how it was found.

    Raises:
        ToolMissing: It is not here.
    """
    chosen = _load_other(tool, _other) if _other and tool is not Tool.DRIVER else ""
    try:
        loaded = load_nvidia_dynamic_lib(_LIBRARIES[tool])
    except (DynamicLibNotFoundError, RuntimeError, OSError) as error:
        raise _missing(tool, str(error)) from error
    path = loaded.abs_path or ""
    if chosen and not os.path.samefile(path, chosen):
        # It loads much, for this message alone.
        from importlib.metadata import version as package_version  # noqa: PLC0415

        bindings = f"cuda-bindings {package_version('cuda-bindings')} loads '{path}' in its place"
        raise ToolMissing(tool, f"'{chosen}' cannot be used: {bindings}.")
    return (chosen, ADDED) if chosen else (path, loaded.found_via)


def _load_other(tool: Tool, toolchain: ToolchainFolder) -> str:
    """Loads a library of other compilers for the bindings to find, and returns the path.

    Raises:
        ToolMissing: It is not there, or the system cannot load it.
    """
    path = toolchain.files.get(tool)
    if path is None:
        raise _absent(tool, toolchain)
    # NVRTC would search the folders of the system for the other part of itself.
    for file in (*(toolchain.builtins if tool is Tool.NVRTC else ()), path):
        try:
            ctypes.CDLL(file, mode=os.RTLD_NOW | os.RTLD_GLOBAL)
        except OSError as error:
            raise ToolMissing(tool, f"{tool.value} cannot be loaded ({error}).") from error
    return path


def _absent(tool: Tool, toolchain: ToolchainFolder) -> ToolMissing:
    return ToolMissing(
        tool,
        f"There is no {tool.value} in the toolchain '{toolchain.folder}'. Choose a folder with "
        "all compilers that the build needs, such as one made by: "
        f"python3 -m pip install --target FOLDER '{WHEELS[tool]}==VERSION'",
    )


def locate(tool: Tool) -> tuple[str, str]:
    """Returns the path of a tool, and by which way.

    Raises:
        ToolMissing: It is not here.
    """
    if tool not in PROGRAMS:
        return load(tool)
    path = program(tool)
    if _other and path == _other.files.get(tool):
        return path, ADDED
    return path, "site-packages" if "site-packages" in path else "CUDA toolkit"


@cache
def program(tool: Tool) -> str:
    """Returns the path of a tool that is a program.

    Raises:
        ToolMissing: It is not here.
    """
    name = PROGRAMS[tool]
    path = _other.files.get(tool) if _other else None
    if path is None and _other and tool in CUDA_COMPILERS:
        raise _absent(tool, _other)
    # What cuda-pathfinder finds nowhere, it has another Python look for. That takes several times
    # as long as the start of a worker, and most machines have no nvcc.
    usual = file_of(f"bin/{name}") if tool in OPTIONAL_TOOLS else find_nvidia_binary_utility(name)
    path = path or usual or shutil.which(name)
    if path is None:
        raise _missing(tool, "no such program in the wheels, in CUDA_PATH or on PATH")
    return path


def file_of(below: str) -> str | None:
    """Returns a file of the wheels, or of the toolkit that the environment names, without links.

    Starts no program, unlike cuda-pathfinder: a sealed process may not.

    Args:
        below: Its path below the folder of a wheel or a toolkit, such as ``bin/nvcc``.
    """
    sites = (path for path in sys.path if path.endswith(("site-packages", "dist-packages")))
    in_wheels = (path for site in sites for path in sorted(glob(f"{site}/nvidia/*/{below}")))
    roots = (os.environ.get(variable) for variable in ("CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME"))
    named = (os.path.join(root, below) for root in roots if root)
    files = (os.path.realpath(path) for path in chain(in_wheels, named) if os.path.isfile(path))
    return next(files, None)


def programs(*tools: Tool) -> tuple[str, ...]:
    """Returns the paths of the present ones among these programs."""
    paths = []
    for tool in tools:
        with contextlib.suppress(ToolMissing):
            paths.append(program(tool))
    return tuple(paths)


def beside_tileiras(name: str) -> tuple[str, ...]:
    """Returns the paths of files next to tileiras; none without tileiras.

    Args:
        name: Relative to the folder of tileiras, with `*` for any characters.
    """
    with contextlib.suppress(ToolMissing):
        folder = os.path.dirname(os.path.realpath(program(Tool.TILEIRAS)))
        return tuple(os.path.normpath(path) for path in glob(os.path.join(escape(folder), name)))
    return ()


def nvdisasm() -> str:
    """Returns the path of the disassembler.

    Raises:
        ToolMissing: It is not here.
    """
    return program(Tool.NVDISASM)


@cache
def program_version(tool: Tool) -> str:
    """Returns the version of a program, as ``13.5``, by the program's own word.

    Raises:
        ToolMissing: It is not here, or does not start.
    """
    try:
        printed = subprocess.run(
            [program(tool), "--version"], capture_output=True, text=True, timeout=30, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise _missing(tool, str(error)) from error
    match = re.search(r"release (\d+\.\d+)", printed)
    return match[1] if match else ""


def _missing(tool: Tool, detail: str) -> ToolMissing:
    first = detail.strip().splitlines()[0] if detail.strip() else "not found"
    # cuda-pathfinder lists each place where it found nothing, all in the same words.
    first = first.partition(": No such file")[0]
    wheel = WHEELS.get(tool)
    remedy = (
        f"Install it with: python3 -m pip install {_EXTRA if tool in TILE_TOOLS else wheel} "
        "or install a CUDA toolkit and set CUDA_PATH to its folder."
        if wheel
        else "It comes with the driver of the GPU."
    )
    return ToolMissing(tool, f"{tool.value} cannot be loaded ({first}). {remedy}")
