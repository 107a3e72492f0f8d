"""Offers the flags that an opened file is built with elsewhere: by CMake, or as its text says."""

from __future__ import annotations

from pathlib import Path
from threading import Event

from PySide6.QtCore import QObject, Slot

from jitstudio.compile_commands import CompileFlags, flags_in, flags_of
from jitstudio.core.code import CodeKind
from jitstudio.core.options import join_options, split_options, without
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.kit.background import Background
from jitstudio.gui.shell.notice_bar import NoticeAction, NoticeBar
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Documents

_NOTICE = "flags"
_MOST_SHOWN = 300


class FlagsController(QObject):
    """Looks for the flags of each file that the user opens, and offers those that are not set."""

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        files: FileCommands,
        notices: NoticeBar,
    ) -> None:
        super().__init__(files)
        self._documents = documents
        self._settings = settings
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
        if path not in self._looked_up and self._settings.origin.is_trusted:
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
        options = self._settings.options
        return flags.arch not in (None, self._settings.arch) or options != self._merged(flags)

    def _take(self, flags: CompileFlags) -> None:
        self._notices.withdraw(_NOTICE)
        self._settings.options = self._merged(flags)
        if flags.arch is not None:
            self._settings.arch = flags.arch

    def _merged(self, flags: CompileFlags) -> str:
        """Returns the options with these, which take the place of other values for the same."""
        try:
            given = split_options(self._settings.options)
        except ValueError:
            # A quote is not closed: what is typed stays as it is.
            return self._settings.options
        rest = [word for word in without(given, flags.options) if word not in flags.options]
        return join_options((*rest, *flags.options))
