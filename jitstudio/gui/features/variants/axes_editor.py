"""What is swept: the kernel with its placeholders, the axes, and how much work that makes."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from jitstudio.core.sweep.draft import SweepDraft
from jitstudio.core.sweep.plan import Axis, Extent
from jitstudio.gui.features.variants.axes import AxesModel
from jitstudio.gui.features.variants.axes_table import (
    ADD_KEYS,
    DUPLICATE_KEYS,
    REMOVE_KEYS,
    AxesTable,
)
from jitstudio.gui.kit.field_rows import code_line
from jitstudio.gui.kit.fonts import code_font, follow_letters
from jitstudio.gui.kit.number_field import CODE_SIZE
from jitstudio.gui.kit.parts import icon_button, show_icons, text_label
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.kit.translating import counted


class AxesEditor(QWidget):
    """A line for the kernel above the table of axes, with what is wrong below.

    Signals:
        edited: The user changed something.
    """

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("axesEditor")
        self._theme: Theme | None = None
        self._is_wrong = False
        self._kernel = code_line(
            self,
            "sweptKernel",
            self.tr("Kernel"),
            self.tr(
                "The kernel's name. A name in braces takes the values of the template axis "
                "of that name: saxpy<{T}> and T = float, double"
            ),
            self.tr("such as saxpy<{T}>"),
        )
        self._model = AxesModel(self)
        follow_letters(self._model, lambda it: it.set_code_font(code_font(CODE_SIZE)))
        self._table = AxesTable(self._model, self)
        self._words = text_label(self, "sweepExtent")
        self._add = icon_button(self, self.tr("Add"), self.tr("Add an axis"), "plus", ADD_KEYS)
        self._double = icon_button(
            self,
            self.tr("Duplicate"),
            self.tr("Add another axis like this one"),
            "copy",
            DUPLICATE_KEYS,
        )
        self._remove = icon_button(
            self, self.tr("Remove"), self.tr("Remove this axis"), "trash", REMOVE_KEYS
        )
        self._lay_out()
        self.setFocusProxy(self._table)
        self._kernel.textEdited.connect(self.edited)
        self._model.axes_changed.connect(self.edited)
        self._model.axes_changed.connect(self._on_axes_changed)
        self._add.clicked.connect(self._table.add)
        self._double.clicked.connect(self._table.duplicate)
        self._remove.clicked.connect(self._table.remove)

    @property
    def table(self) -> AxesTable:
        """The table of axes."""
        return self._table

    @property
    def model(self) -> AxesModel:
        """What is typed into it."""
        return self._model

    @property
    def words(self) -> str:
        """How much work it is, or what is wrong."""
        return self._words.text()

    @property
    def draft(self) -> SweepDraft:
        """What is typed."""
        return SweepDraft(self._kernel.text().strip(), self._model.rows)

    def axes(self) -> tuple[Axis, ...]:
        """What the texts of the axes say.

        Raises:
            SweepError: One of them says nothing, or there is none.
        """
        return self._model.axes()

    def show_draft(self, draft: SweepDraft) -> None:
        """Show another sweep."""
        self._kernel.setText(draft.kernel)
        self._kernel.setCursorPosition(0)
        self._model.show_rows(draft.axes)
        self._on_axes_changed()

    def finish_editing(self) -> None:
        """Take what is being typed into a cell."""
        self._table.finish_editing()

    def show_extent(self, extent: Extent) -> None:
        """Say how much work it is."""
        variants = counted(
            extent.variants, self.tr("{count:,} variant"), self.tr("{count:,} variants")
        )
        builds = counted(extent.builds, self.tr("{count:,} build"), self.tr("{count:,} builds"))
        self._say(f"{variants}, {builds}")

    def show_problem(self, problem: str) -> None:
        """Say why it cannot be swept."""
        self._say(problem, is_wrong=True)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self._table.set_theme(theme)
        show_icons((self._add, self._double, self._remove), theme)
        self._paint()

    def _say(self, words: str, *, is_wrong: bool = False) -> None:
        self._words.setText(words)
        self._is_wrong = is_wrong
        self._paint()

    def _paint(self) -> None:
        if self._theme is not None:
            theme = self._theme
            color = theme.marks.error if self._is_wrong else theme.ui.muted_text
            self._words.setStyleSheet(f"color: {color.name()}")

    def _lay_out(self) -> None:
        title = QLabel(self.tr("&Kernel"), self)
        title.setBuddy(self._kernel)
        top = QHBoxLayout()
        top.setSpacing(10)
        top.addWidget(title)
        top.addWidget(self._kernel, 1)
        below = QHBoxLayout()
        below.setSpacing(4)
        below.addWidget(self._words, 1)
        for button in (self._add, self._double, self._remove):
            below.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self._table)
        column.addLayout(below)

    @Slot()
    def _on_axes_changed(self) -> None:
        for button in (self._double, self._remove):
            button.setEnabled(bool(self._model.rows))
