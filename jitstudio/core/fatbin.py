"""The content of binary files of CUDA, read from headers: fatbins entry by entry, and cubins.

The layout of a fatbin is not published; this is what nvFatbin 13 and the `fatbinary` of CUDA 13
write. A file holds one or more containers, each a header and its entries, and each entry a header
and its code.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import mmap

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.cubin import cubin_target, is_relocatable, keeps_ptx

_MAGIC = 0xBA55ED50
_MAGIC_BYTES = _MAGIC.to_bytes(4, "little")
_VERSION = 1
_CONTAINER = struct.Struct("<IHHQ")  # magic, version, bytes of this header, bytes that follow it
# kind, version, bytes of this header, bytes of code; then the target, where the name lies, flags,
# and the bytes of code before it was compressed.
_ENTRY = struct.Struct("<HHIQ 12x I II Q 8x Q")
_NAME = struct.Struct("<II")
_NAME_AT = 32
_KINDS = {
    1: CodeKind.PTX,
    2: CodeKind.CUBIN,
    8: CodeKind.LTOIR,
    0x80: CodeKind.TILE_BYTECODE,
}
_VIRTUAL = (CodeKind.PTX, CodeKind.LTOIR)
_SUFFIXES = {0x100000: "a", 0x200000: "f"}
_LONGEST_NAME = 4096


@dataclass(frozen=True)
class FatbinEntry:
    """A piece of code in a fatbin.

    Attributes:
        kind: The kind of the code; None for a kind that this reader does not know.
        target: Such as ``sm_90a`` for machine code and ``compute_90`` for PTX and LTO-IR; without
            meaning for Tile IR, which is for all.
        name: What it was called when it was packed; empty if it was not.
        size: Its bytes in the file.
        unpacked: Its bytes once it is decompressed.
    """

    kind: CodeKind | None
    target: str
    name: str
    size: int
    unpacked: int


def fatbin_entries(content: bytes) -> tuple[FatbinEntry, ...]:
    """Returns the entries of a fatbin in their order; empty for bytes that are no fatbin."""
    try:
        return tuple(_entries(content))
    except struct.error:
        return ()


def _entries(content: bytes) -> Iterator[FatbinEntry]:
    at = 0
    while at + _CONTAINER.size <= len(content):
        magic, _, head, length = _CONTAINER.unpack_from(content, at)
        if magic != _MAGIC or head < _CONTAINER.size:
            return
        at, end = at + head, at + head + length
        while at < end:
            entry, step = _entry(content, at)
            yield entry
            at += step


@dataclass(frozen=True)
class FatbinContainer:
    """A container of entries.

    Attributes:
        offset: Where it begins in its file.
        entries: What it holds.
        spans: Where each entry begins and ends in the file, its header included.
    """

    offset: int
    entries: tuple[FatbinEntry, ...]
    spans: tuple[tuple[int, int], ...]


def containers(content: bytes | mmap) -> Iterator[FatbinContainer]:
    """Yields the containers that are whole and not empty, wherever in a file they lie.

    Executables and libraries have most of them in the section ``.nv_fatbin``, but also elsewhere.
    """
    at = content.find(_MAGIC_BYTES)
    while at >= 0:
        container = _container(content, at)
        if container is not None:
            yield container
            at = container.spans[-1][1]
        else:
            at += len(_MAGIC_BYTES)
        at = content.find(_MAGIC_BYTES, at)


def _container(content: bytes | mmap, start: int) -> FatbinContainer | None:
    """Returns the container that begins there; None where these bytes are none."""
    entries, spans = [], []
    try:
        _, version, head, length = _CONTAINER.unpack_from(content, start)
        at, end = start + head, start + head + length
        if version != _VERSION or head < _CONTAINER.size or end > len(content):
            return None
        while at < end:
            entry, step = _entry(content, at)
            entries.append(entry)
            spans.append((at, at + step))
            at += step
    except struct.error:
        return None
    return FatbinContainer(start, tuple(entries), tuple(spans)) if at == end and spans else None


def container_of(*entries: bytes) -> bytes:
    """Returns a container of these entries, each with a header."""
    body = b"".join(entries)
    return _CONTAINER.pack(_MAGIC, _VERSION, _CONTAINER.size, len(body)) + body


def _entry(content: bytes | mmap, at: int) -> tuple[FatbinEntry, int]:
    """Returns the entry there, and the distance to the next entry."""
    number, _, head, size, target, name_at, name_length, flags, unpacked = _ENTRY.unpack_from(
        content, at
    )
    if head < _ENTRY.size:
        raise struct.error("an entry's header is too short")
    kind = _KINDS.get(number)
    suffix = next((letter for bit, letter in _SUFFIXES.items() if flags & bit), "")
    arch = Arch(target, suffix)
    name_at += at
    name = content[name_at : name_at + min(name_length, _LONGEST_NAME)] if name_at > at else b""
    entry = FatbinEntry(
        kind=kind,
        target=arch.compute if kind in _VIRTUAL else arch.sm,
        name=name.rstrip(b"\0").decode("utf-8", "replace"),
        size=size,
        unpacked=unpacked or size,
    )
    return entry, head + size


def without_names(content: bytes) -> bytes:
    """Returns the same file, in which no entry of any fatbin has a name.

    cuobjdump calls what it unpacks by these names, and two entries may share one. A fatbin may lie
    anywhere in the file, as in objects.
    """
    changed = bytearray(content)
    for entry in _all_places(content):
        _NAME.pack_into(changed, entry + _NAME_AT, 0, 0)
    return bytes(changed)


def unpacked_size(content: bytes) -> int:
    """Returns the bytes that all fatbins of a file decompress to, as their headers say."""
    heads = (_ENTRY.unpack_from(content, entry) for entry in set(_all_places(content)))
    return sum(max(size, unpacked) for _, _, _, size, *_, unpacked in heads)


def _all_places(content: bytes) -> Iterator[int]:
    """Yields where the entries of all fatbins in a file begin."""
    at = content.find(_MAGIC_BYTES)
    while at >= 0:
        yield from _places(content, at)
        at = content.find(_MAGIC_BYTES, at + _CONTAINER.size)


def _places(content: bytes, at: int) -> Iterator[int]:
    """Yields where the entries of the container there begin."""
    if at + _CONTAINER.size > len(content):
        return
    _, _, head, length = _CONTAINER.unpack_from(content, at)
    at, end = at + head, min(at + head + length, len(content))
    while at + _ENTRY.size <= end:
        yield at
        _, _, head, size, *_ = _ENTRY.unpack_from(content, at)
        at += max(head + size, _ENTRY.size)


_MOST_ENTRIES = 1000


def contents(kind: CodeKind, content: bytes) -> str:
    """Returns a text on a binary file: kind, size, entries of a fatbin, target of a cubin."""
    head = f"{kind.title}, {len(content):,} bytes"
    if kind is CodeKind.CUBIN:
        return "\n".join((head, *_cubin_lines(content)))
    if kind is not CodeKind.FATBIN:
        return head
    entries = fatbin_entries(content)
    if not entries:
        return (
            f"{head}\nIts entries cannot be read: this is not a fatbin, or one of another layout."
        )
    lines = [entry_line(entry) for entry in entries[:_MOST_ENTRIES]]
    if more := len(entries) - len(lines):
        lines.append(f"and {more:,} more")
    return "\n".join((head, *lines))


def _cubin_lines(content: bytes) -> Iterator[str]:
    target = cubin_target(content)
    if target is None:
        yield "Its header cannot be read: this is not a cubin, or a damaged one."
        return
    yield f"Machine code for {target}"
    if is_relocatable(content):
        yield "Not linked yet: it may call functions of other modules"
    if keeps_ptx(content):
        yield "Keeps the PTX that it was made from, without comments"


def entry_line(entry: FatbinEntry) -> str:
    """Returns an entry of a fatbin as a line of text."""
    kind = entry.kind.title if entry.kind else "unknown kind"
    packed = f", {entry.unpacked:,} unpacked" if entry.unpacked not in (0, entry.size) else ""
    name = f", {entry.name}" if entry.name else ""
    target = "" if entry.kind is CodeKind.TILE_BYTECODE else f" for {entry.target}"
    return f"{kind}{target}: {entry.size:,} bytes{packed}{name}"
