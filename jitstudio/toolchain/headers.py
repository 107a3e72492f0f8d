"""Where NVRTC finds NVIDIA's own headers, so that `cuda_fp16.h` and CUB need no setting.

From 13.3 on NVRTC brings them along and unpacks them by itself; before that they are those of the
wheels or of a CUDA toolkit.
"""

from __future__ import annotations

import getpass
import os
import re
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from cuda.bindings import nvrtc
from cuda.pathfinder import find_nvidia_header_directory

from jitstudio.core.job import Job
from jitstudio.disk import TICK_NS
from jitstudio.paths import cache_folder

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include\b", re.MULTILINE)
_FORCED = ("--pre-include", "-include")
_BUNDLED = "--use-bundled-headers"
_OURS = ("-use-bundled-headers", _BUNDLED)
_MARKER = "cuda_fp16.h"


def header_options(job: Job, version: str) -> tuple[str, ...]:
    """What to send behind the user's options, so that his folders are searched first."""
    includes = any(option.startswith(_FORCED) for option in job.options)
    texts = (*(content for _, content in job.inputs), *(h.content for h in job.headers))
    if not includes and not any(_INCLUDE.search(text) for text in texts):
        return ()
    if any(option.startswith(_OURS) for option in job.options):
        return ()
    return _options(version)


@cache
def header_folders(version: str) -> tuple[str, ...]:
    """The folders that `header_options` lets NVRTC search."""
    named = [option.partition("=")[2] for option in _options(version)]
    below = [str(Path(folder) / "cccl") for folder in named]
    return (*named, *(folder for folder in below if folder not in named and os.path.isdir(folder)))


@cache
def _options(version: str) -> tuple[str, ...]:
    if _bundled():
        folder = next((f for f in _writable(version) if _install(f)), None)
        if folder is not None:
            return (f"{_BUNDLED}={folder}",)
    return tuple(f"--include-path={folder}" for folder in _installed())


def _bundled() -> bool:
    try:
        status, info, *_ = nvrtc.nvrtcGetBundledHeadersInfo()
    except (AttributeError, RuntimeError, TypeError):
        # This NVRTC or this binding is older than 13.3; that of 13.3.1 has the function broken.
        return False
    return status == nvrtc.nvrtcResult.NVRTC_SUCCESS and bool(info.available)


def _writable(version: str) -> Iterator[str]:
    """Folders to unpack into, in the order of preference."""
    name = f"nvrtc-headers-{version}"
    yield str(cache_folder() / name)
    yield str(Path(tempfile.gettempdir()) / f"jitstudio-{getpass.getuser()}" / name)


def _install(folder: str) -> bool:
    """Unpack the headers, unless they are there already; safe among several processes."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        # Anybody can make a folder of this name in the one for temporary files.
        if os.name == "posix" and os.stat(folder).st_uid != os.getuid():
            return False
    except OSError:
        return False
    flags = int(nvrtc.NVRTC_INSTALL_HEADERS_SKIP_IF_EXISTS)
    here_before = os.path.isfile(os.path.join(folder, _MARKER))
    status, *_ = nvrtc.nvrtcInstallBundledHeaders(os.fsencode(folder), flags)
    if not here_before:
        # What changes about when a compile begins makes its result unfit to be kept.
        time.sleep(2 * TICK_NS / 1e9)
    return bool(status == nvrtc.nvrtcResult.NVRTC_SUCCESS)


def _installed() -> Iterator[str]:
    """The folders of the wheels or the toolkit: the C headers, and CCCL beside or below them."""
    cudart = find_nvidia_header_directory("cudart")
    cccl = find_nvidia_header_directory("cccl")
    if cudart and (Path(cudart) / _MARKER).is_file():
        yield cudart
    if cccl:
        yield cccl
