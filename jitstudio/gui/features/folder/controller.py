"""Opens a folder: lists the files that can be built, and takes the flags of the chosen file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event

from PySide6.QtCore import QObject, Slot

from jitstudio.core.bounds.folders import walk
from jitstudio.core.code import CodeKind, kind_of
from jitstudio.core.options import join_options, split_options, without
from jitstudio.export.compile_commands import (
    CompileFlags,
    FlagsError,
    databases_near,
    files_in,
    flags_in,
    flags_of,
)
from jitstudio.gui.code.languages import icon_name
from jitstudio.gui.context import Context
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.theme import current_theme
from jitstudio.gui.shell.notice_bar import NoticeAction, NoticeBar
from jitstudio.gui.shell.palette.model import PaletteEntry
from jitstudio.gui.shell.palette.view import Palette
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.tab_options import TabOptions

# Objects and libraries lie in build folders by the thousand, and headers are no modules.
_LISTED = frozenset(
    {
        *(CodeKind.CUDA, CodeKind.LLVM_IR, CodeKind.PTX),
        *(CodeKind.CUBIN, CodeKind.FATBIN, CodeKind.LTOIR),
    }
)
_MOST_FILES = 5_000


def install(context: Context) -> None:
    """Makes "Open folder", and watches what the user opens."""
    state, shell = context.state, context.shell
    flags = FlagsController(
        state.documents, state.settings, state.tab_options, context.files, shell.notices
    )
    FolderController(flags, shell)


class FolderController(QObject):
    """Asks for a folder, and then for a file in there."""

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
            self.tr("No file matches"),
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
    """Returns the files that can be built, files with commands first; then by folder and name."""
    files: dict[Path, None] = {}
    for database in databases_near(folder / "any"):
        with suppress(FlagsError):
            commanded = (Path(os.path.normpath(file)) for file in files_in(database))
            files |= dict.fromkeys(
                f for f in commanded if kind_of(f.name) in _LISTED and f.is_relative_to(folder)
            )
    files |= dict.fromkeys(_sources(folder, stop))
    return list(files)[:_MOST_FILES]


def _sources(folder: Path, stop: Event) -> Iterator[Path]:
    """Yields the files with an ending of code, hidden folders left out."""
    for parent, names in walk(folder, lambda name: not name.startswith(".")):
        if stop.is_set():
            return
        yield from (Path(parent, name) for name in names if kind_of(name) in _LISTED)


# ---- The flags that an opened file is built with elsewhere: by CMake, or as its text says

_NOTICE = "flags"
_MOST_SHOWN = 300


class FlagsController(QObject):
    """Looks for the flags of each file that the user opens, and offers flags that are not set."""

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        tab_options: TabOptions,
        files: FileCommands,
        notices: NoticeBar,
    ) -> None:
        super().__init__(files)
        self._documents = documents
        self._settings = settings
        self._tab_options = tab_options
        self._files = files
        self._notices = notices
        self._looked_up: set[Path] = set()
        self._wanted: Path | None = None
        self._is_chosen = False
        self._name = ""
        self._search = Background(self)
        self._search.done.connect(self._on_found)
        files.opened.connect(self._on_opened)

    def open(self, path: Path) -> None:
        """Opens a file of a folder whose flags the user wants, too: they are set at once."""
        self._wanted = path
        self._looked_up.discard(path)
        self._files.open_paths([path])

    @Slot()
    def _on_opened(self) -> None:
        document = self._documents.current
        path = document.path if document is not None else None
        wanted, self._wanted = self._wanted, None
        self._is_chosen = path is not None and path == wanted
        if document is None or path is None or document.kind is not CodeKind.CUDA:
            return
        if path not in self._looked_up and self._settings.trust.is_trusted:
            self._looked_up.add(path)
            self._name, text = document.name, document.content

            def search(_stop: Event) -> CompileFlags | None:
                return flags_in(text, path) or flags_of(path)

            self._search.start(search)

    @Slot(object)
    def _on_found(self, flags: CompileFlags | None) -> None:
        if flags is None or not self._changes(flags):
            return
        if self._is_chosen and not flags.left_out:
            self._take(flags)
            return
        words = join_options((*([flags.arch.sm] if flags.arch else []), *flags.options))
        if len(words) > _MOST_SHOWN:
            words = f"{words[:_MOST_SHOWN]}…"
        text = self.tr("{name} has flags in {path}: {flags}")
        lines = [text.format(name=self._name, path=flags.path, flags=words)]
        if flags.left_out:
            text = self.tr("Not taken, as NVRTC has no such option or it writes files: {flags}")
            lines.append(text.format(flags=join_options(flags.left_out)))

        def take() -> None:
            self._take(flags)

        choices = [NoticeAction("takeFlags", self.tr("Use these flags"), take)]
        self._notices.ask(_NOTICE, "\n".join(lines), choices)

    def _changes(self, flags: CompileFlags) -> bool:
        options = self._tab_options.text
        return flags.arch not in (None, self._settings.arch) or options != self._merged(flags)

    def _take(self, flags: CompileFlags) -> None:
        self._notices.withdraw(_NOTICE)
        self._tab_options.text = self._merged(flags)
        if flags.arch is not None:
            self._settings.arch = flags.arch

    def _merged(self, flags: CompileFlags) -> str:
        """Returns the options with `flags`, which replace other values of the same options."""
        try:
            words = split_options(self._tab_options.text)
        except ValueError:
            # A quote is not closed: what is typed stays as it is.
            return self._tab_options.text
        rest = [word for word in without(words, flags.options) if word not in flags.options]
        return join_options((*rest, *flags.options))
