"""A separate window with the pages of the help, to stay next to the work."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.kit.fonts import fit_dialog
from jitstudio.gui.kit.theme import follow_theme
from jitstudio.help.manual import INDEX, pages

_SIZE = (940, 600)
_MARGIN, _LINE_SPACING = 12, 2
_PAGE, _ACTION, _WEB = ".md", "action", "https"


class HelpWindow(QDialog):
    """Shows a page at a time, next to the list of all titles.

    Args:
        words: A command, by its name, in Markdown.

    Signals:
        action_requested: The user wants this command carried out.
    """

    action_requested = Signal(str)

    def __init__(self, words: Callable[[str], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("helpWindow")
        self.setWindowTitle(self.tr("Help"))
        fit_dialog(self, _SIZE)
        self._words = words
        self._search = QLineEdit(clearButtonEnabled=True)
        self._search.setObjectName("helpSearch")
        self._search.setPlaceholderText(self.tr("Search help"))
        self._search.setAccessibleName(self.tr("Search help"))
        self._search.setWhatsThis(self.tr("Shows only those pages that have all these words."))
        self._titles = QListWidget()
        self._titles.setObjectName("helpTitles")
        self._titles.setAccessibleName(self.tr("Pages"))
        self._titles.setWhatsThis(self.tr("All pages of the help."))
        self._titles.setSpacing(_LINE_SPACING)
        for page in pages().values():
            item = QListWidgetItem(page.title, self._titles)
            item.setData(Qt.ItemDataRole.UserRole, page.name)
        self._text = QTextBrowser()
        self._text.setObjectName("helpText")
        self._text.setAccessibleName(self.tr("Page"))
        self._text.setOpenLinks(False)
        self._text.document().setDocumentMargin(_MARGIN)
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._search)
        column.addWidget(self._titles, 1)
        parts = QSplitter(childrenCollapsible=False)
        parts.addWidget(side)
        parts.addWidget(self._text)
        # Whole titles, next to their scroll bar.
        bar = self._titles.verticalScrollBar().sizeHint().width() + 2 * self._titles.frameWidth()
        wide = self._titles.sizeHintForColumn(0) + bar + _MARGIN
        parts.setSizes((wide, _SIZE[0] - wide))
        parts.setStretchFactor(1, 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        outer.addWidget(parts)
        self._search.textChanged.connect(self._on_search_changed)
        self._titles.currentItemChanged.connect(self._on_title_chosen)
        self._text.anchorClicked.connect(self._on_link)
        self.show_page(INDEX)
        # Links of a page have the colours of the theme that it was set in.
        follow_theme(self, HelpWindow.refresh)

    @property
    def page(self) -> str:
        """The name of the page that is shown."""
        return str(self._titles.currentItem().data(Qt.ItemDataRole.UserRole))

    def show_page(self, name: str) -> None:
        """Shows a page by name."""
        self._search.clear()
        self._titles.setCurrentRow(list(pages()).index(name))
        self._text.setFocus()

    @Slot()
    def refresh(self) -> None:
        """Sets the page again."""
        self._text.setMarkdown(pages()[self.page].with_commands(self._words))

    @Slot(str)
    def _on_search_changed(self, text: str) -> None:
        wanted = text.casefold().split()
        for row, page in enumerate(pages().values()):
            self._titles.item(row).setHidden(not all(word in page.folded for word in wanted))

    @Slot()
    def _on_title_chosen(self) -> None:
        self.refresh()

    @Slot(QUrl)
    def _on_link(self, link: QUrl) -> None:
        name = link.path().removesuffix(_PAGE)
        if link.isRelative() and name in pages():
            self.show_page(name)
        elif link.scheme() == _ACTION:
            self.action_requested.emit(link.path())
        elif link.scheme() == _WEB:
            QDesktopServices.openUrl(link)
