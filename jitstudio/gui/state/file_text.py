"""A text and how a file holds it, whether it can be edited, and which lines of two texts differ.

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
    """Lines of one text in whose place the other has some of its own; counted from 0.

    Attributes:
        old: From the first old line to the one behind the last.
        new: The same in the new text.
    """

    old: slice
    new: slice


def line_changes(old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    """Returns what has to change to make the old lines the new ones, from the top to the bottom."""
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
    """How many lines, or characters, both have in common at the start, and then at the end."""
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
    """How characters become bytes; the value is its name in a session file and to the user."""

    UTF_8 = "UTF-8"
    UTF_8_BOM = "UTF-8 with BOM"
    UTF_16_LE = "UTF-16 LE"
    UTF_16_BE = "UTF-16 BE"
    WINDOWS_1252 = "Windows-1252"
    LATIN_1 = "Latin-1"

    @property
    def codec(self) -> str:
        """What Python calls it, the mark at the start aside."""
        return _CODECS[self][0]

    @property
    def mark(self) -> bytes:
        """What a file in it begins with."""
        return _CODECS[self][1]

    @property
    def is_unicode(self) -> bool:
        """Whether it has every character."""
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
    """A text has characters that its encoding has not.

    Attributes:
        characters: The first few of them.
    """

    def __init__(self, encoding: Encoding, characters: str) -> None:
        super().__init__(f"{encoding.value} has no {' '.join(characters)}")
        self.characters = characters


class TextForm(NamedTuple):
    """How a file holds a text.

    Attributes:
        encoding: How its characters are written.
        line_end: What most of its lines end with; new ones will.
        found: Each line with what ended it, where not all ends are alike; empty where they are.
    """

    encoding: Encoding = Encoding.UTF_8
    line_end: str = "\n"
    found: tuple[tuple[str, str], ...] = ()

    @property
    def line_end_name(self) -> str:
        """What the status line calls the line ends."""
        name = _NEWLINES[self.line_end]
        return f"{name}, mixed" if self.found else name


class FileText(NamedTuple):
    r"""A text whose lines are divided by `\n`, and the form it has in a file."""

    text: str
    form: TextForm = TextForm()

    @classmethod
    def split(cls, text: str, encoding: Encoding = Encoding.UTF_8) -> FileText:
        """Takes a text with its line ends as a file has them."""
        ends = _ENDS.findall(text)
        counts = Counter(ends)
        line_end = max(_NEWLINES, key=lambda end: counts[end])
        if set(counts) <= {line_end}:
            return cls(text.replace(line_end, "\n"), TextForm(encoding, line_end))
        lines = _ENDS.split(text)
        found = tuple(zip(lines, [*ends, ""], strict=True))
        return cls("\n".join(lines), TextForm(encoding, line_end, found))

    @property
    def joined(self) -> str:
        """The text with its line ends: lines that are as they were found end as they did."""
        if not self.form.found:
            return self.text.replace("\n", self.form.line_end)
        lines = self.text.split("\n")
        ends = [end or self.form.line_end for end in self._ends(lines)[:-1]]
        return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))

    def encode(self) -> bytes:
        """Returns what a file holds.

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
        """Returns what compilers get, which read UTF-8 only: no mark, plain newlines."""
        return self.text.encode("utf-8", "replace")

    def _ends(self, lines: list[str]) -> list[str]:
        """Returns what ended each line; empty for new ones."""
        found = [end for _, end in self.form.found]
        ends: list[str] = []
        at = 0
        for change in line_changes([line for line, _ in self.form.found], lines):
            ends += found[at : change.old.start]
            count = change.new.stop - change.new.start
            # A line that was edited still ends as it did.
            kept = found[change.old][:count]
            ends += [*kept, *[""] * (count - len(kept))]
            at = change.old.stop
        return [*ends, *found[at:]]


def read_text(content: bytes) -> FileText | None:
    """Returns the text of a file; None where it holds none."""
    for encoding in _candidates(content):
        try:
            text = content[len(encoding.mark) :].decode(encoding.codec)
        except UnicodeDecodeError:
            continue
        return None if "\0" in text else FileText.split(text, encoding)
    return None


def _candidates(content: bytes) -> tuple[Encoding, ...]:
    """Returns what a file may be written in, the likeliest first."""
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
