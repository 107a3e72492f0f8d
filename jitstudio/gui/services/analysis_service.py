"""Services that read machine code and search libraries: neither window nor build waits."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject

from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.analysis.sass.reading import ListingRows
from jitstudio.core.bounds.folders import remove_tree
from jitstudio.core.library import CodePiece, LibraryFailure
from jitstudio.gui.services.request_queue import RequestHandle, WorkerService
from jitstudio.system.paths import cache_folder
from jitstudio.system.private import make_private
from jitstudio.worker.code_readers import DisassemblyReader, LibraryReader
from jitstudio.worker.queue import Report

_READ = "read"
_CACHED = 16
"""Cubins and functions whose code is kept: a step back to an earlier one costs nothing."""
_NO_PTX: Mapping[str, str] = {}


@dataclass(frozen=True, eq=False)
class ReadListing:
    """A cubin that has been read.

    Attributes:
        code: The functions and instructions.
        rows: Which line of the text is which instruction.
    """

    code: Disassembly
    rows: ListingRows


class AnalysisService(WorkerService):
    """Has cubins read; the process starts at the first request, not with the window."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader = DisassemblyReader(cached=_CACHED)
        self._serve("analysis service", self._reader)

    @property
    def worker_pid(self) -> int | None:
        """The process that reads; None where none is running."""
        return self._reader.pid

    def read(
        self,
        cubin: bytes,
        name: str,
        lines: Sequence[str] = (),
        ptx: Mapping[str, str] = _NO_PTX,
        tag: str = _READ,
        confined_to: tuple[str, ...] | None = None,
        toolchain: str = "",
        function: str = "",
    ) -> RequestHandle:
        """Reads a cubin, in place of a waiting request with this tag.

        Args:
            cubin: The file's content.
            name: How messages call it.
            lines: The text that its instructions are to be found in.
            ptx: The PTX texts that it can have been made of; see `core.prebuilt.ptx_of`.
            tag: Whose reading it is.
            confined_to: See `BuildRequest`: that of the build that made it.
            toolchain: The same.
            function: The only function to read; empty for all.

        Returns:
            The handle, whose answer is a `ReadListing` or `ReadingFailure`.
        """
        request = AnalysisRequest(cubin, name, ptx, confined_to, function, toolchain)

        def work(ticket: int, _report: Report) -> ReadListing | ReadingFailure:
            code = self._reader.analyse(request, ticket=ticket)
            if isinstance(code, ReadingFailure):
                return code
            return ReadListing(code, ListingRows(lines, code))

        return self._submit(tag, work)


# ---- Kernels in programs, libraries and wheels

_LIST, _TAKE = "list", "take"
_FOLDER = "taken"
_MOST_KEPT = 100


class LibraryService(WorkerService):
    """Has files read; the process starts at the first request, not with the window."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader = LibraryReader()
        self._serve("library service", self._reader)

    def list_kernels(self, path: Path) -> RequestHandle:
        """Lists the kernels of a file.

        Returns:
            The handle, which reports `ListingProgress`; its answer is a `LibraryListing` or a
            `LibraryFailure`.
        """

        def work(ticket: int, report: Report) -> object:
            return self._reader.list(str(path), report, ticket=ticket)

        return self._submit(_LIST, work)

    def take(self, path: Path, piece: CodePiece, name: str) -> RequestHandle:
        """Saves the code of a piece of a file as a separate file, which can be opened.

        Args:
            path: The file.
            piece: The piece.
            name: The name of the new file, without an ending.

        Returns:
            The handle, whose answer is the path of the new file or a `LibraryFailure`.
        """

        def work(ticket: int, _report: Report) -> Path | LibraryFailure:
            taken = self._reader.take(str(path), piece, ticket=ticket)
            if isinstance(taken, LibraryFailure):
                return taken
            try:
                return kept_file(f"{name}{taken.kind.ending}", taken.content)
            except OSError as error:
                reason = error.strerror or str(error)
                return LibraryFailure(f"The code cannot be kept in the cache: {reason}.")

        return self._submit(_TAKE, work)


def kept_file(name: str, content: bytes) -> Path:
    """Returns a file with a name and content in the cache, where the newest files stay.

    Raises:
        OSError: It cannot be written.
    """
    from hashlib import sha256  # few need it

    digest = sha256(content).hexdigest()[:16]
    above = cache_folder() / _FOLDER
    folder = above / digest
    make_private(folder)
    path = folder / name
    # Whole or not at all: it may be open already.
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_bytes(content)
        part.replace(path)
    os.utime(folder)
    # Another window may remove one meanwhile.
    with suppress(OSError):
        folders = sorted(above.iterdir(), key=lambda stored: stored.stat().st_mtime, reverse=True)
        for old in folders[_MOST_KEPT:]:
            remove_tree(old)
    return path
