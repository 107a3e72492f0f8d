"""Puts docks in the places of a layout, at the sizes of the layout in a window of a size."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QMainWindow, QTabBar, QTabWidget, QWidget

from jitstudio.gui.kit.fonts import scaled
from jitstudio.gui.shell.docking.dock import PaneDock
from jitstudio.gui.shell.docking.layouts import Area, PaneLayout

# How many times as wide as high a dock is from which on another goes beside it.
_BESIDE = 1.4
# In a lower window, in pixels, groups one above the other would have a few lines each.
_LEAST_STACK = 600

Shares = dict[str, tuple[float, float]]
"""Which part of the window's width and height each dock takes, by its name."""


class Arranger:
    """Arranges the docks of a window, by the names of panes.

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
        """Puts all docks in the places of the layout, at their usual size."""
        for dock in self._docks.values():
            # What comes to the front for a moment need not be made up for it.
            dock.pause()
            if dock.isFloating():
                # Qt takes one that is docked out and in again.
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

    def share_space(self, layout: PaneLayout) -> None:
        """Gives each area the usual part of the window, and groups their parts of the area."""
        for area in layout.areas:
            docked = [[d for d in group if not d.isFloating()] for group in self._groups(area)]
            weights = area.weights or (1,) * len(docked)
            first = {g[0]: weight for g, weight in zip(docked, weights, strict=True) if g}
            across = area.side.across
            horizontal = across is Qt.Orientation.Horizontal
            if _is_stacked(area, self._window.size()):
                width = int(self._window.width() * area.stacked_share)
                self._window.resizeDocks([*first], [width] * len(first), across)
                self._even([*first])
                continue
            length = self._window.width() if horizontal else self._window.height()
            # Groups are side by side: only in an area next to the editors they share its width.
            wanted = max(int(length * area.share), area.least)
            whole = sum(first.values())
            sizes = [wanted * n // whole if horizontal else wanted for n in first.values()]
            self._window.resizeDocks([*first], sizes, across)

    @staticmethod
    def stacked(layout: PaneLayout, size: QSize) -> tuple[Area, ...]:
        """Returns the areas whose groups are stacked in a window of a size."""
        return tuple(area for area in layout.areas if _is_stacked(area, size))

    def restack(self, area: Area) -> None:
        """Stacks the groups of an area, or puts the groups side by side, as there is room.

        Docks that the user has moved to another side stay there.
        """
        side = area.side.value
        for group in self._groups(area)[1:]:
            moved = [dock for dock in group if self._side(dock) is side]
            shown = {dock: not dock.isHidden() for dock in moved}
            front = [dock for dock in moved if dock.is_in_front]
            for dock in moved[:1]:
                self._window.addDockWidget(side, dock, _across(area, self._window.size()))
            for before_it, dock in pairwise(moved):
                self._window.tabifyDockWidget(before_it, dock)
            for dock, is_shown in shown.items():
                dock.setVisible(is_shown)
            for dock in front:
                dock.raise_()

    def _side(self, dock: PaneDock) -> Qt.DockWidgetArea | None:
        """Returns the side of the editors that a dock is at; None for a floating dock."""
        return None if dock.isFloating() else self._window.dockWidgetArea(dock)

    def level(self, opened: Collection[PaneDock]) -> None:
        """Gives docks at the left equal heights where one has opened there, and one is a strip."""
        docks = [
            dock
            for dock in self._docks.values()
            if dock.is_in_front and self._side(dock) is Qt.DockWidgetArea.LeftDockWidgetArea
        ]
        if not any(dock in opened for dock in docks):
            # A strip that was there before is as the user wants it.
            return
        heights = [dock.height() for dock in docks]
        if 2 * len(heights) * min(heights) < sum(heights):
            self._even(docks)

    def _even(self, docks: list[PaneDock]) -> None:
        """Gives stacked docks equal heights."""
        height = sum(dock.height() for dock in docks) // max(1, len(docks))
        self._window.resizeDocks(docks, [height] * len(docks), Qt.Orientation.Vertical)

    def widen(self, centre: QWidget, least: int) -> None:
        """Takes room from the docks at the right for a middle that the left docks leave small.

        Args:
            centre: The middle.
            least: How many pixels it wants; it gets no more than these docks keep.
        """
        sides: dict[Qt.DockWidgetArea, list[PaneDock]] = {}
        for dock in self._docks.values():
            if dock.is_in_front and (side := self._side(dock)) is not None:
                sides.setdefault(side, []).append(dock)
        docks = sides.get(Qt.DockWidgetArea.RightDockWidgetArea, [])
        if Qt.DockWidgetArea.LeftDockWidgetArea not in sides:
            return
        taken = self._window.width() - centre.geometry().right()
        missing = min(least, (centre.width() + taken) // 2) - centre.width()
        if missing > 0:
            widths = [dock.width() * (taken - missing) // taken for dock in docks]
            self._window.resizeDocks(docks, widths, Qt.Orientation.Horizontal)

    def part(self, dock: PaneDock, stays: PaneDock) -> None:
        """Takes a dock out of a group of tabs, to share the room of one that stays there."""
        across, room = Qt.Orientation.Vertical, stays.height()
        if stays.width() > _BESIDE * stays.height():
            across, room = Qt.Orientation.Horizontal, stays.width()
        self._window.addDockWidget(self._window.dockWidgetArea(stays), dock, across)
        self._window.resizeDocks([stays, dock], [room // 2, room // 2], across)

    def shares(self) -> Shares:
        """Returns the part of the window that each dock in front takes, wherever placed."""
        size = self._window.size()
        bars = self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        # Qt counts the tabs above a dock as part of it.
        tabs = max((bar.height() for bar in bars if bar.count() and bar.isVisible()), default=0)
        shares: Shares = {}
        for name, dock in self._docks.items():
            if dock.is_in_front and not dock.isFloating():
                others = self._window.tabifiedDockWidgets(dock)
                above = tabs if any(not other.isHidden() for other in others) else 0
                shares[name] = (
                    dock.width() / size.width(),
                    (dock.height() + above) / size.height(),
                )
        return shares

    def apply(self, shares: Shares) -> None:
        """Gives docks parts of the window, which may have another size now."""
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
            across = _across(area, self._window.size())
            self._window.splitDockWidget(before[0], group[0], across)
        for group in groups:
            for before_it, dock in pairwise(group):
                self._window.tabifyDockWidget(before_it, dock)


def _is_stacked(area: Area, size: QSize) -> bool:
    """Returns whether the groups of an area are stacked in a window of a size."""
    return size.width() < scaled(area.stacked_below) and size.height() >= scaled(_LEAST_STACK)


def _across(area: Area, size: QSize) -> Qt.Orientation:
    """Returns the direction in which the groups of an area follow."""
    return Qt.Orientation.Vertical if _is_stacked(area, size) else Qt.Orientation.Horizontal
