"""Columns beside a listing: their names, their strip, and what they leave of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QMenu, QWidget

from jitstudio.gui.models.column_choice import ColumnChoice
from jitstudio.gui.models.presentation import plain_tooltip
from jitstudio.gui.models.sass_cells import SassCells
from jitstudio.gui.viewer.columns.gutter import ColumnGutter
from jitstudio.gui.viewer.columns.header import ColumnHeader
from jitstudio.gui.viewer.columns.measure import Measure
from jitstudio.gui.viewer.columns.peak_marks import PeakMarks
from jitstudio.gui.viewer.copying import Beside

if TYPE_CHECKING:
    from jitstudio.gui.viewer.listing_view import ListingView

# How many cells of the text the columns leave in sight, and how much of a narrow view is theirs
# all the same; the rest of them is scrolled.
_TEXT_CELLS, _LEAST_SHARE = 44, 0.2
_PLACED = frozenset((QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show))


class Columns(QObject):
    """The columns of one `ListingView`; there are none until `show_choice`.

    Attributes:
        header: Names them.
        gutter: Draws them.
        peak_marks: Marks the peaks in the scroll bar.

    Signals:
        chosen: The user wants columns so; `show_choice` shows them.
        dialog_requested: The user wants to see all that there are.
    """

    chosen = Signal(ColumnChoice)
    dialog_requested = Signal()

    def __init__(self, view: ListingView) -> None:
        super().__init__(view)
        self._view = view
        self._choice = ColumnChoice(())
        self._cells: SassCells | None = None
        self._is_left = False
        self._offset = 0
        # The rest of the line that the names stand in.
        self._strip = QFrame(view)
        self._strip.setObjectName("sassColumnStrip")
        self.header = ColumnHeader(view)
        self.gutter = ColumnGutter(view, self.scroll)
        self.peak_marks = PeakMarks(view)
        for part in (self.header, self.gutter):
            part.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            part.customContextMenuRequested.connect(self._on_menu_requested)
        self.header.chosen.connect(self.chosen)
        self.header.section_reached.connect(self._on_section_reached)
        view.viewport().installEventFilter(self)
        view.installEventFilter(self)
        view.caret_placed.connect(self._on_caret_placed)
        view.font_size_changed.connect(self._on_view_changed)
        view.search_text_changed.connect(self._on_view_changed)
        self._lay_out()

    @property
    def choice(self) -> ColumnChoice:
        """Which columns there are."""
        return self._choice

    @property
    def cells(self) -> SassCells | None:
        """What they say, if that is known yet."""
        return self._cells

    def show_choice(self, choice: ColumnChoice) -> None:
        """Have these columns."""
        self._choice = choice
        self._lay_out()

    def show_cells(self, cells: SassCells | None) -> None:
        """Say this of each line; nothing as long as it is not known."""
        self._cells = cells
        self.gutter.show_cells(cells)
        if cells is None:
            self.peak_marks.show_marks(())
        self._on_caret_placed()

    def beside(self) -> Beside | None:
        """What is copied with the lines; None while nothing is known, or no column is shown."""
        cells, choice = self._cells, self._choice
        if cells is None or not choice.shown:
            return None
        return Beside(cells.header(choice), lambda line: cells.text(line, choice))

    def set_left(self, is_left: bool) -> None:
        """Stand left or right of the text."""
        self._is_left = is_left
        self._lay_out()

    def scroll(self, pixels: int) -> None:
        """Move the columns sideways, as far as some are hidden."""
        hidden = self._measure().width - self.gutter.width()
        self._offset = max(0, min(hidden, self._offset + pixels))
        self._place()

    def menu(self) -> QMenu:
        """A switch for each column; the menu is deleted when it closes."""
        menu = QMenu(self._view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for one in self._choice.columns:
            action = menu.addAction(one.column.name)
            action.setData(one.key)
            action.setToolTip(plain_tooltip(one.column.explanation))
            action.setCheckable(True)
            action.setChecked(one.is_shown)
        menu.addSeparator()
        menu.addAction(self.tr("&Arrange columns…"), self.dialog_requested.emit)
        menu.triggered.connect(self._on_triggered)
        return menu

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay beside the text, wherever that is."""
        if event.type() in _PLACED:
            if watched is self._view:
                self._lay_out()
            elif watched is self._view.viewport():
                self._place()
        return False

    # How it does it.

    def _measure(self) -> Measure:
        return Measure(self._choice, self._view.grid.cell)

    def _width(self) -> int:
        """What the columns take of the room that they share with the text."""
        grid, across = self._view.grid, self._view.width()
        spare = across - grid.text_left - round(_TEXT_CELLS * grid.cell)
        return min(self._measure().width, max(spare, round(_LEAST_SHARE * across)))

    @property
    def _is_there(self) -> bool:
        return bool(self._choice.shown) and self._view.line_count > 0

    def _lay_out(self) -> None:
        """Take the room that is needed."""
        is_there = self._is_there
        for part in (self.header, self.gutter, self._strip):
            part.setVisible(is_there)
        if not is_there:
            self._view.leave_room(QMargins())
            return
        width = self._width()
        left, right = (width, 0) if self._is_left else (0, width)
        self._view.leave_room(QMargins(left, self.header.sizeHint().height(), right, 0))
        self._place()

    def _place(self) -> None:
        """Stand where room was left."""
        if not self._is_there:
            return
        measure, inside = self._measure(), self._view.viewport().geometry()
        height = self.header.sizeHint().height()
        width = self._width()
        self._offset = max(0, min(self._offset, measure.width - width))
        left = inside.left() - width if self._is_left else inside.right() + 1
        self._strip.setGeometry(inside.left(), inside.top() - height, inside.width(), height)
        self.header.setGeometry(QRect(left, inside.top() - height, width, height))
        self.gutter.setGeometry(QRect(left, inside.top(), width, inside.height()))
        self.header.lay_out(measure, self._offset)
        self.gutter.lay_out(measure, self._offset, self._is_left)

    @Slot()
    def _on_view_changed(self) -> None:
        self._lay_out()

    @Slot(QPoint)
    def _on_menu_requested(self, at: QPoint) -> None:
        part = self.sender()
        assert isinstance(part, QWidget)
        self.menu().popup(part.mapToGlobal(at))

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        if action.isCheckable():
            self.chosen.emit(self._choice.show(action.data(), action.isChecked()))

    @Slot(str)
    def _on_section_reached(self, key: str) -> None:
        """Bring the column of the keyboard into sight."""
        for one, left, right in self._measure().columns():
            if one.key == key:
                beyond = right - self._offset - self.gutter.width()
                self.scroll(max(0, beyond) + min(0, left - self._offset))

    @Slot()
    def _on_caret_placed(self) -> None:
        """Tell the columns of the line, too, to who cannot see them."""
        if self._cells is not None and self._is_there:
            words = self._cells.words(self._view.caret.line, self._choice.shown)
            if words:
                told = self._view.accessibleDescription().partition("\n")[0]
                self._view.setAccessibleDescription(f"{told}\n{words}")
