"""Lists the kernels of an opened file or folder, and opens a kernel like the result of a build."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from time import time

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.entry import base_name
from jitstudio.core.library import LibraryFailure, LibraryListing
from jitstudio.gui.context import Context
from jitstudio.gui.features.library.folder_watch import FolderWatch
from jitstudio.gui.features.library.model import KernelRow
from jitstudio.gui.features.library.view import LibraryView
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.services.library_service import LibraryService
from jitstudio.gui.services.request_queue import RequestHandle
from jitstudio.gui.shell.navigation import KernelPlace, Navigator
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.session import Session

_LONGEST_NAME = 80
# What may be in the name of a file.
_NO_NAME = re.compile(r"[^\w.+-]")


def install(context: Context) -> None:
    """Makes the pane "Library"."""
    state, shell = context.state, context.shell
    view = LibraryView(parent=shell.layout.place("library"))
    shell.layout.fill("library", view)
    LibraryController(
        view,
        state.library_service,
        context.files,
        state.documents,
        state.settings,
        state.outputs,
        state.session,
        context.navigator,
        shell,
    )
    shell.context_menus.add_to_tables(view)


class LibraryController(QObject):
    """Lists the kernels of a file at a time, and leads to the kernel that was opened last."""

    def __init__(
        self,
        view: LibraryView,
        service: LibraryService,
        files: FileCommands,
        documents: Documents,
        settings: BuildSettings,
        outputs: Outputs,
        session: Session,
        navigator: Navigator,
        shell: Shell,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._service = service
        self._files = files
        self._documents = documents
        self._settings = settings
        self._outputs = outputs
        self._navigator = navigator
        self._shell = shell
        self._session = session
        self._path = Path()
        # Listed by the last session, to be listed again once the pane is seen.
        self._left = session.library
        self._library_listing: LibraryListing | None = None
        self._watch = FolderWatch(view)
        self._watch.changed.connect(self._list)
        self._listing: RequestHandle | None = None
        self._taking: RequestHandle | None = None
        self._wanted: tuple[Path, str] | None = None
        files.library_wanted.connect(self._on_library_wanted)
        view.stop_wanted.connect(self._on_stopped)
        view.kernel_activated.connect(self._on_kernel_activated)
        outputs.result_changed.connect(self._on_result_changed)
        Visibility(view, self, self._on_visibility_changed)

    def _on_visibility_changed(self, is_seen: bool) -> None:
        if is_seen and self._left:
            self._open(Path(self._left))

    @Slot(Path, bool)
    def _on_library_wanted(self, path: Path, is_module: bool) -> None:
        self._open(path)
        if is_module:
            # It is in a tab, too, where the keyboard is.
            self._shell.layout.uncover(self._view)
        else:
            self._shell.layout.bring_up(self._view)

    def _open(self, path: Path) -> None:
        self._left = ""
        self._session.library = str(path)
        self._path, self._library_listing = path, None
        self._view.begin(path)
        handle = self._list()
        handle.progressed.connect(self._view.show_progress)
        handle.dropped.connect(self._on_dropped)

    def _list(self) -> RequestHandle:
        self._forget(self._listing)
        self._watch.stop()
        self._listing = handle = self._service.list_kernels(self._path)
        handle.finished.connect(partial(self._on_listed, time()))
        handle.failed.connect(self._view.show_failure)
        return handle

    def _on_listed(self, began: float, listing: LibraryListing | LibraryFailure) -> None:
        self._listing = None
        before, self._library_listing = (
            self._library_listing,
            listing if isinstance(listing, LibraryListing) else None,
        )
        if isinstance(listing, LibraryFailure):
            self._view.show_failure(listing.message)
        elif before is None:
            self._view.show_listing(listing)
        elif listing != before:
            self._view.update_listing(listing)
        self._watch.start(self._path, _places(self._library_listing), began)

    @Slot()
    def _on_dropped(self) -> None:
        self._view.show_failure(self.tr("The file was not read to its end. Open it again."))

    @Slot()
    def _on_stopped(self) -> None:
        if self._listing is not None:
            self._listing.cancel()

    @Slot(KernelRow)
    def _on_kernel_activated(self, row: KernelRow) -> None:
        self._forget(self._taking)
        name = self._name_of(row)
        self._shell.status.show_message(self.tr("Opening {name}").format(name=row.kernel.demangled))
        self._taking = handle = self._service.take(self._path, row.piece, name)
        handle.finished.connect(lambda taken: self._on_taken(row, taken))
        handle.failed.connect(self._shell.notices.show_message)

    def _on_taken(self, row: KernelRow, taken: Path | LibraryFailure) -> None:
        self._taking = None
        if isinstance(taken, LibraryFailure):
            self._shell.notices.show_message(taken.message)
            return
        self._wanted = (taken.resolve(), row.kernel.name)
        self._outputs.function = row.kernel.name
        # A fatbin has the code of other targets, too.
        self._settings.arch = row.piece.arch
        # By itself, whatever is linked.
        self._files.open_paths([taken], program=self._program_of(taken))
        self._on_result_changed()

    @Slot()
    def _on_result_changed(self) -> None:
        """Leads to the opened kernel, as soon as the build is done."""
        document, figures = self._documents.current, self._outputs.shown_result
        if self._wanted is None or document is None or figures is None:
            return
        path, name = self._wanted
        if document.path != path or figures.arch != self._settings.arch:
            return
        kernel = next((k for k in figures.kernels if k.name == name), None)
        if kernel is not None:
            self._wanted = None
            self._navigator.go_to(KernelPlace(CodeKind.SASS, kernel))

    def _program_of(self, taken: Path) -> str:
        """Returns the program of a kernel; in a cache each kernel is a program alone."""
        if not self._is_folder:
            return self._path.name
        document = self._documents.at_path(taken.resolve())
        return document.program if document else self._documents.unique_program(taken.stem)

    @property
    def _is_folder(self) -> bool:
        return self._library_listing is not None and bool(self._library_listing.folders)

    def _name_of(self, row: KernelRow) -> str:
        """Returns a name, without ending, for the file with the code of a kernel."""
        if self._is_folder:
            # The files in caches are called by hashes.
            name = base_name(row.kernel.demangled)
        else:
            name = (row.piece.member.rpartition("/")[2] or self._path.name).partition(".")[0]
        return _NO_NAME.sub("_", name)[:_LONGEST_NAME] or "kernels"

    @staticmethod
    def _forget(handle: RequestHandle | None) -> None:
        if handle is not None:
            handle.ignore()
            handle.cancel()


def _places(listing: LibraryListing | None) -> tuple[str, ...]:
    """Returns the folders of a listing, and the files that hold several entries."""
    if listing is None or not listing.folders:
        return ()
    files = {
        member.partition(":")[0] for piece in listing.pieces if ":" in (member := piece.member)
    }
    return (*listing.folders, *sorted(files))
