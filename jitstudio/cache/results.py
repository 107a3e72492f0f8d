"""Takes the place of a tool that has done the same job before.

Doubtful results are not stored. A result is found by a hash of its job, of the files of its tool,
and of the content of all places on disk where its compile looked for files. These places are known
only after the compile; they are stored with the results, by job and tool. A result is stored only
if none of these places has changed since the compile began.
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
from jitstudio.core.disk import Disk, SearchSnapshot, working_folder
from jitstudio.core.events import StageFinished
from jitstudio.core.options import have_effects
from jitstudio.core.plan import Job, JobDependencies, Search
from jitstudio.core.toolchain_folders import toolchain_in
from jitstudio.core.tools import CUDA_COMPILERS, Tool, ToolFile

_ROOTS = ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX")
_BELOW = ("", "bin", "lib", "lib64", "nvvm", "nvvm/lib64")
_SEARCHED = ("PATH", "LD_LIBRARY_PATH")
# The environment variables of nvcc, its `nvcc.profile` and the host compiler's preprocessor.
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
    """Returns a hash of all that decides the place of a tool, such as packages installed later.

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
    # Also where the folder has no such tool: the program is searched for elsewhere then.
    other = toolchain_in(toolchain).files.get(tool, "") if toolchain else ""
    return fingerprint(tool, sys.executable, variables, changed, toolchain, other)


def _variables(tool: Tool) -> tuple[str | None, ...]:
    """Returns the environment variables that affect the results of a tool."""
    return tuple(map(os.environ.get, _READ_BY_NVCC if tool is Tool.NVCC else ()))


def _changed(place: str) -> tuple[int, int] | None:
    try:
        status = os.stat(place)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _feed(digest: Any, value: Any) -> None:
    """Hashes any value of the core, with types and lengths so that no two look the same.

    All fields are included, so that a field added to a job later is never forgotten.
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
    """The places where the compile of a job looked for files."""

    searches: tuple[Search, ...] = ()


@dataclass(frozen=True)
class Mark:
    """The properties that distinguish a job from others, at a certain moment.

    Attributes:
        job: The job. A job that nobody trusts may have taken its worker over: its results are for
            jobs with the same confinement only.
        folder: The working directory, for a tool that puts it into its results.
        variables: The environment variables that the tool reads.
        surroundings: The hash of all that decides the place of the tool, and of the confinement.
        file: The file of the tool; None if not known yet.
        searched: The places where the compile looks for files, as far as known.
        sight: The content of these places; None if unknown.
    """

    job: Job
    folder: str
    variables: tuple[str | None, ...]
    surroundings: bytes
    file: ToolFile | None
    searched: Searched
    sight: SearchSnapshot | None

    def place(self, file: ToolFile) -> bytes:
        """Returns the key of the places where the compile looks for files."""
        return fingerprint("searches", file, self.folder, self.variables, self.job)

    def key(self, file: ToolFile, sight: SearchSnapshot) -> bytes:
        """Returns the key of the result."""
        return fingerprint(file, self.folder, self.variables, self.job, sight.contents)


class ToolFiles:
    """The files from which tools are loaded, by the surroundings of the tool.

    A file is known to a worker only, which reports the file after each job. The report is
    remembered, so that a build whose results are all stored starts no worker.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._files: dict[bytes, ToolFile] = {}

    def recall(self, around: bytes) -> ToolFile | None:
        """Returns the file of a tool in these surroundings; None if unknown, changed or gone."""
        file = self._files.get(around) or self._store.recall(around)
        if file is None or not file.is_there:
            return None
        self._files[around] = file
        return file

    def remember(self, around: bytes, file: ToolFile) -> None:
        """Stores the file of a tool in these surroundings."""
        if self._files.get(around) != file:
            self._files[around] = file
            self._store.remember(around, file)


class Cache:
    """Looks up results of jobs in the store, and stores new ones."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._disk = Disk()
        self._files = ToolFiles(store)

    def mark(self, job: Job) -> Mark | None:
        """Returns the mark of a job, now; None where the result is not to be stored."""
        # nvJitLink may assemble the output of cuobjdump, and the key knows nothing of that.
        # The output of a script may depend on anything.
        if job.tool in (Tool.CUOBJDUMP, Tool.PYTHON) or have_effects(job.options):
            return None
        # Line tables hold the working directory, and folders may be relative to it.
        folder = working_folder() if job.tool in CUDA_COMPILERS else ""
        around = fingerprint(surroundings(job.tool, job.toolchain), job.confined_to)
        file = self._files.recall(around)
        variables = _variables(job.tool)
        mark = Mark(job, folder, variables, around, file, Searched(), self._disk.look(()))
        if file is None or job.tool not in CUDA_COMPILERS:
            return mark
        searched = self._store.fetch(Searched, mark.place(file)) or Searched()
        return replace(mark, searched=searched, sight=self._disk.look(searched.searches))

    def find(self, mark: Mark) -> StageFinished | None:
        """Returns the stored result of the job, marked as cached, or None."""
        if mark.file is None or mark.sight is None:
            return None
        event = self._store.get(mark.key(mark.file, mark.sight))
        if event is None:
            return None
        return replace(event, stage=replace(event.stage, ms=0.0, phases=(), cached=True))

    def keep(self, mark: Mark, basis: JobDependencies, finished: StageFinished) -> None:
        """Stores the result of a tool, if a repetition is certain to give the same."""
        file = basis.tool
        if file is None or not file.is_there:
            return
        self._files.remember(mark.surroundings, file)
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
