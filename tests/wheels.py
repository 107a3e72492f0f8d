"""Other versions of NVRTC from the package index, kept in a folder of the checkout."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from jitstudio.core.toolchain_folders import ToolchainFolder, toolchain_in
from tests.support import ROOT

_FOLDER = ROOT / ".pytest_cache" / "wheels"
_SECONDS = 300
OLDEST, BETWEEN = "12.0", "12.8"
"""The oldest version that is on the index, and the last one before NVRTC had a cache of its own."""
VERSIONS = (OLDEST, "12.4", BETWEEN, "12.9", "13.0", "13.3")


def nvrtc_of(version: str) -> ToolchainFolder:
    """The folder of an NVRTC with headers; skips the test without a package index."""
    folder = _FOLDER / version
    with _alone(folder):
        if not (folder / "whole").exists():
            _install(version, folder)
    return toolchain_in(str(folder))


def _install(version: str, folder: Path) -> None:
    if find_spec("pip") is None:
        pytest.skip("there is no pip to install another NVRTC with")
    if os.environ.get("PIP_NO_INDEX"):
        pytest.skip("pip is told not to use an index, which has other versions of NVRTC")
    shutil.rmtree(folder, ignore_errors=True)
    suffix = "-cu12" if version.startswith("12.") else ""
    packages = [f"nvidia-cuda-{name}{suffix}=={version}.*" for name in ("nvrtc", "runtime")]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    try:
        done = subprocess.run(
            [*command, str(folder), "--only-binary=:all:", "--retries=1", *packages],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"NVRTC {version} did not come from the package index in {_SECONDS} s")
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:]
        pytest.skip(f"NVRTC {version} cannot be had from the package index: {' '.join(said)}")
    (folder / "whole").touch()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keeps other processes of this run from installing the same folder."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
