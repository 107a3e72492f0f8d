"""The tabs of docks that share a place: how they look, and what the mouse does on them.

A `QMainWindow` makes them when it needs them, and keeps them to itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QMainWindow, QMenu, QTabBar

from jitstudio.gui.shell.docking.dock import PaneDock


class TabBars(QObject):
    """Dresses the tab bars of a window, and finds docks by their tabs.

    Signals:
        maximise_requested: The user wants this dock to fill the window.
    """

    maximise_requested = Signal(PaneDock)

    def __init__(self, window: QMainWindow, docks: Iterable[PaneDock]) -> None:
        super().__init__(window)
        self._window = window
        self._docks = tuple(docks)
        self._dressed: set[QTabBar] = set()

    def follow(self) -> None:
        """Styles new bars, and leaves titles to tabs where there are any."""
        for bar in self._bars():
            if bar not in self._dressed:
                self._dress(bar)
        for dock in self._docks:
            dock.set_tabbed(len(self.group(dock)) > 1)

    def hide_spares(self) -> None:
        """Hides the bars without tabs that Qt makes as it restores docks; it has them in no place.

        Shown with the window, they would lie over its first menus until the docks are laid out.
        """
        for bar in self._all_bars():
            if not bar.count():
                bar.hide()

    def group(self, dock: PaneDock) -> list[PaneDock]:
        """Returns the docks that share the place of one, it too, in the order of their tabs."""
        shown = {
            other.windowTitle(): other
            for other in (*self._window.tabifiedDockWidgets(dock), dock)
            if isinstance(other, PaneDock) and not other.isHidden()
        }
        for bar in self._bars():
            titles = [bar.tabText(index) for index in range(bar.count())]
            if set(titles) == set(shown):
                return [shown[title] for title in titles]
        return list(shown.values())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Maximises by a double click, and offers what a title bar has by the other button."""
        if isinstance(watched, QTabBar):
            match event:
                case QMouseEvent() if event.type() == QEvent.Type.MouseButtonDblClick:
                    return self._maximise(watched, event.position().toPoint())
                case QContextMenuEvent():
                    return self._show_menu(watched, event.pos(), event.globalPos())
        return super().eventFilter(watched, event)

    def _bars(self) -> list[QTabBar]:
        return [bar for bar in self._all_bars() if bar.count()]

    def _all_bars(self) -> list[QTabBar]:
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        return self._window.findChildren(QTabBar, options=direct)

    def _dress(self, bar: QTabBar) -> None:
        self._dressed.add(bar)
        bar.setObjectName("paneTabs")
        bar.setAccessibleName(self.tr("Panes in this place"))
        bar.setDocumentMode(True)
        bar.setExpanding(False)
        bar.setElideMode(Qt.TextElideMode.ElideNone)
        bar.setUsesScrollButtons(True)
        bar.installEventFilter(self)

    def _dock_at(self, bar: QTabBar, place: QPoint) -> PaneDock | None:
        title = bar.tabText(bar.tabAt(place))
        return next((dock for dock in self._docks if dock.windowTitle() == title), None)

    def _maximise(self, bar: QTabBar, place: QPoint) -> bool:
        dock = self._dock_at(bar, place)
        if dock is not None:
            self.maximise_requested.emit(dock)
        return dock is not None

    def _show_menu(self, bar: QTabBar, place: QPoint, where: QPoint) -> bool:
        dock = self._dock_at(bar, place)
        if dock is None:
            return False
        menu = QMenu(bar)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("&Maximise"), dock.maximise_requested.emit)
        menu.addAction(self.tr("&Float"), dock.float_out)
        menu.addAction(self.tr("&Close"), dock.close)
        menu.popup(where)
        return True
