"""The tabs of the open documents, and the page of each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QMenu,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from jitstudio.core.code import CodeKind
from jitstudio.core.wrapping import filled
from jitstudio.gui.code.languages import icon_name
from jitstudio.gui.editor.marks import DiagnosticMark
from jitstudio.gui.editor.source_page import EditorPage, SourcePage
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.parts import explain_by, fit_icon
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import current_theme, follow_theme
from jitstudio.gui.state.documents import Document, Documents

if TYPE_CHECKING:
    # The window comes up without any.
    from jitstudio.core.diagnostics import Diagnostic

# What Qt calls the buttons that scroll the tabs.
_SCROLLERS = ("ScrollLeftButton", "ScrollRightButton")
_SIDE = QTabBar.ButtonPosition.RightSide
_TOOLTIP_WIDTH = 80
_CLOSE_SIDE = 12
_UNSAVED = " ●"
_OWN_OPTIONS = " ◆"


class EditorTabs(QTabWidget):
    """Shows the documents in their order; documents decide, tabs follow.

    One more tab may be among them, the home: it is there while no document is open, and next to
    the documents where it was asked for. No document is current while the home is.

    Signals:
        close_requested: The user wants this document closed.
        menu_requested: The user wants the menu of this document, at this place.
        refused: An input was not taken; with the reason.
        cursor_moved: To this line and column of the current tab, counted from 1.
        jumped: The cursor of a tab went to a place that a command asked for.
        font_size_changed: The user has zoomed to this size in points.
    """

    close_requested = Signal(Document)
    menu_requested = Signal(Document, QPoint)
    refused = Signal(str)
    cursor_moved = Signal(int, int)
    font_size_changed = Signal(float)
    jumped = Signal()

    def __init__(self, documents: Documents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("editorTabs")
        explain_by(self, "editor")
        self.setAccessibleName(self.tr("Source tabs"))
        self.setDocumentMode(True)
        self.setMovable(True)
        # A name cut to "vec…u" says nothing: rather scroll the tabs.
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setUsesScrollButtons(True)
        self._documents = documents
        self._font_size = 0.0
        self._commands: list[QAction] = []
        self._list = self._add_list()
        self.tabBar().setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tabBar().customContextMenuRequested.connect(self._on_menu_requested)
        self._home: QWidget | None = None
        self._home_icon = ""
        self._home_stays = False
        documents.added.connect(self._on_added)
        documents.removed.connect(self._on_removed)
        documents.changed.connect(self._on_changed)
        documents.moved.connect(self._on_moved)
        documents.current_changed.connect(self._on_current_document_changed)
        self.currentChanged.connect(self._on_current_tab_changed)
        follow_theme(self, EditorTabs._apply_theme)
        self.tabBar().tabMoved.connect(self._on_tab_moved)

    @property
    def page(self) -> SourcePage | None:
        """The current tab."""
        page = self.currentWidget()
        return page if isinstance(page, SourcePage) else None

    def pages(self) -> list[SourcePage]:
        """Returns all tabs, in their order."""
        pages = (self.widget(index) for index in range(self.count()))
        return [page for page in pages if isinstance(page, SourcePage)]

    def page_of(self, document: Document) -> SourcePage | None:
        """Returns the tab of a document."""
        return next((page for page in self.pages() if page.document is document), None)

    def position(self) -> tuple[int, int]:
        """Line and column of the cursor of the current tab, counted from 1; zeros without a tab."""
        return self.page.position() if self.page else (0, 0)

    def set_commands(self, commands: list[QAction]) -> None:
        """Lets the keys of commands hold in all editors, present and future."""
        self._commands = commands
        for page in self.pages():
            if page.editor is not None:
                page.editor.addActions(commands)

    def set_home(self, home: QWidget, icon_name: str) -> None:
        """Shows `home` where no document is open; the window title of `home` names the tab."""
        self._home, self._home_icon = home, icon_name
        self._follow_home()

    def add_home(self) -> None:
        """Keeps the home open next to documents, too."""
        self._home_stays = True
        self._follow_home()

    def show_home(self) -> None:
        """Makes the home the current tab."""
        self.add_home()
        if self._home is not None:
            self.setCurrentWidget(self._home)

    def close_home(self) -> None:
        """Keeps the home open only while no document is."""
        self._home_stays = False
        self._follow_home()

    @Slot()
    def close_current(self) -> None:
        """Closes the home if that is current, or asks for the current document to be closed."""
        if self.is_at_home:
            self.close_home()
        elif self.page is not None:
            self.close_requested.emit(self.page.document)

    @property
    def is_at_home(self) -> bool:
        """Whether the home is the current tab."""
        return self._home is not None and self.currentWidget() is self._home

    def set_diagnostics(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Marks each error and warning in the text of the diagnostic."""
        for page in self.pages():
            name = page.document.name
            page.set_marks(
                [
                    DiagnosticMark(d.line, d.column, d.severity, _with_explanation(d))
                    for d in diagnostics
                    if d.file == name and d.line is not None
                ]
            )

    def _apply_theme(self) -> None:
        for page in self.pages():
            self._label(page)
        self._label_home()

    @Slot(float)
    def set_font_size(self, points: float) -> None:
        """Zooms all tabs alike."""
        self._font_size = points
        for page in self.pages():
            for view, _ in page.shown:
                view.set_font_size(points)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Leaves files to the window."""
        event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        """Leaves files to the window."""
        event.ignore()

    def _label(self, page: SourcePage) -> None:
        document, index = page.document, self.indexOf(page)
        title = self._documents.title(document)
        mark = _OWN_OPTIONS if document.options is not None else ""
        self.setTabText(index, f"{title}{mark}{_UNSAVED if document.is_modified else ''}")
        path = str(document.path) if document.path else self.tr("in no file yet")
        facts = (f"{document.kind.title}, {path}", part_in_builds(document), own_options(document))
        self.setTabToolTip(index, plain_tooltip("\n".join(filter(None, facts))))
        name = icon_name(document.kind, document.is_named_as_header)
        self.setTabIcon(index, icon(name, current_theme().ui.muted_text))
        self._label_close_button(index, document.name)

    def _label_namesakes(self, document: Document) -> None:
        """Their titles depend on each other."""
        for other in self._documents.namesakes(document):
            page = self.page_of(other)
            if other is not document and page is not None:
                self._label(page)

    def _label_close_button(self, index: int, name: str) -> None:
        button = self.tabBar().tabButton(index, _SIDE)
        if isinstance(button, QToolButton):
            button.setIcon(icon("close", current_theme().ui.muted_text))
            button.setAccessibleName(self.tr("Close {name}").format(name=name))

    def _add_list(self) -> QToolButton:
        """Returns a button at the end of the tabs that lists all tabs, also tabs without room."""
        button = QToolButton(self, autoRaise=True)
        button.setObjectName("tabListButton")
        button.setToolTip(self.tr("List all tabs"))
        button.setAccessibleName(button.toolTip())
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.aboutToShow.connect(self._on_list_wanted)
        button.setMenu(menu)
        self.setCornerWidget(button, Qt.Corner.TopRightCorner)
        return button

    def _follow_home(self) -> None:
        """Adds or removes the home tab."""
        if self._home is None:
            return
        index, wanted = self.indexOf(self._home), self._home_stays or not self.pages()
        if wanted and index < 0:
            self.insertTab(0, self._home, self._home.windowTitle())
            self._add_close_button(0)
        elif not wanted and index >= 0:
            self.removeTab(index)
        self._label_home()

    def _label_home(self) -> None:
        index = self.indexOf(self._home) if self._home is not None else -1
        if index >= 0:
            self.setTabIcon(index, icon(self._home_icon, current_theme().ui.muted_text))
            self._label_close_button(index, self.tabText(index))
            # It cannot be closed while there is nothing else to look at.
            self.tabBar().tabButton(index, _SIDE).setVisible(bool(self.pages()))

    def _add_close_button(self, index: int) -> None:
        button = QToolButton(autoRaise=True)
        fit_icon(button, _CLOSE_SIDE)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setToolTip(self.tr("Close this tab"))
        button.clicked.connect(self._on_close_clicked)
        bar = self.tabBar()
        bar.setTabButton(index, _SIDE, button)
        for other in bar.findChildren(QToolButton):
            if other.objectName() in _SCROLLERS:
                # Over the buttons of tabs that end beneath them.
                other.raise_()

    @Slot(Document, int)
    def _on_added(self, document: Document, place: int) -> None:
        page = _page(document)
        page.refused.connect(self.refused)
        for view, _ in page.shown:
            if self._font_size:
                view.set_font_size(self._font_size)
            view.font_size_changed.connect(self.font_size_changed)
            view.jumped.connect(self.jumped)
        if page.editor is not None:
            page.editor.cursorPositionChanged.connect(self._on_cursor_moved)
            page.editor.addActions(self._commands)
        pages = self.pages()
        index = self.indexOf(pages[place]) if place < len(pages) else self.count()
        self.insertTab(index, page, document.name)
        self._add_close_button(index)
        self._label(page)
        self._label_namesakes(document)
        self._follow_home()

    @Slot(Document)
    def _on_removed(self, document: Document) -> None:
        page = self.page_of(document)
        if page is not None:
            focus = QApplication.focusWidget()
            had_keyboard = focus is not None and page.isAncestorOf(focus)
            self.removeTab(self.indexOf(page))
            page.deleteLater()
            self._label_namesakes(document)
            self._follow_home()
            if had_keyboard and (current := self.currentWidget()) is not None:
                current.setFocus()

    @Slot(Document)
    def _on_changed(self, document: Document) -> None:
        page = self.page_of(document)
        if page is not None:
            page.follow_kind()
            text = self.tabText(self.indexOf(page))
            before = text.removesuffix(_UNSAVED).removesuffix(_OWN_OPTIONS)
            self._label(page)
            if self._documents.title(document) != before:
                # Which of them had the same name before is not known.
                for other in self.pages():
                    self._label(other)

    @Slot()
    def _on_moved(self) -> None:
        for place, document in enumerate(self._documents):
            page, other = self.page_of(document), self.pages()[place]
            if page is not None and page is not other:
                self.tabBar().moveTab(self.indexOf(page), self.indexOf(other))

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
        if self.page is not None or self.is_at_home:
            self._documents.current = self.page.document if self.page else None
        self._on_cursor_moved()

    @Slot()
    def _on_list_wanted(self) -> None:
        menu = self._list.menu()
        menu.clear()
        for index in range(self.count()):
            # A single ampersand in a name would become a mnemonic.
            text = self.tabText(index).replace("&", "&&")
            action = menu.addAction(self.tabIcon(index), text)
            action.triggered.connect(partial(self.setCurrentIndex, index))
            if index == self.currentIndex():
                menu.setDefaultAction(action)

    @Slot(QPoint)
    def _on_menu_requested(self, place: QPoint) -> None:
        bar = self.tabBar()
        index = bar.tabAt(place)
        page = self.widget(index if index >= 0 else self.currentIndex())
        if isinstance(page, SourcePage):
            self.menu_requested.emit(page.document, bar.mapToGlobal(place))

    @Slot()
    def _on_close_clicked(self) -> None:
        button, places = self.sender(), range(self.count())
        page = self.widget(next(n for n in places if self.tabBar().tabButton(n, _SIDE) is button))
        if isinstance(page, SourcePage):
            self.close_requested.emit(page.document)
        else:
            self.close_home()

    @Slot()
    def _on_cursor_moved(self) -> None:
        self.cursor_moved.emit(*self.position())


def _page(document: Document) -> SourcePage:
    if document.text is not None:
        return EditorPage(document)
    if document.kind is CodeKind.CAPTURED:
        from jitstudio.gui.editor.captured_page import CapturedPage

        return CapturedPage(document)
    from jitstudio.gui.editor.read_only_page import ReadOnlyPage

    return ReadOnlyPage(document)


def _with_explanation(diagnostic: Diagnostic) -> str:
    # Qt wraps no tooltip of plain text by itself.
    explanation = filled(diagnostic.explanation, _TOOLTIP_WIDTH)
    return "\n\n".join(filter(None, (diagnostic.message, explanation)))


def part_in_builds(document: Document) -> str:
    """Returns how builds read a document; empty where that is plain to see."""
    if document.confined_to:
        message = QCoreApplication.translate(
            "Previews",
            "Its text is from a project that is not trusted: builds of it read the toolchain and "
            "files in {folder} only. Close the tab and open its file to build it as your own",
        )
        return message.format(folder=document.confined_to)
    if document.is_header:
        message = QCoreApplication.translate("Previews", "Builds take it from here, as '{name}'")
        return message.format(name=document.name)
    if not document.is_preview:
        return ""
    if document.text is None:
        return QCoreApplication.translate("Previews", "Builds read the file itself")
    return QCoreApplication.translate(
        "Previews", "Builds read the file itself, until you edit it here"
    )


def own_options(document: Document) -> str:
    """Returns the options that a document alone is built with; empty for those of all sources."""
    if document.options is None:
        return ""
    message = QCoreApplication.translate("Previews", "◆ Options of its own: {options}")
    none = QCoreApplication.translate("Previews", "none")
    return message.format(options=document.options or none)


def opened_message(document: Document) -> str:
    """Returns the message after a preview has been opened."""
    message = QCoreApplication.translate("Previews", "{path} is open. {part}")
    return message.format(path=document.path, part=part_in_builds(document))
