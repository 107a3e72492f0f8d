"""Unpacks archives of others, and stops where the content becomes larger than its limit.

A header says what it likes, and 2.5 KB of bzip2 hold gigabytes: the bytes that come out count. Not
`ZipFile.read`, which unpacks a whole piece of bzip2 or LZMA before it counts.
"""

from __future__ import annotations

import bz2
import copy
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

_PIECE = 1 << 16
_LZMA_MEMORY = 256 << 20
_MOST_MEMBERS = 10_000
_CENTRAL_ENTRY = b"PK\1\2"

DAMAGED_ZIP = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError),
    *(EOFError, OSError, ValueError, LookupError, struct.error, MemoryError),
)
"""The errors about a zip that is damaged, or locked by a password."""


class Oversized(ValueError):
    """The content becomes larger than its limit; the message says so, as the end of a sentence."""


def inflated(packed: bytes, limit: int) -> bytes:
    """Returns the content that zlib has packed, of at most `limit` bytes.

    Raises:
        Oversized: The content is larger.
        zlib.error: The bytes are damaged or cut short.
    """
    unpacking = zlib.decompressobj()
    content = unpacking.decompress(packed, limit + 1)
    if len(content) > limit:
        raise Oversized(f"it unpacks to more than {limit:,} bytes")
    if not unpacking.eof:
        raise zlib.error("it is cut short")
    return content


def check_members(content: bytes) -> None:
    """Checks, before `zipfile` makes an object of each, that a zip has no more than 10,000 members.

    Raises:
        Oversized: It has more.
    """
    if content.count(_CENTRAL_ENTRY) > _MOST_MEMBERS:
        raise Oversized(f"it has more than {_MOST_MEMBERS:,} members")


def read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    """Returns a member of a zip, of at most `limit` bytes, whatever the header says.

    Raises:
        Oversized: The member is larger.
        DAMAGED_ZIP: The member cannot be unpacked.
    """
    with MemberReader(archive, info, limit) as member:
        return b"".join(iter(lambda: member.read(_PIECE), b""))


class MemberReader:
    """Unpacks a member of a zip piece by piece.

    Args:
        archive: The zip.
        info: The member.
        limit: The most bytes of the unpacked member.

    Raises:
        Oversized: The header tells a larger size.
        DAMAGED_ZIP: The member cannot be read.
    """

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> None:
        self._info, self._limit = info, limit
        self._check(info.file_size)
        # As it lies there, unpacked and checked here.
        packed: Any = copy.copy(info)
        packed.compress_type, packed.file_size = zipfile.ZIP_STORED, info.compress_size
        packed.CRC = None
        self._source = archive.open(packed)
        self._unpacker = _unpacker(info, self._source.read)
        self._size = self._sum = 0

    def __enter__(self) -> MemberReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._source.close()

    def read(self, size: int) -> bytes:
        """Returns the next bytes, at most `size`; none at the end.

        Raises:
            Oversized: The member is larger than the limit.
            DAMAGED_ZIP: The member is damaged.
        """
        while not self._unpacker.eof:
            packed = b""
            if self._unpacker.needs_input and not (packed := self._source.read(_PIECE)):
                raise EOFError(f"'{self._info.filename}' is cut short")
            piece: bytes = self._unpacker.decompress(packed, size)
            if piece:
                self._size += len(piece)
                self._sum = zlib.crc32(piece, self._sum)
                self._check(self._size)
                return piece
        if self._sum != self._info.CRC:
            raise zipfile.BadZipFile(f"Bad CRC-32 for file '{self._info.filename}'")
        return b""

    def _check(self, size: int) -> None:
        if size > self._limit:
            raise Oversized(
                f"its member '{self._info.filename}' is larger than {self._limit:,} bytes"
            )


class _Stored:
    """Bytes as they are, behind the interface of `bz2.BZ2Decompressor`."""

    def __init__(self, size: int) -> None:
        self._left, self._unread = size, b""

    @property
    def eof(self) -> bool:
        return not self._left

    @property
    def needs_input(self) -> bool:
        return not self._unread

    def decompress(self, packed: bytes, most: int) -> bytes:
        self._unread += packed
        piece, self._unread = self._unread[:most], self._unread[most:]
        self._left -= len(piece)
        return piece


class _Inflater:
    """The same for deflate, which `zlib` unpacks by another interface."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
        self._is_full = False

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail and not self._is_full

    def decompress(self, packed: bytes, most: int) -> bytes:
        piece = self._inner.decompress(self._inner.unconsumed_tail + packed, most)
        self._is_full = len(piece) == most
        return piece


def _unpacker(info: zipfile.ZipInfo, read: Callable[[int], bytes]) -> Any:
    """Returns a reader that unpacks the rest of a member; the head of LZMA is read here."""
    match info.compress_type:
        case zipfile.ZIP_STORED:
            return _Stored(info.compress_size)
        case zipfile.ZIP_DEFLATED:
            return _Inflater()
        case zipfile.ZIP_BZIP2:
            return bz2.BZ2Decompressor()
        case zipfile.ZIP_LZMA:
            # APPNOTE.TXT 5.8.8: two bytes of version, the length of the properties, these. With
            # the size behind them, unknown where a mark ends it (bit 1 of the flags, 4.4.4), they
            # are the head of a .lzma file, whose memory can be limited.
            (length,) = struct.unpack("<2xH", read(4))
            unpacker = lzma.LZMADecompressor(lzma.FORMAT_ALONE, _LZMA_MEMORY)
            size = -1 if info.flag_bits & 2 else info.file_size
            unpacker.decompress(read(length) + struct.pack("<q", size), 0)
            return unpacker
    raise NotImplementedError(f"compression method {info.compress_type} is not known here")
