"""The places on this machine that a worker process needs, whatever the work is.

Nothing in here holds what is the user's: not his home, not the list of users, not what other
processes are.

To add a file or device that every worker process needs: here; what one build needs, in `needs.py`;
a system call in `allowed_calls.py`, or `seccomp.py` for one that is refused to the driver's
processes, too, with its effect in `tests/worker/test_effects.py`. `JITSTUDIO_SANDBOX=off` starts
without the sandbox, to find out whether it is the cause.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from glob import glob
from pathlib import Path

import jitstudio
from jitstudio.core.toolchain_folders import toolchain_in
from jitstudio.core.tools import USUAL_TOOLKITS
from jitstudio.system.paths import resource
from jitstudio.worker.sandbox.access import holds_home

WRAPPED = "JITSTUDIO_WRAPPED"
"""The environment variable that tells a process which debugging tool has started it."""

SCRATCH_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")

_SYSTEM = (
    # Programs and libraries; folders of distributions that keep theirs elsewhere.
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
    # The loader, and the time.
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/timezone",
    # What a process sees of itself and of the machine. Not /proc, which shows other processes, nor
    # the environment, which may hold secrets and would be a text to include.
    "/proc/self/auxv",
    "/proc/self/cgroup",
    "/proc/self/exe",
    "/proc/self/fd",
    "/proc/self/limits",
    "/proc/self/maps",
    "/proc/self/mountinfo",
    "/proc/self/mounts",
    "/proc/self/stat",
    "/proc/self/statm",
    "/proc/self/status",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys",
    "/proc/version",
    "/sys/devices/system",
    "/sys/kernel/mm",
    "/dev/random",
    "/dev/urandom",
)
PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
"""Where programs of the system lie, which a script of the user's may start."""

_TOOLKITS = ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX")

DRIVER_READS = (
    "/sys",
    "/proc/devices",
    "/proc/driver",
    "/proc/modules",
    "/etc/nvidia",
    "/usr/share/nvidia",
    "/run/opengl-driver",
)
"""What the driver reads."""

THREADS = ("/proc/self/task",)
"""Where the driver names its threads: without it, cuInit fails (seen with driver 580)."""

_SHARED_GPU = ("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps")
"""The environment variable, and the usual folder, of the daemon that shares a GPU (CUDA MPS)."""

_DEVICES = ("/dev/nvidia*", "/dev/nvidia-caps*/*", "/dev/dxg", "/dev/nvhost-*", "/dev/nvmap")
"""GPUs: of a usual machine, of Windows' Linux, of an embedded one."""

SHARED_MEMORY = ("/dev/shm",)
"""Where the daemon that shares a GPU meets its programs; without it, no driver needs this (580)."""

WRAPPER_WRITES = ("/tmp", "/dev/shm")
"""Where compute-sanitizer meets its library in the process that it has started."""

_MODPROBE = "nvidia-modprobe"
_MODPROBE_LIMIT = 10.0


def toolchain(programs: tuple[str, ...], other: str = "") -> Iterator[str]:
    """Yields the paths that Python, jitstudio and compilers read, and the folders of programs.

    Args:
        programs: Their paths.
        other: See `BuildRequest.toolchain`.
    """
    yield from _SYSTEM
    package = str(Path(jitstudio.__file__).parent)
    yield package
    yield from _bytecode(package)
    yield str(resource(""))
    package_root = Path(package).parent
    # A checkout holds more than the package and its resources.
    checkout = str(package_root) if (package_root / "pyproject.toml").exists() else ""
    named = [os.environ.get(name, "") for name in _TOOLKITS]
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    searched = [path for path in sys.path if path != checkout]
    prefixes = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    prefixes += [path for key, path in sysconfig.get_paths().items() if key.endswith("lib")]
    folders = [os.path.dirname(os.path.realpath(program)) for program in programs]
    linked = (path for folder in searched for path in _linked(folder))
    others = toolchain_in(other).places if other else ()
    places = (*named, *USUAL_TOOLKITS, *libraries, *folders, *others)
    for path in (*prefixes, *searched, *places, *linked):
        if os.path.isabs(path) and not holds_home(path):
            yield path
            yield from _bytecode(path)
    if holds_home(sys.prefix):
        yield from (str(Path(sys.prefix, name)) for name in ("bin", "lib", "lib64", "include"))


def _bytecode(folder: str) -> Iterator[str]:
    """Yields where Python keeps the bytecode of a folder, if not beside the sources.

    A process that reads none compiles all that it imports, and a sealed one can keep none.
    """
    if sys.pycache_prefix is not None:
        yield os.path.join(sys.pycache_prefix, folder.lstrip(os.sep))


def interpreter(places: Iterable[str]) -> Iterator[str]:
    """Yields the paths that a Python interpreter reads, by the places of imports.

    An interpreter in the user's home reads folders of the interpreter, not the home.
    """
    for place in places:
        if not holds_home(place):
            yield place
            yield from _linked(place)


def _linked(folder: str) -> Iterator[str]:
    """Yields where the packages of a folder really lie: installers may link to a store."""
    if os.path.basename(folder) not in ("site-packages", "dist-packages"):
        return
    for place in (folder, *glob(f"{folder}/nvidia/*/*/"), *glob(f"{folder}/nvidia/*/*/*/")):
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                first = os.path.join(entry.path, "__init__.py") if is_folder else entry.path
                if os.path.islink(first):
                    real = os.path.realpath(first)
                    yield real if os.path.isdir(real) else os.path.dirname(real)


def lock_of(headers: str) -> str:
    """Returns the file that NVRTC locks before NVRTC reads the headers unpacked there."""
    return os.path.join(headers, ".nvrtc_install.lock")


def loaders() -> Iterator[str]:
    """Yields the loaders that the kernel starts for a program that uses shared libraries."""
    for folder in ("/lib", "/lib64", "/usr/lib", "/usr/lib64"):
        yield from glob(f"{folder}/ld-*.so*")
    yield from glob("/lib/*-linux-gnu/ld-*.so*")


def devices() -> Iterator[str]:
    """Yields the GPUs' files that are here, and the folder of the daemon that shares a GPU."""
    for pattern in _DEVICES:
        yield from glob(pattern)
    if is_gpu_shared():
        yield _sharing_folder()


def is_gpu_shared() -> bool:
    """Returns whether a daemon shares the GPUs of this machine: the user's own, or root's.

    The usual folder is in one that everybody may write to, so anybody can make it, or a link to
    another's; a folder that the environment names is the user's choice.
    """
    is_chosen = bool(os.environ.get(_SHARED_GPU[0]))
    try:
        status = os.stat(_sharing_folder(), follow_symlinks=is_chosen)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and (is_chosen or status.st_uid in (0, os.getuid()))


def _sharing_folder() -> str:
    variable, usual = _SHARED_GPU
    return os.environ.get(variable) or usual


def has_gpu() -> bool:
    """Returns whether there is the file of a GPU."""
    return any(glob(pattern) for pattern in _DEVICES)


def is_wrapped() -> bool:
    """Returns whether a debugging tool has started this process."""
    return WRAPPED in os.environ


def wrapper_reads() -> Iterator[str]:
    """Yields the toolkit of the debugging tool, which is next to the tool's own folder."""
    yield os.path.dirname(os.path.dirname(os.path.realpath(os.environ[WRAPPED])))


def prepare_driver(folder: str) -> None:
    """Does the work that the driver could not do later.

    The driver has the files of the GPUs made by a program that needs root's rights; and it keeps
    compiled code for all programs of this user, which would run the code of a hostile one.

    Args:
        folder: Where the driver shall keep the code instead.
    """
    os.environ["CUDA_CACHE_PATH"] = os.path.join(folder, "driver")
    program = shutil.which(_MODPROBE)
    if program is None or os.path.exists("/dev/nvidia-uvm"):
        return
    count = len(glob("/proc/driver/nvidia/gpus/*")) or 1
    words = [program, "-u", *(f"-c={minor}" for minor in range(count))]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(words, capture_output=True, timeout=_MODPROBE_LIMIT, check=False)
