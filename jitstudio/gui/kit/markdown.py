"""Markdown in a view, with code as it is read beside text."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import QTextEdit

_SIZE = QTextFormat.Property.FontPointSize
_CODE = QTextFormat.Property.BlockCodeLanguage


def set_markdown(view: QTextEdit, text: str) -> None:
    """Shows Markdown in a view.

    Lines of code are never broken, as their columns would be lost; the view scrolls. Code has the
    size of the text around it: Qt gives it the size that the view has now, and a zoom changes that.
    """
    view.setMarkdown(text)
    cursor = QTextCursor(view.document())
    cursor.beginEditBlock()
    for block in blocks_of(view.document()):
        if block.blockFormat().hasProperty(_CODE):
            cursor.setPosition(block.position())
            whole = block.blockFormat()
            whole.setNonBreakableLines(True)
            cursor.setBlockFormat(whole)
        for start, end in _sized(block):
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            letters = cursor.charFormat()
            letters.clearProperty(_SIZE)
            cursor.setCharFormat(letters)
    cursor.endEditBlock()


def blocks_of(document: QTextDocument) -> Iterator[QTextBlock]:
    """Yields the blocks of a document: its paragraphs, headings and lines of code."""
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _sized(block: QTextBlock) -> list[tuple[int, int]]:
    """Returns the parts of a block that have a size of their own."""
    parts = []
    fragments = block.begin()
    while not fragments.atEnd():
        fragment = fragments.fragment()
        if fragment.charFormat().hasProperty(_SIZE):
            parts.append((fragment.position(), fragment.position() + fragment.length()))
        fragments += 1
    return parts
