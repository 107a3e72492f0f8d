"""The open documents: the one owner of what the user has typed.

A document that can be edited holds a `QTextDocument`, which editors show. Binary files, and texts
too large or too strange to edit, are kept as bytes: they take part in builds all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePath

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from jitstudio.core.code import HEADER_ENDINGS, CodeKind, Header, Source
from jitstudio.core.line_table_paths import spellings
from jitstudio.core.options import split_options
from jitstudio.gui.kit.text_limits import ROOM_TO_TYPE, excess
from jitstudio.gui.state.document_files import digest, write_file
from jitstudio.gui.state.file_text import (
    Encoding,
    FileContent,
    FileText,
    ReadOnlyReason,
    TextForm,
    change_lines,
    compare,
    editable,
)


class Document(QObject):
    """An open document.

    Attributes:
        name: Unique among the open documents; the name in builds and their logs.
        path: The file, or None while it has none.
        kind: The kind of code.
        text: The text being edited, or None for a document that cannot be. The user's typed text,
            which is given as a `FileText`, can be edited unless it is too large: it is kept, and
            can be saved, all the same.
        read_only: Why it cannot be edited, or None.
        on_disk: A digest of the content of its file, as it was read or written last;
            None where there is no such file.
        cursor: Where the cursor is in the text, for when it is shown anew.
        stages: The representations of a captured kernel that are shown, from left to right, by
            the values of `KernelLanguage`, for when it is shown anew.
        is_reloading: Whether the present change comes from the file, and not from the user.
        confined_to: The folder of the project that its text comes from and that nobody trusts;
            empty for the user's own. Builds of it stay within that folder.
        is_preview: Whether it is only looked at: builds find its file by themselves, and take
            nothing from here. Editing it ends that.

    Signals:
        edited: The content, or a setting of its build, has changed.
        changed: Its name, path, form, options or unsaved state has changed.
        saved: The file has the content of the document now.
        reloading: The content of the file is about to replace the present content.
        reloaded: And has done so.
    """

    edited = Signal()
    changed = Signal()
    saved = Signal()
    reloading = Signal()
    reloaded = Signal()

    def __init__(
        self,
        name: str,
        kind: CodeKind,
        content: bytes | FileText | FileContent,
        path: Path | None = None,
        parent: QObject | None = None,
        *,
        read_only: ReadOnlyReason | None = None,
    ) -> None:
        super().__init__(parent)
        self.name = name
        self.path = path
        self.kind = kind
        self.read_only: ReadOnlyReason | None = None
        self.text: QTextDocument | None = None
        self.on_disk: str | None = None
        self.cursor = 0
        self.stages: tuple[str, ...] = ()
        self.is_reloading = False
        self.confined_to = ""
        self.is_preview = False
        self._content = b""
        self._form = TextForm()
        self._file_text: FileText | None = None
        self._has_changed = False
        self._is_unsaved = False
        self._name_expressions: tuple[str, ...] = ()
        self._options: str | None = None
        self._included = True
        self._program = ""
        self._is_library = False
        if isinstance(content, bytes) and path is not None:
            content = compare(kind, content, None)
        text_or_reason: FileText | ReadOnlyReason
        if isinstance(content, FileText):
            text_or_reason = content
        elif isinstance(content, FileContent):
            text_or_reason, self.on_disk, self._content = (
                content.held,
                content.digest,
                content.content,
            )
        else:
            text_or_reason, self._content = editable(kind, content), content
        if isinstance(content, FileText) and excess(content.text, ROOM_TO_TYPE) is not None:
            self._file_text, self._form, self._content = content, content.form, content.for_build()
            self.read_only = ReadOnlyReason.UNSAVED
        elif isinstance(text_or_reason, FileText) and read_only is None:
            self.text = self._make_text(text_or_reason)
            self._content = b""
        else:
            self.read_only = (
                read_only if isinstance(text_or_reason, FileText) else read_only or text_or_reason
            )

    def _make_text(self, content: FileText) -> QTextDocument:
        text = QTextDocument(self)
        text.setDocumentLayout(QPlainTextDocumentLayout(text))
        text.setPlainText(content.text)
        text.setModified(False)
        self._form = content.form
        text.contentsChange.connect(self._on_contents_change)
        text.contentsChanged.connect(self._on_contents_changed)
        text.modificationChanged.connect(self._on_modification_changed)
        return text

    @property
    def is_header(self) -> bool:
        """Whether the document is a header to the others rather than a module."""
        return self.is_named_as_header and not self.is_preview

    @property
    def is_named_as_header(self) -> bool:
        """Whether the document holds text that the file does not."""
        text = self.kind in (CodeKind.CUDA, CodeKind.HEADER)
        return text and PurePath(self.name).suffix.lower() in HEADER_ENDINGS

    @property
    def is_modified(self) -> bool:
        """Whether the document holds text that its file does not."""
        return self._is_unsaved if self.text is None else self.text.isModified()

    def set_modified(self, modified: bool) -> None:
        """Says whether the document holds text that the file lacks; text from a file does not."""
        if self.text is not None:
            self.text.setModified(modified)
        elif self._file_text is not None and modified is not self._is_unsaved:
            self._is_unsaved = modified
            self.changed.emit()

    @property
    def held(self) -> FileText | None:
        """The present text, with the form of the file; None for other than text."""
        if self._file_text is None and self.text is not None:
            # As Qt has it, not its plain text, which has lost every no-break space.
            raw = self.text.toRawText().replace("\u2029", "\n")
            self._file_text = FileText(raw, self._form)
        return self._file_text

    @property
    def content(self) -> bytes:
        """The bytes to build: the whole content; edited text in UTF-8 with plain newlines."""
        file_text = self.held
        return self._content if file_text is None or self.text is None else file_text.for_build()

    @property
    def encoding_name(self) -> str:
        """The name of the encoding of the file; empty for a document that cannot be edited."""
        return self._form.encoding.value if self.text is not None else ""

    @property
    def line_end_name(self) -> str:
        """The line ends of the file; empty for a document that cannot be edited."""
        return self._form.line_end_name if self.text is not None else ""

    def set_encoding(self, encoding: Encoding) -> None:
        """Uses `encoding` for the file from the next save on."""
        self._form = self._form._replace(encoding=encoding)
        if self._file_text is not None:
            self._file_text = self._file_text._replace(form=self._form)
        self.changed.emit()

    @property
    def name_expressions(self) -> tuple[str, ...]:
        """The expressions whose lowered names are asked for."""
        return self._name_expressions

    @name_expressions.setter
    def name_expressions(self, expressions: tuple[str, ...]) -> None:
        if expressions != self._name_expressions:
            self._name_expressions = expressions
            self.edited.emit()

    @property
    def options(self) -> str | None:
        """The options of its own, as typed; None for those of all sources."""
        return self._options

    @options.setter
    def options(self, options: str | None) -> None:
        if options != self._options:
            self._options = options
            self.changed.emit()
            self.edited.emit()

    @property
    def is_library(self) -> bool:
        """Whether this LLVM IR is no module, but a library whose functions other LLVM IR calls."""
        return self._is_library

    @is_library.setter
    def is_library(self, is_library: bool) -> None:
        if is_library != self._is_library:
            self._is_library = is_library
            self.edited.emit()

    @property
    def included(self) -> bool:
        """Whether the document takes part in the link of its program."""
        return self._included

    @included.setter
    def included(self, included: bool) -> None:
        if included != self._included:
            self._included = included
            self.edited.emit()

    @property
    def program(self) -> str:
        """The program of the document; modules of a program are linked.

        Empty for the user's own.
        """
        return self._program

    @program.setter
    def program(self, program: str) -> None:
        if program != self._program:
            self._program = program
            self.edited.emit()

    def as_source(self) -> Source:
        """Returns the document as a module of a build.

        Raises:
            ValueError: Its options cannot be read; the message says why, with its name.
        """
        folder = str(self.path.parent) if self.path else ""
        names = self._name_expressions if self.kind is CodeKind.CUDA else ()
        options = None
        # A library is never compiled by itself.
        if self._options is not None and not self.is_library:
            try:
                options = split_options(self._options)
            except ValueError as error:
                raise ValueError(f"'{self.name}': {error}") from None
        return Source(self.name, self.kind, self.content, folder, names, options)

    def without_content(self) -> Source:
        """Returns the document as a module for questions about name and kind only."""
        return Source(self.name, self.kind, b"")

    def as_header(self) -> Header:
        """Returns the document as an in-memory header."""
        return Header(self.name, self.content)

    def save(self, path: Path, write: Callable[[Path, bytes], object] = write_file) -> None:
        """Saves to `path`, completely or not at all, and belongs to that file from now on.

        Args:
            path: The file.
            write: Writes it; text typed meanwhile stays unsaved.

        Raises:
            DocumentError: The file cannot be written; nothing has changed.
            EncodingError: Its encoding does not have all the characters; nothing has changed.
        """
        file_text = self.held
        content = self._content if file_text is None else file_text.encode()
        write(path, content)
        self.path = path
        self.on_disk = digest(content)
        if self.text is None:
            self._keep_as_file(content)
        elif file_text is not None and file_text is self._file_text:
            # From now on lines end as they do in the file now.
            self._form = FileText.split(file_text.joined, file_text.form.encoding).form
            self._file_text = None
            self.set_modified(False)
        self.changed.emit()
        self.saved.emit()

    def reload(self, content: FileContent) -> None:
        """Takes over the present content of the file, as a single step of undo.

        Args:
            content: The file, compared with the present text; editable if this document is.
        """
        self.is_reloading = True
        self.reloading.emit()
        self.on_disk = content.digest
        if self.text is None:
            self._keep_as_file(content.content)
            self.edited.emit()
        elif isinstance(content.held, FileText):
            self._form = content.held.form
            self._file_text = None
            change_lines(self.text, content.changes, content.held)
            self.text.setModified(False)
        self.is_reloading = False
        self.reloaded.emit()
        self.changed.emit()

    def _keep_as_file(self, content: bytes) -> None:
        """Holds `content`, the content of a file that cannot be edited."""
        self._content, self._file_text, self._is_unsaved = content, None, False
        if self.read_only is ReadOnlyReason.UNSAVED:
            self.read_only = ReadOnlyReason.TOO_LARGE

    def lose_file(self) -> None:
        """Notes that the file is gone: the text is nowhere but here."""
        self.on_disk = None
        self.set_modified(True)

    @Slot()
    def _on_contents_change(self) -> None:
        self._file_text = None
        self._has_changed = True

    @Slot()
    def _on_contents_changed(self) -> None:
        # Colouring emits a change too, but of none to the contents.
        if self._has_changed:
            self._has_changed = False
            if self.is_preview and not self.is_reloading:
                self.is_preview = False
                self.changed.emit()
            self.edited.emit()

    @Slot(bool)
    def _on_modification_changed(self, _modified: bool) -> None:
        self.changed.emit()


class Documents(QObject):
    """The open documents in the order of their tabs, with the current document.

    Signals:
        added: This document is open, at this place.
        removed: This document is no longer open.
        moved: The order has changed.
        current_changed: Another document, or none, is current.
        edited: The content of this document has changed.
        changed: The name, path or unsaved state of this document has changed.
        renamed: This document had this other name before.
        saved: The file of this document has the content of the document now.
    """

    added = Signal(Document, int)
    removed = Signal(Document)
    moved = Signal()
    current_changed = Signal(object)
    edited = Signal(Document)
    changed = Signal(Document)
    renamed = Signal(Document, str)
    saved = Signal(Document)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open: list[Document] = []
        self._current: Document | None = None

    def __iter__(self) -> Iterator[Document]:
        return iter(self._open)

    def __len__(self) -> int:
        return len(self._open)

    @property
    def current(self) -> Document | None:
        """The document being looked at."""
        return self._current

    @current.setter
    def current(self, document: Document | None) -> None:
        if document is not self._current:
            self._current = document
            self.current_changed.emit(document)

    def each(self, slot: Callable[[Document], object]) -> None:
        """Calls `slot` for all open documents, and for each that will be opened."""
        for document in self._open:
            slot(document)
        self.added.connect(slot)

    def named(self, name: str) -> Document | None:
        """Returns a document by name in builds."""
        return next((d for d in self._open if d.name == name), None)

    def at_path(self, path: Path) -> Document | None:
        """Returns the document of a file."""
        return next((d for d in self._open if d.path == path), None)

    def spelt(self, file: str) -> Document | None:
        """Returns the document that a line table calls so."""
        for document in self._open:
            folder = str(document.path.parent) if document.path is not None else ""
            if file in spellings(document.name, folder):
                return document
        return None

    def namesakes(self, document: Document) -> list[Document]:
        """Returns the documents, `document` included, whose files share the name of its file."""
        if document.path is None:
            return []
        name = document.path.name
        return [d for d in self._open if d.path is not None and d.path.name == name]

    def title(self, document: Document) -> str:
        """Returns the title of a document, with as many folders as tell namesakes apart."""
        others = [d.path for d in self.namesakes(document) if d is not document]
        if document.path is None or not others:
            return document.name
        taken = {name for other in others if other is not None for name in _endings(other)}
        apart = (name for name in _endings(document.path) if name not in taken)
        # One that is named by its place in a project says as much already.
        return max(next(apart, str(document.path)), document.name, key=len)

    def unique_name(self, name: str, path: Path | None = None) -> str:
        """Returns `name`, made unique by folders of the file or by a number where necessary."""
        taken = {document.name for document in self._open}
        if name in taken and path is not None:
            name = next((ending for ending in _endings(path) if ending not in taken), name)
        stem, ending = PurePath(name).stem, PurePath(name).suffix
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}{ending}"
        return name

    def unique_program(self, name: str) -> str:
        """Returns `name`, with a number where another document's program has the name."""
        taken, program, number = {document.program for document in self._open}, name, 1
        while program in taken:
            number += 1
            program = f"{name} {number}"
        return program

    def add(self, document: Document) -> None:
        """Opens a document behind the others and makes this document current."""
        document.setParent(self)
        document.edited.connect(self._on_edited)
        document.changed.connect(self._on_changed)
        document.saved.connect(self._on_saved)
        self._open.append(document)
        self.added.emit(document, len(self._open) - 1)
        self.current = document

    def remove(self, document: Document) -> None:
        """Closes a document without asking; the right neighbour, or the last, becomes current."""
        place = self._open.index(document)
        self._open.remove(document)
        if document is self._current:
            neighbours = self._open[place : place + 1] or self._open[-1:]
            self.current = neighbours[0] if neighbours else None
        self.removed.emit(document)
        document.deleteLater()

    def reorder(self, documents: list[Document]) -> None:
        """Orders the open documents."""
        if documents != self._open:
            self._open = documents
            self.moved.emit()

    def rename(self, document: Document, name: str) -> None:
        """Gives a document another name, made unique."""
        if document.name != name:
            before, document.name = document.name, ""
            document.name = self.unique_name(name, document.path)
            document.changed.emit()
            self.renamed.emit(document, before)

    @Slot()
    def _on_edited(self) -> None:
        self.edited.emit(self.sender())

    @Slot()
    def _on_changed(self) -> None:
        self.changed.emit(self.sender())

    @Slot()
    def _on_saved(self) -> None:
        self.saved.emit(self.sender())


def _endings(path: Path) -> Iterator[str]:
    """Yields the name of a file with one folder, with two, and so on."""
    return ("/".join(path.parts[-count:]) for count in range(2, len(path.parts)))


def takes_part_alone(document: Document) -> bool:
    """Returns whether a build of a document alone makes sense."""
    aside = document.is_header or document.is_library or document.is_preview
    return not aside and document.kind is not CodeKind.SASS
