"""Makes painted text readable for screen readers: Qt knows only the text of Qt's widgets.

Each widget that paints text has a `SpokenText`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import (
    QAccessible,
    QAccessibleInterface,
    QAccessibleTextCursorEvent,
    QAccessibleTextInterface,
    QAccessibleTextUpdateEvent,
)
from PySide6.QtWidgets import QAccessibleWidget, QWidget

_Place = tuple[int, int]


class SpokenText:
    """A widget with text that cannot be edited, and perhaps with a caret; a base next to Qt's.

    It calls `offer_text` once, and `text_spoken` or `caret_spoken` when these are others.
    """

    def spoken_lines(self) -> Sequence[str]:
        """Returns the text; another object where the text is another."""
        raise NotImplementedError

    def spoken_selection(self) -> tuple[_Place, _Place]:
        """Returns line and column of both ends of the selection, from 0, the caret's last."""
        return (0, 0), (0, 0)

    def select_spoken(self, start: _Place, end: _Place) -> None:
        """Selects from a place to another, where the caret is then."""


def offer_text(widget: QWidget) -> None:
    """Lets screen readers read the text of a `SpokenText`, from before the first show."""
    assert isinstance(widget, SpokenText)
    _install()


def text_spoken(widget: QWidget) -> None:
    """Reports to screen readers that there is another text."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleTextUpdateEvent(widget, 0, "", ""))


def caret_spoken(widget: QWidget) -> None:
    """Reports to screen readers that the caret is elsewhere."""
    interface = QAccessible.queryAccessibleInterface(widget) if QAccessible.isActive() else None
    text = interface.textInterface() if interface is not None else None
    if text is not None:
        event = QAccessibleTextCursorEvent(widget, text.cursorPosition())
        QAccessible.updateAccessibility(event)


@cache
def _install() -> None:
    QAccessible.installFactory(_interface_of)


def _interface_of(_name: str, thing: QObject | None) -> QAccessibleInterface | None:
    return _TextWidget(thing) if isinstance(thing, QWidget) and _speaks(thing) else None


def _speaks(thing: QObject) -> bool:
    return isinstance(thing, SpokenText)


class _TextWidget(QAccessibleWidget):
    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, QAccessible.Role.EditableText)
        assert isinstance(widget, SpokenText)
        self._text = _Text(widget)

    # The stub asks for an address.
    def interface_cast(self, kind: QAccessible.InterfaceType) -> Any:
        """Returns the text, too."""
        if kind == QAccessible.InterfaceType.TextInterface:
            return self._text
        return super().interface_cast(kind)

    def state(self) -> QAccessible.State:
        """Returns the state of the widget, as read-only text."""
        state = super().state()
        state.readOnly = state.multiLine = state.selectableText = True
        return state


class _Text(QAccessibleTextInterface):
    """The lines of a widget as a single text, with places counted from the start."""

    def __init__(self, widget: SpokenText) -> None:
        super().__init__()
        self._widget = widget
        self._lines: Sequence[str] = ()
        self._starts = [0]

    def text(self, start: int, end: int) -> str:
        """Returns a part."""
        starts = self._measured()
        first, column = self._place(start)
        last = self._place(end)[0]
        whole = "\n".join(self._lines[first : last + 1])
        return whole[column : column + min(end, starts[-1]) - start]

    def characterCount(self) -> int:
        """Returns the length of the text."""
        return max(0, self._measured()[-1] - 1)

    def cursorPosition(self) -> int:
        """Returns the place of the caret."""
        return self._offset(self._widget.spoken_selection()[1])

    def setCursorPosition(self, position: int) -> None:
        """Moves the caret."""
        self.setSelection(0, position, position)

    def selectionCount(self) -> int:
        """Returns the number of selected parts: 1 or 0."""
        start, end = self._widget.spoken_selection()
        return int(start != end)

    def selection(self, _number: int) -> tuple[int, int]:
        """Returns start and end of the selection."""
        start, end = sorted(map(self._offset, self._widget.spoken_selection()))
        return start, end

    def setSelection(self, _number: int, start: int, end: int) -> None:
        """Selects a part."""
        self._measured()
        self._widget.select_spoken(self._place(start), self._place(end))

    def addSelection(self, start: int, end: int) -> None:
        """Selects a part in place of the part before."""
        self.setSelection(0, start, end)

    def removeSelection(self, _number: int) -> None:
        """Selects nothing."""
        self.setCursorPosition(self.cursorPosition())

    def scrollToSubstring(self, start: int, _end: int) -> None:
        """Brings a part into view."""
        self.setCursorPosition(start)

    def characterRect(self, _offset: int) -> QRect:
        """Returns nowhere: readers go by lines."""
        return QRect()

    def offsetAtPoint(self, _point: QPoint) -> int:
        """Returns -1: the text at a place on the screen is unknown."""
        return -1

    def attributes(self, offset: int) -> tuple[str, int, int]:
        """Returns that the whole text has the same attributes."""
        return "", offset, self.characterCount()

    def _measured(self) -> list[int]:
        """Returns the starts of all lines, and the end; measured anew for a new text."""
        lines = self._widget.spoken_lines()
        if lines is not self._lines:
            self._lines = lines
            self._starts = [0, *accumulate(len(line) + 1 for line in lines)]
        return self._starts

    def _offset(self, place: _Place) -> int:
        starts = self._measured()
        return min(starts[min(place[0], len(starts) - 1)] + place[1], starts[-1])

    def _place(self, offset: int) -> _Place:
        starts = self._measured()
        line = max(0, min(bisect_right(starts, offset) - 1, len(starts) - 2))
        return line, max(0, offset - starts[line])
