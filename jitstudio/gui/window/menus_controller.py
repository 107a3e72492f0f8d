"""Fills the menus whose content changes: samples, recent files, themes and panes."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from jitstudio.core.code import is_project
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.kit.theme import ThemeMode
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.commands.spec import FILE, VIEW
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.preferences import Preferences
from jitstudio.samples import samples

_BEFORE_RECENT = "saveAction"
_MODE_WORDS = {
    ThemeMode.SYSTEM: QT_TRANSLATE_NOOP("MenusController", "As the &system"),
    ThemeMode.LIGHT: QT_TRANSLATE_NOOP("MenusController", "&Light"),
    ThemeMode.DARK: QT_TRANSLATE_NOOP("MenusController", "&Dark"),
    ThemeMode.HIGH_CONTRAST: QT_TRANSLATE_NOOP("MenusController", "High &contrast"),
}


class MenusController(QObject):
    """Adds to the menus of the table what no table can say."""

    def __init__(self, files: FileCommands, preferences: Preferences, shell: Shell) -> None:
        menus, actions = shell.menus, shell.actions
        super().__init__(menus)
        self._files = files
        self._preferences = preferences
        self._theme = shell.themes
        self._modes: dict[ThemeMode, QAction] = {}
        file_menu, before = menus[FILE], actions[_BEFORE_RECENT]
        file_menu.insertMenu(before, self._samples(file_menu))
        self._recent = QMenu(self.tr("Open rece&nt"), file_menu)
        self._recent.setObjectName("recentMenu")
        file_menu.insertMenu(before, self._recent)
        files.recent_changed.connect(self._on_recent_changed)
        self._on_recent_changed()
        view = menus[VIEW]
        shown = QMenu(self.tr("P&anes"), view)
        shown.addActions([dock.toggleViewAction() for dock in shell.layout.docks])
        view.insertMenu(view.actions()[0], shown)
        self._add_themes(view.addMenu(self.tr("&Theme")))

    def _samples(self, parent: QMenu) -> QMenu:
        menu = QMenu(self.tr("Sa&mples"), parent)
        menu.setToolTipsVisible(True)
        for sample in samples():
            action = menu.addAction(sample.title, partial(self._files.open_sample, sample))
            action.setToolTip(sample.summary)
            action.setStatusTip(sample.summary)
        return menu

    def _add_themes(self, menu: QMenu) -> None:
        group = QActionGroup(menu)
        for mode, words in _MODE_WORDS.items():
            text = QCoreApplication.translate("MenusController", words)
            action = menu.addAction(text, partial(self._choose_theme, mode))
            action.setCheckable(True)
            action.setChecked(mode is self._theme.mode)
            group.addAction(action)
            self._modes[mode] = action
        self._preferences.changed.connect(self._on_preference_changed)

    def _choose_theme(self, mode: ThemeMode) -> None:
        self._preferences.theme = mode.value
        self._theme.set_mode(mode)

    @Slot(str)
    def _on_preference_changed(self, _key: str) -> None:
        self._modes[ThemeMode(self._preferences.theme)].setChecked(True)

    @Slot()
    def _on_recent_changed(self) -> None:
        self._recent.clear()
        recent = self._preferences.recent_files
        projects = [path for path in recent if is_project(path)]
        for path in (*projects, *(path for path in recent if path not in projects)):
            # A single ampersand in a file name would become a mnemonic.
            text = str(path).replace("&", "&&")
            self._recent.addAction(text, partial(self._files.open_paths, [path]))
        self._recent.setEnabled(not self._recent.isEmpty())
