"""Opening, saving and closing: everything about documents that asks the user or touches files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from jitstudio.core.code import TEXT_KINDS, Artifact, CodeKind
from jitstudio.core.result import BuildResult
from jitstudio.gui.dialogs import Dialogs, Unsaved
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import (
    Document,
    DocumentError,
    Documents,
    kind_of_file,
    read_file,
)
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.templates import (
    CUDA_TEMPLATE,
    HEADER_TEMPLATE,
    PTX_TEMPLATE,
    Template,
    llvm_template,
)
from jitstudio.samples import Sample, SampleFile


class FileCommands(QObject):
    """What the File menu does.

    Args:
        dialogs: Who asks the user; dialogs over `window` where not given.

    Signals:
        failed: Something could not be read or written, in words.
        told: Something went well that cannot be seen otherwise, in words.
        recent_changed: The list of recent files is another one.
    """

    failed = Signal(str)
    told = Signal(str)
    recent_changed = Signal()

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        preferences: Preferences,
        window: QWidget,
        dialogs: Dialogs | None = None,
        launches: LaunchSpecs | None = None,
    ) -> None:
        super().__init__(window)
        self._documents = documents
        self._settings = settings
        self._preferences = preferences
        self._dialogs = dialogs or Dialogs(window)
        self._launches = LaunchSpecs() if launches is None else launches

    @Slot()
    def new_cuda(self) -> None:
        """A tab with a small kernel."""
        self._new(CUDA_TEMPLATE)

    @Slot()
    def new_header(self) -> None:
        """A tab that other tabs can include."""
        self._new(HEADER_TEMPLATE)

    @Slot()
    def new_ptx(self) -> None:
        """A tab with a small kernel in PTX."""
        self._new(PTX_TEMPLATE)

    @Slot()
    def new_llvm(self) -> None:
        """A tab with LLVM IR in the dialect of the target."""
        self._new(llvm_template(self._settings.arch))

    @Slot()
    def open(self) -> None:
        """Ask for files and open them."""
        self.open_paths(self._dialogs.files_to_open(self._folder()))

    def open_paths(self, paths: Iterable[Path]) -> None:
        """Open these files; one that is open already becomes current."""
        for path in (path.resolve() for path in paths):
            try:
                self._open_path(path)
            except DocumentError as error:
                self.failed.emit(str(error))

    def open_sample(self, sample: Sample) -> None:
        """Open a sample as new tabs, with the target and the link it was written for."""
        for document in self._documents:
            # The link of a sample shall not take in what happens to be open.
            document.included = False
        opened = [self._open_sample_file(file) for file in sample.files]
        if sample.arch is not None:
            self._settings.arch = sample.arch
        self._settings.link = sample.link
        for spec in sample.launches:
            self._launches.suggest(spec)
        self._documents.current = opened[0]

    @Slot()
    def save(self) -> bool:
        """Save the current document; whether its text is now in a file."""
        document = self._writable()
        if document is None:
            return False
        if document.path is None:
            return self.save_as()
        return self._save(document, document.path)

    @Slot()
    def save_as(self) -> bool:
        """Ask for a name and save the current document under it."""
        document = self._writable()
        if document is None:
            return False
        proposed = document.path or Path(self._folder(), document.name)
        path = self._dialogs.file_to_save(proposed)
        return path is not None and self._save(document, path.resolve())

    def save_results(self, result: BuildResult | None) -> None:
        """Ask for a folder and write all artifacts into it."""
        if result is None or not result.artifacts:
            self.failed.emit("There is nothing to save: build something first.")
            return
        folder = self._dialogs.folder_for_results(self._folder())
        if folder is None:
            return
        files = _result_files(result.artifacts)
        there = [name for name in files if (folder / name).exists()]
        if there and not self._dialogs.may_replace(there, folder):
            return
        try:
            for name, content in files.items():
                (folder / name).write_bytes(content)
        except OSError as error:
            self.failed.emit(
                f"The results cannot be written to '{folder}': {error.strerror}. "
                "Choose another folder."
            )
            return
        self.told.emit(f"{len(files)} file{'' if len(files) == 1 else 's'} written to {folder}")

    def close(self, document: Document) -> bool:
        """Close a document, asking first where text would be lost; whether it was closed."""
        if document.is_modified and not self._may_be_lost(document):
            return False
        self._documents.remove(document)
        return True

    @Slot()
    def close_current(self) -> None:
        """Close the current document."""
        if self._documents.current is not None:
            self.close(self._documents.current)

    def _new(self, template: Template) -> None:
        name = self._documents.unique_name(template.name)
        self._documents.add(Document(name, template.kind, template.text.encode()))

    def _open_sample_file(self, file: SampleFile) -> Document:
        document = self._documents.named(file.path.name)
        content = file.path.read_bytes()
        # A header that has been edited is still the one that the sample includes.
        fits = document is not None and (document.is_header or document.content == content)
        if document is None or not fits:
            name = self._documents.unique_name(file.path.name)
            document = Document(name, kind_of_file(file.path), content)
            document.name_expressions = file.name_expressions
            self._documents.add(document)
        document.included = True
        return document

    def _open_path(self, path: Path) -> None:
        document = self._documents.at_path(path)
        if document is None:
            kind = kind_of_file(path)
            name = self._documents.unique_name(path.name)
            document = Document(name, kind, read_file(path), path)
            self._documents.add(document)
        self._documents.current = document
        self._preferences.add_recent_file(path)
        self.recent_changed.emit()

    def _writable(self) -> Document | None:
        """The current document, if there is text in it to save."""
        document = self._documents.current
        if document is not None and document.text is None:
            self.failed.emit(f"'{document.name}' cannot be edited, so there is nothing to save.")
            return None
        return document

    def _save(self, document: Document, path: Path) -> bool:
        try:
            kind = self._kind_to_save(document, path)
            document.save(path)
        except DocumentError as error:
            self.failed.emit(str(error))
            return False
        document.kind = kind
        self._documents.rename(document, path.name)
        self._preferences.add_recent_file(path)
        self.recent_changed.emit()
        self.told.emit(f"Saved {path}")
        return True

    def _kind_to_save(self, document: Document, path: Path) -> CodeKind:
        """The kind that the document will have in this file; raises `DocumentError` if none."""
        kind = kind_of_file(path)
        if kind not in TEXT_KINDS:
            raise DocumentError(
                f"'{path.name}' would be taken for a {kind.title}, but this is text. "
                f"Save it with the ending {document.kind.ending}."
            )
        other = self._documents.at_path(path)
        if other is not None and other is not document:
            raise DocumentError(
                f"'{path}' is open in another tab. Close that tab first, or choose another name."
            )
        return kind

    def _may_be_lost(self, document: Document) -> bool:
        answer = self._dialogs.about_unsaved(document.name)
        if answer is Unsaved.SAVE:
            self._documents.current = document
            return self.save()
        return answer is Unsaved.DISCARD

    def _folder(self) -> str:
        recent = self._preferences.recent_files
        return str(recent[0].parent) if recent else ""


def _result_files(artifacts: Iterable[Artifact]) -> dict[str, bytes]:
    """What to write under which name; modules that differ in their ending keep it."""
    files: dict[str, bytes] = {}
    for artifact in artifacts:
        short = artifact.file_name
        name = f"{artifact.name}{artifact.kind.ending}" if short in files else short
        files[name] = artifact.content
    return files
