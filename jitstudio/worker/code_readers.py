"""Reads machine code, and finds kernels in programs, libraries, wheels and caches.

A process does that which reaches no more, whatever the file or folder makes of it: it has nothing
else of the user's but, for one kernel of a cache, the text of the Python file that the cache says
it was written in.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any

from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
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
from jitstudio.worker.programs.disassemble import DISASSEMBLING
from jitstudio.worker.sandbox.access import Need, SandboxAccess

DEFAULT_TIMEOUT = 120.0
"""Seconds an analysis may take unless the caller says otherwise."""

_Key = tuple[bytes, str, frozenset[tuple[str, str]], tuple[str, ...] | None, str, bool]
"""A cubin, which function of it, the PTX texts that it was made of, what it is confined to, as a
process that reads what nobody trusts may answer anything, the folder of the nvdisasm, and whether
live registers are counted."""


class DisassemblyReader(SingleWorker):
    """Reads cubins, in turn.

    Args:
        memory_limit: See `SingleWorker`.
        cached: Of how many cubins the code stays, in case they are asked for again.
    """

    def __init__(self, memory_limit: int | None = None, cached: int = 0) -> None:
        super().__init__(DISASSEMBLING, memory_limit)
        self._most_cached = cached
        self._cache: OrderedDict[_Key, Disassembly] = OrderedDict()

    def analyse(
        self, request: AnalysisRequest, *, ticket: int = 0, timeout: float = DEFAULT_TIMEOUT
    ) -> Disassembly | ReadingFailure:
        """Reads the machine code of a cubin.

        Args:
            request: Which.
            ticket: The number by which `cancel` knows it.
            timeout: Seconds after which it is ended.

        Raises:
            WorkerError: The process could not be started, or a bug of jitstudio's own broke it.
        """
        ptx = frozenset(request.ptx.items())
        key = (
            request.cubin,
            request.function,
            ptx,
            request.confined_to,
            request.toolchain,
            request.counts_live,
        )
        answer = self._cache[key] if key in self._cache else self._read(request, ticket, timeout)
        if isinstance(answer, Disassembly):
            self._cache[key] = answer
            self._cache.move_to_end(key)
            while len(self._cache) > self._most_cached:
                self._cache.popitem(last=False)
        return answer

    def cancel(self, ticket: int) -> None:
        """Ends the analysis with this ticket; an analysis yet to come ends at once."""
        self._queue.cancel(ticket)

    def _read(
        self, request: AnalysisRequest, ticket: int, timeout: float
    ) -> Disassembly | ReadingFailure:
        need = SandboxAccess(confined_to=request.confined_to, toolchain=request.toolchain)
        answer = self._ask(request, ticket, timeout, Need(need))
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
    """How messages call a file, whose name may be no UTF-8."""
    return os.fsencode(PurePath(path).name).decode("utf-8", "replace")
