import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QToolTip

from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.margin import EditorMargin
from jitstudio.gui.editor.pressure_bars import LineBar

TEXT = "\n".join(f"line {number}" for number in range(8))
BARS = {
    2: LineBar(24, 1.0, 0.9, "Line 3 of it"),
    5: LineBar(6, 0.25, 0.9, "Line 6 of it", holds=True),
}


@pytest.fixture
def editor(qtbot, dark):
    made = CodeEditor(dark)
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.setPlainText(TEXT)
    made.show()
    qtbot.waitExposed(made)
    return made


def margin(editor):
    return editor.findChild(EditorMargin)


def edit(editor, line, column, text="", removed=0):
    cursor = QTextCursor(editor.document().findBlockByNumber(line))
    cursor.setPosition(cursor.position() + column)
    cursor.setPosition(cursor.position() + removed, QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(text)


def lines(editor):
    return {line: bar.number for line, bar in editor.pressure.bars.items()}


def test_bars_take_room_only_while_they_are_wanted(editor):
    before = margin(editor).width()
    editor.pressure.show_bars({})
    assert margin(editor).width() == before + editor.pressure.width > before
    editor.pressure.show_bars(None)
    assert (margin(editor).width(), editor.pressure.width) == (before, 0)


def test_bars_are_drawn_by_their_share(editor, dark):
    editor.pressure.show_bars(BARS)
    image = margin(editor).grab().toImage()

    def colors(line):
        top = editor.visible_blocks()
        rect = next(rect for block, rect in top if block.blockNumber() == line)
        y = round(rect.top()) + editor.fontMetrics().height() // 2
        return [image.pixelColor(x, y).name() for x in range(editor.pressure.width)]

    # As long as their share, in the colour of what they cost.
    full, part = (colors(line).count(dark.step(0.9).name()) for line in (2, 5))
    assert full == pytest.approx(4 * part, abs=3)
    assert part > 4
    # A line that holds the peak has a frame.
    assert dark.code.margin_current.name() in colors(5)
    assert dark.step(0.9).name() not in colors(3)


def test_a_bar_is_told_by_the_mouse(editor):
    editor.pressure.show_bars(BARS)
    strip = margin(editor)
    at = QPoint(5, round(2.5 * editor.fontMetrics().height()) + 4)
    QApplication.sendEvent(strip, QHelpEvent(QEvent.Type.ToolTip, at, strip.mapToGlobal(at)))
    assert "Line 3 of it" in QToolTip.text()
    assert editor.pressure.tip(3) == ""
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
def test_bars_stay_with_their_lines(editor, line, column, text, removed, expected):
    editor.pressure.show_bars(BARS)
    edit(editor, line, column, text, removed)
    assert lines(editor) == expected


def test_a_wide_number_makes_a_wide_strip(editor):
    editor.pressure.show_bars(BARS)
    before = editor.pressure.width
    editor.pressure.show_bars({1: LineBar(12345, 1.0, 0.0, "")})
    assert editor.pressure.width > before
