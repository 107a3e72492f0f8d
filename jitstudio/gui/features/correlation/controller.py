"""Shows corresponding lines of source, PTX and SASS, and leads from each to the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import PurePath

import numpy as np
from PySide6.QtCore import QObject, QTimer, Slot

from jitstudio.analysis.sass.model import SourceLocation
from jitstudio.core.code import CodeKind
from jitstudio.gui.code.line_marks import NO_LINE
from jitstudio.gui.context import Context
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.correlation.interleaved import InterleavedController, InterleavedSide
from jitstudio.gui.features.correlation.sides import (
    BesideSide,
    CorrelatedView,
    PtxSide,
    SassSide,
    SourceSide,
)
from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.listing.hints import disassembly_sentence
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.constant_namings import ConstantNamings
from jitstudio.gui.state.correlation import Correlations, MatchedLines
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.preferences import Preferences

_BANDS, _FOLLOW = "listings.bands", "listings.follow"
_USER = "correlation"


def install(context: Context) -> None:
    """Ties source, PTX and SASS to each other."""
    state, shell = context.state, context.shell
    CorrelationController(
        state.correlations,
        state.disassembly,
        state.preferences,
        state.documents,
        context.editors,
        context.listings,
        state.constant_namings,
        shell,
    )


class CorrelationController(QObject):
    """Keeps editors and listings in step."""

    def __init__(
        self,
        correlations: Correlations,
        disassembly: CurrentDisassembly,
        preferences: Preferences,
        documents: Documents,
        editors: EditorTabs,
        listings: Mapping[CodeKind, OutputPane],
        constants: ConstantNamings,
        shell: Shell,
    ) -> None:
        super().__init__(editors)
        actions = shell.actions
        self._shell = shell
        self._editors = editors
        self._state = correlations
        self._disassembly = disassembly
        self._preferences = preferences
        self._source = SourceSide(correlations, documents, editors, shell)
        self._ptx = PtxSide(correlations, listings, shell)
        self._sass = SassSide(correlations, listings, shell)
        beside = BesideSide(correlations, documents, editors, shell)
        self._turns = InterleavedSide(correlations)
        # In the order of the jumps.
        self._sides: tuple[CorrelatedView, ...] = (
            *(self._source, beside, self._ptx, self._sass, self._turns),
        )
        self._last: CorrelatedView = self._source
        # What belongs to the line of the cursor, since that has come to rest.
        self._settled = MatchedLines()
        # Why the last jump led elsewhere, until that has been shown.
        self._problem = ""
        self._switches = {_BANDS: actions["bandsAction"], _FOLLOW: actions["followCursorAction"]}
        # Typing moves the cursor and edits the text: one look at both is enough.
        self._moved = QTimer(self, singleShot=True, interval=0)
        self._moved.timeout.connect(self._on_settled)
        self._connect(documents)
        for key, action in self._switches.items():
            action.setChecked(bool(self._preferences.value(key)))
        self._shows: dict[str, CorrelatedView] = {
            "showInSourceAction": self._source,
            "showInPtxAction": self._ptx,
            "showInSassAction": self._sass,
        }
        actions.know({name: partial(self._can_show, to) for name, to in self._shows.items()})
        actions.bind(
            {
                "bandsAction": self._on_bands,
                "followCursorAction": self._on_follow,
                "correlateAction": self._on_correlate,
                "besideAction": self._on_beside,
                **{name: partial(self._show_in, side) for name, side in self._shows.items()},
                "nextMatchAction": self._on_next,
                "previousMatchAction": self._on_previous,
            }
        )
        turns = InterleavedController(
            *(self._turns, correlations, disassembly, constants, preferences, self._sass.pane),
            shell,
        )
        turns.changed.connect(self._on_changed)
        self._on_changed()

    def _connect(self, documents: Documents) -> None:
        self._state.changed.connect(self._on_changed)
        self._preferences.changed.connect(self._on_preference_changed)
        documents.current_changed.connect(self._on_changed)
        documents.each(self._on_document)
        self._editors.cursor_moved.connect(self._on_source_moved)
        for side in (self._ptx, self._sass):
            side.pane.listing_changed.connect(self._on_changed)
            side.pane.code_view.line_changed.connect(self._on_listing_moved)
            side.pane.code_view.line_colours.pointed.connect(self._on_pointed)
        self._turns.view.line_changed.connect(self._on_listing_moved)
        self._turns.view.line_colours.pointed.connect(self._on_pointed)
        Visibility(self._ptx.pane, self, self._on_visibility_changed)

    @property
    def _is_coloured(self) -> bool:
        return bool(self._preferences.value(_BANDS))

    def _show_hues(self) -> None:
        for page in self._editors.pages():
            for view, stage in page.shown:
                hue_of = self._state.hue_of_source(page.document, stage)
                view.line_colours.show_hues(hue_of if self._is_coloured else None)
        for side in (self._ptx, self._sass):
            hues = side.hues() if self._is_coloured else b""
            side.pane.code_view.line_colours.show_hues(hues.__getitem__ if hues else None)
        hues = self._turns.hues() if self._is_coloured else b""
        self._turns.view.line_colours.show_hues(hues.__getitem__ if hues else None)

    def _show_matches(self, side: CorrelatedView, line: int) -> None:
        """Emphasises the matches of a line in all texts, and the line itself."""
        shown = side.matches(line) if line != NO_LINE else MatchedLines()
        for other in self._sides:
            if (colours := other.line_colours) is not None:
                lines: Sequence[int] = other.lines_in(shown)
                if other is side and shown and line not in lines:
                    lines = sorted((*lines, line))
                colours.show_matched(lines)

    def _show_origin(self) -> None:
        """Tells the calls through which the code at the caret of a listing was inlined.

        After a jump that could not lead there, say why.
        """
        if self._problem:
            self._shell.status.show_message(self._problem)
            self._problem = ""
            return
        line, *calls = self._last.matches(self._last.line).chain or (None,)
        if self._last.has_keyboard and line is not None and calls:
            inlined = self.tr("{line}, inlined at {calls}")
            message = inlined.format(
                line=_location_text(line), calls=", ".join(map(_location_text, calls))
            )
            self._shell.status.show_message(message)

    def _follow(self) -> None:
        """Scrolls the other texts to the matches of the cursor's line."""
        shown = self._last.matches(self._last.line)
        for side in self._sides:
            lines = side.lines_in(shown) if side is not self._last else ()
            if lines:
                side.show(self._nearest(shown, side, lines))

    def _nearest(self, shown: MatchedLines, side: CorrelatedView, lines: Sequence[int]) -> int:
        """Returns the line of the code itself rather than of a call above."""
        if isinstance(side, SourceSide) and (document := side.document) is not None:
            if side.stage is not None:
                return shown.stages[document.name, side.stage][0]
            return shown.sources[document][0]
        return lines[0]

    def _side_with_keyboard(self) -> CorrelatedView:
        return next((side for side in self._sides if side.has_keyboard), self._last)

    @Slot()
    def _on_changed(self) -> None:
        self._show_hues()
        self._moved.start()

    @Slot(object)
    def _on_document(self, _document: object) -> None:
        for page in self._editors.pages():
            if not page.code_view.line_colours.is_watched:
                page.stage_changed.connect(self._on_stage_changed)
                page.line_changed.connect(self._on_source_moved)
                for view, _ in page.shown:
                    view.line_colours.is_watched = True
                    view.line_colours.pointed.connect(self._on_pointed)

    @Slot()
    def _on_stage_changed(self) -> None:
        """Goes to the match of the last line in another representation or listing."""
        lines = self._source.lines_in(self._settled)
        if lines and (page := self._editors.page) is not None and page is self.sender():
            page.code_view.go_to(lines[0] + 1)
        self._on_changed()

    @Slot(bool)
    def _on_visibility_changed(self, visible: bool) -> None:
        self._disassembly.want(_USER, visible)

    @Slot(str)
    def _on_preference_changed(self, key: str) -> None:
        if key in self._switches:
            self._switches[key].setChecked(bool(self._preferences.value(key)))
            self._on_changed()

    @Slot(bool)
    def _on_bands(self, on: bool) -> None:
        self._preferences.set_value(_BANDS, on)

    @Slot(bool)
    def _on_follow(self, on: bool) -> None:
        self._preferences.set_value(_FOLLOW, on)

    @Slot(int)
    def _on_pointed(self, line: int) -> None:
        colours = self.sender()
        side = next((side for side in self._sides if side.line_colours is colours), None)
        if side is None or line == NO_LINE:
            # The cursor points when no mouse does.
            self._show_matches(self._last, self._last.line)
        else:
            self._show_matches(side, line)

    @Slot()
    def _on_source_moved(self) -> None:
        if self._source.has_keyboard or self._last is self._source:
            self._last = self._source
            self._moved.start()

    @Slot()
    def _on_listing_moved(self) -> None:
        listings = (self._ptx, self._sass, self._turns)
        moved = next((side for side in listings if side.has_keyboard), None)
        if moved is not None:
            self._last = moved
            self._moved.start()

    @Slot()
    def _on_settled(self) -> None:
        self._settled = self._last.matches(self._last.line)
        self._show_matches(self._last, self._last.line)
        self._show_origin()
        if bool(self._preferences.value(_FOLLOW)):
            self._follow()

    @Slot()
    def _on_beside(self) -> None:
        page = self._editors.page
        if page is None or not page.show_beside():
            message = self.tr("Only captured kernels have representations: open one first")
            self._shell.status.show_message(message)

    @Slot()
    def _on_correlate(self) -> None:
        side = self._side_with_keyboard()
        shown = side.matches(side.line)
        self._source.problem = ""
        at = self._sides.index(side)
        for other in (*self._sides[at + 1 :], *self._sides[:at]):
            if other.go_to(shown):
                self._has_gone_to(other)
                return
        self._shell.status.show_message(self._source.problem or self._why_nothing(side))

    def _can_show(self, to: CorrelatedView) -> bool:
        """Returns whether the line of the keyboard has anything in another text."""
        side = self._side_with_keyboard()
        return self._leads(side, to) and to.has(side.matches(side.line))

    def _leads(self, side: CorrelatedView, to: CorrelatedView) -> bool:
        """Returns whether a jump leads to another text; IR counts as one, in the source's tab."""
        return side is not to or (to is self._source and self._source.is_derived)

    def _show_in(self, to: CorrelatedView) -> None:
        """Goes to the match, in this text, of the line with the keyboard."""
        side = self._side_with_keyboard()
        self._source.problem = ""
        if not (self._leads(side, to) and to.go_to(side.matches(side.line))):
            self._shell.status.show_message(self._source.problem or self._why_nothing(side))
        else:
            self._has_gone_to(to)

    def _has_gone_to(self, side: CorrelatedView) -> None:
        self._last, self._problem = side, self._source.problem
        self._moved.start()

    def _why_nothing(self, side: CorrelatedView) -> str:
        if self._disassembly.current is None:
            return disassembly_sentence(self._disassembly)
        if self._state.tied is None:
            return self.tr("The line tables are being read")
        if side is self._source and self._source.is_edited:
            return self.tr("This line was edited since the build: build again to see what it makes")
        return self.tr("Nothing matches this line: the line tables do not have it")

    def _step(self, step: int) -> None:
        """Goes to the next run of lines that belong to the same line of the source."""
        side = self._side_with_keyboard()
        here = side.line
        lines = np.array(side.alike(here), np.intp)
        firsts = lines[np.diff(lines, prepend=NO_LINE - 1) != 1]
        elsewhere = firsts[firsts != here]
        others = elsewhere[(elsewhere > here) == (step > 0)]
        if not len(others):
            others = elsewhere
        if not len(others):
            words = self.tr("There is no other block that matches this one")
            self._shell.status.show_message(
                words if side.matches(here) else self._why_nothing(side)
            )
            return
        side.step_to(int(others[0] if step > 0 else others[-1]))

    @Slot()
    def _on_next(self) -> None:
        self._step(1)

    @Slot()
    def _on_previous(self) -> None:
        self._step(-1)


def _location_text(place: SourceLocation) -> str:
    return f"{PurePath(place.file).name}:{place.line}"
