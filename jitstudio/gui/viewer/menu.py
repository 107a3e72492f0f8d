"""The context menu of a listing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

if TYPE_CHECKING:
    from jitstudio.gui.viewer.listing_view import ListingView

_Key = QKeySequence.StandardKey


def listing_menu(view: ListingView) -> QMenu:
    """What can be done with the text of a view; the menu is deleted when it closes."""
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    # The keys are only written there: the view itself takes them.
    copy = menu.addAction(f"&Copy\t{_keys(_Key.Copy)}", view.copy)
    copy.setEnabled(view.caret.has_selection)
    select_all = menu.addAction(f"Select &all\t{_keys(_Key.SelectAll)}", view.select_all)
    select_all.setEnabled(view.line_count > 0)
    if view.links.can_follow:
        menu.addAction(f"&Follow the link\t{_keys(Qt.Key.Key_Return)}", view.links.follow)
    if view.actions():
        menu.addSeparator()
        # What the pane around it can do with the text.
        menu.addActions(view.actions())
    return menu


def _keys(key: _Key | Qt.Key) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
