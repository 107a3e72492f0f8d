"""Where NVRTC finds NVIDIA's own headers, so that `cuda_fp16.h` and CUB need no setting.

From 13.3 on NVRTC brings them along and unpacks them by itself; before that they are those of the
wheels or of a CUDA toolkit.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from errno import EIO
from functools import cache
from pathlib import Path
from typing import Any

from cuda.bindings import nvrtc
from cuda.pathfinder import find_nvidia_header_directory

from jitstudio.core.plan import Job
from jitstudio.disk import TICK_NS
from jitstudio.paths import UNPACKED_HEADERS, cache_folder, fallback_folder
from jitstudio.private import make_private

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include\b", re.MULTILINE)
_FORCED = ("--pre-include", "-include")
_BUNDLED = "--use-bundled-headers"
_OURS = ("-use-bundled-headers", _BUNDLED)
_MARKER = "cuda_fp16.h"
_UNPACKING = "unpacking-"
_ABANDONED = 3600.0
"""Seconds after which nobody works on what is being unpacked."""


def header_options(job: Job, version: str) -> tuple[str, ...]:
    """What to send behind the user's options, so that his folders are searched first."""
    includes = any(option.startswith(_FORCED) for option in job.options)
    texts = (*(content for _, content in job.inputs), *(h.content for h in job.headers))
    if not includes and not any(_INCLUDE.search(text) for text in texts):
        return ()
    if any(option.startswith(_OURS) for option in job.options):
        return ()
    return _options(version)


def header_folders(version: str) -> tuple[str, ...]:
    """The folders that `header_options` lets NVRTC search."""
    named = [option.partition("=")[2] for option in _options(version)]
    below = [str(Path(folder) / "cccl") for folder in named]
    return (*named, *(folder for folder in below if folder not in named and os.path.isdir(folder)))


def header_problem(version: str) -> str:
    """Why the headers that NVRTC brings along could not be unpacked; empty where they could."""
    try:
        _unpacked(version)
    except OSError as error:
        return f"NVRTC's own headers could not be unpacked: {error.strerror}: '{error.filename}'."
    return ""


def _options(version: str) -> tuple[str, ...]:
    with contextlib.suppress(OSError):
        if folder := _unpacked(version):
            return (f"{_BUNDLED}={folder}",)
    return tuple(f"--include-path={folder}" for folder in _installed())


@cache
def _unpacked(version: str) -> str:
    """The folder of the headers that NVRTC brings along; empty where it brings none.

    Raises:
        OSError: They cannot be unpacked anywhere.
    """
    info = _bundled()
    if info is None:
        return ""
    # Other headers than these may come with the same version.
    name = f"{UNPACKED_HEADERS}{version}-{info.uncompressedSize}"
    try:
        return _install(cache_folder() / name)
    except OSError:
        return _install(fallback_folder() / name)


def _bundled() -> Any:
    """What NVRTC tells of the headers that it brings along; None where it has none."""
    try:
        status, info, *_ = nvrtc.nvrtcGetBundledHeadersInfo()
    except (AttributeError, RuntimeError, TypeError):
        # This NVRTC or this binding is older than 13.3; that of 13.3.1 has the function broken.
        return None
    return info if status == nvrtc.nvrtcResult.NVRTC_SUCCESS and info.available else None


def _install(folder: Path) -> str:
    """Unpack the headers, unless they are there already; safe among several processes.

    They are unpacked beside the folder, which appears once it is whole: whoever is killed
    meanwhile leaves no half of it.

    Raises:
        OSError: There is no room, or another user could change what is unpacked.
    """
    make_private(folder.parent)
    if not os.path.lexists(folder):
        with tempfile.TemporaryDirectory(
            prefix=_UNPACKING, dir=folder.parent, ignore_cleanup_errors=True
        ) as fresh:
            whole = Path(fresh, folder.name)
            whole.mkdir(mode=0o700)
            status, *_ = nvrtc.nvrtcInstallBundledHeaders(os.fsencode(whole), 0)
            if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
                raise OSError(EIO, "the folder may be full", str(folder))
            with contextlib.suppress(OSError):  # another process was quicker
                whole.rename(folder)
        # What changes about when a compile begins makes its result unfit to be kept.
        time.sleep(2 * TICK_NS / 1e9)
        _remove_leftovers(folder.parent)
    make_private(folder)
    return str(folder)


def _remove_leftovers(folder: Path) -> None:
    """Remove what processes that were killed have unpacked; it takes others seconds."""
    for left in folder.glob(f"{_UNPACKING}*"):
        with contextlib.suppress(OSError):
            if time.time() - left.lstat().st_mtime > _ABANDONED:
                shutil.rmtree(left)


def _installed() -> Iterator[str]:
    """The folders of the wheels or the toolkit: the C headers, and CCCL beside or below them."""
    cudart = find_nvidia_header_directory("cudart")
    cccl = find_nvidia_header_directory("cccl")
    if cudart and (Path(cudart) / _MARKER).is_file():
        yield cudart
    if cccl:
        yield cccl
