"""Carries out what the dispatcher of the reading side hands on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from jitstudio.analysis.listing_rows import ListingRows
from jitstudio.analysis.model import Disassembly
from jitstudio.analysis.request import AnalysisRequest, Unreadable
from jitstudio.worker.disassembly_reader import DisassemblyReader

_KEPT = 4
"""Cubins whose code is kept: a step back to an earlier result costs nothing."""

_Key = tuple[bytes, frozenset[tuple[str, str]], tuple[str, ...] | None]
"""A cubin, the PTX texts that it was made of, and what it is confined to: a process that reads what
nobody trusts may answer anything."""


@dataclass(frozen=True, eq=False)
class ReadListing:
    """Read a cubin, and find its instructions in a text that was made of it.

    Attributes:
        request: The cubin.
        lines: What ``nvdisasm -c`` printed of it.
    """

    request: AnalysisRequest
    lines: Sequence[str]


class AnalysisListener(Protocol):
    """Who hears what came of analyses; called in the thread of the dispatcher."""

    def read(self, ticket: int, code: Disassembly, rows: ListingRows) -> None:
        """A cubin has been read."""

    def unreadable(self, ticket: int, why: Unreadable) -> None:
        """It cannot be read."""


class AnalysisDesk:
    """Carries out analyses.

    Args:
        reader: Who does it; owned from now on.
        listener: Who hears of it.
    """

    def __init__(self, reader: DisassemblyReader, listener: AnalysisListener) -> None:
        self._reader = reader
        self._listener = listener
        self._known: OrderedDict[_Key, Disassembly] = OrderedDict()
        self.cancel = reader.cancel
        self.close = reader.close

    def work(self, ticket: int, wanted: ReadListing) -> None:
        """See `Desk`."""
        request = wanted.request
        key = request.cubin, frozenset(request.ptx.items()), request.confined_to
        code = self._known.get(key)
        if code is None:
            answer = self._reader.analyse(request, ticket=ticket)
            if isinstance(answer, Unreadable):
                self._listener.unreadable(ticket, answer)
                return
            code = self._known[key] = answer
        self._known.move_to_end(key)
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)
        self._listener.read(ticket, code, ListingRows(wanted.lines, code))
