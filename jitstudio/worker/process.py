"""A worker process: pipes, printed text, and the end. Knows nothing of builds."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import jitstudio
from jitstudio.worker import scratch
from jitstudio.worker.limits import WATCH
from jitstudio.worker.protocol import Pipe, Wire
from jitstudio.worker.sandbox.system_paths import WRAPPED

_PATIENCE = 5.0
"""Seconds to wait for a killed process; a hung driver can hold it longer, then it is left alone."""

_LAST_BREATH = 0.2
"""Seconds that a crashing process has for being reported by the kernel before it is killed."""

_WRAPPED_LAST_BREATH = 10.0
"""The same for a process that a tool has started, which writes its report at the end."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.05
_MOST_PRINTED = 1 << 20
_TEMPORARY = ("TMPDIR", "TEMP", "TMP")
THIS_PACKAGE = """
sys.path.insert(0, root)
import jitstudio
sys.path.append(sys.path.pop(0))
"""
"""Imports the package that lies in the folder `root`, and nothing else from there.

A checkout may be at work while another version is installed; of one process and its children all
have to be of one version.
"""

# NumPy's OpenBLAS would start threads before the process is sealed, which would stay outside.
_LATER_THREADS = {"OPENBLAS_NUM_THREADS": "1"}

# Run by `-c` and with `-P`, so that no file in the user's working directory is imported by chance.
_BOOT = f"""
import importlib, sys
_, root, program, memory_limit = sys.argv
{THIS_PACKAGE}
importlib.import_module(program).main(int(memory_limit))
"""


class ChildProcess:
    """A worker process, running from the start; `reap` ends the process.

    Attributes:
        wire: How to talk with it.
        folder: Its folder for temporary files.
        overran: The exit status of one that was ended as it took too much, see `limits`; else 0.
    """

    def __init__(self, memory_limit: int, program: str, wrapper: Sequence[str] = ()) -> None:
        """Starts the process.

        Args:
            memory_limit: Bytes it may take, 0 for any number.
            program: The module whose `main` it runs.
            wrapper: A command that starts it for us.

        Raises:
            OSError: It cannot be started.
        """
        root = str(Path(jitstudio.__file__).parent.parent)
        self.overran = 0
        self.folder = scratch.make("child")
        environment = os.environ | _LATER_THREADS
        environment |= dict.fromkeys(_TEMPORARY, str(self.folder))
        if wrapper:
            environment[WRAPPED] = wrapper[0]
        # Closed by `reap`: what the process printed shall be read after its end.
        self._printed: IO[bytes] = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        try:
            self._popen = subprocess.Popen(
                [*wrapper, sys.executable, "-P", "-c", _BOOT, root, program, str(memory_limit)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._printed,
                env=environment,
                bufsize=0,
                # A group of its own, so that nvdisasm dies with it; and Ctrl+C reaches us first.
                start_new_session=True,
            )
        except OSError:
            self._printed.close()
            scratch.remove(self.folder)
            raise
        WATCH.add(self)
        self._last_breath = _WRAPPED_LAST_BREATH if wrapper else _LAST_BREATH
        assert self._popen.stdout is not None
        assert self._popen.stdin is not None
        self._killed_at: float | None = None
        self._calls = Pipe(self._popen.stdin, self._may_answer)
        self._answers = Pipe(self._popen.stdout, self._may_answer)
        # Nothing is read ahead, so that what nobody asked for stays in the pipe.
        self.wire = Wire(io.BufferedReader(self._answers, 1), self._calls)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._popen.pid

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return not self._ended()

    @property
    def idle(self) -> bool:
        """Whether the process runs and, between two calls, has sent nothing unasked."""
        return self.alive and not self._answers.ready

    def forget_printed(self) -> None:
        """Drops the text written to stderr so far; only for an idle process."""
        printed = self._printed.fileno()
        if os.fstat(printed).st_size:
            # Both sides share the file position, so the next text begins at the start again.
            os.ftruncate(printed, 0)
            os.lseek(printed, 0, os.SEEK_SET)

    def kill(self) -> None:
        """Kills the process and all descendants, without waiting."""
        if self._popen.returncode is not None:
            return
        self._killed_at = self._killed_at or time.monotonic()
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                self._popen.kill()
            else:
                os.killpg(self._popen.pid, 9)

    def leave_to_parent(self) -> None:
        """Lets go of the process, in a fork of its parent: it is to end with that alone."""
        self._close_pipes()
        self._printed.close()
        # Nothing here is to wait for it.
        self._popen.returncode = self._popen.returncode or 0

    def reap(self) -> tuple[int, str]:
        """Makes sure that the process is dead and frees all that belonged to the process.

        Returns:
            Its exit status as `subprocess` counts it, 0 if it will not die; and what it wrote to
            stderr, at most the last mebibyte.
        """
        self._close_pipes()
        self._wait(self._last_breath)
        # It may have left processes behind, whose group has its id as long as it is not reaped.
        self.kill()
        self._wait(_PATIENCE)
        status = self._popen.poll()
        WATCH.remove(self)
        scratch.remove(self.folder)
        return self.overran or status or 0, self._take_printed()

    def _close_pipes(self) -> None:
        for pipe in (self._calls, self._answers):
            with contextlib.suppress(OSError):
                pipe.close()

    def _may_answer(self) -> bool:
        """Returns whether the process runs and, if killed, has not outlived that for long.

        Asked again and again while somebody waits for it.
        """
        WATCH.look()
        killed_at = self._killed_at
        return self.alive and (killed_at is None or time.monotonic() < killed_at + _PATIENCE)

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        pause = _FIRST_PAUSE
        while not self._ended() and time.monotonic() < end:
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _ended(self) -> bool:
        """Returns whether the process has ended, without reaping where the system can say so."""
        if self._popen.returncode is not None or not hasattr(os, "waitid"):
            return self._popen.poll() is not None
        asked = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self._popen.pid, asked) is not None
        except ChildProcessError:
            return self._popen.poll() is not None

    def _take_printed(self) -> str:
        with self._printed as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _MOST_PRINTED))
            return file.read().decode("utf-8", "replace").rstrip()


def _leave_to_parent() -> None:
    """Leaves all children, in a forked process, to its parent."""
    for child in WATCH.forget():
        child.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
