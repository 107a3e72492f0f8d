"""Carries out the commands of layouts and panes."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QApplication, QWidget

from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.gui.shell.docking.layouts import BY_NAME
from jitstudio.gui.shell.shell import Shell

_ACTION = "{}LayoutAction"


class LayoutController(QObject):
    """Chooses layouts, maximises panes, and moves the keyboard from pane to pane."""

    def __init__(self, editors: EditorTabs, centre: QWidget, shell: Shell) -> None:
        super().__init__(editors)
        actions = shell.actions
        self._editors = editors
        self._centre = centre
        self._shell = shell
        self._layout = shell.layout
        self._actions = actions
        self._is_other = False
        self._wanted = ""
        self._choosing = QTimer(self, singleShot=True, interval=0)
        self._choosing.timeout.connect(self._choose)
        group = QActionGroup(self)
        for name in BY_NAME:
            action = actions[_ACTION.format(name)]
            action.setData(name)
            group.addAction(action)
        group.triggered.connect(self._on_layout_triggered)
        actions.bind(dict.fromkeys(map(_ACTION.format, BY_NAME), self._on_layout_toggled))
        actions.bind(
            {
                "resetLayoutAction": self._layout.reset,
                "windowZoomInAction": partial(self._zoom, 1),
                "windowZoomOutAction": partial(self._zoom, -1),
                "windowZoomResetAction": partial(self._zoom, 0),
                "maximiseAction": self._on_maximise,
                "fullScreenAction": self._on_full_screen,
                "nextPaneAction": self._on_next_pane,
                "previousPaneAction": self._on_previous_pane,
                "nextTabAction": self._on_next_tab,
                "previousTabAction": self._on_previous_tab,
            }
        )
        bring_up = self._layout.bring_up_pane
        actions.bind({spec.id: partial(bring_up, spec.pane) for spec in ACTIONS if spec.pane})
        shell.notices.left.connect(actions["focusEditorAction"].trigger)
        editors.tabBarDoubleClicked.connect(self._on_editor_tab_clicked)
        self._layout.layout_changed.connect(self._on_layout_changed)
        self._layout.maximised.connect(self._on_maximised)
        self._on_layout_changed(self._layout.layout.name)

    @Slot(bool)
    def _on_layout_toggled(self, on: bool) -> None:
        action = self.sender()
        if on and isinstance(action, QAction):
            self._wanted = action.data()
            self._is_other = self._wanted != self._layout.layout.name
            if self._layout.begin(self._wanted):
                self._choosing.start()
            else:
                self._choosing.stop()
                self._choose()

    @Slot()
    def _choose(self) -> None:
        before = self._layout.dock_of(QApplication.focusWidget())
        self._layout.choose(self._wanted)
        if before is not None:
            # A pane that the layout does not show cannot keep the keyboard.
            shown = before.content if before.is_in_front else self._editors
            self._layout.bring_up(shown)

    @Slot(QAction)
    def _on_layout_triggered(self, action: QAction) -> None:
        """Gives a layout that is chosen once more the usual proportions."""
        if not self._is_other and action.data() == self._layout.layout.name:
            self._layout.share_space()
        self._is_other = False

    @Slot(str)
    def _on_layout_changed(self, name: str) -> None:
        self._actions[_ACTION.format(name)].setChecked(True)

    def _zoom(self, steps: int) -> None:
        self._layout.zoom_by(steps)
        words = self.tr("Zoom of the window: {percent} %")
        self._shell.status.show_message(words.format(percent=round(100 * self._layout.zoom)))

    @Slot()
    def _on_maximise(self) -> None:
        if self._layout.alone is not None:
            self._layout.give_back()
        else:
            part = self._layout.dock_of(QApplication.focusWidget())
            self._layout.maximise(part or self._centre)

    @Slot()
    def _on_full_screen(self) -> None:
        window = self._editors.window()
        window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen)

    @Slot(int)
    def _on_editor_tab_clicked(self, index: int) -> None:
        if self._layout.alone is not None:
            self._layout.give_back()
        elif index >= 0:
            self._layout.maximise(self._centre)

    @Slot(bool)
    def _on_maximised(self, on: bool) -> None:
        self._shell.status.show_message(self.tr("Esc brings the other panes back") if on else "")

    @Slot()
    def _on_next_pane(self) -> None:
        self._go_to_pane(1)

    @Slot()
    def _on_previous_pane(self) -> None:
        self._go_to_pane(-1)

    def _go_to_pane(self, step: int) -> None:
        notice, shown = self._shell.notices, self._layout.in_front()
        if notice.isVisible():
            shown.insert(0, notice)
        focus = QApplication.focusWidget() or self._centre
        at = next((i for i, pane in enumerate(shown) if pane.isAncestorOf(focus)), 0)
        self._layout.bring_up(shown[(at + step) % len(shown)])

    @Slot()
    def _on_next_tab(self) -> None:
        self._go_to_tab(1)

    @Slot()
    def _on_previous_tab(self) -> None:
        self._go_to_tab(-1)

    def _go_to_tab(self, step: int) -> None:
        dock = self._layout.dock_of(QApplication.focusWidget())
        if dock is not None:
            group = self._layout.group(dock)
            self._layout.bring_up(group[(group.index(dock) + step) % len(group)].content)
            return
        tabs = self._editors
        if tabs.count():
            tabs.setCurrentIndex((tabs.currentIndex() + step) % tabs.count())
            self._layout.bring_up(tabs)
