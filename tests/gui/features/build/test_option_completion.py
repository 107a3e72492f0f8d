import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from jitstudio.gui.features.build.option_completion import attach


@pytest.fixture
def edit(qtbot):
    edit = QLineEdit()
    qtbot.addWidget(edit)
    edit.resize(700, 30)
    edit.show()
    edit.activateWindow()
    edit.setFocus()
    return edit


@pytest.fixture
def completer(edit):
    return attach(edit)


def offered(completer):
    model = completer.popup.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def take(completer, row):
    for _ in range(row + 1):
        QTest.keyClick(completer.popup, Qt.Key.Key_Down)
    QTest.keyClick(completer.popup, Qt.Key.Key_Return)


def test_the_word_at_the_cursor_is_completed(edit, completer):
    QTest.keyClicks(edit, "-G --fm")
    assert completer.popup.isVisible()
    assert offered(completer) == ["--fmad=", "--fmax-errors="]
    take(completer, 0)
    assert edit.text() == "-G --fmad="
    assert offered(completer) == ["--fmad=true", "--fmad=false"]


def test_help_stands_beside_the_word(edit, completer):
    QTest.keyClicks(edit, "--fma")
    model = completer.popup.model()
    assert model.index(0, 1).data().startswith("Fused multiply-add: Contracts")


def test_words_before_and_behind_stay(edit, completer):
    edit.setText("-G -lin -w")
    edit.setCursorPosition(len("-G -lin"))
    QTest.keyClicks(edit, "e")
    assert offered(completer) == ["-lineinfo"]
    take(completer, 0)
    assert edit.text() == "-G -lineinfo -w"


def test_a_completion_is_an_edit_of_the_user(edit, completer, qtbot):
    QTest.keyClicks(edit, "--fdevice-syn")
    with qtbot.waitSignal(edit.textEdited) as edited:
        take(completer, 0)
    assert edited.args == ["--fdevice-syntax-only"]


def test_an_address_narrows_the_choice(edit, completer):
    QTest.keyClicks(edit, "nvjitlink:-opt")
    assert offered(completer) == ["nvjitlink:-optimize-unused-variables"]


@pytest.mark.parametrize("typed", ["lineinfo", "-lineinfo=", "--frobnicate", ""])
def test_nothing_is_offered_where_nothing_fits(edit, completer, typed):
    edit.setText(typed[:-1])
    QTest.keyClicks(edit, typed[-1:])
    assert not completer.popup.isVisible()
