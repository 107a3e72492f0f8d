import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from jitstudio.gui.features.welcome.card import Card


@pytest.fixture
def card(qtbot, theme):
    card = Card("Vector add", "The first kernel of everyone: c = a + b.", "cuda", theme)
    qtbot.addWidget(card)
    card.show()
    return card


def test_it_is_pressed_by_enter_space_and_mouse(card):
    pressed = []
    card.clicked.connect(lambda: pressed.append(True))
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
        QTest.keyClick(card, key)
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert len(pressed) == 4


def test_a_narrow_one_is_higher_as_its_sentence_is_wrapped(card):
    assert card.heightForWidth(160) > card.heightForWidth(600)
    assert card.accessibleName() == "Vector add"
    assert "c = a + b" in card.accessibleDescription()


def test_a_path_stays_on_one_line_and_is_whole_in_the_tool_tip(qtbot, theme):
    path = "/a/very/long/path/that/goes/on/and/on/and/on/and/on"
    card = Card("k.cu", path, "open", theme, is_path=True)
    qtbot.addWidget(card)
    assert card.heightForWidth(120) == card.heightForWidth(900)
    assert card.toolTip() == path


def test_the_frame_shows_where_the_keyboard_is(card, theme):
    card.resize(300, 60)
    card.clearFocus()
    before = card.grab().toImage().pixelColor(150, 0)
    card.setFocus()
    QTest.qWaitForWindowActive(card)
    assert card.hasFocus()
    assert card.grab().toImage().pixelColor(150, 0) != before
