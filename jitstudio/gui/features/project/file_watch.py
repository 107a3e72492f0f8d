"""Watches the files of open documents for changes by other programs; no text is lost."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QFileSystemWatcher, QObject, QTimer, Signal, Slot

from jitstudio.core.code import CodeKind
from jitstudio.core.plain_files import read_file
from jitstudio.gui.state.document_files import DocumentError
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.file_text import FileContent, FileText, ReadOnlyReason, compare

# A file that is replaced is gone for a moment, and one that is written comes in pieces.
_QUIET_MS = 150
# A file that is written all the time is read in between.
_MOST_MS = 1000


@dataclass(frozen=True)
class _Question:
    """A file to be read, and the text in the window to compare with."""

    path: Path
    kind: CodeKind
    base: FileText | None


class FileWatch(QObject):
    """Keeps documents in step with their files, and finds unsaved text beside changed files.

    A document without unsaved text takes over the present content of the file. A document with
    unsaved text is left alone until somebody decides.

    Signals:
        reloaded: This document has the content of its file now.
        gone: The file of this document is no longer there; its text is kept as unsaved.
        uneditable: The file of this document holds nothing that could be edited; why not.
        conflicts_changed: These documents have unsaved text, and files that have changed.
    """

    reloaded = Signal(Document)
    gone = Signal(Document)
    uneditable = Signal(Document, ReadOnlyReason)
    conflicts_changed = Signal(tuple)

    def __init__(self, documents: Documents, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._documents = documents
        self._touched: set[Path] = set()
        self._conflicts: dict[Document, FileContent] = {}
        self._unwanted: set[Document] = set()
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_file_changed)
        self._watcher.directoryChanged.connect(self._on_folder_changed)
        self._busy_since = QElapsedTimer()
        self._pause = QTimer(self, singleShot=True, interval=_QUIET_MS)
        self._pause.timeout.connect(self._look)
        self._reader = FileReader(self)
        # Where each file is watched: itself, or the folder that it will come to.
        self._places: dict[Path, Path] = {}
        # What the threads are still finding out.
        self._located: set[Path] = set()
        self._read: set[Path] = set()
        documents.each(self._on_added)
        documents.removed.connect(self._on_removed)
        documents.changed.connect(self._follow)

    @property
    def conflicts(self) -> tuple[Document, ...]:
        """The documents with unsaved text whose files have changed."""
        return tuple(self._conflicts)

    @Slot()
    def reload(self) -> None:
        """Gives up the unsaved text of all conflicts; undo restores the text."""
        self._unwanted |= set(self._conflicts)
        self._touch(document.path for document in self._conflicts)

    @Slot()
    def keep(self) -> None:
        """Lets saving replace the files of all conflicts."""
        for document, content in self._conflicts.items():
            document.on_disk = content.digest
        self._settle(*self._conflicts)

    def _settle(self, *documents: Document) -> None:
        """Removes documents from the conflicts."""
        self._unwanted -= set(documents)
        settled = set(documents) & set(self._conflicts)
        for document in settled:
            del self._conflicts[document]
        if settled:
            self.conflicts_changed.emit(self.conflicts)

    def _touch(self, paths: Iterable[Path | None]) -> None:
        """Reads files as soon as their changes have come to rest."""
        self._touched |= {path for path in paths if path is not None}
        if not self._pause.isActive():
            self._busy_since.start()
        if self._touched and self._busy_since.elapsed() < _MOST_MS:
            self._pause.start()

    @Slot()
    def _follow(self) -> None:
        """Watches the files of the open documents, or waits for files that are gone."""
        paths = {document.path for document in self._documents if document.path is not None}
        self._places = {path: self._places[path] for path in paths & self._places.keys()}
        for path in paths - self._located:
            if self._places.get(path) != path:
                self._located.add(path)
                self._reader.start(partial(_place, path), partial(self._on_located, path))
        self._reader.settle()
        self._adjust()

    def _on_located(self, path: Path, place: Path | DocumentError | None) -> None:
        self._located.discard(path)
        if isinstance(place, Path) and self._documents.at_path(path) is not None:
            self._places[path] = place
            self._adjust()

    def _adjust(self) -> None:
        wanted = set(map(str, self._places.values()))
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if over := sorted(watched - wanted):
            self._watcher.removePaths(over)
        if new := sorted(wanted - watched):
            self._watcher.addPaths(new)

    @Slot()
    def _look(self) -> None:
        """Reads the files that were touched, in a thread."""
        questions = [
            _Question(document.path, document.kind, document.held)
            for document in self._documents
            if document.path in self._touched - self._read
        ]
        self._touched &= self._read
        if self._touched:
            self._pause.start()
        if not questions:
            return
        # What was replaced may still be watched as the file that it was.
        self._watcher.removePaths([str(question.path) for question in questions])
        for question in questions:
            self._places.pop(question.path, None)
        self._follow()
        for question in questions:
            self._read.add(question.path)
            then = partial(self._on_answered, question.path)
            self._reader.start(partial(_answer, question), then)
        self._reader.settle(0)

    def _on_answered(self, path: Path, answer: FileContent | DocumentError | None) -> None:
        self._read.discard(path)
        document = self._documents.at_path(path)
        # What is there but cannot be read is left alone: saving will say.
        if document is not None and not isinstance(answer, DocumentError):
            self._judge(document, answer)

    def _judge(self, document: Document, content: FileContent | None) -> None:
        if content is None:
            self._settle(document)
            if document.on_disk is not None:
                document.lose_file()
                self.gone.emit(document)
        elif content.digest == document.on_disk and document not in self._unwanted:
            self._settle(document)
        elif document.held is None:
            self._reload(document, content)
        elif content.base != document.held:
            self._touch([document.path])
        elif isinstance(content.held, ReadOnlyReason):
            self._settle(document)
            document.set_modified(True)
            self.uneditable.emit(document, content.held)
        elif self._may_reload(document, content):
            self._reload(document, content)
        else:
            self._conflicts[document] = content
            self.conflicts_changed.emit(self.conflicts)

    def _may_reload(self, document: Document, content: FileContent) -> bool:
        return not document.is_modified or document in self._unwanted or not content.changes

    def _reload(self, document: Document, content: FileContent) -> None:
        document.reload(content)
        self._settle(document)
        self.reloaded.emit(document)

    @Slot(str)
    def _on_file_changed(self, path: str) -> None:
        self._touch([Path(path)])

    @Slot(str)
    def _on_folder_changed(self, folder: str) -> None:
        waiting = (d.path for d in self._documents if d.on_disk is None)
        self._touch(path for path in waiting if path is not None and str(path.parent) == folder)

    @Slot(Document)
    def _on_added(self, document: Document) -> None:
        self._follow()
        if document.is_modified:
            # It comes from an earlier day; the file may have changed since.
            self._touch([document.path])

    @Slot(Document)
    def _on_removed(self, document: Document) -> None:
        self._settle(document)
        self._follow()


def _place(path: Path) -> Path | None:
    """Returns where to watch a file; None where there is not even a folder."""
    # Not pathlib's, which fail where a folder above may not be read.
    place = path if os.path.isfile(path) else path.parent
    return place if os.path.exists(place) else None


def _answer(question: _Question) -> FileContent | None:
    """Returns the present content of a file; None where the file is gone."""
    try:
        content = read_file(question.path)
    except FileNotFoundError:
        return None
    return compare(question.kind, content, question.base)
