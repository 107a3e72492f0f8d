"""Builds and reads the variants of a matrix, one after another, beside the builds of the panes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.analysis.listing_rows import ListingRows
from jitstudio.analysis.matrix.plan import Variant
from jitstudio.analysis.matrix.rows import MatrixRow, built, reports_of
from jitstudio.analysis.model import Disassembly
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.gui.kit.background import Background
from jitstudio.gui.services.analysis_service import AnalysisService
from jitstudio.gui.services.build_service import BuildService, Listing

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
        self._building: tuple[int, Variant] | None = None
        self._reading: tuple[int, MatrixRow] | None = None
        self._counting = Background(self)
        self._counting.done.connect(self._on_counted)
        self._counting.failed.connect(self._on_not_counted)
        builds.build_finished.connect(self._on_built)
        builds.build_dropped.connect(self._on_dropped)
        builds.broke.connect(self._on_broke)
        readings.finished.connect(self._on_read)
        readings.unreadable.connect(self._on_unreadable)

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
        self._reading = None
        if self._building is not None:
            self._building = None
            self._builds.cancel(_TAG)

    def _go_on(self) -> None:
        if self._building is None and self._to_build:
            variant = self._to_build.popleft()
            self._building = (self._builds.build(variant.request, _TAG), variant)
        if self._reading is None and self._to_read:
            row = self._to_read.popleft()
            name = f"{row.variant.arch}.cubin"
            self._reading = (self._readings.read(row.cubin, name, tag=_TAG), row)
        if not self.is_running:
            self.ended.emit()

    def _tell_read(self, row: MatrixRow) -> None:
        self._reading = None
        self.row_changed.emit(row)
        self._go_on()

    @Slot(int, BuildResult, tuple)
    def _on_built(self, ticket: int, result: BuildResult, _made: tuple[Listing, ...]) -> None:
        if self._building is None or self._building[0] != ticket:
            return
        _, variant = self._building
        self._building = None
        row = built(variant, result)
        if result.outcome is not Outcome.CANCELLED:
            self.row_changed.emit(row)
        if row.cubin:
            self._to_read.append(row)
        self._go_on()

    @Slot(int)
    def _on_dropped(self, ticket: int) -> None:
        if self._building is not None and self._building[0] == ticket:
            self.stop()

    @Slot(int, str)
    def _on_broke(self, ticket: int, message: str) -> None:
        if self._building is not None and self._building[0] == ticket:
            self._forget()
            self.broke.emit(message)

    @Slot(int, object, object)
    def _on_read(self, ticket: int, code: Disassembly, _rows: ListingRows) -> None:
        if self._reading is not None and self._reading[0] == ticket:
            _, row = self._reading
            # Counting the instructions of a large kernel takes longer than a window may wait.
            self._counting.start(lambda _stop: _counted(row, code))

    @Slot(object)
    def _on_counted(self, row: MatrixRow) -> None:
        self._tell_read(row)

    @Slot(str)
    def _on_not_counted(self, problem: str) -> None:
        if self._reading is not None:
            self._tell_read(replace(self._reading[1], problem=problem))

    @Slot(int, str)
    def _on_unreadable(self, ticket: int, words: str) -> None:
        if self._reading is not None and self._reading[0] == ticket:
            self._tell_read(replace(self._reading[1], problem=words))


def _counted(row: MatrixRow, code: Disassembly) -> MatrixRow:
    return replace(row, reports=reports_of(row.result, code)) if row.result else row
