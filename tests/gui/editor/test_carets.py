"""Several carets: marked texts have `|` at each caret, and `^` where its selection begins."""

import time

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jitstudio.gui.editor.carets import MOST
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.kit.text_limits import LARGEST_TEXT
from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT, NONE = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.NoModifier
KEEP = QTextCursor.MoveMode.KeepAnchor
KEY = Qt.Key


@pytest.fixture
def editor(qtbot):
    made = CodeEditor(CudaCxxLexer())
    qtbot.addWidget(made)
    made.resize(700, 400)
    made.show()
    qtbot.waitExposed(made)
    made.setFocus()
    return made


def units(text):
    return len(text.encode("utf-16-le")) // 2


def put(editor, marked):
    plain, ends, anchors = "", [], {}
    for char in marked:
        if char == "^":
            anchors[len(ends)] = units(plain)
        elif char == "|":
            ends.append(units(plain))
        else:
            plain += char
    editor.setPlainText(plain)
    editor.document().clearUndoRedoStacks()
    cursors = []
    for number, end in enumerate(ends):
        cursor = editor.textCursor()
        cursor.setPosition(anchors.get(number, end))
        cursor.setPosition(end, KEEP)
        cursors.append(cursor)
    editor.carets.set_all(cursors)


def shown(editor):
    """The text with its carets marked, and selections by `^` where they begin."""
    marks = []
    for caret in editor.carets._all():
        cursor = caret.cursor
        marks.append((cursor.position(), "|"))
        if cursor.hasSelection():
            marks.append((cursor.anchor(), "^"))
    data = editor.toPlainText().encode("utf-16-le")
    for at, sign in sorted(marks, reverse=True):
        data = data[: 2 * at] + sign.encode("utf-16-le") + data[2 * at :]
    return data.decode("utf-16-le")


def press(editor, *keys, modifiers=NONE):
    for key in keys:
        QTest.keyClick(editor, key, modifiers)


@pytest.mark.parametrize(
    ("before", "keys", "modifiers", "after"),
    [
        ("|a\n|b", "x", NONE, "x|a\nx|b"),
        ("^a||b\n|c", "x", NONE, "x|b\nx|c"),
        ("^ab|^ab|", "x", NONE, "x|x|"),
        ("😀|\n😀 |", "x", NONE, "😀x|\n😀 x|"),
        ("f|\ng|", "(", NONE, "f(|)\ng(|)"),
        ("^a|+^b|", "(", NONE, "(^a|)+(^b|)"),
        ("ab|\ncd|", [KEY.Key_Backspace], NONE, "a|\nc|"),
        ("|ab\n|cd", [KEY.Key_Delete], NONE, "|b\n|d"),
        ("        |a\n    |b", [KEY.Key_Backspace], NONE, "    |a\n|b"),
        ("int a|\nint b|", [KEY.Key_Backspace], CTRL, "int |\nint |"),
        ("a|b|c", [KEY.Key_Backspace], CTRL, "|c"),
        ("{|\n{|", [KEY.Key_Return], NONE, "{\n    |\n{\n    |"),
        ("  a|\n   b|", [KEY.Key_Home], NONE, "  |a\n   |b"),
        ("  |a\n   |b", [KEY.Key_Home], NONE, "|  a\n|   b"),
        ("|a b\n|c", [KEY.Key_End], NONE, "a b|\nc|"),
        ("|a b\n|c", [KEY.Key_End], SHIFT, "^a b|\n^c|"),
        ("|aa b\n|c dd", [KEY.Key_Right], CTRL, "aa |b\nc |dd"),
        ("|aa b\n|c dd", [KEY.Key_Right], CTRL | SHIFT, "^aa |b\n^c |dd"),
        ("^ab|\n^cd|", [KEY.Key_Left], NONE, "|ab\n|cd"),
        ("a|\nb|\nc", [KEY.Key_Down], NONE, "a\nb|\nc|"),
        ("a|b|c", [KEY.Key_Home], NONE, "|abc"),
        ("a|\nb|", [KEY.Key_Tab], NONE, "a   |\nb   |"),
        ("  a|\n b|", [KEY.Key_Backtab], SHIFT, "a|\nb|"),
        ("a|\nb|\nc", [KEY.Key_Down], ALT, "c\na|\nb|"),
        ("c\n|a\n|b|", [KEY.Key_Up], ALT, "|a\n|b|\nc"),
        ("a|x|\nb", [KEY.Key_D], CTRL | SHIFT, "a|x|\nax\nb"),
        ("a|\nb\nc|\nd", [KEY.Key_K], CTRL | SHIFT, "|b\n|d"),
        ("|a\nb|", [KEY.Key_Escape], NONE, "a\nb|"),
        ("|a\nb|", [KEY.Key_A], CTRL, "^a\nb|"),
    ],
)  # fmt: skip
def test_keys_work_at_each_caret(editor, before, keys, modifiers, after):
    put(editor, before)
    press(editor, *keys, modifiers=modifiers)
    assert shown(editor) == after


def test_what_is_typed_in_one_go_is_one_step_of_undo(editor):
    put(editor, "^ab| ^ab|\n^ab|")
    before = editor.toPlainText()
    QTest.keyClicks(editor, "foo(x)")
    press(editor, KEY.Key_Backspace, KEY.Key_Backspace)
    assert shown(editor) == "foo(| foo(|\nfoo(|"
    press(editor, KEY.Key_Z, KEY.Key_Z, modifiers=CTRL)
    assert shown(editor) == "foo(x)| foo(x)|\nfoo(x)|"
    press(editor, KEY.Key_Z, modifiers=CTRL)
    assert editor.toPlainText() == before
    assert editor.carets.count == 3
    press(editor, KEY.Key_Y, modifiers=CTRL)
    assert shown(editor) == "foo(x)| foo(x)|\nfoo(x)|"
    # A step of its own begins once the carets have been moved.
    press(editor, KEY.Key_Home)
    QTest.keyClicks(editor, "z")
    press(editor, KEY.Key_Z, modifiers=CTRL)
    assert editor.toPlainText() == "foo(x) foo(x)\nfoo(x)"


def test_comments_go_over_each_line_once(editor):
    put(editor, "a|b|\n|c\nd\ne|")
    editor.toggle_comments()
    assert shown(editor) == "// a|b|\n// |c\nd\n// e|"
    editor.toggle_comments()
    assert editor.toPlainText() == "ab\nc\nd\ne"
    editor.undo()
    editor.undo()
    assert editor.toPlainText() == "ab\nc\nd\ne"


def test_a_paste_gives_each_caret_a_line(editor):
    put(editor, "^a|, ^b|")
    press(editor, KEY.Key_X, modifiers=CTRL)
    assert (shown(editor), QGuiApplication.clipboard().text()) == ("|, |", "a\nb")
    press(editor, KEY.Key_V, modifiers=CTRL)
    assert shown(editor) == "a|, b|"
    QGuiApplication.clipboard().setText("1\n2\n3")
    press(editor, KEY.Key_V, modifiers=CTRL)
    assert shown(editor) == "a1\n2\n3|, b1\n2\n3|"
    press(editor, KEY.Key_Z, modifiers=CTRL)
    assert editor.toPlainText() == "a, b"
    put(editor, "|a\n|b\n|c")
    editor.insertFromMimeData(_text("x\ny\nz\n"))
    assert shown(editor) == "x|a\ny|b\nz|c"


def test_a_paste_at_many_carets_may_be_too_large(editor, qtbot):
    put(editor, "|a\n|b\n|c")
    line = "x" * 1000 + "\n"
    with qtbot.waitSignal(editor.input_refused) as refused:
        editor.insertFromMimeData(_text(line * (LARGEST_TEXT // 2002)))
    assert "too large" in refused.args[0]
    assert shown(editor) == "|a\n|b\n|c"


def _text(text):
    data = QMimeData()
    data.setText(text)
    return data


def test_an_input_method_types_at_all(editor):
    put(editor, "|a\n|b")
    event = QInputMethodEvent()
    event.setCommitString("漢")
    QApplication.sendEvent(editor, event)
    assert shown(editor) == "漢|a\n漢|b"


def test_the_next_occurrence_is_a_whole_word_of_the_same_case(editor):
    put(editor, "int i|; int_i; I; i++;\nf(i);")
    assert [editor.carets.select_next() for _ in range(3)] == [True] * 3
    assert shown(editor) == "int ^i|; int_i; I; ^i|++;\nf(^i|);"
    assert editor.textCursor().position() == len("int i; int_i; I; i++;\nf(i")
    # Round once, and there is no more.
    assert not editor.carets.select_next()
    # What was selected by hand may be a part of a word.
    put(editor, "😀 ab| ^ab| ab_c")
    editor.carets.clear()
    editor.carets.select_next()
    editor.carets.select_next()
    assert shown(editor) == "😀 ^ab| ^ab| ^ab|_c"
    put(editor, " | + ")
    assert not editor.carets.select_next()


def test_all_occurrences_are_selected_up_to_a_limit(editor):
    put(editor, "b a| a\nb a")
    assert editor.carets.select_all()
    assert shown(editor) == "b ^a| ^a|\nb ^a|"
    assert editor.textCursor().selectionStart() == 2
    put(editor, "x|" + " x" * MOST)
    assert not editor.carets.select_all()
    assert editor.carets.count == MOST


def test_carets_above_and_below_keep_their_column(editor):
    put(editor, "abcd\nx\nab|cd\nefgh")
    editor.carets.add_line(down=False)
    editor.carets.add_line(down=False)
    editor.carets.add_line(down=True)
    QTest.keyClicks(editor, "_")
    assert editor.toPlainText() == "ab_cd\nx_\nab_cd\nef_gh"


def test_columns_are_selected_by_keys_over_short_lines(editor):
    put(editor, "abcdef\n\nab\n\tabc|d\n")
    for lines, columns in ((-1, 0), (-1, 0), (-1, 0), (0, -2)):
        editor.columns.extend(lines, columns)
    # The caret behind the tab began at column 7; two lines end before column 5.
    assert shown(editor) == "abcde|f^\n\nab\n\ta|bc^d\n"
    QTest.keyClicks(editor, "_")
    assert editor.toPlainText() == "abcde_\n\nab\n\ta_d\n"


def at(editor, line, column):
    cursor = QTextCursor(editor.document().findBlockByNumber(line))
    cursor.setPosition(cursor.position() + column)
    place = editor.cursorRect(cursor)
    return QPoint(place.left(), place.center().y())


def test_alt_and_the_mouse_put_carets_and_select_columns(editor):
    put(editor, "abcdef\nghijkl\nmnopqr|")
    view = editor.viewport()
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, ALT, at(editor, 0, 1))
    # Many desktops take Alt and a click for themselves.
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, ALT | CTRL, at(editor, 1, 2))
    assert shown(editor) == "a|bcdef\ngh|ijkl\nmnopqr|"
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, ALT, at(editor, 0, 1))
    assert shown(editor) == "abcdef\ngh|ijkl\nmnopqr|"
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, NONE, at(editor, 0, 1))
    assert shown(editor) == "a|bcdef\nghijkl\nmnopqr"
    QTest.mousePress(view, Qt.MouseButton.LeftButton, ALT | SHIFT, at(editor, 0, 4))
    QTest.mouseMove(view, at(editor, 2, 2))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, ALT | SHIFT, at(editor, 2, 2))
    assert shown(editor) == "ab|cd^ef\ngh|ij^kl\nmn|op^qr"
    press(editor, KEY.Key_Delete)
    assert shown(editor) == "ab|ef\ngh|kl\nmn|qr"


def test_carets_and_their_selections_are_painted(qtbot, theme):
    editor = CodeEditor(CudaCxxLexer())
    qtbot.addWidget(editor)
    editor.resize(400, 200)
    editor.show()
    qtbot.waitExposed(editor)
    editor.activateWindow()
    editor.setFocus()
    qtbot.waitUntil(editor.hasFocus)
    put(editor, "^ab| x\n  |  \n      |")
    picture = editor.viewport().grab().toImage()
    ratio = picture.devicePixelRatio()

    def color(line, column, right=0):
        place = at(editor, line, column) * ratio
        return picture.pixelColor(place.x() + right, place.y())

    assert color(1, 2) == theme.code.text
    assert color(1, 3) != theme.code.text
    assert editor.carets.highlights(0, 100)[0].format.background().color() == theme.code.selection
    editor.carets.clear()
    assert not editor.carets.highlights(0, 100)


@pytest.mark.bench
def test_one_caret_types_as_fast_as_before(editor):
    """Several are no burden to who has one: all that is asked is whether there are several."""
    editor.setPlainText("int a;\n" * 2000)
    event = QKeyEvent(QKeyEvent.Type.KeyPress, KEY.Key_A, NONE, "a")
    spent = {}
    for name, act in (("typed", editor.keyPressEvent), ("asked", editor.carets.take_key)):
        start = time.thread_time()
        for _ in range(100):
            act(event)
        spent[name] = time.thread_time() - start
    assert spent["asked"] < 0.03 * spent["typed"]


def test_many_places_in_one_line_are_drawn_at_once(editor):
    """Qt draws a line once more for each ground in it, also for those that nobody sees."""
    put(editor, "x|" + " x" * MOST)
    editor.carets.select_all()
    editor.horizontalScrollBar().setValue(editor.horizontalScrollBar().maximum())
    places = [ground.cursor.selectionStart() for ground in editor.extraSelections()]
    assert 10 < len(places) < 200
    assert max(places) > 2 * MOST - 10


@pytest.mark.bench
def test_the_most_carets_type_without_a_pause(editor):
    put(editor, "x|\n" * MOST)
    start = time.thread_time()
    QTest.keyClick(editor, "a")
    many = time.thread_time() - start
    assert editor.toPlainText() == "xa\n" * MOST
    assert many < 2
