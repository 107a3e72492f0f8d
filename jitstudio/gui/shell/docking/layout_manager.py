"""Arranges docks in layouts; keeps the current layout, and the user's changes of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import (
    QByteArray,
    QCoreApplication,
    QEvent,
    QObject,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtWidgets import QApplication, QMainWindow, QTabWidget, QWidget

from jitstudio.gui.kit.fonts import LETTERS, scaled
from jitstudio.gui.shell.commands.spec import EDITOR
from jitstudio.gui.shell.docking.arranger import Arranger, Shares
from jitstudio.gui.shell.docking.dock import PaneDock, TabBars
from jitstudio.gui.shell.docking.layouts import BY_NAME, LAYOUTS, Area, PaneLayout
from jitstudio.gui.shell.docking.part_tabs import PartTabs
from jitstudio.gui.shell.docking.saved_states import RENAMED, VERSION, seal, unseal, unseal_docks
from jitstudio.gui.shell.pane_registry import BY_NAME as PANES
from jitstudio.gui.shell.pane_registry import PaneGroup, is_tab, names_of
from jitstudio.gui.state.preferences import Preferences

_ZOOMS = (0.75, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
# So wide code can be read, in pixels.
_LEAST_CENTRE = 480
_GEOMETRY, _CURRENT, _ARRANGEMENT = "geometry", "current", "arrangement-{}"
_SHARES, _PARTS = "shares-{}", "parts"
# A smaller window, in pixels, gives letters no more than their usual size.
_SMALL = QSize(1100, 640)


class LayoutManager(QObject):
    """All movable parts of a window: docks around the editors in the middle.

    Docks keep their part of the window when that becomes larger or smaller; Qt by itself gives all
    room to the middle, and takes it from there.

    Signals:
        layout_changed: Another layout is used: its name.
        zoom_changed: All letters are so large now, as a factor.
        cramped_changed: There is room for large pictures now, or none any more.
        maximised: A pane, or the editors, got the window for itself, or gave it back.
        pane_wanted: A pane, by name, can be seen that is not made yet.
        panes_made: All panes that were wanted are made.
    """

    layout_changed = Signal(str)
    zoom_changed = Signal(float)
    cramped_changed = Signal()
    maximised = Signal(bool)
    pane_wanted = Signal(str)
    panes_made = Signal()

    # Docks report changes also while all of it is destroyed, when Python has let go of the rest.
    _settling: QTimer | None = None

    def __init__(
        self,
        window: QMainWindow,
        centre: QWidget,
        docks: Mapping[str, PaneDock],
        preferences: Preferences,
    ) -> None:
        super().__init__(window)
        window.setCentralWidget(centre)
        self._centre = centre
        self._window = window
        self._docks = docks
        self._preferences = preferences
        self._arranger = Arranger(window, docks)
        self._tab_bars = TabBars(window, docks.values())
        self._layout = LAYOUTS[0]
        self._was_small = self._was_cramped = False
        # The areas whose groups are one above the other, for want of width.
        self._stacked: tuple[Area, ...] = ()
        self._alone: QWidget | None = None
        self._before = QByteArray()
        # What the docks take of the window at a size, as the user or the layout has it.
        self._shares: Shares = {}
        self._measured = QSize()
        self._panes: dict[str, QWidget] = {}
        self._make: Callable[[str], object] | None = None
        # The pane to which the keyboard goes that the place of panes being made has.
        self._wanted_pane = ""
        # Panes that have something to show, and those that the user has closed in this layout.
        self._offered: set[str] = set()
        self._closed: set[str] = set()
        # Those of the closed that floated, in this turn of the event loop.
        self._closing: set[str] = set()
        self._turned = QTimer(self, singleShot=True, interval=0)
        self._turned.timeout.connect(self._closing.clear)
        # What came of them in pixels, and whether that is still to be seen.
        self._fitted: Shares = {}
        self._is_fitting = False
        self._measuring = QTimer(self, singleShot=True, interval=0)
        self._measuring.timeout.connect(self._measure)
        # The docks that have opened in this turn of the event loop.
        self._opening: set[PaneDock] = set()
        self._opened = QTimer(self, singleShot=True, interval=0)
        self._opened.timeout.connect(self._on_opened)
        # Docks report each other's changes one by one; the tabs are looked at once, after all.
        self._settling = settling = QTimer(self, singleShot=True, interval=0)
        settling.timeout.connect(self._tab_bars.follow)
        self._painting = QTimer(self, singleShot=True, interval=0)
        self._painting.timeout.connect(partial(window.setUpdatesEnabled, True))
        self._tab_bars.maximise_requested.connect(self._on_maximise_requested)
        for name, dock in docks.items():
            dock.wanted.connect(self.pane_wanted)
            dock.closed.connect(partial(self._on_closed, name))
            dock.visibilityChanged.connect(self._on_moved)
            dock.topLevelChanged.connect(self._on_moved)
            dock.dockLocationChanged.connect(self._on_moved)
            dock.resized.connect(self._on_resized)
            dock.maximise_requested.connect(self._on_title_clicked)
            dock.toggleViewAction().triggered.connect(self._on_toggled)
        window.installEventFilter(self)

    @property
    def layout(self) -> PaneLayout:
        """The layout used."""
        return self._layout

    @property
    def alone(self) -> QWidget | None:
        """The dock, or the middle of the window, that is maximised."""
        return self._alone

    def choose(self, name: str) -> None:
        """Turns to a layout, as the user left that; the layout before is remembered."""
        if BY_NAME[name] is not self._layout:
            self._keep_arrangement()
            self._apply(BY_NAME[name])

    @property
    def zoom(self) -> float:
        """The zoom of all letters in the current layout, as a factor."""
        return self._zoom_of(self._layout)

    def _zoom_of(self, layout: PaneLayout) -> float:
        zoom = self._preferences.zoom(layout.name)
        return self._usual_zoom_of(layout) if zoom is None else zoom

    def _usual_zoom_of(self, layout: PaneLayout) -> float:
        return min(1.0, layout.zoom) if self.is_small else layout.zoom

    def begin(self, name: str) -> bool:
        """Begins with the letters of a layout, and returns whether these have another size now.

        They take as long as the docks, which `choose` then moves in a turn of the event loop of
        its own. Nothing is painted until then.
        """
        zoom = self._zoom_of(BY_NAME[name])
        if zoom == LETTERS.zoom or not self._window.isVisible():
            return False
        self._hold_painting()
        self.zoom_changed.emit(zoom)
        return True

    @property
    def is_small(self) -> bool:
        """Whether the window has no room for large letters."""
        return self._is_below(_SMALL)

    @property
    def is_cramped(self) -> bool:
        """Whether the letters, as large as they are, leave no room for large pictures."""
        return self._is_below(_SMALL * LETTERS.zoom)

    def _is_below(self, least: QSize) -> bool:
        size = self._window.size()
        return size.width() < least.width() or size.height() < least.height()

    def zoom_by(self, steps: int) -> None:
        """Makes all letters larger by so many steps, or smaller; with 0 as at the first start."""
        near = min(_ZOOMS, key=lambda zoom: abs(zoom - self.zoom))
        at = min(len(_ZOOMS) - 1, max(0, _ZOOMS.index(near) + steps))
        usual = self._usual_zoom_of(self._layout)
        self._preferences.set_zoom(self._layout.name, _ZOOMS[at] if steps else usual)
        self.zoom_changed.emit(self.zoom)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Shares out the room of a window that has become larger or smaller."""
        if event.type() == QEvent.Type.Resize and watched is self._window:
            if self._was_small != self.is_small:
                self._was_small = self.is_small
                self.zoom_changed.emit(self.zoom)
            if self._was_cramped != self.is_cramped:
                self._was_cramped = self.is_cramped
                self.cramped_changed.emit()
            self._keep_shares()
        return False

    def show_wanted(self, names: Sequence[str]) -> None:
        """Shows panes in their places, the first of a place in front.

        Pictures of the build and forms, which take the room of the code, are closed unless they are
        wanted.
        """
        self.give_back()
        for name in names_of(PaneGroup.PICTURES, PaneGroup.FORMS):
            self._docks[name].setVisible(name in names)
        for name in reversed(names):
            self._open(self._dock_of(name))

    def reset(self) -> None:
        """Puts all panes back to the places of the layout at the first start."""
        self.give_back()
        self._hold_painting()
        self._closed.clear()
        self._arranger.arrange(self._layout)
        self._stacked = self._arranger.stacked(self._layout, self._window.size())
        self._show_offered()
        self._forget_shares()

    def offer(self, name: str) -> None:
        """Opens a closed pane that has something to show, behind the panes in its place.

        A pane that the user has closed stays closed until the layout is reset. A part of a pane
        gets its tab there, and leaves the pane open or closed.
        """
        if name not in self._offered:
            self._offered.add(name)
            self._show_offered()

    def share_space(self) -> None:
        """Gives each part of the window the usual size."""
        self.give_back()
        self._arranger.share_space(self._layout)
        self._opening.update(self._docks.values())
        self._opened.start()
        self._forget_shares()

    def reopen_closing(self) -> None:
        """Shows the floating panes that Qt has closed as it closes all windows, in any order."""
        for name in self._closing:
            self._closed.discard(name)
            self._docks[name].show()
        self._closing.clear()

    def save(self) -> None:
        """Remembers where everything is."""
        self.reopen_closing()
        self._preferences.set_layout(_GEOMETRY, seal(self._window.saveGeometry()))
        self._preferences.set_layout(_CURRENT, seal(QByteArray(self._layout.name.encode())))
        contents = (dock.content for dock in self._docks.values())
        tabs_of_parts = (tabs for tabs in contents if isinstance(tabs, PartTabs))
        # The last that is turned to is in front.
        parts = (name for tabs in tabs_of_parts for name in (*tabs.shown, tabs.current))
        self._preferences.set_layout(_PARTS, seal(QByteArray(" ".join(parts).encode())))
        self._keep_arrangement()

    def restore(self) -> None:
        """Restores window and docks; unreadable states are ignored."""
        geometry = unseal(self._preferences.layout(_GEOMETRY))
        if geometry is not None:
            # Qt brings a window back that was on a screen which is no longer there.
            self._window.restoreGeometry(geometry)
        current = unseal(self._preferences.layout(_CURRENT))
        name = bytes(current.data()).decode("utf-8", "replace") if current is not None else ""
        parts = unseal(self._preferences.layout(_PARTS)) or QByteArray()
        for part in bytes(parts.data()).decode("utf-8", "replace").split():
            if part in PANES and is_tab(part):
                self._dock_of(part).parts.turn_to_part(part)
        self._apply(BY_NAME.get(name, self._layout))
        self._tab_bars.hide_spares()

    def maximise(self, part: QWidget) -> None:
        """Gives the window to a dock or to the middle; the other docks wait."""
        self.give_back()
        if isinstance(part, PaneDock) and part.isFloating():
            return
        self._before = self._window.saveState(VERSION)
        self._alone = part
        for dock in self._docks.values():
            if dock is not part and not dock.isFloating():
                dock.hide()
        if isinstance(part, PaneDock):
            self._centre.hide()
            part.set_maximised(True)
            part.content.setFocus()
        self.maximised.emit(True)

    def give_back(self) -> None:
        """Restores the arrangement from before a pane was maximised."""
        part, self._alone = self._alone, None
        if part is None:
            return
        focus = QApplication.focusWidget()
        # First, so that the docks find the room that they had.
        self._centre.show()
        self._window.restoreState(self._before, VERSION)
        # Another size of the window was for one pane alone.
        self._keep_shares()
        if isinstance(part, PaneDock):
            part.set_maximised(False)
            part.raise_()
        self._show_offered()
        if focus is not None:
            focus.setFocus()
        self.maximised.emit(False)

    def dock_of(self, widget: QWidget | None) -> PaneDock | None:
        """Returns the dock that a widget is in."""
        if widget is None:
            return None
        return next((dock for dock in self._docks.values() if dock.isAncestorOf(widget)), None)

    def uncover(self, widget: QWidget) -> None:
        """Shows the dock of a widget, wherever hidden.

        The keyboard stays where it is; it follows where that is covered by it.
        """
        part = self.dock_of(widget) or self._centre
        covered = self.dock_of(QApplication.focusWidget())
        if self._alone is not None and self._alone is not part:
            self.give_back()
        if isinstance(part, PaneDock):
            self._open(part)
            if isinstance(part.content, PartTabs):
                part.content.turn_to(widget)
        if covered is not None and covered is not part and not covered.is_in_front:
            self._give_keyboard(widget)

    def uncover_pane(self, name: str) -> None:
        """Shows a pane by name; one that is not made yet is made as soon as its place is seen."""
        self.uncover(self._panes.get(name) or self.place(name))

    def bring_forward(self, name: str) -> None:
        """Turns the tabs in the place of a pane to the pane, without the keyboard.

        A closed pane stays closed, and the pane that has the keyboard is not covered.
        """
        dock, busy = self._docks[name], self.dock_of(QApplication.focusWidget())
        if not dock.isHidden() and busy not in self.group(dock):
            dock.raise_()

    def uncover_beside(self, widget: QWidget, other: QWidget) -> None:
        """Shows the dock of a widget without covering that of another.

        From such a group of tabs it moves next to the other, or below it where that is higher than
        wide; resetting the layout takes it back.
        """
        dock, stays = self.dock_of(widget), self.dock_of(other)
        if self._alone is not None:
            self.give_back()
        together = self._window.tabifiedDockWidgets(stays) if stays is not None else []
        if dock is not None and stays is not None and dock in together:
            self._arranger.part(dock, stays)
        self.uncover(widget)

    @property
    def docks(self) -> tuple[PaneDock, ...]:
        """All docks, in the order of the table of panes."""
        return tuple(self._docks.values())

    def make_panes_by(self, make: Callable[[str], object]) -> None:
        """Takes the function that makes a pane at once, by name, unless it is made."""
        self._make = make
        for pane in PANES.values():
            if is_tab(pane.name) and not pane.is_hidden:
                self._docks[pane.within].parts.show_part(pane.name)

    @property
    def missing(self) -> tuple[str, ...]:
        """The panes in front that are not made yet, by name."""
        return tuple(filter(None, (dock.missing for dock in self._docks.values())))

    @property
    def panes(self) -> dict[str, QWidget]:
        """The panes that are made, by name."""
        return self._panes

    def place(self, name: str) -> QWidget:
        """Returns the parent for a pane with that name.

        A pane that is made elsewhere and moves with all in it, Qt dresses again as a whole.
        """
        dock = self._dock_of(name)
        return dock.parts.page(name) if is_tab(name) else dock.place

    def fill(self, name: str, pane: QWidget) -> None:
        """Puts a pane into the dock; a part that another pane lays out stays where it is."""
        self._panes[name] = pane
        if is_tab(name):
            self._dock_of(name).parts.fill(name, pane)
        elif not PANES[name].within:
            self._docks[name].fill(pane)

    def show_count(self, name: str, count: int) -> None:
        """Shows in the tab of a pane how many rows want a look; nothing for 0."""
        self._docks[name].show_count(count)

    def pane(self, name: str) -> QWidget:
        """Returns a pane by name, and makes the pane if need be."""
        if name not in self._panes and self._make is not None:
            self._make(name)
        return self._panes.get(name) or self._dock_of(name).content

    def want(self, name: str) -> None:
        """Has a pane made soon, by name, unless that is done."""
        if name not in self._panes:
            self.pane_wanted.emit(name)

    def want_all(self) -> None:
        """Has all panes made soon, for lists of what is in any of them."""
        for name in PANES:
            self.want(name)

    def hand_on(self, names: Sequence[str]) -> None:
        """Gives the keyboard of a place to the pane that was asked for, of those made there."""
        if self.place(names[0]).hasFocus():
            self.bring_up_pane(self._wanted_pane if self._wanted_pane in names else names[0])

    def title_of(self, name: str) -> str:
        """Returns the title of a pane by name; `EDITOR` for the editors."""
        if name == EDITOR:
            return QCoreApplication.translate("Panes", "Editor")
        return QCoreApplication.translate("Panes", PANES[name].title)

    def bring_up(self, view: QWidget) -> None:
        """Shows a view, wherever hidden, and gives the view the keyboard."""
        self.uncover(view)
        self._give_keyboard(view)

    def _give_keyboard(self, view: QWidget) -> None:
        if isinstance(view, PartTabs):
            view = view.currentWidget() or view
        elif view is self._centre or isinstance(view, QTabWidget):
            # The text, not the tabs above it.
            tabs = self._centre.findChild(QTabWidget)
            view = tabs.currentWidget() or tabs if isinstance(tabs, QTabWidget) else view
        parts = (part for part in (view, *view.findChildren(QWidget)) if part.isVisible())
        takers = (p for p in parts if p.focusProxy() or p.focusPolicy() & Qt.FocusPolicy.TabFocus)
        next(takers, view).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def bring_up_pane(self, name: str) -> None:
        """Shows a pane by name, or the editors, and gives the pane the keyboard."""
        if name == EDITOR:
            self.bring_up(self._centre)
        elif PANES[name].has_tabs:
            self.bring_up(self._dock_of(name).parts)
        else:
            # One that is not made yet is made as soon as its place is seen.
            self._wanted_pane = name
            self.bring_up(self._panes.get(name) or self.place(name))

    def in_front(self) -> list[QWidget]:
        """Returns the visible parts: the middle of the window and docks, in a fixed order."""
        docks = [dock.content for dock in self._docks.values() if dock.is_in_front]
        return docks if self._centre.isHidden() else [self._centre, *docks]

    def group(self, dock: PaneDock) -> list[PaneDock]:
        """Returns the docks whose tabs are next to a dock's, in their order."""
        return self._tab_bars.group(dock)

    def _keep_arrangement(self) -> None:
        alone = self._alone is not None
        state = self._before if alone else self._window.saveState(VERSION)
        self._preferences.set_layout(_ARRANGEMENT.format(self._layout.name), seal(state))
        content = {
            "size": self._measured.toTuple(),
            "docks": self._shares,
            "closed": sorted(self._closed),
        }
        sealed = seal(QByteArray(json.dumps(content).encode()))
        self._preferences.set_layout(_SHARES.format(self._layout.name), sealed)

    def _kept_shares(self, layout: PaneLayout) -> tuple[QSize, Shares, Iterable[str]]:
        """Returns the size of the window, the parts that docks had of it, and the closed ones."""
        # Older versions remembered nothing else of closed panes.
        hidden = [name for name, dock in self._docks.items() if dock.isHidden()]
        stored = unseal(self._preferences.layout(_SHARES.format(layout.name)))
        try:
            content = json.loads(bytes(stored.data())) if stored is not None else {}
            shares = {
                RENAMED.get(name, name): (float(w), float(h))
                for name, (w, h) in content["docks"].items()
            }
            width, height = content["size"]
            closed = content.get("closed", hidden)
            return QSize(width, height), shares, [RENAMED.get(name, str(name)) for name in closed]
        except (ValueError, TypeError, KeyError, AttributeError):
            return QSize(), {}, hidden

    def _keep_shares(self) -> None:
        if self._alone is not None or self._measured == self._window.size():
            return
        if self._shares:
            self._arranger.apply(self._shares)
            self._measured = self._window.size()
            self._is_fitting = True
            self._measuring.start()
        elif self._window.isVisible():
            self._arranger.share_space(self._layout)

    def _forget_shares(self) -> None:
        """Takes the sizes that result from the layout for the wanted sizes."""
        self._shares, self._fitted, self._is_fitting = {}, {}, False
        self._measuring.start()

    def _measure(self) -> None:
        """Takes the present sizes of docks for wanted, unless the window has changed the sizes."""
        if self._alone is not None or not self._window.isVisible():
            return
        self._restack()
        shares = self._arranger.shares()
        if not self._is_fitting and shares != self._fitted:
            self._shares, self._measured = shares, self._window.size()
        self._fitted, self._is_fitting = shares, False

    def _restack(self) -> None:
        """Stacks groups, or puts groups side by side, once the window has another size."""
        stacked = self._arranger.stacked(self._layout, self._window.size())
        if stacked != self._stacked:
            self._hold_painting()
            for area in {*stacked} ^ {*self._stacked}:
                self._arranger.restack(area)
            self._stacked = stacked
            self._arranger.share_space(self._layout)
            self._opened.start()

    def _hold_painting(self) -> None:
        """Has the window painted once, as it is in the end, in a turn of the event loop of its own.

        Moving the docks takes as long as painting them.
        """
        if self._window.isVisible():
            self._window.setUpdatesEnabled(False)
            self._painting.start()

    def _apply(self, layout: PaneLayout) -> None:
        self.give_back()
        self._hold_painting()
        self._layout = layout
        self.zoom_changed.emit(self.zoom)
        self._closed.clear()
        arrangement = unseal_docks(self._preferences.layout(_ARRANGEMENT.format(layout.name)))
        if arrangement is None or not self._window.restoreState(arrangement, VERSION):
            self._arranger.arrange(layout)
            self._stacked = self._arranger.stacked(layout, self._window.size())
            self._forget_shares()
        else:
            # Docks keep their widths: those of a larger window leave the editors a strip.
            self._forget_shares()
            self._measured, self._shares, closed = self._kept_shares(layout)
            self._stacked = self._arranger.stacked(layout, self._measured)
            self._closed.update(closed)
            if self._shares:
                self._keep_shares()
        self._show_offered()
        self.layout_changed.emit(layout.name)

    def _on_closed(self, name: str) -> None:
        self._closed.add(name)
        if self._docks[name].isFloating():
            self._closing.add(name)
            self._turned.start()

    @Slot()
    def _on_moved(self) -> None:
        if self._settling is not None:
            self._settling.start()
            self._measuring.start()

    @Slot()
    def _on_resized(self) -> None:
        if self._settling is not None and not self._measuring.isActive():
            self._measuring.start()

    @Slot(PaneDock)
    def _on_maximise_requested(self, dock: PaneDock) -> None:
        if self._alone is dock:
            self.give_back()
        else:
            self.maximise(dock)

    @Slot()
    def _on_title_clicked(self) -> None:
        dock = self.sender()
        if isinstance(dock, PaneDock):
            self._on_maximise_requested(dock)

    @Slot()
    def _on_toggled(self) -> None:
        """Shows a pane next to the others, not next to the maximised pane."""
        switch = self.sender()
        dock = next(d for d in self._docks.values() if d.toggleViewAction() is switch)
        is_wanted = not dock.isHidden()
        self.give_back()
        dock.setVisible(False)
        if is_wanted:
            self._open(dock)

    def _show_offered(self) -> None:
        if self._alone is not None:
            return
        for name in self._offered - self._closed:
            dock = self._dock_of(name)
            if is_tab(name):
                dock.parts.show_part(name)
            else:
                dock.show()

    def _dock_of(self, name: str) -> PaneDock:
        """Returns the dock of a pane; for a part of another pane the dock of that pane."""
        return self._docks[PANES[name].within or name]

    def _open(self, dock: PaneDock) -> None:
        self._closed -= {name for name, other in self._docks.items() if other is dock}
        if dock.isHidden():
            # Once it has taken its room: from the editors, as Qt does it.
            self._opening.add(dock)
            self._opened.start()
        dock.show()
        dock.raise_()

    @Slot()
    def _on_opened(self) -> None:
        if self._alone is None:
            self._arranger.level(self._opening)
            self._arranger.widen(self._centre, scaled(_LEAST_CENTRE))
        self._opening.clear()
