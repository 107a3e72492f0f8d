import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QToolButton, QVBoxLayout, QWidget

from jitstudio.gui.code.find_bar import FindBar
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.kit.theme import set_current_theme
from jitstudio.gui.listing.listing_view import ListingView

TEXT = "mul mul\nadd\nMul x"
UNFOLD = "Show or hide replace"
ALT, SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier
KEY = Qt.Key


@pytest.fixture
def window(qtbot):
    made = QWidget()
    QVBoxLayout(made)
    qtbot.addWidget(made)
    made.resize(800, 400)
    return made


def shown(window, target):
    bar = FindBar()
    window.layout().addWidget(bar)
    window.layout().addWidget(target)
    bar.set_target(target)
    window.show()
    window.activateWindow()
    return bar


@pytest.fixture
def editor(window):
    made = CodeEditor(parent=window)
    made.setPlainText(TEXT)
    return made


@pytest.fixture
def bar(window, dark, editor):
    return shown(window, editor)


def button(bar, name):
    return next(b for b in bar.findChildren(QToolButton) if b.accessibleName() == name)


def press(bar, key, modifiers=NONE, field=None):
    QTest.keyClick(field or bar.field, key, modifiers)


def selected(editor):
    """The line and the text of the selected match."""
    return editor.search_start()[0], editor.textCursor().selectedText()


def test_the_bar_is_hidden_until_it_is_opened(bar, qtbot):
    assert not bar.isVisible()
    bar.open_find()
    assert bar.isVisible()
    qtbot.waitUntil(bar.field.hasFocus)
    assert not bar.replacement.isVisible()


def test_without_a_target_nothing_opens(window, qtbot):
    bar = FindBar(window)
    bar.open_find()
    bar.find_next()
    bar.replace_one()
    bar.replace_all()
    assert bar.isHidden()


def test_typing_goes_to_the_first_match_from_the_cursor(bar, editor):
    editor.go_to(2)
    bar.open_find()
    QTest.keyClicks(bar.field, "mul")
    assert selected(editor) == (2, "Mul")
    assert bar.status == "3 of 3"


def test_matches_are_walked_in_a_circle_both_ways(bar, editor):
    bar.open_find()
    bar.field.setText("mul")
    assert bar.status == "1 of 3"
    seen = []
    for _ in range(3):
        press(bar, KEY.Key_Return)
        seen.append(bar.status)
    assert seen == ["2 of 3", "3 of 3", "1 of 3"]
    press(bar, KEY.Key_Return, SHIFT)
    assert bar.status == "3 of 3"
    press(bar, KEY.Key_F3)
    assert bar.status == "1 of 3"
    press(bar, KEY.Key_F3, SHIFT)
    assert (bar.status, selected(editor)) == ("3 of 3", (2, "Mul"))


def test_the_selected_text_is_searched_for(bar, editor):
    editor.show_match(1, (0, 3))
    bar.open_find()
    assert bar.field.text() == bar.field.selectedText() == "add"
    assert bar.status == "1 of 1"


def test_opening_again_keeps_the_words_and_stays_where_the_cursor_is(bar, editor):
    bar.open_find()
    bar.field.setText("mul")
    bar.close_bar()
    editor.go_to(2)
    bar.open_find()
    assert (bar.field.text(), editor.position()) == ("mul", (2, 1))
    assert bar.status == "3 found"


def test_escape_closes_and_gives_the_keyboard_back(bar, editor, qtbot, dark):
    bar.open_find()
    bar.field.setText("mul")
    qtbot.waitUntil(bar.field.hasFocus)
    with qtbot.waitSignal(bar.closed):
        press(bar, KEY.Key_Escape)
    assert bar.isHidden()
    qtbot.waitUntil(editor.hasFocus)
    assert selected(editor) == (0, "mul")
    grounds = [s.format.background().color() for s in editor.extraSelections()]
    assert dark.code.match not in grounds


@pytest.mark.parametrize(
    ("key", "text", "status"),
    [(KEY.Key_C, "Mul", "1 of 1"), (KEY.Key_W, "x", "1 of 1"), (KEY.Key_R, "m.l", "1 of 3")],
)
def test_options_are_switched_by_keys(bar, key, text, status):
    bar.open_find()
    bar.field.setText(text)
    press(bar, key, ALT)
    assert bar.status == status


def test_nothing_found_is_told_in_red(bar, dark, light):
    bar.open_find()
    bar.field.setText("nothing like it")
    label = bar.findChild(QLabel)
    assert bar.status == label.text() == "No match"
    assert label.palette().color(QPalette.ColorRole.WindowText) == dark.marks.error
    assert not button(bar, "Next match").isEnabled()
    set_current_theme(light)
    assert label.palette().color(QPalette.ColorRole.WindowText) == light.marks.error
    bar.field.clear()
    assert bar.status == ""


def test_a_wrong_expression_is_explained(bar):
    bar.open_find()
    button(bar, "Regular expression").setChecked(True)
    bar.field.setText("(mul")
    assert bar.status.startswith("Not a valid expression: ")
    bar.field.setText("(mul)")
    assert bar.status == "1 of 3"


def test_enter_in_the_lower_field_replaces_one_match(bar, editor, qtbot):
    bar.open_find(replace=True)
    bar.field.setText("mul")
    bar.replacement.setText("fma")
    bar.replacement.setFocus()
    qtbot.waitUntil(bar.replacement.hasFocus)
    press(bar, KEY.Key_Return, field=bar.replacement)
    assert editor.toPlainText() == "fma mul\nadd\nMul x"


def test_replacing_goes_on_to_the_next_match(bar, editor, qtbot):
    bar.open_find(replace=True)
    bar.field.setText("mul")
    bar.replacement.setText("fma")
    bar.replace_one()
    qtbot.waitUntil(lambda: selected(editor) == (0, "mul"))
    assert editor.toPlainText() == "fma mul\nadd\nMul x"
    qtbot.waitUntil(lambda: bar.status == "1 of 2")
    bar.replace_one()
    qtbot.waitUntil(lambda: selected(editor) == (2, "Mul"))
    assert editor.toPlainText() == "fma fma\nadd\nMul x"


def test_a_selection_that_is_no_match_is_not_replaced(bar, editor):
    bar.open_find(replace=True)
    bar.field.setText("mul")
    editor.go_to(2)
    bar.replace_one()
    assert editor.toPlainText() == TEXT
    assert selected(editor) == (2, "Mul")


def test_replacing_all_speaks_of_groups_and_can_be_undone(bar, editor):
    bar.open_find(replace=True)
    button(bar, "Regular expression").setChecked(True)
    bar.field.setText("m(u)l")
    bar.replacement.setText(r"\1\1")
    bar.replace_all()
    assert editor.toPlainText() == "uu uu\nadd\nuu x"
    assert bar.status == "Replaced 3"
    editor.undo()
    assert editor.toPlainText() == TEXT


def test_an_edit_is_searched_again_without_moving_the_cursor(bar, editor, qtbot):
    bar.open_find()
    bar.field.setText("mul")
    editor.go_to(2)
    QTest.keyClicks(editor, "mul ")
    qtbot.waitUntil(lambda: bar.status == "4 found")
    assert editor.position() == (2, 5)


def test_the_arrow_unfolds_the_line_for_replacing(bar):
    bar.open_find()
    button(bar, UNFOLD).click()
    assert bar.replacement.isVisible()
    button(bar, UNFOLD).click()
    assert not bar.replacement.isVisible()


def test_a_listing_is_searched_but_not_replaced_in(window, dark, qtbot):
    view = ListingView()
    view.set_lines(TEXT.split("\n"), None)
    bar = shown(window, view)
    bar.open_find(replace=True)
    assert not bar.replacement.isVisible()
    assert not button(bar, UNFOLD).isVisible()
    bar.field.setText("mul")
    press(bar, KEY.Key_Return)
    assert (bar.status, view.caret.selection) == ("2 of 3", ((0, 4), (0, 7)))
    view.set_lines(["mul"], None)
    qtbot.waitUntil(lambda: bar.status == "1 found")
    press(bar, KEY.Key_Escape)
    qtbot.waitUntil(view.hasFocus)


def test_another_target_is_searched_at_once(bar, editor, qtbot, dark):
    bar.open_find()
    bar.field.setText("mul")
    other = ListingView()
    qtbot.addWidget(other)
    other.set_lines(["mul"], None)
    bar.set_target(other)
    assert bar.status == "1 found"
    assert dark.code.match not in [s.format.background().color() for s in editor.extraSelections()]
    editor.setPlainText("")
    assert bar.status == "1 found"
    bar.set_target(None)
    assert bar.status == ""


def test_every_button_says_what_it_does(bar):
    names = [b.accessibleName() for b in bar.findChildren(QToolButton)]
    assert all(names)
    assert len(set(names)) == len(names) == 9
