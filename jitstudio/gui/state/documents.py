"""The open documents: the one owner of what the user has typed.

A document that can be edited holds a `QTextDocument`, which editors show. Binary files, and texts
too large or too strange to edit, are kept as bytes: they take part in builds all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path, PurePath

from PySide6.QtCore import QFile, QIODevice, QObject, QSaveFile, Signal, Slot
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from jitstudio.core.code import TEXT_KINDS, CodeKind, Header, Source, is_bitcode, kind_of
from jitstudio.gui.limits import LARGEST_TEXT, LONGEST_LINE

_BOM = b"\xef\xbb\xbf"
_HEADER_ENDINGS = (".cuh", ".h", ".hpp", ".inl")


class ReadOnlyReason(Enum):
    """Why a document is shown and built but not edited."""

    BINARY = "This file holds machine code or bitcode. It takes part in the link as it is."
    TOO_LARGE = "This text is too large to edit here. It is built as it is on disk."
    NOT_TEXT = "This file is not UTF-8 text, so it cannot be edited. Convert it and open it again."


class DocumentError(RuntimeError):
    """A file cannot be read or written; the message is fit for a person."""


class Document(QObject):
    """One open document.

    Attributes:
        name: Unique among the open documents; what the build and its logs call it.
        path: The file, or None while it has none.
        kind: What it holds.
        text: The text being edited, or None for a document that cannot be. What the user has
            `typed` can be edited whatever it holds.
        read_only: Why it cannot be edited, or None.

    Signals:
        edited: Its content, or what it is built with, has changed.
        changed: Its name, path or unsaved state has changed.
    """

    edited = Signal()
    changed = Signal()

    def __init__(
        self,
        name: str,
        kind: CodeKind,
        content: bytes,
        path: Path | None = None,
        parent: QObject | None = None,
        *,
        typed: bool = False,
    ) -> None:
        super().__init__(parent)
        self.name = name
        self.path = path
        self.kind = kind
        self.read_only = None if typed else _reason_against_editing(kind, content)
        self.text: QTextDocument | None = None
        self._content = content
        self._bom = content[: len(_BOM)] if content.startswith(_BOM) else b""
        self._newline = _newline_of(content)
        self._name_expressions: tuple[str, ...] = ()
        self._included = True
        self._is_library = False
        if self.read_only is None:
            self.text = QTextDocument(self)
            self.text.setDocumentLayout(QPlainTextDocumentLayout(self.text))
            self.text.setPlainText(content[len(self._bom) :].decode())
            self.text.setModified(False)
            # As Qt has it, not its plain text, which has lost every no-break space.
            self._raw = self.text.toRawText()
            self.text.contentsChanged.connect(self._on_contents_changed)
            self.text.modificationChanged.connect(self._on_modification_changed)

    @property
    def is_header(self) -> bool:
        """Whether it is a header to the other documents rather than a module."""
        text = self.kind in (CodeKind.CUDA, CodeKind.HEADER)
        return text and PurePath(self.name).suffix.lower() in _HEADER_ENDINGS

    @property
    def is_modified(self) -> bool:
        """Whether it holds text that its file does not."""
        return self.text is not None and self.text.isModified()

    @property
    def content(self) -> bytes:
        """What is built: all of it; edited text in UTF-8 with plain newlines."""
        if self.text is None:
            return self._content
        return self._raw.replace("\u2029", "\n").encode("utf-8", "replace")

    @property
    def file_content(self) -> bytes:
        """What is written to a file: with the newlines and the byte order mark it came with."""
        if self.text is None:
            return self._content
        return self._bom + self.content.replace(b"\n", self._newline)

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
    def is_library(self) -> bool:
        """Whether other LLVM IR takes from it what it calls, and it is no module of its own."""
        return self._is_library

    @is_library.setter
    def is_library(self, is_library: bool) -> None:
        if is_library != self._is_library:
            self._is_library = is_library
            self.edited.emit()

    @property
    def included(self) -> bool:
        """Whether it takes part in the link."""
        return self._included

    @included.setter
    def included(self, included: bool) -> None:
        if included != self._included:
            self._included = included
            self.edited.emit()

    def as_source(self) -> Source:
        """This document as a module of a build."""
        folder = str(self.path.parent) if self.path else ""
        names = self._name_expressions if self.kind is CodeKind.CUDA else ()
        return Source(self.name, self.kind, self.content, folder, names)

    def without_content(self) -> Source:
        """This document as a module of which only name and kind are asked."""
        return Source(self.name, self.kind, b"")

    def as_header(self) -> Header:
        """This document as an in-memory header."""
        return Header(self.name, self.content)

    def save(self, path: Path) -> None:
        """Write it to this file, at once or not at all, and belong to that file from now on.

        Raises:
            DocumentError: The file cannot be written; nothing has changed.
        """
        content = self.file_content
        file = QSaveFile(str(path))
        opened = file.open(QIODevice.OpenModeFlag.WriteOnly)
        if not (opened and file.write(content) == len(content) and file.commit()):
            raise DocumentError(
                f"'{path}' cannot be written: {file.errorString()}. Save it under another name."
            )
        self.path = path
        if self.text is not None:
            self.text.setModified(False)
        self.changed.emit()

    @Slot()
    def _on_contents_changed(self) -> None:
        # Colouring is a change of the contents to Qt, and makes a new revision as an edit does.
        assert self.text is not None
        raw = self.text.toRawText()
        if raw != self._raw:
            self._raw = raw
            self.edited.emit()

    @Slot(bool)
    def _on_modification_changed(self, _modified: bool) -> None:
        self.changed.emit()


def read_file(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        DocumentError: It cannot be read.
    """
    file = QFile(str(path))
    if path.is_dir() or not file.open(QIODevice.OpenModeFlag.ReadOnly):
        reason = "it is a folder" if path.is_dir() else file.errorString()
        raise DocumentError(f"'{path}' cannot be opened: {reason}.")
    return bytes(file.readAll().data())


def kind_of_file(path: Path) -> CodeKind:
    """The kind that a file's ending tells.

    Raises:
        DocumentError: The ending is none of the known ones.
    """
    kind = kind_of(path.name)
    if kind is None:
        raise DocumentError(
            f"'{path.name}' has no ending that tells what it holds. Rename it to end in .cu, .cuh, "
            ".ll, .bc, .ptx, .cubin, .fatbin, .ltoir, .o or .a."
        )
    return kind


class Documents(QObject):
    """The open documents in the order of their tabs, and which of them is current.

    Signals:
        added: This document is open, at this place.
        removed: This document is no longer open.
        moved: The order has changed.
        current_changed: Another document, or none, is current.
        edited: The content of this document has changed.
        changed: The name, path or unsaved state of this document has changed.
    """

    added = Signal(Document, int)
    removed = Signal(Document)
    moved = Signal()
    current_changed = Signal(object)
    edited = Signal(Document)
    changed = Signal(Document)

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

    def named(self, name: str) -> Document | None:
        """The document that builds call by this name."""
        return next((d for d in self._open if d.name == name), None)

    def at_path(self, path: Path) -> Document | None:
        """The document of this file."""
        return next((d for d in self._open if d.path == path), None)

    def unique_name(self, name: str) -> str:
        """The name itself, or with the first number that makes it unique."""
        taken = {document.name for document in self._open}
        stem, ending = PurePath(name).stem, PurePath(name).suffix
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}{ending}"
        return name

    def add(self, document: Document) -> None:
        """Open a document behind the others and make it current."""
        document.setParent(self)
        document.edited.connect(self._on_edited)
        document.changed.connect(self._on_changed)
        self._open.append(document)
        self.added.emit(document, len(self._open) - 1)
        self.current = document

    def remove(self, document: Document) -> None:
        """Close a document without asking; its right neighbour, or else the last, is current."""
        place = self._open.index(document)
        self._open.remove(document)
        if document is self._current:
            neighbours = self._open[place : place + 1] or self._open[-1:]
            self.current = neighbours[0] if neighbours else None
        self.removed.emit(document)
        document.deleteLater()

    def reorder(self, documents: list[Document]) -> None:
        """Put the open documents into this order."""
        if documents != self._open:
            self._open = documents
            self.moved.emit()

    def rename(self, document: Document, name: str) -> None:
        """Give a document another name, made unique."""
        if document.name != name:
            document.name = ""
            document.name = self.unique_name(name)
            document.changed.emit()

    @Slot()
    def _on_edited(self) -> None:
        self.edited.emit(self.sender())

    @Slot()
    def _on_changed(self) -> None:
        self.changed.emit(self.sender())


def takes_part_alone(document: Document) -> bool:
    """Whether a build of this document by itself makes sense."""
    return not (document.is_header or document.is_library or document.kind is CodeKind.SASS)


def _reason_against_editing(kind: CodeKind, content: bytes) -> ReadOnlyReason | None:
    if kind not in TEXT_KINDS or is_bitcode(content):
        return ReadOnlyReason.BINARY
    if len(content) > LARGEST_TEXT or _longest_line(content) > LONGEST_LINE:
        return ReadOnlyReason.TOO_LARGE
    try:
        content.decode()
    except UnicodeDecodeError:
        return ReadOnlyReason.NOT_TEXT
    return ReadOnlyReason.NOT_TEXT if b"\0" in content else None


def _newline_of(content: bytes) -> bytes:
    """The newline that most lines end with."""
    windows = content.count(b"\r\n")
    return b"\r\n" if windows > content.count(b"\n") - windows else b"\n"


def _longest_line(content: bytes) -> int:
    return max(map(len, content.split(b"\n")))
