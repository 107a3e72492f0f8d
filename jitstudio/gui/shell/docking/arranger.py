"""Puts docks where a layout wants them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QTabBar, QTabWidget, QWidget

from jitstudio.gui.shell.docking.dock import PaneDock
from jitstudio.gui.shell.docking.layouts import Area, PaneLayout

Shares = dict[str, tuple[float, float]]
"""Which part of the window's width and height each dock takes, by its name."""


class Arranger:
    """Arranges the docks of one window, known by the names of their panes.

    Until a layout is arranged, or a state of the window restored, they are all at the right.
    """

    def __init__(self, window: QMainWindow, docks: Mapping[str, PaneDock]) -> None:
        self._window = window
        self._docks = docks
        window.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.GroupedDragging
        )
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        # Results reach down to the status bar: PTX and SASS are long, problems are few.
        right = Qt.DockWidgetArea.RightDockWidgetArea
        window.setCorner(Qt.Corner.BottomRightCorner, right)
        # What is read while one works is as high as there is room.
        window.setCorner(Qt.Corner.TopLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        for dock in docks.values():
            # Within reach, also where a state that is restored has no place for it.
            window.addDockWidget(right, dock)

    def arrange(self, layout: PaneLayout) -> None:
        """Puts all docks where the layout has them, at their usual size."""
        # Seen once, as it is in the end.
        self._window.setUpdatesEnabled(False)
        for dock in self._docks.values():
            # What comes to the front for a moment need not be made up for it.
            dock.pause()
            dock.setFloating(False)
            self._window.removeDockWidget(dock)
        for area in layout.areas:
            self._fill(area)
        for name, dock in self._docks.items():
            dock.setVisible(name not in layout.hidden)
        for area in layout.areas:
            for group in self._groups(area):
                group[0].raise_()
        self.share_space(layout)
        for dock in self._docks.values():
            dock.resume()
        self._window.setUpdatesEnabled(True)

    def share_space(self, layout: PaneLayout) -> None:
        """Gives each area its usual part of the window, and its groups their parts of it."""
        for area in layout.areas:
            docked = [[d for d in group if not d.isFloating()] for group in self._groups(area)]
            weights = area.weights or (1,) * len(docked)
            first = {g[0]: weight for g, weight in zip(docked, weights, strict=True) if g}
            across = area.side.across
            horizontal = across is Qt.Orientation.Horizontal
            length = self._window.width() if horizontal else self._window.height()
            # Groups are side by side: only in an area next to the editors they share its width.
            wanted = max(int(length * area.share), area.least)
            whole = sum(first.values())
            sizes = [wanted * n // whole if horizontal else wanted for n in first.values()]
            self._window.resizeDocks([*first], sizes, across)

    def widen(self, centre: QWidget, least: int) -> None:
        """Gives the middle room of the docks at its right where those at its left leave it little.

        Args:
            centre: The middle.
            least: How many pixels it wants; it gets no more than these docks keep.
        """
        sides: dict[Qt.DockWidgetArea, list[PaneDock]] = {}
        for dock in self._docks.values():
            if dock.is_in_front and not dock.isFloating():
                sides.setdefault(self._window.dockWidgetArea(dock), []).append(dock)
        docks = sides.get(Qt.DockWidgetArea.RightDockWidgetArea, [])
        if Qt.DockWidgetArea.LeftDockWidgetArea not in sides:
            return
        taken = self._window.width() - centre.geometry().right()
        missing = min(least, (centre.width() + taken) // 2) - centre.width()
        if missing > 0:
            widths = [dock.width() * (taken - missing) // taken for dock in docks]
            self._window.resizeDocks(docks, widths, Qt.Orientation.Horizontal)

    def shares(self) -> Shares:
        """Which part of the window each dock in front takes now, wherever the user put it."""
        size = self._window.size()
        bars = self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        # Qt counts the tabs above a dock as part of it.
        tabs = max((bar.height() for bar in bars if bar.count() and bar.isVisible()), default=0)
        found: Shares = {}
        for name, dock in self._docks.items():
            if dock.is_in_front and not dock.isFloating():
                others = self._window.tabifiedDockWidgets(dock)
                above = tabs if any(not other.isHidden() for other in others) else 0
                found[name] = (dock.width() / size.width(), (dock.height() + above) / size.height())
        return found

    def apply(self, shares: Shares) -> None:
        """Gives docks these parts of the window, which may have another size now."""
        docks = {
            self._docks[name]: share
            for name, share in shares.items()
            if name in self._docks and not self._docks[name].isFloating()
        }
        size = self._window.size()
        for of, length, across in (
            (0, size.width(), Qt.Orientation.Horizontal),
            (1, size.height(), Qt.Orientation.Vertical),
        ):
            sizes = [max(1, round(share[of] * length)) for share in docks.values()]
            self._window.resizeDocks([*docks], sizes, across)

    def _groups(self, area: Area) -> list[list[PaneDock]]:
        return [[self._docks[name] for name in group] for group in area.groups]

    def _fill(self, area: Area) -> None:
        groups = self._groups(area)
        self._window.addDockWidget(area.side.value, groups[0][0])
        for before, group in pairwise(groups):
            self._window.splitDockWidget(before[0], group[0], Qt.Orientation.Horizontal)
        for group in groups:
            for before_it, dock in pairwise(group):
                self._window.tabifyDockWidget(before_it, dock)
