import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QToolButton

from jitstudio.gui.kit.theme import set_current_theme
from jitstudio.gui.shell.notice_bar import NoticeAction, NoticeBar


@pytest.fixture
def bar(qtbot):
    bar = NoticeBar()
    qtbot.addWidget(bar)
    return bar


def test_nothing_to_tell_is_nothing_to_see(bar):
    assert bar.isHidden()
    assert bar.text == ""


def test_messages_gather_and_the_same_one_is_told_once(bar):
    for message in ("one", "two", "one"):
        bar.show_message(message)
    assert not bar.isHidden()
    assert bar.text == "two\none"


def test_a_question_has_a_line_and_buttons_of_its_own(bar):
    done = []
    bar.show_message("plain")
    bar.ask("files", "Reload?", [NoticeAction("yes", "Reload", lambda: done.append("yes"))])
    bar.ask("files", "Reload both?", [NoticeAction("yes", "Reload", lambda: done.append("both"))])
    assert bar.text == "plain\nReload both?"
    bar.show()
    button = next(b for b in bar.findChildren(QPushButton, "yes") if b.isVisible())
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert done == ["both"]
    bar.withdraw("files")
    assert bar.text == "plain"
    bar.withdraw("files")
    bar.withdraw("plain")
    assert bar.isHidden()


def test_notices_are_dismissed_one_by_one_or_all_at_once(bar, qtbot):
    """By keyboard alone, and however many there are."""
    bar.resize(400, 300)
    left = []
    bar.left.connect(lambda: left.append(True))
    bar.show()
    bar.activateWindow()
    notices = [f"notice {number}" for number in range(30)]
    for notice in notices:
        bar.show_message(notice)
    assert bar.text.split("\n") == notices
    assert bar._scroll.height() <= bar.window().height() // 2
    last = bar._rows["notice 29"]
    qtbot.waitUntil(lambda: not last.visibleRegion().isEmpty())
    bar._rows["notice 1"].take_keyboard()
    for _ in range(2):
        QTest.keyClick(bar.focusWidget(), Qt.Key.Key_Space)
    assert bar.text.split("\n") == [notices[0], *notices[3:]]
    assert left == []
    everything = bar.findChild(QPushButton, "dismissNotices")
    everything.setFocus()
    QTest.keyClick(everything, Qt.Key.Key_Space)
    assert (bar.isHidden(), bar.text, left) == (True, "", [True])
    bar.show_message("only one")
    assert not everything.isVisible()


def test_the_bar_is_not_seen_again_while_all_are_dismissed(bar, qtbot):
    class Shows(QObject):
        count = 0

        def eventFilter(self, _watched, event):
            self.count += event.type() == QEvent.Type.Show
            return False

    for number in range(5):
        bar.show_message(f"notice {number}")
    shows = Shows()
    bar.installEventFilter(shows)
    bar.findChild(QPushButton, "dismissNotices").click()
    assert (bar.isHidden(), bar.text, shows.count) == (True, "", 0)
    bar.show_message("another")
    assert (bar.text, shows.count) == ("another", 1)


def test_each_line_can_be_closed(bar, dark_theme):
    bar.show_message("plain")
    bar.ask("files", "Reload?")
    set_current_theme(dark_theme)
    bar.show()
    closing = [b for b in bar.findChildren(QToolButton) if b.isVisible()]
    assert [b.accessibleName() for b in closing] == ["Close this message"] * 2
    closing[0].click()
    assert bar.text == "Reload?"
    closing[1].click()
    assert bar.isHidden()
