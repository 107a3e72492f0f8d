"""Fills the menus whose content changes: samples, recent files, caches, themes and panes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from jitstudio.core.code import is_project
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.theme import ThemeMode
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.commands.spec import CACHES, FILE, VIEW
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.preferences import Preferences
from jitstudio.help.samples import samples
from jitstudio.kernel_caches.places import KernelCache, caches_here

_BEFORE_RECENT = "saveAction"
_MODE_WORDS = {
    ThemeMode.SYSTEM: QT_TRANSLATE_NOOP("MenusController", "As the &system"),
    ThemeMode.LIGHT: QT_TRANSLATE_NOOP("MenusController", "&Light"),
    ThemeMode.DARK: QT_TRANSLATE_NOOP("MenusController", "&Dark"),
    ThemeMode.HIGH_CONTRAST: QT_TRANSLATE_NOOP("MenusController", "High &contrast"),
}


class MenusController(QObject):
    """Adds to the menus the entries that depend on the machine and the user."""

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
        self._caches = menus[CACHES]
        self._caches.setToolTipsVisible(True)
        file_menu.insertMenu(before, self._caches)
        self._looking = Background(self)
        self._looking.done.connect(self._on_caches_found)
        # Those that were made meanwhile are there once the menu is.
        file_menu.aboutToShow.connect(self._look_for_caches)
        view = menus[VIEW]
        shown = QMenu(self.tr("P&anes"), view)
        shown.addActions([dock.toggleViewAction() for dock in shell.layout.docks])
        view.insertMenu(view.actions()[0], shown)
        self._add_themes(view.addMenu(self.tr("&Theme")))

    @Slot()
    def _look_for_caches(self) -> None:
        self._looking.start(lambda _: caches_here())

    @Slot(object)
    def _on_caches_found(self, caches: Sequence[tuple[KernelCache, Path]]) -> None:
        *before, choose = self._caches.actions()
        for action in before:
            self._caches.removeAction(action)
        for cache, path in caches:
            action = QAction(cache.title, self._caches)
            action.triggered.connect(partial(self._open_cache, path))
            action.setToolTip(str(path))
            action.setStatusTip(str(path))
            self._caches.insertAction(choose, action)
        if caches:
            self._caches.insertSeparator(choose)

    def _open_cache(self, path: Path, _is_checked: bool = False) -> None:
        self._files.open_paths([path])

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
