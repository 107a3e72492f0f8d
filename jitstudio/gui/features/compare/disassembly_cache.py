"""The machine code of whole builds, read once as long as the build is kept."""

from __future__ import annotations

from functools import partial
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from jitstudio.analysis.correlation.modules import ptx_of
from jitstudio.analysis.reading_request import ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.prebuilt import cubin_of
from jitstudio.gui.services.analysis_service import AnalysisService, ReadListing
from jitstudio.gui.state.outputs import Built


class DisassemblyCache(QObject):
    """Has cubins read that are to be compared.

    Signals:
        changed: Another one has been read, or cannot be.
    """

    changed = Signal()

    def __init__(self, service: AnalysisService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._found: WeakKeyDictionary[Built, Disassembly | str] = WeakKeyDictionary()
        self._asked: set[Built] = set()

    def code(self, built: Built) -> Disassembly | None:
        """The code of the cubin of a build; None until it has been read, or where it cannot be."""
        found = self._found.get(built)
        return found if isinstance(found, Disassembly) else None

    def problem(self, built: Built) -> str:
        """Returns why it cannot be read; empty where it has been or will be."""
        found = self._found.get(built)
        return found if isinstance(found, str) else ""

    def ask(self, built: Built) -> None:
        """Has the cubin of a build read, if it has not been and there is one."""
        cubin = cubin_of(built.request, built.result)
        if cubin is None or built in self._found or built in self._asked:
            return
        # A tag for each build: one that waits must not give way to the other one.
        tag = f"compare {id(built)}"
        ptx = ptx_of(built.request, built.result, cubin.name)
        confined, made_by = built.request.confined_to, built.request.toolchain
        handle = self._service.read(
            cubin.content,
            cubin.file_name,
            ptx=ptx,
            tag=tag,
            confined_to=confined,
            toolchain=made_by,
        )
        handle.finished.connect(partial(self._on_read, built))
        handle.failed.connect(partial(self._settle, built))
        self._asked.add(built)

    def take(self, built: Built, code: Disassembly) -> None:
        """Adds what has been read elsewhere."""
        self._found.setdefault(built, code)

    def _on_read(self, built: Built, answer: ReadListing | ReadingFailure) -> None:
        self._settle(built, answer.message if isinstance(answer, ReadingFailure) else answer.code)

    def _settle(self, built: Built, found: Disassembly | str) -> None:
        self._asked.discard(built)
        self._found[built] = found
        self.changed.emit()
