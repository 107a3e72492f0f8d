import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit, QToolButton

from jitstudio.core.launch.problems import SpecProblem
from jitstudio.gui.features.launch.form.arguments_view import CHOOSE_FILE, ArgumentsView
from jitstudio.gui.features.launch.models.arguments_model import FILL, VALUE
from jitstudio.gui.kit.cell_table import WordEditor
from tests.gui.launch_kernels import APPLY, SAXPY, SAXPY_TEXTS, TICK

TEXTS = tuple(SAXPY_TEXTS.items())


@pytest.fixture
def view(qtbot):
    view = ArgumentsView()
    qtbot.addWidget(view)
    view.resize(600, 260)
    view.show_form(SAXPY, TEXTS)
    view.show()
    view.activateWindow()
    view.table.setFocus()
    return view


def put_cursor(view, row, column):
    view.table.setCurrentIndex(view.model.index(row, column))


def press(widget, key):
    QTest.keyClick(widget, key)
    QApplication.processEvents()


def text_of(view, name):
    return dict(view.model.arguments)[name]


def label(view, name):
    return view.findChild(QLabel, name)


def file_button(view):
    return view.findChild(QToolButton)


def test_carries_its_name(view):
    assert view.objectName() == "argumentsPane"


def test_says_what_to_do_without_a_kernel_and_without_parameters(view):
    view.show_form(None, ())
    assert view.table.hint == "Build a kernel to launch it."
    view.show_form(TICK, ())
    assert view.table.hint == "This kernel has no parameters."


def test_what_is_odd_about_a_kernel_stands_above(view):
    assert not label(view, "argumentsNotes").isVisible()
    view.show_form(APPLY, ())
    assert label(view, "argumentsNotes").text() == APPLY.notes[0]
    assert label(view, "argumentsNotes").isVisible()


def test_the_file_button_names_the_buffer_it_fills(view):
    put_cursor(view, 0, VALUE)
    assert not file_button(view).isEnabled()
    put_cursor(view, 1, VALUE)
    assert file_button(view).isEnabled()
    assert file_button(view).text() == "Fill 'x' from file…"


def test_a_file_is_asked_for_without_waiting(view, qtbot):
    put_cursor(view, 2, VALUE)
    file_button(view).click()
    dialog = view.findChild(QFileDialog)
    assert dialog.isVisible()
    assert dialog.windowTitle() == "Fill 'y' from a file"
    with qtbot.waitSignal(view.arguments_changed):
        dialog.fileSelected.emit("/data/in (1).npy")
    assert text_of(view, "y") == "n:file(/data/in (1).npy):out"
    dialog.reject()


def test_the_word_for_a_file_asks_for_it(view):
    put_cursor(view, 1, FILL)
    press(view.table, Qt.Key.Key_F2)
    words = view.table.findChild(WordEditor)
    words.textActivated.emit(CHOOSE_FILE)
    dialog = view.findChild(QFileDialog)
    assert text_of(view, "x") == "n:random(1)"
    dialog.fileSelected.emit("/data/in.npy")
    assert text_of(view, "x") == "n:file(/data/in.npy)"
    dialog.reject()


def test_a_file_for_a_kernel_that_is_gone_fills_nothing(view):
    view.choose_file(1)
    dialog = view.findChild(QFileDialog)
    view.show_form(APPLY, (("y", "n"),))
    dialog.fileSelected.emit("/data/in.npy")
    assert text_of(view, "y") == "n"
    dialog.reject()


def test_problems_are_said_below_in_the_order_of_the_rows(view):
    view.show_problems(
        (
            SpecProblem("arguments.n", "'m' is no argument.", "Did you mean n?"),
            SpecProblem("block", "Too many threads."),
            SpecProblem("arguments.a", "'two' is no number."),
        )
    )
    said = label(view, "argumentsProblem")
    assert said.text() == "'two' is no number.\n'm' is no argument. Did you mean n?"
    assert said.isVisible()
    view.show_problems(())
    assert not said.isVisible()


def test_problems_leave_an_open_editor_alone(view):
    put_cursor(view, 3, VALUE)
    press(view.table, Qt.Key.Key_F2)
    line = view.table.viewport().findChild(QLineEdit)
    line.setText("half-typed")
    view.show_problems((SpecProblem("arguments.n", "Wrong."),))
    assert line.isVisible()
    assert line.text() == "half-typed"
