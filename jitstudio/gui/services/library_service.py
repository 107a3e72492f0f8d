"""The service that searches programs, libraries and wheels for kernels."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject

from jitstudio.core.bounds.folders import remove_tree
from jitstudio.core.library import CodePiece, LibraryFailure
from jitstudio.gui.services.request_queue import RequestHandle, WorkerService
from jitstudio.system.paths import cache_folder
from jitstudio.system.private import make_private
from jitstudio.worker.code_readers import LibraryReader
from jitstudio.worker.queue import Report

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
