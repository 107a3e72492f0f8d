"""Lists the kernels in the folder of a compiler's or a package's cache, and takes kernels out."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jitstudio.core.arch import Arch
from jitstudio.core.captured import CapturedError, KernelLanguage, pack
from jitstudio.core.code import CodeKind
from jitstudio.core.cubin import cubin_target, is_relocatable
from jitstudio.core.library import (
    LATEST,
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
from jitstudio.core.plain_files import LARGEST
from jitstudio.kernel_caches import reading
from jitstudio.kernel_caches.entry import CacheEntry, Folder, Incomplete
from jitstudio.kernel_caches.places import CACHES
from jitstudio.ptx.skimming import ptx_target
from jitstudio.toolchain.demangle import demangled
from jitstudio.toolchain.library import kernels_in

_BETWEEN_REPORTS = 0.1
_KINDS = {KernelLanguage.CUBIN: CodeKind.CUBIN, KernelLanguage.PTX: CodeKind.PTX}

Tell = Callable[[ListingProgress], None]


@dataclass(frozen=True)
class _Read:
    """The kernels that were read of a folder.

    Attributes:
        fingerprint: Of the folder and those of its files that were looked into.
        used: These.
        pieces: Its pieces with their kernels, which name no piece yet.
        notes: See `LibraryListing`.
    """

    fingerprint: tuple[object, ...]
    used: tuple[str, ...]
    pieces: tuple[tuple[CodePiece, tuple[LibraryKernel, ...]], ...]
    notes: Notes


class CacheFolders:
    """Reads folders; unchanged parts of the folder that was listed last are not read again."""

    def __init__(self) -> None:
        self._path = ""
        self._known: dict[str, _Read] = {}

    def list(self, request: ListRequest, tell: Tell) -> LibraryListing | LibraryFailure:
        """Lists the kernels in a folder, the newest first.

        Args:
            request: Which folder.
            tell: Takes what has been found so far, ten times a second at most.

        Returns:
            The list; or why there is none, also where the folder holds none.
        """
        # It makes a million objects, and no cycle: looking for these takes a fourth of the time.
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return self._list(request, tell)
        finally:
            if was_enabled:
                gc.enable()

    def _list(self, request: ListRequest, tell: Tell) -> LibraryListing | LibraryFailure:
        before = self._known if self._path == request.path else {}
        self._path, self._known = request.path, {}
        notes, progress = Notes(), _Progress(tell)
        for folder in reading.folders(Path(request.path), notes):
            known = before.get(folder.inner)
            if known and known.fingerprint == folder.fingerprint(known.used):
                read = known
                progress.add(sum(len(kernels) for _, kernels in read.pieces), folder.inner)
            else:
                read = _read(folder, progress)
            self._known[folder.inner] = read
            notes.join(read.notes)
            if progress.kernels > MOST_KERNELS:
                notes.add(f"There are more than {MOST_KERNELS:,} kernels: not all are listed.")
                break
        pieces = [piece_kernels for read in self._known.values() for piece_kernels in read.pieces]
        if not pieces:
            return LibraryFailure(_nothing(request.name, notes))
        pieces.sort(key=lambda piece_kernels: (-piece_kernels[0].date, piece_kernels[0].member))
        names = demangled(kernel.name for _, kernels in pieces for kernel in kernels)
        return LibraryListing(
            tuple(piece for piece, _ in pieces),
            tuple(
                LibraryKernel(
                    kernel.name, names[kernel.name], number, kernel.code_bytes, kernel.resources
                )
                for number, (_, kernels) in enumerate(pieces)
                for kernel in kernels
            ),
            notes.all(),
            tuple(self._known),
        )

    @staticmethod
    def take(request: TakeRequest) -> TakenCode | LibraryFailure:
        """Returns a compilation in a cache as a captured kernel."""
        member = request.piece.member
        try:
            kernel = reading.captured(Path(request.path), member, request.written)
        except OSError as error:
            return LibraryFailure(f"'{member}' cannot be read: {error.strerror or error}.")
        except (Incomplete, CapturedError) as error:
            return LibraryFailure(f"'{member}' cannot be read: {error}.")
        if kernel is None:
            return LibraryFailure(f"'{member}' is not in '{request.name}' any more. List it again.")
        content = pack(kernel)
        if len(content) > LARGEST:
            return LibraryFailure(
                f"'{member}' is larger than the {LARGEST >> 20} MiB that are read."
            )
        return TakenCode(CodeKind.CAPTURED, content)


class _Progress:
    """Counts kernels, and reports the count ten times a second at most."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._reported_at = time.monotonic()
        self.kernels = 0

    def add(self, kernels: int, member: str) -> None:
        """Adds the kernels of a file or folder."""
        self.kernels += kernels
        if time.monotonic() - self._reported_at > _BETWEEN_REPORTS:
            self._reported_at = time.monotonic()
            self._tell(ListingProgress(self.kernels, member))


def _nothing(name: str, notes: Notes) -> str:
    titles = ", ".join(cache.title for cache in CACHES)
    return (
        f"'{name}' holds no kernels that can be read: neither those of a cache ({titles}) nor "
        f"files of PTX, machine code or captured kernels. {' '.join(notes.all())}"
    ).strip()


def _read(folder: Folder, progress: _Progress) -> _Read:
    pieces = []
    for entry in reading.entries(folder):
        if (piece := _piece(entry)) is None:
            folder.notes.add(
                f"'{entry.member}' is left out: it does not say what target it is for."
            )
            continue
        kernels = tuple(
            LibraryKernel(name, name, 0, size, needs)
            for name, size, needs in kernels_in(piece.kind, entry.code.content)
        )
        progress.add(len(kernels), entry.member)
        if kernels:
            pieces.append((piece, kernels))
        elif piece.kind is CodeKind.CUBIN:
            # Of empty PTX CUDA's own cache has more than one.
            folder.notes.add(f"'{entry.member}' is left out: no kernel is in it, or half of one.")
    used = tuple(folder.used)
    return _Read(folder.fingerprint(used), used, tuple(pieces), folder.notes)


def _piece(entry: CacheEntry) -> CodePiece | None:
    content = entry.code.content
    if entry.code.language is KernelLanguage.CUBIN:
        arch = cubin_target(content)
    else:
        target = ptx_target(entry.code.text)
        arch = Arch.parse(target) if target else None
    if arch is None:
        return None
    return CodePiece(
        kind=_KINDS[entry.code.language],
        arch=arch,
        member=entry.member,
        section="",
        offset=0,
        number=-1,
        relocatable=is_relocatable(content),
        origin=entry.origin,
        source=entry.source,
        date=entry.date if 0 <= entry.date < LATEST else 0.0,
    )
