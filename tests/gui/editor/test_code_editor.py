import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QHelpEvent, QPalette, QTextCursor, QTextDocument, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextDocumentLayout, QToolTip

from jitstudio.core.diagnostics import Severity
from jitstudio.gui.code.find_bar import FindBar
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.edits import duplicate_lines, indent, unindent
from jitstudio.gui.editor.marks import DiagnosticMark
from jitstudio.gui.kit.fonts import DEFAULT_SIZE
from jitstudio.gui.kit.text_limits import LONGEST_LINE
from jitstudio.gui.kit.theme import set_current_theme
from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer
from jitstudio.listing.lexers.nvvm_ir import NvvmIrLexer

KERNEL = """\
__global__ void fill(int* out, int n)
{
    int i = threadIdx.x;
    if (i < n) out[i] = i;
}
"""
NONE = Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def editor(qtbot):
    made = CodeEditor(CudaCxxLexer())
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.setPlainText(KERNEL)
    made.show()
    qtbot.waitExposed(made)
    return made


def press(editor, *keys, modifiers=NONE):
    for key in keys:
        QTest.keyClick(editor, key, modifiers)


def lines(editor):
    return editor.toPlainText().split("\n")


def pasted(text="", urls=()):
    data = QMimeData()
    if text:
        data.setText(text)
    if urls:
        data.setUrls(list(urls))
    return data


def grounds(editor, color):
    """The texts that stand on a colour, and where they begin."""
    return [
        (s.cursor.selectionStart(), s.cursor.selectedText())
        for s in editor.extraSelections()
        if s.format.background().color() == color and s.cursor.hasSelection()
    ]


# Typing.


def test_typing_a_block_indents_it(editor):
    editor.clear()
    for key in "if (x) {":
        QTest.keyClick(editor, key)
    press(editor, Qt.Key.Key_Return)
    for key in "y;":
        QTest.keyClick(editor, key)
    press(editor, Qt.Key.Key_Return)
    QTest.keyClick(editor, "}")
    assert editor.toPlainText() == "if (x) {\n    y;\n}"


def test_shift_and_enter_makes_a_line_too(editor):
    editor.setPlainText("a")
    press(editor, Qt.Key.Key_End)
    press(editor, Qt.Key.Key_Return, modifiers=SHIFT)
    assert editor.blockCount() == 2


def test_tab_and_backspace_walk_the_tab_stops(editor):
    editor.clear()
    press(editor, Qt.Key.Key_Tab, Qt.Key.Key_Tab)
    assert editor.toPlainText() == " " * 8
    press(editor, Qt.Key.Key_Backspace)
    assert editor.toPlainText() == " " * 4
    press(editor, Qt.Key.Key_Backtab, modifiers=SHIFT)
    assert editor.toPlainText() == ""


@pytest.mark.parametrize(
    ("key", "modifiers", "after"),
    [
        (Qt.Key.Key_BracketRight, CTRL, ["    a", "b"]),
        (Qt.Key.Key_K, CTRL | SHIFT, ["b"]),
        (Qt.Key.Key_Down, ALT, ["b", "a"]),
        (Qt.Key.Key_D, CTRL | SHIFT, ["a", "a", "b"]),
        (Qt.Key.Key_Down, ALT | SHIFT, ["a", "a", "b"]),
        (Qt.Key.Key_Tab, NONE, ["    a", "b"]),
        (Qt.Key.Key_Return, NONE, ["", "a", "b"]),
    ],
)
def test_each_key_is_one_step_of_undo(editor, key, modifiers, after):
    editor.setPlainText("a\nb")
    press(editor, key, modifiers=modifiers)
    assert lines(editor) == after
    editor.undo()
    assert lines(editor) == ["a", "b"]


def test_lines_are_moved_up_and_down(editor):
    editor.setPlainText("a\nb\nc")
    editor.go_to(2)
    press(editor, Qt.Key.Key_Up, modifiers=ALT)
    assert lines(editor) == ["b", "a", "c"]
    press(editor, Qt.Key.Key_Down, modifiers=ALT)
    press(editor, Qt.Key.Key_Down, modifiers=ALT | SHIFT)
    assert lines(editor) == ["a", "b", "b", "c"]


def test_the_comment_sign_is_that_of_the_language(editor):
    editor.setPlainText("ret void")
    editor.set_language(NvvmIrLexer(), ";")
    editor.toggle_comments()
    assert editor.toPlainText() == "; ret void"


def test_a_read_only_text_is_not_edited(editor):
    editor.setReadOnly(True)
    press(editor, Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_Backspace)
    assert editor.toPlainText() == KERNEL


def test_home_goes_to_the_text_first(editor):
    editor.go_to(3, 10)
    press(editor, Qt.Key.Key_Home)
    assert editor.position() == (3, 5)
    press(editor, Qt.Key.Key_Home)
    assert editor.position() == (3, 1)
    press(editor, Qt.Key.Key_Home, modifiers=SHIFT)
    assert editor.textCursor().selectedText() == "    "


# Pasting.


def test_a_paste_goes_in(editor):
    editor.clear()
    editor.insertFromMimeData(pasted("int x;\nint y;"))
    assert lines(editor) == ["int x;", "int y;"]


def test_a_paste_that_would_freeze_the_window_is_refused(editor, qtbot):
    with qtbot.waitSignal(editor.input_refused) as refused:
        editor.insertFromMimeData(pasted("x" * (LONGEST_LINE + 1)))
    assert refused.args[0].startswith("Line 1 of the text ")
    assert editor.toPlainText() == KERNEL


def test_copies_of_lines_are_undone_before_they_stall_the_window(editor, qtbot):
    text = "int x;\n" * 20_000
    editor.insertFromMimeData(pasted(text))
    editor.selectAll()
    with qtbot.waitSignal(editor.input_refused) as refused:
        editor._edit(duplicate_lines)
    assert "editor takes 30,000. Nothing was changed." in refused.args[0]
    assert editor.toPlainText().count("int x;") == 20_000


def test_all_lines_of_a_large_text_change_at_once(editor):
    text = ("    int 😀;\n" * 5_000)[:-1]
    editor.setPlainText(text)
    editor.selectAll()
    editor.toggle_comments()
    assert set(lines(editor)) == {"    // int 😀;"}
    editor._edit(unindent)
    assert set(lines(editor)) == {"// int 😀;"}
    assert editor.textCursor().selectedText().count("\u2029") == 4_999
    editor._edit(indent)
    editor.toggle_comments()
    assert editor.toPlainText() == text
    editor.go_to(3, 5)
    editor.replace_matches([(line, (8, 9), "y") for line in range(5_000)])
    assert set(lines(editor)) == {"    int y;"}
    assert editor.position() == (3, 5)
    for _ in range(5):
        editor.undo()
    assert editor.toPlainText() == text


def test_files_are_left_to_the_window(editor):
    files = pasted("file:///a.cu", [QUrl.fromLocalFile("/a.cu")])
    assert not editor.canInsertFromMimeData(files)
    assert editor.canInsertFromMimeData(pasted("text"))


# Places.


def test_a_place_counts_characters_from_1(editor):
    editor.setPlainText("a\n/* \N{ROCKET} */ b")
    editor.go_to(2, 9)
    assert editor.position() == (2, 9)
    assert editor.textCursor().positionInBlock() == 9
    editor.go_to(99, 99)
    assert editor.position() == (2, 10)
    editor.go_to(0)
    assert editor.position() == (1, 1)


def test_a_document_of_others_is_edited_in_place(qtbot):
    document = QTextDocument()
    document.setDocumentLayout(QPlainTextDocumentLayout(document))
    document.setPlainText("int x;")
    editor = CodeEditor(CudaCxxLexer(), document=document)
    qtbot.addWidget(editor)
    assert editor.document() is document
    editor.set_marks([DiagnosticMark(1, 1, Severity.ERROR, "no")])
    assert list(editor.marks.by_line()) == [0]
    QTest.keyClick(editor, "y")
    assert document.toPlainText() == "yint x;"
    assert document.defaultFont().family() == editor.font().family()


# What is highlighted.


def test_the_bracket_at_the_cursor_and_its_partner_are_shown(editor, dark):
    editor.go_to(2, 1)
    brackets = grounds(editor, dark.code.bracket)
    assert [text for _, text in brackets] == ["{", "}"]
    editor.go_to(3, 7)
    assert grounds(editor, dark.code.bracket) == []


def test_other_places_of_a_word_are_shown_after_a_pause(editor, qtbot, dark):
    editor.go_to(3, 9)
    assert grounds(editor, dark.code.occurrence) == []
    qtbot.waitUntil(lambda: len(grounds(editor, dark.code.occurrence)) == 4)
    assert {text for _, text in grounds(editor, dark.code.occurrence)} == {"i"}
    editor.go_to(3, 5)
    assert grounds(editor, dark.code.occurrence) == []


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_marks_are_underlined_and_told_under_the_mouse(editor, theme):
    editor.set_marks(
        [
            DiagnosticMark(3, 9, Severity.WARNING, "never used"),
            DiagnosticMark(1, 1, Severity.ERROR, "no"),
        ]
    )
    waves = [s.format.underlineColor() for s in editor.extraSelections()][-2:]
    assert waves == [theme.marks.warning, theme.marks.error]
    cursor = QTextCursor(editor.document().findBlockByNumber(2))
    cursor.setPosition(cursor.position() + 8)
    at = editor.cursorRect(cursor).center()
    help_event = QHelpEvent(QEvent.Type.ToolTip, at, editor.viewport().mapToGlobal(at))
    QApplication.sendEvent(editor.viewport(), help_event)
    assert "never used" in QToolTip.text()
    QToolTip.hideText()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_message_of_the_line_is_told_where_the_cursor_comes_and_by_command(editor, qtbot):
    told = []
    editor.message_changed.connect(told.append)
    editor.set_marks([DiagnosticMark(3, 9, Severity.ERROR, "no such name\n\nWhat that means.")])
    assert told == []
    editor.go_to(3)
    editor.go_to(3, 5)
    assert told == ["no such name"]
    editor.show_message()
    assert "no such name\n\nWhat that means." in QToolTip.text()
    QToolTip.hideText()
    editor.go_to(1)
    assert told == ["no such name", ""]


def test_the_colours_are_those_of_the_theme(editor, theme):
    assert editor.theme is theme
    assert editor.palette().color(QPalette.ColorRole.Base) == theme.code.background
    image = editor.viewport().grab().toImage()
    middle = editor.cursorRect().center().y()
    assert image.pixelColor(image.width() - 5, middle) == theme.code.current_line
    assert image.pixelColor(image.width() - 5, image.height() - 5) == theme.code.background


# Size.


def test_keys_and_wheel_change_the_size(editor, qtbot):
    with qtbot.waitSignal(editor.font_size_changed) as changed:
        press(editor, Qt.Key.Key_Plus, modifiers=CTRL)
    assert changed.args == [DEFAULT_SIZE + 1]
    at = QPointF(50, 50)
    button, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    turn = QWheelEvent(at, at, QPoint(), QPoint(0, -120), button, CTRL, phase, False)
    QApplication.sendEvent(editor.viewport(), turn)
    assert editor.font_size == DEFAULT_SIZE
    editor.zoom_in()
    editor.zoom_in()
    editor.zoom_out()
    assert editor.font().pointSizeF() == editor.font_size == DEFAULT_SIZE + 1
    editor.zoom_reset()
    assert editor.font_size == DEFAULT_SIZE


def test_a_tab_is_as_wide_as_an_indentation(editor):
    editor.set_font_size(20)
    assert editor.tabStopDistance() == 4 * editor.fontMetrics().horizontalAdvance(" ")


# Search.


def test_the_text_is_told_to_have_changed_but_not_its_colours(editor, qtbot, light):
    with qtbot.waitSignal(editor.search_text_changed):
        QTest.keyClick(editor, "x")
    with qtbot.assertNotEmitted(editor.search_text_changed):
        set_current_theme(light)
        qtbot.waitUntil(lambda: editor.highlighter.is_complete)


def test_lines_and_the_selection_are_given_to_a_search(editor):
    assert editor.search_line_count() == 6
    assert editor.search_lines(1, 2) == ["{", "    int i = threadIdx.x;"]
    editor.show_match(2, (8, 9))
    assert editor.search_start() == (2, 8)
    assert editor.search_selection() == "i"
    editor.selectAll()
    assert editor.search_selection() == ""


def test_matches_are_found_shown_and_replaced_as_one_step(editor, qtbot, dark):
    bar = FindBar()
    qtbot.addWidget(bar)
    bar.set_target(editor)
    bar.open_find(replace=True)
    bar.field.setText("out")
    qtbot.waitUntil(lambda: bar.status == "1 of 2")
    assert editor.textCursor().selectedText() == "out"
    assert [text for _, text in grounds(editor, dark.code.match)] == ["out", "out"]
    bar.replacement.setText("result")
    bar.replace_all()
    assert bar.status == "Replaced 2"
    assert "result[i] = i" in editor.toPlainText()
    assert "out" not in editor.toPlainText()
    editor.undo()
    assert editor.toPlainText() == KERNEL
