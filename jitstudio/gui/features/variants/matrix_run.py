"""Builds and reads the variants of a matrix, one after another, beside the builds of the panes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.analysis.matrix.plan import Variant
from jitstudio.analysis.matrix.rows import MatrixRow, built, reports_of
from jitstudio.analysis.reading_request import Unreadable
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.result import Outcome
from jitstudio.gui.kit.background import Background
from jitstudio.gui.services.analysis_service import AnalysisService, ReadListing
from jitstudio.gui.services.build_service import BuildOutput, BuildService
from jitstudio.gui.services.queue import RequestHandle

_TAG = "matrix"


class MatrixRun(QObject):
    """One run at a time; a build of the panes comes in between two of its own.

    Signals:
        row_changed: A variant has come further.
        ended: Nothing more follows.
        broke: The worker itself failed, in words; nothing more follows.
    """

    row_changed = Signal(MatrixRow)
    ended = Signal()
    broke = Signal(str)

    def __init__(
        self, builds: BuildService, readings: AnalysisService, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._builds = builds
        self._readings = readings
        self._to_build: deque[Variant] = deque()
        self._to_read: deque[MatrixRow] = deque()
        self._building: tuple[RequestHandle, Variant] | None = None
        self._reading: tuple[RequestHandle, MatrixRow] | None = None
        self._counting = Background(self)
        self._counting.done.connect(self._on_counted)
        self._counting.failed.connect(self._on_not_counted)

    @property
    def is_running(self) -> bool:
        """Whether there is more to come."""
        return bool(self._to_build or self._to_read or self._building or self._reading)

    def start(self, variants: Sequence[Variant]) -> None:
        """Build these in place of what is being built."""
        self._forget()
        self._to_build.extend(variants)
        self._go_on()

    def stop(self) -> None:
        """End it; what is done stays."""
        if self.is_running:
            self._forget()
            self.ended.emit()

    def _forget(self) -> None:
        self._to_build.clear()
        self._to_read.clear()
        self._counting.stop()
        if self._reading is not None:
            self._reading[0].ignore()
            self._reading = None
        if self._building is not None:
            handle, _ = self._building
            self._building = None
            handle.ignore()
            handle.cancel()

    def _go_on(self) -> None:
        if self._building is None and self._to_build:
            variant = self._to_build.popleft()
            handle = self._builds.build(variant.request, _TAG)
            handle.finished.connect(self._on_built)
            handle.dropped.connect(self.stop)
            handle.failed.connect(self._on_failed)
            self._building = (handle, variant)
        if self._reading is None and self._to_read:
            row = self._to_read.popleft()
            name = f"{row.variant.arch}.cubin"
            handle = self._readings.read(row.cubin, name, tag=_TAG)
            handle.finished.connect(self._on_read)
            handle.failed.connect(self._on_not_counted)
            self._reading = (handle, row)
        if not self.is_running:
            self.ended.emit()

    def _tell_read(self, row: MatrixRow) -> None:
        self._reading = None
        self.row_changed.emit(row)
        self._go_on()

    @Slot(object)
    def _on_built(self, output: BuildOutput) -> None:
        if self._building is None:
            return
        _, variant = self._building
        self._building = None
        row = built(variant, output.result)
        if output.result.outcome is not Outcome.CANCELLED:
            self.row_changed.emit(row)
        if row.cubin:
            self._to_read.append(row)
        self._go_on()

    @Slot(str)
    def _on_failed(self, message: str) -> None:
        self._forget()
        self.broke.emit(message)

    @Slot(object)
    def _on_read(self, answer: ReadListing | Unreadable) -> None:
        if isinstance(answer, Unreadable):
            self._on_not_counted(answer.words)
        elif self._reading is not None:
            _, row = self._reading
            code = answer.code
            # Counting the instructions of a large kernel takes longer than a window may wait.
            self._counting.start(lambda _stop: _counted(row, code))

    @Slot(object)
    def _on_counted(self, row: MatrixRow) -> None:
        self._tell_read(row)

    @Slot(str)
    def _on_not_counted(self, problem: str) -> None:
        if self._reading is not None:
            self._tell_read(replace(self._reading[1], problem=problem))


def _counted(row: MatrixRow, code: Disassembly) -> MatrixRow:
    return replace(row, reports=reports_of(row.result, code)) if row.result else row
