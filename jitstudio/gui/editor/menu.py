"""The context menu of an editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QMenu

if TYPE_CHECKING:
    from jitstudio.gui.editor.code_editor import CodeEditor


def open_menu(editor: CodeEditor, event: QContextMenuEvent) -> None:
    """Offer what can be done where the mouse is, or where the cursor is for the key."""
    place, at = event.pos(), event.globalPos()
    if event.reason() == QContextMenuEvent.Reason.Keyboard:
        place = editor.cursorRect().bottomLeft()
        at = editor.viewport().mapToGlobal(place)
    elif not editor.carets.is_many:
        _move_cursor(editor, place)
    menu = QMenu(editor)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    # Commands of the window for the line and the word here come first, then what Qt has.
    editor.menu_opening.emit(menu)
    usual = editor.createStandardContextMenu(place)
    menu.destroyed.connect(usual.deleteLater)
    if not menu.isEmpty():
        menu.addSeparator()
    menu.addActions(usual.actions())
    menu.popup(at)


def _move_cursor(editor: CodeEditor, place: QPoint) -> None:
    """Put the cursor where the mouse is, unless it is in what is selected."""
    cursor, there = editor.textCursor(), editor.cursorForPosition(place)
    if not cursor.selectionStart() <= there.position() <= cursor.selectionEnd():
        editor.setTextCursor(there)
