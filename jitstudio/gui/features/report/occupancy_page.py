"""The occupancy of a multiprocessor of the target with this kernel, and the limits."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from jitstudio.analysis.occupancy.calculate import usual_block
from jitstudio.gui.features.report.model import KernelReading
from jitstudio.gui.features.report.occupancy import (
    LIMIT_COLUMNS,
    LimitRow,
    headline,
    launch_occupancy,
    limit_rows,
)
from jitstudio.gui.kit.field_rows import NumberField
from jitstudio.gui.kit.lazy_widget import LazyWidget
from jitstudio.gui.kit.parts import FieldName, TurningSplitter, text_label
from jitstudio.gui.kit.rows_table import RowsTable

_SHARES = (2, 3)
_WIDE = 1.6


class OccupancyPage(QWidget):
    """Two fields above a table of limits, and curves below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reportOccupancy")
        self._reading: KernelReading | None = None
        self._is_chosen = False
        # The kernel whose launch has the shown numbers; empty where they are typed.
        self._launched = ""
        self.threads = NumberField(
            self,
            "occupancyThreads",
            self.tr("Threads per block"),
            self.tr("How many threads a block of the launch has"),
            whole=True,
            positive=True,
        )
        self.dynamic = NumberField(
            self,
            "occupancyShared",
            self.tr("Dynamic shared memory"),
            self.tr("Bytes of shared memory per block that the launch adds"),
            whole=True,
        )
        self.dynamic.show_number(0)
        self._words = text_label(self, "occupancyWords")
        self._words.setAccessibleName(self.tr("Occupancy"))
        self.table = self._make_table()
        self.plots = LazyWidget(_plots, "", self)
        self._lay_out()
        self.threads.textEdited.connect(self._on_threads_edited)
        self.dynamic.textEdited.connect(self._on_dynamic_edited)

    @property
    def words(self) -> str:
        """The occupancy in words, or the reason why occupancy is unknown."""
        return self._words.text()

    @property
    def rows(self) -> tuple[LimitRow, ...]:
        """The limits by resource."""
        return self.table.rows

    def show_reading(self, reading: KernelReading) -> None:
        """Shows another kernel; numbers that were typed stay, those of another's launch go."""
        self._reading = reading
        if self._launched not in ("", reading.function.name):
            self._is_chosen, self._launched = False, ""
            self.dynamic.show_number(0)
        if not self._is_chosen:
            self.threads.show_number(usual_block(reading.report.resources))
        self._update()

    def show_launch(self, lowered: str, threads: int, dynamic_bytes: int) -> None:
        """Shows the occupancy of a launch of a kernel, until another kernel is shown."""
        self._is_chosen, self._launched = True, lowered
        self.threads.show_number(threads)
        self.dynamic.show_number(dynamic_bytes)
        self._update()

    def _make_table(self) -> RowsTable[LimitRow]:
        name = self.tr("What limits the occupancy")
        table = RowsTable(name, "limitsTable", LIMIT_COLUMNS, self, is_sortable=False)
        table.set_columns(stretched=0, widths={1: 15, 2: 16, 3: 16})
        table.add_copying()
        return table

    def _lay_out(self) -> None:
        head = QWidget(self)
        fields = QGridLayout()
        fields.setContentsMargins(12, 8, 12, 2)
        fields.setHorizontalSpacing(10)
        fields.setVerticalSpacing(4)
        fields.setColumnStretch(2, 1)
        for row, (field, name) in enumerate(
            (
                (self.threads, self.tr("&Threads per block")),
                (self.dynamic, self.tr("&Dynamic shared memory (bytes)")),
            )
        ):
            fields.addWidget(FieldName(name, field, head), row, 0)
            fields.addWidget(field, row, 1)
        self._words.setContentsMargins(12, 4, 12, 8)
        column = QVBoxLayout(head)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(fields)
        column.addWidget(self._words)
        column.addWidget(self.table, 1)
        column.addStretch(0)
        self._split = TurningSplitter(head, self.plots, _SHARES, _WIDE, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._split)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turns as the pane asks for."""
        super().resizeEvent(event)
        self._split.fit(event.size())

    @Slot()
    def _on_threads_edited(self) -> None:
        self._is_chosen, self._launched = True, ""
        self._update()

    @Slot()
    def _on_dynamic_edited(self) -> None:
        self._launched = ""
        self._update()

    @Slot()
    def _update(self) -> None:
        reading = self._reading
        if reading is None:
            return
        problem = self.threads.problem or self.dynamic.problem
        launch = None
        if problem is not None:
            words = problem.message
        else:
            numbers = int(self.threads.number or 0), int(self.dynamic.number or 0)
            launch = launch_occupancy(reading, *numbers)
            words = headline(launch) if launch else self._why_unknown(reading)
        self._words.setText(words)
        self.table.set_rows(limit_rows(launch) if launch else ())
        self._fit_table()
        self.plots.set_hint(words)
        self.plots.show_value(launch)

    def _why_unknown(self, reading: KernelReading) -> str:
        if reading.limits is None:
            return self.tr("The limits of a multiprocessor of {target} are not published.").format(
                target=reading.arch
            )
        return self.tr("The number of registers is unknown: this is not a kernel.")

    def _fit_table(self) -> None:
        """Makes the table as high as all rows; the curves have the rest."""
        table = self.table
        rows = len(self.rows) * table.verticalHeader().defaultSectionSize()
        table.setMaximumHeight(rows + table.horizontalHeader().sizeHint().height() + 4)
        table.setVisible(bool(rows))


def _plots() -> type[QWidget]:
    from jitstudio.gui.features.report.plots import OccupancyPlots

    return OccupancyPlots
