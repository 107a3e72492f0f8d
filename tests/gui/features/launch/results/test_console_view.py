import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QToolButton

from jitstudio.gui.features.launch.results.console_view import MOST_KEPT, ConsoleView
from jitstudio.gui.kit.text_limits import LONGEST_LINE


@pytest.fixture
def view(qtbot):
    view = ConsoleView()
    qtbot.addWidget(view)
    view.resize(600, 200)
    view.show()
    return view


def test_says_what_will_appear(view):
    assert view.objectName() == "consoleView"
    assert "printf" in view.findChild(QPlainTextEdit).placeholderText()


def test_text_comes_as_it_is_printed(view, qtbot):
    view.append_text("one\ntw")
    view.append_text("o\n")
    field = view.findChild(QPlainTextEdit)
    qtbot.waitUntil(lambda: field.toPlainText() == "one\ntwo\n")
    assert view.facts == "8 characters"


def test_the_oldest_is_dropped_by_whole_lines_and_counted(view):
    line = "x" * 99 + "\n"
    view.append_text(line * (MOST_KEPT // 100))
    view.flush()
    view.append_text(line * 10)
    assert len(view.text) <= MOST_KEPT
    assert view.text.startswith(line)
    dropped = (MOST_KEPT // 100 + 10) * 100 - len(view.text)
    assert dropped > 0
    assert f"{dropped:,} before them were dropped" in view.facts


@pytest.mark.bench
def test_a_flood_is_cut_before_it_is_drawn(view):
    for _ in range(5):
        view.append_text("y\n" * (MOST_KEPT // 2))
    assert len(view.text) <= MOST_KEPT


def test_a_line_without_end_is_broken(view):
    view.append_text("z" * (LONGEST_LINE - 1))
    view.flush()
    view.append_text("z" * (LONGEST_LINE + 2))
    lengths = [len(line) for line in view.text.split("\n")]
    assert lengths == [LONGEST_LINE, LONGEST_LINE, 1]


def test_can_be_copied_and_cleared(view):
    view.set_text("said")
    copy, clear = view.findChildren(QToolButton)
    copy.click()
    assert QGuiApplication.clipboard().text() == "said"
    clear.click()
    assert (view.text, view.facts) == ("", "")
    assert not clear.isEnabled()
