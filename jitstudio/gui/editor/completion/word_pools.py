"""The words that can be typed: of a language and of the open documents, and which fit best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, islice
from operator import itemgetter
from threading import Event

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.fuzzy import TIER, Ranking
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.listing.word import Word

_MOST_OFFERS = 100
# From here on the letters are not the beginnings of words.
_LOOSE = 4 * TIER
# Short, and typed by heart.
_LAST = "a keyword"
# Words about as long keep the order of their pools.
_LENGTH_STEP = 4
_SIGILS = "_.%$@#"
# During typing, the names of some letters ago are good enough.
_REST_MS = 500
# Made ready a few at a time, so that the window is not kept waiting: number of words, seconds.
_POOL_SIZE, _REST = 1000, 0.001
_FAMILIES = {CodeKind.HEADER: CodeKind.CUDA}


@dataclass(frozen=True, eq=False)
class WordPool:
    """Words of a single origin, prepared for searching.

    Attributes:
        words: The words to offer.
        ranking: The same for searching.
        initials: The rows of the words by their first letter or digit.
    """

    words: Sequence[Word]
    ranking: Ranking
    initials: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, words: Iterable[Word]) -> WordPool:
        """Prepares words for searching; for thousands of words, work for a thread."""
        listed = tuple(words)
        initials: dict[str, list[int]] = {}
        for row, word in enumerate(listed):
            initials.setdefault(_initial(word.text), []).append(row)
        return cls(listed, Ranking([word.text for word in listed]), initials)


@lru_cache
def language_pool(kind: CodeKind) -> WordPool:
    """Returns the vocabulary of a language."""
    from jitstudio.listing.vocabulary import vocabulary

    return WordPool.of(vocabulary(kind).words.values())


@lru_cache
def header_pool(kind: CodeKind) -> WordPool:
    """Returns the headers that are always there."""
    from jitstudio.listing.vocabulary import vocabulary

    return WordPool.of(vocabulary(kind).headers.values())


class Offers:
    """The offers for a word, from the first letters to the last."""

    def __init__(self, pools: Sequence[WordPool]) -> None:
        self._pools = pools
        self._typed = ""
        self._rows: list[Iterable[int] | None] = [None] * len(pools)

    def find(self, typed: str, *, loosely: bool) -> tuple[Word, ...]:
        """Returns the words for the letters typed so far: words that begin exactly so come first.

        Args:
            typed: The letters of the word so far.
            loosely: Whether the first letter may be another than that of the word, and any of
                them from the middle of it.
        """
        # More letters can only leave fewer words.
        if not (self._typed and typed.startswith(self._typed)):
            self._rows = [None] * len(self._pools)
        self._typed = typed
        initial = _initial(typed)
        ranked: list[tuple[tuple[bool | int, ...], Word]] = []
        for place, pool in enumerate(self._pools):
            rows = self._rows[place]
            if rows is None and not loosely and initial:
                rows = pool.initials.get(initial, ())
            matches = pool.ranking.find(typed, rows)
            self._rows[place] = [match.row for match in matches]
            for row, score in matches[:_MOST_OFFERS]:
                if loosely or score < _LOOSE:
                    word = pool.words[row]
                    ranked.append(((*_rank(word, typed, score), place, row), word))
        ranked.sort(key=itemgetter(0))
        # What is in the vocabulary as well as in the text is shown as the former.
        once = {word.text: word for _, word in reversed(ranked) if word.text != typed}
        unique = (once.pop(word.text) for _, word in ranked if word.text in once)
        return tuple(islice(unique, _MOST_OFFERS))


def _rank(word: Word, typed: str, score: int) -> tuple[bool, int, bool, int]:
    is_other_case = not word.text.startswith(typed)
    return is_other_case, score, word.group == _LAST, len(word.text) // _LENGTH_STEP


def _initial(text: str) -> str:
    """Returns the first letter or digit of a word in lower case; empty where there is none."""
    return text.lstrip(_SIGILS)[:1].lower()


class DocumentWords(QObject):
    """The names in a document.

    Signals:
        changed: They have been collected anew.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._pools: tuple[WordPool, ...] = ()
        self._is_old = True
        self._background = Background(self)
        self._background.done.connect(self._on_done)
        self._is_wanted = False
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._on_rested)
        document.edited.connect(self._on_edited)

    @property
    def pools(self) -> tuple[WordPool, ...]:
        """The names as last collected; asking has the names collected anew."""
        self._is_wanted = self._is_old
        if not self._rest.isActive():
            self._on_rested()
        return self._pools

    @property
    def _origin(self) -> str:
        return self.tr("in {name}").format(name=self._document.name)

    @Slot()
    def _on_rested(self) -> None:
        text = self._document.text
        if self._is_wanted and text is not None:
            self._is_wanted = self._is_old = False
            self._rest.start()
            raw = text.toRawText()
            self._background.start(partial(_collect, self._document.kind, raw, self._origin))

    @Slot()
    def _on_edited(self) -> None:
        self._is_old = True

    @Slot(object)
    def _on_done(self, pools: tuple[WordPool, ...]) -> None:
        self._pools = pools
        self.changed.emit()


class LanguageWords(QObject):
    """The words of a language itself, read in the background.

    Signals:
        changed: It is known now.
    """

    changed = Signal()

    def __init__(self, kind: CodeKind, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.words: tuple[WordPool, ...] = ()
        self.headers: tuple[WordPool, ...] = ()
        self._background = Background(self)
        self._background.done.connect(self._on_read)
        self._background.start(lambda _stop: (language_pool(kind), header_pool(kind)))

    @Slot(object)
    def _on_read(self, pools: tuple[WordPool, WordPool]) -> None:
        self.words, self.headers = pools[:1], pools[1:]
        self.changed.emit()


class WordLibrary(QObject):
    """The words for each of the open documents.

    Signals:
        changed: Some are known that were not when they were asked for.
    """

    changed = Signal()

    def __init__(self, documents: Documents, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._documents = documents
        self._words: dict[Document, DocumentWords] = {}
        self._vocabularies: dict[CodeKind, LanguageWords] = {}
        documents.each(self._on_added)
        documents.removed.connect(self._on_removed)

    def words(self, kind: CodeKind) -> tuple[WordPool, ...]:
        """Returns the vocabulary of a language, and the names in all documents of that language."""
        family = _family(kind)
        known = (w.pools for d, w in self._words.items() if _family(d.kind) is family)
        return *self._vocabulary(kind).words, *chain.from_iterable(known)

    def headers(self, kind: CodeKind) -> tuple[WordPool, ...]:
        """Returns the headers that are always available, and the headers in memory."""
        origin = self.tr("in memory")
        named = (Word(d.name, origin) for d in self._documents if d.is_header)
        return *self._vocabulary(kind).headers, WordPool.of(named)

    def _vocabulary(self, kind: CodeKind) -> LanguageWords:
        if kind not in self._vocabularies:
            self._vocabularies[kind] = vocabulary = LanguageWords(kind, self)
            vocabulary.changed.connect(self.changed)
        return self._vocabularies[kind]

    @Slot(Document)
    def _on_added(self, document: Document) -> None:
        self._words[document] = words = DocumentWords(document)
        words.changed.connect(self.changed)

    @Slot(Document)
    def _on_removed(self, document: Document) -> None:
        self._words.pop(document, None)


def _family(kind: CodeKind) -> CodeKind:
    return _FAMILIES.get(kind, kind)


def _collect(kind: CodeKind, raw: str, origin: str, stop: Event) -> tuple[WordPool, ...]:
    from jitstudio.listing.identifiers import identifiers

    names = sorted(identifiers(kind, raw.replace("\u2029", "\n"), stop))
    pools = []
    for at in range(0, len(names), _POOL_SIZE):
        pools.append(WordPool.of(Word(name, origin) for name in names[at : at + _POOL_SIZE]))
        stop.wait(_REST)
    return tuple(pools)
