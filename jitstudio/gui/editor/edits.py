"""The editing keys of a code editor as functions over a text cursor.

Each is one step of undo.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from jitstudio.gui.code.code_view import Change
from jitstudio.gui.editor.changes import MOST_SINGLE, replace_spans
from jitstudio.gui.kit.code_units import from_units

_USUAL_WIDTH = 4
_WIDTH = "tabWidth"
_BLANKS = " \t"
_OPENERS = "{(["
_CLOSERS = {"{": "}", "(": ")", "[": "]"}
_KEEP = QTextCursor.MoveMode.KeepAnchor
_MOVE = QTextCursor.MoveOperation


def tab_width(document: QTextDocument) -> int:
    """Returns how many columns apart the tab stops of a text are."""
    return document.property(_WIDTH) or _USUAL_WIDTH


def set_tab_width(document: QTextDocument, columns: int) -> None:
    """Puts the tab stops of a text so many columns apart."""
    document.setProperty(_WIDTH, columns)


@contextmanager
def one_step(cursor: QTextCursor) -> Iterator[None]:
    """Joins all edits inside into a single step of undo."""
    cursor.beginEditBlock()
    try:
        yield
    finally:
        cursor.endEditBlock()


def indentation(text: str) -> str:
    """Returns the blanks that a line begins with."""
    return text[: len(text) - len(text.lstrip(_BLANKS))]


def selected_blocks(cursor: QTextCursor) -> list[QTextBlock]:
    """Returns the lines that a selection touches; a line touched only at the start is left out."""
    document = cursor.document()
    first = document.findBlock(cursor.selectionStart())
    last = document.findBlock(cursor.selectionEnd())
    if last != first and cursor.selectionEnd() == last.position():
        last = last.previous()
    blocks = [first]
    while blocks[-1] != last:
        blocks.append(blocks[-1].next())
    return blocks


def _at(block: QTextBlock, column: int = 0) -> QTextCursor:
    cursor = QTextCursor(block)
    cursor.setPosition(block.position() + column)
    return cursor


def _remove(block: QTextBlock, column: int, count: int) -> None:
    cursor = _at(block, column)
    cursor.setPosition(block.position() + column + count, _KEEP)
    cursor.removeSelectedText()


def indent(cursor: QTextCursor) -> None:
    """Indents the selected lines; for at most a single line, goes to the next tab stop."""
    blocks = selected_blocks(cursor)
    with one_step(cursor):
        if len(blocks) == 1 and not _is_whole_line(cursor, blocks[0]):
            column = cursor.selectionStart() - blocks[0].position()
            width = tab_width(cursor.document())
            cursor.insertText(" " * (width - column % width))
            return
        indent_lines(cursor)


def _is_whole_line(cursor: QTextCursor, block: QTextBlock) -> bool:
    length = cursor.selectionEnd() - cursor.selectionStart()
    return length > 0 and length >= len(block.text().strip())


def unindent(cursor: QTextCursor) -> None:
    """Removes a level of indentation from the selected lines, or from the cursor's line."""
    width = tab_width(cursor.document())
    changes: list[Change] = []
    for line, text in _selected_lines(cursor):
        blanks = indentation(text)
        if blanks.startswith("\t"):
            changes.append((line, (0, 1), ""))
        elif blanks:
            changes.append((line, (0, min(len(blanks), (len(blanks) - 1) % width + 1)), ""))
    _change_lines(cursor, changes)


def indent_lines(cursor: QTextCursor) -> None:
    """Indents the lines that the selection touches, or the cursor's, wherever the cursor is."""
    deeper = " " * tab_width(cursor.document())
    lines = (line for line, text in _selected_lines(cursor) if text.strip())
    _change_lines(cursor, [(line, (0, 0), deeper) for line in lines])


def delete_lines(cursor: QTextCursor) -> None:
    """Deletes the selected lines, or the cursor's line; the line below moves up."""
    blocks = selected_blocks(cursor)
    first, last = blocks[0], blocks[-1]
    with one_step(cursor):
        cursor.setPosition(first.position())
        cursor.setPosition(last.position() + last.length() - 1, _KEEP)
        cursor.removeSelectedText()
        # An only line stays, empty; the end of the last one goes with the line above.
        if not cursor.atEnd():
            cursor.deleteChar()
        elif not cursor.atStart():
            cursor.deletePreviousChar()
            cursor.movePosition(_MOVE.StartOfBlock)


def new_line(cursor: QTextCursor) -> None:
    """Begins a new line as deep as this line, deeper behind an opening bracket."""
    with one_step(cursor):
        cursor.removeSelectedText()
        text = cursor.block().text()
        column = from_units(text, cursor.positionInBlock())
        before, behind = text[:column], text[column:]
        blanks = indentation(before)
        opener = before.rstrip(_BLANKS)[-1:]
        deeper = bool(opener) and opener in _OPENERS
        if deeper and behind.lstrip(_BLANKS).startswith(_CLOSERS[opener]):
            _remove(cursor.block(), cursor.positionInBlock(), len(indentation(behind)))
            outside = cursor.position()
            cursor.insertText("\n" + blanks)
            cursor.setPosition(outside)
        level = tab_width(cursor.document()) if deeper else 0
        cursor.insertText("\n" + blanks + " " * level)


def close_brace(cursor: QTextCursor) -> None:
    """Types a closing brace; a brace alone on a line goes a level back."""
    with one_step(cursor):
        if not cursor.hasSelection():
            before = cursor.block().text()[: cursor.positionInBlock()]
            if before and not before.strip(_BLANKS):
                unindent(cursor)
        cursor.insertText("}")


def backspace(cursor: QTextCursor) -> bool:
    """Deletes back to the last tab stop inside the indentation; returns whether that applied."""
    column = cursor.positionInBlock()
    before = cursor.block().text()[:column]
    if cursor.hasSelection() or not before or before.strip(" "):
        return False
    over = (column - 1) % tab_width(cursor.document()) + 1
    _remove(cursor.block(), column - over, over)
    return True


def toggle_comments(cursor: QTextCursor, prefix: str) -> None:
    """Comments the selected lines out, or in again if all are commented out."""
    selected = _selected_lines(cursor)
    lines = [(line, text, len(indentation(text))) for line, text in selected if text.strip()]
    if not lines or not prefix:
        return
    changes: list[Change] = []
    if all(text.startswith(prefix, column) for _, text, column in lines):
        for line, text, column in lines:
            spaced = text.startswith(" ", column + len(prefix))
            changes.append((line, (column, column + len(prefix) + spaced), ""))
    else:
        column = min(column for _, _, column in lines)
        changes = [(line, (column, column), f"{prefix} ") for line, _, _ in lines]
    _change_lines(cursor, changes)


def _selected_lines(cursor: QTextCursor) -> list[tuple[int, str]]:
    """Returns the selected lines, or the cursor's, with their numbers."""
    blocks = selected_blocks(cursor)
    return list(enumerate((block.text() for block in blocks), blocks[0].blockNumber()))


def _change_lines(cursor: QTextCursor, changes: Sequence[Change]) -> None:
    """Makes changes to the selected lines as a single step; the lines stay selected."""
    backwards = cursor.position() < cursor.anchor()
    with one_step(cursor):
        replace_spans(cursor.document(), changes)
    if len(changes) > MOST_SINGLE:
        document = cursor.document()
        first, last = (document.findBlockByNumber(changes[n][0]) for n in (0, -1))
        ends = first.position(), last.position() + last.length() - 1
        cursor.setPosition(ends[backwards])
        cursor.setPosition(ends[not backwards], _KEEP)


def duplicate_lines(cursor: QTextCursor) -> None:
    """Inserts a copy of the selected lines below; the cursor stays in the upper lines."""
    blocks = selected_blocks(cursor)
    copy = "\n".join(block.text() for block in blocks)
    last = blocks[-1]
    below = _at(last, last.length() - 1)
    # Else a cursor at the very end would be carried along.
    anchor, position = cursor.anchor(), cursor.position()
    with one_step(cursor):
        below.insertText("\n" + copy)
        cursor.setPosition(anchor)
        cursor.setPosition(position, _KEEP)


def move_lines(cursor: QTextCursor, down: bool) -> None:
    """Swaps the selected lines with the line above or below; the selection goes along."""
    blocks = selected_blocks(cursor)
    neighbour = blocks[-1].next() if down else blocks[0].previous()
    if not neighbour.isValid():
        return
    # The neighbour moves, not the selected lines: marks inside them stay alive.
    other = neighbour.text()
    shift = neighbour.length() * (1 if down else -1)
    # A selection up to the start of the next line has no such line to reach at the very end.
    end = cursor.document().characterCount() - 1
    anchor, position = (min(at + shift, end) for at in (cursor.anchor(), cursor.position()))
    with one_step(cursor):
        if down:
            _remove(blocks[-1], blocks[-1].length() - 1, neighbour.length())
            _at(blocks[0]).insertText(other + "\n")
        else:
            last = _at(blocks[-1], blocks[-1].length() - 1)
            last.insertText("\n" + other)
            _remove(neighbour, 0, neighbour.length())
        cursor.setPosition(anchor)
        cursor.setPosition(position, _KEEP)


def home(cursor: QTextCursor, select: bool) -> None:
    """Goes to the first character that is no blank; from there to the start of the line."""
    block = cursor.block()
    column = len(indentation(block.text()))
    if cursor.positionInBlock() == column:
        column = 0
    mode = _KEEP if select else QTextCursor.MoveMode.MoveAnchor
    cursor.setPosition(block.position() + column, mode)
