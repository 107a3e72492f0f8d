"""The context menu of a listing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

if TYPE_CHECKING:
    from jitstudio.gui.listing.listing_view import ListingView

_Key = QKeySequence.StandardKey


def listing_menu(view: ListingView) -> QMenu:
    """What can be done with the text of a view; the menu is deleted when it closes."""
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    # Commands of the window for the line and the word here come first.
    view.menu_opening.emit(menu)
    if view.links.can_follow:
        follow = QCoreApplication.translate("ListingMenu", "&Follow the link")
        menu.addAction(f"{follow}\t{_keys(Qt.Key.Key_Return)}", view.links.follow)
    if not menu.isEmpty():
        menu.addSeparator()
    # The keys are only written there: the view itself takes them.
    copy = QCoreApplication.translate("ListingMenu", "&Copy")
    copied = menu.addAction(f"{copy}\t{_keys(_Key.Copy)}", view.copy)
    copied.setEnabled(view.caret.has_selection)
    # What the pane around it can do with the text.
    menu.addActions(view.actions())
    everything = QCoreApplication.translate("ListingMenu", "Select &all")
    select_all = menu.addAction(f"{everything}\t{_keys(_Key.SelectAll)}", view.select_all)
    select_all.setEnabled(view.line_count > 0)
    return menu


def _keys(key: _Key | Qt.Key) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
