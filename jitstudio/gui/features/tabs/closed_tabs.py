"""The tabs that were closed last, with all that was in them, so that they can be opened again."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.session import saved_document
from jitstudio.gui.state.session_format import SavedDocument

_MOST = 20


class ClosedTab(NamedTuple):
    """A tab as it was.

    Attributes:
        document: What was in it; its text only where no file had it.
        place: How many tabs were left of it.
        untrusted: The folder of the untrusted project that was open; empty for the user's own.
    """

    document: SavedDocument
    place: int
    untrusted: str


class ClosedTabs(QObject):
    """Remembers what is closed while jitstudio runs, the last on top."""

    def __init__(
        self, documents: Documents, settings: BuildSettings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._documents = documents
        self._settings = settings
        self._closed: list[ClosedTab] = []
        self._order = list(documents)
        documents.removed.connect(self._on_removed)
        documents.added.connect(self._on_added)
        documents.moved.connect(self._on_moved)

    def __len__(self) -> int:
        return len(self._closed)

    def take(self) -> ClosedTab:
        """Forget the last one, which is about to be opened."""
        return self._closed.pop()

    def confined_to(self, closed: ClosedTab) -> str:
        """See `Document.confined_to`; its project, while that is open, says itself what it may."""
        is_open = closed.untrusted == self._settings.origin.folder
        return closed.document.confined_to or ("" if is_open else closed.untrusted)

    @Slot(Document)
    def _on_removed(self, document: Document) -> None:
        entry = saved_document(document)
        was_only_looked_at = document.is_aside and not document.is_modified
        # Of bytes that came from no file nothing is kept.
        if not was_only_looked_at and (entry.path or entry.content is not None):
            place, untrusted = self._order.index(document), self._settings.origin.confined_to
            self._closed.append(ClosedTab(entry, place, untrusted))
            del self._closed[:-_MOST]
        self._on_moved()

    @Slot(Document)
    def _on_added(self, document: Document) -> None:
        if document.path is not None:
            # It is open again.
            self._closed = [c for c in self._closed if Path(c.document.path) != document.path]
        self._on_moved()

    @Slot()
    def _on_moved(self) -> None:
        self._order = list(self._documents)
