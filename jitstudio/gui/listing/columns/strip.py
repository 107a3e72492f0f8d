"""The columns next to a listing as they are drawn: names, cells, peaks in the scroll bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSignalBlocker,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QStyle,
    QStyleOptionSlider,
    QToolTip,
    QWidget,
)

from jitstudio.gui.kit.fonts import KeptFont
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.listing.columns.sass_cells import PAD, ColumnGeometry, ListingCells, LiveBar
from jitstudio.gui.listing.columns.sass_columns import LIVE, ColumnChoice, ListingColumn, translated
from jitstudio.gui.listing.grid import Grid
from jitstudio.gui.listing.listing_view import ListingView

_LEFT, _RIGHT = Qt.Key.Key_Left, Qt.Key.Key_Right
_STEPS = {int(_LEFT): -1, int(_RIGHT): 1}
_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
# Above and below a bar.
_AIR = 3
_HEIGHT, _TOP_HEIGHT = 2, 4


class _Names(QAbstractTableModel):
    """The table of columns, in the form of header views."""

    def __init__(self, table: Sequence[ListingColumn], parent: QObject) -> None:
        super().__init__(parent)
        self._table = table

    def rowCount(self, _parent: _Index = _ROOT) -> int:
        """None: the rows are the listing's."""
        return 0

    def columnCount(self, _parent: _Index = _ROOT) -> int:
        """Returns the number of all columns, hidden columns too."""
        return len(self._table)

    def headerData(
        self,
        section: int,
        _orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Returns the name and the meaning of a column."""
        column = self._table[section]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return translated(column.title)
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.WhatsThisRole:
                return plain_tooltip(f"{translated(column.title)}\n{column.explanation}")
            case Qt.ItemDataRole.TextAlignmentRole:
                is_right = column.is_number and column.key != LIVE
                side = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
        return None


class ColumnHeader(QHeaderView):
    """Names the columns, and takes orders by mouse and keyboard.

    Arrows choose a column. With Alt they move it, with Shift they make it narrower or wider;
    Delete takes it away.

    Signals:
        chosen: The user wants columns so.
    """

    chosen = Signal(ColumnChoice)

    def __init__(self, table: Sequence[ListingColumn], parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._table = table
        self._indices = {column.key: number for number, column in enumerate(table)}
        self._names: QObject = _Names(table, self)
        self._measure: ColumnGeometry | None = None
        self._choice = ColumnChoice(())
        self._current = ""
        self.setModel(self._names)
        self.setAccessibleName(self.tr("Names of the columns"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSectionsMovable(True)
        self.setFirstSectionMovable(True)
        self.setSectionsClickable(False)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(8)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        # The application leaves more room, which narrow columns have not.
        self.setStyleSheet("QHeaderView::section { padding: 3px 6px 3px 5px; }")
        # With that style sheet Qt leaves the viewport, which is painted, at the letters before.
        KeptFont(self, 1.0, lambda _size: QApplication.font())
        self.sectionMoved.connect(self._on_moved)
        self.sectionResized.connect(self._on_resized)

    @property
    def current(self) -> str:
        """The key of the column that the keyboard is on; empty for none."""
        return self._current

    def lay_out(self, measure: ColumnGeometry, choice: ColumnChoice) -> None:
        """Shows the columns that fit, of the user's choice."""
        self._measure, self._choice = measure, choice
        with QSignalBlocker(self):
            for place, setting in enumerate(measure.choice.columns):
                section = self._indices[setting.key]
                self.moveSection(self.visualIndex(section), place)
                self.setSectionHidden(section, not setting.is_shown)
            for setting, left, right in measure.columns():
                self.resizeSection(self._indices[setting.key], right - left)
        shown = [setting.key for setting in measure.choice.shown]
        if self._current not in shown:
            self._current = shown[0] if shown else ""
        self.viewport().update()

    # What Qt calls.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Chooses, moves, widens or hides a column."""
        if self._measure is None or not self._current:
            return
        choice, step = self._choice, _STEPS.get(event.key(), 0)
        match event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            case Qt.KeyboardModifier.AltModifier if step:
                self.chosen.emit(choice.step(self._current, step))
            case Qt.KeyboardModifier.ShiftModifier if step:
                cells = choice.of(self._current).cells + step
                self.chosen.emit(choice.resize(self._current, cells))
            case Qt.KeyboardModifier.NoModifier if step:
                shown = [setting.key for setting in self._measure.choice.shown]
                self._reach(shown[(shown.index(self._current) + step) % len(shown)])
            case Qt.KeyboardModifier.NoModifier if event.key() == Qt.Key.Key_Delete:
                self.chosen.emit(choice.show(self._current, False))
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows where the keyboard is."""
        super().focusInEvent(event)
        self._reach(self._current)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Redraws the header, which has no focus mark any more."""
        super().focusOutEvent(event)
        self.viewport().update()

    def paintSection(self, painter: QPainter, rect: QRect, logical_index: int) -> None:
        """Draws a name, with a frame where the keyboard is."""
        painter.save()
        super().paintSection(painter, rect, logical_index)
        painter.restore()
        if self.hasFocus() and self._table[logical_index].key == self._current:
            painter.setPen(QPen(self.palette().accent().color(), 1))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))

    def _reach(self, key: str) -> None:
        self._current = key
        self.setAccessibleDescription(
            translated(self._table[self._indices[key]].title) if key in self._indices else ""
        )
        self.viewport().update()

    @Slot(int, int, int)
    def _on_moved(self, section: int, _before: int, now: int) -> None:
        if self._measure is not None:
            self.chosen.emit(self._choice.move(self._table[section].key, now))

    @Slot(int, int, int)
    def _on_resized(self, section: int, _before: int, now: int) -> None:
        if self._measure is not None and not self.isSectionHidden(section):
            cells = self._measure.cells(now)
            self.chosen.emit(self._choice.resize(self._table[section].key, cells))


class ColumnGutter(QWidget):
    """Draws the cells of the visible rows, scrolled with the text."""

    def __init__(self, view: ListingView) -> None:
        super().__init__(view)
        self._view = view
        self._cells: ListingCells | None = None
        self._measure: ColumnGeometry | None = None
        self._is_left = False
        bar = view.verticalScrollBar()
        self._top = bar.value()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Columns beside the instructions"))
        bar.valueChanged.connect(self._on_scrolled)
        view.caret_placed.connect(self.update)
        view.visibility.changed.connect(self.update)
        view.line_colours.changed.connect(self.update)

    def show_cells(self, cells: ListingCells | None) -> None:
        """Shows the cells of each line; nothing without cells."""
        self._cells = cells
        self.update()

    def lay_out(self, measure: ColumnGeometry, is_left: bool) -> None:
        """Puts the columns there."""
        self._measure, self._is_left = measure, is_left
        self.update()

    # What Qt calls.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the visible cells."""
        view, dirty = self._view, event.rect()
        theme = view.theme
        painter = QPainter(self)
        painter.fillRect(dirty, theme.code.background)
        if self._measure is not None and view.line_count:
            self._paint_rows(painter, dirty, self._measure)
        edge = self.width() - 1 if self._is_left else 0
        painter.fillRect(edge, dirty.top(), 1, dirty.height(), theme.ui.border)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Shows the whole content of a cell as a tip."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(event), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Puts the caret into the line."""
        view = self._view
        if event.button() == Qt.MouseButton.LeftButton and view.line_count:
            view.caret.set_place((self._line_at(event.position().y()), 0))
            view.caret_moved()
            view.setFocus(Qt.FocusReason.MouseFocusReason)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Takes the end of a click, too."""
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolls the listing."""
        self._view.wheelEvent(event)

    # How it does it.

    def _paint_rows(self, painter: QPainter, dirty: QRect, measure: ColumnGeometry) -> None:
        view, grid, theme = self._view, self._view.grid, self._view.theme
        rows = view.visibility.rows
        if not view.caret.has_selection:
            y = grid.y(rows.row(view.caret.line))
            painter.fillRect(0, y, self.width(), grid.height, theme.code.current_line)
        painter.setFont(grid.font)
        painter.setPen(theme.code.text)
        first, last = max(0, grid.row_at(dirty.top())), grid.row_at(dirty.bottom())
        for row in range(first, min(last, len(rows) - 1) + 1):
            line, y = rows.line(row), grid.y(row)
            band = QRect(0, y, self.width(), grid.height)
            view.line_colours.paint_background(painter, band, line, theme)
            if self._cells is not None and (text := self._cells.text(line, measure.choice)):
                self._paint_bar(painter, self._cells.bar(line), y, measure.bar())
                painter.drawText(QPointF(PAD, y + grid.ascent), text)

    def _paint_bar(
        self, painter: QPainter, bar: LiveBar | None, y: int, place: tuple[float, float] | None
    ) -> None:
        if bar is None or place is None or not bar.share:
            return
        theme, grid = self._view.theme, self._view.grid
        left, width = place
        full = QRectF(left, y + _AIR, width, grid.height - 2 * _AIR)
        if bar.is_top:
            # The frame of the longest bar there is.
            painter.fillRect(full.adjusted(-2, -2, 2, 2), theme.code.text)
            painter.fillRect(full.adjusted(-1, -1, 1, 1), theme.code.background)
        full.setWidth(max(1.0, width * bar.share))
        painter.fillRect(full, theme.step(bar.cost))

    def _line_at(self, y: float) -> int:
        return self._view.visibility.rows.line(self._view.grid.row_at(y))

    def _tip(self, event: QHelpEvent) -> str:
        if self._cells is None or self._measure is None or not self._view.line_count:
            return ""
        setting = self._measure.at(event.pos().x())
        line = self._line_at(event.pos().y())
        return plain_tooltip(self._cells.tip(line, setting)) if setting is not None else ""

    @Slot(int)
    def _on_scrolled(self, top: int) -> None:
        by, self._top = self._top - top, top
        grid: Grid = self._view.grid
        self.scroll(0, by * grid.height)


@dataclass(frozen=True)
class PeakMark:
    """A peak.

    Attributes:
        line: Where it is, from 0.
        share: How high it is, as a share of the highest in its function.
        cost: The cost of the live registers, from 0 to 1.
    """

    line: int
    share: float
    cost: float


class PeakMarks(QWidget):
    """Lies over the vertical scroll bar of a listing; mouse events go through."""

    def __init__(self, view: ListingView) -> None:
        self._bar = view.verticalScrollBar()
        super().__init__(self._bar)
        self._view = view
        self._marks: Sequence[PeakMark] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._bar.installEventFilter(self)
        view.visibility.changed.connect(self.update)
        self.resize(self._bar.size())
        self.show()

    @property
    def marks(self) -> Sequence[PeakMark]:
        """The marked peaks."""
        return self._marks

    def show_marks(self, marks: Sequence[PeakMark]) -> None:
        """Replaces the marked peaks."""
        self._marks = marks
        self.update()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Stays as large as the scroll bar."""
        if event.type() == QEvent.Type.Resize:
            self.resize(self._bar.size())
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draws a tick for each; where several fall together, the highest is seen."""
        if not self._marks or not self._view.line_count:
            return
        groove, rows = self._groove(), self._view.visibility.rows
        painter = QPainter(self)
        for mark in sorted(self._marks, key=lambda mark: mark.share):
            y = groove[0] + round(rows.row(mark.line) / max(1, len(rows)) * groove[1])
            is_top = mark.share == 1
            left = 0 if is_top else self.width() // 2
            height = _TOP_HEIGHT if is_top else _HEIGHT
            color = self._view.theme.step(mark.cost)
            painter.fillRect(left, y, self.width() - left, height, color)
        painter.end()

    def _groove(self) -> tuple[int, int]:
        option = QStyleOptionSlider()
        option.initFrom(self._bar)
        option.orientation = self._bar.orientation()
        place = self._bar.style().subControlRect(
            QStyle.ComplexControl.CC_ScrollBar,
            option,
            QStyle.SubControl.SC_ScrollBarGroove,
            self._bar,
        )
        return place.top(), place.height()
