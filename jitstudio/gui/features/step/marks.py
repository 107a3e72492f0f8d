"""Breakpoints and the line of the thread, in editors and listings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from jitstudio.core.code import CodeKind
from jitstudio.core.project.project import BreakLine
from jitstudio.gui.code.line_marks import LinePosition
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.state.correlation import Correlations
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.stepping import Stepping
from jitstudio.simulator.ptx.linking import own_names
from jitstudio.simulator.stepping.requests import StepState

_USER = "stepping"
_SOURCES = (CodeKind.CUDA, CodeKind.LLVM_IR)


class StepMarks(QObject):
    """Shows breakpoints and the line of the thread in editors and listings, and takes clicks."""

    def __init__(
        self,
        stepping: Stepping,
        documents: Documents,
        correlations: Correlations,
        disassembly: CurrentDisassembly,
        editors: EditorTabs,
        listings: Mapping[CodeKind, OutputPane],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._stepping = stepping
        self._documents = documents
        self._correlations = correlations
        self._disassembly = disassembly
        self._editors = editors
        self._ptx, self._sass = listings[CodeKind.PTX], listings[CodeKind.SASS]
        self._known: set[QWidget] = set()
        documents.each(self._on_document)
        self._ptx.code_view.line_marks.can_break = True
        self._ptx.code_view.line_marks.toggled.connect(self._on_ptx_toggled)
        self._ptx.listing_changed.connect(self._show)
        self._sass.listing_changed.connect(self._show)
        correlations.changed.connect(self._show)
        stepping.breakpoints_changed.connect(self._show)
        stepping.state_changed.connect(self._on_state)

    @property
    def line(self) -> BreakLine | None:
        """Returns the line of the cursor, in the editor or the PTX with the keyboard; else None."""
        if self._ptx.code_view.hasFocus() and self._ptx.listing is not None:
            return BreakLine(self._ptx.listing.name, self._ptx.code_view.line, True)
        page = self._editors.page
        if page is None or page.editor is None:
            return None
        return BreakLine(page.document.name, page.position()[0])

    @Slot(object)
    def _on_document(self, _document: object) -> None:
        for page in self._editors.pages():
            if page not in self._known and page.editor is not None:
                self._known.add(page)
                marks = page.editor.line_marks
                marks.can_break = page.document.kind in _SOURCES
                marks.toggled.connect(partial(self._on_source_toggled, page))
                page.destroyed.connect(partial(self._known.discard, page))
        self._show()

    @Slot(object)
    def _on_state(self, state: StepState | None) -> None:
        self._disassembly.want(_USER, state is not None)
        if state is not None and state.moving:
            return
        self._show()
        if state is not None and state.ptx_line:
            self._lead(state)

    def _lead(self, state: StepState) -> None:
        """Brings the line of the thread into view in all texts, without taking the keyboard."""
        place = self._stepping.source_line()
        if place is not None:
            document, line = place
            if self._documents.current is not document:
                self._documents.current = document
            page = self._editors.page_of(document)
            if page is not None:
                page.code_view.line_colours.scroll_to(line)
        if self._ptx.isVisible():
            module, line = self._stepping.ptx_place(state.ptx_line)
            self._ptx.choose(module)
            self._ptx.code_view.show_line(line - 1)
        lines = self._sass.code_view.line_marks.position.lines
        if lines and self._sass.isVisible():
            self._sass.code_view.show_line(lines[0])

    @Slot()
    def _show(self) -> None:
        points = self._stepping.breakpoints
        place = self._stepping.source_line()
        for page in self._editors.pages():
            if page.editor is None:
                continue
            marks = page.editor.line_marks
            marks.show_breakpoints(_breakpoints_of(points, page.document.name, is_ptx=False))
            is_here = place is not None and place[0] is page.document
            marks.show_position(LinePosition((place[1],) if place and is_here else ()))
        self._show_listings()

    def _show_listings(self) -> None:
        points, state = self._stepping.breakpoints, self._stepping.state
        listing = self._ptx.listing
        name = listing.name if listing is not None else ""
        marks = self._ptx.code_view.line_marks
        marks.show_breakpoints(_breakpoints_of(points, name, is_ptx=True))
        module, line = self._stepping.ptx_place(state.ptx_line if state is not None else 0)
        # After another build the listing may have other lines than the PTX that runs.
        lines = listing.lines if listing is not None else ()
        is_ours = (
            state is not None
            and name == module
            and 0 < line <= len(lines)
            and "".join(own_names(state.instruction).split()) in "".join(lines[line - 1].split())
        )
        marks.show_position(LinePosition((line - 1,) if is_ours else ()))
        sass: tuple[int, ...] = ()
        shown = self._sass.listing
        if is_ours and shown is not None and self._correlations.knows(shown):
            matched = self._correlations.of_ptx(name, line - 1)
            sass = tuple(int(row) for row in matched.sass)
        self._sass.code_view.line_marks.show_position(LinePosition(sass, is_derived=True))

    @Slot(int)
    def _on_ptx_toggled(self, line: int) -> None:
        if self._ptx.listing is not None:
            self._stepping.toggle_breakpoint(BreakLine(self._ptx.listing.name, line + 1, True))

    def _on_source_toggled(self, page: QWidget, line: int) -> None:
        for tab in self._editors.pages():
            if tab is page:
                self._stepping.toggle_breakpoint(BreakLine(tab.document.name, line + 1))


def _breakpoints_of(
    points: Mapping[BreakLine, str], name: str, *, is_ptx: bool
) -> Mapping[int, bool]:
    """Returns the lines of a text with breakpoints, from 0, and whether they have conditions."""
    return {
        point.line - 1: bool(condition)
        for point, condition in points.items()
        if (point.name, point.is_ptx) == (name, is_ptx)
    }
