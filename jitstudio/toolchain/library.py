"""Finds the device code in programs, libraries and wheels, and the needs of each kernel.

Fatbins are found by their own headers wherever they lie, in any format of executables, and the
sections of ELF files only say where that is: a file with false sizes hides nothing and costs
nothing. cuobjdump decompresses them. Nothing of the file is loaded or executed.

The formats: `zipfile` for wheels; ar(5) for static libraries; elf(5).
"""

from __future__ import annotations

import bisect
import contextlib
import mmap
import re
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import IO

from jitstudio.core.arch import Arch
from jitstudio.core.bounds.unpacking import DAMAGED_ZIP, MemberReader
from jitstudio.core.code import HEAD, CodeKind, may_hold_code
from jitstudio.core.cubin import cubin_target, is_program, is_relocatable, section_spans
from jitstudio.core.fatbin import FatbinContainer, container_of, containers
from jitstudio.core.kernel_resources import kernel_figures
from jitstudio.core.library import (
    MOST_KERNELS,
    CodePiece,
    LibraryFailure,
    LibraryKernel,
    LibraryListing,
    ListingProgress,
    ListRequest,
    Notes,
    TakenCode,
    TakeRequest,
)
from jitstudio.core.plain_files import LARGEST, open_file
from jitstudio.core.result import Outcome, Resources
from jitstudio.ptx.skimming import entries, ptx_target
from jitstudio.toolchain.demangle import demangled
from jitstudio.toolchain.extraction import unpack
from jitstudio.toolchain.tool_output import ToolMissing

_LARGEST_FILE = 16 << 30
_LARGEST_MEMBER = 3 << 30
# Beyond this, so many times the packed bytes is what is made to fill a disk.
_MOST_UNPACKED = 100
# Bytes that any member may unpack to, however small the member is.
_HARMLESS = 64 << 20
_MOST_IN_ALL = 16 << 30
_MOST_MEMBERS = 100_000
# Bytes that are unpacked at once: there is room for so much.
_BATCH = LARGEST
_COPIED = 1 << 20
# What holds less is no file with a kernel in it.
_LEAST = 64
_BETWEEN_REPORTS = 0.1

# PKWARE's APPNOTE.TXT, "Local file header" and, alone in an empty zip, "End of central
# directory record".
_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
# ar(5); thin archives are those of GNU's ar.
_ARCHIVE, _THIN_ARCHIVE = b"!<arch>\n", b"!<thin>\n"
_ELF, _WINDOWS = b"\x7fELF", b"MZ"
# Name, date, owner, group, mode, size and the two bytes that end a header.
_AR_HEADER = 60
# Tables of symbols: GNU's, with 32 and with 64 bits, and BSD's.
_AR_TABLES = (b"/", b"/SYM64/", b"__.SYMDEF", b"__.SYMDEF SORTED")
# nvcc's sections: linked code, and relocatable code that the linked code was made of.
_LINKED, _TO_LINK = ".nv_fatbin", "__nv_relfatbin"
_UNPACKED = (CodeKind.CUBIN, CodeKind.PTX)

# How members of a zip are compressed, by the numbers of PKWARE's APPNOTE.TXT: what is unpacked, and
# what is not, as Python's zipfile knows it in no version or only in the newest.
_TAKEN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_OTHERS = {9: "Deflate64", 20: "zstd", 93: "zstd", 95: "xz", 96: "JPEG", 98: "PPMd"}
# APPNOTE.TXT, "general purpose bit flag", and the method that stands for AES.
_IS_ENCRYPTED, _AES = 0x1, 99

Tell = Callable[[ListingProgress], None]


@dataclass(frozen=True, eq=False)
class _Member:
    """A file, or a member of an archive.

    Attributes:
        name: See `CodePiece.member`.
        content: Its bytes.
    """

    name: str
    content: bytes | mmap.mmap


@dataclass(frozen=True, eq=False)
class _Found:
    """Code that is still packed.

    Attributes:
        member: What it is in.
        section: Its section.
        packed: A fatbin, or None for a cubin or PTX by itself.
    """

    member: _Member
    section: str
    packed: FatbinContainer | None

    @property
    def content(self) -> bytes:
        """The code, as stored in the file."""
        if self.packed is None:
            return self.member.content[:]
        return self.member.content[self.packed.offset : self.packed.spans[-1][1]]

    @property
    def unpacked(self) -> int:
        """The number of bytes once unpacked, as the headers say."""
        return sum(max(e.size, e.unpacked) for e in self.packed.entries) if self.packed else 0


class _Full(Exception):
    """There are as many kernels as are listed."""


def list_kernels(request: ListRequest, tell: Tell) -> LibraryListing | LibraryFailure:
    """Lists the kernels in a file.

    Args:
        request: Which.
        tell: Takes what has been found so far, ten times a second at most.

    Returns:
        The list; or why there is none, also where there is no device code in the file.
    """
    try:
        with open_file(Path(request.path), _LARGEST_FILE) as file:
            return _Listing(tell).of(file, request.name)
    except ToolMissing as missing:
        return LibraryFailure(str(missing), Outcome.MISSING)
    except OSError as error:
        return LibraryFailure(f"'{request.name}' cannot be read: {error.strerror or error}.")


def take_piece(request: TakeRequest) -> TakenCode | LibraryFailure:
    """Returns the code of a piece of a file."""
    piece = request.piece
    try:
        with open_file(Path(request.path), _LARGEST_FILE) as file:
            for member in _members(file, request.name, Notes(), piece.member):
                if member.name == piece.member:
                    return _taken(member, piece, request.name)
    except OSError as error:
        return LibraryFailure(f"'{request.name}' cannot be read: {error.strerror or error}.")
    return _changed(request.name)


def _taken(member: _Member, piece: CodePiece, name: str) -> TakenCode | LibraryFailure:
    if piece.number < 0:
        return _if_not_too_large(piece.kind, member.content[: LARGEST + 1], name)
    container = next((c for c in containers(member.content) if c.offset >= piece.offset), None)
    if (
        container is None
        or container.offset != piece.offset
        or piece.number >= len(container.entries)
    ):
        return _changed(name)
    chosen = container.entries[piece.number]
    if (chosen.kind, chosen.target) != (piece.kind, piece.target):
        return _changed(name)
    parts = [
        (number, entry, member.content[start:end])
        for number, (entry, (start, end)) in enumerate(
            zip(container.entries, container.spans, strict=True)
        )
        # Of what is for the same target, this one alone: a build takes the first.
        if number == piece.number or (entry.kind, entry.target) != (chosen.kind, chosen.target)
    ]
    if sum(len(content) for _, _, content in parts) > LARGEST:
        # A build would refuse it: without the code for other targets.
        parts = [part for part in parts if part[0] == piece.number]
    content = container_of(*(content for _, _, content in parts))
    return _if_not_too_large(CodeKind.FATBIN, content, name)


def _if_not_too_large(kind: CodeKind, content: bytes, name: str) -> TakenCode | LibraryFailure:
    if len(content) <= LARGEST:
        return TakenCode(kind, content)
    return LibraryFailure(
        f"This part of '{name}' is larger than the {LARGEST >> 20} MiB that are read."
    )


def _changed(name: str) -> LibraryFailure:
    return LibraryFailure(f"'{name}' is another file than the one that was listed. List it again.")


class _Listing:
    """The kernels that were found so far."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._reported_at = time.monotonic()
        self._pieces: list[CodePiece] = []
        self._kernels: list[LibraryKernel] = []
        self._notes = Notes()

    def of(self, file: FileIO, name: str) -> LibraryListing | LibraryFailure:
        """Lists all kernels of a file; see `list_kernels`."""
        kind = _what(file)
        with contextlib.suppress(_Full):
            self._read(file, name)
        if not self._pieces:
            reasons = " ".join(self._notes.all())
            return LibraryFailure(
                f"'{name}' holds no device code of CUDA: neither a cubin nor PTX was found in it. "
                f"It is {kind}. {reasons}".strip()
            )
        names = demangled(kernel.name for kernel in self._kernels)
        return LibraryListing(
            tuple(self._pieces),
            tuple(
                LibraryKernel(k.name, names.get(k.name, k.name), k.piece, k.code_bytes, k.resources)
                for k in self._kernels
            ),
            self._notes.all(),
        )

    def _read(self, file: FileIO, name: str) -> None:
        batch: list[_Found] = []
        size = 0
        for member in _members(file, name, self._notes):
            self._report(member.name or name)
            before = len(batch)
            for code in _code_in(member, self._notes):
                if batch and size + code.unpacked > _BATCH:
                    self._unpack(batch)
                    batch, size, before = [], 0, 0
                batch.append(code)
                size += code.unpacked
            # What is in the batch keeps its member, which lies on the disk.
            size += len(member.content) if len(batch) > before and member.name else 0
        self._unpack(batch)

    def _report(self, member: str) -> None:
        if time.monotonic() - self._reported_at > _BETWEEN_REPORTS:
            self._reported_at = time.monotonic()
            self._tell(ListingProgress(len(self._kernels), member))

    def _unpack(self, batch: list[_Found]) -> None:
        """Adds the kernels of a batch; all fatbins at once, or each alone if any is damaged."""
        packed = [code for code in batch if code.packed]
        codes_of: Iterable[dict[int, bytes] | None] | None = _unpacked(packed)
        if codes_of is None:
            alone = (_unpacked([code]) for code in packed)
            codes_of = (code[0] if code else None for code in alone)
        unpacked = iter(codes_of)
        for code in batch:
            self._report(code.member.name)
            if code.packed is None:
                self._add_bare(code)
                continue
            codes = next(unpacked)
            if codes is None:
                self._notes.add(
                    f"The fatbin at byte {code.packed.offset:,} of {_named(code.member)} cannot "
                    "be unpacked: it is damaged."
                )
                continue
            for number, content in codes.items():
                entry = code.packed.entries[number]
                if entry.kind and (arch := _arch(entry.target)):
                    self._add(code, entry.kind, content, arch, number)

    def _add_bare(self, code: _Found) -> None:
        content = code.content
        if arch := cubin_target(content):
            self._add(code, CodeKind.CUBIN, content, arch, -1)
        elif target := ptx_target(content[:].decode("latin-1")):
            self._add(code, CodeKind.PTX, content, Arch.parse(target), -1)

    def _add(self, code: _Found, kind: CodeKind, content: bytes, arch: Arch, number: int) -> None:
        offset = code.packed.offset if code.packed else 0
        to_link = kind is CodeKind.CUBIN and is_relocatable(content)
        self._pieces.append(
            CodePiece(kind, arch, code.member.name, code.section, offset, number, to_link)
        )
        for name, size, resources in kernels_in(kind, content):
            if len(self._kernels) == MOST_KERNELS:
                self._notes.add(f"There are more than {MOST_KERNELS:,} kernels: these are listed.")
                raise _Full
            self._kernels.append(LibraryKernel(name, name, len(self._pieces) - 1, size, resources))


def kernels_in(kind: CodeKind, content: bytes) -> Iterator[tuple[str, int | None, Resources]]:
    """Yields lowered name, bytes of code and needs of the kernels in a cubin or in PTX."""
    if kind is CodeKind.PTX:
        for name in dict.fromkeys(entries(content.decode("latin-1"))):
            yield name, None, Resources()
        return
    for text, (size, resources) in kernel_figures(content).items():
        yield text, size, resources


def _unpacked(packed: list[_Found]) -> list[dict[int, bytes]] | None:
    """Unpacks fatbins: the codes of each by the number of their entries.

    Returns:
        None where what cuobjdump has unpacked is not what the headers say.
    """
    content = b"".join(code.content for code in packed)
    pieces = unpack(content, CodeKind.FATBIN, "the fatbin")[0] if packed else ()
    # cuobjdump does not say which entry is which, but keeps their order.
    codes = {kind: [p.content for p in pieces if p.kind is kind] for kind in _UNPACKED}
    wanted = [
        (code, number, entry.kind)
        for code in packed
        for number, entry in enumerate(code.packed.entries if code.packed else ())
        if entry.kind in _UNPACKED
    ]
    if any(len(c) != sum(kind is k for *_, k in wanted) for kind, c in codes.items()):
        return None
    rest = {kind: iter(contents) for kind, contents in codes.items()}
    by_container: dict[_Found, dict[int, bytes]] = {code: {} for code in packed}
    for code, number, kind in wanted:
        by_container[code][number] = next(rest[kind])
    return list(by_container.values())


def _arch(target: str) -> Arch | None:
    try:
        return Arch.parse(target)
    except ValueError:
        return None


def _named(member: _Member) -> str:
    return f"'{member.name}'" if member.name else "the file"


def _code_in(member: _Member, notes: Notes) -> Iterator[_Found]:
    """Yields the code in an ELF file or any other, not unpacked yet."""
    content = member.content
    if cubin_target(content) or _is_ptx(content):
        yield _Found(member, "", None)
        return
    spans = sorted(section_spans(content), key=lambda span: span[1:])
    begins = [start for _, start, _ in spans]
    names = {name for name, _, _ in spans}
    linked = is_program(content) and _LINKED in names
    left_out = 0
    for packed in containers(content):
        at = bisect.bisect_right(begins, packed.offset) - 1
        section = spans[at][0] if at >= 0 and packed.offset < spans[at][2] else ""
        if linked and section == _TO_LINK:
            left_out += 1
        elif any(entry.unpacked > _BATCH for entry in packed.entries):
            notes.add(
                f"The fatbin at byte {packed.offset:,} of {_named(member)} says that "
                f"a part of it has more than {_BATCH >> 20} MiB. It is left out."
            )
        elif any(entry.kind in _UNPACKED for entry in packed.entries):
            yield _Found(member, section, packed)
        else:
            kinds = {entry.kind.title if entry.kind else "unknown" for entry in packed.entries}
            notes.add(
                f"{section or 'A fatbin'} of {_named(member)} has neither machine code nor PTX, "
                f"but {', '.join(sorted(kinds))}. LTO-IR has kernels to list once it is linked."
            )
    if left_out:
        notes.add(
            f"{left_out:,} fatbins in {_TO_LINK} of {_named(member)} are left out: what "
            f"was linked of them is in {_LINKED}."
        )


def _is_ptx(content: bytes | mmap.mmap) -> bool:
    head = content[:_COPIED]
    return b"\0" not in head and b".version" in head


def _members(file: FileIO, name: str, notes: Notes, wanted: str = "") -> Iterator[_Member]:
    """Yields the file or the members of an archive; `wanted` alone if named."""
    match _head(file):
        case head if head.startswith((_ZIP, _EMPTY_ZIP)):
            yield from _unzipped(file, name, notes, wanted)
        case head if head == _THIN_ARCHIVE:
            notes.add("It is a thin archive, which only names its objects: open these.")
        case _:
            yield from _inner(_Member("", _mapped(file)))


def _inner(member: _Member) -> Iterator[_Member]:
    """Yields a file, or the objects in a static library."""
    content = member.content
    if content[: len(_ARCHIVE)] != _ARCHIVE:
        yield member
        return
    at, long_names = len(_ARCHIVE), b""
    seen: Counter[str] = Counter()
    while at + _AR_HEADER <= len(content):
        head = content[at : at + _AR_HEADER]
        name, size = head[:16].rstrip(), head[48:58].strip()
        if not size.isdigit() or head[58:] != b"`\n":
            return
        begin = at + _AR_HEADER
        end = begin + int(size)
        # Each begins at an even byte.
        at = end + (end & 1)
        if name == b"//":
            long_names = content[begin:end]
            continue
        # BSD: behind `#1/20` the content begins with a name of 20 bytes.
        if name.startswith(b"#1/") and name[3:].isdigit():
            length = int(name[3:])
            name, begin = content[begin : begin + length].rstrip(b"\0"), begin + length
        # GNU: `/42` is a place in the member `//`, which has all long names.
        elif name.startswith(b"/") and name[1:].isdigit():
            name = long_names[int(name[1:]) :].partition(b"\n")[0]
        if name not in _AR_TABLES:
            shown = name.removesuffix(b"/").decode("utf-8", "replace")
            # Objects of one library may share a name.
            seen[shown] += 1
            if seen[shown] > 1:
                shown = f"{shown}#{seen[shown]}"
            yield _Member(f"{member.name}:{shown}".lstrip(":"), content[begin:end])


def _unzipped(file: FileIO, name: str, notes: Notes, wanted: str) -> Iterator[_Member]:
    """Yields the binaries in a zip, each followed by the objects inside."""
    room = _MOST_IN_ALL
    try:
        archive = zipfile.ZipFile(file)
    except DAMAGED_ZIP as error:
        notes.add(f"It is a damaged zip: {error}.")
        return
    members = [info for info in archive.infolist() if info.file_size >= _LEAST]
    if len(members) > _MOST_MEMBERS:
        notes.add(f"It has {len(members):,} files: the first {_MOST_MEMBERS:,} were looked at.")
    for info in members[:_MOST_MEMBERS]:
        if wanted and not f"{wanted}:".startswith(f"{info.filename}:"):
            continue
        if locked := _locked(info):
            notes.add(f"'{info.filename}' is {locked}.")
            continue
        try:
            with MemberReader(archive, info, info.file_size) as source:
                head = source.read(HEAD)
                if head.startswith((_ZIP, _THIN_ARCHIVE)):
                    notes.add(f"'{info.filename}' is an archive by itself: unpack it and open it.")
                elif not may_hold_code(head) and not info.filename.endswith(".ptx"):
                    continue
                elif info.file_size > min(room, _room_for(info)):
                    notes.add(
                        f"'{info.filename}' says that its {info.compress_size:,} bytes unpack to "
                        f"{info.file_size:,}, more than are unpacked. Unpack it and open it."
                    )
                else:
                    room -= info.file_size
                    content = _copied(head, source)
                    yield from _inner(_Member(info.filename, content))
        except DAMAGED_ZIP as error:
            # What has a number of the system is about the disk that it is unpacked to.
            reason = getattr(error, "strerror", None) or f"it is damaged ({_said(error)})"
            notes.add(f"'{info.filename}' cannot be unpacked: {reason}.")


def _locked(info: zipfile.ZipInfo) -> str:
    """Returns why a sound member is not unpacked; empty if unpacked."""
    if info.flag_bits & _IS_ENCRYPTED or info.compress_type == _AES:
        return "encrypted: unpack it with its password, and open it"
    if info.compress_type not in _TAKEN:
        name = _OTHERS.get(info.compress_type, f"method {info.compress_type}")
        return f"compressed by {name}, which is not unpacked here: unpack it, and open it"
    return ""


def _said(error: Exception) -> str:
    """Returns the words of zipfile or a decompressor, without the name of the member and a stop."""
    text = str(error) or type(error).__name__
    return re.sub(r" for file '.*'$", "", text).rstrip(".")


def _room_for(info: zipfile.ZipInfo) -> int:
    """Returns how many bytes a member of a zip may unpack to."""
    return min(_LARGEST_MEMBER, max(_HARMLESS, _MOST_UNPACKED * info.compress_size))


def _copied(head: bytes, source: MemberReader) -> bytes | mmap.mmap:
    """Copies a member to the disk: a program has hundreds of megabytes."""
    # Without a name: a process that is killed meanwhile leaves nothing behind.
    with tempfile.TemporaryFile(buffering=0) as copy:
        copy.write(head)
        while piece := source.read(_COPIED):
            copy.write(piece)
        return _mapped(copy)


def _mapped(file: IO[bytes]) -> bytes | mmap.mmap:
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:
        return b""  # an empty file cannot be mapped


def _head(file: FileIO) -> bytes:
    head = file.read(HEAD) or b""
    file.seek(0)
    return head


_KINDS = (
    (_ELF, "a program, library or object for Linux"),
    (_WINDOWS, "a program or library for Windows"),
    (_ARCHIVE, "a static library"),
    (_THIN_ARCHIVE, "a static library"),
    (_ZIP, "a zip or wheel"),
    (_EMPTY_ZIP, "an empty zip"),
    (b"\x1f\x8b", "compressed by gzip: unpack it and open what is in it"),
    (b"BZh", "compressed by bzip2: unpack it and open what is in it"),
    (b"\xfd7zXZ\0", "compressed by xz: unpack it and open what is in it"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd: unpack it and open what is in it"),
)


def _what(file: FileIO) -> str:
    """Returns the kind of a file by the first bytes."""
    head = _head(file)
    return next((text for magic, text in _KINDS if head.startswith(magic)), "of an unknown kind")
