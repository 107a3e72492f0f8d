"""Several carets in an editor: typing happens at each caret, as a single step of undo.

The editor's own cursor is one of them, the one added last; the others are kept here. A selection of
columns is a caret in each of its lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QTextCursor,
)
from PySide6.QtWidgets import QTextEdit

from jitstudio.gui.editor.editor_area import EditorArea
from jitstudio.gui.editor.edits import one_step, selected_blocks, tab_width
from jitstudio.gui.editor.keys import (
    ClosingPairs,
    Edit,
    apply_key,
    edit_of,
    is_of_lines,
    standard_edit,
    types,
)
from jitstudio.gui.editor.matching import following, word_range
from jitstudio.gui.kit.code_units import in_units

MOST = 1000
"""How many carets there may be: typing at more would be felt, as Qt moves each at each edit."""

_KEEP = QTextCursor.MoveMode.KeepAnchor
_MOVE = QTextCursor.MoveOperation
_KEY = QKeySequence.StandardKey
_LINE_END = "\u2029"
_Ends = tuple[int, int]
_ALT, _SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier


class _Caret:
    """A caret, with the brackets that closed themselves there."""

    def __init__(self, cursor: QTextCursor, pairs: ClosingPairs | None = None) -> None:
        self.cursor = cursor
        self.pairs = ClosingPairs() if pairs is None else pairs

    @property
    def start(self) -> int:
        return self.cursor.selectionStart()

    @property
    def end(self) -> int:
        return self.cursor.selectionEnd()


class Carets:
    """The carets of a `CodeEditor`."""

    def __init__(self, editor: EditorArea) -> None:
        self._editor = editor
        self._others: list[_Caret] = []
        # What was selected as a word, and so is looked for as one.
        self._word = ""
        # The revision that typing left, so that the next letter joins its step of undo.
        self._typed = -1
        # Where the carets were, by how far the text could be undone then; the editor's own is last.
        self._states: dict[int, tuple[_Ends, ...]] = {}

    @property
    def is_many(self) -> bool:
        """Whether there is more than the editor's own cursor."""
        return bool(self._others)

    @property
    def count(self) -> int:
        """The number of carets, the editor's own cursor among them."""
        return 1 + len(self._others)

    # What the commands and the mouse do.

    def clear(self) -> None:
        """Leaves the editor's own cursor only."""
        self._word = ""
        self._states = {}
        if self._others:
            self._others = []
            self._show()

    def set_all(self, cursors: Sequence[QTextCursor]) -> None:
        """Puts carets at `cursors` and nowhere else; the last is the editor's own."""
        self._others = [_Caret(cursor) for cursor in cursors[:-1]]
        self._settle([*self._others, _Caret(cursors[-1], self._editor.pairs)])

    def toggle(self, cursor: QTextCursor) -> None:
        """Adds a caret, or removes the caret that is there, unless it is the only caret."""
        there = [c for c in self._others if c.start <= cursor.position() <= c.end]
        if there:
            self._others = [caret for caret in self._others if caret not in there]
            self._show()
        elif cursor.position() != self._editor.textCursor().position():
            self._add(cursor)
        elif self._others:
            last = self._others.pop()
            self._editor.setTextCursor(last.cursor)

    def add_line(self, down: bool) -> None:
        """Puts a caret in the line below the lowest, or above the highest."""
        cursor = QTextCursor(self._all()[-1 if down else 0].cursor)
        if cursor.movePosition(_MOVE.Down if down else _MOVE.Up):
            self._add(cursor)

    def select_next(self) -> bool:
        """Selects the word at each caret, or, where there is a selection, the next equal text.

        Returns:
            Whether there was anything to select.
        """
        own = self._editor.textCursor()
        if not own.hasSelection():
            return self._select_words()
        taken = {(caret.start, caret.end) for caret in self._all()}
        places = self._places(own.selectedText(), own.selectionEnd())
        # At most each caret has a place that is passed.
        next_span = next((span for span in islice(places, MOST) if span not in taken), None)
        if next_span is None or self.count >= MOST:
            return False
        self._add(self._over(next_span))
        return True

    def select_all(self) -> bool:
        """Selects all places of the selected text, or of the word at the cursor.

        Returns:
            Whether all have carets now; at most `MOST` get one.
        """
        own = self._editor.textCursor()
        if not own.hasSelection() and not self._select_words():
            return True
        own = self._editor.textCursor()
        spans = list(islice(self._places(own.selectedText(), own.selectionStart()), MOST + 1))
        # The place that the user looks at stays the editor's own.
        self.set_all([self._over(span) for span in reversed(spans[:MOST])] or [own])
        return len(spans) <= MOST

    # What the editor asks for.

    def take_key(self, event: QKeyEvent) -> bool:
        """Applies a key at all carets; returns whether there are several."""
        if not self._others:
            return False
        if event.matches(_KEY.SelectAll):
            self.clear()
            return False
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
        elif event.matches(_KEY.Undo) or event.matches(_KEY.Redo):
            (self._editor.undo if event.matches(_KEY.Undo) else self._editor.redo)()
        elif event.matches(_KEY.Copy) or event.matches(_KEY.Cut):
            if text := self.selected_text():
                QGuiApplication.clipboard().setText(text)
                if event.matches(_KEY.Cut):
                    self._act_on_all(lambda caret: caret.cursor.removeSelectedText())
        elif event.matches(_KEY.Paste):
            self._editor.paste()
        elif (edit := edit_of(event)) is not None and is_of_lines(edit):
            self.edit_lines(edit)
        else:
            self._take_each(event)
        return True

    def edit(self, edit: Edit) -> None:
        """Applies an edit at all carets."""
        if is_of_lines(edit):
            self.edit_lines(edit)
        else:
            self._act_on_all(lambda caret: edit(caret.cursor))

    def edit_lines(self, edit: Edit) -> None:
        """Applies an edit to all lines with carets, once to each line."""
        carets = self._all()
        self._remember()
        with one_step(carets[0].cursor):
            for group in _groups(carets):
                _edit_group(group, edit)
        self._settle(carets)
        self._remember()

    def insert(self, text: str) -> None:
        """Inserts a text at all carets: a line at each, if there are as many lines as carets."""
        lines = _lines(text) if self.copies(text) == 1 else [text] * self.count
        places = iter(lines)
        self._act_on_all(lambda caret: caret.cursor.insertText(next(places)))

    def copies(self, text: str) -> int:
        """Returns how often `insert` would insert a text."""
        return 1 if len(_lines(text)) == self.count else self.count

    def selected_text(self) -> str:
        """Returns the selected texts of all carets, below each other."""
        texts = (c.cursor.selectedText() for c in self._all() if c.cursor.hasSelection())
        return "\n".join(texts).replace(_LINE_END, "\n")

    def step_in_history(self, step: Callable[[], object]) -> None:
        """Undoes or redoes, and puts the carets where they were then."""
        carets = self._all()
        step()
        ends = self._states.get(self._editor.document().availableUndoSteps())
        if ends is None:
            self._settle(carets)
        else:
            self.set_all([self._over(span) for span in ends])

    def highlights(self, first: int, last: int) -> list[QTextEdit.ExtraSelection]:
        """Returns the selections of the other carets between two positions."""
        selections = []
        for caret in self._others:
            if caret.cursor.hasSelection() and caret.end >= first and caret.start <= last:
                selection = QTextEdit.ExtraSelection()
                selection.cursor = caret.cursor
                code = self._editor.theme.code
                selection.format.setBackground(code.selection)
                selection.format.setForeground(code.selection_text)
                selections.append(selection)
        return selections

    def paint(self) -> None:
        """Draws the others that are visible; Qt draws the editor's own."""
        editor = self._editor
        if not self._others or not editor.hasFocus():
            return
        painter, height = QPainter(editor.viewport()), editor.viewport().height()
        first = editor.firstVisibleBlock().position()
        last = editor.cursorForPosition(editor.viewport().rect().bottomRight()).position()
        for caret in self._others:
            position = caret.cursor.position()
            if first <= position <= last and caret.cursor.block().isVisible():
                place = editor.cursorRect(caret.cursor)
                if place.top() < height:
                    place.setWidth(max(1, editor.cursorWidth()))
                    painter.fillRect(place, editor.theme.code.text)
        painter.end()

    # How it does it.

    def _all(self) -> list[_Caret]:
        """Returns all carets in the order of their places."""
        own = _Caret(self._editor.textCursor(), self._editor.pairs)
        return sorted([*self._others, own], key=lambda caret: (caret.start, caret.end))

    def _is_own(self, caret: _Caret) -> bool:
        return caret.pairs is self._editor.pairs

    def _over(self, span: _Ends) -> QTextCursor:
        cursor = self._editor.textCursor()
        cursor.setPosition(span[0])
        cursor.setPosition(span[1], _KEEP)
        return cursor

    def _places(self, sought: str, start: int) -> Iterable[tuple[int, int]]:
        return following(self._editor.document(), sought, start, sought == self._word)

    def _select_words(self) -> bool:
        carets = self._all()
        for caret in carets:
            if not caret.cursor.hasSelection() and (span := word_range(caret.cursor)):
                caret.cursor.setPosition(span[0])
                caret.cursor.setPosition(span[1], _KEEP)
        self._settle(carets)
        own = self._editor.textCursor()
        self._word = own.selectedText()
        return own.hasSelection()

    def _add(self, cursor: QTextCursor) -> None:
        """Adds a caret, which is the editor's own from now on."""
        if self.count < MOST:
            added = _Caret(cursor)
            self._settle([*self._all(), added], added)

    def _take_each(self, event: QKeyEvent) -> None:
        usual = standard_edit(event)

        def take(caret: _Caret) -> None:
            caret.pairs.is_on = self._editor.pairs.is_on
            if not apply_key(event, caret.cursor, caret.pairs) and usual is not None:
                usual(caret.cursor)

        is_typed = types(event)
        if usual is None and edit_of(event) is None:
            event.ignore()
            return
        joins = is_typed and self._typed == self._editor.document().revision()
        self._act_on_all(take, joins)
        self._typed = self._editor.document().revision() if is_typed else -1

    def _act_on_all(self, act: Callable[[_Caret], object], joins: bool = False) -> None:
        """Calls `act` at each caret, as a single step of undo, or as a part of the last step."""
        carets = self._all()
        if not joins:
            self._remember()
        step = QTextCursor(self._editor.document())
        (step.joinPreviousEditBlock if joins else step.beginEditBlock)()
        left = []
        try:
            for caret in carets:
                act(caret)
                left.append((caret.cursor.anchor(), caret.cursor.position()))
        finally:
            step.endEditBlock()
        for caret, (anchor, position) in zip(carets, left, strict=True):
            # What a later caret inserts where this one is comes behind it.
            anchor = min(anchor, caret.cursor.anchor())
            position = min(position, caret.cursor.position())
            if (anchor, position) != (caret.cursor.anchor(), caret.cursor.position()):
                caret.cursor.setPosition(anchor)
                caret.cursor.setPosition(position, _KEEP)
        self._settle(carets)
        self._remember()

    def _remember(self) -> None:
        cursors = [caret.cursor for caret in self._others] + [self._editor.textCursor()]
        ends = tuple((cursor.anchor(), cursor.position()) for cursor in cursors)
        self._states[self._editor.document().availableUndoSteps()] = ends

    def _settle(self, carets: Iterable[_Caret], own: _Caret | None = None) -> None:
        """Replaces the carets by `carets`; carets that have run into each other are joined."""
        carets = sorted(carets, key=lambda caret: (caret.start, caret.end))
        own = own or next(caret for caret in carets if self._is_own(caret))
        distinct: list[_Caret] = []
        for caret in carets:
            last = distinct[-1] if distinct else None
            if last is None or not _touch(last, caret):
                distinct.append(caret)
                continue
            # The one with a direction keeps it.
            survivor = caret if caret is own or not last.cursor.hasSelection() else last
            start, end = last.start, max(last.end, caret.end)
            backwards = survivor.cursor.position() < survivor.cursor.anchor()
            survivor.cursor.setPosition(end if backwards else start)
            survivor.cursor.setPosition(start if backwards else end, _KEEP)
            own = survivor if own in (last, caret) else own
            distinct[-1] = survivor
        self._others = [caret for caret in distinct if caret is not own]
        for caret in self._others:
            if self._is_own(caret):
                caret.pairs = ClosingPairs()
        if self._others:
            self._editor.completer.dismiss()
        self._editor.setTextCursor(own.cursor)
        self._editor.ensureCursorVisible()
        self._show()

    def _show(self) -> None:
        self._editor.highlights_outdated.emit()
        self._editor.viewport().update()


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _touch(left: _Caret, right: _Caret) -> bool:
    """Returns whether two carets, in order, count as one: selections may lie side by side."""
    if right.start < left.end:
        return True
    return right.start == left.end and (left.start == left.end or right.start == right.end)


def _groups(carets: Sequence[_Caret]) -> list[list[_Caret]]:
    """Returns carets in groups of adjacent lines, in order."""
    groups: list[list[_Caret]] = []
    reached = -2
    for caret in carets:
        blocks = selected_blocks(caret.cursor)
        if blocks[0].blockNumber() > reached + 1:
            groups.append([])
        groups[-1].append(caret)
        reached = max(reached, blocks[-1].blockNumber())
    return groups


def _edit_group(group: Sequence[_Caret], edit: Edit) -> None:
    first = selected_blocks(group[0].cursor)[0]
    lines = (selected_blocks(caret.cursor)[-1] for caret in group)
    last = max(lines, key=lambda block: block.position())
    whole = QTextCursor(first)
    whole.setPosition(last.position() + last.length() - 1, _KEEP)
    document = whole.document()
    places = [
        (caret, tuple(_LineColumn.of(caret.cursor, at, first.blockNumber()) for at in _ends(caret)))
        for caret in group
    ]
    edit(whole)
    top = document.findBlock(whole.selectionStart()).blockNumber()
    for caret, ends in places:
        # Lines that have only moved: Qt leaves carets at their edges behind.
        if all(end.text == document.findBlockByNumber(top + end.line).text() for end in ends):
            anchor, position = (
                document.findBlockByNumber(top + end.line).position() + end.column for end in ends
            )
            caret.cursor.setPosition(anchor)
            caret.cursor.setPosition(position, _KEEP)


def _ends(caret: _Caret) -> tuple[int, int]:
    return caret.cursor.anchor(), caret.cursor.position()


class _LineColumn(NamedTuple):
    """A place by line, counted from the first of a group, and column."""

    line: int
    column: int
    text: str

    @staticmethod
    def of(cursor: QTextCursor, position: int, first: int) -> _LineColumn:
        block = cursor.document().findBlock(position)
        return _LineColumn(block.blockNumber() - first, position - block.position(), block.text())


class _Corner(NamedTuple):
    """A line and a column as they are seen, tabs counted in full, both from 0."""

    line: int
    column: int


class ColumnSelection:
    """Selects columns in a `CodeEditor`, by Alt+Shift and the mouse or by keys."""

    def __init__(self, editor: EditorArea, carets: Carets) -> None:
        self._editor = editor
        self._carets = carets
        self._anchor = self._active = _Corner(0, 0)
        # Where the text cursor was left: elsewhere a selection begins anew.
        self._left: tuple[int, int, int] | None = None
        self._pressed: _Corner | None = None

    def extend(self, lines: int, columns: int) -> None:
        """Extends the selection of columns by lines and columns, from the cursor or selection."""
        if self._left != self._state():
            cursor = self._editor.textCursor()
            self._anchor, self._active = (
                self._corner_at(cursor.anchor()),
                self._corner_at(cursor.position()),
            )
        line, column = self._active
        last = self._editor.blockCount() - 1
        line = min(max(line + lines, 0), last)
        first, end = sorted((self._anchor.line, line))
        widest = max(self._width(at) for at in range(first, min(end, first + MOST) + 1))
        self._select(self._anchor, _Corner(line, min(max(column + columns, 0), widest)))

    def press(self, event: QMouseEvent) -> bool:
        """Adds a caret at Alt, selects columns at Alt+Shift; returns whether Alt was down."""
        if not event.modifiers() & _ALT or self._editor.isReadOnly():
            return False
        if event.modifiers() & _SHIFT:
            self._pressed = self._corner(event.position())
            if self._left != self._state():
                self._anchor = self._corner_at(self._editor.textCursor().anchor())
            self._select(self._anchor, self._pressed)
        else:
            self._carets.toggle(self._editor.cursorForPosition(event.position().toPoint()))
        return True

    def drag(self, event: QMouseEvent) -> bool:
        """Selects columns from the press of the mouse; returns whether the drag was for that."""
        if self._pressed is None:
            return False
        corner = self._corner(event.position())
        if corner != self._pressed or self._anchor == self._pressed:
            self._select(self._pressed, corner)
        return True

    def release(self) -> bool:
        """Selects no more; returns whether columns were being selected."""
        was_pressed, self._pressed = self._pressed is not None, None
        return was_pressed

    def _select(self, anchor: _Corner, active: _Corner) -> None:
        self._anchor, self._active = anchor, active
        down = 1 if active.line >= anchor.line else -1
        lines = range(anchor.line, active.line + down, down)[:MOST]
        left = min(anchor.column, active.column)
        cursors = []
        for line in lines:
            block = self._editor.document().findBlockByNumber(line)
            # A line that ends before the rectangle has no part of it.
            if block.isVisible() and self._width(line) >= left:
                cursor = QTextCursor(block)
                cursor.setPosition(block.position() + self._units(line, anchor.column))
                cursor.setPosition(block.position() + self._units(line, active.column), _KEEP)
                cursors.append(cursor)
        if cursors:
            self._carets.set_all(cursors)
        self._left = self._state()

    def _state(self) -> tuple[int, int, int]:
        editor = self._editor
        return editor.document().revision(), editor.textCursor().position(), self._carets.count

    def _corner(self, place: QPointF) -> _Corner:
        block = self._editor.cursorForPosition(place.toPoint()).block()
        left = self._editor.cursorRect(QTextCursor(block)).left()
        advance = QFontMetricsF(self._editor.font()).horizontalAdvance(" ")
        return _Corner(block.blockNumber(), max(0, round((place.x() - left) / advance)))

    def _corner_at(self, position: int) -> _Corner:
        block = self._editor.document().findBlock(position)
        before = in_units(block.text())[: position - block.position()]
        return _Corner(block.blockNumber(), self._cells(before))

    def _width(self, line: int) -> int:
        return self._cells(self._text(line))

    def _text(self, line: int) -> str:
        return in_units(self._editor.document().findBlockByNumber(line).text())

    def _cells(self, text: str) -> int:
        return len(text.expandtabs(tab_width(self._editor.document())))

    def _units(self, line: int, column: int) -> int:
        """Returns the place in a line that is seen at a column; the end of a shorter line."""
        text = self._text(line)
        tab, reached = tab_width(self._editor.document()), 0
        for at, char in enumerate(text):
            width = tab - reached % tab if char == "\t" else 1
            if column < reached + (width + 1) // 2:
                return at
            reached += width
        return len(text)
