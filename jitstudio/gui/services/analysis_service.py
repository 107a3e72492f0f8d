"""The background of reading: a QThread of its own, so that neither window nor build waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from jitstudio.analysis.listing_rows import ListingRows
from jitstudio.analysis.model import Disassembly
from jitstudio.analysis.request import AnalysisRequest, Unreadable
from jitstudio.gui.services.serving import Service
from jitstudio.worker.analysis_desk import AnalysisDesk, ReadListing
from jitstudio.worker.disassembly_reader import DisassemblyReader

_READ = "read"
_NO_PTX: Mapping[str, str] = {}


class AnalysisService(Service):
    """Sends cubins to the reader and tells in the GUI thread what they hold.

    Its process starts at the first request, not with the window.

    Signals:
        finished: The code of the cubin of this ticket, and where it stands in the text.
        unreadable: Why there is none, in words, and whether another try may succeed.
    """

    finished = Signal(int, object, object)
    unreadable = Signal(int, str, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader = DisassemblyReader()
        relay = _Relay(self)
        self._serve("analysis service", AnalysisDesk(self._reader, relay), relay)

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
    ) -> int:
        """Read a cubin, in place of one of this tag that waits; the ticket of the signals.

        Args:
            cubin: The file's content.
            name: How messages call it.
            lines: The text that its instructions are to be found in.
            ptx: The PTX texts that it can have been made of; see `correlation.modules.ptx_of`.
            tag: Whose reading it is.
            confined_to: See `BuildRequest`: that of the build that made it.
        """
        request = AnalysisRequest(cubin, name, ptx, confined_to)
        return self._dispatcher.submit(tag, ReadListing(request, lines))


class _Relay:
    """The listener of dispatcher and desk: turns their calls into signals of the service."""

    def __init__(self, service: AnalysisService) -> None:
        self._service = service

    def started(self, _ticket: int) -> None:
        """Its end tells it better."""

    def read(self, ticket: int, code: Disassembly, rows: ListingRows) -> None:
        self._service.finished.emit(ticket, code, rows)

    def unreadable(self, ticket: int, why: Unreadable) -> None:
        self._service.unreadable.emit(ticket, why.words, why.is_mishap)

    def broke(self, ticket: int, message: str) -> None:
        self._service.unreadable.emit(ticket, message, True)

    def dropped(self, _ticket: int) -> None:
        """A newer request has taken its place."""
