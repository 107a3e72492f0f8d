import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QToolButton

from jitstudio.gui.features.names.view import NOT_CUDA, NamesView
from tests.gui.results import PLAIN_KERNEL, REFUSED_NAME, SAXPY, SAXPY_KERNEL

EXPRESSIONS = ("saxpy<float>", "saxpy<nothing>")


@pytest.fixture
def view(qtbot):
    view = NamesView()
    qtbot.addWidget(view)
    view.resize(800, 240)
    view.show_source("saxpy.cu", EXPRESSIONS, True, NOT_CUDA)
    view.show()
    return view


def line(view):
    return view.findChild(QLineEdit, "nameInput")


def label(view, name):
    return view.findChild(QLabel, name)


def button(view, text):
    return next(b for b in view.findChildren(QToolButton) if b.text() == text)


def build(view):
    view.show_result((SAXPY, REFUSED_NAME), (SAXPY_KERNEL, PLAIN_KERNEL))


def test_carries_its_name(view):
    assert view.objectName() == "namesView"


def test_focus_goes_to_the_table(view):
    view.activateWindow()
    view.setFocus()
    assert view.table.hasFocus()


def test_enter_adds_what_was_typed_and_is_ready_for_more(view, qtbot):
    QTest.keyClicks(line(view), "saxpy<int>")
    with qtbot.waitSignal(view.expressions_edited) as edited:
        QTest.keyClick(line(view), Qt.Key.Key_Return)
    assert edited.args == [(*EXPRESSIONS, "saxpy<int>")]
    assert line(view).text() == ""


def test_a_refused_expression_stays_in_the_line_with_the_reason(view, qtbot):
    line(view).setText("saxpy<float>")
    with qtbot.assertNotEmitted(view.expressions_edited):
        button(view, "Add").click()
    assert line(view).text() == "saxpy<float>"
    assert label(view, "namesMessage").text().startswith("“saxpy<float>” is in ")
    line(view).setText("saxpy<double>")
    assert not label(view, "namesMessage").isVisible()


def test_only_what_can_be_done_is_offered(view):
    offered = {text: button(view, text).isEnabled() for text in ("Add", "Remove", "Copy")}
    assert offered == {"Add": False, "Remove": False, "Copy": False}
    line(view).setText("x")
    view.table.selectRow(0)
    assert button(view, "Add").isEnabled()
    assert button(view, "Remove").isEnabled()
    assert not button(view, "Copy").isEnabled()
    build(view)
    assert button(view, "Copy").isEnabled()
    view.table.selectRow(2)
    assert not button(view, "Remove").isEnabled()


def test_the_context_menu_offers_the_same(view):
    view.table.selectRow(0)
    enabled = {action.text(): action.isEnabled() for action in view.table.actions()}
    assert enabled == {
        "&Edit expression": True,
        "&Remove expressions": True,
        "&Copy lowered names": False,
    }


def test_delete_removes_and_selects_the_next(view, qtbot):
    view.table.selectRow(0)
    with qtbot.waitSignal(view.expressions_edited) as edited:
        QTest.keyClick(view.table, Qt.Key.Key_Delete)
    assert edited.args == [("saxpy<nothing>",)]
    assert [index.row() for index in view.table.selectionModel().selectedRows()] == [0]


def test_enter_edits_the_expression_in_place(view, qtbot):
    view.activateWindow()
    view.table.setFocus()
    view.table.setCurrentIndex(view.model.index(0, 2))
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    editor = view.table.viewport().findChild(QLineEdit)
    assert editor.text() == "saxpy<float>"
    editor.setText("saxpy<half>")
    with qtbot.waitSignal(view.expressions_edited) as edited:
        QTest.keyClick(editor, Qt.Key.Key_Return)
    assert edited.args == [("saxpy<half>", "saxpy<nothing>")]


def test_a_result_leaves_an_open_editor_alone(view):
    view.activateWindow()
    view.table.setFocus()
    view.table.edit(view.model.index(0, 0))
    editor = view.table.viewport().findChild(QLineEdit)
    editor.setText("half-typed")
    build(view)
    assert view.table.viewport().findChild(QLineEdit) is editor
    assert editor.text() == "half-typed"


def test_the_lowered_names_are_copied(view):
    build(view)
    view.table.selectAll()
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == f"{SAXPY.lowered}\nvector_add"


def test_a_source_without_expressions_says_why(view):
    view.show_source("kernel.ptx", (), False, NOT_CUDA)
    assert label(view, "namesReason").text() == NOT_CUDA
    assert not line(view).isEnabled()
    assert view.table.hint == "The kernels of this tab are listed here after a build."
    view.show_source("saxpy.cu", (), True, NOT_CUDA)
    assert not label(view, "namesReason").isVisible()
    assert view.table.hint.startswith("No names yet.")


def test_tab_goes_from_the_line_to_the_names(view):
    view.table.selectRow(0)
    build(view)
    line(view).setText("x")
    view.activateWindow()
    line(view).setFocus()
    reached = []
    for _ in range(4):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    assert reached == [*(button(view, text) for text in ("Add", "Remove", "Copy")), view.table]
