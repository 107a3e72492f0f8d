"""Corresponding lines of source, IR, PTX and SASS, in terms of the open and shown texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import partial
from itertools import chain
from pathlib import Path
from threading import Event
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.analysis.correlation.hues import PLAIN
from jitstudio.analysis.correlation.index import Correlation, Matches, StageKey
from jitstudio.analysis.correlation.ir_lines import read_stage_lines
from jitstudio.analysis.correlation.line_hues import LineHues, line_hues
from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines
from jitstudio.analysis.sass.model import InlineChain, SourceLocation
from jitstudio.core.captured import CapturedError, CapturedKernel, KernelLanguage, unpack
from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.file_names import FileNames
from jitstudio.core.line_table_paths import BUILT_IN_HEADER, spellings
from jitstudio.core.prebuilt import ptx_of
from jitstudio.core.request import BuildRequest
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.gui.services.build_service import Listing
from jitstudio.gui.state.current_disassembly import CurrentDisassembly, Inspection
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.line_origins import UNKNOWN, BuiltLines, origins_of
from jitstudio.listing.lines import NOWHERE, shown_lines, split_at_newlines


class CapturedSource(NamedTuple):
    """The source of a captured kernel: the first line's number, and the lines that hold code."""

    key: StageKey
    first_line: int
    has_code: Sequence[bool]

    def line(self, number: int) -> int:
        """Returns the source line, from 0, at line `number` of the file, or `UNKNOWN`."""
        line = number - self.first_line
        return line if 0 <= line < len(self.has_code) and self.has_code[line] else UNKNOWN


@dataclass(frozen=True, eq=False)
class CorrelatedCode:
    """The correlation of all code of an inspection.

    Attributes:
        inspection: The machine code.
        correlation: The corresponding lines.
        ptx: The lines of each PTX text.
        hues: The colours.
        files: How the documents call each file of the line tables: as it is written there, or with
            its links followed.
        sass: The colour of each line of the listing.
        captured: Which files of the line tables are sources of captured kernels.
    """

    inspection: Inspection
    correlation: Correlation
    ptx: Mapping[str, tuple[str, ...]]
    hues: LineHues
    files: Mapping[str, Sequence[str]]
    sass: bytes
    captured: Mapping[str, CapturedSource] = field(default_factory=dict)


@dataclass(frozen=True)
class MatchedLines:
    """Lines that match, counted from 0, where they are shown now.

    Attributes:
        sources: By the document; the line itself comes first, then calls that it was inlined by.
        ptx: By the module, ascending.
        sass: Of the listing, ascending.
        chain: Where one line of a listing comes from, as the line table says: the line itself,
            then the calls that it was inlined by.
        stages: Of the representations of captured kernels, source included; in a source the line
            itself comes first, in others they are ascending.
    """

    sources: Mapping[Document, Sequence[int]] = field(default_factory=dict)
    ptx: Mapping[str, Sequence[int]] = field(default_factory=dict)
    sass: Sequence[int] = ()
    chain: InlineChain = ()
    stages: Mapping[StageKey, Sequence[int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.sources or self.ptx or self.sass or self.stages)


class Correlations(QObject):
    """The correlation of the shown code, valid as long as the SASS is.

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
        """The correlation; that of the build before while the next is being computed."""
        return self._tied

    def knows(self, listing: Listing) -> bool:
        """Returns whether the correlation is about exactly this text, built again or not."""
        tied = self._tied
        if tied is None:
            return False
        if listing not in self._known:
            is_sass = listing.kind is CodeKind.SASS
            ours = tied.inspection.listing.lines if is_sass else tied.ptx.get(listing.name)
            same_name = not is_sass or listing.name == tied.inspection.name
            self._known[listing] = same_name and listing.lines == ours
        return self._known[listing]

    def hue_of_source(
        self, document: Document, stage: KernelLanguage | None = None
    ) -> Callable[[int], int] | None:
        """Returns the colour of each line of a document; None where no line has counterparts.

        Args:
            document: The document.
            stage: Which representation of a captured kernel; None for any other document.
        """
        if stage is not None:
            colours = self._stage_hues(document, stage)
            return (lambda line: colours.get(line, PLAIN)) if colours else None
        origins, tied = self._origins.get(document), self._tied
        if origins is None or tied is None:
            return None
        hues, own = self._hues(tied, document)
        if not hues and not any(own):
            return None

        def hue(line: int) -> int:
            built = origins.built_line(line)
            if built == UNKNOWN or not _has_code(document, line):
                return PLAIN
            return hues.get(built + 1, PLAIN) or (own[built] if built < len(own) else PLAIN)

        return hue

    def coloured(self, document: Document, stage: KernelLanguage | None = None) -> Sequence[int]:
        """Returns the lines of a document that have counterparts, ascending."""
        if stage is not None:
            return sorted(self._stage_hues(document, stage))
        origins, tied = self._origins.get(document), self._tied
        if origins is None or tied is None:
            return ()
        hues, own = self._hues(tied, document)
        built = np.flatnonzero(np.frombuffer(own, np.uint8)).tolist()
        lines = origins.now(chain(built, (line - 1 for line in hues))).values()
        return sorted(line for line in lines if _has_code(document, line))

    def _stage_hues(self, document: Document, stage: KernelLanguage) -> Mapping[int, int]:
        """Returns the colours of the lines of a representation that have any."""
        tied, key = self._tied, (document.name, stage)
        if tied is None or not self._is_as_built(tied, document):
            return {}
        if not stage.is_source:
            hues = tied.hues.stages.get(key, b"")
            return {line: hue for line, hue in enumerate(hues) if hue != PLAIN}
        return {
            line: hue
            for file, source in tied.captured.items()
            if source.key == key
            for number, hue in tied.hues.sources.get(file, {}).items()
            if (line := source.line(number)) != UNKNOWN
        }

    @staticmethod
    def _is_as_built(tied: CorrelatedCode, document: Document) -> bool:
        sources = tied.inspection.request.sources
        return any(x.name == document.name and x.content == document.content for x in sources)

    def _hues(self, tied: CorrelatedCode, document: Document) -> tuple[Mapping[int, int], bytes]:
        """Returns the colours of lines that were built, counted from 1, and of all lines of PTX."""
        hues: dict[int, int] = {}
        for file in self._files_of(document):
            hues |= tied.hues.sources.get(file, {})
        # PTX that was written by hand is its own source.
        own = tied.hues.ptx.get(document.name, b"") if document.kind is CodeKind.PTX else b""
        return hues, own

    def is_open(self, file: str) -> bool:
        """Returns whether an open document holds the file that line tables call `file`."""
        return file in self._files or (self._tied is not None and file in self._tied.captured)

    def of_source(
        self, document: Document, line: int, stage: KernelLanguage | None = None
    ) -> MatchedLines:
        """Returns the matches of a line of `document`, or of a representation of its kernel."""
        if stage is not None:
            return self._of_stage(document, stage, line)
        origins, tied = self._origins.get(document), self._tied
        built = origins.built_line(line) if origins is not None else UNKNOWN
        if tied is None or built == UNKNOWN or not _has_code(document, line):
            return MatchedLines()
        matches = [
            tied.correlation.of_place(SourceLocation(file, built + 1))
            for file in self._files_of(document)
        ]
        if document.kind is CodeKind.PTX:
            matches.append(tied.correlation.of_ptx(document.name, built + 1))
        return self._shown(tied, *filter(None, matches))

    def _of_stage(self, document: Document, stage: KernelLanguage, line: int) -> MatchedLines:
        tied, key = self._tied, (document.name, stage)
        if tied is None or not self._is_as_built(tied, document):
            return MatchedLines()
        if not stage.is_source:
            return self._of_one(tied, tied.correlation.of_stage(key, line + 1))
        places = (
            SourceLocation(file, source.first_line + line)
            for file, source in tied.captured.items()
            if source.key == key and source.line(source.first_line + line) != UNKNOWN
        )
        return self._shown(tied, *map(tied.correlation.of_place, places))

    def of_ptx(self, module: str, line: int) -> MatchedLines:
        """Returns the matches of a line of PTX."""
        tied = self._tied
        return (
            self._of_one(tied, tied.correlation.of_ptx(module, line + 1))
            if tied
            else MatchedLines()
        )

    def of_place(self, place: SourceLocation) -> MatchedLines:
        """Returns the matches of a line of a source, by the name in the line tables."""
        tied = self._tied
        return self._of_one(tied, tied.correlation.of_place(place)) if tied else MatchedLines()

    def of_sass(self, line: int) -> MatchedLines:
        """Returns the matches of a line of SASS."""
        tied = self._tied
        spot = tied.inspection.rows.spot(line) if tied else None
        if tied is None or spot is None:
            return MatchedLines()
        return self._of_one(tied, tied.correlation.of_code(spot.function, spot.index))

    def alike_in_ptx(self, module: str, line: int) -> Sequence[int]:
        """Returns all lines of PTX with the same origin as this line."""
        here = self.of_ptx(module, line)
        return self._alike(here).ptx.get(module, here.ptx.get(module, ()))

    def alike_in_sass(self, line: int) -> Sequence[int]:
        """Returns all lines of SASS with the same origin as this line."""
        here = self.of_sass(line)
        return self._alike(here).sass or here.sass

    def _alike(self, here: MatchedLines) -> MatchedLines:
        """Returns the matches of the source of `here`, or of the PTX where there is no source."""
        for document, lines in here.sources.items():
            return self.of_source(document, lines[0])
        for (name, stage), lines in here.stages.items():
            if stage.is_source and (kernel := self._documents.named(name)) is not None:
                return self.of_source(kernel, lines[0], stage)
        for module, lines in here.ptx.items():
            return self.of_ptx(module, lines[0])
        return MatchedLines()

    def lines_now(self, document: Document, built: Iterable[int]) -> Mapping[int, int]:
        """Returns the present numbers of built lines; edited lines are left out."""
        origins = self._origins.get(document)
        return origins.now(built) if origins is not None else {}

    def is_edited(self, document: Document, line: int) -> bool:
        """Returns whether a line is another one than was built."""
        origins = self._origins.get(document)
        return origins is not None and origins.built_line(line) == UNKNOWN

    def _files_of(self, document: Document) -> Iterator[str]:
        return (file for file, opened in self._files.items() if opened is document)

    def _of_one(self, tied: CorrelatedCode, matches: Matches) -> MatchedLines:
        return replace(self._shown(tied, matches), chain=matches.places)

    def _shown(self, tied: CorrelatedCode, *matches_of_lines: Matches) -> MatchedLines:
        # Without values: sets that keep the order.
        sources: dict[Document, dict[int, None]] = {}
        ptx: dict[str, list[int]] = {}
        rows: list[NDArray[np.int32]] = []
        stages: dict[StageKey, dict[int, None]] = {}
        for matches in matches_of_lines:
            for file, number in matches.places:
                if (source := tied.captured.get(file)) is None:
                    self._add_source(sources, self._files.get(file), number - 1)
                elif (line := source.line(number)) != UNKNOWN:
                    stages.setdefault(source.key, {})[line] = None
            for key, numbers in matches.stages.items():
                stages.setdefault(key, {}).update(dict.fromkeys((np.asarray(numbers) - 1).tolist()))
            for module, lines in matches.ptx.items():
                document = self._documents.named(module)
                if document is not None and document.kind is CodeKind.PTX:
                    for statement in lines:
                        self._add_source(sources, document, int(statement) - 1)
                else:
                    ptx.setdefault(module, []).extend((np.asarray(lines) - 1).tolist())
            for function, indices in matches.code.items():
                of_code = np.asarray(tied.inspection.rows.lines(function), np.int32)
                rows.append(of_code[np.asarray(indices)])
        sass = np.unique(np.concatenate(rows)) if rows else np.zeros(0, np.int32)
        ordered = {document: list(lines) for document, lines in sources.items()}
        of_stages = {key: list(lines) for key, lines in stages.items()}
        return MatchedLines(ordered, ptx, sass[sass != NOWHERE].tolist(), stages=of_stages)

    def _add_source(
        self, sources: dict[Document, dict[int, None]], document: Document | None, built: int
    ) -> None:
        origins = self._origins.get(document) if document is not None else None
        line = origins.line(built) if origins is not None else UNKNOWN
        if document is not None and line != UNKNOWN and _has_code(document, line):
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

    def _documents_of(self, tied: CorrelatedCode) -> Iterator[tuple[str, Document]]:
        for file, names in tied.files.items():
            for name in names:
                if (document := self._spellings.get(name)) is not None:
                    yield file, document
                    break

    def _set(self, tied: CorrelatedCode | None) -> None:
        was = self._tied
        self._tied = tied
        self._known.clear()
        self._files = dict(self._documents_of(tied)) if tied is not None else {}
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


def _has_code(document: Document, line: int) -> bool:
    """Returns whether anything can be made of a line: line tables of Python kernels may err."""
    if document.kind is not CodeKind.PYTHON or document.text is None:
        return True
    return _is_python(document.text.findBlockByNumber(line).text())


def _is_python(line: str) -> bool:
    text = line.lstrip()
    return bool(text) and not text.startswith("#")


def _tie(inspection: Inspection, files: frozenset[str], stop: Event) -> CorrelatedCode:
    texts = ptx_of(inspection.request, inspection.result, inspection.name)
    ptx = {name: tuple(split_at_newlines(text.rstrip("\n"))) for name, text in texts.items()}
    modules = {name: read_ptx_lines(Paced(lines, stop)) for name, lines in ptx.items()}
    kernels = dict(_kernels(inspection))
    stages = {
        (name, representation.language): lines
        for name, kernel in kernels.items()
        for representation in kernel.representations
        if (
            lines := read_stage_lines(representation, Paced(shown_lines(representation.text), stop))
        )
        is not None
    }
    correlation = Correlation(inspection.code, modules, stages)
    spelt = {place.file for place in correlation.places}
    captured = dict(_captured_sources(kernels, spelt))
    names = {file: (os.path.normpath(file), followed(file)) for file in spelt}
    hues_by_place = line_hues(
        correlation, lambda file: file in captured or not files.isdisjoint(names[file])
    )
    sass = bytearray(len(inspection.listing.lines))
    for function, hues in hues_by_place.code.items():
        for row, hue in zip(inspection.rows.lines(function), hues, strict=True):
            if row != NOWHERE:
                sass[row] = hue
    return CorrelatedCode(inspection, correlation, ptx, hues_by_place, names, bytes(sass), captured)


def _kernels(inspection: Inspection) -> Iterator[tuple[str, CapturedKernel]]:
    """Yields the captured kernels that the machine code may be of, by their modules."""
    for source in inspection.request.sources:
        if source.kind is CodeKind.CAPTURED and inspection.name in (LINKED, source.name):
            # A damaged one has given no machine code either.
            with suppress(CapturedError):
                yield source.name, unpack(source.content)


def _captured_sources(
    kernels: Mapping[str, CapturedKernel], files: Iterable[str]
) -> Iterator[tuple[str, CapturedSource]]:
    """Yields which files of the line tables are sources of captured kernels."""
    for name, kernel in kernels.items():
        source = kernel.source
        if source is None or not source.file:
            continue
        own = os.path.normpath(source.file)
        is_python = source.language is KernelLanguage.PYTHON
        has_code = [not is_python or _is_python(x) for x in shown_lines(source.text)]
        captured = CapturedSource((name, source.language), source.first_line, has_code)
        for file in files:
            here = os.path.normpath(file)
            # What is no whole path, the compiler has joined to a folder of its own.
            if here == own or (not os.path.isabs(own) and here.endswith(os.sep + own)):
                yield file, captured


# ---- Where on disk the lines of a line table are, for those that are in no tab


class FileAbsence(Enum):
    """The reasons why there is no file to open."""

    BUILT_IN = auto()
    """It is a header inside NVRTC itself."""
    CLOSED = auto()
    """It was in a tab that is closed."""
    MISSING = auto()
    """It is gone, a `#line` directive named it, or the code was built elsewhere."""


def located(file: str, request: BuildRequest) -> Path | FileAbsence:
    """Returns the file that a line table of a build means, or why there is none."""
    if os.path.basename(file) == BUILT_IN_HEADER:
        return FileAbsence.BUILT_IN
    names = FileNames(request)
    if names.is_text(file):
        return FileAbsence.CLOSED
    path = names.path(file)
    # Not pathlib's, which fails at what can be no name: `#line` takes any text.
    return Path(path) if os.path.isfile(path) else FileAbsence.MISSING


def followed(file: str) -> str:
    """Returns `file` with links followed, as documents have their paths."""
    try:
        return os.path.realpath(file)
    except (OSError, ValueError):
        return file
