"""Sessions: worker processes that are kept from one call of Python to the next."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Iterator
from contextvars import ContextVar
from typing import NamedTuple, Self

from jitstudio.command_options.values import WrongValueError
from jitstudio.commands.workers import Workers
from jitstudio.core.launch.device import SIMULATOR
from jitstudio.worker.host import WorkerError
from jitstudio.worker.pool import KEPT_WARM, default_size

_UNREAD = "PYTEST_CURRENT_TEST"
"""The variable that pytest changes for each test, and that no worker reads."""


class ClosedSessionError(RuntimeError):
    """A session cannot be used; the message says why, and what to do."""


class _Surroundings(NamedTuple):
    """Folder and environment, which a process has from the parent and keeps."""

    folder: str
    environment: dict[str, str]

    @classmethod
    def now(cls) -> _Surroundings:
        folder = ""
        with contextlib.suppress(OSError):
            folder = os.getcwd()
        return cls(folder, {name: os.environ[name] for name in os.environ if name != _UNREAD})


class WorkerSession:
    """Compilers and readers that stay ready between calls, so that a call starts no process.

    Within ``with jitstudio.Session():`` the functions of `jitstudio` use it; all others use one
    session of the program, which ends with the program. Threads may share a session: each call has
    compilers and readers to itself, at most as many at a time as there are cores. A change of the
    working folder or the environment is followed, and a forked process begins anew.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._idle: list[tuple[_Surroundings, Workers]] = []
        # Calls that wait for a function of their caller's.
        self._asking = 0
        self._gpus: dict[int, contextlib.AbstractContextManager[bool]] = {}
        self._process = os.getpid()
        # Ends what runs at `close`, with the last reference, or with the program.
        self._all: set[Workers] = set()
        self._end = weakref.finalize(self, _close, self._all, self._process)
        self._alarm: threading.Timer | None = None

    def __enter__(self) -> Self:
        self._check()
        _entered.set((*_entered.get(), self))
        return self

    def __exit__(self, *_raised: object) -> None:
        _entered.set(tuple(session for session in _entered.get() if session is not self))
        self.close()

    def close(self) -> None:
        """Ends all processes. A call in another thread ends with an error."""
        if not self.is_own:
            return
        with self._changed:
            self._end()
            if self._alarm is not None:
                self._alarm.cancel()
            self._changed.notify_all()

    @property
    def is_own(self) -> bool:
        """Whether this process has made the session, not the process that it was forked from."""
        return self._process == os.getpid()

    @property
    def is_open(self) -> bool:
        """Whether nobody has closed the session."""
        return self._end.alive

    @contextlib.contextmanager
    def workers(self) -> Iterator[Workers]:
        """Yields worker processes that nobody else uses for the block.

        Raises:
            ClosedSessionError: The session is closed, or belongs to another process.
        """
        surroundings, workers = self._take()
        try:
            yield workers
            self._check()
        except WorkerError:
            self._check()
            raise
        finally:
            self._put_back(surroundings, workers)

    def gpu(self, ordinal: int) -> contextlib.AbstractContextManager[object]:
        """Returns the lock of a GPU, as launches side by side would lengthen each other's times.

        The simulator has none.
        """
        if ordinal == SIMULATOR:
            return contextlib.nullcontext()
        with self._changed:
            return self._gpus.setdefault(ordinal, threading.Lock())

    @contextlib.contextmanager
    def asking(self, ordinal: int) -> Iterator[None]:
        """Runs a function of the caller's in the block of a call that has workers and a GPU.

        The function may make calls in any of its threads, which would wait for ever for what the
        call around has: the GPU is free for the block, and there may be workers more.

        Args:
            ordinal: The GPU, or the simulator.
        """
        gpu = self.gpu(ordinal)
        with self._changed:
            self._asking += 1
            self._changed.notify_all()
        gpu.__exit__(None, None, None)
        try:
            yield
        finally:
            with self._changed:
                self._asking -= 1
            gpu.__enter__()

    def _check(self) -> None:
        if not self.is_own:
            raise ClosedSessionError(
                "session: it belongs to the process that this one was forked from. Open one here, "
                "by jitstudio.Session()."
            )
        if not self.is_open:
            raise ClosedSessionError(
                "session: it is closed. Open another one, by jitstudio.Session()."
            )

    def _put_back(self, surroundings: _Surroundings, workers: Workers) -> None:
        """Lets others have the workers; a minute after the last call all but these end."""
        with self._changed:
            if workers.is_closed:
                self._all.discard(workers)
            else:
                self._idle.append((surroundings, workers))
            self._changed.notify()
            if len(self._idle) == len(self._all) and self.is_open:
                self._alarm = threading.Timer(KEPT_WARM, self.rest)
                self._alarm.daemon = True
                self._alarm.start()

    def rest(self) -> None:
        """Ends all idle workers but for the last that were used, and frees the GPU.

        Done by itself where there was no call for a minute.
        """
        with self._changed:
            idle, self._idle = self._idle, []
            self._all.difference_update(workers for _, workers in idle[:-1])
        for _, workers in idle[:-1]:
            workers.close()
        for _, workers in idle[-1:]:
            workers.rest()
        with self._changed:
            self._idle[:0] = idle[-1:]
            self._changed.notify()

    def _take(self) -> tuple[_Surroundings, Workers]:
        """Waits for workers that nobody uses, and returns these with their surroundings."""
        now = _Surroundings.now()
        # Before the lock, which a thread of another process may have held at the fork.
        self._check()
        with self._changed:
            if self._alarm is not None:
                self._alarm.cancel()
            while (workers := self._free(now)) is None:
                self._changed.wait()
            return now, workers

    def _free(self, now: _Surroundings) -> Workers | None:
        """Returns workers that nobody uses, new ones if need be; None where there are too many."""
        self._check()
        for at in reversed(range(len(self._idle))):
            if self._idle[at][0] == now:
                return self._idle.pop(at)[1]
        for _, outdated in self._idle:
            self._all.discard(outdated)
            outdated.close()
        self._idle.clear()
        if len(self._all) >= default_size() + self._asking:
            return None
        workers = Workers()
        self._all.add(workers)
        return workers


Session = WorkerSession
"""The name in `import jitstudio`: to the window a session is what is open there."""


def _close(all_workers: set[Workers], process: int) -> None:
    """Ends workers, in the process that they are of."""
    if os.getpid() == process:
        for workers in tuple(all_workers):
            workers.close()


_entered: ContextVar[tuple[WorkerSession, ...]] = ContextVar("jitstudio.Session", default=())
"""The sessions of the blocks around what runs, in its thread or coroutine."""
_lock = threading.Lock()
_default: WorkerSession | None = None


def session_of(value: object) -> WorkerSession:
    """Returns the session of an argument; for None that of the block or of the program.

    Raises:
        WrongValueError: The argument is no session.
    """
    if value is None:
        own = [session for session in _entered.get() if session.is_own]
        return own[-1] if own else default_session()
    if not isinstance(value, WorkerSession):
        raise WrongValueError("session", value, "a jitstudio.Session belongs here, or None.")
    return value


def default_session() -> WorkerSession:
    """Returns the session of the program."""
    global _default
    with _lock:
        if _default is None or not _default.is_own or not _default.is_open:
            _default = WorkerSession()
        return _default


def end_default_session() -> None:
    """Ends the session of the program; the next call begins another."""
    with _lock:
        if _default is not None:
            _default.close()


def _begin_anew() -> None:
    """In a forked process: no thread of the other one frees the lock here."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
