"""Frames of bytes on a byte stream: four bytes of length, then so many bytes."""

from __future__ import annotations

import io
import os
import select
import struct
import threading
from collections.abc import Callable, Sequence
from typing import IO, Any

_LENGTH = struct.Struct("<I")

LARGEST = 1 << 30
"""Bytes of the largest frame; no build comes near, but a stray length must not ask for them."""

_GLANCE = 200
"""Milliseconds after which a pipe looks whether there is still somebody at its other end."""


class FrameTooLarge(ValueError):
    """A frame has more bytes than it may; the message is fit for a person."""


class Wire:
    """One end of a two-way connection. Sending is safe from several threads."""

    def __init__(self, reader: IO[bytes], writer: IO[bytes] | Pipe) -> None:
        self._reader = reader
        self._writer = writer
        self._sending = threading.Lock()

    def send(self, parts: Sequence[bytes], largest: int = LARGEST) -> None:
        """Send one frame, which is these parts one behind the other.

        Raises:
            OSError: The other end is gone.
            FrameTooLarge: It has more bytes than `largest`; nothing was sent.
        """
        size = sum(map(len, parts))
        if size > largest:
            raise _too_large(size, largest)
        with self._sending:
            # A short one in a single call.
            first = _LENGTH.pack(size) + parts[0] if parts else _LENGTH.pack(size)
            for part in (first, *parts[1:]):
                self._write(part)
            self._writer.flush()

    def receive(self, largest: int = LARGEST) -> bytes:
        """Wait for the next frame.

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
    """Our end of a pipe to a process; it does not outlast the process.

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
        """Whether this is the end to read from."""
        return self._file.readable()

    def writable(self) -> bool:
        """Whether this is the end to write to."""
        return self._file.writable()

    @property
    def ready(self) -> bool:
        """Whether there is something to read, if only that the other end is closed."""
        return bool(self._poll.poll(0))

    def readinto(self, buffer: Any) -> int:
        """Wait for bytes and read them; none once the process is gone and all is read."""
        while True:
            try:
                return os.readv(self._file.fileno(), [buffer])
            except BlockingIOError:
                if not self._wait():
                    return 0

    def write(self, data: Any) -> int:
        """Wait for room and write what fits.

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
        """Close the pipe."""
        self._file.close()
        super().close()

    def _wait(self) -> bool:
        """Wait until something can be done; whether that can be before the process is gone."""
        while not self._poll.poll(_GLANCE):
            if not self._alive():
                return self.ready
        return True
