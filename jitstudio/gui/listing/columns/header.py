"""The names above the columns beside a listing: drag them to move them, their edges for width."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSignalBlocker,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QHeaderView, QWidget

from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.listing.columns.choice import ColumnChoice
from jitstudio.gui.listing.columns.measure import Measure
from jitstudio.gui.listing.columns.sass_columns import COLUMNS, LIVE, translated

_INDICES = {column.key: number for number, column in enumerate(COLUMNS)}
_LEFT, _RIGHT = Qt.Key.Key_Left, Qt.Key.Key_Right
_STEPS = {int(_LEFT): -1, int(_RIGHT): 1}
_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class _Names(QAbstractTableModel):
    """The table of columns, as headers want it."""

    def rowCount(self, _parent: _Index = _ROOT) -> int:
        """None: the rows are the listing's."""
        return 0

    def columnCount(self, _parent: _Index = _ROOT) -> int:
        """All columns, those that are not shown too."""
        return len(COLUMNS)

    def headerData(
        self,
        section: int,
        _orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Name and meaning of a column."""
        column = COLUMNS[section]
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

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._names: QObject = _Names(self)
        self._measure: Measure | None = None
        self._choice = ColumnChoice(())
        self._current = ""
        self.setModel(self._names)
        self.setObjectName("sassColumnHeader")
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
        self.sectionMoved.connect(self._on_moved)
        self.sectionResized.connect(self._on_resized)

    @property
    def current(self) -> str:
        """The key of the column that the keyboard is on; empty for none."""
        return self._current

    def lay_out(self, measure: Measure, choice: ColumnChoice) -> None:
        """Show these columns, of all that the user has chosen."""
        self._measure, self._choice = measure, choice
        with QSignalBlocker(self):
            for place, one in enumerate(measure.choice.columns):
                section = _INDICES[one.key]
                self.moveSection(self.visualIndex(section), place)
                self.setSectionHidden(section, not one.is_shown)
            for one, left, right in measure.columns():
                self.resizeSection(_INDICES[one.key], right - left)
        shown = [one.key for one in measure.choice.shown]
        if self._current not in shown:
            self._current = shown[0] if shown else ""
        self.viewport().update()

    # What Qt calls.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose, move, widen or hide a column."""
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
                shown = [one.key for one in self._measure.choice.shown]
                self._reach(shown[(shown.index(self._current) + step) % len(shown)])
            case Qt.KeyboardModifier.NoModifier if event.key() == Qt.Key.Key_Delete:
                self.chosen.emit(choice.show(self._current, False))
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is."""
        super().focusInEvent(event)
        self._reach(self._current)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that it is no longer here."""
        super().focusOutEvent(event)
        self.viewport().update()

    def paintSection(self, painter: QPainter, rect: QRect, logical_index: int) -> None:
        """Draw a name, with a frame where the keyboard is."""
        painter.save()
        super().paintSection(painter, rect, logical_index)
        painter.restore()
        if self.hasFocus() and COLUMNS[logical_index].key == self._current:
            painter.setPen(QPen(self.palette().accent().color(), 1))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))

    def _reach(self, key: str) -> None:
        self._current = key
        self.setAccessibleDescription(
            translated(COLUMNS[_INDICES[key]].title) if key in _INDICES else ""
        )
        self.viewport().update()

    @Slot(int, int, int)
    def _on_moved(self, section: int, _before: int, now: int) -> None:
        if self._measure is not None:
            self.chosen.emit(self._choice.move(COLUMNS[section].key, now))

    @Slot(int, int, int)
    def _on_resized(self, section: int, _before: int, now: int) -> None:
        if self._measure is not None and not self.isSectionHidden(section):
            cells = self._measure.cells(now)
            self.chosen.emit(self._choice.resize(COLUMNS[section].key, cells))
