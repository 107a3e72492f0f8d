from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit

from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.gui.features.launch.form.launch_form import CheckForm
from tests.gui.launch_kernels import FULL, SAXPY


@pytest.fixture
def form(qtbot):
    form = CheckForm()
    qtbot.addWidget(form)
    form.show()
    return form


def lines(form):
    return form.findChild(QPlainTextEdit, "expectationsField")


@pytest.mark.parametrize("spec", [FULL, LaunchSpec(), LaunchSpec(expectations=("a = 1", "b = 2"))])
def test_gives_back_what_it_shows(form, spec, qtbot):
    with qtbot.assertNotEmitted(form.changed):
        form.show_spec(spec)
    bare = LaunchSpec(relative=9.0, absolute=9.0)
    wanted = replace(
        bare, expectations=spec.expectations, relative=spec.relative, absolute=spec.absolute
    )
    assert form.apply_to(bare) == wanted


def test_each_line_is_an_expectation(form, qtbot):
    with qtbot.waitSignal(form.changed):
        QTest.keyClicks(lines(form), "y = a * x")
    QTest.keyClick(lines(form), Qt.Key.Key_Return)
    QTest.keyClick(lines(form), Qt.Key.Key_Return)
    QTest.keyClicks(lines(form), " z = x ")
    assert form.apply_to(LaunchSpec()).expectations == ("y = a * x", "z = x")


def test_showing_the_same_keeps_what_is_being_typed(form):
    QTest.keyClicks(lines(form), "y = a ")
    form.show_spec(form.apply_to(LaunchSpec()))
    assert lines(form).toPlainText() == "y = a "


def test_the_example_is_about_this_kernel(form):
    assert lines(form).placeholderText() == "out = out * out + 1"
    form.show_form(SAXPY)
    assert lines(form).placeholderText() == "y = x * x + 1"


@pytest.mark.parametrize("text", ["", "often", "-1", "inf"])
def test_a_tolerance_that_is_none_is_said_and_not_taken(form, text):
    field = form.findChild(QLineEdit, "relativeField")
    field.setText(text + " ")
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    told = form.findChild(QLabel, "relativeProblem")
    assert told.text() == f"Relative tolerance: '{text}' is no number from 0 on."
    assert told.isVisible()
    assert form.apply_to(LaunchSpec()).relative == 1e-5


def test_problems_of_expectations_stand_below_them(form):
    form.show_problems((SpecProblem("expectations", "'z' is no buffer.", "Write y."),))
    assert form.findChild(QLabel, "expectationsProblem").text() == "'z' is no buffer. Write y."


def test_tab_leaves_the_lines(form):
    form.activateWindow()
    lines(form).setFocus()
    QTest.keyClick(lines(form), Qt.Key.Key_Tab)
    assert QApplication.focusWidget().objectName() == "relativeField"
