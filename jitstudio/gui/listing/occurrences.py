"""Highlights and counts the occurrences of the register, label or opcode at the caret."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event

from pygments.token import Keyword, Name
from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent

from jitstudio.gui.code.code_view import Span
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.theme import TokenType
from jitstudio.gui.listing.caret import Place
from jitstudio.gui.listing.listing_area import ListingArea
from jitstudio.gui.listing.listing_text import ListingText

# What has a meaning of its own in each function, and what means the same in all of them.
_LOCAL = (Name.Variable, Name.Label, Name.Builtin.Pseudo)
_GLOBAL = (Keyword, Name.Function, Name)
_NEITHER = (Keyword.Pseudo, Keyword.Type, Name.Attribute, Name.Builtin)
# A token of a line that is megabytes long is sought so far around the caret.
_REACH = 2000
_LONGEST_SAID = 40
_BATCH = 4096
_CTRL = Qt.KeyboardModifier.ControlModifier
_STEPS = {int(Qt.Key.Key_Down): 1, int(Qt.Key.Key_Up): -1}


@dataclass(frozen=True)
class MarkedWord:
    """A word with the lines to mark.

    Attributes:
        word: The word.
        lines: The function that it belongs to, or the whole text.
    """

    word: str
    lines: range

    def spans(self, line: int, text: str) -> list[Span]:
        """Returns the places in a line where the word is a whole word."""
        if line not in self.lines or self.word not in text:
            return []
        return [match.span() for match in re.finditer(self._pattern, text)]

    @property
    def _pattern(self) -> str:
        # Behind a dot is what qualifies an opcode, such as `.f32`.
        return rf"(?<![\w$%.]){re.escape(self.word)}(?![\w$])"


def marked_at(text: ListingText, place: Place, function: range) -> MarkedWord | None:
    """Returns the word to mark for a place: the touched word, if worth marking.

    Args:
        text: The listing.
        place: The place of the caret.
        function: The lines of the function that it is in.
    """
    line, column = place
    runs = text.tokens(line, max(0, column - _REACH), column + _REACH)
    for start, length, token in runs:
        if start <= column <= start + length and length:
            word = text.lines[line][start : start + length]
            if _is(token, _LOCAL):
                return MarkedWord(word, function)
            if _is(token, _GLOBAL) and not _is(token, _NEITHER):
                return MarkedWord(word, range(len(text)))
    return None


def _is(token: TokenType, kinds: Sequence[TokenType]) -> bool:
    return any(token in kind for kind in kinds)


class Occurrences(QObject):
    """Follows the caret of a `ListingView`.

    Signals:
        counted: A text with the word and the number of its occurrences; empty for none.
    """

    counted = Signal(str)

    def __init__(self, view: ListingArea) -> None:
        super().__init__(view)
        self._view = view
        self._scope: Callable[[int], range | None] = lambda _line: None
        self._marked: MarkedWord | None = None
        self._count = Background(self)
        self._count.done.connect(self._on_counted)
        view.caret_placed.connect(self._on_caret_placed)
        view.installEventFilter(self)

    def set_scope(self, scope: Callable[[int], range | None]) -> None:
        """Sets a function that returns the lines of the function around a line, or None."""
        self._scope = scope
        self._on_caret_placed()

    def spans(self, line: int) -> Sequence[Span]:
        """Returns the marked parts of a line."""
        if self._marked is None:
            return ()
        return self._marked.spans(line, self._view.text.lines[line])

    @Slot()
    def clear(self) -> None:
        """Marks nothing until the caret moves."""
        self._mark(None)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Takes the keys that go from mark to mark, and Escape."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        step = _STEPS.get(event.key()) if event.modifiers() == _CTRL else None
        if step is not None and self._marked is not None:
            self._go(step)
            return True
        if event.key() == Qt.Key.Key_Escape and self._marked is not None:
            self.clear()
            return True
        return False

    def _go(self, step: int) -> None:
        """Goes to the next mark, or the one before, over the ends of the function."""
        here, marked = self._view.caret.selection[0], self._marked
        assert marked is not None
        at, count = here[0] - marked.lines.start, len(marked.lines)
        around = (marked.lines[(at + step * n) % count] for n in range(count + 1))
        for turn, place in self._places(around, step):
            beyond = place > here if step > 0 else place < here
            if beyond or turn:
                self._view.show_match(place[0], (place[1], place[1] + len(marked.word)))
                return

    def _places(self, lines: Iterator[int], step: int) -> Iterator[tuple[int, Place]]:
        for turn, line in enumerate(lines):
            yield from ((turn, (line, start)) for start, _ in self.spans(line)[::step])

    def _mark(self, marked: MarkedWord | None) -> None:
        if marked == self._marked:
            return
        self._marked = marked
        self._view.viewport().update()
        if marked is None:
            self._count.stop()
            self.counted.emit("")
        else:
            self._count.start(partial(_count, marked, self._view.text.lines))

    @Slot()
    def _on_caret_placed(self) -> None:
        caret, text = self._view.caret, self._view.text
        if not self._view.line_count or caret.place[0] != caret.anchor[0]:
            self._mark(None)
            return
        lines = self._scope(caret.line) or range(len(text))
        marked = marked_at(text, caret.place, lines)
        selected = caret.selected_text()
        self._mark(marked if marked and selected in ("", marked.word) else None)

    @Slot(object)
    def _on_counted(self, count: int) -> None:
        if self._marked is not None:
            word = self._marked.word
            short = word if len(word) <= _LONGEST_SAID else f"{word[:_LONGEST_SAID]}…"
            self.counted.emit(f"{short}: {count:,}\N{MULTIPLICATION SIGN}")


def _count(marked: MarkedWord, lines: Sequence[str], stop: Event) -> int:
    count = 0
    for number in marked.lines:
        if number % _BATCH == 0 and stop.is_set():
            break
        count += len(marked.spans(number, lines[number]))
    return count
