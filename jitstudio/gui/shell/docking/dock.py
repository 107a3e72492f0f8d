"""A pane as a dock: with title where no tab has the title, and idle while behind others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QContextMenuEvent, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.kit.command_keys import COMMAND_KEYS, follow_keys
from jitstudio.gui.kit.parts import explain_by, fit_icon, show_icon
from jitstudio.gui.shell.docking.part_tabs import PartTabs
from jitstudio.gui.shell.pane_registry import parts_of

_ICON_SIDE, _ICON_COLOR = 14, "ui.muted_text"
# A pane that asks for more would make the window grow beyond a small screen.
_SMALLEST = QSize(220, 80)
# As `QWIDGETSIZE_MAX` of Qt.
_NO_LIMIT = (1 << 24) - 1


class _TitleBar(QWidget):
    """The title of a pane that is alone, with buttons.

    It takes no clicks besides those on its buttons, so that the dock can be dragged by it.
    """

    def __init__(self, dock: PaneDock) -> None:
        super().__init__(dock)
        self.setObjectName("paneTitle")
        self._dock = dock
        self._is_maximised = False
        self._maximise = self._button("maximiseButton", dock.maximise_requested.emit)
        self._float = self._button("floatButton", dock.float_out)
        show_icon(self._float, "float", _ICON_COLOR)
        self._float.setToolTip(self.tr("Make this pane a window of its own"))
        self._close = self._button("closeButton", dock.close)
        show_icon(self._close, "close", _ICON_COLOR)
        self._close.setToolTip(self.tr("Close this pane; View > Panes brings it back"))
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 3, 4, 3)
        line.setSpacing(0)
        title = QLabel(dock.windowTitle(), self)
        dock.windowTitleChanged.connect(title.setText)
        line.addWidget(title, 1)
        for button in (self._maximise, self._float, self._close):
            line.addWidget(button)
        follow_keys(self, _TitleBar._update_key_tips)

    def set_look(self, is_maximised: bool) -> None:
        """Shows the buttons for the state; a maximised pane can only go back."""
        show_icon(self._maximise, "restore" if is_maximised else "maximise", _ICON_COLOR)
        self._is_maximised = is_maximised
        self._float.setHidden(is_maximised)
        self._close.setHidden(is_maximised)
        self._update_key_tips()

    def _update_key_tips(self) -> None:
        self._maximise.setToolTip(
            self.tr("Bring the other panes back (Esc)")
            if self._is_maximised
            else COMMAND_KEYS.tip(self.tr("Let this pane fill the window"), "maximiseAction")
        )
        for button in (self._maximise, self._float, self._close):
            button.setAccessibleName(f"{button.toolTip()}: {self._dock.title}")

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Fills the window, or goes back."""
        self._dock.maximise_requested.emit()
        event.accept()

    def _button(self, name: str, do: Callable[[], object]) -> QToolButton:
        button = QToolButton(self, autoRaise=True)
        button.setObjectName(name)
        fit_icon(button, _ICON_SIDE)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.clicked.connect(do)
        return button


class PaneDock(QDockWidget):
    """A pane that can be closed, dragged, floated, tabbed with others and maximised.

    Qt leaves a pane behind other tabs shown, only out of sight; this one hides the pane, which then
    draws, measures and asks for nothing.

    Attributes:
        title: The name of the pane; what is counted in it stands only in the window title, by
            which Qt names its tab.

    Signals:
        maximise_requested: The user wants the pane to fill the window, or no longer to.
        resized: It has another size.
        closed: The user has closed it.
        wanted: The pane, or the part of it with this name, can be seen and is not made yet.
    """

    maximise_requested = Signal()
    resized = Signal()
    closed = Signal()
    wanted = Signal(str)

    # On the class too: it goes out of sight for the last time when Python may have emptied it.
    _content: QWidget | None = None

    def __init__(self, name: str, title: str, window: QMainWindow) -> None:
        super().__init__(title, window)
        self.title, self._name = title, name
        self.setObjectName(f"{name}Dock")
        explain_by(self, name)
        self.setFeatures(
            QDockWidget.DockWidgetFeature.DockWidgetClosable
            | QDockWidget.DockWidgetFeature.DockWidgetMovable
            | QDockWidget.DockWidgetFeature.DockWidgetFloatable
        )
        place = QWidget()
        place.setMinimumSize(_SMALLEST)
        self.setWidget(place)
        self._column = QVBoxLayout(place)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._is_maximised = False
        self._is_uncovered = False
        self._is_paused = False
        # A title bar that comes and goes would change the sizes that are being restored.
        self._is_tabbed = True
        self._is_outdated = False
        self._most_height = 0
        # Made when it is needed: most panes are behind tabs for good.
        self._bar: _TitleBar | None = None
        self._no_bar = QWidget(self)
        self.setTitleBarWidget(self._no_bar)
        self.visibilityChanged.connect(self._on_visibility_changed)
        self.topLevelChanged.connect(self._follow)

    @property
    def content(self) -> QWidget:
        """The pane, or the placeholder while the pane is not made yet."""
        return self._content or self.widget()

    @property
    def place(self) -> QWidget:
        """The parent of the pane."""
        return self.widget()

    @property
    def is_in_front(self) -> bool:
        """Whether the pane can be seen: neither closed nor behind another tab."""
        return self.isVisible() and self._is_uncovered

    def pause(self) -> None:
        """Shows nothing more and nothing less for now: all docks are about to move."""
        self._is_paused = True

    def resume(self) -> None:
        """Shows the pane, if visible in the dock's present place."""
        self._is_paused = False
        self._show_content()

    def fill(self, content: QWidget) -> None:
        """Takes `content` as the pane, once the pane is shown."""
        # Hidden before it has a place: what is not in front is neither shown nor measured.
        content.hide()
        self._content = content
        self._column.addWidget(content)
        self._show_content()

    @property
    def parts(self) -> PartTabs:
        """The tabs within the dock, for panes that are parts of the pane."""
        if not isinstance(self._content, PartTabs):
            titles = {part.name: part.title for part in parts_of(self._name)}
            translate = QCoreApplication.translate
            tabs = PartTabs({name: translate("Panes", title) for name, title in titles.items()})
            tabs.part_wanted.connect(self.wanted)
            self.fill(tabs)
        assert isinstance(self._content, PartTabs)
        return self._content

    def set_tabbed(self, is_tabbed: bool) -> None:
        """Leaves the title to a tab, or shows the title."""
        if is_tabbed != self._is_tabbed:
            self._is_tabbed = is_tabbed
            self._follow()

    def show_count(self, count: int) -> None:
        """Shows behind the title how many rows in the pane want a look; nothing for 0."""
        counted = self.tr("{title} ({count:,})").format(title=self.title, count=count)
        self.setWindowTitle(counted if count else self.title)
        # Qt takes the title for the menu of panes, too.
        self.toggleViewAction().setText(self.title)

    def limit_height(self, most: int) -> None:
        """Takes no more height than `most`, in pixels, unless the place is shared; 0: any."""
        if most != self._most_height:
            self._most_height = most
            self._follow()

    def set_maximised(self, is_maximised: bool) -> None:
        """Shows that the pane has the window for itself."""
        self._is_maximised = is_maximised
        self._follow()

    def showEvent(self, event: QShowEvent) -> None:
        """Brings the title up to date."""
        if self._is_outdated:
            self._follow()
        super().showEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Emits `closed`."""
        super().closeEvent(event)
        self.closed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Emits `resized`."""
        super().resizeEvent(event)
        self.resized.emit()

    @Slot()
    def float_out(self) -> None:
        """Makes the dock a window."""
        self.setFloating(True)

    def _show_content(self) -> None:
        if self._is_paused:
            return
        if self._content is not None:
            self._content.setVisible(self._is_uncovered)
        elif self._is_uncovered:
            self.wanted.emit(self._name)

    @property
    def missing(self) -> str:
        """The name of the pane or part that is in front and not made yet, or empty."""
        if not self.is_in_front:
            return ""
        if isinstance(self._content, PartTabs):
            return self._content.wanted
        return self._name if self._content is None else ""

    @Slot(bool)
    def _on_visibility_changed(self, is_visible: bool) -> None:
        # A pane that leaves the tabs gets events for where it was behind them, out of sight.
        self._is_uncovered = is_visible or self.isFloating()
        self._show_content()

    @Slot()
    def _follow(self) -> None:
        # Most panes that are closed stay so.
        self._is_outdated = self.isHidden()
        if self._is_outdated:
            return
        wanted = self._wanted_bar()
        if self.titleBarWidget() is not wanted:
            # Nothing but None brings the bar of a window back; the stub does not know.
            self.setTitleBarWidget(wanted)  # type: ignore[arg-type]
        if self._bar is not None:
            self._bar.set_look(self._is_maximised)
        has_own_place = not (self._is_tabbed or self._is_maximised or self.isFloating())
        most = (has_own_place and self._most_height) or _NO_LIMIT
        self.widget().setMinimumHeight(min(most, _SMALLEST.height()))
        self.widget().setMaximumHeight(most)

    def _wanted_bar(self) -> QWidget | None:
        if self.isFloating():
            return None
        if self._is_tabbed and not self._is_maximised:
            return self._no_bar
        if self._bar is None:
            self._bar = _TitleBar(self)
        return self._bar


# ---- The tabs of docks that share a place: how they look, and what the mouse does on them


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
        """Hides the bars without tabs that Qt makes on restoring docks, and that lie nowhere.

        Shown with the window, they would lie over its first menus until the docks are laid out.
        """
        for bar in self._all_bars():
            if not bar.count():
                bar.hide()

    def group(self, dock: PaneDock) -> list[PaneDock]:
        """Returns the docks in the place of `dock`, `dock` included, in the order of tabs."""
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
        """Maximises at a double click, and shows the title bar's menu at a right click."""
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
