import re

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListWidget, QTextBrowser

from jitstudio.cli.help import page_lines
from jitstudio.gui.features.help.window import HelpWindow
from jitstudio.help.manual import INDEX, groups, pages, tables, topic_of_name
from jitstudio.help.topics import find_topic, glossary
from tests.test_topics import QUESTIONS

_COMMANDS = re.compile(r"\[((?:[^\]\\]|\\.)*)\]\(action:")


@pytest.fixture
def window(qtbot):
    window = HelpWindow(lambda name: f"[{name}](action:{name})")
    qtbot.addWidget(window)
    window.show()
    return window


def test_a_page_is_shown_as_text_with_its_commands(window):
    text = window.findChild(QTextBrowser, "helpText")
    assert window.topic == pages()[INDEX]
    window.show_topic(topic_of_name("launch"))
    assert text.toPlainText().startswith("Run and time a kernel\n")
    assert "runAction builds changed text" in text.toPlainText()


def first_line_of(text):
    """The first line that is in sight."""
    return text.cursorForPosition(QPoint(5, 5)).block().text()


def test_a_section_begins_at_the_top(window):
    text = window.findChild(QTextBrowser, "helpText")
    window.show_topic(topic_of_name("window#sass"))
    assert text.toPlainText().startswith("The window\n")
    assert first_line_of(text) == "SASS"
    window.show_topic(topic_of_name("window#ptx"))
    assert first_line_of(text) == "PTX"
    text.anchorClicked.emit(QUrl("#compare"))
    assert window.topic == topic_of_name("window#compare")
    assert first_line_of(text) == "Compare"
    window.show_topic(topic_of_name("window"))
    assert text.verticalScrollBar().value() == 0


def test_a_command_that_prints_a_topic_leads_to_the_topic(window):
    text = window.findChild(QTextBrowser, "helpText")
    window.show_topic(topic_of_name("budgets"))
    assert "](conditions.md)" in text.toMarkdown()
    text.anchorClicked.emit(QUrl("conditions.md"))
    assert "live_registers" in text.toPlainText()


def test_the_window_shows_all_that_the_terminal_does(window):
    text = window.findChild(QTextBrowser, "helpText")
    everything = {**pages(), **tables()}
    topics = [link for page in everything.values() for link in page.links]
    for name, page in everything.items():
        window.show_topic(page)
        shown = set(re.findall(r"\w+", text.toPlainText()))
        printed = re.sub(r"<https[^>]*>", "", " ".join(page_lines(page, 1000)))
        # Qt draws the numbers of items, topics are printed behind links, and the window puts its
        # own words in place of commands.
        others = (*map(str, range(1, 13)), *topics, *_COMMANDS.findall(page.text))
        extra = set(re.findall(r"\w+", " ".join(others)))
        assert set(re.findall(r"\w+", printed)) - shown - extra == set(), name


def test_links_lead_to_pages_and_commands_and_nowhere_else(window):
    text = window.findChild(QTextBrowser, "helpText")
    wanted = []
    window.action_requested.connect(wanted.append)
    text.anchorClicked.emit(QUrl("limits.md#occupancy"))
    assert window.topic == topic_of_name("limits#occupancy")
    text.anchorClicked.emit(QUrl("action:buildAction"))
    text.anchorClicked.emit(QUrl("file:///etc/passwd"))
    text.anchorClicked.emit(QUrl("nothing.md"))
    assert wanted == ["buildAction"]
    assert window.topic == topic_of_name("limits#occupancy")


def test_the_search_leaves_the_pages_that_have_all_words(window, qtbot):
    titles = window.findChild(QListWidget, "helpTitles")
    search = window.findChild(QLineEdit, "helpSearch")
    QTest.keyClicks(search, "DRUM amber")
    qtbot.waitUntil(lambda: titles.count() == 1)
    assert titles.item(0).text() == "The window"
    search.clear()
    titles.setFocus()
    QTest.keyClick(titles, Qt.Key.Key_Down)
    assert window.topic is [*pages().values()][1]


def test_the_search_lists_words_and_pages_by_fit_and_enter_shows_the_best(window, qtbot):
    titles = window.findChild(QListWidget, "helpTitles")
    search = window.findChild(QLineEdit, "helpSearch")
    text = window.findChild(QTextBrowser, "helpText")
    for question, name in QUESTIONS.items():
        search.clear()
        QTest.keyClicks(search, question)
        title = find_topic(name).title
        # Before the topics are listed: the best is shown once they are.
        QTest.keyClick(search, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda title=title: text.toPlainText().startswith(f"{title}\n"))
        assert titles.item(0).text() == (f"{title} (GPU word)" if name in glossary() else title)
    assert search.text() == "no GPU"
    search.clear()
    listed = [titles.item(n).text() for n in range(titles.count())]
    assert listed[:2] == ["Help", "Learn"]
    assert [text for text in listed if text not in groups()] == [p.title for p in pages().values()]
    assert titles.currentItem().text() == "Work without a GPU"
    window.search_for("bank conflicts")
    qtbot.waitUntil(lambda: window.topic.name == "bank-conflict")
    assert search.text() == "bank conflicts"
    search.clear()
    assert titles.currentItem() is None
    window.show_topic(pages()["launch"])
    assert (search.text(), titles.currentItem().text()) == ("", "Run and time a kernel")
