"""A text and its form in a file, limits of editing, and the lines that two texts differ in.

Saving leaves encoding and line ends as they were found.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from PySide6.QtGui import QTextCursor, QTextDocument

from jitstudio.core.code import TEXT_KINDS, CodeKind, is_bitcode
from jitstudio.gui.kit.code_units import to_units
from jitstudio.gui.kit.text_limits import LARGEST_TEXT, excess
from jitstudio.gui.state.document_files import digest

# Comparing takes up to the product of both lengths: more is one change as a whole.
_MOST_LINES = 2000


class LineChange(NamedTuple):
    """Lines of an old text that other lines of the new text replace; counted from 0.

    Attributes:
        old: From the first old line to the one behind the last.
        new: The same in the new text.
    """

    old: slice
    new: slice


def line_changes(old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    """Returns the changes that make the old lines the new, from the top to the bottom."""
    before, behind = alike(old, new)
    old_end, new_end = len(old) - behind, len(new) - behind
    if before == old_end and before == new_end:
        return []
    if max(old_end, new_end) - before > _MOST_LINES:
        return [LineChange(slice(before, old_end), slice(before, new_end))]
    # A window opens files before any of them has changed.
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, old[before:old_end], new[before:new_end])
    return [
        LineChange(
            slice(before + old_first, before + old_last),
            slice(before + new_first, before + new_last),
        )
        for word, old_first, old_last, new_first, new_last in matcher.get_opcodes()
        if word != "equal"
    ]


def alike(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Returns how many lines or characters two sequences share at the start and at the end."""
    shorter = min(len(old), len(new))
    before = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    rest = shorter - before
    behind = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    return before, behind


_NEWLINES = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
# What Qt's editor breaks a line at as well: there is no other way back to what the file held.
_ENDS = re.compile("\r\n|[\n\r\u2029\ufdd0\ufdd1]")
# In no text that anybody has written, so that binary files are not taken for Latin-1.
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


class Encoding(Enum):
    """The encoding of a text; the value is the name in session files and for the user."""

    UTF_8 = "UTF-8"
    UTF_8_BOM = "UTF-8 with BOM"
    UTF_16_LE = "UTF-16 LE"
    UTF_16_BE = "UTF-16 BE"
    WINDOWS_1252 = "Windows-1252"
    LATIN_1 = "Latin-1"

    @property
    def codec(self) -> str:
        """The name of the codec in Python, without the byte order mark."""
        return _CODECS[self][0]

    @property
    def mark(self) -> bytes:
        """The byte order mark at the start of a file."""
        return _CODECS[self][1]

    @property
    def is_unicode(self) -> bool:
        """Whether the encoding has every character."""
        return self not in _EIGHT_BIT


_CODECS = {
    Encoding.UTF_8: ("utf-8", b""),
    Encoding.UTF_8_BOM: ("utf-8", codecs.BOM_UTF8),
    Encoding.UTF_16_LE: ("utf-16-le", codecs.BOM_UTF16_LE),
    Encoding.UTF_16_BE: ("utf-16-be", codecs.BOM_UTF16_BE),
    Encoding.WINDOWS_1252: ("cp1252", b""),
    Encoding.LATIN_1: ("latin-1", b""),
}
_MARKED = (Encoding.UTF_8_BOM, Encoding.UTF_16_LE, Encoding.UTF_16_BE)
_UTF_16 = (Encoding.UTF_16_LE, Encoding.UTF_16_BE)
_EIGHT_BIT = (Encoding.WINDOWS_1252, Encoding.LATIN_1)


class EncodingError(ValueError):
    """A text has characters that the encoding of the file lacks.

    Attributes:
        characters: The first few of them.
    """

    def __init__(self, encoding: Encoding, characters: str) -> None:
        super().__init__(f"{encoding.value} has no {' '.join(characters)}")
        self.characters = characters


class TextForm(NamedTuple):
    """The form of a text in a file.

    Attributes:
        encoding: How its characters are written.
        line_end: The end of most lines, and of new lines.
        found: Each line with its end, where the ends differ; empty where all are alike.
    """

    encoding: Encoding = Encoding.UTF_8
    line_end: str = "\n"
    found: tuple[tuple[str, str], ...] = ()

    @property
    def line_end_name(self) -> str:
        """The name of the line ends in the status line."""
        name = _NEWLINES[self.line_end]
        return f"{name}, mixed" if self.found else name


class FileText(NamedTuple):
    r"""A text whose lines are divided by `\n`, and the form of the file."""

    text: str
    form: TextForm = TextForm()

    @classmethod
    def split(cls, text: str, encoding: Encoding = Encoding.UTF_8) -> FileText:
        """Returns the `FileText` of a text with the line ends of the file."""
        ends = _ENDS.findall(text)
        counts = Counter(ends)
        line_end = max(_NEWLINES, key=lambda end: counts[end])
        if set(counts) <= {line_end}:
            return cls(text.replace(line_end, "\n"), TextForm(encoding, line_end))
        lines = _ENDS.split(text)
        mixed_ends = tuple(zip(lines, [*ends, ""], strict=True))
        return cls("\n".join(lines), TextForm(encoding, line_end, mixed_ends))

    @property
    def joined(self) -> str:
        """The text with line ends: lines that are as they were read end as they did."""
        if not self.form.found:
            return self.text.replace("\n", self.form.line_end)
        lines = self.text.split("\n")
        ends = [end or self.form.line_end for end in self._ends(lines)[:-1]]
        return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))

    def encode(self) -> bytes:
        """Returns the bytes of the file.

        Raises:
            EncodingError: The encoding of the file does not have all the characters.
        """
        encoding, text = self.form.encoding, self.joined
        if encoding.is_unicode:
            # Half a character that was pasted is the one thing that it cannot write.
            return encoding.mark + text.encode(encoding.codec, "replace")
        try:
            return text.encode(encoding.codec)
        except UnicodeEncodeError as error:
            raise EncodingError(encoding, text[error.start : error.end][:5]) from error

    def for_build(self) -> bytes:
        """Returns the bytes for compilers, which read UTF-8 only: no mark, plain newlines."""
        return self.text.encode("utf-8", "replace")

    def _ends(self, lines: list[str]) -> list[str]:
        """Returns the original end of each line; empty for new lines."""
        ends_read = [end for _, end in self.form.found]
        ends: list[str] = []
        at = 0
        for change in line_changes([line for line, _ in self.form.found], lines):
            ends += ends_read[at : change.old.start]
            count = change.new.stop - change.new.start
            # A line that was edited still ends as it did.
            ends_before = ends_read[change.old][:count]
            ends += [*ends_before, *[""] * (count - len(ends_before))]
            at = change.old.stop
        return [*ends, *ends_read[at:]]


def read_text(content: bytes) -> FileText | None:
    """Returns the text of a file; None where the content is no text."""
    for encoding in _candidates(content):
        try:
            text = content[len(encoding.mark) :].decode(encoding.codec)
        except UnicodeDecodeError:
            continue
        return None if "\0" in text else FileText.split(text, encoding)
    return None


def _candidates(content: bytes) -> tuple[Encoding, ...]:
    """Returns the encodings that a file may have, the likeliest first."""
    marked = next((e for e in _MARKED if content.startswith(e.mark)), None)
    if marked in _UTF_16:
        return (marked,)
    utf_8 = marked or Encoding.UTF_8
    return (utf_8,) if _CONTROLS.search(content) else (utf_8, *_EIGHT_BIT)


# ---- Whether what a file holds can be edited, and what another content of it changes

# No encoding takes more for one character.
_MOST_BYTES = 4 * LARGEST_TEXT
_KEEP = QTextCursor.MoveMode.KeepAnchor


class ReadOnlyReason(Enum):
    """The reasons why a document is shown and built but not edited."""

    BINARY = "This file holds machine code or bitcode. It takes part in the link as it is."
    TOO_LARGE = "This text is too large to edit here. It is built as it is on disk."
    UNSAVED = (
        "This text is too large to edit here, and it is in no file yet: save it. "
        "It is built as it is shown."
    )
    NOT_TEXT = "This file holds no text that can be edited. Convert it to UTF-8 and open it again."
    FOUND = "This file is shown as it is on disk, where builds find it. It cannot be edited here."


class FileContent(NamedTuple):
    """The present content of a file, compared with the text of the window.

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
    file_text = read_text(content)
    if file_text is None:
        return ReadOnlyReason.NOT_TEXT
    return file_text if excess(file_text.text) is None else ReadOnlyReason.TOO_LARGE


def compare(kind: CodeKind, content: bytes, base: FileText | None) -> FileContent:
    """Returns the content of a file, compared with the text of the window; may take a while."""
    file_text = editable(kind, content)
    changes: list[LineChange] = []
    if base is not None and isinstance(file_text, FileText):
        changes = line_changes(base.text.split("\n"), file_text.text.split("\n"))
    return FileContent(content, digest(content), file_text, base, tuple(changes))


def change_lines(text: QTextDocument, changes: tuple[LineChange, ...], new: FileText) -> None:
    """Makes the changes as a single step of undo; cursors elsewhere stay where they are."""
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
    """Inserts or removes whole lines, with the newline behind, or before at the end of the text."""
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
