"""The three corresponding texts, source, PTX and SASS, behind a common interface."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.sass.model import SourceLocation
from jitstudio.core.captured import KernelLanguage
from jitstudio.core.code import CodeKind
from jitstudio.gui.code.code_view import CodeView
from jitstudio.gui.code.line_marks import NO_LINE, LineColours
from jitstudio.gui.editor.editor_tabs import EditorTabs, opened_message
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.correlation import Correlations, FileAbsence, MatchedLines, located
from jitstudio.gui.state.document_files import DocumentError
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.previews import is_installed, open_preview


class CorrelatedView(Protocol):
    """A text of the correlation; lines count from 0."""

    @property
    def line_colours(self) -> LineColours | None:
        """The line colours of the view; None where nothing is shown."""

    @property
    def line(self) -> int:
        """The line of the cursor."""

    @property
    def has_keyboard(self) -> bool:
        """Whether the keyboard focus is in this text."""

    def matches(self, line: int) -> MatchedLines:
        """Returns the matches of a line of this text."""

    def alike(self, line: int) -> Sequence[int]:
        """Returns the lines of this text with the same source line, ascending."""

    def lines_in(self, shown: MatchedLines) -> Sequence[int]:
        """Returns the matching lines of the shown text, ascending."""

    def has(self, shown: MatchedLines) -> bool:
        """Returns whether this text has any match, also in another module."""

    def show(self, line: int) -> None:
        """Brings a line into sight; the cursor stays."""

    def go_to(self, shown: MatchedLines) -> bool:
        """Moves to the first match, also in another module; returns whether there is any."""

    def step_to(self, line: int) -> None:
        """Puts the cursor to a line of the shown text."""


class LinePlace(NamedTuple):
    """A line of a file on disk, counted from 1."""

    file: Path
    line: int


class SourceSide:
    """The tab that is looked at.

    Attributes:
        problem: Why the last jump did not lead to the line itself; empty where it did.
    """

    def __init__(
        self,
        correlations: Correlations,
        documents: Documents,
        editors: EditorTabs,
        shell: Shell,
    ) -> None:
        self._shell = shell
        self._editors = editors
        self._state: Correlations = correlations
        self._documents = documents
        self._disk = FileReader(editors)
        self._disk.waits.connect(self._on_waits)
        self.problem = ""

    def _shown(self) -> tuple[CodeView | None, KernelLanguage | None]:
        """Returns the shown view, and the shown representation of a captured kernel."""
        page = self._editors.page
        return (page.code_view, page.stage) if page is not None else (None, None)

    @property
    def document(self) -> Document | None:
        """The document of the front tab."""
        page = self._editors.page
        return page.document if page is not None else None

    @property
    def stage(self) -> KernelLanguage | None:
        """The shown representation of a captured kernel."""
        return self._shown()[1]

    @property
    def is_derived(self) -> bool:
        """Whether the shown text is an intermediate representation, compiled from a source."""
        return self.stage is not None and not self.stage.is_source

    @property
    def line_colours(self) -> LineColours | None:
        """The line colours of the editor, or of the view of a text that cannot be edited."""
        view, _ = self._shown()
        return view.line_colours if view is not None else None

    @property
    def line(self) -> int:
        """The line of the cursor."""
        page = self._editors.page
        return page.line - 1 if page is not None else NO_LINE

    @property
    def has_keyboard(self) -> bool:
        """Whether the keyboard focus is in this tab."""
        view, _ = self._shown()
        return view is not None and view.hasFocus()

    @property
    def is_edited(self) -> bool:
        """Whether the line of the cursor has been edited since the build."""
        document = self.document
        return document is not None and self._state.is_edited(document, self.line)

    def matches(self, line: int) -> MatchedLines:
        """Returns the matches of a line in the code compiled from here."""
        document = self.document
        if document is None:
            return MatchedLines()
        return self._state.of_source(document, line, self.stage)

    def alike(self, line: int) -> Sequence[int]:
        """Returns all lines that any code was compiled from: each is a block of its own."""
        document = self.document
        lines = self._state.coloured(document, self.stage) if document is not None else ()
        return sorted({*lines, line}) if lines else ()

    def lines_in(self, shown: MatchedLines) -> Sequence[int]:
        """Returns the matching lines of this tab."""
        document, stage = self.document, self.stage
        if document is None:
            return ()
        if stage is not None:
            return sorted(shown.stages.get((document.name, stage), ()))
        return sorted(shown.sources.get(document, ()))

    def has(self, shown: MatchedLines) -> bool:
        """Returns whether the line is in a tab, or in a file that may be opened; asks no disk."""
        is_there = bool(shown.sources or shown.stages or shown.chain)
        return is_there and self._state.tied is not None

    def show(self, line: int) -> None:
        """Scrolls to a line, only as far as necessary."""
        if self.line_colours is not None:
            self.line_colours.scroll_to(line)

    def go_to(self, shown: MatchedLines) -> bool:
        """Goes to the line itself, or to the call in the tab that is looked at.

        Where no tab has the line, the file is opened, except the file of a library that is called
        from a tab. Where no file has the line, `problem` says so, and the jump goes to the call.
        """
        try:
            place, self.problem = self._unopened(shown)
            if place is not None:
                self._open(place)
                return True
        except DocumentError as error:
            self.problem = str(error)
        here = self.document
        document = here if here in shown.sources else next(iter(shown.sources), None)
        if document is None:
            return self._go_to_stage(shown)
        self._documents.current = document
        self._shell.layout.bring_up(self._editors)
        self.step_to(shown.sources[document][0])
        return True

    def _go_to_stage(self, shown: MatchedLines) -> bool:
        """Goes to the line in the representation that is looked at, from there to the source."""
        here = self.document
        key = (here.name, self.stage) if here is not None and self.stage is not None else None
        wants_source = self.is_derived and self.has_keyboard
        if key in shown.stages and not wants_source:
            target = key
        else:
            target = min(
                shown.stages, key=lambda stage_key: not stage_key[1].is_source, default=None
            )
        if target is not None and wants_source and not target[1].is_source:
            return False
        document = self._documents.named(target[0]) if target is not None else None
        if target is None or document is None:
            return False
        self._documents.current = document
        page = self._editors.page
        if page is None or page.document is not document:
            return False
        page.show_stage(target[1])
        self._shell.layout.bring_up(self._editors)
        self.step_to(shown.stages[target][0])
        return True

    def _unopened(self, shown: MatchedLines) -> tuple[LinePlace | None, str]:
        """Returns the innermost line in a file without a tab, and why inner ones do not open."""
        tied, problem = self._state.tied, ""
        # PTX that was written by hand is the source, whatever it says it was made of.
        if tied is None or any(document.kind is CodeKind.PTX for document in shown.sources):
            return None, ""
        for place in shown.chain:
            if self._state.is_open(place.file):
                break
            file = self._disk.outcome(partial(located, place.file, tied.inspection.request))
            if isinstance(file, Path):
                # Of a library's code the call is what one has written.
                if shown.sources and is_installed(file):
                    continue
                return LinePlace(file, place.line), problem
            problem = problem or absence_text(file, place)
        return None, problem

    def _open(self, place: LinePlace) -> None:
        document = open_preview(self._documents, place.file, self._disk)
        self._shell.layout.bring_up(self._editors)
        self.step_to(place.line - 1)
        self._shell.status.show_message(opened_message(document))

    def _on_waits(self) -> None:
        self._shell.status.show_message(
            QCoreApplication.translate("CorrelationController", "Waiting for the disk")
        )

    def step_to(self, line: int) -> None:
        """Goes to a line."""
        if self._editors.page is not None:
            self._editors.page.go_to(line + 1, 1)


class BesideSide(SourceSide):
    """The second representation of a captured kernel that the tab shows.

    The one with the keyboard is the tab's own text: this one follows, and no jump leads to it.
    """

    def _shown(self) -> tuple[CodeView | None, KernelLanguage | None]:
        page = self._editors.page
        texts = page.shown if page is not None else ()
        others = (x for x in texts if page is not None and x[0] is not page.code_view)
        return next(others, (None, None))

    def lines_in(self, shown: MatchedLines) -> Sequence[int]:
        """Returns the matching lines of this representation."""
        return super().lines_in(shown) if self.stage is not None else ()

    def go_to(self, shown: MatchedLines) -> bool:
        """Stays."""
        return False


class _ListingSide:
    """A pane of a listing."""

    def __init__(
        self,
        correlations: Correlations,
        listings: Mapping[CodeKind, OutputPane],
        kind: CodeKind,
    ) -> None:
        self._state: Correlations = correlations
        self.pane: OutputPane = listings[kind]

    @property
    def line_colours(self) -> LineColours | None:
        """The line colours of the listing."""
        return self.pane.code_view.line_colours

    @property
    def line(self) -> int:
        """The line of the caret."""
        return self.pane.code_view.line - 1

    @property
    def has_keyboard(self) -> bool:
        """Whether the user is in the listing."""
        return self.pane.code_view.hasFocus()

    def show(self, line: int) -> None:
        """Scrolls to a line, only as far as necessary."""
        self.pane.code_view.show_line(line)

    def step_to(self, line: int) -> None:
        """Goes to a line."""
        self.pane.code_view.go_to(line + 1)


class PtxSide(_ListingSide):
    """The pane of PTX."""

    def __init__(
        self,
        correlations: Correlations,
        listings: Mapping[CodeKind, OutputPane],
        shell: Shell,
    ) -> None:
        super().__init__(correlations, listings, CodeKind.PTX)
        self._shell = shell

    @property
    def module(self) -> str:
        """The module of the shown PTX, if the correlation is of that text; else empty."""
        listing = self.pane.listing
        return listing.name if listing is not None and self._state.knows(listing) else ""

    def hues(self) -> bytes:
        """Returns the colours of all lines."""
        tied = self._state.tied
        return tied.hues.ptx.get(self.module, b"") if tied is not None else b""

    def matches(self, line: int) -> MatchedLines:
        """Returns the matches of a line of PTX, in the source and in SASS."""
        return self._state.of_ptx(self.module, line)

    def alike(self, line: int) -> Sequence[int]:
        """Returns all lines with the same origin as this line."""
        return self._state.alike_in_ptx(self.module, line)

    def lines_in(self, shown: MatchedLines) -> Sequence[int]:
        """Returns the matching lines of the shown module."""
        return shown.ptx.get(self.module, ())

    def has(self, shown: MatchedLines) -> bool:
        """Returns whether any module has some."""
        return bool(shown.ptx)

    def go_to(self, shown: MatchedLines) -> bool:
        """Goes to the first match, in the shown module if there is any."""
        module = self.module if self.module in shown.ptx else next(iter(shown.ptx), "")
        self.pane.choose(module)
        if not module or self.module != module:
            return False
        self._shell.layout.bring_up(self.pane)
        self.step_to(shown.ptx[module][0])
        return True


class SassSide(_ListingSide):
    """The pane of SASS."""

    def __init__(
        self,
        correlations: Correlations,
        listings: Mapping[CodeKind, OutputPane],
        shell: Shell,
    ) -> None:
        super().__init__(correlations, listings, CodeKind.SASS)
        self._shell = shell

    @property
    def is_known(self) -> bool:
        """Whether the correlation is of the shown listing."""
        listing = self.pane.listing
        return listing is not None and self._state.knows(listing)

    def hues(self) -> bytes:
        """Returns the colours of all lines."""
        tied = self._state.tied
        return tied.sass if tied is not None and self.is_known else b""

    def matches(self, line: int) -> MatchedLines:
        """Returns the matches of an instruction."""
        return self._state.of_sass(line) if self.is_known else MatchedLines()

    def alike(self, line: int) -> Sequence[int]:
        """Returns all instructions with the same origin as this instruction."""
        return self._state.alike_in_sass(line) if self.is_known else ()

    def lines_in(self, shown: MatchedLines) -> Sequence[int]:
        """Returns all matching instructions."""
        return shown.sass if self.is_known else ()

    def has(self, shown: MatchedLines) -> bool:
        """Returns whether there are any."""
        return bool(self.lines_in(shown))

    def go_to(self, shown: MatchedLines) -> bool:
        """Goes to the first instruction."""
        if not self.is_known or not shown.sass:
            return False
        self._shell.layout.bring_up(self.pane)
        self.step_to(shown.sass[0])
        return True


_ABSENCES = {
    FileAbsence.BUILT_IN: QT_TRANSLATE_NOOP(
        "LineFiles", "{line} is in a header inside NVRTC itself, which is not a file to open"
    ),
    FileAbsence.CLOSED: QT_TRANSLATE_NOOP(
        "LineFiles", "{line} was in a tab that is closed: open it again to see the line"
    ),
    FileAbsence.MISSING: QT_TRANSLATE_NOOP(
        "LineFiles",
        "{line} is in no file here: the file is gone, a #line directive named it, or the code was "
        "built elsewhere",
    ),
}


def absence_text(absence: FileAbsence, place: SourceLocation) -> str:
    """Returns why the file of a place cannot be opened."""
    line = f"{_without_folder(place.file)}:{place.line}"
    return QCoreApplication.translate("LineFiles", _ABSENCES[absence]).format(line=line)


def _without_folder(file: str) -> str:
    """Returns a name as written in the source: NVRTC puts the working directory in front."""
    try:
        return file.removeprefix(os.path.join(os.getcwd(), ""))
    except OSError:
        # The working directory is gone.
        return file
