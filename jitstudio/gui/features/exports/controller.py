"""Exports the open work, takes it to Compiler Explorer, and opens work that others sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import NamedTuple

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from jitstudio.analysis.reading_request import ReadingFailure
from jitstudio.core.code import PROJECT_ENDING
from jitstudio.core.launch.choice import build_for_launch
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.project.format import dump
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.export.compiler_explorer import (
    ImportedProject,
    link_of,
    project_from_link,
)
from jitstudio.export.formats import ExportedFiles, ExportFormat
from jitstudio.export.project_text import (
    ProjectTextError,
    is_project_text,
    pack,
    texts_of,
    unpack,
)
from jitstudio.export.recipe import (
    ExportError,
    Recipe,
    carried_headers,
    exported_request,
    launch_of,
    module_of,
    reading_request,
    recipe_of,
)
from jitstudio.gui.context import Context
from jitstudio.gui.features.exports.dialog import ExportAsDialog, ImportDialog, write_files
from jitstudio.gui.files.project_commands import ProjectCommands
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import Dialogs, open_dialog
from jitstudio.gui.services.analysis_service import AnalysisService, ReadListing
from jitstudio.gui.services.build_service import BuildOutput
from jitstudio.gui.shell.notice_bar import NoticeAction
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.document_files import DocumentError, write_file
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.project import ProjectState
from jitstudio.gui.state.side_builds import SideBuilds


def install(context: Context) -> None:
    """Makes the exports and the imports of the File menu."""
    state = context.state
    ExportsController(
        state.build_controller,
        state.documents,
        state.side_builds,
        state.launch_specs,
        state.launches,
        state.analysis_service,
        context.shell,
    )
    ExchangeController(state.documents, state.project, context.projects, context.shell)


_TAG = "export"
# Reports that a browser shows.
_SHOWN_BY_BROWSERS = frozenset({".html", ".pdf"})


class MadeRecipe(NamedTuple):
    """A recipe that can be exported.

    Attributes:
        recipe: The build with its launch.
        note: Why it has no launch, where it could have one; else empty.
    """

    recipe: Recipe
    note: str = ""


class ExportsController(QObject):
    """Builds the open work once more, as exports need it, and shows or opens the export."""

    def __init__(
        self,
        build_controller: BuildController,
        documents: Documents,
        side_builds: SideBuilds,
        launch_specs: LaunchSpecs,
        launches: LaunchController,
        analyses: AnalysisService,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        self._build_controller = build_controller
        self._documents = documents
        self._side_builds = side_builds
        self._launch_specs = launch_specs
        self._launches = launches
        self._analyses = analyses
        self._shell = shell
        self._dialogs = Dialogs(shell.window)
        self._disk = FileReader(self)
        self._making = Background(self)
        self._making.done.connect(self._on_recipe)
        self._making.failed.connect(self._fail)
        self._then: Callable[[MadeRecipe], None] = self._show
        self._request: BuildRequest | None = None
        shell.actions.bind(
            {
                "exportAsAction": partial(self._begin, self._show),
                "openCompilerExplorerAction": partial(self._begin, self._open_link),
                "copyCompilerExplorerAction": partial(self._begin, self._copy_link),
            }
        )

    def _begin(self, then: Callable[[MadeRecipe], None], _checked: bool = False) -> None:
        """Builds for an export, and calls `then` with the recipe, unless another one is begun."""
        self._launch_specs.finish()
        if self._launches.devices is None:
            # A command names the device, and builds take longer than this.
            self._launches.list_devices()
        spec = self._launch_specs.spec if self._launch_specs.form is not None else None
        try:
            request = self._build_controller.request(frozenset())
            request = exported_request(build_for_launch(request, spec.kernel if spec else ""))
        except (ValueError, ExportError) as error:
            self._fail(str(error))
            return
        self._making.stop()
        self._then, self._request = then, request
        handle = self._side_builds.build(request, self.tr("Building what is to be exported"))
        handle.finished.connect(partial(self._on_built, request, spec))
        handle.failed.connect(partial(self._on_build_failed, request))

    def _on_build_failed(self, request: BuildRequest, problem: str) -> None:
        if request is self._request:
            self._fail(problem)

    def _on_built(
        self, request: BuildRequest, spec: LaunchSpec | None, output: BuildOutput
    ) -> None:
        if request is not self._request:
            return
        result = output.result
        if not result.ok:
            text = self.tr("Nothing was exported. {reason}").format(reason=result.reason)
            if result.outcome is Outcome.CANCELLED:
                self._shell.status.show_message(text)
            else:
                self._fail(text)
            return
        paths = {d.name: str(d.path) for d in self._documents if d.path is not None}

        def make(_stop: Event) -> MadeRecipe:
            return made_recipe(request, result, spec, paths)

        self._making.start(make)

    @Slot(object)
    def _on_recipe(self, made: MadeRecipe) -> None:
        device = self._launches.device
        if device is not None:
            made = made._replace(recipe=replace(made.recipe, device=device.ordinal))
        self._then(made)

    def _show(self, exported: MadeRecipe) -> None:
        dialog = ExportAsDialog(exported.recipe, exported.note, self._shell.window)
        dialog.save_requested.connect(self._on_save)
        dialog.code_wanted.connect(partial(self._read, dialog))
        open_dialog(dialog)

    def _read(self, dialog: ExportAsDialog) -> None:
        """Has the machine code read that a report shows."""
        handle = self._analyses.read(reading_request(dialog.recipe), tag=_TAG)
        handle.finished.connect(lambda read: self._on_code(dialog, read))
        handle.failed.connect(self._fail)

    @staticmethod
    def _on_code(dialog: ExportAsDialog, read: ReadListing | ReadingFailure) -> None:
        if isValid(dialog):
            dialog.set_code(read.message if isinstance(read, ReadingFailure) else read.code)

    @Slot(object, object)
    def _on_save(self, chosen: ExportFormat, files: ExportedFiles) -> None:
        name = next(iter(files.files))
        if chosen.ending:
            place = self._dialogs.file_to_save(Path.cwd() / name)
        else:
            place = self._dialogs.folder_for_results(str(Path.cwd()))
        if place is None:
            return
        write = partial(write_files, files, place, is_folder=not chosen.ending)
        try:
            written = self._disk.outcome(partial(_refused_as_document, write))
        except DocumentError as error:
            self._fail(str(error))
            return
        said = self.tr("Exported to {files}")
        text = said.format(files=", ".join(map(str, written)))
        self._shell.status.show_message(text)
        if chosen.ending in _SHOWN_BY_BROWSERS:
            url = QUrl.fromLocalFile(str(written[0]))
            open_it = NoticeAction(
                "openInBrowser",
                self.tr("&Open in browser"),
                lambda: QDesktopServices.openUrl(url) and self._shell.notices.withdraw("exported"),
            )
            self._shell.notices.ask("exported", text, (open_it,))

    def _open_link(self, exported: MadeRecipe) -> None:
        if (link := self._link(exported)) and not QDesktopServices.openUrl(QUrl(link)):
            QApplication.clipboard().setText(link)
            self._fail(self.tr("No browser can be opened here. The link is in the clipboard."))

    def _copy_link(self, exported: MadeRecipe) -> None:
        if link := self._link(exported):
            QApplication.clipboard().setText(link)

    def _link(self, exported: MadeRecipe) -> str:
        """Returns a link of Compiler Explorer, and tells the omissions; empty for none."""
        try:
            link, notes = link_of(exported.recipe)
        except ExportError as error:
            self._fail(str(error))
            return ""
        said = self.tr("Made a link of {count:,} characters, with all of it in it")
        self._shell.status.show_message(said.format(count=len(link)))
        if notes:
            self._fail(" ".join((self.tr("The link leaves something out."), *notes)))
        return link

    @Slot(str)
    def _fail(self, message: str) -> None:
        self._shell.notices.show_message(message)


def made_recipe(
    request: BuildRequest, result: BuildResult, spec: LaunchSpec | None, paths: dict[str, str]
) -> MadeRecipe:
    """Returns the recipe of a build.

    Args:
        request: The build, see `exported_request`.
        result: The result of the build.
        spec: The launch that the form says; None where there is no kernel.
        paths: The paths of the open documents, by name.

    Raises:
        ExportError: It is no program.
    """
    launch, note = None, ""
    if spec is not None:
        try:
            launch = launch_of(request, result, spec)
        except ExportError as error:
            note = f"Without a launch: {error}"
    part = module_of(request, [launch.form.module] if launch else [])
    recipe = recipe_of(part, result, carried_headers(part, result), launch)
    return MadeRecipe(replace(recipe, paths=paths), note)


def _refused_as_document(write: Callable[[], tuple[Path, ...]]) -> tuple[Path, ...]:
    try:
        return write()
    except OSError as error:
        place = error.filename or ""
        raise DocumentError(f"'{place}' cannot be written: {error.strerror or error}.") from None


class ExchangeController(QObject):
    """Imports from Compiler Explorer, sends projects as text, and opens sent projects.

    An import becomes a project file, which is opened like any other: untrusted, and not built
    before the user asks for a build.
    """

    def __init__(
        self,
        documents: Documents,
        project: ProjectState,
        projects: ProjectCommands,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        self._documents = documents
        self._project = project
        self._projects = projects
        self._shell = shell
        self._dialogs = Dialogs(shell.window)
        self._disk = FileReader(self)
        self._reading = Background(self)
        self._reading.done.connect(self._on_read)
        self._reading.failed.connect(shell.notices.show_message)
        self._packing = Background(self)
        self._packing.done.connect(self._on_packed)
        self._packing.failed.connect(shell.notices.show_message)
        shell.actions.bind(
            {
                "importAction": self.ask,
                "copyProjectTextAction": self.copy_text,
                "openClipboardAction": self.open_clipboard,
            }
        )

    @Slot()
    def ask(self) -> None:
        """Asks for a link of Compiler Explorer or a file that was downloaded there."""
        dialog = ImportDialog(self._shell.window)
        dialog.wanted.connect(self._on_wanted)
        open_dialog(dialog)

    @Slot()
    def copy_text(self) -> None:
        """Copies the project as a line of text."""
        folder = self._project.path.parent if self._project.path else Path.cwd()
        project = self._project.capture(folder / f"project{PROJECT_ENDING}", lambda path: path)
        contents = {document.name: document.content for document in self._documents}

        def make(_stop: Event) -> str:
            return pack(texts_of(project, contents))

        self._packing.start(make)

    @Slot()
    def open_clipboard(self) -> None:
        """Opens the project, or the link, that is in the clipboard."""
        self._on_wanted(partial(_from_text, QApplication.clipboard().text()))

    @Slot(object)
    def _on_wanted(self, read: Callable[[], ImportedProject]) -> None:
        self._reading.start(lambda _stop: read())

    @Slot(object)
    def _on_read(self, imported: ImportedProject) -> None:
        name = Path(imported.project.current or "imported").stem
        path = self._dialogs.project_to_save(Path.cwd() / f"{name}{PROJECT_ENDING}")
        if path is None:
            return
        try:
            self._disk.outcome(partial(write_file, path, dump(imported.project)))
        except DocumentError as error:
            self._shell.notices.show_message(str(error))
            return
        if imported.notes:
            self._shell.notices.show_message(" ".join(imported.notes))
        self._projects.open_path(path)

    @Slot(object)
    def _on_packed(self, text: str) -> None:
        QApplication.clipboard().setText(text)
        said = self.tr("Copied the project as {count:,} characters of text")
        self._shell.status.show_message(said.format(count=len(text)))


def _from_text(text: str) -> ImportedProject:
    """Returns the project in a text, or behind a link.

    Raises:
        ProjectTextError, ForeignStateError: There is none.
    """
    if not text.strip():
        raise ProjectTextError("The clipboard has no text. Copy a project's text, or a link.")
    return ImportedProject(unpack(text)) if is_project_text(text) else project_from_link(text)
