"""The way from a program to an open window: a local socket that no other user can reach.

Each window listens on a socket of its own, in a private folder; of several windows the one that
was used last gets what is handed over. Needs neither Qt nor any library: programs of the user's
import it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jitstudio.core.handover import (
    HEAD_BYTES,
    Handover,
    HandoverAnswer,
    HandoverError,
    answer,
    length_in,
    message,
    read_answer,
    read_message,
)
from jitstudio.system.paths import runtime_folders
from jitstudio.system.private import make_private

if sys.platform != "win32":
    import fcntl

ENDING = ".window"
"""How the sockets are called in their folder."""
_ENDING_OFF = ".off"
_LOCK = "starting.lock"

_BACKLOG = 64
_MOST_CLIENTS = 16
_PIECE = 1 << 18
# A client of this machine sends a megabyte in a millisecond.
_QUIET_SECONDS, _MESSAGE_SECONDS = 5.0, 30.0
# All tabs are open before the answer comes.
_ANSWER_SECONDS, _TAB_SECONDS = 60.0, 1.0
_START_SECONDS = 60.0
_PAUSE = 0.05
_CREDENTIALS = struct.Struct("3i")  # of Linux's unix(7): process, user, group
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_GONE = (errno.ECONNREFUSED, errno.ENOENT)


class NoWindow(HandoverError):
    """No window is open and none can be; the message says why."""


class HandoverServer:
    """Listens for programs in threads of its own.

    Args:
        take: Opens what is handed over; called in a thread, one at a time. None where the user has
            turned that off, which programs get as the answer.

    Raises:
        OSError: No socket can be made; `strerror` says why.
    """

    def __init__(self, take: Callable[[Handover], HandoverAnswer] | None) -> None:
        self._take = take
        self._taking = threading.Lock()
        self._seats = threading.BoundedSemaphore(_MOST_CLIENTS)
        self._closed = False
        folder = runtime_folders()[0]
        make_private(folder)
        ending = _ENDING_OFF if take is None else ENDING
        self._path = folder / f"{os.getpid()}-{os.urandom(4).hex()}{ending}"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # Under its name only once it listens: what is refused is taken for left behind.
        fresh = self._path.with_suffix(".new")
        with _short(fresh) as name:
            self._socket.bind(name)
        os.chmod(fresh, stat.S_IRUSR | stat.S_IWUSR)
        self._socket.listen(_BACKLOG)
        fresh.rename(self._path)
        self.touch()
        threading.Thread(target=self._accept, name="handover", daemon=True).start()

    def touch(self) -> None:
        """Has programs prefer this window from now on, as the user works in this window."""
        now = time.time_ns()  # finer than what the system sets by itself
        with contextlib.suppress(OSError):
            os.utime(self._path, ns=(now, now))

    def close(self) -> None:
        """Stops listening; handovers that have begun are answered."""
        if not self._closed:
            self._closed = True
            with contextlib.suppress(OSError):
                self._path.unlink()
            with contextlib.suppress(OSError):
                # Ends the wait in `accept`, which closing alone does not.
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._socket.accept()
            except OSError:
                if not self._closed:
                    time.sleep(_PAUSE)  # out of descriptors: the queue waits
                continue
            if self._seats.acquire(blocking=False):
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()
            else:
                with client:
                    problem = f"The window is busy with {_MOST_CLIENTS} programs. Try again."
                    _send(client, answer(HandoverAnswer(problem=problem)))

    def _serve(self, client: socket.socket) -> None:
        try:
            with client:
                _send(client, answer(self._answer_to(client)))
        finally:
            self._seats.release()

    def _answer_to(self, client: socket.socket) -> HandoverAnswer:
        try:
            if _peer(client) not in (None, os.getuid()):
                raise HandoverError("The program is another user's.")
            if self._take is None:
                raise HandoverError(
                    "The window takes nothing from programs. Turn on 'Accept kernels from "
                    "programs' in Settings > Python."
                )
            try:
                handover = read_message(_receive(client, _MESSAGE_SECONDS, _QUIET_SECONDS))
            except TimeoutError:
                raise HandoverError("The message does not come to its end.") from None
            with self._taking:
                return self._take(handover)
        except HandoverError as error:
            return HandoverAnswer(problem=str(error))
        except MemoryError:
            return HandoverAnswer(problem="The window has not enough memory for this.")


def windows() -> list[Path]:
    """Returns the sockets of the windows that take handovers, the last used first.

    Raises:
        HandoverError: There is no window but in a folder that others can write to.
    """
    return [path for path in _sockets() if path.suffix == ENDING]


def _sockets() -> list[Path]:
    """Returns the sockets of all windows; those that take nothing come last."""
    sockets = []
    own = list(filter(_is_own, runtime_folders()))
    private = [folder for folder in own if not folder.stat().st_mode & _OTHERS_WRITE]
    for path in (path for folder in private for path in folder.glob("*")):
        with contextlib.suppress(OSError):
            status = path.lstat()
            is_own = stat.S_ISSOCK(status.st_mode) and status.st_uid == os.getuid()
            if is_own and path.suffix in (ENDING, _ENDING_OFF):
                sockets.append((path.suffix == ENDING, status.st_mtime_ns, path))
    if not sockets and (shared := [folder for folder in own if folder not in private]):
        raise HandoverError(
            f"'{shared[0]}' can be written to by another user, whose program might get what you "
            "show. Make it yours alone, or remove it."
        )
    return [path for *_, path in sorted(sockets, reverse=True)]


def hand_over(handover: Handover) -> HandoverAnswer:
    """Passes a handover to the window that was used last, and waits until that is open there.

    Raises:
        NoWindow: There is none.
        HandoverError: It cannot be handed over, or the window has refused it.
    """
    sent = message(handover)
    seconds = _ANSWER_SECONDS + _TAB_SECONDS * (len(handover.code) + len(handover.paths))
    if not hasattr(socket, "AF_UNIX"):
        raise NoWindow("Programs and windows do not find each other on this system.")
    for path in _sockets():
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as window:
            window.settimeout(seconds)
            try:
                with _short(path) as name:
                    window.connect(name)
            except OSError as error:
                if error.errno in _GONE:
                    # Left by a window that was killed.
                    path.unlink(missing_ok=True)
                    continue
                raise HandoverError(f"The window cannot be reached: {error.strerror}.") from None
            return _answer_of(window, sent, seconds)
    raise NoWindow("No window of jitstudio is open.")


def _answer_of(window: socket.socket, sent: bytes, seconds: float) -> HandoverAnswer:
    try:
        # A window that has refused it at once has its reason in the answer.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            window.sendall(sent)
            window.shutdown(socket.SHUT_WR)
        answer = read_answer(_receive(window, seconds, seconds))
    except TimeoutError:
        raise HandoverError(
            f"The window does not answer within {seconds:.0f} seconds. It may still open "
            "what you show; if it hangs, close it and try again."
        ) from None
    except OSError as error:
        raise HandoverError(f"The window has not taken it: {error.strerror}.") from None
    if answer.problem:
        raise HandoverError(answer.problem)
    return answer


@dataclass(frozen=True)
class StartedWindow:
    """A window that was started for a handover, in a process apart.

    Attributes:
        lock: Keeps others from starting one more; several calls and programs wait for one window.
        process: None where another call or program has started it.
    """

    lock: _StartLock
    process: subprocess.Popen[bytes] | None = None

    def hand_over(self, handover: Handover) -> HandoverAnswer:
        """Waits until the window is open, and hands over.

        Raises:
            HandoverError: It did not open in time or has ended, or see `hand_over`.
        """
        with self.lock:
            until = time.monotonic() + _START_SECONDS
            while time.monotonic() < until:
                # Before it is looked for: it may have opened, and its starter gone, meanwhile.
                ended = self._ended()
                with contextlib.suppress(NoWindow):
                    return hand_over(handover)
                if ended:
                    raise NoWindow(
                        f"A window was started, but has ended{ended}. "
                        "'jitstudio doctor' says whether one can be opened here."
                    )
                time.sleep(_PAUSE)
        raise NoWindow(
            f"A window was started, but takes nothing after {_START_SECONDS:.0f} seconds. "
            "'jitstudio doctor' says whether one can be opened here."
        )

    def _ended(self) -> str:
        """Returns how the window has ended, or nothing while the process runs."""
        if self.process is None:
            return " before it could be used" if self.lock.acquire() else ""
        status = self.process.poll()
        return "" if status is None else f" with status {status}"


class _StartLock:
    """A lock on starting windows until the started window is open; ends with the process.

    Two of one process exclude each other like two of two processes: flock(2).

    Raises:
        OSError: There is no place for it; `strerror` says why.
    """

    def __init__(self) -> None:
        folder = runtime_folders()[0]
        make_private(folder)
        self._file = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)

    def acquire(self) -> bool:
        """Returns whether this object has the lock from now on; does not wait."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def __enter__(self) -> None:
        """Releases the lock at the end, whether acquired or not."""

    def __exit__(self, *_error: object) -> None:
        """Releases the lock, also where a fork of this process has the file open."""
        fcntl.flock(self._file, fcntl.LOCK_UN)
        os.close(self._file)


def start_window() -> StartedWindow:
    """Starts a window that outlives this process, unless another is being started already.

    Raises:
        NoWindow: There is no display, or no folder in which a window can be found.
    """
    # What Qt needs besides is found out by the window itself: this process loads no library.
    if sys.platform == "linux" and not any(map(os.environ.get, _DISPLAYS)):
        raise NoWindow(
            "No window of jitstudio is open, and none can be opened here: there is no display, as "
            "neither WAYLAND_DISPLAY nor DISPLAY is set."
        )
    if not hasattr(socket, "AF_UNIX"):
        raise NoWindow("Programs and windows do not find each other on this system.")
    try:
        lock = _StartLock()
    except OSError as error:
        raise NoWindow(
            f"No window can be started that would be found: '{error.filename}': {error.strerror}."
        ) from None
    try:
        # Who had the lock until now may have opened one.
        if not lock.acquire() or _sockets():
            return StartedWindow(lock)
        return StartedWindow(lock, _start())
    except BaseException:
        lock.__exit__()
        raise


def _start() -> subprocess.Popen[bytes]:
    root = Path(__file__).resolve().parent.parent.parent
    environment = dict(os.environ)
    if root.name not in ("site-packages", "dist-packages"):
        # A checkout, which not every interpreter of its environment may know.
        paths = (str(root), environment.get("PYTHONPATH", ""))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    # -P: what lies in the working directory of a program is none of our modules.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "jitstudio"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def _is_own(folder: Path) -> bool:
    """Returns whether a folder is this user's: a window never listens in another user's."""
    try:
        return folder.stat().st_uid == os.getuid()
    except OSError:
        return False


def _peer(client: socket.socket) -> int | None:
    """Returns the user whose program this is, or None where the system does not say."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    _, user, _ = _CREDENTIALS.unpack(
        client.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS.size)
    )
    return int(user)


def _receive(sender: socket.socket, seconds: float, quiet: float) -> bytes:
    """Returns the content of a message, behind the head.

    Args:
        sender: The other end.
        seconds: The message is whole after so many at the latest.
        quiet: It pauses so many at most.

    Raises:
        HandoverError: It is no message.
        TimeoutError: It does not end.
    """
    until = time.monotonic() + seconds
    head = bytearray()
    _fill(sender, head, HEAD_BYTES, until, quiet)
    length = length_in(bytes(head))
    body = bytearray()
    _fill(sender, body, length, until, quiet)
    if len(body) < length:
        raise HandoverError(f"The message ends after {len(body):,} of {length:,} bytes.")
    return bytes(body)


def _fill(sender: socket.socket, into: bytearray, size: int, until: float, quiet: float) -> None:
    while len(into) < size:
        left = until - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            sender.settimeout(min(left, quiet))
            piece = sender.recv(min(size - len(into), _PIECE))
        except TimeoutError:
            raise  # an OSError, too
        except OSError as error:
            raise HandoverError(f"The message is cut off: {error.strerror}.") from None
        if not piece:
            return
        into += piece


def _send(client: socket.socket, sent: bytes) -> None:
    """Sends an answer to a program that may have gone, or may still be sending.

    What it has sent and nobody has read is thrown away; the answer is there for it all the same.
    """
    with contextlib.suppress(OSError):
        client.settimeout(_QUIET_SECONDS)
        client.sendall(sent)


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """Yields a name of a socket that is short enough: 107 bytes are (unix(7))."""
    if sys.platform != "linux" or len(os.fsencode(path)) < 100:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
