"""Offers all that can be done and gone to: commands, panes, tabs, kernels, targets, settings.

What else is typed, such as a question, is looked for in the help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu
from shiboken6 import isValid

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.gui.context import Context
from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.gui.shell.commands.shortcuts import plain_text
from jitstudio.gui.shell.docking.dock import PaneDock
from jitstudio.gui.shell.navigation import (
    DocumentPlace,
    HelpPlace,
    KernelPlace,
    Navigator,
    SettingPlace,
)
from jitstudio.gui.shell.palette.model import PaletteEntry
from jitstudio.gui.shell.palette.view import Palette
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.shell.synonyms import also_called
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import CONTEXT, SETTINGS
from jitstudio.gui.state.toolchain import Toolchain

_BETWEEN = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
# A build may make thousands; those behind are found in the list of kernels in Report.
_MOST_KERNELS = 500


class _Choice(NamedTuple):
    """The action of an entry, and the key under which the palette remembers that choice."""

    name: str
    act: Callable[[], object]


def install(context: Context) -> None:
    """Makes the palette of commands."""
    state, shell = context.state, context.shell
    PaletteController(
        state.documents,
        state.outputs,
        state.toolchain,
        state.settings,
        state.preferences,
        context.navigator,
        shell,
    )


class PaletteController(QObject):
    """Collects the entries anew whenever the palette opens."""

    def __init__(
        self,
        documents: Documents,
        outputs: Outputs,
        toolchain: Toolchain,
        settings: BuildSettings,
        preferences: Preferences,
        navigator: Navigator,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        actions = shell.actions
        window = shell.window
        self._documents = documents
        self._outputs = outputs
        self._toolchain = toolchain
        self._settings = settings
        self._preferences = preferences
        self._shell = shell
        self._navigator = navigator
        self._actions = actions
        self._window = window
        self._palette = Palette(
            "commandPalette",
            self.tr("Type a command, pane, tab, kernel, target, setting or question"),
            self.tr("Nothing matches"),
            window,
            self._in_help,
        )
        self._palette.chosen.connect(self._on_chosen)
        actions.bind({"paletteAction": self._on_wanted})
        shell.layout.panes_made.connect(self._on_panes_made)

    def _entries(self) -> Iterator[PaletteEntry]:
        yield from self._of_panes()
        yield from self._of_menus()
        yield from self._of_tabs()
        yield from self._of_kernels()
        yield from self._within_panes()
        yield from self._of_targets()
        yield from self._of_settings()

    def _of_panes(self) -> Iterator[PaletteEntry]:
        """Yields an entry for each pane, which leads there."""
        path, led_to = self.tr("Go to pane"), set()
        for spec in ACTIONS:
            if spec.pane:
                action = self._actions[spec.id]
                title = self._shell.layout.title_of(spec.pane)
                led_to.add(title)
                other = ", ".join(filter(None, (plain_text(action.text()), also_called(title))))
                yield _of_action(action, path, title=title, also=other, is_place=True)
        for dock in self._shell.layout.docks:
            if (title := dock.title) not in led_to:
                go = partial(self._shell.layout.bring_up, dock.content)
                yield replace(_entry(title, path, go), is_place=True)

    def _of_menus(self) -> Iterator[PaletteEntry]:
        leads = {self._actions[spec.id] for spec in ACTIONS if spec.pane}
        closes = self.tr("Close the pane {name}")
        for path, action in _commands(self._window):
            dock = action.parent()
            if action in leads:
                continue
            if not isinstance(dock, PaneDock):
                yield _of_action(action, path)
            elif action.isChecked():
                title = closes.format(name=dock.title)
                yield _of_action(action, path, title=title, also="")

    def _within_panes(self) -> Iterator[PaletteEntry]:
        """Yields actions of buttons and menus inside panes, like copying a listing."""
        shared = {self._actions[spec.id] for spec in ACTIONS}
        layout = self._shell.layout
        for name, pane in layout.panes.items():
            for part in (pane, *pane.findChildren(PanelTable)):
                for action in part.actions():
                    if action.text() and action not in shared:
                        yield _of_action(action, layout.title_of(name))

    def _of_tabs(self) -> Iterator[PaletteEntry]:
        path = self.tr("Tab")
        for document in self._documents:
            folder = str(document.path.parent) if document.path else ""
            go = partial(self._navigator.go_to, DocumentPlace(document))
            yield _entry(self._documents.title(document), path, go, tip=folder)

    def _of_kernels(self) -> Iterator[PaletteEntry]:
        result, path = self._outputs.shown_result, self.tr("Kernel in SASS")
        for kernel in islice(result.kernels if result else (), _MOST_KERNELS):
            title = result.kernel_titles[kernel.module, kernel.name] if result else ""
            go = partial(self._navigator.go_to, KernelPlace(CodeKind.SASS, kernel))
            yield _entry(title, path, go, also=kernel.name, tip=kernel.module)

    def _of_targets(self) -> Iterator[PaletteEntry]:
        toolchain, path = self._toolchain.info, self.tr("Target")
        title = self.tr("Build for {target}")
        other = self.tr("compute capability {capability}, architecture, gpu, target")
        for info in toolchain.archs if toolchain else ():
            choose = partial(self._choose_target, info.arch)
            also = other.format(capability=info.arch.capability)
            yield _entry(title.format(target=info.arch.sm), path, choose, also=also)

    def _of_settings(self) -> Iterator[PaletteEntry]:
        path, translate = self.tr("Settings"), QCoreApplication.translate
        for setting in SETTINGS:
            yield _entry(
                translate(CONTEXT, setting.title),
                f"{path}{_BETWEEN}{translate(CONTEXT, setting.group)}",
                partial(self._navigator.go_to, SettingPlace(setting.key)),
                tip=setting.explanation,
            )

    def _in_help(self, text: str) -> PaletteEntry:
        """Returns the entry that looks for a text in the help."""
        title, path = self.tr("Search help: {text}").format(text=text), self.tr("Help")
        search = _Choice(path, partial(self._navigator.go_to, HelpPlace(text)))
        return PaletteEntry(title, search, path)

    def _choose_target(self, arch: Arch) -> None:
        self._settings.arch = arch

    def _sorted_entries(self) -> list[PaletteEntry]:
        chosen = self._preferences.recent_commands
        recent = {name: place for place, name in enumerate(chosen)}
        # What was never chosen stays in its order, behind the others.
        return sorted(self._entries(), key=lambda e: recent.get(_name(e), len(recent)))

    @Slot()
    def _on_wanted(self) -> None:
        self._palette.offer(self._sorted_entries())
        self._shell.layout.want_all()

    @Slot()
    def _on_panes_made(self) -> None:
        if self._palette.isVisible():
            self._palette.fill(self._sorted_entries())

    @Slot(object)
    def _on_chosen(self, choice: _Choice) -> None:
        self._preferences.add_recent_command(choice.name)
        choice.act()


def _commands(window: QMainWindow) -> Iterator[tuple[str, QAction]]:
    for action in window.menuBar().actions():
        menu = action.menu()
        if isinstance(menu, QMenu):
            yield from _of_menu(menu, plain_text(action.text()))


def _of_menu(menu: QMenu, path: str) -> Iterator[tuple[str, QAction]]:
    for action in menu.actions():
        below = action.menu()
        if isinstance(below, QMenu):
            yield from _of_menu(below, f"{path}{_BETWEEN}{plain_text(action.text())}")
        elif not action.isSeparator() and action.isVisible():
            yield path, action


def _of_action(
    action: QAction, path: str, *, title: str = "", also: str | None = None, is_place: bool = False
) -> PaletteEntry:
    title = title or plain_text(action.text())
    return PaletteEntry(
        title=title,
        payload=_Choice(f"{path}{_BETWEEN}{title}", partial(_trigger, action)),
        detail=path,
        keys=action.shortcut().toString(QKeySequence.SequenceFormat.NativeText),
        icon=None if action.icon().isNull() else action.icon(),
        enabled=action.isEnabled(),
        tip=action.statusTip() or action.toolTip(),
        also=also_called(title) if also is None else also,
        is_place=is_place,
    )


def _entry(
    title: str, path: str, act: Callable[[], object], *, also: str = "", tip: str = ""
) -> PaletteEntry:
    payload = _Choice(f"{path}{_BETWEEN}{title}", act)
    return PaletteEntry(title, payload, path, tip=tip, also=also or also_called(title))


def _trigger(action: QAction) -> None:
    # The menu may have been made anew since.
    if isValid(action):
        action.trigger()


def _name(entry: PaletteEntry) -> str:
    assert isinstance(entry.payload, _Choice)
    return entry.payload.name
