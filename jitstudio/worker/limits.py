"""How much memory and disk workers may take, and how many processes they may start.

Nothing that they run shall starve the machine.

Each process has a limit of its own, but several at once could still take all there is; the kernel
would then end what it likes, perhaps the window. So while any of them works, `MemoryWatch` looks
at all of them every tenth of a second and ends the largest if together they have too much, and one
that has started too many processes.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import sys
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Protocol

from jitstudio.core.bounds.folders import walk

if sys.platform == "linux":
    import resource

EXIT_OUT_OF_MEMORY = 77
"""Exit status of a child that ran out of memory in Python code."""

EXIT_TOO_MANY = 78
"""Exit status of a child that was ended as it had started too many processes."""

MOST_PROCESSES = 1000
"""How many a worker may have started that run at the same time; a compile of a script has a few."""
_MOST_ENDED = 16_000  # half of the numbers for processes that Linux usually has
_MORE_TASKS = 4096
_BLOCK = 512  # of `st_blocks`, stat(2)
_UNNAMED = " (deleted)"  # behind the path of a file without a name, proc_pid_maps(5)

EXIT_DISK_TAKEN = 79
"""Exit status of a child that was ended as it had written too much to its folder."""

LARGEST_FILE = 1 << 30
"""Bytes of the largest file that a compile or a script may write."""

MOST_ON_DISK = 4 << 30
"""Bytes of disk that a worker may take: its folder, and files without a name that it has open or
mapped."""

_SHARE = 0.75
_DIES_FIRST = 1000
"""The most that `oom_score_adj` takes: the kernel ends such a process before any other."""


def default_memory_limit() -> int:
    """Returns three quarters of our memory in bytes, or 0 (no limit) where unknown."""
    return share_of_memory(_SHARE)


def share_of_memory(share: float) -> int:
    """Returns a share of our memory in bytes, or 0 (no limit) where that is unknown.

    That is the machine's, or less where a container or a service may not have all of it.
    """
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0
    return int(min((whole, *cgroup_limits())) * share)


def cgroup_limits(proc: Path = Path("/proc/self")) -> tuple[int, ...]:
    """Returns the limits in bytes of this process's control groups, from both versions.

    Args:
        proc: What the kernel says of this process: its groups, and where they are mounted
            (cgroups(7), proc(5)).
    """
    try:
        groups = (proc / "cgroup").read_text().splitlines()
        mounts = (proc / "mountinfo").read_text().splitlines()
    except OSError:
        return ()
    return tuple(limit for path in _limit_files(groups, mounts) if (limit := _number_in(path)))


def _limit_files(groups: list[str], mounts: list[str]) -> Iterator[Path]:
    """Yields the files with the limits of this process's groups, up to the outermost."""
    paths: dict[str, str] = {}
    for group in groups:
        _, controllers, path = group.split(":", 2)
        if not controllers:
            paths["cgroup2"] = path
        elif "memory" in controllers.split(","):
            paths["cgroup"] = path
    for mount in mounts:
        left, _, right = mount.partition(" - ")
        kind, _, options = right.split(" ", 2)
        root, place = left.split(" ")[3:5]
        if kind not in paths or (kind == "cgroup" and "memory" not in options.split(",")):
            continue
        name = "memory.max" if kind == "cgroup2" else "memory.limit_in_bytes"
        # A container may see its own group only, as the root of what is mounted there.
        below = os.path.relpath(paths[kind], root)
        inner = Path(place, *(() if below.startswith("..") else Path(below).parts))
        yield from (at / name for at in (inner, *inner.parents) if at.is_relative_to(place))


def _number_in(path: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        return int(path.read_text())
    return None  # there is none, or it says ``max``


def limit_memory(size: int, *, for_good: bool = True) -> None:
    """Limits this process to `size` bytes of data; 0 for no limit. Linux only.

    Args:
        size: The bytes.
        for_good: Whether it cannot be raised later.
    """
    if size <= 0 or sys.platform != "linux":
        return
    # Not RLIMIT_AS: a GPU driver reserves far more address space than memory.
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    if most != resource.RLIM_INFINITY:
        size = min(size, most)
    resource.setrlimit(resource.RLIMIT_DATA, (size, size if for_good else most))


def limit_files(size: int = LARGEST_FILE, *, for_good: bool = True) -> None:
    """Limits the files that this process writes to so many bytes each. Linux only.

    Args:
        size: The bytes.
        for_good: Whether it cannot be raised later.
    """
    if sys.platform != "linux":
        return
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    if most != resource.RLIM_INFINITY:
        size = min(size, most)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size if for_good else most))


def limit_processes() -> None:
    """Limits the processes and threads of this user to some thousands more than run now.

    Linux only; for root it is no limit. `MemoryWatch` counts processes of all users.
    """
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError, ValueError, IndexError):
        # `running/all`, proc_loadavg(5).
        tasks = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
        _, most = resource.getrlimit(resource.RLIMIT_NPROC)
        size = tasks + _MORE_TASKS
        if most == resource.RLIM_INFINITY or size < most:
            resource.setrlimit(resource.RLIMIT_NPROC, (size, size))


_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Makes this process the parent of every descendant whose own parent ends (prctl(2)).

    So what is forked twice is still found below it and counted. Linux only.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def bury_orphans() -> None:
    """Takes note of the end of adopted processes; no child of this process may run."""
    with contextlib.suppress(OSError, AttributeError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def die_first() -> None:
    """Has the kernel end this process, and descendants, before others if memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_DIES_FIRST))


_PAUSE = 0.1
"""Seconds between two looks; a look takes some 0.1 ms for each process."""

_DISK_PAUSE = 1.0
"""The same for folders, each of which is walked through."""

_COUNTED = ("RssAnon:", "RssShmem:")
"""Of proc_pid_status(5): not the pages of libraries, which all processes share."""


class _Watched(Protocol):
    overran: int
    folder: Path

    @property
    def pid(self) -> int: ...

    def kill(self) -> None: ...

    def leave_to_parent(self) -> None: ...


class MemoryWatch:
    """Looks after all processes that were added. Safe for several threads.

    Who waits for one of them looks meanwhile, as a thread for that would have to be woken for each
    call, and most are over before there is anything to be seen.

    Args:
        limit: Bytes that all together may have; None for the default, 0 for any number.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self._processes: set[_Watched] = set()
        self._working = 0
        self._due = self._disk_due = 0.0
        self._lock = threading.Lock()

    def add(self, process: _Watched) -> None:
        """Begins to watch a process."""
        with self._lock:
            self._processes.add(process)

    def forget(self) -> tuple[_Watched, ...]:
        """Returns all processes and watches none of them, nor knows of calls, from now on.

        For a forked process, where no other thread frees the lock.
        """
        processes, self._processes = tuple(self._processes), set()
        self._lock, self._working = threading.Lock(), 0
        return processes

    def remove(self, process: _Watched) -> None:
        """Forgets a process that has ended."""
        with self._lock:
            self._processes.discard(process)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """For the block, a process works, and the caller is to `look` again and again."""
        with self._lock:
            if not self._working:
                self._due = time.monotonic() + _PAUSE
            self._working += 1
        try:
            yield
        finally:
            with self._lock:
                self._working -= 1

    def look(self) -> None:
        """Ends processes that take too much, if a look is due; before that a call costs nothing."""
        if time.monotonic() < self._due:
            return
        with self._lock:
            now = time.monotonic()
            if now < self._due:
                return
            self._due = now + _PAUSE
            processes = tuple(self._processes)
            if self.limit is None:
                self.limit = default_memory_limit()
            looks_at_disk = now >= self._disk_due
            if looks_at_disk:
                self._disk_due = now + _DISK_PAUSE
        _hold(processes, self.limit)
        if looks_at_disk:
            _hold_on_disk(processes)


def _hold(processes: tuple[_Watched, ...], limit: int | None) -> None:
    """Ends the largest if all together have more, unless an ending process still frees memory."""
    taken = {}
    for process in processes:
        taken[process], count = taken_by(process.pid)
        if count > MOST_PROCESSES:
            process.overran = EXIT_TOO_MANY
            process.kill()
    largest = max(taken, key=lambda process: taken[process], default=None)
    if largest is None or not limit or sum(taken.values()) <= limit:
        return
    if not any(process.overran and taken[process] for process in taken):
        largest.overran = EXIT_OUT_OF_MEMORY
        largest.kill()


def _hold_on_disk(processes: tuple[_Watched, ...]) -> None:
    for process in processes:
        named, unnamed = taken_on_disk(process.folder), taken_unnamed(process.pid, process.folder)
        if named + unnamed > MOST_ON_DISK:
            process.overran = EXIT_DISK_TAKEN
            process.kill()


def taken_on_disk(folder: Path) -> int:
    """Returns the bytes on disk of a folder's files; too many where some are uncounted."""
    taken, uncounted = 0, list[str]()
    for inner, names in walk(folder, left_out=uncounted.append):
        for name in names:
            with contextlib.suppress(OSError):
                taken += os.lstat(os.path.join(inner, name)).st_blocks * _BLOCK
    return MOST_ON_DISK + 1 if uncounted else taken


def taken_unnamed(pid: int, folder: Path) -> int:
    """Returns the bytes on disk of unnamed files that a process and descendants hold.

    Memory that looks like a file (memfd_create(2)) is none of them. A file that is mapped, and not
    open any more, can be looked at by root only. For others such files are taken to be as large as
    they may be, and together not more than these processes have written.

    Args:
        pid: The process.
        folder: Where it may write. Files elsewhere that it has mapped are libraries that somebody
            has replaced.
    """
    sizes: dict[tuple[int, int], int] = {}
    hidden, written = set[tuple[int, int]](), 0
    for member, _ in islice(_family(pid), MOST_PROCESSES):
        for path in _open_files(member):
            with contextlib.suppress(OSError):
                status = path.stat()
                if not status.st_nlink and stat.S_ISREG(status.st_mode) and not _is_memory(path):
                    sizes[status.st_dev, status.st_ino] = status.st_blocks * _BLOCK
        written += _written(member)
        for place, file in _mapped_unnamed(member, folder):
            try:
                sizes.setdefault(file, os.stat(place).st_blocks * _BLOCK)
            except PermissionError:
                hidden.add(file)
            except OSError:
                pass  # It is mapped no more.
    unseen = len(hidden - sizes.keys()) * LARGEST_FILE
    return sum(sizes.values()) + min(unseen, written)


def _is_memory(descriptor: Path) -> bool:
    return os.readlink(descriptor).startswith("/memfd:")


def _open_files(pid: int) -> list[Path]:
    """Returns the links to the open files of a process; none of a process that has ended."""
    try:
        return list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return []


def _mapped_unnamed(pid: int, folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yields where a process has mapped a file of the folder that has no name, and which file.

    Each as the path that leads to it (`map_files`, proc(5)), and its device and number.
    """
    try:
        maps = Path(f"/proc/{pid}/maps").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return
    for line in maps:
        if not line.endswith(_UNNAMED):
            continue
        # `7f08621580-7f08621590 r--p 00000000 fe:00 2279723      /tmp/file (deleted)`
        where, _, _, device, number, path = line.split(maxsplit=5)
        if not path.startswith(f"{folder}/"):
            continue
        start, end = (int(part, 16) for part in where.split("-"))
        major, minor = (int(part, 16) for part in device.split(":"))
        yield f"/proc/{pid}/map_files/{start:x}-{end:x}", (os.makedev(major, minor), int(number))


def _written(pid: int) -> int:
    """Returns the bytes that a process and ended children have written; many if unknown."""
    try:
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
        counts = {name: int(count) for name, count in (line.split(":") for line in lines)}
        return max(counts["wchar"], counts["write_bytes"])
    except (OSError, ValueError, KeyError):
        return MOST_PROCESSES * LARGEST_FILE


def taken_by(pid: int) -> tuple[int, int]:
    """Returns the memory of a process and descendants in bytes, and their number.

    Zeros where it is gone. Those that have ended and that nobody has waited for do not count, up
    to `_MOST_ENDED`. Beyond `MOST_PROCESSES` none is looked at.
    """
    taken = count = ended = 0
    for _, status in _family(pid):
        has_ended = "\nState:\tZ" in status
        ended += has_ended
        count += not has_ended or ended > _MOST_ENDED
        lines = (line.split() for line in status.splitlines() if line.startswith(_COUNTED))
        taken += sum(int(words[1]) for words in lines) << 10
        if count > MOST_PROCESSES:
            break
    return taken, count


def _family(pid: int) -> Iterator[tuple[int, str]]:
    """Yields a process and descendants, each with the status (proc_pid_status(5))."""
    left = [pid]
    while left:
        member = left.pop()
        try:
            status = Path(f"/proc/{member}/status").read_text()
            lists = [path.read_text() for path in Path(f"/proc/{member}/task").glob("*/children")]
        except OSError:
            continue
        yield member, status
        left += (int(child) for listed in lists for child in listed.split())


WATCH = MemoryWatch()
"""That of this program."""
