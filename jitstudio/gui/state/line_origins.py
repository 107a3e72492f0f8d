"""Which line of a text that was built a line is now, while the text is edited on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QTextDocument

from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.file_text import ReadOnlyReason, line_changes

UNKNOWN = -1
"""Represents a line that was not built as it is now, or is not there any more."""


class BuiltLines(Protocol):
    """The built lines of one text; lines count from 0."""

    def built_line(self, line: int) -> int:
        """Returns the number of a present line at the time of the build, or `UNKNOWN`."""

    def line(self, built: int) -> int:
        """Returns the present number of a built line, or `UNKNOWN`."""

    def now(self, built: Iterable[int]) -> Mapping[int, int]:
        """Returns the present numbers of built lines; edited lines are left out."""

    def deleteLater(self) -> None:
        """Follows the text no longer."""


def origins_of(document: Document, built: bytes) -> BuiltLines | None:
    """Follows the lines of a document since the build of `built`; None for one without lines."""
    if document.text is not None:
        return LineOrigins(document.text, built.decode("utf-8", "replace").split("\n"))
    if document.read_only is not ReadOnlyReason.BINARY:
        return FixedLines(document, built)
    return None


class FixedLines(QObject):
    """The lines of a text that cannot be edited: unchanged, or of another file.

    Args:
        document: The text.
        built: The text at the time of the build.
    """

    def __init__(self, document: Document, built: bytes) -> None:
        super().__init__(document)
        self._document = document
        self._built = built
        document.reloaded.connect(self._on_reloaded)
        self._on_reloaded()

    def built_line(self, line: int) -> int:
        """Returns the number of a present line at the time of the build, or `UNKNOWN`."""
        return line if self._is_same else UNKNOWN

    def line(self, built: int) -> int:
        """Returns the present number of a built line, or `UNKNOWN`."""
        return built if self._is_same else UNKNOWN

    def now(self, built: Iterable[int]) -> Mapping[int, int]:
        """Returns the present numbers of built lines, as far as they are known."""
        return {line: line for line in built} if self._is_same else {}

    @Slot()
    def _on_reloaded(self) -> None:
        self._is_same = self._document.content == self._built


class LineOrigins(QObject):
    """Follows the edits of a text; lines count from 0.

    A line that is edited loses its origin until the next build: rather no answer than a wrong one.

    Args:
        text: The text as it is now.
        built: Its lines as they were built.
    """

    def __init__(self, text: QTextDocument, built: Sequence[str]) -> None:
        super().__init__(text)
        self._text = text
        self._built = built
        now = text.toRawText().split("\u2029")
        self._origins = _origins(built, now)
        text.contentsChange.connect(self._on_contents_change)

    def built_line(self, line: int) -> int:
        """Returns the number of a present line at the time of the build, or `UNKNOWN`."""
        return self._origins[line] if 0 <= line < len(self._origins) else UNKNOWN

    def line(self, built: int) -> int:
        """Returns the present number of a built line, or `UNKNOWN`."""
        if self.built_line(built) == built:
            return built
        return self._origins.index(built) if built in self._origins else UNKNOWN

    def now(self, built: Iterable[int]) -> Mapping[int, int]:
        """Returns the present numbers of built lines; edited lines are left out."""
        lines = {origin: now for now, origin in enumerate(self._origins) if origin != UNKNOWN}
        return {line: lines[line] for line in built if line in lines}

    @Slot(int, int, int)
    def _on_contents_change(self, position: int, _removed: int, added: int) -> None:
        text, before = self._text, self._origins
        first = text.findBlock(position).blockNumber()
        end = text.findBlock(position + added)
        last = end.blockNumber() if end.isValid() else text.blockCount() - 1
        gone = last - first + 1 + len(before) - text.blockCount()
        edges = ((first, before[first]), (last, before[first + gone - 1]))
        self._origins[first : first + gone] = [UNKNOWN] * (last - first + 1)
        # Of what was split or joined, a line at the edge may be as it was.
        for line, origin in edges:
            if origin != UNKNOWN and text.findBlockByNumber(line).text() == self._built[origin]:
                self._origins[line] = origin


def _origins(built: Sequence[str], now: Sequence[str]) -> list[int]:
    origins = [UNKNOWN] * len(now)
    old = new = 0
    for change in line_changes(built, now):
        count = change.old.start - old
        origins[new : new + count] = range(old, change.old.start)
        old, new = change.old.stop, change.new.stop
    origins[new:] = range(old, len(built))
    return origins
