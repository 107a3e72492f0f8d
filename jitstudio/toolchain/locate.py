"""Finds the native libraries: in the pip wheels first, in a CUDA toolkit second.

The search itself is cuda-pathfinder's; this module adds the toolkit that is installed but not
announced by CUDA_PATH, and words for what is missing.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from cuda.pathfinder import (
    DynamicLibNotFoundError,
    find_nvidia_binary_utility,
    load_nvidia_dynamic_lib,
)

from jitstudio.core.tools import USUAL_TOOLKITS, Tool
from jitstudio.toolchain.tool_output import ToolMissing

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
}
_PROGRAMS = {Tool.NVCC: "nvcc", Tool.NVDISASM: "nvdisasm", Tool.CUOBJDUMP: "cuobjdump"}


def announce_toolkit() -> None:
    """Lets cuda-pathfinder know an installed toolkit, unless the user has chosen one.

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


@cache
def load(tool: Tool) -> tuple[str, str]:
    """Loads the library of a tool into this process.

    Returns:
        Its path, and how it was found.

    Raises:
        ToolMissing: It is not here.
    """
    try:
        loaded = load_nvidia_dynamic_lib(_LIBRARIES[tool])
    except (DynamicLibNotFoundError, RuntimeError, OSError) as error:
        raise _missing(tool, str(error)) from error
    return loaded.abs_path or "", loaded.found_via


def locate(tool: Tool) -> tuple[str, str]:
    """Returns the path of a tool, and how it was found.

    Raises:
        ToolMissing: It is not here.
    """
    if tool not in _PROGRAMS:
        return load(tool)
    path = program(tool)
    return path, "site-packages" if "site-packages" in path else "CUDA toolkit"


@cache
def program(tool: Tool) -> str:
    """Returns the path of a tool that is a program of its own.

    Raises:
        ToolMissing: It is not here.
    """
    name = _PROGRAMS[tool]
    path = find_nvidia_binary_utility(name) or shutil.which(name)
    if path is None:
        raise _missing(tool, "no such program in the wheels, in CUDA_PATH or on PATH")
    return path


def programs(*tools: Tool) -> tuple[str, ...]:
    """Returns the paths of those of these programs that are here."""
    found = []
    for tool in tools:
        with contextlib.suppress(ToolMissing):
            found.append(program(tool))
    return tuple(found)


def nvdisasm() -> str:
    """Returns the path of the disassembler.

    Raises:
        ToolMissing: It is not here.
    """
    return program(Tool.NVDISASM)


@cache
def program_version(tool: Tool) -> str:
    """Returns such as ``13.5``, as the program itself says.

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
        f"Install it with: python3 -m pip install {wheel} "
        "or install a CUDA toolkit and set CUDA_PATH to its folder."
        if wheel
        else "It comes with the driver of the GPU."
    )
    return ToolMissing(tool, f"{tool.value} cannot be loaded ({first}). {remedy}")
