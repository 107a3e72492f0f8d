"""Names in an editor that lead to their definitions, with Ctrl and the mouse."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QCursor, QKeyEvent, QMouseEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor.carets import Carets
from jitstudio.gui.editor.editor_area import EditorArea
from jitstudio.gui.editor.matching import in_prose
from jitstudio.gui.kit.code_units import in_units

_CTRL = Qt.KeyboardModifier.ControlModifier
_CUDA = (CodeKind.CUDA, CodeKind.HEADER)
_NAME = re.compile(r"[@%]?[^\W\d][\w$.]*")
_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_INCLUDE = re.compile(r"\s*#\s*include(?:_next)?\s*([\"<][^\">]+[\">])")
_KEEP = QTextCursor.MoveMode.KeepAnchor


class WordLink(QObject):
    """Watches the mouse over a `CodeEditor`.

    Signals:
        followed: The cursor is on a name whose definition is wanted.
    """

    followed = Signal()

    # Of the class: Qt sends the leave event of an editor also while Python takes this object apart.
    _name: QTextCursor | None = None

    def __init__(self, editor: EditorArea, carets: Carets) -> None:
        super().__init__(editor)
        self._editor = editor
        self._carets = carets
        editor.viewport().setMouseTracking(True)
        editor.installEventFilter(self)
        editor.viewport().installEventFilter(self)

    def highlights(self) -> list[QTextEdit.ExtraSelection]:
        """Returns the underlined name, if any."""
        if self._name is None:
            return []
        link = QTextEdit.ExtraSelection()
        link.cursor = self._name
        link.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        return [link]

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Looks for names while Ctrl is down, and follows clicks on names."""
        match event:
            case QKeyEvent() if event.key() == Qt.Key.Key_Control:
                is_held = event.type() == QEvent.Type.KeyPress
                place = self._editor.viewport().mapFromGlobal(QCursor.pos())
                self._point_at(place if is_held else None)
            case QMouseEvent() if event.type() == QEvent.Type.MouseMove and not event.buttons():
                is_held = event.modifiers() == _CTRL
                if is_held or self._name is not None:
                    self._point_at(event.position().toPoint() if is_held else None)
            case QMouseEvent() if event.type() == QEvent.Type.MouseButtonPress:
                return self._take_press(event)
            case _ if event.type() in (QEvent.Type.Leave, QEvent.Type.FocusOut):
                self._point_at(None)
        return False

    def _take_press(self, event: QMouseEvent) -> bool:
        if event.modifiers() != _CTRL or event.button() != Qt.MouseButton.LeftButton:
            return False
        place = event.position().toPoint()
        self._point_at(place)
        if self._name is None:
            return False
        self._point_at(None)
        self._carets.clear()
        self._editor.setTextCursor(self._editor.cursorForPosition(place))
        self.followed.emit()
        return True

    def _point_at(self, place: QPoint | None) -> None:
        name = self._name_at(place) if place is not None else None
        if name == self._name:
            return
        self._name = name
        shape = Qt.CursorShape.PointingHandCursor if name else Qt.CursorShape.IBeamCursor
        self._editor.viewport().setCursor(shape)
        self._editor.highlights_outdated.emit()

    def _name_at(self, place: QPoint) -> QTextCursor | None:
        editor = self._editor
        if not editor.viewport().rect().contains(place):
            return None
        cursor = editor.cursorForPosition(place)
        block, column = cursor.block(), cursor.positionInBlock()
        text = in_units(block.text())
        include = _INCLUDE.match(text)
        names = [include.span(1)] if include else []
        if not include and not in_prose(block, column):
            pattern = _PLAIN_NAME if editor.kind in _CUDA else _NAME
            names = [match.span() for match in pattern.finditer(text)]
        for start, end in names:
            if start <= column <= end:
                cursor.setPosition(block.position() + start)
                cursor.setPosition(block.position() + end, _KEEP)
                # Behind the end of a line the nearest column is its last.
                is_over = place.x() <= editor.cursorRect(cursor).left()
                return cursor if is_over else None
        return None
