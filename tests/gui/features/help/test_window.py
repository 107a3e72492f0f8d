import re

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListWidget, QTextBrowser

from jitstudio.cli.help import page_lines
from jitstudio.gui.features.help.window import HelpWindow
from jitstudio.help.manual import pages
from jitstudio.help.topics import glossary
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
    assert window.page == "index"
    window.show_page("launch")
    assert text.toPlainText().startswith("Launch\n")
    assert "runAction builds first" in text.toPlainText()


def test_the_window_shows_all_that_the_terminal_does(window):
    text = window.findChild(QTextBrowser, "helpText")
    for name, page in pages().items():
        window.show_page(name)
        shown = set(re.findall(r"\w+", text.toPlainText()))
        printed = re.sub(r"<https[^>]*>", "", " ".join(page_lines(page, 1000)))
        # Qt draws the numbers of items, topics are printed behind links, and the window puts its
        # own words in place of commands.
        others = (*map(str, range(1, 13)), *pages(), *_COMMANDS.findall(page.text))
        extra = set(re.findall(r"\w+", " ".join(others)))
        assert set(re.findall(r"\w+", printed)) - shown - extra == set(), name


def test_links_lead_to_pages_and_commands_and_nowhere_else(window):
    text = window.findChild(QTextBrowser, "helpText")
    wanted = []
    window.action_requested.connect(wanted.append)
    text.anchorClicked.emit(QUrl("kernels.md"))
    assert window.page == "kernels"
    text.anchorClicked.emit(QUrl("action:buildAction"))
    text.anchorClicked.emit(QUrl("file:///etc/passwd"))
    text.anchorClicked.emit(QUrl("nothing.md"))
    assert wanted == ["buildAction"]
    assert window.page == "kernels"


def test_the_search_leaves_the_pages_that_have_all_words(window):
    titles = window.findChild(QListWidget, "helpTitles")
    search = window.findChild(QLineEdit, "helpSearch")
    QTest.keyClicks(search, "DRUM amber")
    left = [titles.item(n).text() for n in range(titles.count()) if not titles.item(n).isHidden()]
    assert left == ["Pipeline"]
    search.clear()
    titles.setFocus()
    QTest.keyClick(titles, Qt.Key.Key_Down)
    assert window.page == [*pages()][1]


def test_the_search_lists_words_and_pages_by_fit_and_enter_shows_the_best(window):
    titles = window.findChild(QListWidget, "helpTitles")
    search = window.findChild(QLineEdit, "helpSearch")
    text = window.findChild(QTextBrowser, "helpText")
    for question, name in QUESTIONS.items():
        search.clear()
        QTest.keyClicks(search, question)
        title = glossary()[name].title
        assert titles.item(0).text() == f"{title} (GPU word)"
        QTest.keyClick(search, Qt.Key.Key_Return)
        assert text.toPlainText().startswith(f"{title}\n")
    assert search.text() == "no GPU"
    search.clear()
    assert [titles.item(n).text() for n in range(3)] == [p.title for p in [*pages().values()][:3]]
    assert titles.currentItem() is None
    window.search_for("bank conflicts")
    assert (search.text(), window.page) == ("bank conflicts", "bank-conflict")
    window.show_page("launch")
    assert (search.text(), titles.currentItem().text()) == ("", "Launch")
