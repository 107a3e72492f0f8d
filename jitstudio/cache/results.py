"""Takes the place of a tool that has done the very same before.

What may be wrong is not kept. A result is found by a hash of its job, of the files of its tool, and
of what is at all the places on disk where its compile looked for files. Which those were is known
after the compile only; it is kept with the results, by job and tool. A result is kept only if
none of those places has changed since the compile began.
"""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any

from jitstudio import __version__
from jitstudio.cache.store import Store
from jitstudio.core.events import StageFinished
from jitstudio.core.options import have_effects
from jitstudio.core.plan import Job, JobDependencies, Search
from jitstudio.core.tools import CUDA_COMPILERS, Tool, ToolFile
from jitstudio.disk import Disk, SearchSnapshot, working_folder
from jitstudio.toolchain_folders import toolchain_in

_ROOTS = ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX")
_BELOW = ("", "bin", "lib", "lib64", "nvvm", "nvvm/lib64")
_SEARCHED = ("PATH", "LD_LIBRARY_PATH")
# What nvcc, its `nvcc.profile` and the host compiler's preprocessor read of the environment.
_READ_BY_NVCC = (
    *("NVCC_CCBIN", "INCLUDES", "SYSTEM_INCLUDES", "CUDAFE_FLAGS", "NVVM_FLAGS", "PTXAS_FLAGS"),
    *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH"),
)
_SYSTEM_PLACES = ("/usr/local/cuda", "/usr/local", "/opt/cuda", "/etc/ld.so.cache")


def fingerprint(*values: Any) -> bytes:
    """Returns a hash of values of the core, and of the version of this program."""
    digest = hashlib.sha256()
    _feed(digest, (__version__, *values))
    return digest.digest()


def surroundings(tool: Tool, toolchain: str = "") -> bytes:
    """A hash of all that decides where a tool is found: a package installed later changes it.

    Args:
        tool: The tool.
        toolchain: See `BuildRequest`.
    """
    roots = [os.environ.get(name, "") for name in _ROOTS]
    places = [*sys.path, *_SYSTEM_PLACES]
    places += [os.path.join(root, below) for root in roots if root for below in _BELOW]
    for name in _SEARCHED:
        places += os.environ.get(name, "").split(os.pathsep)
    changed = tuple((place, _changed(place)) for place in places if place)
    variables = (*map(os.environ.get, (*_ROOTS, *_SEARCHED)), *_variables(tool))
    # Also where the folder has none of it: the program is searched for elsewhere then.
    other = toolchain_in(toolchain).files.get(tool, "") if toolchain else ""
    return fingerprint(tool, sys.executable, variables, changed, toolchain, other)


def _variables(tool: Tool) -> tuple[str | None, ...]:
    """Returns what a tool reads of the environment to make its results."""
    return tuple(map(os.environ.get, _READ_BY_NVCC if tool is Tool.NVCC else ()))


def _changed(place: str) -> tuple[int, int] | None:
    try:
        found = os.stat(place)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _feed(digest: Any, value: Any) -> None:
    """Hash any value of the core, each with its type and length so that no two look the same.

    All fields are taken, so that one added to a job later is never forgotten.
    """
    if is_dataclass(value):
        value = (type(value).__name__, *(getattr(value, field.name) for field in fields(value)))
    if isinstance(value, tuple):
        digest.update(b"(%d" % len(value))
        for item in value:
            _feed(digest, item)
        return
    if isinstance(value, Enum):
        value = f"{type(value).__name__}.{value.name}"
    data = value if isinstance(value, bytes) else _as_bytes(value)
    digest.update(b"%s%d:" % (type(value).__name__.encode(), len(data)))
    digest.update(data)


def _as_bytes(value: str | int | None) -> bytes:
    if value is None or isinstance(value, str | int):
        return str(value).encode("utf-8", "surrogateescape")
    raise TypeError(f"{type(value).__name__} has no fingerprint")


@dataclass(frozen=True)
class Searched:
    """Where the compile of a job looked for files."""

    searches: tuple[Search, ...] = ()


@dataclass(frozen=True)
class Mark:
    """What distinguishes a job from others, at one moment.

    Attributes:
        job: The job. What nobody trusts may have taken its worker over: what that has made is for
            jobs with the same confinement only.
        folder: The working directory, for a tool that puts it into its results.
        variables: What the tool reads of the environment.
        surroundings: What decides where the tool is found, and what the job is confined to.
        file: Where it was found; None if that is not known yet.
        searched: Where its compile looks for files, as far as is known.
        sight: What is there; None if that cannot be known.
    """

    job: Job
    folder: str
    variables: tuple[str | None, ...]
    surroundings: bytes
    file: ToolFile | None
    searched: Searched
    sight: SearchSnapshot | None

    def place(self, file: ToolFile) -> bytes:
        """Returns the key of where the compile looks for files."""
        return fingerprint("searches", file, self.folder, self.variables, self.job)

    def key(self, file: ToolFile, sight: SearchSnapshot) -> bytes:
        """Returns the key of the result."""
        return fingerprint(file, self.folder, self.variables, self.job, sight.contents)


class Cache:
    """What to look up in the store and what to keep there.

    Which file a tool is loaded from is known to a worker only, which says so after each job. What
    it said once is remembered, so that a build whose results are all here starts no worker.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._disk = Disk()
        self._files: dict[bytes, ToolFile] = {}

    def mark(self, job: Job) -> Mark | None:
        """What distinguishes the job from others, now; None where its result is not to be kept."""
        # What cuobjdump finds may be assembled by nvJitLink, of which the key knows nothing.
        # What a script makes may rest on anything.
        if job.tool in (Tool.CUOBJDUMP, Tool.PYTHON) or have_effects(job.options):
            return None
        # Line tables hold the working directory, and folders may be relative to it.
        folder = working_folder() if job.tool in CUDA_COMPILERS else ""
        around = fingerprint(surroundings(job.tool, job.toolchain), job.confined_to)
        file = self._files.get(around) or self._store.recall(around)
        variables = _variables(job.tool)
        mark = Mark(job, folder, variables, around, file, Searched(), self._disk.look(()))
        if file is None or job.tool not in CUDA_COMPILERS:
            return mark
        searched = self._store.fetch(Searched, mark.place(file)) or Searched()
        return replace(mark, searched=searched, sight=self._disk.look(searched.searches))

    def find(self, mark: Mark) -> StageFinished | None:
        """Returns what the tool made of this before, as the result of a tool that has not run."""
        if mark.file is None or mark.sight is None or not mark.file.is_there:
            return None
        self._files[mark.surroundings] = mark.file
        found = self._store.get(mark.key(mark.file, mark.sight))
        if found is None:
            return None
        return replace(found, stage=replace(found.stage, ms=0.0, phases=(), cached=True))

    def keep(self, mark: Mark, basis: JobDependencies, finished: StageFinished) -> None:
        """Keeps what the tool has made, if it is certain to be made again."""
        file = basis.tool
        if file is None or not file.is_there:
            return
        if self._files.get(mark.surroundings) != file:
            self._files[mark.surroundings] = file
            self._store.remember(mark.surroundings, file)
        if not finished.stage.ok or basis.searches is None:
            return
        if mark.job.tool in CUDA_COMPILERS and mark.folder != basis.folder:
            return
        searched = Searched(basis.searches)
        sight = self._disk.look(searched.searches)
        if sight is None:
            return
        if searched.searches and (searched, file) != (mark.searched, mark.file):
            self._store.put(mark.place(file), searched)
        if sight.settled_before(basis.began_ns) or (
            sight == mark.sight and sight.newest_ns < basis.began_ns
        ):
            self._store.put(mark.key(file, sight), finished)
