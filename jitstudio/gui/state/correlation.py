"""What belongs together of source, PTX and SASS, in terms of what is open and shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from threading import Event

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.analysis.correlation.hues import PLAIN
from jitstudio.analysis.correlation.index import Correlation, Matches
from jitstudio.analysis.correlation.line_hues import LineHues, line_hues
from jitstudio.analysis.correlation.modules import ptx_of, spellings
from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines
from jitstudio.analysis.sass.model import InlineChain, SourceLocation
from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.gui.services.build_service import Listing
from jitstudio.gui.state.current_disassembly import CurrentDisassembly, Inspection
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.line_files import followed
from jitstudio.gui.state.line_origins import UNKNOWN, BuiltLines, origins_of
from jitstudio.listing.lines import NOWHERE, split_at_newlines


@dataclass(frozen=True, eq=False)
class CorrelatedCode:
    """What was found out about one inspection.

    Attributes:
        inspection: The machine code.
        correlation: What belongs together.
        ptx: The lines of each PTX text.
        hues: The colours.
        files: How the documents call each file of the line tables: as it is written there, or with
            its links followed.
        sass: The colour of each line of the listing.
    """

    inspection: Inspection
    correlation: Correlation
    ptx: Mapping[str, tuple[str, ...]]
    hues: LineHues
    files: Mapping[str, Sequence[str]]
    sass: bytes


@dataclass(frozen=True)
class MatchedLines:
    """Lines that match, counted from 0, where they are shown now.

    Attributes:
        sources: By the document; the line itself comes first, then calls that it was inlined by.
        ptx: By the module, ascending.
        sass: Of the listing, ascending.
        chain: Where one line of a listing comes from, as the line table says: the line itself,
            then the calls that it was inlined by.
    """

    sources: Mapping[Document, Sequence[int]] = field(default_factory=dict)
    ptx: Mapping[str, Sequence[int]] = field(default_factory=dict)
    sass: Sequence[int] = ()
    chain: InlineChain = ()

    def __bool__(self) -> bool:
        return bool(self.sources or self.ptx or self.sass)


class Correlations(QObject):
    """Ties together what is looked at, as long as the SASS is.

    Signals:
        changed: Other things belong together now, or nothing.
    """

    changed = Signal()

    def __init__(
        self, documents: Documents, disassembly: CurrentDisassembly, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._documents = documents
        self._disassembly = disassembly
        self._tied: CorrelatedCode | None = None
        # How line tables may call the documents, how these do, and which lines were built.
        self._spellings: dict[str, Document] = {}
        self._files: dict[str, Document] = {}
        self._origins: dict[Document, BuiltLines] = {}
        # Comparing long texts takes a while.
        self._known: dict[Listing, bool] = {}
        self._reading = Background(self)
        self._reading.done.connect(self._on_tied)
        disassembly.changed.connect(self._on_changed)
        documents.added.connect(self._on_document_changed)
        documents.changed.connect(self._on_document_changed)
        documents.removed.connect(self._on_document_removed)
        self._on_changed()

    @property
    def tied(self) -> CorrelatedCode | None:
        """What is known; it is of the build before while the next one is read."""
        return self._tied

    def knows(self, listing: Listing) -> bool:
        """Returns whether what is known is of this very text, built again or not."""
        tied = self._tied
        if tied is None:
            return False
        if listing not in self._known:
            is_sass = listing.kind is CodeKind.SASS
            ours = tied.inspection.listing.lines if is_sass else tied.ptx.get(listing.name)
            same_name = not is_sass or listing.name == tied.inspection.name
            self._known[listing] = same_name and listing.lines == ours
        return self._known[listing]

    def hue_of_source(self, document: Document) -> Callable[[int], int] | None:
        """Returns the colour of each line of a document; None where it has no counterparts."""
        origins, tied = self._origins.get(document), self._tied
        if origins is None or tied is None:
            return None
        hues, own = self._hues(tied, document)
        if not hues and not any(own):
            return None

        def hue(line: int) -> int:
            built = origins.built_line(line)
            if built == UNKNOWN:
                return PLAIN
            return hues.get(built + 1, PLAIN) or (own[built] if built < len(own) else PLAIN)

        return hue

    def coloured(self, document: Document) -> Sequence[int]:
        """Returns the lines of a document that have counterparts, ascending."""
        origins, tied = self._origins.get(document), self._tied
        if origins is None or tied is None:
            return ()
        hues, own = self._hues(tied, document)
        built = np.flatnonzero(np.frombuffer(own, np.uint8)).tolist()
        return sorted(origins.now(chain(built, (line - 1 for line in hues))).values())

    def _hues(self, tied: CorrelatedCode, document: Document) -> tuple[Mapping[int, int], bytes]:
        """Returns the colours of lines that were built, counted from 1, and of all lines of PTX."""
        hues: dict[int, int] = {}
        for file in self._files_of(document):
            hues |= tied.hues.sources.get(file, {})
        # PTX that was written by hand is its own source.
        own = tied.hues.ptx.get(document.name, b"") if document.kind is CodeKind.PTX else b""
        return hues, own

    def document_of(self, file: str) -> Document | None:
        """Returns the open document that line tables call so."""
        return self._files.get(file)

    def of_source(self, document: Document, line: int) -> MatchedLines:
        """Returns what matches a line of a document."""
        origins, tied = self._origins.get(document), self._tied
        built = origins.built_line(line) if origins is not None else UNKNOWN
        if tied is None or built == UNKNOWN:
            return MatchedLines()
        found = [
            tied.correlation.of_place(SourceLocation(file, built + 1))
            for file in self._files_of(document)
        ]
        if document.kind is CodeKind.PTX:
            found.append(tied.correlation.of_ptx(document.name, built + 1))
        return self._shown(tied, *filter(None, found))

    def of_ptx(self, module: str, line: int) -> MatchedLines:
        """Returns what matches a line of PTX."""
        tied = self._tied
        return (
            self._of_one(tied, tied.correlation.of_ptx(module, line + 1))
            if tied
            else MatchedLines()
        )

    def of_sass(self, line: int) -> MatchedLines:
        """Returns what matches a line of the SASS."""
        tied = self._tied
        spot = tied.inspection.rows.spot(line) if tied else None
        if tied is None or spot is None:
            return MatchedLines()
        return self._of_one(tied, tied.correlation.of_code(spot.function, spot.index))

    def alike_in_ptx(self, module: str, line: int) -> Sequence[int]:
        """Returns all lines of PTX that come from where this one does."""
        here = self.of_ptx(module, line)
        return self._alike(here).ptx.get(module, here.ptx.get(module, ()))

    def alike_in_sass(self, line: int) -> Sequence[int]:
        """Returns all lines of SASS that come from where this one does."""
        here = self.of_sass(line)
        return self._alike(here).sass or here.sass

    def _alike(self, here: MatchedLines) -> MatchedLines:
        """Returns what matches the source of something, or else its PTX."""
        for document, lines in here.sources.items():
            return self.of_source(document, lines[0])
        for module, lines in here.ptx.items():
            return self.of_ptx(module, lines[0])
        return MatchedLines()

    def lines_now(self, document: Document, built: Iterable[int]) -> Mapping[int, int]:
        """Where these lines that were built are now; those that were edited since are left out."""
        origins = self._origins.get(document)
        return origins.now(built) if origins is not None else {}

    def is_edited(self, document: Document, line: int) -> bool:
        """Returns whether a line is another one than was built."""
        origins = self._origins.get(document)
        return origins is not None and origins.built_line(line) == UNKNOWN

    def _files_of(self, document: Document) -> Iterator[str]:
        return (file for file, found in self._files.items() if found is document)

    def _of_one(self, tied: CorrelatedCode, matches: Matches) -> MatchedLines:
        return replace(self._shown(tied, matches), chain=matches.places)

    def _shown(self, tied: CorrelatedCode, *found: Matches) -> MatchedLines:
        # Without values: sets that keep the order.
        sources: dict[Document, dict[int, None]] = {}
        ptx: dict[str, list[int]] = {}
        rows: list[NDArray[np.int32]] = []
        for matches in found:
            for file, number in matches.places:
                self._add_source(sources, self._files.get(file), number - 1)
            for module, lines in matches.ptx.items():
                document = self._documents.named(module)
                if document is not None and document.kind is CodeKind.PTX:
                    for line in lines:
                        self._add_source(sources, document, int(line) - 1)
                else:
                    ptx.setdefault(module, []).extend((np.asarray(lines) - 1).tolist())
            for function, indices in matches.code.items():
                of_code = np.asarray(tied.inspection.rows.lines(function), np.int32)
                rows.append(of_code[np.asarray(indices)])
        sass = np.unique(np.concatenate(rows)) if rows else np.zeros(0, np.int32)
        ordered = {document: list(lines) for document, lines in sources.items()}
        return MatchedLines(ordered, ptx, sass[sass != NOWHERE].tolist())

    def _add_source(
        self, sources: dict[Document, dict[int, None]], document: Document | None, built: int
    ) -> None:
        origins = self._origins.get(document) if document is not None else None
        line = origins.line(built) if origins is not None else UNKNOWN
        if document is not None and line != UNKNOWN:
            sources.setdefault(document, {})[line] = None

    @Slot()
    def _on_changed(self) -> None:
        inspection = self._disassembly.current
        if inspection is not None:
            self._spellings = dict(self._spelt(inspection))
            self._reading.start(partial(_tie, inspection, frozenset(self._spellings)))
        elif self._disassembly.outgoing is None and self._tied is not None:
            self._reading.stop()
            self._set(None)

    @Slot(Document)
    def _on_document_changed(self, _document: Document) -> None:
        inspection = self._disassembly.current
        if inspection is not None and dict(self._spelt(inspection)) != self._spellings:
            self._on_changed()

    @Slot(Document)
    def _on_document_removed(self, document: Document) -> None:
        # Its text goes, and with it what follows that.
        self._origins.pop(document, None)
        self._on_document_changed(document)

    def _spelt(self, inspection: Inspection) -> Iterator[tuple[str, Document]]:
        """Yields how line tables may call each open document."""
        request = inspection.request
        folders = {source.name: source.folder for source in request.sources}
        for document in self._documents:
            if document.path is not None:
                yield os.path.normpath(document.path), document
        for name in (*folders, *(header.name for header in request.headers)):
            named = self._documents.named(name)
            if named is not None and not named.is_preview:
                yield from ((file, named) for file in spellings(name, folders.get(name, "")))

    def _found(self, tied: CorrelatedCode) -> Iterator[tuple[str, Document]]:
        for file, names in tied.files.items():
            for name in names:
                if (document := self._spellings.get(name)) is not None:
                    yield file, document
                    break

    def _set(self, tied: CorrelatedCode | None) -> None:
        was = self._tied
        self._tied = tied
        self._known.clear()
        self._files = dict(self._found(tied)) if tied is not None else {}
        if tied is None or was is None or tied.inspection is not was.inspection:
            for origins in self._origins.values():
                origins.deleteLater()
            self._origins.clear()
        if tied is not None:
            self._origins |= self._follow(tied.inspection)
        self.changed.emit()

    def _follow(self, inspection: Inspection) -> Iterator[tuple[Document, BuiltLines]]:
        request = inspection.request
        built = {source.name: source.content for source in request.sources}
        built |= {header.name: header.content for header in request.headers}
        # What was built elsewhere, such as a cubin that was opened, is of files as they are.
        named = {*self._files.values()}
        for document in self._documents:
            is_built = document.name in built and not document.is_preview
            if document not in self._origins and (is_built or document in named):
                content = built[document.name] if is_built else document.content
                if (origins := origins_of(document, content)) is not None:
                    yield document, origins

    @Slot(object)
    def _on_tied(self, tied: CorrelatedCode) -> None:
        if tied.inspection is self._disassembly.current:
            self._set(tied)


def _tie(inspection: Inspection, files: frozenset[str], stop: Event) -> CorrelatedCode:
    texts = ptx_of(inspection.request, inspection.result, inspection.name)
    ptx = {name: tuple(split_at_newlines(text.rstrip("\n"))) for name, text in texts.items()}
    modules = {name: read_ptx_lines(Paced(lines, stop)) for name, lines in ptx.items()}
    correlation = Correlation(inspection.code, modules)
    spelt = {place.file for place in correlation.places}
    names = {file: (os.path.normpath(file), followed(file)) for file in spelt}
    found = line_hues(correlation, lambda file: not files.isdisjoint(names[file]))
    sass = bytearray(len(inspection.listing.lines))
    for function, hues in found.code.items():
        for row, hue in zip(inspection.rows.lines(function), hues, strict=True):
            if row != NOWHERE:
                sass[row] = hue
    return CorrelatedCode(inspection, correlation, ptx, found, names, bytes(sass))
