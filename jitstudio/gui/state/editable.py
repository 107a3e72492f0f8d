"""Whether what a file holds can be edited, and what another content of it changes in the text."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from PySide6.QtGui import QTextCursor, QTextDocument

from jitstudio.core.code import TEXT_KINDS, CodeKind, is_bitcode
from jitstudio.gui.kit.code_units import to_units
from jitstudio.gui.kit.text_limits import LARGEST_TEXT, excess
from jitstudio.gui.state.document_files import digest
from jitstudio.gui.state.file_text import FileText, LineChange, alike, line_changes, read_text

# No encoding takes more for one character.
_MOST_BYTES = 4 * LARGEST_TEXT
_KEEP = QTextCursor.MoveMode.KeepAnchor


class ReadOnlyReason(Enum):
    """Why a document is shown and built but not edited."""

    BINARY = "This file holds machine code or bitcode. It takes part in the link as it is."
    TOO_LARGE = "This text is too large to edit here. It is built as it is on disk."
    UNSAVED = (
        "This text is too large to edit here, and it is in no file yet: save it. "
        "It is built as it is shown."
    )
    NOT_TEXT = "This file holds no text that can be edited. Convert it to UTF-8 and open it again."
    FOUND = "This file is shown as it is on disk, where builds find it. It cannot be edited here."


class FileContent(NamedTuple):
    """What a file holds now.

    Attributes:
        content: All of it.
        digest: Identifies the content.
        held: Its text, or why that cannot be edited.
        base: The text that was in the window when the file was read; None where none can be.
        changes: The lines of the base that have to change.
    """

    content: bytes
    digest: str
    held: FileText | ReadOnlyReason
    base: FileText | None
    changes: tuple[LineChange, ...]


def editable(kind: CodeKind, content: bytes) -> FileText | ReadOnlyReason:
    """Returns the text of a file that can be edited, or why it cannot be."""
    if kind not in TEXT_KINDS or is_bitcode(content):
        return ReadOnlyReason.BINARY
    if len(content) > _MOST_BYTES:
        return ReadOnlyReason.TOO_LARGE
    held = read_text(content)
    if held is None:
        return ReadOnlyReason.NOT_TEXT
    return held if excess(held.text) is None else ReadOnlyReason.TOO_LARGE


def compare(kind: CodeKind, content: bytes, base: FileText | None) -> FileContent:
    """Finds out what a file has that the window has not; may take a while."""
    held = editable(kind, content)
    changes: list[LineChange] = []
    if base is not None and isinstance(held, FileText):
        changes = line_changes(base.text.split("\n"), held.text.split("\n"))
    return FileContent(content, digest(content), held, base, tuple(changes))


def change_lines(text: QTextDocument, changes: tuple[LineChange, ...], new: FileText) -> None:
    """Makes these changes as one step of undo; cursors elsewhere stay where they are."""
    lines = new.text.split("\n")
    cursor = QTextCursor(text)
    cursor.beginEditBlock()
    for change in reversed(changes):
        _change(cursor, change, lines[change.new])
    cursor.endEditBlock()


def _change(cursor: QTextCursor, change: LineChange, lines: list[str]) -> None:
    first, last = change.old.start, change.old.stop
    if first == last or not lines:
        _come_or_go(cursor, first, last, lines)
    elif last - first == len(lines):
        for number, line in reversed(list(enumerate(lines, first))):
            _replace(cursor, number, number + 1, line)
    else:
        _replace(cursor, first, last, "\n".join(lines))


def _come_or_go(cursor: QTextCursor, first: int, last: int, lines: list[str]) -> None:
    """Whole lines, with the line end behind them, or before them at the very end of the text."""
    text = cursor.document()
    at_end = last == text.blockCount()
    block, end = text.findBlockByNumber(first - at_end), text.findBlockByNumber(last - 1)
    cursor.setPosition(block.position() + (block.length() - 1 if at_end else 0))
    if not lines:
        cursor.setPosition(end.position() + end.length() - at_end, _KEEP)
        cursor.removeSelectedText()
        return
    inserted = "\n".join(lines)
    cursor.insertText(f"\n{inserted}" if at_end else f"{inserted}\n")


def _replace(cursor: QTextCursor, first: int, last: int, new: str) -> None:
    """Replaces lines, but only from the first character that differs to the last."""
    text = cursor.document()
    start, end = text.findBlockByNumber(first), text.findBlockByNumber(last - 1)
    old = "\n".join(text.findBlockByNumber(number).text() for number in range(first, last))
    before, behind = alike(old, new)
    cursor.setPosition(start.position() + to_units(old, before))
    after = to_units(old, len(old)) - to_units(old, len(old) - behind)
    cursor.setPosition(end.position() + end.length() - 1 - after, _KEEP)
    cursor.insertText(new[before : len(new) - behind])
