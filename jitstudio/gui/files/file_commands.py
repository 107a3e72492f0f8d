"""Opening, saving and closing: everything about documents that asks the user or touches files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from jitstudio.core.code import TEXT_KINDS, Artifact, CodeKind, is_project
from jitstudio.core.result import BuildResult
from jitstudio.gui.files.templates import (
    CUDA_TEMPLATE,
    HEADER_TEMPLATE,
    PTX_TEMPLATE,
    PYTHON_TEMPLATE,
    Template,
    llvm_template,
)
from jitstudio.gui.kit.dialogs import ChangedFile, Dialogs, UnsavedChoice
from jitstudio.gui.kit.translating import counted
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.document_files import (
    DocumentError,
    has_changed,
    holds_library,
    kind_of_file,
    read_file,
    rename_file,
    resolved,
    write_file,
)
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.file_text import (
    Encoding,
    EncodingError,
    FileContent,
    ReadOnlyReason,
    compare,
)
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.sample_tabs import open_sample
from jitstudio.help.samples import Sample

# What may be made of several modules, and for several targets.
_HOLDS_MODULES = frozenset({CodeKind.FATBIN, CodeKind.OBJECT, CodeKind.LIBRARY})


@dataclass(frozen=True)
class _LookedUp:
    """A file to be opened; `content` is None where a tab already has the file."""

    path: Path
    kind: CodeKind
    content: FileContent | None


def _ignore(_tab: str, _problem: str) -> None:
    """Ignores the outcome of opening a file."""


class FileCommands(QObject):
    """The commands of the File menu.

    Args:
        dialogs: Asks the user; dialogs over `window` where not given.

    Signals:
        failed: Something could not be read or written.
        mended: A failure that was reported in these words is over: the action has succeeded now.
        reported: Something went well that cannot be seen otherwise.
        recent_changed: The list of recent files is another one.
        opened: The user has opened or begun something, and wants to write in it.
        project_wanted: This file is a project, which replaces the open work.
        library_wanted: The kernels in this file or folder shall be listed; whether it is in a
            tab, too.
    """

    project_wanted = Signal(Path)
    library_wanted = Signal(Path, bool)
    failed = Signal(str)
    mended = Signal(str)
    reported = Signal(str)
    recent_changed = Signal()
    opened = Signal()

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
        # Why the last attempt to save a document has failed.
        self._refusals: dict[Document, str] = {}
        self._launches = LaunchSpecs() if launches is None else launches
        self._reader = FileReader(self)
        self._reader.waits.connect(self._on_waits)

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
    def new_python(self) -> None:
        """A tab with a small kernel in Python."""
        self._new(PYTHON_TEMPLATE)

    @Slot()
    def new_llvm(self) -> None:
        """A tab with LLVM IR in the dialect of the target."""
        self._new(llvm_template(self._settings.arch))

    @Slot()
    def open(self) -> None:
        """Asks for files and opens the chosen files."""
        self.open_paths(self._dialogs.files_to_open(self._folder()))

    @Slot()
    def open_cache(self) -> None:
        """Asks for the folder of a cache and opens the folder."""
        folder = self._dialogs.folder_to_open(self._folder())
        if folder is not None:
            self.open_paths([folder])

    @Slot()
    def open_to_link(self) -> None:
        """Asks for files, and opens the chosen files as modules of the current program."""
        self.open_paths(self._dialogs.files_to_open(self._folder()), self._settings.program)

    def open_paths(
        self,
        paths: Iterable[Path],
        program: str | None = None,
        ended: Callable[[str, str], object] = _ignore,
    ) -> None:
        """Opens files; a document that is open already becomes current.

        Args:
            paths: The files, or projects, which replace the open work; of a folder the kernels are
                listed.
            program: The program of the files from now on; None to leave open documents as they are.
            ended: Called for each with the name of its tab, and why it is not open; empty if it is.
        """
        known = frozenset(d.path for d in self._documents if d.path and not d.is_preview)
        for path in paths:
            if is_project(path):
                self.project_wanted.emit(path)
                ended(path.name, "")
            else:
                take_in = partial(self._on_looked_up, program, path, ended)
                self._reader.start(partial(_look_up, path, known), take_in)
        if not self._reader.settle():
            self._on_waits()

    def open_sample(self, sample: Sample) -> None:
        """Opens a sample in new tabs, with launches."""
        open_sample(sample, self._documents, self._settings)
        for spec in sample.launches:
            self._launches.suggest(spec)
        self.opened.emit()

    @Slot()
    def save(self) -> bool:
        """Saves the current document; returns whether the text is now in a file."""
        document = self._documents.current
        return document is not None and self._save_in_place(document)

    def save_document(self, document: Document, *, elsewhere: bool = False) -> bool:
        """Turns to a document and saves the text; returns whether no text is left unsaved.

        Args:
            document: The document to save; a document that was closed meanwhile has nothing to
                save.
            elsewhere: Whether to ask for another file where its own cannot be written.
        """
        if not self._is_open(document):
            return True
        self._documents.current = document
        refused = document.path
        return self._save_in_place(document) or (
            elsewhere and refused is not None and self._save_as(document)
        )

    def save_to(self, document: Document, path: Path) -> bool:
        """Saves a document to `path`, with new folders if necessary; returns success."""
        if not self._is_open(document) or not self._is_writable(document):
            return False
        try:
            target = self._reader.outcome(partial(_with_folders, path))
        except DocumentError as error:
            self.failed.emit(str(error))
            return False
        return self._save(document, target)

    @Slot()
    def save_as(self) -> bool:
        """Asks for a name and saves the current document under that name."""
        document = self._documents.current
        return document is not None and self._save_as(document)

    def _save_in_place(self, document: Document) -> bool:
        """Saves a document, whichever is current once the disk has answered."""
        if not self._is_writable(document):
            return False
        if document.path is None:
            return self._save_as(document)
        answer = ChangedFile.REPLACE
        try:
            look = partial(has_changed, document.path, document.on_disk)
            if self._reader.outcome(look):
                answer = self._dialogs.about_changed_file(document.path)
        except DocumentError as error:
            self.failed.emit(str(error))
            return False
        if answer is ChangedFile.SAVE_AS:
            return self._save_as(document)
        return answer is ChangedFile.REPLACE and self._save(document, document.path)

    def _save_as(self, document: Document) -> bool:
        """Asks for a name and saves a document under that name."""
        if not self._is_open(document):
            return False
        # A copy of what is no text can be saved all the same.
        if document.kind in TEXT_KINDS and not self._is_writable(document):
            return False
        proposed = document.path or Path(self._folder(), document.name)
        path = self._dialogs.file_to_save(proposed)
        try:
            target = None if path is None else self._reader.outcome(partial(resolved, path))
        except DocumentError as error:
            self.failed.emit(str(error))
            return False
        return target is not None and self._save(document, target)

    def save_results(self, result: BuildResult | None) -> None:
        """Asks for a folder and writes all artifacts there."""
        if result is None or not result.artifacts:
            self.failed.emit(self.tr("There is nothing to save: build something first."))
            return
        folder = self._dialogs.folder_for_results(self._folder())
        if folder is None:
            return
        files = _result_files(result.artifacts)
        try:
            there = self._reader.outcome(lambda: [n for n in files if (folder / n).exists()])
            if there and not self._dialogs.may_replace(there, folder):
                return
            self._reader.outcome(partial(_write_results, folder, files))
        except DocumentError as error:
            self.failed.emit(str(error))
            return
        singular = self.tr("{count} file written to {folder}")
        many = self.tr("{count} files written to {folder}")
        self.reported.emit(counted(len(files), singular, many, folder=folder))

    def close(self, document: Document) -> bool:
        """Closes a document, asking first if text would be lost; returns whether that was done."""
        return self.close_all([document])

    def close_all(self, documents: Sequence[Document]) -> bool:
        """Closes documents, asking where text would be lost; returns whether that was done.

        Asks again about text that was typed into a document while another was being saved.
        """
        while unsaved := [d for d in self._documents if d in documents and d.is_modified]:
            answer = self._about_unsaved([document.name for document in unsaved])
            if answer is UnsavedChoice.DISCARD:
                break
            if answer is UnsavedChoice.KEEP_OPEN or not all(map(self.save_document, unsaved)):
                return False
        for document in [d for d in self._documents if d in documents]:
            self._documents.remove(document)
        return True

    @staticmethod
    def can_rename(document: Document) -> bool:
        """Whether the name is the user's to change: not that of a file that is only looked at."""
        is_found = document.is_preview or document.read_only is ReadOnlyReason.FOUND
        return document.kind in TEXT_KINDS and not is_found

    def rename(self, document: Document) -> None:
        """Asks for another name of a document, and renames the file, too; the folder stays."""
        old = document.path
        before = old.name if old is not None else PurePosixPath(document.name).name
        name = self._dialogs.new_name(before)
        if not name or name == before:
            return
        new = old.parent / name if old is not None else Path(name)
        try:
            if new.name != name:
                text = self.tr("'{name}' is not the name of a file. Leave out what names folders.")
                raise DocumentError(text.format(name=name))
            kind = self._kind_to_save(document, new)
            if old is not None:
                self._reader.outcome(partial(rename_file, old, new))
        except DocumentError as error:
            self.failed.emit(str(error))
            return
        if not self._is_open(document):
            return
        document.kind = kind
        if old is not None:
            document.path = new
            self._preferences.add_recent_file(new)
            self.recent_changed.emit()
        # In a project, the name is its place in there.
        named = str(PurePosixPath(document.name).with_name(name))
        self._documents.rename(document, named)
        # Builds and their messages call it by its name.
        document.edited.emit()

    @Slot()
    def _on_waits(self) -> None:
        self.reported.emit(self.tr("Waiting for the disk"))

    def _new(self, template: Template) -> None:
        name = self._documents.unique_name(template.name)
        self._documents.add(Document(name, template.kind, template.text.encode()))
        self.opened.emit()

    def _on_looked_up(
        self,
        program: str | None,
        asked: Path,
        ended: Callable[[str, str], object],
        opened: _LookedUp | Path | DocumentError,
    ) -> None:
        if isinstance(opened, DocumentError):
            self.failed.emit(str(opened))
            ended(asked.name, str(opened))
            return
        if isinstance(opened, Path):
            self._preferences.add_recent_file(opened)
            self.recent_changed.emit()
            self.library_wanted.emit(opened, False)
            ended(opened.name, "")
            return
        path, content = opened.path, opened.content
        document = self._documents.at_path(path)
        if document is None or (document.is_preview and not document.is_modified):
            if content is None:
                # Its tab was closed while we waited.
                self.open_paths([path], program, ended)
                return
            if document is not None:
                # It was only looked at; from now on it takes part.
                self._documents.remove(document)
            name = self._documents.unique_name(path.name, path)
            document = Document(name, opened.kind, content, path)
            document.program = program or ""
            self._documents.add(document)
        elif program is not None:
            document.program, document.included = program, True
        self._documents.current = document
        self._preferences.add_recent_file(path)
        self.recent_changed.emit()
        self.opened.emit()
        ended(document.name, "")
        if opened.kind in _HOLDS_MODULES and program is None:
            self.library_wanted.emit(path, True)

    def _is_open(self, document: Document) -> bool:
        """Returns whether a document is still open: while the disk is slow, tabs can be closed."""
        return document in self._documents

    def _is_writable(self, document: Document) -> bool:
        """Returns whether a document has text to save."""
        if document.held is None:
            text = self.tr("'{name}' cannot be edited, so there is nothing to save.")
            self.failed.emit(text.format(name=document.name))
            return False
        return True

    def _save(self, document: Document, path: Path) -> bool:
        if not self._is_open(document):
            return False
        is_new = path != document.path
        try:
            kind = self._kind_to_save(document, path)
            document.save(path, partial(self._write, document))
        except EncodingError as error:
            if not self._dialogs.may_save_as_utf_8(document.name, str(error)):
                return False
            document.set_encoding(Encoding.UTF_8)
            return self._save(document, path)
        except DocumentError as error:
            self._refusals[document] = str(error)
            self.failed.emit(str(error))
            return False
        if document in self._refusals:
            self.mended.emit(self._refusals.pop(document))
        document.kind = kind
        if is_new:
            # Else it keeps its name: in a project, that is its place in there.
            self._documents.rename(document, path.name)
        self._preferences.add_recent_file(path)
        self.recent_changed.emit()
        self.reported.emit(self.tr("Saved {path}").format(path=path))
        # What was typed while the disk kept it waiting is in no file.
        return not document.is_modified

    def _write(self, document: Document, path: Path, content: bytes) -> None:
        self._reader.outcome(partial(write_file, path, content))
        if not self._is_open(document):
            message = self.tr(
                "'{name}' was closed while the disk kept it waiting. It is in its file."
            )
            raise DocumentError(message.format(name=path.name))

    def _kind_to_save(self, document: Document, path: Path) -> CodeKind:
        """Returns the kind of a document when saved as `path`; raises `DocumentError` if none."""
        kind = kind_of_file(path)
        if document.kind not in TEXT_KINDS and kind is not document.kind:
            text = self.tr(
                "'{name}' would be taken for a {kind}, but this is a {own}. "
                "Save it with the extension {ending}."
            )
            raise DocumentError(
                text.format(
                    name=path.name,
                    kind=kind.title,
                    own=document.kind.title,
                    ending=document.kind.ending,
                )
            )
        if document.kind in TEXT_KINDS and kind not in TEXT_KINDS:
            text = self.tr(
                "'{name}' would be taken for a {kind}, but this is text. "
                "Save it with the extension {ending}."
            )
            ending = document.kind.ending
            raise DocumentError(text.format(name=path.name, kind=kind.title, ending=ending))
        other = self._documents.at_path(path)
        if other is not None and other is not document:
            text = self.tr(
                "'{path}' is open in another tab. Close that tab first, or choose another name."
            )
            raise DocumentError(text.format(path=path))
        return kind

    def _about_unsaved(self, names: Sequence[str]) -> UnsavedChoice:
        if len(names) == 1:
            return self._dialogs.about_unsaved(names[0])
        return self._dialogs.about_all_unsaved(names)

    def _folder(self) -> str:
        recent = self._preferences.recent_files
        return str(recent[0].parent) if recent else ""


def _with_folders(path: Path) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = QCoreApplication.translate(
            "Files", "'{path}' cannot be made: {problem}. Save it under another name."
        )
        problem = error.strerror or str(error)
        raise DocumentError(message.format(path=path.parent, problem=problem)) from None
    return resolved(path)


def _look_up(path: Path, known: frozenset[Path]) -> _LookedUp | Path:
    """Reads a file, unless a tab already has the file, or the file is no module."""
    path = resolved(path)
    if holds_library(path):
        return path
    kind = kind_of_file(path)
    return _LookedUp(path, kind, None if path in known else compare(kind, read_file(path), None))


def _write_results(folder: Path, files: dict[str, bytes]) -> None:
    try:
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        message = QCoreApplication.translate(
            "FileCommands",
            "The results cannot be written to '{folder}': {error}. Choose another folder.",
        )
        raise DocumentError(message.format(folder=folder, error=error.strerror)) from None


def _result_files(artifacts: Iterable[Artifact]) -> dict[str, bytes]:
    """Returns contents by file name; modules that differ in ending or folder keep both."""
    files: dict[str, bytes] = {}
    for artifact in artifacts:
        short = artifact.file_name
        name = artifact.full_file_name if short in files else short
        files[name] = artifact.content
    return files
