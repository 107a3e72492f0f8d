"""The Lowered names panel: which instances to make, and under which names they can be launched.

Holds nothing that belongs to a document: an edit is reported by `expressions_edited`.
"""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.result import Kernel, LoweredName
from jitstudio.gui.features.names.model import NamesModel
from jitstudio.gui.kit.fonts import code_font, follow_letters, show_as_code
from jitstudio.gui.kit.parts import icon_button, mark_as, muted, text_label
from jitstudio.gui.kit.tables import ENTER_KEYS, PanelTable
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

NOT_CUDA = QT_TRANSLATE_NOOP(
    "NamesView",
    "Only CUDA C++ has name expressions. In LLVM IR and PTX you choose the names yourself, "
    "so there is nothing for NVRTC to lower; kernels appear here under the names they have.",
)
"""The reason to give `show_source` for a tab that holds no CUDA C++."""

_FONT_SIZE = 9.5


class NamesView(QWidget):
    """A line to add expressions by, over a table of names.

    Signals:
        expressions_edited: The user changed the expressions; all of them, in order.
    """

    expressions_edited = Signal(tuple)

    def __init__(self, model: NamesModel | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("namesView")
        self._model = NamesModel(self) if model is None else model
        self._editable = False
        self._reason = muted(text_label(self, "namesReason"))
        self._message = mark_as(text_label(self, "namesMessage"), "warning")
        self._input = QLineEdit(self)
        self._input.setObjectName("nameInput")
        self._input.setPlaceholderText(self.tr("Add a name expression, e.g. saxpy<float>"))
        self._input.setAccessibleName(self.tr("New name expression"))
        self._add = icon_button(self, self.tr("Add"), self.tr("Add this name expression"), "plus")
        self._remove = icon_button(
            self, self.tr("Remove"), self.tr("Remove the selected name expressions (Del)"), "trash"
        )
        self._copy = icon_button(
            self, self.tr("Copy"), self.tr("Copy the lowered names of the selected rows"), "copy"
        )
        self._table = self._make_table()
        self._commands = (
            self._table.add_command(
                self.tr("&Edit expression"), self._on_enter_pressed, *ENTER_KEYS
            ),
            self._table.add_command(self.tr("&Remove expressions"), self.remove_selected, "Del"),
            self._table.add_command(self.tr("&Copy lowered names"), self.copy_selected, "Ctrl+C"),
        )
        self._lay_out()
        self.setFocusProxy(self._table)
        self._connect()
        show_as_code(self._input, _FONT_SIZE)
        follow_letters(self._model, lambda model: model.set_code_font(code_font(_FONT_SIZE)))
        self.show_source("", (), False, "")

    @property
    def model(self) -> NamesModel:
        """The model of the names."""
        return self._model

    @property
    def table(self) -> PanelTable:
        """The table of names."""
        return self._table

    @Slot(str, tuple, bool, str)
    def show_source(
        self, name: str, expressions: tuple[str, ...], editable: bool, reason: str
    ) -> None:
        """Shows the names of a source.

        Args:
            name: The name of the source in builds.
            expressions: Its name expressions.
            editable: Whether it can have any.
            reason: Why it cannot, such as `NOT_CUDA`: marked for translators; else empty.
        """
        self._editable = editable
        self._model.show_source(name, expressions, editable=editable)
        self._reason.setText(self.tr(reason) if reason and not editable else "")
        self._reason.setVisible(bool(self._reason.text()))
        self._input.setEnabled(editable)
        self._input.setToolTip(self._reason.text())
        self._say("")
        self._table.set_hint(self._empty_hint())
        self._update_buttons()

    @Slot(tuple, tuple)
    def show_result(self, lowered: tuple[LoweredName, ...], kernels: tuple[Kernel, ...]) -> None:
        """Fills in the names that a build found."""
        self._model.show_result(lowered, kernels)
        self._update_buttons()

    @Slot()
    def add_typed(self) -> None:
        """Adds the expression in the input line, and clears the line for the next."""
        if self._input.text().strip() and self._model.add(self._input.text()):
            self._input.clear()
        self._input.setFocus()

    @Slot()
    def remove_selected(self) -> None:
        """Removes the selected expressions, and selects the row that takes their place."""
        rows = self._selected_rows()
        if rows and self._model.remove(rows) and self._model.rowCount():
            self._table.selectRow(min(min(rows), self._model.rowCount() - 1))

    @Slot()
    def copy_selected(self) -> None:
        """Copies the lowered names of the selected rows to the clipboard, a name per line."""
        names = [self._model.lowered_name(row) for row in sorted(self._selected_rows())]
        if any(names):
            QGuiApplication.clipboard().setText("\n".join(name for name in names if name))

    def _empty_hint(self) -> str:
        if not self._editable:
            return self.tr("The kernels of this tab are listed here after a build.")
        return self.tr(
            "No names yet.\nA template makes no code until an instance of it is named: "
            "add a name expression above, such as saxpy<float>, and build."
        )

    def _make_table(self) -> PanelTable:
        table = PanelTable(self.tr("Lowered names"), self)
        table.setObjectName("namesTable")
        table.setModel(self._model)
        table.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        table.setEditTriggers(
            QTableView.EditTrigger.DoubleClicked | QTableView.EditTrigger.EditKeyPressed
        )
        table.set_columns(stretched=1, widths={0: 20, 2: 30})
        table.hide_when_narrow(2)
        return table

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self._add)
        buttons.addStretch(1)
        buttons.addWidget(self._remove)
        buttons.addWidget(self._copy)
        # Below each other: a dock is narrow, and the field says what can be added.
        bar = QVBoxLayout()
        bar.setContentsMargins(6, 5, 6, 5)
        bar.setSpacing(4)
        bar.addWidget(self._input)
        bar.addLayout(buttons)
        for label in (self._reason, self._message):
            label.setContentsMargins(8, 0, 8, 5)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self._reason)
        layout.addWidget(self._message)
        layout.addWidget(self._table, 1)

    def _connect(self) -> None:
        self._input.returnPressed.connect(self.add_typed)
        self._input.textChanged.connect(self._on_text_changed)
        self._add.clicked.connect(self.add_typed)
        self._remove.clicked.connect(self.remove_selected)
        self._copy.clicked.connect(self.copy_selected)
        self._table.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self._model.expressions_edited.connect(self._on_expressions_edited)
        self._model.edit_refused.connect(self._say)
        self._model.modelReset.connect(self._update_buttons)

    def _selected_rows(self) -> set[int]:
        return {index.row() for index in self._table.selectionModel().selectedRows()}

    @Slot(str)
    def _say(self, message: str) -> None:
        self._message.setText(message)
        self._message.setVisible(bool(message))

    @Slot()
    def _on_enter_pressed(self) -> None:
        index = self._table.currentIndex()
        expression = self._model.index(index.row(), 0) if index.isValid() else QModelIndex()
        if self._model.flags(expression) & Qt.ItemFlag.ItemIsEditable:
            self._table.edit(expression)

    @Slot()
    def _on_text_changed(self) -> None:
        self._say("")
        self._update_buttons()

    @Slot(QItemSelection, QItemSelection)
    def _on_selection_changed(self) -> None:
        self._update_buttons()

    @Slot(tuple)
    def _on_expressions_edited(self, expressions: tuple[str, ...]) -> None:
        self._say("")
        self._update_buttons()
        self.expressions_edited.emit(expressions)

    @Slot()
    def _update_buttons(self) -> None:
        rows = self._selected_rows()
        count = len(self._model.expressions)
        self._add.setEnabled(self._editable and bool(self._input.text().strip()))
        removable = self._editable and any(row < count for row in rows)
        copyable = any(self._model.lowered_name(row) for row in rows)
        self._remove.setEnabled(removable)
        self._copy.setEnabled(copyable)
        for command, can in zip(self._commands, (removable, removable, copyable), strict=True):
            command.setEnabled(can)
