"""Tells of the word below the mouse in a text, or at its cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.hover_text import Tip


class WordHover(QObject):
    """Shows the tips of one text; those who derive know what stands where in it.

    Args:
        view: Shows the text.
        want: Called with the language when somebody comes who may want tips.
        find: The tip for a column of a line of a language, if there is one.
    """

    # On the class too: the mouse comes for the last time when Python may have emptied this object.
    _is_whole = False

    def __init__(
        self,
        view: QAbstractScrollArea,
        want: Callable[[CodeKind], None],
        find: Callable[[CodeKind, str, int], Tip | None],
    ) -> None:
        super().__init__(view)
        self._view = view
        self._want = want
        self._find = find
        self._is_whole = True
        view.viewport().installEventFilter(self)

    @property
    def kind(self) -> CodeKind:
        """The language of the text; for those who derive."""
        raise NotImplementedError

    @property
    def can_explain(self) -> bool:
        """Whether anything is known of the word at the cursor."""
        line, column = self._cursor_in_sight()
        return (self._tip(line, column) or self._tip(line, column - 1)) is not None

    def explain(self) -> Tip | None:
        """Tell of the word at the cursor, or that ends there; else of the line's instruction."""
        line, column = self._cursor_in_sight()
        places = (column, column - 1, *self._openings(line))
        tip = next(filter(None, (self._tip(line, place) for place in places)), None)
        if tip is not None:
            area = self._area(line, tip)
            self._show(self._view.viewport().mapToGlobal(area.bottomLeft()), tip, area)
        return tip

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Tell of the word below the mouse."""
        if not self._is_whole:
            return False
        if event.type() == QEvent.Type.Enter:
            self._want(self.kind)
        elif event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            return self._point(event)
        return False

    def _point(self, event: QHelpEvent) -> bool:
        """Tell of the word below the mouse; whether there is one."""
        for line, column in self._below(event.pos()):
            tip = self._tip(line, column)
            if tip is not None and (area := self._area(line, tip)).contains(event.pos()):
                self._show(event.globalPos(), tip, area)
                return True
        return False

    def _show(self, at: QPoint, tip: Tip, area: QRect) -> None:
        """Show a tip until the mouse leaves its word."""
        QToolTip.showText(at, tip.html, self._view.viewport(), area)

    def _cursor_in_sight(self) -> tuple[int, int]:
        """Line and column of the cursor, which is brought into sight; for those who derive."""
        raise NotImplementedError

    def _below(self, at: QPoint) -> Iterable[tuple[int, int]]:
        """The lines and columns that a place in the viewport may mean; for those who derive."""
        raise NotImplementedError

    def _tip(self, line: int, column: int) -> Tip | None:
        """The tip for a place, if there is one; for those who derive."""
        raise NotImplementedError

    def _openings(self, line: int) -> Iterable[int]:
        """The columns of the words that tell what a line does; for those who derive."""
        raise NotImplementedError

    def _area(self, line: int, tip: Tip) -> QRect:
        """Where the word of a tip is in the viewport; for those who derive."""
        raise NotImplementedError
