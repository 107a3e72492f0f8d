"""A separate window with the topics of the help, to stay next to the work."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QSignalBlocker, Qt, QUrl, Signal, Slot
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
from jitstudio.help.manual import INDEX, ManualPage, pages
from jitstudio.help.topics import GLOSSARY, glossary, search

_SIZE = (940, 600)
_MARGIN, _LINE_SPACING = 12, 2
_PAGE, _ACTION, _WEB = ".md", "action", "https"
_TOPIC_ROLE = Qt.ItemDataRole.UserRole


class HelpWindow(QDialog):
    """Shows a page at a time, next to the list of all titles, or of what a search has found.

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
        self._topic = pages()[INDEX]
        self._search = QLineEdit(clearButtonEnabled=True)
        self._search.setObjectName("helpSearch")
        self._search.setPlaceholderText(self.tr("Search help"))
        self._search.setAccessibleName(self.tr("Search help"))
        self._search.setWhatsThis(
            self.tr(
                "Lists the pages and GPU words that fit, the best first. Enter shows the first."
            )
        )
        self._titles = QListWidget()
        self._titles.setObjectName("helpTitles")
        self._titles.setAccessibleName(self.tr("Pages"))
        self._titles.setWhatsThis(self.tr("All pages of the help."))
        self._titles.setSpacing(_LINE_SPACING)
        self._list(pages().values())
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
        self._search.returnPressed.connect(self._on_best_wanted)
        self._titles.currentItemChanged.connect(self._on_title_chosen)
        self._text.anchorClicked.connect(self._on_link)
        self.show_page(INDEX)
        # Links of a page have the colours of the theme that it was set in.
        follow_theme(self, HelpWindow.refresh)

    @property
    def page(self) -> str:
        """The name of the page that is shown."""
        return self._topic.name

    def show_page(self, name: str) -> None:
        """Shows a page by name."""
        self.show_topic(pages()[name])

    def show_topic(self, topic: ManualPage) -> None:
        """Shows a page or a word of the glossary, next to all pages."""
        self._search.clear()
        self._show(topic)
        self._select()
        self._text.setFocus()

    def search_for(self, text: str) -> None:
        """Lists the topics that fit a text, and shows the best."""
        self._search.setText(text)
        self._search.setFocus()
        self._on_best_wanted()

    @Slot()
    def refresh(self) -> None:
        """Sets the page again."""
        text = self._topic.with_commands(self._words)
        if _is_word(self._topic):
            text += f"\n[{self.tr('All GPU words')}]({GLOSSARY}{_PAGE})\n"
        self._text.setMarkdown(text)

    def _show(self, topic: ManualPage) -> None:
        self._topic = topic
        self.refresh()

    def _list(self, topics: Iterable[ManualPage]) -> None:
        """Lists topics, with no other one shown than before."""
        with QSignalBlocker(self._titles):
            self._titles.clear()
            for topic in topics:
                word = self.tr("{word} (GPU word)").format(word=topic.title)
                item = QListWidgetItem(word if _is_word(topic) else topic.title, self._titles)
                item.setData(_TOPIC_ROLE, topic)
        self._select()

    def _select(self) -> None:
        """Makes the topic that is shown the current one of the list, if it is listed."""
        rows = range(self._titles.count())
        listed = (row for row in rows if self._titles.item(row).data(_TOPIC_ROLE) == self._topic)
        with QSignalBlocker(self._titles):
            self._titles.setCurrentRow(next(listed, -1))

    @Slot(str)
    def _on_search_changed(self, text: str) -> None:
        self._list(search(text) if text.strip() else pages().values())

    @Slot()
    def _on_best_wanted(self) -> None:
        if self._titles.count():
            self._titles.setCurrentRow(0)

    @Slot(QListWidgetItem)
    def _on_title_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self._show(item.data(_TOPIC_ROLE))

    @Slot(QUrl)
    def _on_link(self, link: QUrl) -> None:
        name = link.path().removesuffix(_PAGE)
        if link.isRelative() and name in pages():
            self.show_page(name)
        elif link.scheme() == _ACTION:
            self.action_requested.emit(link.path())
        elif link.scheme() == _WEB:
            QDesktopServices.openUrl(link)


def _is_word(topic: ManualPage) -> bool:
    return glossary().get(topic.name) is topic
