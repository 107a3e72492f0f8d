"""Which files and devices a worker process may reach: plain values that both sides know."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from jitstudio.core.options import is_within

_MOST_ROOTS = 64
"""Of the roots of earlier processes that a new one begins with."""


@dataclass(frozen=True)
class SandboxAccess:
    """The reach of a worker process beyond the toolchain and the temporary folder of its own.

    Attributes:
        readable: Files, and folders with all that is in them; None for every file.
        writable: Folders whose files it may read, make, change and remove.
        gpu: Whether it may use the driver and the GPUs.
        host_compiler: Whether it may start nvcc's programs and the host compiler.
        python: The interpreter that it may start, whose script may start programs; empty for none.
        confined_to: See `Job.confined_to`. What nobody trusts may have taken the process over, so
            it does no other's work.
        toolchain: See `BuildRequest`. A process loads one version of a library, for good.
    """

    readable: tuple[str, ...] | None = ()
    writable: tuple[str, ...] = ()
    gpu: bool = False
    host_compiler: bool = False
    python: str = ""
    confined_to: tuple[str, ...] | None = None
    toolchain: str = ""

    def covers(self, other: SandboxAccess) -> bool:
        """Returns whether this is as much as the other, or more."""
        if self.readable is None:
            reads = True
        else:
            reads = other.readable is not None and _all_within(other.readable, self.readable)
        writes = _all_within(other.writable, self.writable)
        starts = self.gpu >= other.gpu and self.host_compiler >= other.host_compiler
        return reads and writes and starts and other.python in ("", self.python)

    def is_as(self, other: SandboxAccess) -> bool:
        """Returns whether a process with this access does the work of the other kind, too."""
        return (self.confined_to, self.toolchain) == (other.confined_to, other.toolchain)

    def roots_of(self, other: SandboxAccess) -> tuple[str, ...]:
        """Returns the files and folders by which all that others name may be reached."""
        return tuple(
            root
            for mine, others in (
                (self.readable or (), other.readable or ()),
                (self.writable, other.writable),
            )
            for root in mine
            if any(is_within(path, root) for path in others)
        )

    def joined(self, other: SandboxAccess) -> SandboxAccess:
        """This and the other together."""
        if self.readable is None or other.readable is None:
            readable = None
        else:
            readable = _union(self.readable, other.readable)
        writable = _union(self.writable, other.writable)
        return replace(
            self,
            readable=readable,
            writable=writable,
            gpu=self.gpu or other.gpu,
            host_compiler=self.host_compiler or other.host_compiler,
        )


@dataclass(frozen=True)
class Need:
    """The needs of a call, for the process that carries out the call.

    Attributes:
        least: The files and devices that the process must be able to reach.
        most: The most that the process may reach; None where more does not matter.
        by_any: Whether any process may carry it out, whatever it did before: nothing is kept of
            the answer.
    """

    least: SandboxAccess = field(default_factory=SandboxAccess)
    most: SandboxAccess | None = None
    by_any: bool = False

    def met_by(self, access: SandboxAccess) -> bool:
        """Returns whether a process with this access may carry the call out."""
        is_ours = self.by_any or access.is_as(self.least)
        narrow = self.most is None or self.most.covers(access)
        return is_ours and narrow and access.covers(self.least)

    def of_new_process(self, earlier: SandboxAccess) -> SandboxAccess:
        """Returns the access for a process that is started for the call.

        Args:
            earlier: The access of the process before: calls with that need come again.
        """
        if self.most is not None:
            return self.most
        roots = earlier.readable or ()
        if not earlier.is_as(self.least) or earlier.readable is None or len(roots) > _MOST_ROOTS:
            return self.least
        return self.least.joined(earlier)


NOTHING = Need(by_any=True)
"""Of a call that reads no files, and of which nothing is kept."""


def folder_or_file(path: str) -> str:
    """Returns the folder of a file, as neighbours are likely to be read too, or the file alone.

    A folder that holds the user's home, or is it, is never named: all that is his is in there.
    """
    real = os.path.realpath(path)
    folder = os.path.dirname(real)
    return real if holds_home(folder) else folder


def identity(path: str) -> tuple[int, int] | None:
    """Returns device and number of a file, which tell twins by name apart; None if missing.

    The kernel allows the file, not its name: what takes its place is out of reach.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def holds_home(folder: str) -> bool:
    """Returns whether the user's home folder is `folder` or lies inside."""
    try:
        home = os.path.realpath(Path.home())
    except RuntimeError:  # no HOME, and nobody knows this user
        return folder == os.sep
    return is_within(home, os.path.realpath(folder))


def _all_within(paths: Iterable[str], roots: tuple[str, ...]) -> bool:
    return all(any(is_within(path, root) for root in roots) for path in paths)


def _union(mine: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*mine, *others)))
