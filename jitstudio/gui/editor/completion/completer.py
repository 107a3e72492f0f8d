"""Completes words in an editor: decides when to offer words, and handles keys of the list."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QEvent, QObject, QRect, Qt, SignalInstance, Slot
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor.matching import types_prose
from jitstudio.gui.kit.code_units import from_units
from jitstudio.listing.word import Word

_FEWEST_TYPED = 3
_PAGE = 8
# No word is longer; a line may be.
_REACH = 256
_INCLUDING = (CodeKind.CUDA, CodeKind.HEADER)
_INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^<>"]*)\Z')


class WordSource(Protocol):
    """The words of a language and the headers there are: see `word_pools.WordLibrary`."""

    @property
    def changed(self) -> SignalInstance:
        """Emitted when more are known than before."""
        ...

    def words(self, kind: CodeKind) -> Sequence[Any]:
        """Returns the words of a language, as pools for `word_pools.Offers`."""
        ...

    def headers(self, kind: CodeKind) -> Sequence[Any]:
        """Returns the headers for includes, as pools likewise."""
        ...


class WordOffers(Protocol):
    """The words that fit the typed letters: see `word_pools.Offers`."""

    def find(self, typed: str, *, loosely: bool) -> tuple[Word, ...]:
        """Returns the words for the letters typed so far, the likeliest first."""
        ...


class WordList(Protocol):
    """The list in which words are offered: see `popup.CompletionPopup`."""

    @property
    def words(self) -> tuple[Word, ...]:
        """The words that are offered now."""
        ...

    @property
    def chosen(self) -> Word | None:
        """The chosen word, or None."""
        ...

    @property
    def is_at_first(self) -> bool:
        """Whether no other word than the first is chosen."""
        ...

    def offer(self, words: tuple[Word, ...], place: QRect, *, choose: bool) -> None:
        """Shows `words` at a place of the editor, and chooses the first if wanted."""
        ...

    def move_choice(self, rows: int) -> None:
        """Chooses the word so many rows below."""
        ...

    def isVisible(self) -> bool:
        """Returns whether words are offered."""
        ...

    def hide(self) -> None:
        """Takes the list away."""
        ...


class Completer(QObject):
    """Offers words to an editor, as soon as a source of words is set.

    A list that came up by itself has nothing chosen, so that Enter stays Enter.

    Attributes:
        kind: The language.
        is_automatic: Whether words are offered unasked.
    """

    # On the class too: the editor hides for the last time when Python may have emptied this object.
    _popup: WordList | None = None

    def __init__(self, editor: QPlainTextEdit, kind: CodeKind) -> None:
        super().__init__(editor)
        self.kind = kind
        self.is_automatic = True
        self._source: WordSource | None = None
        self._editor = editor
        self._offers: WordOffers | None = None
        self._start = -1
        self._is_requested = False
        self._found_nothing = False
        editor.cursorPositionChanged.connect(self._on_cursor_moved)
        editor.verticalScrollBar().valueChanged.connect(self.dismiss)
        editor.installEventFilter(self)
        self._keys: Mapping[int, Callable[[], bool]] = {
            Qt.Key.Key_Up: partial(self._choose, -1),
            Qt.Key.Key_Down: partial(self._choose, 1),
            Qt.Key.Key_PageUp: partial(self._choose, -_PAGE),
            Qt.Key.Key_PageDown: partial(self._choose, _PAGE),
            Qt.Key.Key_Return: self._take_chosen,
            Qt.Key.Key_Enter: self._take_chosen,
            Qt.Key.Key_Tab: self._take_best,
            Qt.Key.Key_Escape: self._close,
        }

    def set_source(self, source: WordSource) -> None:
        """Sets the source of the offered words."""
        self._source = source
        source.changed.connect(self._on_words_changed)

    @property
    def popup(self) -> WordList:
        """The list of words, made when first needed."""
        if self._popup is None:
            from jitstudio.gui.editor.completion.popup import CompletionPopup

            popup = CompletionPopup(self._editor)
            popup.taken.connect(self._on_taken)
            # It lies in the window, which outlives the editor.
            self._editor.destroyed.connect(popup.deleteLater)
            self._popup = popup
        return self._popup

    @property
    def is_open(self) -> bool:
        """Whether words are offered now."""
        return self._popup is not None and self._popup.isVisible()

    def take_key(self, event: QKeyEvent) -> bool:
        """Applies a key to the list; returns whether the key was for the list."""
        if (event.key(), event.modifiers()) == (
            Qt.Key.Key_Space,
            Qt.KeyboardModifier.ControlModifier,
        ):
            self.complete()
            return True
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if not self.is_open or plain != Qt.KeyboardModifier.NoModifier:
            return False
        meaning = self._keys.get(event.key())
        return meaning is not None and meaning()

    def follow(self, event: QKeyEvent) -> None:
        """Offers words after a key has changed the text, or closes the list."""
        is_typed = event.text().isprintable() and event.text() != ""
        is_back = event.key() == Qt.Key.Key_Backspace and self.is_open
        if is_back or (is_typed and (self.is_automatic or self.is_open)):
            self._show()
        elif self.is_open and event.text():
            self.dismiss()

    def complete(self) -> None:
        """Offers words for the text before the cursor, with the best word chosen."""
        self._is_requested = True
        self._offers = None
        self._show()

    @Slot()
    def dismiss(self) -> None:
        """Takes the list away."""
        if self._popup is not None:
            self._popup.hide()
        self._offers = None
        self._is_requested = self._found_nothing = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Goes when the keyboard goes, or the editor; keys of the list are no shortcuts."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self.is_open
            and event.key() in self._keys
        ):
            event.accept()
            return True
        if event.type() in (QEvent.Type.FocusOut, QEvent.Type.Hide, QEvent.Type.Resize):
            self.dismiss()
        return super().eventFilter(watched, event)

    def _show(self) -> None:
        # A window comes up without words; what reads them is loaded only once there are any.
        typed, is_header = self._typed() if self._source is not None else (None, False)
        enough = self._is_requested or is_header or len(typed or "") >= _FEWEST_TYPED
        if self._source is None or typed is None or not enough:
            self.dismiss()
            return
        from jitstudio.gui.editor.completion.word_pools import Offers  # noqa: PLC0415

        start = self._editor.textCursor().position() - len(typed)
        if self._offers is None or start != self._start:
            find = self._source.headers if is_header else self._source.words
            self._offers, self._start = Offers(find(self.kind)), start
        words = self._offers.find(typed, loosely=self._is_requested)
        if words:
            self.popup.offer(words, self._place(), choose=self._is_requested)
        else:
            self.dismiss()
            self._found_nothing = True

    def _typed(self) -> tuple[str | None, bool]:
        """Returns the word before the cursor, None outside code, and if a header is meant."""
        cursor = self._editor.textCursor()
        before = _left_of(cursor)
        include = _INCLUDE.match(before) if self.kind in _INCLUDING else None
        if include:
            return include[1], True
        if types_prose(cursor.block(), cursor.positionInBlock()):
            return None, False
        from jitstudio.listing.identifiers import typed_name

        return typed_name(self.kind, before), False

    def _place(self) -> QRect:
        """Returns the first letter of the word, in the editor."""
        cursor = self._editor.textCursor()
        cursor.setPosition(max(self._start, 0))
        place = self._editor.cursorRect(cursor)
        viewport = self._editor.viewport()
        return QRect(viewport.mapTo(self._editor, place.topLeft()), place.size())

    def _choose(self, rows: int) -> bool:
        self.popup.move_choice(rows)
        return True

    def _take_chosen(self) -> bool:
        word = self.popup.chosen
        if word is None:
            self.dismiss()
            return False
        self._on_taken(word)
        return True

    def _take_best(self) -> bool:
        self._on_taken(self.popup.chosen or self.popup.words[0])
        return True

    def _close(self) -> bool:
        self.dismiss()
        return True

    @Slot(Word)
    def _on_taken(self, word: Word) -> None:
        cursor = self._editor.textCursor()
        cursor.setPosition(self._start, QTextCursor.MoveMode.KeepAnchor)
        self.dismiss()
        cursor.insertText(word.text)
        self._editor.setTextCursor(cursor)
        self._editor.ensureCursorVisible()

    @Slot()
    def _on_words_changed(self) -> None:
        """Offers words that were unknown when the word was begun, unless the user is choosing."""
        if self._found_nothing or (self.is_open and self.popup.is_at_first):
            self._offers = None
            self._show()

    @Slot()
    def _on_cursor_moved(self) -> None:
        """Goes when the cursor leaves the word."""
        if self.is_open or self._found_nothing:
            cursor = self._editor.textCursor()
            begin = self._editor.document().findBlock(self._start)
            if cursor.block() != begin or cursor.position() < self._start:
                self.dismiss()


def _left_of(cursor: QTextCursor) -> str:
    text = cursor.block().text()
    column = from_units(text, cursor.positionInBlock())
    return text[max(0, column - _REACH) : column]
