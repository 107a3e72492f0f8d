"""Fades the parts of a text that are not compiled because they are for the host only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QObject, QRect, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QPainter

from jitstudio.gui.editor.editor_area import EditorArea
from jitstudio.gui.kit.background import Background

_DELAY = 250
_PARAGRAPH = "\u2029"
# How much of the background covers the text.
_VEIL = 0.4


class HostCodeVeil(QObject):
    """Finds host code in the background whenever a `CodeEditor` rests, and fades the lines.

    Signals:
        changed: Other lines are host code now.
    """

    changed = Signal()

    def __init__(self, editor: EditorArea) -> None:
        super().__init__(editor)
        self._editor = editor
        self._is_on = False
        self._ranges: tuple[tuple[int, int], ...] = ()
        self._blocks = editor.document().blockCount()
        self._finding = Background(self)
        self._finding.done.connect(self._on_found)
        self._timer = QTimer(self, singleShot=True, interval=_DELAY)
        self._timer.timeout.connect(self._on_timeout)
        editor.document().contentsChange.connect(self._on_edited)

    @property
    def lines(self) -> int:
        """The number of lines that are host code."""
        return sum(last - first + 1 for first, last in self._ranges)

    def show(self, is_on: bool) -> None:
        """Looks for host code from now on, or does not."""
        if is_on == self._is_on:
            return
        self._is_on = is_on
        if is_on:
            self._timer.start(0)
        else:
            self._timer.stop()
            self._finding.stop()
            self._on_found(())

    def show_built(self, ranges: tuple[tuple[int, int], ...]) -> None:
        """Shows the host code that a build has excluded from the text, which is unchanged since.

        A build knows the macros of all headers.
        """
        if self._is_on:
            self._timer.stop()
            self._finding.stop()
            self._on_found(ranges)

    def is_host_code(self, line: int) -> bool:
        """Returns whether a line, counted from 0, is drawn back."""
        return any(first <= line + 1 <= last for first, last in self._ranges)

    def paint(self) -> None:
        """Covers the lines thinly with the background, so that they keep their colours."""
        if not self._ranges:
            return
        editor = self._editor
        veil = QColor(editor.theme.code.background)
        veil.setAlphaF(_VEIL)
        painter = QPainter(editor.viewport())
        width = editor.viewport().width()
        current = editor.textCursor().blockNumber()
        for block, rect in editor.visible_blocks():
            # What is written now is to be read.
            if self.is_host_code(block.blockNumber()) and block.blockNumber() != current:
                painter.fillRect(QRect(0, round(rect.top()), width, round(rect.height())), veil)
        painter.end()

    @Slot(int, int, int)
    def _on_edited(self, at: int, removed: int, added: int) -> None:
        if not self._is_on or (not removed and not added):
            return
        document = self._editor.document()
        more, self._blocks = document.blockCount() - self._blocks, document.blockCount()
        if more and self._ranges:
            line = document.findBlock(at).blockNumber() + 1
            self._ranges = tuple(_moved(self._ranges, line, more))
        self._timer.start()

    @Slot()
    def _on_timeout(self) -> None:
        document = self._editor.document()
        self._blocks = document.blockCount()
        text = document.toRawText()
        self._finding.start(lambda _stop: _found_in(text))

    @Slot(object)
    def _on_found(self, ranges: tuple[tuple[int, int], ...]) -> None:
        if ranges != self._ranges and not self._timer.isActive():
            self._ranges = ranges
            self._editor.viewport().update()
            self.changed.emit()


def _moved(ranges: Iterable[tuple[int, int]], line: int, more: int) -> Iterator[tuple[int, int]]:
    """Yields ranges as they are once lines have come or gone behind a line."""
    for first, last in ranges:
        first = max(line, first + more) if first > line else first
        last = max(line, last + more) if last >= line else last
        yield first, max(first, last)


def _found_in(text: str) -> tuple[tuple[int, int], ...]:
    from jitstudio.listing.cuda.host_code import find_host_code

    content = text.replace(_PARAGRAPH, "\n").encode(errors="replace")
    return find_host_code(content, with_launched=False).ranges
