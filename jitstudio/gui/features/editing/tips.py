"""What is known about words of code: read in the background, the first time it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from threading import Event

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.analysis.reference import Reference, reference
from jitstudio.analysis.word_at import LONGEST_LINE, WordAt, word_at
from jitstudio.core.code import CodeKind
from jitstudio.gui.code.hover import Tip, help_tip, word_tip
from jitstudio.gui.kit.background import Background
from jitstudio.listing.word import Word

_Teller = Callable[[WordAt], Tip | None]


class Tips(QObject):
    """Explains the words of every language.

    Signals:
        known: The texts of this language are read now.
    """

    known = Signal(CodeKind)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tellers: dict[CodeKind, _Teller] = {}
        self._readings: dict[CodeKind, Background] = {}

    def is_known(self, kind: CodeKind) -> bool:
        """Returns whether the texts of a language are read."""
        return kind in self._tellers

    def want(self, kind: CodeKind) -> None:
        """Reads the texts of a language, unless that is done."""
        if kind not in self._readings:
            self._readings[kind] = reading = Background(self)
            reading.done.connect(self._on_read)
            reading.start(partial(_read, kind))

    def tip(self, kind: CodeKind, line: str, column: int) -> Tip | None:
        """What is known about the word at a column, counted from 0; None where that is nothing."""
        self.want(kind)
        teller = self._tellers.get(kind)
        if teller is None or len(line) > LONGEST_LINE:
            return None
        word = word_at(kind, line, column)
        return teller(word) if word else None

    @Slot(object)
    def _on_read(self, read: tuple[CodeKind, _Teller]) -> None:
        kind, teller = read
        self._tellers[kind] = teller
        self.known.emit(kind)


def _read(kind: CodeKind, _stop: Event) -> tuple[CodeKind, _Teller]:
    from jitstudio.listing.vocabulary import vocabulary

    words = reference(kind)
    if words.entries:
        return kind, partial(_of_reference, words)
    return kind, partial(_of_vocabulary, vocabulary(kind).words)


def _of_reference(told: Reference, word: WordAt) -> Tip | None:
    found = told.explain(word.text, opens=word.opens)
    return help_tip(found, word.span) if found else None


def _of_vocabulary(words: Mapping[str, Word], word: WordAt) -> Tip | None:
    # Of `threadIdx.x` the first part is known.
    found = words.get(word.text) or words.get(word.text.partition(".")[0])
    return word_tip(found, word.span) if found and found.help else None
