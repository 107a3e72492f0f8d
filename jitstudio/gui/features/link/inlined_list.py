"""What an LTO link inlined, a row a call: each cell leads to what it names."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.gui.features.link.inlined_model import FUNCTION, INLINED_COLUMNS, INTO, InlinedRow
from jitstudio.gui.kit.parts import text_label
from jitstudio.gui.kit.rows import RowsModel
from jitstudio.gui.kit.tables import ENTER_KEYS, PanelTable
from jitstudio.gui.kit.theme import Theme


class InlinedList(QWidget):
    """A table, and below it the functions of which nothing is known.

    Attributes:
        table: The table.

    Signals:
        location_activated: The user went to a function or a call in the source: file, line.
        ptx_line_activated: The user went to this line of the linked PTX.
    """

    location_activated = Signal(str, int)
    ptx_line_activated = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model: RowsModel[InlinedRow] = RowsModel(INLINED_COLUMNS, self)
        self.table = self._make_table()
        self._untold = text_label(self, "inlinedUntold")
        self._untold.setContentsMargins(8, 4, 8, 6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._untold)

    @property
    def rows(self) -> tuple[InlinedRow, ...]:
        """What is listed."""
        return self._model.rows

    @property
    def untold(self) -> str:
        """Of which functions it is not known what was inlined into them; empty if of none."""
        return self._untold.text()

    def show_rows(self, rows: tuple[InlinedRow, ...], untold: tuple[str, ...]) -> None:
        """List what was inlined, and name the functions that have no line table."""
        if rows != self._model.rows:
            self._model.set_rows(rows)
        text = self.tr(
            "What was inlined into {functions} is not known: there is no line table. "
            "Compile the modules with -lineinfo."
        )
        self._untold.setText(text.format(functions=", ".join(untold)) if untold else "")
        self._untold.setVisible(bool(untold))

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self.table.set_theme(theme)

    def _make_table(self) -> PanelTable:
        table = PanelTable(self.tr("Inlined by the link"), self)
        table.setObjectName("inlinedTable")
        table.setModel(self._model)
        table.set_columns(stretched=2, widths={0: 12, 1: 14, 3: 10})
        table.hide_when_narrow(3, least=14)
        table.set_hint(self.tr("The link inlined nothing that is left in the code."))
        table.clicked.connect(self._on_clicked)
        table.add_command(self.tr("Go to the &call"), self._go_to_call, *ENTER_KEYS)
        table.add_command(self.tr("Go to the &function"), self._go_to_function, "Ctrl+Return")
        table.add_command(self.tr("Show in &PTX"), self._show_ptx, "Shift+Return")
        return table

    def _current(self) -> InlinedRow | None:
        index = self.table.currentIndex()
        return self.rows[index.row()] if index.isValid() else None

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        match index.column():
            case column if column == FUNCTION:
                self._go_to_function()
            case column if column == INTO:
                self._show_ptx()
            case _:
                self._go_to_call()

    @Slot()
    def _go_to_call(self) -> None:
        if row := self._current():
            self.location_activated.emit(*row.inlined.calls[0])

    @Slot()
    def _go_to_function(self) -> None:
        if row := self._current():
            self.location_activated.emit(*row.inlined.place)

    @Slot()
    def _show_ptx(self) -> None:
        if row := self._current():
            self.ptx_line_activated.emit(row.inlined.ptx_line)
