import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from jitstudio.core.diagnostics import Severity
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.margin import EditorMargin, LineBar
from jitstudio.gui.editor.marks import DiagnosticMark

TEXT = "\n".join(f"line {number}" for number in range(8))
BARS = {
    2: LineBar(24, 1.0, 0.9, "Line 3 of it"),
    5: LineBar(6, 0.25, 0.9, "Line 6 of it", holds=True),
}


@pytest.fixture
def barred(qtbot):
    made = CodeEditor()
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.setPlainText(TEXT)
    made.show()
    qtbot.waitExposed(made)
    return made


def margin_of(barred):
    return barred.findChild(EditorMargin)


def edit(barred, line, column, text="", removed=0):
    cursor = QTextCursor(barred.document().findBlockByNumber(line))
    cursor.setPosition(cursor.position() + column)
    cursor.setPosition(cursor.position() + removed, QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(text)


def lines(barred):
    return {line: bar.number for line, bar in barred.pressure.bars.items()}


def test_bars_take_room_only_while_they_are_wanted(barred):
    before = margin_of(barred).width()
    barred.pressure.show_bars({})
    assert margin_of(barred).width() == before + barred.pressure.width > before
    barred.pressure.show_bars(None)
    assert (margin_of(barred).width(), barred.pressure.width) == (before, 0)


def test_bars_are_drawn_by_their_share(barred, dark):
    barred.pressure.show_bars(BARS)
    image = margin_of(barred).grab().toImage()

    def colors(line):
        top = barred.visible_blocks()
        rect = next(rect for block, rect in top if block.blockNumber() == line)
        y = round(rect.top()) + barred.fontMetrics().height() // 2
        return [image.pixelColor(x, y).name() for x in range(barred.pressure.width)]

    # As long as their share, in the colour of what they cost.
    full, part = (colors(line).count(dark.step(0.9).name()) for line in (2, 5))
    assert full == pytest.approx(4 * part, abs=3)
    assert part > 4
    # A line that holds the peak has a frame.
    assert dark.code.margin_current.name() in colors(5)
    assert dark.step(0.9).name() not in colors(3)


def test_a_bar_is_told_by_the_mouse(barred):
    barred.pressure.show_bars(BARS)
    strip = margin_of(barred)
    at = QPoint(5, round(2.5 * barred.fontMetrics().height()) + 4)
    QApplication.sendEvent(strip, QHelpEvent(QEvent.Type.ToolTip, at, strip.mapToGlobal(at)))
    assert "Line 3 of it" in QToolTip.text()
    assert barred.pressure.tip(3) == ""
    QToolTip.hideText()


@pytest.mark.parametrize(
    ("line", "column", "text", "removed", "expected"),
    [
        # Within a line nothing moves.
        (2, 3, "abc", 0, {2: 24, 5: 6}),
        # A line in front of all, and behind all.
        (0, 0, "new\n", 0, {3: 24, 6: 6}),
        (7, 6, "\nnew", 0, {2: 24, 5: 6}),
        # At its start a line moves itself, at its end it stays.
        (2, 0, "new\n", 0, {3: 24, 6: 6}),
        (2, 6, "\nnew\nnew", 0, {2: 24, 7: 6}),
        # The line break behind line 0, and a line that had a bar.
        (0, 6, "", 1, {1: 24, 4: 6}),
        (1, 6, "", 7, {4: 6}),
    ],
)
def test_bars_stay_with_their_lines(barred, line, column, text, removed, expected):
    barred.pressure.show_bars(BARS)
    edit(barred, line, column, text, removed)
    assert lines(barred) == expected


def test_a_wide_number_makes_a_wide_strip(barred):
    barred.pressure.show_bars(BARS)
    before = barred.pressure.width
    barred.pressure.show_bars({1: LineBar(12345, 1.0, 0.0, "")})
    assert barred.pressure.width > before


NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def editor(qtbot):
    made = CodeEditor()
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
    seen = colors(margin)
    assert {theme.code.margin_text.name(), theme.code.margin_current.name()} <= seen
    assert theme.marks.error.name() not in seen
    editor.set_marks([DiagnosticMark(2, 1, Severity.ERROR, "wrong")])
    assert theme.marks.error.name() in colors(margin)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_a_sign_tells_what_it_means(editor, margin):
    editor.set_marks(
        [
            DiagnosticMark(2, 1, Severity.INFO, "second"),
            DiagnosticMark(2, 1, Severity.ERROR, "first"),
        ]
    )
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
