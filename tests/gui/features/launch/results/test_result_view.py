from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSplitter

from jitstudio.gui.features.launch.results.result_view import ResultView
from tests.gui.launches import FAILED, RAN, WRONG


@pytest.fixture
def view(qtbot):
    view = ResultView()
    qtbot.addWidget(view)
    view.resize(1000, 300)
    view.show()
    return view


def choose(view, text):
    notes = [note.text for note in view.notes]
    view.table.selectRow(next(n for n, note in enumerate(notes) if note.startswith(text)))


def test_says_what_will_appear_before_the_first_launch(view):
    assert view.objectName() == "resultView"
    assert view.headline.text == "Nothing has been run yet."
    assert "Choose a kernel" in view.table.hint


def test_how_it_ended_is_told_with_a_mark_and_in_words(view):
    view.show_result(RAN)
    assert (view.headline.mark, view.headline.text) == (
        "success",
        "saxpy<float>: Ran. The check passed.",
    )
    assert view.headline.facts.startswith("NVIDIA H200 · 32 registers")
    view.show_result(FAILED)
    assert view.headline.mark == "error"


def test_a_failed_check_shows_its_first_mismatches(view):
    view.show_result(WRONG)
    table = view.check.table
    assert view.check.figures.startswith("12 of 4,096 elements are wrong (0.29 %).")
    cells = [table.model().index(1, column).data() for column in range(3)]
    assert cells == ["4,000", "nan", "4000.5"]
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().split("\n")[1] == "5\t6.5\t5.5"
    choose(view, "other")
    assert view.check.figures == "7 values were expected for 8 elements."
    assert not table.isVisible()


def test_an_error_is_explained(view):
    view.show_result(FAILED)
    assert "belongs to no buffer" in view.explanation


def test_enter_goes_to_the_line_of_a_finding(view, qtbot):
    view.show_result(WRONG)
    choose(view, "Invalid")
    with qtbot.waitSignal(view.location_activated) as gone:
        QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert gone.args == ["saxpy.cu", 12]
    choose(view, "Race")
    with qtbot.assertNotEmitted(view.location_activated):
        QTest.keyClick(view.table, Qt.Key.Key_Return)


def test_a_note_is_copied_with_its_explanation(view):
    view.show_result(FAILED)
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("saxpy.cu:12: an illegal memory access")


def test_says_what_is_being_done(view):
    view.show_result(WRONG)
    view.show_progress("filling buffers")
    assert view.headline.text == "Running: filling buffers…"
    assert view.notes == ()


def test_nothing_to_say_is_said(view):
    view.show_result(replace(RAN, checks=()))
    assert view.table.hint.startswith("There is nothing to look at.")


def test_details_stand_beside_or_below(view):
    view.show_result(WRONG)
    splitter = view.findChild(QSplitter)
    assert splitter.orientation() == Qt.Orientation.Horizontal
    view.resize(400, 700)
    QApplication.processEvents()
    assert splitter.orientation() == Qt.Orientation.Vertical
    assert view.width() == 400
