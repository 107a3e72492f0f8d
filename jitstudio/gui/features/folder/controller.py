"""Opens a folder: lists its files that can be built, and takes the flags of the one chosen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event

from PySide6.QtCore import QObject, Slot

from jitstudio.compile_commands import FlagsError, databases_near, files_in
from jitstudio.core.code import CodeKind, kind_of
from jitstudio.gui.code.languages import icon_name
from jitstudio.gui.context import Context
from jitstudio.gui.features.folder.flags import FlagsController
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.theme import current_theme
from jitstudio.gui.shell.palette.model import PaletteEntry
from jitstudio.gui.shell.palette.view import Palette
from jitstudio.gui.shell.shell import Shell

# Objects and libraries lie in build folders by the thousand, and headers are no modules.
_LISTED = frozenset(
    {
        *(CodeKind.CUDA, CodeKind.LLVM_IR, CodeKind.PTX),
        *(CodeKind.CUBIN, CodeKind.FATBIN, CodeKind.LTOIR),
    }
)
_MOST_FILES = 5_000
_MOST_LOOKED_AT = 200_000


def install(context: Context) -> None:
    """Makes "Open folder", and watches what the user opens."""
    state, shell = context.state, context.shell
    flags = FlagsController(state.documents, state.settings, context.files, shell.notices)
    FolderController(flags, shell)


class FolderController(QObject):
    """Asks for a folder, and then for a file in it."""

    def __init__(
        self, flags: FlagsController, shell: Shell, dialogs: Dialogs | None = None
    ) -> None:
        super().__init__(shell.window)
        self._flags = flags
        self._shell = shell
        self._dialogs = dialogs or Dialogs(shell.window)
        self._folder = Path()
        self._search = Background(self)
        self._search.done.connect(self._on_found)
        self._palette = Palette(
            "folderPalette",
            self.tr("Type the name of a file"),
            self.tr("No file is called so"),
            shell.window,
        )
        self._palette.chosen.connect(flags.open)
        shell.actions.bind({"openFolderAction": self.open})

    @Slot()
    def open(self) -> None:
        """Asks for a folder."""
        folder = self._dialogs.folder_to_open(str(self._folder) if self._folder.parts else "")
        if folder is not None:
            self._folder = folder
            self._search.start(partial(_files_below, folder))
            text = self.tr("Looking for files in {folder}")
            self._shell.status.show_message(text.format(folder=folder))

    @Slot(object)
    def _on_found(self, files: list[Path]) -> None:
        if not files:
            text = self.tr(
                "There is no file in {folder} that can be built. Open one that has files such as "
                ".cu, .ll, .ptx or .cubin, or a folder above it."
            )
            self._shell.notices.show_message(text.format(folder=self._folder))
            return
        color = current_theme().ui.muted_text
        entries = []
        for path in files:
            kind = kind_of(path.name) or CodeKind.CUDA
            where = path.parent
            if where.is_relative_to(self._folder):
                where = where.relative_to(self._folder)
            detail = "" if where == Path() else str(where)
            entries.append(
                PaletteEntry(path.name, path, detail, icon=icon(icon_name(kind, False), color))
            )
        self._palette.offer(entries)


def _files_below(folder: Path, stop: Event) -> list[Path]:
    """Returns the files that can be built, those with commands first; then by folder and name."""
    found: dict[Path, None] = {}
    for database in databases_near(folder / "any"):
        with suppress(FlagsError):
            commanded = (Path(os.path.normpath(file)) for file in files_in(database))
            found |= dict.fromkeys(
                f for f in commanded if kind_of(f.name) in _LISTED and f.is_relative_to(folder)
            )
    found |= dict.fromkeys(_sources(folder, stop))
    return list(found)[:_MOST_FILES]


def _sources(folder: Path, stop: Event) -> Iterator[Path]:
    """Yields the files with an ending of code, hidden folders left out."""
    looked_at = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        looked_at += len(names)
        if stop.is_set() or looked_at > _MOST_LOOKED_AT:
            return
        yield from (Path(parent, name) for name in sorted(names) if kind_of(name) in _LISTED)
