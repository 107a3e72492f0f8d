"""The service that reads machine code: neither window nor build waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject

from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.analysis.sass.reading import ListingRows
from jitstudio.cache.store import Store
from jitstudio.gui.services.request_queue import RequestHandle, WorkerService
from jitstudio.worker.code_readers import DisassemblyReader
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
