"""Reads machine code in a process of its own, so that neither builds nor the window wait."""

from __future__ import annotations

from collections import OrderedDict

from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.worker.calls import SingleWorker
from jitstudio.worker.crash_report import reading_mishap
from jitstudio.worker.programs.disassemble import DISASSEMBLING
from jitstudio.worker.sandbox.access import Need, SandboxAccess

DEFAULT_TIMEOUT = 120.0
"""Seconds an analysis may take unless the caller says otherwise."""

_Key = tuple[bytes, str, frozenset[tuple[str, str]], tuple[str, ...] | None, str]
"""A cubin, which function of it, the PTX texts that it was made of, what it is confined to, as a
process that reads what nobody trusts may answer anything, and the folder of the nvdisasm."""


class DisassemblyReader(SingleWorker):
    """Reads cubins, one after another.

    Args:
        memory_limit: See `SingleWorker`.
        kept: Of how many cubins the code is kept, in case they are asked for again.
    """

    def __init__(self, memory_limit: int | None = None, kept: int = 0) -> None:
        super().__init__(DISASSEMBLING, memory_limit)
        self._most_kept = kept
        self._kept: OrderedDict[_Key, Disassembly] = OrderedDict()

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
        key = request.cubin, request.function, ptx, request.confined_to, request.toolchain
        answer = self._kept[key] if key in self._kept else self._read(request, ticket, timeout)
        if isinstance(answer, Disassembly):
            self._kept[key] = answer
            self._kept.move_to_end(key)
            while len(self._kept) > self._most_kept:
                self._kept.popitem(last=False)
        return answer

    def cancel(self, ticket: int) -> None:
        """Ends the analysis with this ticket; one yet to come ends at once."""
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
