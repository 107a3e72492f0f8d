"""Reads machine code, and finds kernels in programs, libraries, wheels and caches.

A process does that which reaches no more, whatever the file or folder makes of it: it has nothing
else of the user's but, for one kernel of a cache, the text of the Python file that the cache says
it was written in.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.cache.readings import ReadingCache
from jitstudio.cache.store import Store
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
from jitstudio.core.tools import ToolFile
from jitstudio.worker.calls import SingleWorker
from jitstudio.worker.crash_report import reading_mishap
from jitstudio.worker.programs.disassemble import DISASSEMBLING
from jitstudio.worker.sandbox.access import Need, SandboxAccess

DEFAULT_TIMEOUT = 120.0
"""Seconds an analysis may take unless the caller says otherwise."""


class DisassemblyReader(SingleWorker):
    """Reads cubins, in turn.

    Args:
        memory_limit: See `SingleWorker`.
        store: Where to keep readings; None for nowhere.
    """

    def __init__(self, memory_limit: int | None = None, store: Store | None = None) -> None:
        super().__init__(DISASSEMBLING, memory_limit)
        self._cache = ReadingCache(store) if store is not None else None

    def analyse(
        self,
        request: AnalysisRequest,
        *,
        ticket: int = 0,
        timeout: float = DEFAULT_TIMEOUT,
        on_code: Callable[[Disassembly], None] | None = None,
    ) -> Disassembly | ReadingFailure:
        """Reads the machine code of a cubin.

        Args:
            request: The cubin, and what is to be read of it.
            ticket: The number by which `cancel` knows it.
            timeout: Seconds after which it is ended.
            on_code: Called in this thread with the code while live registers are still counted.

        Raises:
            WorkerError: The process could not be started, or a bug of jitstudio's own broke it.
        """
        cache = self._cache if request.use_cache else None
        code = cache.find(request) if cache is not None else None
        if code is not None:
            return code
        files: list[ToolFile] = []

        def hear(event: ToolFile | Disassembly) -> None:
            if isinstance(event, ToolFile):
                files.append(event)
            elif on_code is not None:
                on_code(event)

        asked = replace(request, tells_early=on_code is not None)
        answer = self._read(asked, ticket, timeout, hear)
        if cache is not None and files and isinstance(answer, Disassembly):
            cache.keep(request, files[0], answer)
        return answer

    def cancel(self, ticket: int) -> None:
        """Ends the analysis with this ticket; an analysis yet to come ends at once."""
        self._queue.cancel(ticket)

    def _read(
        self,
        request: AnalysisRequest,
        ticket: int,
        timeout: float,
        on_event: Callable[[ToolFile | Disassembly], None],
    ) -> Disassembly | ReadingFailure:
        need = SandboxAccess(confined_to=request.confined_to, toolchain=request.toolchain)
        answer = self._ask(request, ticket, timeout, Need(need), on_event)
        remedy = "Build fewer kernels at once."
        mishap = reading_mishap(answer, request.name, timeout, remedy, "the machine code of ")
        read: Disassembly | ReadingFailure = ReadingFailure(*mishap) if mishap else answer
        return read


_SHORTER = "Unpack it and read a part of it; on the command line --timeout raises the limit."


class LibraryReader(SingleWorker):
    """Lists kernels and takes code out, a request at a time.

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
        """Ends the request with this ticket; a request yet to come ends at once."""
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
    """Returns the content of the Python file that a cache names as the source; empty for others."""
    source = Path(piece.source.rpartition(":")[0])
    if source.suffix != ".py" or not source.is_absolute():
        return b""
    try:
        return read_file(source, LARGEST_SOURCE)
    except OSError:
        return b""


def _shown(path: str) -> str:
    """Returns how messages call a file, whose name may be no UTF-8."""
    return os.fsencode(PurePath(path).name).decode("utf-8", "replace")
