"""The installed tools, as the worker reports, and other versions of the compilers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Event
from types import MappingProxyType

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.toolchain_folders import (
    OWN,
    AddedToolchains,
    ToolchainError,
    ToolchainFolder,
    hinted,
    named,
    toolchain_in,
)
from jitstudio.core.toolchain_info import ToolchainInfo
from jitstudio.gui.kit.background import Background
from jitstudio.gui.services.build_service import BuildService
from jitstudio.gui.state.build_settings import BuildSettings


class Toolchain(QObject):
    """Asks the worker for the tools, and keeps the last answer.

    Args:
        service: Asks the worker.
        settings: Whose compilers are asked for.

    Attributes:
        info: The tools; None until the worker has answered.

    Signals:
        found: The worker has answered.
    """

    found = Signal(ToolchainInfo)

    def __init__(
        self, service: BuildService, settings: BuildSettings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._service = service
        self._settings = settings
        settings.toolchain_changed.connect(self.probe)
        self.info: ToolchainInfo | None = None

    def follow(self, slot: Callable[[ToolchainInfo], object]) -> None:
        """Calls `slot` at each answer from now on, and at once if there has been an answer."""
        if self.info is not None:
            slot(self.info)
        self.found.connect(slot)

    @Slot()
    def probe(self) -> None:
        """Asks for the installed tools; also starts the worker before the first build."""
        self._service.probe(self._settings.toolchain).finished.connect(self._on_probed)

    @Slot(object)
    def _on_probed(self, info: ToolchainInfo) -> None:
        self.info = info
        self.found.emit(info)


_NONE: Mapping[str, ToolchainFolder] = MappingProxyType({})


class OtherToolchains(QObject):
    """The other versions of the compilers that the user has added; read in the background.

    Args:
        settings: The build settings, which hold the chosen compilers.
        added: Keeps the folders; in the user's own place where not given.

    Attributes:
        found: The contents of the folders, by the names of the versions; None until they are read.

    Signals:
        changed: There are more or fewer, or they have been read.
        failed: Why they cannot be kept, a sentence.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(
        self,
        settings: BuildSettings,
        parent: QObject | None = None,
        added: AddedToolchains | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._added = added or AddedToolchains()
        self.found: Mapping[str, ToolchainFolder] | None = None
        self._reading = Background(self)
        self._reading.done.connect(self._on_read)
        self._reading.failed.connect(self._on_unread)
        settings.toolchain_wanted.connect(self._on_wanted)
        self._on_wanted()

    @property
    def folders(self) -> Mapping[str, str]:
        """The folders that can be built with, by the names of axes; our own compilers first."""
        toolchains = (self.found or _NONE).items()
        return {OWN: ""} | {
            name: toolchain.folder for name, toolchain in toolchains if not toolchain.problem
        }

    @property
    def lacking(self) -> str:
        """The name of the compilers that the open work wants and that are missing; or empty."""
        settings = self._settings
        is_there = settings.toolchain or settings.awaits_toolchain
        return "" if is_there else settings.toolchain_name

    def choose(self, folder: str) -> None:
        """Builds with the compilers in `folder`; with our own if the folder is empty."""
        names = {path: name for name, path in self.folders.items()}
        self._settings.choose_toolchain(names.get(folder, folder) if folder else "", folder)

    def read(self) -> None:
        """Looks at the folders once, and again after `add` and `remove`."""
        if self.found is None and not self._reading.is_busy:
            self._start(lambda folders: folders)

    def add(self, folder: str) -> None:
        """Remembers another folder."""
        self._start(lambda folders: (*folders, folder))

    def remove(self, folder: str) -> None:
        """Forgets a folder; nothing in the folder is touched."""
        self._start(lambda folders: tuple(listed for listed in folders if listed != folder))

    def _start(self, change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> None:
        added = self._added

        def work(_stop: Event) -> tuple[Mapping[str, ToolchainFolder], str]:
            folders, problem = change(added.folders), ""
            try:
                if folders != added.folders:
                    added.keep(folders)
            except ToolchainError as error:
                problem = str(error)
            return named(map(toolchain_in, folders)), problem

        self._reading.start(work)

    def _on_read(self, read: tuple[Mapping[str, ToolchainFolder], str]) -> None:
        self.found, problem = read
        self._settle()
        self.changed.emit()
        if problem:
            self.failed.emit(problem)

    @Slot(str)
    def _on_unread(self, problem: str) -> None:
        self._on_read((self.found or _NONE, problem))

    @Slot()
    def _on_wanted(self) -> None:
        if not self._settings.awaits_toolchain:
            return
        if self.found is None:
            self.read()
        else:
            self._settle()
            self.changed.emit()

    def _settle(self) -> None:
        """Sets the folder of the compilers that the open work names, if that is unknown."""
        settings = self._settings
        if settings.toolchain_name and not settings.toolchain:
            settings.settle_toolchain(hinted(settings.toolchain_name, self.found or _NONE))
