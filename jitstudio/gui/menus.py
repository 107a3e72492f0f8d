"""Menu bar and toolbar, made from the table of actions and from lists that change."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QSize, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QWidget

from jitstudio.gui.commands.actions import Actions
from jitstudio.gui.commands.files import FileCommands
from jitstudio.gui.commands.table import FILE, MENUS, VIEW
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.theme import ThemeKeeper, ThemeMode
from jitstudio.samples import samples

_BEFORE_RECENT = "saveAction"
_TOOLBAR = ("newCudaAction", "openAction", "saveAction", "", "buildAction", "cancelAction")
_ICON_SIZE = QSize(18, 18)
_MODE_WORDS = {
    ThemeMode.SYSTEM: "As the &system",
    ThemeMode.LIGHT: "&Light",
    ThemeMode.DARK: "&Dark",
}


class Menus(QObject):
    """The menu bar of a window, with the menus whose content changes."""

    def __init__(
        self,
        window: QMainWindow,
        actions: Actions,
        files: FileCommands,
        preferences: Preferences,
        theme: ThemeKeeper,
    ) -> None:
        super().__init__(window)
        self._files = files
        self._preferences = preferences
        self._theme = theme
        self._menus = {title: window.menuBar().addMenu(title) for title in MENUS}
        for title, menu in self._menus.items():
            for spec, action in actions.of_menu(title):
                if spec.separated:
                    menu.addSeparator()
                menu.addAction(action)
        before = actions[_BEFORE_RECENT]
        self._add_samples(before)
        self._recent = QMenu("Open &recent", window)
        self._menus[FILE].insertMenu(before, self._recent)
        files.recent_changed.connect(self._on_recent_changed)
        self._on_recent_changed()
        self._add_themes()

    def add_panes(self, toggles: list[QAction]) -> None:
        """Put the switches of the panes at the top of the View menu."""
        view = self._menus[VIEW]
        view.insertActions(view.actions()[0], toggles)

    def _add_samples(self, before: QAction) -> None:
        menu = QMenu("Sa&mples", self._menus[FILE])
        menu.setToolTipsVisible(True)
        for sample in samples():
            action = menu.addAction(sample.title, partial(self._files.open_sample, sample))
            action.setToolTip(sample.summary)
            action.setStatusTip(sample.summary)
        self._menus[FILE].insertMenu(before, menu)

    def _add_themes(self) -> None:
        menu = self._menus[VIEW].addMenu("&Theme")
        group = QActionGroup(menu)
        for mode, words in _MODE_WORDS.items():
            action = menu.addAction(words, partial(self._choose_theme, mode))
            action.setCheckable(True)
            action.setChecked(mode is self._theme.mode)
            group.addAction(action)

    def _choose_theme(self, mode: ThemeMode) -> None:
        self._preferences.theme = mode.value
        self._theme.set_mode(mode)

    @Slot()
    def _on_recent_changed(self) -> None:
        self._recent.clear()
        for path in self._preferences.recent_files:
            # A single ampersand in a file name would become a mnemonic.
            text = str(path).replace("&", "&&")
            self._recent.addAction(text, partial(self._files.open_paths, [path]))
        self._recent.setEnabled(not self._recent.isEmpty())


def make_toolbar(window: QMainWindow, actions: Actions, build_bar: QWidget) -> QToolBar:
    """The line of buttons, with the target and the options at its right."""
    bar = window.addToolBar("Toolbar")
    bar.setObjectName("toolbar")
    bar.setMovable(False)
    bar.setIconSize(_ICON_SIZE)
    # Without this the bar could be hidden for good by a context menu.
    bar.toggleViewAction().setVisible(False)
    for name in (*_TOOLBAR, "autoBuildAction"):
        if name:
            bar.addAction(actions[name])
        else:
            bar.addSeparator()
    bar.addSeparator()
    bar.addWidget(build_bar)
    return bar
