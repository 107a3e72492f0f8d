"""Services that read machine code and search libraries: neither window nor build waits."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject

from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.analysis.sass.reading import ListingRows
from jitstudio.cache.store import Store
from jitstudio.core.bounds.folders import remove_tree
from jitstudio.core.library import CodePiece, LibraryFailure
from jitstudio.gui.services.request_queue import RequestHandle, WorkerService
from jitstudio.system.paths import cache_folder
from jitstudio.system.private import make_private
from jitstudio.worker.code_readers import DisassemblyReader, LibraryReader
from jitstudio.worker.queue import Report

_READ = "read"


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
    """Has cubins read; the process starts at the first request, not with the window.

    Args:
        store: Where to keep readings; None for a store of its own.
    """

    def __init__(self, parent: QObject | None = None, *, store: Store | None = None) -> None:
        super().__init__(parent)
        self._reader = DisassemblyReader(store=store or Store())
        self._serve("analysis service", self._reader)

    @property
    def worker_pid(self) -> int | None:
        """The process that reads; None where none is running."""
        return self._reader.pid

    def read(
        self, request: AnalysisRequest, lines: Sequence[str] = (), tag: str = _READ
    ) -> RequestHandle:
        """Reads a cubin, in place of a waiting request with this tag.

        Args:
            request: The cubin, and how it is read.
            lines: The text that its instructions are to be found in.
            tag: Whose reading it is.

        Returns:
            The handle, whose answer is a `ReadListing` or `ReadingFailure`.
        """

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
