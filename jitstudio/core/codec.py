"""Frozen values as bytes and back, for pipes to other processes and for files.

Not pickle: whoever writes a pickle runs code in the process that reads it. Here the reader names
the type, and the bytes can only fill its fields: dataclasses, named tuples, enums, tuples,
mappings, unions of these, arrays of integers, and plain values. What does not fit is refused, and
so is what would take far more memory than it has bytes.

The bytes are JSON, and behind it what is long, as it is. Rows are stored as columns: machine code
has hundreds of thousands of instructions, and names in it that repeat come back as one string.

Not msgspec: it takes no two dataclasses in one union, no half surrogates (file names that are not
UTF-8), no integers beyond 64 bits, and takes long to import.
"""

from __future__ import annotations

import hashlib
import json
import struct
from functools import cached_property
from typing import Any, Generic, TypeVar

from jitstudio.core.blobs import Blobs, CodecError, count_parts
from jitstudio.core.stored_forms import described, form_of

__all__ = ["Codec", "CodecError"]

_T = TypeVar("_T")
_HEAD = struct.Struct("<I")
_SHAPE = 8


class Codec(Generic[_T]):
    """Values of one type as bytes. Safe for several threads.

    Args:
        kind: The type, as an annotation writes it.

    Raises:
        TypeError: It has a part that cannot be stored.
    """

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._form = form_of(kind)

    def dump(self, value: _T) -> list[bytes]:
        """The bytes in pieces, of which long ones are those of the value itself.

        Raises:
            TypeError: It is none of the type.
            CodecError: It consists of too many values.
        """
        blobs: list[bytes] = []
        plain = self._form.lower(value, blobs)
        head = json.dumps(plain, separators=(",", ":"), check_circular=False)
        count_parts(head)
        return [_HEAD.pack(len(head)) + head.encode("ascii"), *blobs]

    def load(self, data: bytes) -> _T:
        """The value that `dump` has made these bytes of.

        Raises:
            CodecError: They hold no such value.
        """
        try:
            with memoryview(data) as view:
                (size,) = _HEAD.unpack_from(view)
                start = _HEAD.size + size
                head = str(view[_HEAD.size : start], "ascii")
                blobs = Blobs(view, start, count_parts(head))
                value: _T = self._form.lift(json.loads(head), blobs)
                blobs.close()
        except CodecError:
            raise
        except Exception as error:
            # Whatever may be wrong with the bytes, down to lists in lists beyond the stack.
            raise CodecError(f"{type(error).__name__}: {error}") from error
        return value

    def pack(self, value: _T) -> bytes:
        """The value for a file, which another make of the program may find: `unpack` reads it.

        Raises:
            TypeError, CodecError: See `dump`.
        """
        return b"".join((self._shape, *self.dump(value)))

    def unpack(self, data: bytes) -> _T:
        """The value that `pack` has made these bytes of.

        Raises:
            CodecError: They hold no such value, or one whose type has other parts by now.
        """
        if data[:_SHAPE] != self._shape:
            raise CodecError("it is of another make")
        return self.load(data[_SHAPE:])

    @cached_property
    def _shape(self) -> bytes:
        """Tells the type from what it was before somebody changed it."""
        return hashlib.blake2b(described(self._kind).encode(), digest_size=_SHAPE).digest()
