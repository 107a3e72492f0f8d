"""Leads to definitions in the open sources: a palette of kernels, functions, types, labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from threading import Event

from PySide6.QtCore import QCoreApplication, QObject, Slot

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.theme import current_theme
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.palette.model import PaletteEntry
from jitstudio.gui.shell.palette.view import Palette
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.listing.symbols import Symbol, SymbolKind

_CONTEXT = "SymbolsController"
_WORDS = {
    SymbolKind.KERNEL: QT_TRANSLATE_NOOP("SymbolsController", "kernel"),
    SymbolKind.FUNCTION: QT_TRANSLATE_NOOP("SymbolsController", "function"),
    SymbolKind.TYPE: QT_TRANSLATE_NOOP("SymbolsController", "type"),
    SymbolKind.VARIABLE: QT_TRANSLATE_NOOP("SymbolsController", "variable"),
    SymbolKind.MACRO: QT_TRANSLATE_NOOP("SymbolsController", "macro"),
    SymbolKind.LABEL: QT_TRANSLATE_NOOP("SymbolsController", "label"),
}


@dataclass(frozen=True)
class _Text:
    """The text of a document at some time."""

    kind: CodeKind
    raw: str


class SymbolsController(QObject):
    """Reads in the background the texts edited since the palette was last open."""

    def __init__(
        self,
        documents: Documents,
        editors: EditorTabs,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        self._documents = documents
        self._tabs = editors
        self._known: Mapping[_Text, tuple[Symbol, ...]] = {}
        self._background = Background(self)
        self._background.done.connect(self._on_read)
        self._palette = Palette(
            "symbolPalette",
            self.tr("Type the name of a kernel, function, type, macro or label"),
            self.tr("No symbol matches"),
            shell.window,
        )
        self._palette.chosen.connect(self._on_chosen)
        shell.actions.bind({"goToSymbolAction": self._on_wanted})

    def _texts(self) -> dict[Document, _Text]:
        """Returns the open texts, the current document first."""
        current = self._documents.current
        others = (document for document in self._documents if document is not current)
        return {
            document: _Text(document.kind, document.text.toRawText())
            for document in (current, *others)
            if document is not None and document.text is not None
        }

    def _entries(self) -> Iterable[PaletteEntry]:
        current = self._documents.current
        color = current_theme().ui.muted_text
        for document, text in self._texts().items():
            for symbol in self._known.get(text, ()):
                word = QCoreApplication.translate(_CONTEXT, _WORDS[symbol.kind])
                there = self.tr("{kind} in {name}").format(kind=word, name=document.name)
                yield PaletteEntry(
                    title=symbol.name,
                    payload=(document, symbol.line),
                    detail=word if document is current else there,
                    keys=self.tr("line {line}").format(line=symbol.line),
                    icon=icon(f"symbol-{symbol.kind.value}", color),
                )

    @Slot()
    def _on_wanted(self) -> None:
        self._palette.offer(tuple(self._entries()))
        self._background.start(partial(_read, tuple(self._texts().values()), self._known))

    @Slot(object)
    def _on_read(self, known: Mapping[_Text, tuple[Symbol, ...]]) -> None:
        if known != self._known:
            self._known = known
            self._palette.fill(tuple(self._entries()))

    @Slot(object)
    def _on_chosen(self, place: tuple[Document, int]) -> None:
        document, line = place
        page = self._tabs.page_of(document)
        if page is not None:
            self._documents.current = document
            page.go_to(line, 0)


def _read(
    texts: Iterable[_Text], known: Mapping[_Text, tuple[Symbol, ...]], stop: Event
) -> Mapping[_Text, tuple[Symbol, ...]]:
    from jitstudio.listing.find_symbols import symbols

    symbols_of = dict(known)
    for text in texts:
        if text not in known and not stop.is_set():
            symbols_of[text] = symbols(text.kind, text.raw.replace("\u2029", "\n"))
    return {text: symbols_of[text] for text in texts if text in symbols_of}
