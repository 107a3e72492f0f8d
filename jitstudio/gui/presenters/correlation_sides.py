"""The three texts that belong together, each as what can be asked of it: source, PTX and SASS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from jitstudio.core.code import CodeKind
from jitstudio.gui.line_bands import LineBands
from jitstudio.gui.panes import Panes
from jitstudio.gui.state.correlation import Correlations, Shown
from jitstudio.gui.state.documents import Document
from jitstudio.gui.widgets.output_pane import OutputPane
from jitstudio.gui.workspace import Workspace


class Side(Protocol):
    """One of the texts; lines count from 0."""

    @property
    def bands(self) -> LineBands | None:
        """Its bands; None where nothing is shown."""

    @property
    def line(self) -> int:
        """The line of the cursor."""

    @property
    def has_keyboard(self) -> bool:
        """Whether the user works in it."""

    def matches(self, line: int) -> Shown:
        """What belongs to one of its lines."""

    def alike(self, line: int) -> Sequence[int]:
        """Its own lines that belong to the same source line, ascending."""

    def lines_in(self, shown: Shown) -> Sequence[int]:
        """Which of its lines, as it is shown now, are among those that match, ascending."""

    def show(self, line: int) -> None:
        """Bring a line into sight; the cursor stays."""

    def go_to(self, shown: Shown) -> bool:
        """Put the cursor to the first match, also in another module; whether there is one."""

    def step_to(self, line: int) -> None:
        """Put the cursor to a line of what it shows."""


class SourceSide:
    """The tab that is looked at."""

    def __init__(self, workspace: Workspace, panes: Panes) -> None:
        self._state: Correlations = workspace.correlations
        self._documents = workspace.documents
        self._panes = panes

    @property
    def document(self) -> Document | None:
        """What is edited in it."""
        page = self._panes.tabs.page
        return page.document if page is not None and page.editor is not None else None

    @property
    def bands(self) -> LineBands | None:
        """Those of the editor."""
        page = self._panes.tabs.page
        return page.editor.bands if page is not None and page.editor is not None else None

    @property
    def line(self) -> int:
        """The line of the cursor."""
        return self._panes.tabs.position()[0] - 1

    @property
    def has_keyboard(self) -> bool:
        """Whether the user is in the editor."""
        page = self._panes.tabs.page
        return page is not None and page.code_view.hasFocus()

    @property
    def is_edited(self) -> bool:
        """Whether the line of the cursor has been edited since the build."""
        document = self.document
        return document is not None and self._state.is_edited(document, self.line)

    def matches(self, line: int) -> Shown:
        """What was made of a line."""
        document = self.document
        return self._state.of_source(document, line) if document is not None else Shown()

    def alike(self, line: int) -> Sequence[int]:
        """All lines of which something was made: each is a block of its own."""
        bands, document = self.bands, self.document
        if bands is None or document is None or document.text is None:
            return ()
        hue_of = self._state.hue_of_source(document)
        count = document.text.blockCount()
        return [n for n in range(count) if hue_of is not None and (hue_of(n) or n == line)]

    def lines_in(self, shown: Shown) -> Sequence[int]:
        """Those in this tab."""
        document = self.document
        return sorted(shown.sources.get(document, ())) if document is not None else ()

    def show(self, line: int) -> None:
        """Scroll only as far as it takes."""
        page = self._panes.tabs.page
        if page is not None and page.editor is not None:
            page.editor.bands.bring_into_sight(line)

    def go_to(self, shown: Shown) -> bool:
        """Go to the line itself, or to the call in the tab that is looked at."""
        here = self.document
        document = here if here in shown.sources else next(iter(shown.sources), None)
        if document is None:
            return False
        self._documents.current = document
        self._panes.bring_up(self._panes.tabs)
        self.step_to(shown.sources[document][0])
        return True

    def step_to(self, line: int) -> None:
        """Go to a line."""
        if self._panes.tabs.page is not None:
            self._panes.tabs.page.go_to(line + 1, 1)


class _ListingSide:
    """A pane of a listing."""

    def __init__(self, workspace: Workspace, panes: Panes, kind: CodeKind) -> None:
        self._state: Correlations = workspace.correlations
        self._panes = panes
        self.pane: OutputPane = panes.outputs[kind]

    @property
    def bands(self) -> LineBands | None:
        """Those of the listing."""
        return self.pane.code_view.bands

    @property
    def line(self) -> int:
        """The line of the caret."""
        return self.pane.code_view.line - 1

    @property
    def has_keyboard(self) -> bool:
        """Whether the user is in the listing."""
        return self.pane.code_view.hasFocus()

    def show(self, line: int) -> None:
        """Scroll only as far as it takes."""
        self.pane.code_view.show_line(line)

    def step_to(self, line: int) -> None:
        """Go to a line."""
        self.pane.code_view.go_to(line + 1)


class PtxSide(_ListingSide):
    """The pane of PTX."""

    def __init__(self, workspace: Workspace, panes: Panes) -> None:
        super().__init__(workspace, panes, CodeKind.PTX)

    @property
    def module(self) -> str:
        """Whose PTX is shown, if what is known is of that text; else empty."""
        listing = self.pane.listing
        return listing.name if listing is not None and self._state.knows(listing) else ""

    def hues(self) -> bytes:
        """The colours of all lines."""
        tied = self._state.tied
        return tied.bands.ptx.get(self.module, b"") if tied is not None else b""

    def matches(self, line: int) -> Shown:
        """What a line comes from, and what was made of it."""
        return self._state.of_ptx(self.module, line)

    def alike(self, line: int) -> Sequence[int]:
        """All lines that come from where this one does."""
        return self._state.alike_in_ptx(self.module, line)

    def lines_in(self, shown: Shown) -> Sequence[int]:
        """Those of the module that is shown."""
        return shown.ptx.get(self.module, ())

    def go_to(self, shown: Shown) -> bool:
        """Go to the first line, of the module that is shown if it has one."""
        module = self.module if self.module in shown.ptx else next(iter(shown.ptx), "")
        self.pane.choose(module)
        if not module or self.module != module:
            return False
        self._panes.bring_up(self.pane)
        self.step_to(shown.ptx[module][0])
        return True


class SassSide(_ListingSide):
    """The pane of SASS."""

    def __init__(self, workspace: Workspace, panes: Panes) -> None:
        super().__init__(workspace, panes, CodeKind.SASS)

    @property
    def is_known(self) -> bool:
        """Whether what is known is of what is shown."""
        listing = self.pane.listing
        return listing is not None and self._state.knows(listing)

    def hues(self) -> bytes:
        """The colours of all lines."""
        tied = self._state.tied
        return tied.sass if tied is not None and self.is_known else b""

    def matches(self, line: int) -> Shown:
        """What an instruction comes from."""
        return self._state.of_sass(line) if self.is_known else Shown()

    def alike(self, line: int) -> Sequence[int]:
        """All instructions that come from where this one does."""
        return self._state.alike_in_sass(line) if self.is_known else ()

    def lines_in(self, shown: Shown) -> Sequence[int]:
        """All of them."""
        return shown.sass if self.is_known else ()

    def go_to(self, shown: Shown) -> bool:
        """Go to the first instruction."""
        if not self.is_known or not shown.sass:
            return False
        self._panes.bring_up(self.pane)
        self.step_to(shown.sass[0])
        return True
