"""Folds blocks of an editor: their lines are hidden, not gone.

What is folded is known by the first line of the block, and a hidden line is a `QTextBlock` that is
not visible. An edit, a match or a jump inside opens the fold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor.matching import opens_block


class Folds(QObject):
    """The folds of a document.

    Attributes:
        kind: The language, which defines the braces.

    Signals:
        changed: Lines have been hidden or shown.
    """

    changed = Signal()

    def __init__(self, document: QTextDocument, kind: CodeKind) -> None:
        super().__init__(document)
        self.kind = kind
        self._document = document
        # They are at the first lines, and follow every edit.
        self._heads: list[QTextCursor] = []
        self._line_count = document.blockCount()
        document.contentsChange.connect(self._on_contents_change)

    def can_fold(self, block: QTextBlock) -> bool:
        """Returns whether a block of code begins in a line, judging by two lines."""
        following = block.next()
        return following.isValid() and opens_block(block) and following.text().lstrip()[:1] != "}"

    def is_folded(self, block: QTextBlock) -> bool:
        """Returns whether the lines behind `block` are hidden."""
        following = block.next()
        return block.isVisible() and following.isValid() and not following.isVisible()

    def last_of(self, block: QTextBlock) -> QTextBlock:
        """Returns the last line folded behind `block`; `block` where none is."""
        if not self.is_folded(block):
            return block
        following = self._document.findBlockByLineNumber(block.firstLineNumber() + 1)
        return following.previous() if following.isValid() else self._document.lastBlock()

    def toggle(self, block: QTextBlock) -> None:
        """Folds or opens the block of code that begins in a line."""
        if self.is_folded(block):
            self.unfold(block)
        else:
            self._fold(block.blockNumber(), self._ranges())

    def fold_around(self, block: QTextBlock) -> QTextBlock:
        """Folds the innermost open block of code around a line; returns the first line."""
        ranges, line = self._ranges(), block.blockNumber()
        around = (
            first
            for first, last in ranges.items()
            # The line with the closing brace belongs to it as well.
            if first <= line <= last + 1
            and not self.is_folded(self._document.findBlockByNumber(first))
        )
        first = max(around, default=None)
        if first is None:
            return block
        self._fold(first, ranges)
        return self._document.findBlockByNumber(first)

    def unfold(self, block: QTextBlock) -> None:
        """Shows the lines behind `block`; inner folds stay."""
        hidden = _hidden_run(block.next())
        self._heads = [head for head in self._heads if head.block() != block]
        self._set_visible(hidden, True)
        first = block.blockNumber() + 1
        inner = self._lines() & set(range(first, first + len(hidden)))
        ranges = self._ranges() if inner else {}
        for line in sorted(inner):
            self._hide(line, ranges)

    def reveal(self, block: QTextBlock) -> None:
        """Opens all folds that hide the line of `block`."""
        while not block.isVisible():
            head = block.previous()
            while head.isValid() and not head.isVisible():
                head = head.previous()
            if not head.isValid():
                self._set_visible(_hidden_run(self._document.begin()), True)
                return
            self.unfold(head)

    def fold_all(self) -> None:
        """Folds every block of code, also inner blocks."""
        ranges = self._ranges()
        self._heads = [QTextCursor(self._document.findBlockByNumber(line)) for line in ranges]
        hidden: list[QTextBlock] = []
        outside = -1
        for first in sorted(ranges):
            if first > outside:
                hidden += self._within(first, ranges)
                outside = ranges[first]
        self._set_visible(hidden, False)

    def unfold_all(self) -> None:
        """Shows all lines."""
        hidden = [block for head in self._heads for block in _hidden_run(head.block().next())]
        self._heads.clear()
        self._set_visible(sorted(hidden, key=QTextBlock.position), True)

    def _ranges(self) -> Mapping[int, int]:
        from jitstudio.listing.folds import folds

        return folds(self.kind, self._document.toRawText().replace("\u2029", "\n"))

    def _lines(self) -> set[int]:
        return {head.blockNumber() for head in self._heads}

    def _fold(self, first: int, ranges: Mapping[int, int]) -> None:
        if first in ranges and first not in self._lines():
            self._heads.append(QTextCursor(self._document.findBlockByNumber(first)))
        self._hide(first, ranges)

    def _hide(self, first: int, ranges: Mapping[int, int]) -> None:
        self._set_visible(self._within(first, ranges), False)

    def _within(self, first: int, ranges: Mapping[int, int]) -> list[QTextBlock]:
        """Returns the lines that a fold at line `first` hides."""
        block = self._document.findBlockByNumber(first)
        blocks = []
        for _ in range(first, ranges.get(first, first)):
            block = block.next()
            blocks.append(block)
        return blocks

    def _set_visible(self, blocks: Sequence[QTextBlock], visible: bool) -> None:
        if not blocks:
            return
        for block in blocks:
            block.setVisible(visible)
        begin, last = blocks[0].position(), blocks[-1]
        # The layout counts the lines anew.
        self._document.markContentsDirty(begin, last.position() + last.length() - begin)
        self.changed.emit()

    @Slot(int, int, int)
    def _on_contents_change(self, position: int, _removed: int, added: int) -> None:
        count = self._document.blockCount()
        has_other_lines, self._line_count = count != self._line_count, count
        if not self._heads:
            return
        block = self._document.findBlock(position)
        end = min(position + added, self._document.characterCount() - 1)
        heads = self._lines()
        while block.isValid() and block.position() <= end:
            # A line that took up or gave away others is no longer what was folded.
            is_other = has_other_lines and block.position() < position
            if not block.isVisible():
                self.reveal(block)
            elif self.is_folded(block) and (
                is_other or block.blockNumber() not in heads or not opens_block(block)
            ):
                self.unfold(block)
            block = block.next()
        if has_other_lines:
            self._heads = [head for head in self._heads if not head.block().next().isVisible()]


def _hidden_run(block: QTextBlock) -> list[QTextBlock]:
    """Returns the hidden lines from `block` on, up to the next visible line."""
    blocks = []
    while block.isValid() and not block.isVisible():
        blocks.append(block)
        block = block.next()
    return blocks
