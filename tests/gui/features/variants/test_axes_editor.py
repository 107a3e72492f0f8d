"""The axes of a sweep, worked by keyboard."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QToolButton

from jitstudio.core.axes import AxisKind, AxisText, VariantDraft
from jitstudio.gui.features.variants.axes_editor import AxesEditor
from jitstudio.gui.features.variants.axes_model import KIND, NAME, VALUES
from jitstudio.variants.plan import PlanSize

DRAFT = VariantDraft(
    "saxpy<{T}>",
    (AxisText(values="64, 128"), AxisText(AxisKind.TEMPLATE, "T", "float, double")),
)
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def editor(qtbot):
    editor = AxesEditor()
    qtbot.addWidget(editor)
    editor.resize(800, 300)
    editor.show_draft(DRAFT)
    editor.show()
    editor.setFocus()
    return editor


def press(key, modifiers=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(QApplication.focusWidget(), key, modifiers)


def open_cell(editor, kind):
    """The editor of the cell that is being edited."""
    return next(w for w in editor.table.viewport().findChildren(kind) if w.isVisible())


def test_shows_and_gives_back_a_draft(editor):
    assert editor.draft == DRAFT
    assert [axis.title for axis in editor.axes()] == ["block", "T"]


def test_values_are_typed_into_their_cell(editor, qtbot):
    editor.table.setCurrentIndex(editor.model.index(0, VALUES))
    press(Qt.Key.Key_Return)
    line = open_cell(editor, QLineEdit)
    line.selectAll()
    QTest.keyClicks(line, "32, 96")
    with qtbot.waitSignal(editor.edited):
        QTest.keyClick(line, Qt.Key.Key_Return)
    assert editor.axes()[0].values == ("32", "96")


def test_tab_goes_past_the_name_that_a_block_has_not(editor):
    editor.table.setCurrentIndex(editor.model.index(0, KIND))
    press(Qt.Key.Key_F2)
    QTest.keyClick(open_cell(editor, QComboBox), Qt.Key.Key_Tab)
    assert editor.table.currentIndex() == editor.model.index(0, VALUES)


def test_an_axis_is_added_by_keyboard_alone(editor, qtbot):
    press(Qt.Key.Key_N, CONTROL)
    assert editor.model.rowCount() == 3
    assert editor.table.currentIndex() == editor.model.index(2, KIND)
    press(Qt.Key.Key_Return)
    kinds = open_cell(editor, QComboBox)
    QTest.keyClicks(kinds, "macro")
    QTest.keyClick(kinds, Qt.Key.Key_Tab)
    for text in ("N", "1, 2"):
        line = open_cell(editor, QLineEdit)
        QTest.keyClicks(line, text)
        QTest.keyClick(line, Qt.Key.Key_Tab)
        qtbot.wait(1)
    editor.finish_editing()
    assert editor.model.rows[2] == AxisText(AxisKind.MACRO, "N", "1, 2")


def test_axes_are_doubled_moved_and_removed_by_keys(editor):
    editor.table.setCurrentIndex(editor.model.index(1, NAME))
    press(Qt.Key.Key_D, CONTROL)
    assert [row.name for row in editor.model.rows] == ["", "T", "T"]
    press(Qt.Key.Key_Delete)
    assert editor.model.rowCount() == 2
    editor.table.setCurrentIndex(editor.model.index(1, NAME))
    press(Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert [row.name for row in editor.model.rows] == ["T", ""]
    assert editor.table.currentIndex().row() == 0


def test_what_needs_an_axis_is_disabled_without_one(editor):
    buttons = {b.text(): b for b in editor.findChildren(QToolButton)}
    buttons["Remove"].click()
    buttons["Remove"].click()
    assert editor.model.rowCount() == 0
    assert [text for text, b in buttons.items() if b.isEnabled()] == ["Add"]
    buttons["Add"].click()
    assert buttons["Duplicate"].isEnabled()


def test_the_kernel_is_edited_with_its_placeholders(editor, qtbot):
    line = editor.findChild(QLineEdit, "variantsKernel")
    line.clear()
    with qtbot.waitSignal(editor.edited):
        QTest.keyClicks(line, "k<{N}>")
    assert editor.draft.kernel == "k<{N}>"


def test_says_how_much_work_it_is_or_what_is_wrong(editor):
    editor.show_extent(PlanSize(24, 8))
    assert editor.text == "24 variants, 8 builds"
    editor.show_extent(PlanSize(4, 1))
    assert editor.text == "4 variants, 1 build"
    editor.show_problem("There is no {T}.")
    assert editor.text == "There is no {T}."
