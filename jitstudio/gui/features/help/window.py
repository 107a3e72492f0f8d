"""A separate window with the topics of the help, to stay next to the work."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from PySide6.QtCore import QSignalBlocker, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QTextBlock, QTextCursor
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

from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.fonts import fit_dialog
from jitstudio.gui.kit.markdown import blocks_of, set_markdown
from jitstudio.gui.kit.theme import follow_theme
from jitstudio.help.manual import (
    INDEX,
    TOPIC,
    ManualPage,
    anchor_of,
    groups,
    pages,
    topic_of_name,
)
from jitstudio.help.topics import GLOSSARY, glossary, search

_SIZE = (940, 600)
_MARGIN, _LINE_SPACING = 12, 2
_PAGE, _ACTION, _WEB = ".md", "action", "https"
_TOPIC_ROLE = Qt.ItemDataRole.UserRole


class HelpWindow(QDialog):
    """Shows a page at a time, next to the list of all titles, or of the matches of a search.

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
        self._searches = Background(self)
        self._best_is_wanted = False
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
        self._titles.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list_pages()
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
        self._searches.done.connect(self._on_searched)
        self._titles.currentItemChanged.connect(self._on_title_chosen)
        self._text.anchorClicked.connect(self._on_link)
        self.show_topic(self._topic)
        # Links of a page have the colours of the theme that it was set in.
        follow_theme(self, HelpWindow.refresh)

    @property
    def topic(self) -> ManualPage:
        """The page, section or word that is shown."""
        return self._topic

    def show_topic(self, topic: ManualPage) -> None:
        """Shows a page, a section in the page or a word of the glossary, next to all pages."""
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
        page = topic_of_name(self._topic.page) if self._topic.anchor else self._topic
        assert page is not None
        text = TOPIC.sub(_topic_link, page.with_commands(self._words))
        if _is_word(page):
            text += f"\n[{self.tr('All GPU words')}]({GLOSSARY}{_PAGE})\n"
        set_markdown(self._text, text)
        if self._topic.anchor:
            self._scroll_to(self._topic.anchor)

    def _show(self, topic: ManualPage) -> None:
        self._topic = topic
        self.refresh()

    def _scroll_to(self, anchor: str) -> None:
        """Brings the heading of a section to the top."""
        blocks = blocks_of(self._text.document())
        block = next((block for block in blocks if _is_heading(block, anchor)), QTextBlock())
        place = self._text.document().documentLayout().blockBoundingRect(block)
        self._text.setTextCursor(QTextCursor(block))
        self._text.verticalScrollBar().setValue(round(place.top()))

    def _list_pages(self) -> None:
        """Lists all pages below the headings of the index."""
        with QSignalBlocker(self._titles):
            self._titles.clear()
            self._add(pages()[INDEX])
            for heading, group in groups().items():
                item = QListWidgetItem(heading, self._titles)
                item.setFlags(Qt.ItemFlag.NoItemFlags)
                font = item.font()
                font.setBold(True)
                item.setFont(font)
                for page in group:
                    self._add(page)
        self._select()

    def _list(self, topics: Iterable[ManualPage]) -> None:
        """Lists topics; the topic that is shown stays."""
        with QSignalBlocker(self._titles):
            self._titles.clear()
            for topic in topics:
                self._add(topic)
        self._select()

    def _add(self, topic: ManualPage) -> None:
        text = topic.title
        if _is_word(topic):
            text = self.tr("{word} (GPU word)").format(word=topic.title)
        elif topic.anchor:
            page = pages()[topic.page].title
            text = self.tr("{section} ({page})").format(section=topic.title, page=page)
        item = QListWidgetItem(text, self._titles)
        item.setToolTip(text)
        item.setData(_TOPIC_ROLE, topic)

    def _select(self) -> None:
        """Selects the topic that is shown in the list, or the page of that section, if listed."""
        items = (self._titles.item(row) for row in range(self._titles.count()))
        topics = [item.data(_TOPIC_ROLE) for item in items]
        rows = {topic.name: row for row, topic in enumerate(topics) if topic is not None}
        with QSignalBlocker(self._titles):
            row = rows.get(self._topic.name, rows.get(self._topic.page, -1))
            self._titles.setCurrentRow(row)

    @Slot(str)
    def _on_search_changed(self, text: str) -> None:
        self._best_is_wanted = False
        if text.strip():
            self._searches.start(lambda _stop: search(text))
        else:
            self._searches.stop()
            self._list_pages()

    @Slot(object)
    def _on_searched(self, topics: list[ManualPage]) -> None:
        self._list(topics)
        if self._best_is_wanted:
            self._on_best_wanted()

    @Slot()
    def _on_best_wanted(self) -> None:
        self._best_is_wanted = self._searches.is_busy
        if self._titles.count() and not self._best_is_wanted:
            self._titles.setCurrentRow(0)

    @Slot(QListWidgetItem)
    def _on_title_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self._show(item.data(_TOPIC_ROLE))

    @Slot(QUrl)
    def _on_link(self, link: QUrl) -> None:
        name = link.path().removesuffix(_PAGE) or self._topic.page
        anchor = f"#{link.fragment()}" if link.hasFragment() else ""
        topic = topic_of_name(f"{name}{anchor}") if link.isRelative() else None
        if topic is not None:
            self.show_topic(topic)
        elif link.scheme() == _ACTION:
            self.action_requested.emit(link.path())
        elif link.scheme() == _WEB:
            QDesktopServices.openUrl(link)


def _is_heading(block: QTextBlock, anchor: str) -> bool:
    return block.blockFormat().headingLevel() > 0 and anchor_of(block.text()) == anchor


def _topic_link(match: re.Match[str]) -> str:
    """Returns a command that prints a topic as a link to the topic."""
    topic = topic_of_name(match[1])
    if topic is None:
        return match[0]
    return f"[{match[0]}]({topic.page}{_PAGE}{f'#{topic.anchor}' if topic.anchor else ''})"


def _is_word(topic: ManualPage) -> bool:
    return glossary().get(topic.name) is topic
