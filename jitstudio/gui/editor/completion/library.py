"""The names in the open documents, collected in the background when they are first asked for."""

from __future__ import annotations

from functools import partial
from itertools import chain
from threading import Event

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor.completion.offers import Pool, header_pool, language_pool
from jitstudio.gui.kit.background import Background
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.listing.identifiers import identifiers
from jitstudio.listing.word import Word

# While somebody types, the names of some letters ago are good enough.
_REST_MS = 500
# Made ready a few at a time, so that the window is not kept waiting; in words and seconds.
_POOL_SIZE, _REST = 1000, 0.001
_FAMILIES = {CodeKind.HEADER: CodeKind.CUDA}


class DocumentWords(QObject):
    """The names in one document.

    Signals:
        changed: They have been collected anew.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._pools: tuple[Pool, ...] = ()
        self._is_old = True
        self._background = Background(self)
        self._background.done.connect(self._on_done)
        self._is_wanted = False
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._on_rested)
        document.edited.connect(self._on_edited)

    @property
    def pools(self) -> tuple[Pool, ...]:
        """The names as last collected; asking is what has them collected anew."""
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
    def _on_done(self, pools: tuple[Pool, ...]) -> None:
        self._pools = pools
        self.changed.emit()


class Vocabulary(QObject):
    """What a language has by itself, read in the background.

    Signals:
        changed: It is known now.
    """

    changed = Signal()

    def __init__(self, kind: CodeKind, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.words: tuple[Pool, ...] = ()
        self.headers: tuple[Pool, ...] = ()
        self._background = Background(self)
        self._background.done.connect(self._on_read)
        self._background.start(lambda _stop: (language_pool(kind), header_pool(kind)))

    @Slot(object)
    def _on_read(self, pools: tuple[Pool, Pool]) -> None:
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
        self._vocabularies: dict[CodeKind, Vocabulary] = {}
        documents.each(self._on_added)
        documents.removed.connect(self._on_removed)

    def words(self, kind: CodeKind) -> tuple[Pool, ...]:
        """The vocabulary of a language, and the names in all documents of that language."""
        family = _family(kind)
        known = (w.pools for d, w in self._words.items() if _family(d.kind) is family)
        return *self._vocabulary(kind).words, *chain.from_iterable(known)

    def headers(self, kind: CodeKind) -> tuple[Pool, ...]:
        """The headers that are always there, and those in memory."""
        told = self.tr("in memory")
        named = (Word(d.name, told) for d in self._documents if d.is_header)
        return *self._vocabulary(kind).headers, Pool.of(named)

    def _vocabulary(self, kind: CodeKind) -> Vocabulary:
        if kind not in self._vocabularies:
            self._vocabularies[kind] = vocabulary = Vocabulary(kind, self)
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


def _collect(kind: CodeKind, raw: str, origin: str, stop: Event) -> tuple[Pool, ...]:
    names = sorted(identifiers(kind, raw.replace("\u2029", "\n"), stop))
    pools = []
    for at in range(0, len(names), _POOL_SIZE):
        pools.append(Pool.of(Word(name, origin) for name in names[at : at + _POOL_SIZE]))
        stop.wait(_REST)
    return tuple(pools)
