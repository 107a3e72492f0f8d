"""The Counts pane: counts of a simulated launch by line, and a picture of an access."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from jitstudio.analysis.key_figures import Figure
from jitstudio.core.launch.result import LaunchResult
from jitstudio.core.launch.simulation import AccessSample, LineCounts, Simulation, of_source
from jitstudio.gui.kit.access_picture import AccessPicture, access_text, texels_text
from jitstudio.gui.kit.fonts import scaled
from jitstudio.gui.kit.launch_figures import number_text
from jitstudio.gui.kit.parts import TurningSplitter, text_label
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


def _count(
    title: str, meaning: str, value: Callable[[LineCounts], float | None], form: str = ",d"
) -> TableColumn[LineCounts]:
    """Returns a column of numbers, empty where there is nothing to count."""

    def text(row: LineCounts) -> str:
        number = value(row)
        return format(number, form) if number else ""

    def tip(row: LineCounts) -> str:
        words = QCoreApplication.translate("Columns", meaning)
        return f"{text(row) or 0} {words}"

    return TableColumn(title, text, lambda row: value(row) or 0, tip, number=True)


def line_text(row: LineCounts) -> str:
    """Returns the place of a line, like ``kernel.cu:12`` or ``PTX:46``."""
    return f"{PurePath(row.file).name}:{row.line}" if row.line else f"PTX:{row.ptx_line}"


COUNT_COLUMNS: tuple[TableColumn[LineCounts], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Line"), line_text, lambda row: row.line or row.ptx_line
    ),
    _count(
        QT_TRANSLATE_NOOP("Columns", "Executed"),
        QT_TRANSLATE_NOOP("Columns", "executions by a warp"),
        lambda row: row.executions,
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Lanes"),
        lambda row: number_text(row.mean_active_lanes),
        lambda row: row.mean_active_lanes,
        number=True,
    ),
    _count(
        QT_TRANSLATE_NOOP("Columns", "Sectors"),
        QT_TRANSLATE_NOOP("Columns", "sectors of 32 bytes of global and local memory"),
        lambda row: row.sectors,
    ),
    _count(
        QT_TRANSLATE_NOOP("Columns", "/request"),
        QT_TRANSLATE_NOOP("Columns", "sectors of 32 bytes for each request of a warp"),
        lambda row: row.sectors_per_request,
        ".3g",
    ),
    _count(
        QT_TRANSLATE_NOOP("Columns", "Used"),
        QT_TRANSLATE_NOOP("Columns", "of the bytes in these sectors were requested"),
        lambda row: row.used_share,
        ".0%",
    ),
    _count(
        QT_TRANSLATE_NOOP("Columns", "Conflicts"),
        QT_TRANSLATE_NOOP("Columns", "passes that different words in one bank have caused"),
        lambda row: row.bank_conflicts,
    ),
    _count(
        QT_TRANSLATE_NOOP("Columns", "Requests"),
        QT_TRANSLATE_NOOP("Columns", "accesses to memory, each of one warp"),
        lambda row: row.requests,
    ),
    _count(
        QT_TRANSLATE_NOOP("Columns", "128-byte lines"),
        QT_TRANSLATE_NOOP("Columns", "lines of 128 bytes of global and local memory"),
        lambda row: row.lines_touched,
    ),
    _count(
        QT_TRANSLATE_NOOP("Columns", "Divergent"),
        QT_TRANSLATE_NOOP("Columns", "times that lanes of a warp diverged here"),
        lambda row: row.divergent,
    ),
    _count(
        QT_TRANSLATE_NOOP("Columns", "At one address"),
        QT_TRANSLATE_NOOP("Columns", "lanes of a warp at most used one address in an atomic"),
        lambda row: row.lanes_per_address,
    ),
)
# In letters; the first column has the rest.
_WIDTHS = {1: 11, 2: 8, 3: 11, 4: 10, 5: 8, 6: 11, 7: 11, 8: 15, 9: 11, 10: 15}
_LEFT_OUT = (2, 8, 5, 9, 4, 7, 10)

_SHARES, _WIDE = (7, 5), 1.8
# So wide, places and counts fit next to the picture, in pixels.
_LEAST_WIDTH = 680
_MARGIN = 12


class CountsView(QWidget):
    """A table of lines, next to the costliest request of the chosen line.

    Signals:
        location_activated: The user went to a place in the source: file, line.
        ptx_line_activated: The user went to a line of the PTX.
    """

    location_activated = Signal(str, int)
    ptx_line_activated = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("countsView")
        self._simulation: Simulation | None = None
        self.table = self._make_table()
        self._words = text_label(self, "accessWords")
        self._words.setContentsMargins(_MARGIN, 8, _MARGIN, 4)
        self.picture = AccessPicture()
        self._details = self._make_details()
        self._splitter = TurningSplitter(self.table, self._details, _SHARES, _WIDE, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._splitter)
        self.setFocusProxy(self.table)
        self.show_result(None)

    @property
    def rows(self) -> tuple[LineCounts, ...]:
        """The lines that are listed."""
        return self.table.rows

    @property
    def words(self) -> str:
        """The description of the drawn access."""
        return self._words.text()

    def show_result(self, result: LaunchResult | None) -> None:
        """Shows the counts of a simulated launch or none, with the costliest line chosen."""
        simulation = result.simulation if result else None
        self._simulation = simulation
        lines = simulation.lines if simulation else ()
        self.table.set_rows(of_source(lines) or lines)
        self.table.set_hint(
            self.tr(
                "A launch in the simulator counts what each line does.\n"
                "Choose “Simulator (no GPU)” as the GPU and run the kernel."
            )
            if simulation is None
            else self.tr("Nothing was executed.")
        )
        costliest = self._costliest()
        self.table.choose(
            next((n for n, row in enumerate(self.rows) if costliest in self._samples(row)), -1)
        )
        self._show_access(costliest)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts the picture next to the table in a wide dock, below the table in a high dock."""
        super().resizeEvent(event)
        self._splitter.fit(event.size(), scaled(_LEAST_WIDTH))

    def choose_most(self, figure: Figure) -> None:
        """Goes to the line that causes the most of a key figure."""
        name = "bank_conflicts" if figure is Figure.CONFLICTS else "sectors"
        counts: list[int] = [getattr(row, name) for row in self.rows]
        if counts:
            self.table.choose(counts.index(max(counts)))

    def _make_table(self) -> RowsTable[LineCounts]:
        table = RowsTable(self.tr("Counts of each line"), "countsTable", COUNT_COLUMNS, self)
        table.set_columns(stretched=0, widths=_WIDTHS)
        # The number at the end is what tells lines apart.
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        table.hide_when_narrow(*_LEFT_OUT)
        table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        table.add_activation(self.tr("&Go to source"), self._on_activated)
        table.add_row_command(
            self.tr("Show in &PTX"),
            lambda row: self.ptx_line_activated.emit(row.ptx_line),
            "Ctrl+Return",
        )
        table.add_copying()
        return table

    def _make_details(self) -> QWidget:
        details = QWidget(self)
        scroll = QScrollArea(details)
        scroll.setAccessibleName(self.tr("Picture of the access"))
        scroll.setWidget(self.picture)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        column = QVBoxLayout(details)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._words)
        column.addWidget(scroll, 1)
        details.setBackgroundRole(self.palette().ColorRole.Base)
        details.setAutoFillBackground(True)
        return details

    def _samples(self, row: LineCounts) -> list[AccessSample]:
        """Returns the accesses of a line."""
        samples = self._simulation.samples if self._simulation else ()
        if not row.line:
            return [sample for sample in samples if sample.ptx_line == row.ptx_line]
        place = (row.file, row.line)
        return [s for s in samples if (s.place.file, s.place.line) == place]

    def _costliest(self) -> AccessSample | None:
        """Returns the costliest access, which is the first to look at."""
        samples = self._simulation.samples if self._simulation else ()
        return max(samples, key=lambda sample: sample.cost, default=None)

    def _show_access(self, sample: AccessSample | None) -> None:
        self._words.setText(access_text(sample) if sample else "")
        self.picture.show_access(sample)
        self._details.setVisible(sample is not None)

    @Slot(QModelIndex, QModelIndex)
    def _on_row_changed(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        row = self.table.current
        samples = self._samples(row) if row else []
        self._show_access(max(samples, key=lambda sample: sample.cost, default=None))
        if row and row.requests and not samples:
            self._words.setText(texels_text())
            self._details.setVisible(True)

    def _on_activated(self, row: LineCounts) -> None:
        if row.line:
            self.location_activated.emit(row.file, row.line)
        else:
            self.ptx_line_activated.emit(row.ptx_line)
