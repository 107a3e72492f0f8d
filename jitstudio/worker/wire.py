"""Frames on a byte stream: four bytes of length, then one pickled value.

Both ends are the same program, one being the other's child on a private pipe; pickle never reads
anything from outside.
"""

from __future__ import annotations

import pickle
import struct
import threading
from typing import IO, Any

_LENGTH = struct.Struct("<I")

LARGEST = 1 << 30
"""Bytes of the largest frame; no build comes near, but a stray length must not ask for them."""


class FrameTooLarge(ValueError):
    """A value is too large to be sent; the message is fit for a person."""


class Wire:
    """One end of a two-way connection. Sending is safe from several threads."""

    def __init__(self, reader: IO[bytes], writer: IO[bytes]) -> None:
        self._reader = reader
        self._writer = writer
        self._sending = threading.Lock()

    def send(self, value: object) -> None:
        """Send one value.

        Raises:
            OSError: The other end is gone.
            FrameTooLarge: Nothing was sent.
        """
        frame = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        if len(frame) > LARGEST:
            raise FrameTooLarge(
                f"{len(frame):,} bytes are more than the {LARGEST:,} that one build may have."
            )
        with self._sending:
            self._writer.write(_LENGTH.pack(len(frame)))
            self._writer.write(frame)
            self._writer.flush()

    def receive(self) -> Any:
        """Wait for the next value.

        Raises:
            EOFError: The other end is gone, perhaps in the middle of a frame, or has lost its way.
        """
        (size,) = _LENGTH.unpack(self._read(_LENGTH.size))
        if size > LARGEST:
            raise EOFError
        return pickle.loads(self._read(size))

    def _read(self, size: int) -> bytes:
        data = self._reader.read(size)
        if data is None or len(data) < size:
            raise EOFError
        return data
