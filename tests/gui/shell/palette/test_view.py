import random

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListView, QMainWindow, QPlainTextEdit

from jitstudio.gui.kit.icons import icon
from jitstudio.gui.shell.palette.model import PaletteEntry
from jitstudio.gui.shell.palette.view import Palette, _parts

ENTRIES = [PaletteEntry(f"Command {n:02}", n, "Menu", enabled=n != 1) for n in range(40)]


@pytest.fixture
def palette(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    window.setCentralWidget(QPlainTextEdit("text"))
    window.resize(900, 600)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    window.centralWidget().setFocus()
    made = Palette("testPalette", "Type a command", "No command is called so", window)
    made.picked = []
    made.chosen.connect(made.picked.append)
    return made


def press(palette, *keys):
    for key in keys:
        QTest.keyClick(palette.findChild(QLineEdit, "testPaletteField"), key)


def test_letters_and_enter_choose_and_the_keyboard_goes_back(palette):
    palette.offer(ENTRIES)
    field = palette.findChild(QLineEdit, "testPaletteField")
    assert QApplication.focusWidget() is field
    QTest.keyClicks(field, "37")
    press(palette, Qt.Key.Key_Return)
    assert palette.picked == [37]
    assert palette.isHidden()
    assert QApplication.focusWidget() is palette.parentWidget().centralWidget()


def test_the_keys_of_the_list_work_in_the_field(palette):
    palette.offer(ENTRIES)
    press(palette, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_PageDown, Qt.Key.Key_Up)
    row = palette.findChild(QListView, "testPaletteList").currentIndex().row()
    assert row > 10
    press(palette, Qt.Key.Key_Enter)
    assert palette.picked == [row]


def test_entries_that_come_late_leave_the_current_one(palette):
    palette.offer(ENTRIES[5:20])
    press(palette, Qt.Key.Key_Down, Qt.Key.Key_Down)
    palette.fill(ENTRIES)
    press(palette, Qt.Key.Key_Enter)
    assert palette.picked == [7]


@pytest.mark.parametrize("seed", range(20))
def test_a_text_is_drawn_whole_with_the_letters_that_match_in_bold(seed):
    chance = random.Random(seed)
    text = "".join(chance.choices("abc ", k=chance.randint(1, 12)))
    edges = sorted(chance.sample(range(len(text) + 1), 2 * chance.randint(0, len(text) // 2)))
    spans = [*zip(edges[::2], edges[1::2], strict=True)]
    drawn = [(letter, is_bold) for part, is_bold in _parts(text, spans) for letter in part]
    bold = {at for span in spans for at in range(*span)}
    assert drawn == [(letter, at in bold) for at, letter in enumerate(text)]


def test_what_is_disabled_cannot_be_chosen(palette):
    palette.offer(ENTRIES)
    press(palette, Qt.Key.Key_Down, Qt.Key.Key_Return)
    assert palette.picked == []
    assert palette.isVisible()


def test_escape_and_a_click_elsewhere_end_it(palette):
    before = palette.parentWidget().centralWidget()
    palette.offer(ENTRIES)
    press(palette, Qt.Key.Key_Escape)
    assert palette.isHidden()
    assert QApplication.focusWidget() is before
    palette.offer(ENTRIES)
    before.setFocus(Qt.FocusReason.MouseFocusReason)
    assert palette.isHidden()
    assert palette.picked == []


def test_a_click_chooses(palette):
    palette.offer(ENTRIES)
    rows = palette.findChild(QListView, "testPaletteList")
    place = rows.visualRect(rows.model().index(2, 0)).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert palette.picked == [2]


def test_it_says_so_where_nothing_matches(palette):
    palette.offer(ENTRIES)
    high = palette.height()
    QTest.keyClicks(palette.findChild(QLineEdit, "testPaletteField"), "xyz")
    assert palette.findChild(QListView, "testPaletteList").isHidden()
    assert palette.height() < high
    press(palette, Qt.Key.Key_Return)
    assert palette.picked == []


def test_it_stays_in_the_middle_of_a_window_of_any_size(palette):
    window = palette.parentWidget()
    palette.offer(ENTRIES)
    for width in (900, 500):
        window.resize(width, 600)
        assert abs(palette.geometry().center().x() - width // 2) <= 1
        assert 0 < palette.width() < width


def test_the_widget_that_had_the_keyboard_may_be_gone(palette):
    window = palette.parentWidget()
    palette.offer(ENTRIES)
    window.takeCentralWidget().deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    press(palette, Qt.Key.Key_Escape)
    assert palette.isHidden()


def test_an_icon_is_drawn_in_the_colour_of_the_row(palette):
    palette.offer([PaletteEntry("New", 1, icon=icon("stop", QColor("#ff0000")))] * 2)
    view = palette.findChild(QListView, "testPaletteList")
    shown = view.viewport().grab().toImage()
    height = view.visualRect(view.model().index(1, 0)).top()

    def has_red(row):
        top = row * height
        places = ((x, y) for x in range(10, 26) for y in range(top, top + height))
        colors = (shown.pixelColor(x, y) for x, y in places)
        return any(color.red() > 200 and color.green() < 60 for color in colors)

    assert not has_red(0)
    assert has_red(1)
