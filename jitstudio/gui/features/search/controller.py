"""Searches all tabs and outputs, and leads to the hits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import TEXT_KINDS, CodeKind
from jitstudio.gui.code.code_view import CodeView
from jitstudio.gui.code.search import Matcher, PatternError, Query, SearchedText, SearchSources
from jitstudio.gui.context import Context
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.search.find_all import SearchAll, SearchHit
from jitstudio.gui.features.search.view import SearchView
from jitstudio.gui.kit.translating import counted
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.listing.lines import split_lines

# How far a line is looked for that an edit has moved.
_FARTHEST = 5000


class _Listed(NamedTuple):
    """A listing of PTX or SASS."""

    kind: CodeKind
    name: str


def install(context: Context) -> None:
    """Makes the pane "Find in all"."""
    view = SearchView(context.shell.layout.place("search"))
    context.shell.layout.fill("search", view)
    SearchController(
        view,
        context.state.documents,
        context.editors,
        context.listings,
        context.search_sources,
        context.shell,
    )


class SearchController(QObject):
    """Has the texts searched that are there when a query is asked for."""

    def __init__(
        self,
        view: SearchView,
        documents: Documents,
        editors: EditorTabs,
        listings: Mapping[CodeKind, OutputPane],
        sources: SearchSources,
        shell: Shell,
    ) -> None:
        super().__init__(view)
        self._shell = shell
        self._editors = editors
        self._listings = listings
        self._documents = documents
        self._sources = sources
        self._view = view
        self._search = SearchAll(self)
        self._search.found.connect(self._on_found)
        self._search.ended.connect(self._on_ended)
        self._search.failed.connect(self._on_failed)
        self._view.wanted.connect(self._on_query)
        self._view.stop_wanted.connect(self._on_stopped)
        self._view.activated.connect(self._on_activated)
        shell.actions.bind({"findInAllAction": self._on_wanted})

    @Slot()
    def _on_wanted(self) -> None:
        focus = QApplication.focusWidget()
        selected = ""
        if isinstance(focus, CodeEditor | ListingView):
            selected = focus.search_selection()
        self._shell.layout.uncover(self._view)
        self._view.open_search(selected)

    @Slot(Query)
    def _on_query(self, query: Query) -> None:
        self._search.stop()
        self._view.begin()
        if not query.text:
            self._view.show_message("", is_busy=False)
            return
        try:
            matcher = Matcher(query)
        except PatternError as error:
            self._view.show_message(str(error), is_busy=False, is_problem=True)
            return
        self._search.start(matcher, tuple(self._texts()))
        self._show_progress()

    def _texts(self) -> Iterator[SearchedText]:
        """Yields all that can be seen in tabs and outputs, the current tab first."""
        current = self._documents.current
        rest = (document for document in self._documents if document is not current)
        for document in (current, *rest):
            if document is not None and document.kind in TEXT_KINDS:
                raw = document.text.toRawText() if document.text is not None else None
                lines = partial(_lines, raw, document.content if raw is None else b"")
                yield SearchedText(document, document.name, lines)
        message = self.tr("{kind} of {name}")
        for kind, pane in self._listings.items():
            for listing in pane.output.listings:
                # What is shown may have names in C++.
                shown = pane.code.spelling.lines if listing is pane.listing else listing.lines
                title = message.format(kind=kind.title, name=listing.name)
                yield SearchedText(_Listed(kind, listing.name), title, partial(tuple, shown))
        yield from self._sources.texts()

    @Slot(tuple)
    def _on_found(self, hits: tuple[SearchHit, ...]) -> None:
        self._view.add(hits)
        self._show_progress()

    @Slot()
    def _on_ended(self) -> None:
        self._show_progress()

    @Slot()
    def _on_stopped(self) -> None:
        self._search.stop()
        self._show_progress(self.tr("Stopped: {found}"))

    @Slot(str)
    def _on_failed(self, problem: str) -> None:
        self._view.show_message(problem, is_busy=False, is_problem=True)

    def _show_progress(self, frame: str = "{found}") -> None:
        search = self._search
        count = counted(search.count, self.tr("{count:,} place"), self.tr("{count:,} places"))
        texts = counted(search.texts, self.tr("{count} text"), self.tr("{count} texts"))
        message = self.tr("{places} in {texts}").format(places=count, texts=texts)
        if search.is_capped:
            message = self.tr("The first {count:,} places; there may be more").format(
                count=search.count
            )
        if search.skipped:
            message += self.tr(", too complex for {0:,} lines").format(search.skipped)
        self._view.show_message(frame.format(found=message), is_busy=search.is_busy)

    @Slot(SearchHit)
    def _on_activated(self, hit: SearchHit) -> None:
        if isinstance(hit.place, Document):
            page = self._editors.page_of(hit.place)
            if page is None:
                self._shell.status.show_message(self.tr("This tab is closed"))
                return
            self._documents.current = hit.place
            self._show(page.code_view, hit)
            self._shell.layout.bring_up(self._editors)
        elif isinstance(hit.place, _Listed):
            pane = self._listings[hit.place.kind]
            pane.choose(hit.place.name)
            self._show(pane.code_view, hit)
            self._shell.layout.bring_up(pane)
        elif callable(hit.place):
            hit.place()

    def _show(self, view: CodeView, hit: SearchHit) -> None:
        line = _line_now(view, hit)
        if line is None:
            message = self.tr("The text has changed since it was searched: search again")
            self._shell.status.show_message(message)
            line = min(hit.line, max(0, view.search_line_count() - 1))
            view.go_to(line + 1)
            return
        # A jump, which Back comes back from.
        view.go_to(line + 1)
        view.show_match(line, hit.span)


def _line_now(view: CodeView, hit: SearchHit) -> int | None:
    """Returns the line equal to the hit that is nearest to the hit's former line."""
    first = max(0, hit.line - _FARTHEST)
    lines = view.search_lines(first, 2 * _FARTHEST)
    same = [first + at for at, line in enumerate(lines) if line == hit.whole]
    return min(same, key=lambda line: abs(line - hit.line), default=None)


def _lines(raw: str | None, content: bytes) -> list[str]:
    if raw is not None:
        return raw.split("\u2029")
    return split_lines(content.decode("utf-8", "replace"))
