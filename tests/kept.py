"""What the tests of this checkout keep from run to run.

Builds and readings of machine code follow from a request and from the code that carries requests
out: all of the package but the front ends and what else lies above the workers. A change in that
code, in its resources or in what is installed begins a folder anew, so a fault in any of it meets
tools that really run. What nvdisasm prints follows from less: see `nvdisasm_texts`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests import nvdisasm_texts
from tests.support import ROOT

_RESULTS = ROOT / ".pytest_cache" / "results"
_MOST_FOLDERS = 2
_LARGEST_TEXTS = 256 << 20
_MOST_RUNS = 100
# None of these is imported by the workers; a contract holds that.
_ABOVE_WORKERS = {"gui", "cli", "api", "commands", "help", "checks", "variants", "export"}
_ABOVE_WORKERS |= {"mcp", "pytest_plugin.py"}
_OF_FRONT_ENDS = {"fonts", "help", "icons", "lessons", "linux", "samples", "schema", "themes"}
_VARIABLES = ("CUDA_PATH", "CUDA_HOME", "JITSTUDIO_SANDBOX", "LD_LIBRARY_PATH")


@cache
def results_folder() -> Path:
    """Returns the folder for results and readings of the code as it is."""
    folder = _RESULTS / _state()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def make_room() -> None:
    """Removes folders of results but that of the code as it is and the last one before.

    Texts of nvdisasm begin anew where they are many: most are of temporary folders.
    """
    texts = nvdisasm_texts.PATH
    if texts.exists() and texts.stat().st_size > _LARGEST_TEXTS:
        texts.unlink()
    os.utime(results_folder())
    folders = sorted(_RESULTS.iterdir(), key=lambda folder: -folder.stat().st_mtime)
    for folder in folders[_MOST_FOLDERS:]:
        shutil.rmtree(folder, ignore_errors=True)


def take_temporary_folder() -> tuple[Path, int]:
    """Returns a folder for temporary files that no other run has, and its lock, held while open.

    Its name is the same in most runs: line tables hold the path of a source, so that the same text
    in another folder is another cubin.
    """
    for number in range(_MOST_RUNS):
        folder = Path(tempfile.gettempdir()) / f"jitstudio-tests-{os.getuid()}-{number}"
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid != os.getuid():
            continue
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
        else:
            return folder / "run", lock
    raise OSError(f"{_MOST_RUNS} runs of the tests are at work")


def folder_of(base: Path, name: str) -> Path:
    """Makes a folder anew, whose path says which test or module it is for.

    All names are of one length, so that code built there differs by them alone: see
    `nvdisasm_texts`.

    Args:
        base: The folder of the run.
        name: The id of the test or module.
    """
    words = re.sub(r"[^A-Za-z0-9_]", "_", name.rpartition("::")[2])[:30].ljust(30, "_")
    folder = base / f"{words}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def _state() -> str:
    digest = hashlib.sha256(repr((sys.version, [*map(os.environ.get, _VARIABLES)])).encode())
    digest.update(repr(sorted(os.listdir(sysconfig.get_path("purelib")))).encode())
    for path in _files():
        digest.update(repr(path.relative_to(ROOT)).encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _files() -> Iterator[Path]:
    """Gives the code that results follow from, and its resources."""
    for folder, others in (("jitstudio", _ABOVE_WORKERS), ("resources", _OF_FRONT_ENDS)):
        for part in sorted((ROOT / folder).iterdir()):
            if part.name not in others:
                files = sorted(part.rglob("*")) if part.is_dir() else [part]
                yield from (file for file in files if file.is_file() and file.suffix != ".pyc")
