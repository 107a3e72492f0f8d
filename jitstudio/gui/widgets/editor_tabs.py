"""The tabs of the open documents."""

from __future__ import annotations

import textwrap

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar, QTabWidget, QToolButton, QWidget

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.gui.editor.marks import Mark
from jitstudio.gui.icons import icon
from jitstudio.gui.languages import icon_name
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.theme import Theme
from jitstudio.gui.viewer.painter import paint_hint
from jitstudio.gui.widgets.source_page import SourcePage

_SIDE = QTabBar.ButtonPosition.RightSide
_TOOLTIP_WIDTH = 80
_CLOSE_SIZE = QSize(12, 12)
_HINT = (
    "No source is open.\n"
    "The File menu makes a new tab (Ctrl+N), opens a file (Ctrl+O), or opens one of the samples."
)


class EditorTabs(QTabWidget):
    """Shows the documents in their order; documents decide, tabs follow.

    Signals:
        close_requested: The user wants this document closed.
        refused: An input was not taken, in words.
        cursor_moved: To this line and column of the current tab, counted from 1.
        font_size_changed: The user has zoomed to this size in points.
    """

    close_requested = Signal(Document)
    refused = Signal(str)
    cursor_moved = Signal(int, int)
    font_size_changed = Signal(float)

    def __init__(self, documents: Documents, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("editorTabs")
        self.setAccessibleName("Source tabs")
        self.setDocumentMode(True)
        self.setMovable(True)
        # A name cut to "vec…u" tells nothing: rather scroll the tabs.
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setUsesScrollButtons(True)
        self._documents = documents
        self._theme = theme
        self._font_size = 0.0
        documents.added.connect(self._on_added)
        documents.removed.connect(self._on_removed)
        documents.changed.connect(self._on_changed)
        documents.moved.connect(self._on_moved)
        documents.current_changed.connect(self._on_current_document_changed)
        self.currentChanged.connect(self._on_current_tab_changed)
        self.tabBar().tabMoved.connect(self._on_tab_moved)

    @property
    def page(self) -> SourcePage | None:
        """The current tab."""
        page = self.currentWidget()
        return page if isinstance(page, SourcePage) else None

    def pages(self) -> list[SourcePage]:
        """All tabs, in their order."""
        pages = (self.widget(index) for index in range(self.count()))
        return [page for page in pages if isinstance(page, SourcePage)]

    def page_of(self, document: Document) -> SourcePage | None:
        """The tab of a document."""
        return next((page for page in self.pages() if page.document is document), None)

    def set_diagnostics(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Mark each error and warning in the text it is about."""
        for page in self.pages():
            name = page.document.name
            page.set_marks(
                [
                    Mark(d.line, d.column, d.severity, _with_explanation(d))
                    for d in diagnostics
                    if d.file == name and d.line is not None
                ]
            )

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        for page in self.pages():
            page.set_theme(theme)
            self._label(page)

    @Slot(float)
    def set_font_size(self, points: float) -> None:
        """Zoom all tabs alike."""
        self._font_size = points
        for page in self.pages():
            for part in (page.editor, page.view):
                if part is not None:
                    part.set_font_size(points)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Say what to do where there are no tabs."""
        super().paintEvent(event)
        if not self.count():
            painter = QPainter(self)
            paint_hint(painter, self.rect(), _HINT, self._theme.ui.muted_text)
            painter.end()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Leave files to the window."""
        event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        """Leave files to the window."""
        event.ignore()

    def _label(self, page: SourcePage) -> None:
        document, index = page.document, self.indexOf(page)
        self.setTabText(index, f"{document.name}{' ●' if document.is_modified else ''}")
        path = str(document.path) if document.path else "in no file yet"
        self.setTabToolTip(index, f"{document.kind.title}, {path}")
        name = icon_name(document.kind, document.is_header)
        self.setTabIcon(index, icon(name, self._theme.ui.muted_text))
        button = self.tabBar().tabButton(index, _SIDE)
        if isinstance(button, QToolButton):
            button.setIcon(icon("close", self._theme.ui.muted_text))
            button.setAccessibleName(f"Close {document.name}")

    def _close_button(self) -> QToolButton:
        button = QToolButton(autoRaise=True)
        button.setIconSize(_CLOSE_SIZE)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setToolTip("Close this tab")
        button.clicked.connect(self._on_close_clicked)
        return button

    @Slot(Document, int)
    def _on_added(self, document: Document, place: int) -> None:
        page = SourcePage(document, self._theme)
        page.refused.connect(self.refused)
        for part in (page.editor, page.view):
            if part is not None:
                if self._font_size:
                    part.set_font_size(self._font_size)
                part.font_size_changed.connect(self.font_size_changed)
        if page.editor is not None:
            page.editor.cursorPositionChanged.connect(self._on_cursor_moved)
        self.insertTab(place, page, document.name)
        self.tabBar().setTabButton(place, _SIDE, self._close_button())
        self._label(page)

    @Slot(Document)
    def _on_removed(self, document: Document) -> None:
        page = self.page_of(document)
        if page is not None:
            self.removeTab(self.indexOf(page))
            page.deleteLater()

    @Slot(Document)
    def _on_changed(self, document: Document) -> None:
        page = self.page_of(document)
        if page is not None:
            page.follow_kind()
            self._label(page)

    @Slot()
    def _on_moved(self) -> None:
        bar = self.tabBar()
        for place, document in enumerate(self._documents):
            page = self.page_of(document)
            if page is not None and self.indexOf(page) != place:
                bar.moveTab(self.indexOf(page), place)

    @Slot(int, int)
    def _on_tab_moved(self, _start: int, _end: int) -> None:
        self._documents.reorder([page.document for page in self.pages()])

    @Slot(object)
    def _on_current_document_changed(self, document: Document | None) -> None:
        page = self.page_of(document) if document is not None else None
        if page is not None:
            self.setCurrentWidget(page)

    @Slot(int)
    def _on_current_tab_changed(self, _index: int) -> None:
        if self.page is not None:
            self._documents.current = self.page.document
        self._on_cursor_moved()

    @Slot()
    def _on_close_clicked(self) -> None:
        button = self.sender()
        for page in self.pages():
            if self.tabBar().tabButton(self.indexOf(page), _SIDE) is button:
                self.close_requested.emit(page.document)
                return

    @Slot()
    def _on_cursor_moved(self) -> None:
        line, column = self.page.position() if self.page else (0, 0)
        self.cursor_moved.emit(line, column)


def _with_explanation(diagnostic: Diagnostic) -> str:
    # Qt wraps no tooltip of plain text by itself.
    explanation = textwrap.fill(diagnostic.explanation, _TOOLTIP_WIDTH)
    return "\n\n".join(filter(None, (diagnostic.message, explanation)))
