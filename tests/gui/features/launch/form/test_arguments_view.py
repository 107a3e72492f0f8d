import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit, QToolButton

from jitstudio.core.launch.problems import SpecProblem
from jitstudio.gui.features.launch.form.arguments_view import (
    CHOOSE_FILE,
    ArgumentsTable,
    ArgumentsView,
)
from jitstudio.gui.features.launch.models.arguments_model import (
    DIRECTION,
    FILL,
    PARAMETER,
    VALUE,
    ArgumentsModel,
)
from jitstudio.gui.kit.cell_table import WordEditor
from jitstudio.gui.kit.fonts import code_font
from tests.gui.launch_kernels import APPLY, SAXPY, SAXPY_TEXTS, TICK


@pytest.fixture
def model():
    model = ArgumentsModel()
    model.set_code_font(code_font())
    return model


@pytest.fixture
def table(qtbot, model):
    table = ArgumentsTable(model)
    qtbot.addWidget(table)
    table.resize(600, 260)
    model.show(SAXPY, SAXPY_TEXTS)
    table.show()
    table.activateWindow()
    table.setFocus()
    return table


def put_cursor(table, row, column):
    table.setCurrentIndex(table.model().index(row, column))


def press(widget, key):
    QTest.keyClick(widget, key)
    QApplication.processEvents()


def editor(table):
    """The one editor that is open."""
    (found,) = (
        w
        for w in table.viewport().children()
        if isinstance(w, (WordEditor, QLineEdit)) and w.isVisible()
    )
    return found


def open_editor(table, row, column):
    put_cursor(table, row, column)
    press(table, Qt.Key.Key_F2)
    return editor(table)


def text_of(table, name):
    return dict(table.model().arguments)[name]


def choose(words, text):
    """As from the list of a combo box."""
    words.setCurrentIndex(words.findText(text))
    words.textActivated.emit(text)
    QApplication.processEvents()


@pytest.mark.parametrize("key", [Qt.Key.Key_F2, Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_a_value_is_edited_by_keyboard(table, qtbot, key):
    put_cursor(table, 0, VALUE)
    press(table, key)
    line = editor(table)
    assert line.text() == "2.0f"
    assert line.accessibleName() == "value of a"
    line.setText("3.5f")
    with qtbot.waitSignal(table.model().arguments_changed):
        press(line, Qt.Key.Key_Return)
    assert text_of(table, "a") == "3.5f"


def test_typing_replaces_a_value(table):
    put_cursor(table, 3, VALUE)
    press(table, Qt.Key.Key_7)
    press(editor(table), Qt.Key.Key_Return)
    assert text_of(table, "n") == "7"


def test_enter_on_a_name_edits_its_value(table):
    put_cursor(table, 0, PARAMETER)
    press(table, Qt.Key.Key_Return)
    assert editor(table).text() == "2.0f"


def test_tab_goes_through_the_cells_that_can_be_edited(table):
    open_editor(table, 0, VALUE)
    visited = []
    for _ in range(4):
        press(editor(table), Qt.Key.Key_Tab)
        index = table.currentIndex()
        visited.append((index.row(), index.column()))
    assert visited == [(1, VALUE), (1, FILL), (1, DIRECTION), (2, VALUE)]
    press(editor(table), Qt.Key.Key_Backtab)
    assert table.currentIndex() == table.model().index(1, DIRECTION)


def test_tab_ends_behind_the_last_cell(table, qtbot):
    open_editor(table, 3, VALUE)
    press(editor(table), Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: table.state() is table.State.NoState)
    assert table.hasFocus()


def test_escape_leaves_a_text_alone(table):
    line = open_editor(table, 0, VALUE)
    line.setText("9")
    press(line, Qt.Key.Key_Escape)
    assert text_of(table, "a") == "2.0f"


def test_a_fill_can_be_typed_with_its_numbers(table):
    words = open_editor(table, 1, FILL)
    assert words.currentText() == "random(1)"
    words.setEditText("random(7,-1,1)")
    press(words, Qt.Key.Key_Return)
    assert text_of(table, "x") == "n:random(7,-1,1)"


def test_a_fill_that_needs_a_number_waits_for_it(table):
    words = open_editor(table, 1, FILL)
    choose(words, "constant(1)")
    assert words.lineEdit().selectedText() == "1"
    assert text_of(table, "x") == "n:random(1)"
    words.lineEdit().insert("2.5")
    press(words, Qt.Key.Key_Return)
    assert text_of(table, "x") == "n:constant(2.5)"


def test_a_word_that_says_it_all_is_taken_at_once(table):
    choose(open_editor(table, 1, FILL), "range")
    assert text_of(table, "x") == "n:range"
    choose(open_editor(table, 1, DIRECTION), "inout")
    assert text_of(table, "x") == "n:range:inout"


def test_the_arrows_open_the_list_of_words(table):
    words = open_editor(table, 2, DIRECTION)
    press(words, Qt.Key.Key_Down)
    assert words.view().isVisible()
    press(words.view(), Qt.Key.Key_Down)
    press(words.view(), Qt.Key.Key_Return)
    assert text_of(table, "y") == "n:zeros:inout"


def test_opening_an_editor_does_not_write_the_default_down(table):
    table.model().show(SAXPY, {"x": "n"})
    press(open_editor(table, 1, DIRECTION), Qt.Key.Key_Return)
    press(open_editor(table, 1, FILL), Qt.Key.Key_Return)
    assert text_of(table, "x") == "n"


def test_a_struct_has_one_wide_cell_with_its_fields_as_an_example(table):
    table.model().show(APPLY, {})
    assert table.columnSpan(1, VALUE) == 3
    assert table.columnSpan(0, VALUE) == 1
    assert open_editor(table, 1, VALUE).placeholderText() == "{x=0, y=0}"


def test_another_kernel_has_other_wide_cells(table):
    table.model().show(APPLY, {})
    table.model().show(SAXPY, SAXPY_TEXTS)
    assert [table.columnSpan(row, VALUE) for row in range(4)] == [3, 1, 1, 3]


def test_no_row_of_a_short_list_is_out_of_sight(table):
    last = table.visualRect(table.model().index(3, VALUE))
    assert table.viewport().rect().contains(last)


def test_a_narrow_table_leaves_the_type_out(table):
    table.resize(360, 260)
    assert table.isColumnHidden(1)
    table.resize(700, 260)
    assert not table.isColumnHidden(1)


def test_nothing_is_chosen_until_the_table_has_the_keyboard(qtbot, model):
    table = ArgumentsTable(model)
    qtbot.addWidget(table)
    model.show(SAXPY, SAXPY_TEXTS)
    assert not table.selectionModel().hasSelection()
    table.show()
    table.activateWindow()
    table.setFocus()
    qtbot.waitUntil(table.hasFocus)
    assert table.selectedIndexes() == [model.index(0, VALUE)]


def test_a_file_is_asked_for_by_its_word(table, qtbot):
    words = open_editor(table, 1, FILL)
    with qtbot.waitSignal(table.cells.file_wanted) as wanted:
        choose(words, CHOOSE_FILE)
    assert wanted.args == [1]
    assert text_of(table, "x") == "n:random(1)"


def test_an_editor_fills_its_cell_and_a_fill_has_more_room(table):
    index = table.model().index(0, VALUE)
    assert open_editor(table, 0, VALUE).geometry() == table.visualRect(index)
    press(editor(table), Qt.Key.Key_Escape)
    words = open_editor(table, 1, FILL)
    assert words.width() > table.columnWidth(FILL)
    assert words.geometry().right() < table.viewport().width()


def test_editors_carry_names_for_screen_readers(table):
    assert open_editor(table, 1, FILL).accessibleName() == "fill of x"


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
    put_cursor(view.table, 0, VALUE)
    assert not file_button(view).isEnabled()
    put_cursor(view.table, 1, VALUE)
    assert file_button(view).isEnabled()
    assert file_button(view).text() == "Fill 'x' from file…"


def test_a_file_is_asked_for_without_waiting(view, qtbot):
    put_cursor(view.table, 2, VALUE)
    file_button(view).click()
    dialog = view.findChild(QFileDialog)
    assert dialog.isVisible()
    assert dialog.windowTitle() == "Fill 'y' from a file"
    with qtbot.waitSignal(view.arguments_changed):
        dialog.fileSelected.emit("/data/in (1).npy")
    assert text_of(view.table, "y") == "n:file(/data/in (1).npy):out"
    dialog.reject()


def test_the_word_for_a_file_asks_for_it(view):
    put_cursor(view.table, 1, FILL)
    press(view.table, Qt.Key.Key_F2)
    words = view.table.findChild(WordEditor)
    words.textActivated.emit(CHOOSE_FILE)
    dialog = view.findChild(QFileDialog)
    assert text_of(view.table, "x") == "n:random(1)"
    dialog.fileSelected.emit("/data/in.npy")
    assert text_of(view.table, "x") == "n:file(/data/in.npy)"
    dialog.reject()


def test_a_file_for_a_kernel_that_is_gone_fills_nothing(view):
    view.choose_file(1)
    dialog = view.findChild(QFileDialog)
    view.show_form(APPLY, (("y", "n"),))
    dialog.fileSelected.emit("/data/in.npy")
    assert text_of(view.table, "y") == "n"
    dialog.reject()


def test_problems_are_said_below_in_the_order_of_the_rows(view):
    view.show_problems(
        (
            SpecProblem("arguments.n", "'m' is not an argument.", "Did you mean n?"),
            SpecProblem("block", "Too many threads."),
            SpecProblem("arguments.a", "'two' is not a number."),
        )
    )
    said = label(view, "argumentsProblem")
    assert said.text() == "'two' is not a number.\n'm' is not an argument. Did you mean n?"
    assert said.isVisible()
    view.show_problems(())
    assert not said.isVisible()


def test_problems_leave_an_open_editor_alone(view):
    put_cursor(view.table, 3, VALUE)
    press(view.table, Qt.Key.Key_F2)
    line = view.table.viewport().findChild(QLineEdit)
    line.setText("half-typed")
    view.show_problems((SpecProblem("arguments.n", "Wrong."),))
    assert line.isVisible()
    assert line.text() == "half-typed"


def test_one_click_on_an_arrow_opens_its_list(table, qtbot):
    cell = table.visualRect(table.model().index(1, FILL))
    arrow = cell.center()
    arrow.setX(cell.right() - 8)
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=arrow)
    qtbot.waitUntil(lambda: editor(table).view().isVisible())
    words = editor(table)
    words.hidePopup()
    assert words.count() > 1
    choose(words, words.itemText(0))
    assert words.itemText(0) in table.model().index(1, FILL).data()


def test_a_click_beside_the_arrow_chooses_the_cell(table):
    cell = table.visualRect(table.model().index(1, FILL))
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell.center())
    assert table.currentIndex().column() == FILL
    assert not table.viewport().findChildren(WordEditor)
