"""Finds the kernels in programs, libraries, wheels and caches, in a process that reaches no more.

Whatever the file or folder makes of that process, the process has nothing else of the user's but,
for one kernel of a cache, the text of the Python file that the cache says it was written in.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any

from jitstudio.core.library import (
    LARGEST_SOURCE,
    CodePiece,
    LibraryFailure,
    LibraryListing,
    ListingProgress,
    ListRequest,
    TakenCode,
    TakeRequest,
)
from jitstudio.core.plain_files import read_file
from jitstudio.worker.calls import SingleWorker
from jitstudio.worker.crash_report import reading_mishap
from jitstudio.worker.disassembly_reader import DEFAULT_TIMEOUT
from jitstudio.worker.programs.disassemble import DISASSEMBLING
from jitstudio.worker.sandbox.access import Need, SandboxAccess

_SHORTER = "Unpack it and read a part of it; on the command line --timeout raises the limit."


class LibraryReader(SingleWorker):
    """Lists kernels and takes code out, one request after another.

    Args:
        memory_limit: See `SingleWorker`.
    """

    def __init__(self, memory_limit: int | None = None) -> None:
        super().__init__(DISASSEMBLING, memory_limit)

    def list(
        self,
        path: str,
        on_progress: Callable[[ListingProgress], None] = lambda _: None,
        *,
        ticket: int = 0,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> LibraryListing | LibraryFailure:
        """Lists the kernels in a file or folder.

        Args:
            path: The file or folder.
            on_progress: Called in this thread with what has been found so far.
            ticket: The number by which `cancel` knows it.
            timeout: Seconds after which it is ended.

        Raises:
            WorkerError: The process could not be started, or a bug of jitstudio's own broke it.
        """
        request = ListRequest(os.path.realpath(path), _shown(path))
        answer = self._carried_out(request, on_progress, ticket, timeout)
        assert isinstance(answer, LibraryListing | LibraryFailure)
        return answer

    def take(
        self, path: str, piece: CodePiece, *, ticket: int = 0, timeout: float = DEFAULT_TIMEOUT
    ) -> TakenCode | LibraryFailure:
        """Returns the code of a piece of a file; for the arguments and errors see `list`."""
        request = TakeRequest(os.path.realpath(path), _shown(path), piece, _written(piece))
        answer = self._carried_out(request, lambda _: None, ticket, timeout)
        assert isinstance(answer, TakenCode | LibraryFailure)
        return answer

    def cancel(self, ticket: int) -> None:
        """Ends the request with this ticket; one yet to come ends at once."""
        self._queue.cancel(ticket)

    def _carried_out(
        self,
        request: ListRequest | TakeRequest,
        on_progress: Callable[[ListingProgress], None],
        ticket: int,
        timeout: float,
    ) -> Any:
        access = SandboxAccess(readable=(request.path,))
        answer = self._ask(request, ticket, timeout, Need(access, most=access), on_progress)
        mishap = reading_mishap(answer, f"'{request.name}'", timeout, _SHORTER)
        return LibraryFailure(*mishap) if mishap else answer


def _written(piece: CodePiece) -> bytes:
    """Returns what the Python file that a cache names as the source holds; nothing of another."""
    source = Path(piece.source.rpartition(":")[0])
    if source.suffix != ".py" or not source.is_absolute():
        return b""
    try:
        return read_file(source, LARGEST_SOURCE)
    except OSError:
        return b""


def _shown(path: str) -> str:
    """How messages call a file, whose name may be no UTF-8."""
    return os.fsencode(PurePath(path).name).decode("utf-8", "replace")
