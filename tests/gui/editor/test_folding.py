"""Folding in a real editor: what is hidden, what opens it, and what keeps it."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Severity
from jitstudio.gui.code.find_bar import FindBar
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.margin import EditorMargin
from jitstudio.gui.editor.marks import DiagnosticMark
from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer

SOURCE = """\
namespace a {
void f()
{
    if (x) {
        g("}");
    }
    h();
}
}
int last;"""
F_HEAD, IF_HEAD = 2, 3


@pytest.fixture
def editor(qtbot, dark):
    made = CodeEditor(CudaCxxLexer(), kind=CodeKind.CUDA)
    qtbot.addWidget(made)
    made.resize(500, 400)
    made.setPlainText(SOURCE)
    made.show()
    qtbot.waitExposed(made)
    return made


def block(editor, line):
    return editor.document().findBlockByNumber(line)


def shown(editor):
    """The numbers of the lines in sight, from 0."""
    return [block.blockNumber() for block, _ in editor.visible_blocks()]


def test_the_innermost_block_is_folded_and_then_the_one_around_it(editor):
    editor.go_to(5)
    editor.fold()
    assert shown(editor) == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert editor.position()[0] == 4
    editor.fold()
    assert shown(editor) == [0, 1, 2, 7, 8, 9]
    assert editor.position()[0] == 3
    editor.fold()
    assert shown(editor) == [0, 8, 9]
    editor.unfold()
    editor.go_to(F_HEAD + 1)
    editor.unfold()
    # The inner fold has stayed.
    assert shown(editor) == [0, 1, 2, 3, 5, 6, 7, 8, 9]


def test_all_is_folded_and_opened_at_once(editor):
    editor.go_to(7)
    editor.fold_all()
    assert shown(editor) == [0, 8, 9]
    assert editor.textCursor().block().isVisible()
    editor.go_to(1)
    editor.unfold()
    assert shown(editor) == [0, 1, 2, 7, 8, 9]
    editor.unfold_all()
    assert shown(editor) == list(range(10))
    assert editor.toPlainText() == SOURCE


def test_the_cursor_passes_over_what_is_folded(editor):
    editor.toggle_fold(block(editor, F_HEAD))
    editor.go_to(3)
    QTest.keyClick(editor, Qt.Key.Key_Down)
    assert editor.position()[0] == 8
    QTest.keyClick(editor, Qt.Key.Key_Up)
    assert editor.position()[0] == 3
    assert shown(editor) == [0, 1, 2, 7, 8, 9]


def test_a_jump_inside_opens_it(editor):
    editor.fold_all()
    editor.go_to(5, 3)
    assert shown(editor) == list(range(10))
    assert editor.position() == (5, 3)


def test_a_match_inside_opens_it(editor, qtbot, dark):
    editor.toggle_fold(block(editor, F_HEAD))
    bar = FindBar()
    qtbot.addWidget(bar)
    bar.set_target(editor)
    bar.open_find()
    bar.field.setText("h()")
    qtbot.waitUntil(lambda: bar.status == "1 of 1")
    assert shown(editor) == list(range(10))


def test_an_edit_of_the_first_line_keeps_the_fold_as_long_as_it_opens_a_block(editor):
    editor.toggle_fold(block(editor, F_HEAD))
    editor.go_to(3, 2)
    QTest.keyClick(editor, "/")
    assert shown(editor) == [0, 1, 2, 7, 8, 9]
    QTest.keyClick(editor, Qt.Key.Key_Home)
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    assert shown(editor) == list(range(10))


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Delete])
def test_an_edit_at_the_end_of_the_first_line_opens_the_fold(editor, key):
    editor.toggle_fold(block(editor, F_HEAD))
    editor.go_to(3, 2)
    QTest.keyClick(editor, key)
    assert len(shown(editor)) == editor.blockCount()
    editor.undo()
    assert shown(editor) == list(range(10))
    assert editor.toPlainText() == SOURCE


def test_lines_above_move_a_fold_and_undo_inside_opens_it(editor):
    editor.go_to(7, 1)
    QTest.keyClick(editor, "y")
    editor.toggle_fold(block(editor, F_HEAD))
    editor.go_to(1)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert shown(editor) == [0, 1, 2, 3, 8, 9, 10]
    editor.undo()
    assert shown(editor) == [0, 1, 2, 7, 8, 9]
    editor.undo()
    assert shown(editor) == list(range(10))
    assert editor.toPlainText() == SOURCE


def test_another_text_has_no_folds(editor):
    editor.fold_all()
    editor.setPlainText("a\nb\nc")
    assert shown(editor) == [0, 1, 2]
    editor.unfold_all()
    assert shown(editor) == [0, 1, 2]


def test_a_click_on_the_mark_in_the_margin_folds_and_opens(editor, qtbot):
    qtbot.waitUntil(lambda: editor.highlighter.is_complete)
    margin = editor.findChild(EditorMargin)
    at = QPoint(margin.width() - 8, round((IF_HEAD + 0.5) * editor.fontMetrics().height()))
    QTest.mouseClick(margin, Qt.MouseButton.LeftButton, pos=at)
    # There is one line in it.
    assert shown(editor) == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    QTest.mouseClick(margin, Qt.MouseButton.LeftButton, pos=at)
    assert shown(editor) == list(range(10))
    assert not editor.textCursor().hasSelection()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_an_error_in_a_fold_is_told_at_its_first_line(editor):
    editor.toggle_fold(block(editor, F_HEAD))
    margin = editor.findChild(EditorMargin)
    at = QPoint(5, round((F_HEAD + 0.5) * editor.fontMetrics().height()))
    row = QRect(0, at.y() - 6, 20, 12)
    without = margin.grab(row).toImage()
    editor.set_marks([DiagnosticMark(5, 9, Severity.ERROR, "no such function")])
    assert margin.grab(row).toImage() != without
    QApplication.sendEvent(margin, QHelpEvent(QEvent.Type.ToolTip, at, margin.mapToGlobal(at)))
    assert "no such function" in QToolTip.text()
    QToolTip.hideText()


def test_a_click_on_the_sign_behind_the_line_opens_the_fold(editor):
    editor.toggle_fold(block(editor, F_HEAD))
    width, height = editor.fontMetrics().horizontalAdvance("0"), editor.fontMetrics().height()
    left = round(editor.contentOffset().x() + editor.document().documentMargin())
    at = QPoint(left + round(2.5 * width), round((F_HEAD + 0.5) * height))
    viewport = editor.viewport()
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=at + QPoint(9 * width, 0))
    assert shown(editor) == [0, 1, 2, 7, 8, 9]
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=at)
    assert shown(editor) == list(range(10))


def test_what_looks_like_a_brace_is_none(editor, qtbot):
    editor.setPlainText('f("{\n");\n// {\nx\nint a = {1};\n')
    qtbot.waitUntil(lambda: editor.highlighter.is_complete)
    assert [n for n in range(5) if editor.folds.can_fold(block(editor, n))] == []
