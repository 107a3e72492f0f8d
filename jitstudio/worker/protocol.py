"""Messages on the pipe between the program and the worker processes.

A message is a frame on a byte stream: four bytes of length, then so many bytes. A program of
`worker.programs` declares what it takes and what it answers. Nothing else is read: what writes
to the pipe, the native code in a child included, can only give values of that type.
"""

from __future__ import annotations

import io
import os
import re
import select
import struct
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_
from types import GenericAlias, NoneType
from typing import IO, Any, Generic, TypeVar

from jitstudio.core.codec import Codec
from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.device import DeviceList
from jitstudio.worker.sandbox.access import SandboxAccess

_LENGTH = struct.Struct("<I")

LARGEST = 1 << 30
"""Bytes of the largest frame; no build comes near, but a stray length must not ask for them."""

_SHORT = 1 << 16
"""Bytes that are sent by one call of the system: what a pipe holds."""

_GLANCE = 100
"""Milliseconds after which a pipe looks whether there is still somebody at its other end."""


class FrameTooLarge(ValueError):
    """A frame has more bytes than allowed; the message is fit for a person."""


class Wire:
    """An end of a two-way connection. Sending is safe from several threads."""

    def __init__(self, reader: IO[bytes], writer: IO[bytes] | Pipe) -> None:
        self._reader = reader
        self._writer = writer
        self._sending = threading.Lock()

    def send(self, *messages: Sequence[bytes], largest: int = LARGEST) -> None:
        """Sends a frame for each message, all parts of a message in a row.

        Raises:
            OSError: The other end is gone.
            FrameTooLarge: One has more bytes than `largest`; nothing was sent.
        """
        pieces: list[bytes] = []
        for parts in messages:
            size = sum(map(len, parts))
            if size > largest:
                raise _too_large(size, largest)
            pieces += (_LENGTH.pack(size), *parts)
        if sum(map(len, pieces)) <= _SHORT:
            # The other end wakes once, and finds all of it.
            pieces = [b"".join(pieces)]
        with self._sending:
            for piece in pieces:
                self._write(piece)
            self._writer.flush()

    def receive(self, largest: int = LARGEST) -> bytes:
        """Waits for the next frame.

        Raises:
            EOFError: The other end is gone, perhaps in the middle of a frame.
            FrameTooLarge: It claims to have more bytes than `largest`, or than there is memory.
        """
        (size,) = _LENGTH.unpack(self._read(_LENGTH.size))
        if size > largest:
            raise _too_large(size, largest)
        try:
            return self._read(size)
        except MemoryError:
            raise FrameTooLarge(f"{size:,} bytes are more than there is memory for") from None

    def _write(self, part: bytes) -> None:
        view = memoryview(part)
        while view:
            view = view[self._writer.write(view) :]

    def _read(self, size: int) -> bytes:
        data = self._reader.read(size)
        if data is None or len(data) < size:
            raise EOFError
        return data


def _too_large(size: int, largest: int) -> FrameTooLarge:
    return FrameTooLarge(f"{size:,} bytes are more than the {largest:,} that there may be")


class Pipe(io.RawIOBase):
    """Our end of a pipe to a process; the end does not outlast the process.

    A pipe alone does: whatever a process leaves behind may hold its other end for ever.

    Args:
        file: The pipe itself.
        alive: Whether the process still runs.
    """

    def __init__(self, file: IO[bytes], alive: Callable[[], bool]) -> None:
        self._file = file
        self._alive = alive
        self._poll = select.poll()
        self._poll.register(file, select.POLLIN if file.readable() else select.POLLOUT)
        os.set_blocking(file.fileno(), False)

    def readable(self) -> bool:
        """Returns whether this is the end to read from."""
        return self._file.readable()

    def writable(self) -> bool:
        """Returns whether this is the end to write to."""
        return self._file.writable()

    @property
    def ready(self) -> bool:
        """Whether there is something to read, if only that the other end is closed."""
        return bool(self._poll.poll(0))

    def readinto(self, buffer: Any) -> int:
        """Waits for bytes and reads; nothing once the process is gone and all is read."""
        while True:
            try:
                return os.readv(self._file.fileno(), [buffer])
            except BlockingIOError:
                if not self._wait():
                    return 0

    def write(self, data: Any) -> int:
        """Waits for room and writes the bytes that fit.

        Raises:
            OSError: The process is gone.
        """
        while True:
            try:
                return os.write(self._file.fileno(), data)
            except BlockingIOError:
                if not self._wait():
                    raise BrokenPipeError from None

    def close(self) -> None:
        """Closes the pipe."""
        self._file.close()
        super().close()

    def _wait(self) -> bool:
        """Waits until something can be done; returns False if the process ends first."""
        while not self._poll.poll(_GLANCE):
            if not self._alive():
                return self.ready
        return True


_Request = TypeVar("_Request")
_Event = TypeVar("_Event")
_Answer = TypeVar("_Answer")


class Unfit(ValueError):
    """A child's reply is of the right type and still no answer to the request."""


@dataclass(frozen=True)
class Call(Generic[_Request]):
    """To the child: do this.

    Attributes:
        ticket: The number of the call.
        request: The request to carry out.
        access: What the process may reach; it is sealed with that of its first call.
    """

    ticket: int
    request: _Request
    access: SandboxAccess = field(default_factory=SandboxAccess)


@dataclass(frozen=True)
class EventMessage(Generic[_Event]):
    """From the child, while at work: an event."""

    ticket: int
    event: _Event


@dataclass(frozen=True)
class Done(Generic[_Answer]):
    """From the child: finished.

    Attributes:
        ticket: Of the call.
        answer: What was asked for. What a `Job` has made is in its events; its answer is what that
            rests on, `JobDependencies`.
        chores: Whether a `Precompile` would be of use.
        spent: Whether the process is of no use any more, so that the next call needs another.
    """

    ticket: int
    answer: _Answer
    chores: bool = False
    spent: bool = False


@dataclass(frozen=True)
class InternalError:
    """From the child: an exception that nobody expected, a bug of jitstudio's own."""

    ticket: int
    traceback: str


@dataclass(frozen=True)
class Outdated:
    """From the child: the sealed files are gone or replaced by now, so nothing was done."""

    ticket: int


Reply = EventMessage[Any] | Done[Any] | InternalError | Outdated


def anything_goes(request: Any, said: Any) -> None:
    """Accepts every answer of the right type."""


@dataclass(frozen=True, eq=False)
class RequestType:
    """A kind of request that a program takes.

    Attributes:
        request: Its type.
        largest: Bytes that all replies to one request together may have.
        answer: The type of the answer.
        event: The type of what is reported meanwhile; None where nothing is.
        check: Called with a request and each event or answer to it; raises `Unfit` where one
            would lead the program astray though its type is right.
        most_events: How often something may be reported.
        most_text: Bytes of memory that the long texts of one reply may take.
    """

    request: type
    largest: int
    answer: Any = NoneType
    event: Any = None
    check: Callable[[Any, Any], None] = anything_goes
    most_events: int = 1_000
    most_text: int = 256 << 20

    @cached_property
    def replies(self) -> Codec[Reply]:
        """The codec of replies; used by `load`."""
        events = [GenericAlias(EventMessage, (self.event,))] if self.event is not None else []
        return Codec(
            reduce(or_, [GenericAlias(Done, (self.answer,)), *events, InternalError, Outdated])
        )

    def load(self, frame: bytes) -> Reply:
        """Returns the reply in a frame.

        Raises:
            CodecError: There is none, or it takes more memory than it may.
        """
        return self.replies.load(frame, min(self.most_text, self.largest))


@dataclass(frozen=True, eq=False)
class WorkerProgram:
    """A program that a worker process runs.

    Attributes:
        module: Whose `main` it is.
        services: All that it can be asked.
    """

    module: str
    services: tuple[RequestType, ...]

    @cached_property
    def calls(self) -> Codec[Call[Any]]:
        """How calls are stored."""
        requests = reduce(or_, [service.request for service in self.services])
        return Codec(GenericAlias(Call, (requests,)))

    def service(self, request: object) -> RequestType:
        """Returns the service for this request."""
        return next(service for service in self.services if isinstance(request, service.request))


_MOST = 1 << 31
_CAPABILITY = re.compile(r"\d{1,3}\.\d{1,3}", re.ASCII)


def check_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Checks that none offers to change a text or a setting, and that each has a place.

    The parent itself finds out what to do about a diagnostic, as a click of the user's does it.

    Raises:
        Unfit: One does, or is not.
    """
    for diagnostic in diagnostics:
        if diagnostic.fix is not None:
            raise Unfit("it offers to change a text or a setting")
        if not all(
            0 <= number < _MOST for number in (diagnostic.line or 0, diagnostic.column or 0)
        ):
            raise Unfit("it complains of a place that no text has")


def check_devices(devices: DeviceList) -> None:
    """Checks that each GPU has a compute capability.

    Raises:
        Unfit: One has none.
    """
    if not all(_CAPABILITY.fullmatch(device.capability) for device in devices.devices):
        raise Unfit("it tells of a GPU with no compute capability")
