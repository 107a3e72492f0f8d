import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from jitstudio.core.diagnostics import Severity
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.margin import EditorMargin
from jitstudio.gui.editor.marks import Mark

NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def editor(qtbot, dark):
    made = CodeEditor(dark)
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.setPlainText("one\ntwo\nthree\nfour")
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def margin(editor):
    return editor.findChild(EditorMargin)


def at_line(editor, line):
    return QPoint(5, round((line + 0.5) * editor.fontMetrics().height()))


def colors(widget):
    image = widget.grab().toImage()
    return {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }


def test_the_margin_leaves_room_for_the_numbers(editor, margin):
    assert margin.geometry().right() < editor.viewport().geometry().left()
    before = margin.width()
    editor.setPlainText("\n" * 20_000)
    assert margin.width() > before
    assert margin.sizeHint().width() == margin.width() == editor.viewport().x()


def test_larger_text_widens_the_margin(editor, margin):
    before = margin.width()
    editor.set_font_size(24)
    assert margin.width() > before


def test_numbers_and_signs_are_drawn_in_the_theme(editor, margin, theme):
    editor.set_theme(theme)
    seen = colors(margin)
    assert {theme.code.margin_text.name(), theme.code.margin_current.name()} <= seen
    assert theme.marks.error.name() not in seen
    editor.set_marks([Mark(2, 1, Severity.ERROR, "wrong")])
    assert theme.marks.error.name() in colors(margin)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_a_sign_tells_what_it_means(editor, margin):
    editor.set_marks([Mark(2, 1, Severity.INFO, "second"), Mark(2, 1, Severity.ERROR, "first")])
    at = at_line(editor, 1)
    QApplication.sendEvent(margin, QHelpEvent(QEvent.Type.ToolTip, at, margin.mapToGlobal(at)))
    assert "first\n\nsecond" in QToolTip.text()
    QToolTip.hideText()


def test_a_click_selects_the_line_and_a_drag_more(editor, margin):
    QTest.mousePress(margin, LEFT, NONE, at_line(editor, 1))
    assert editor.textCursor().selectedText() == "two\u2029"
    QTest.mouseMove(margin, at_line(editor, 2))
    assert editor.textCursor().selectedText() == "two\u2029three\u2029"
    QTest.mouseMove(margin, at_line(editor, 0))
    assert editor.textCursor().selectedText() == "one\u2029two\u2029"
    QTest.mouseRelease(margin, LEFT, NONE, at_line(editor, 0))
    QTest.mouseMove(margin, at_line(editor, 3))
    assert editor.textCursor().selectedText() == "one\u2029two\u2029"


def test_the_last_line_is_selected_without_an_end(editor, margin):
    QTest.mouseClick(margin, LEFT, NONE, at_line(editor, 3))
    assert editor.textCursor().selectedText() == "four"
