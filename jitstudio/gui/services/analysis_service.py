"""The service that reads machine code, so that neither window nor build waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject

from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.analysis.sass.reading import ListingRows
from jitstudio.gui.services.request_queue import RequestHandle, WorkerService
from jitstudio.worker.code_readers import DisassemblyReader
from jitstudio.worker.queue import Report

_READ = "read"
_KEPT = 16
"""Cubins and functions whose code is kept: a step back to an earlier one costs nothing."""
_NO_PTX: Mapping[str, str] = {}


@dataclass(frozen=True, eq=False)
class ReadListing:
    """A cubin that has been read.

    Attributes:
        code: What is in it.
        rows: Which line of the text is which instruction.
    """

    code: Disassembly
    rows: ListingRows


class AnalysisService(WorkerService):
    """Has cubins read; its process starts at the first request, not with the window."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader = DisassemblyReader(kept=_KEPT)
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
        """Reads a cubin, in place of one of this tag that waits.

        Args:
            cubin: The file's content.
            name: How messages call it.
            lines: The text that its instructions are to be found in.
            ptx: The PTX texts that it can have been made of; see `correlation.modules.ptx_of`.
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
