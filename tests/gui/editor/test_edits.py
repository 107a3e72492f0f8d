from functools import partial

import pytest
from PySide6.QtGui import QTextCursor, QTextDocument

from jitstudio.gui.editor import edits

KEEP = QTextCursor.MoveMode.KeepAnchor


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def cursor_in(marked: str) -> QTextCursor:
    """A cursor at `|`; what is between it and `^` is selected."""
    document = QTextDocument()
    document.setPlainText(marked.replace("|", "").replace("^", ""))
    cursor = QTextCursor(document)
    position = units(marked.replace("^", "").partition("|")[0])
    anchor = units(marked.replace("|", "").partition("^")[0]) if "^" in marked else position
    cursor.setPosition(anchor)
    cursor.setPosition(position, KEEP)
    # A cursor does not keep its document alive.
    cursor.keeps = document
    return cursor


def edited(marked: str, edit) -> str:
    """What an edit makes of a marked text, which must be one step of undo."""
    cursor = cursor_in(marked)
    document = cursor.document()
    edit(cursor)
    signs = {cursor.anchor(): "^"} if cursor.hasSelection() else {}
    signs[cursor.position()] = "|"
    text = document.toPlainText().encode("utf-16-le")
    for at in sorted(signs, reverse=True):
        text = text[: 2 * at] + signs[at].encode("utf-16-le") + text[2 * at :]
    if document.isUndoAvailable():
        document.undo()
    assert document.toPlainText() == marked.replace("|", "").replace("^", "")
    assert not document.isUndoAvailable()
    return text.decode("utf-16-le")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("|x", "    |x"),
        ("ab|c", "ab  |c"),
        ("abcd|", "abcd    |"),
        ("a^b|c", "a   |c"),
        ("^ab|", "    ^ab|"),
        ("^a\n\nb|", "    ^a\n\n    b|"),
        ("^a\n|b", "    ^a\n|b"),
    ],
)
def test_tab_indents(before, after):
    assert edited(before, edits.indent) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    x|", "x|"),
        ("      x|", "    x|"),
        ("\t\tx|", "\tx|"),
        ("  x|", "x|"),
        ("x|", "x|"),
        ("    ^a\n  b|", "^a\nb|"),
    ],
)
def test_shift_tab_takes_a_level_away(before, after):
    assert edited(before, edits.unindent) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  a|b", "  a\n  |b"),
        ("if (x) {|", "if (x) {\n    |"),
        ("  f(|)", "  f(\n      |\n  )"),
        ("{|}", "{\n    |\n}"),
        ("{| }", "{\n    |\n}"),
        ("a^bc|d", "a\n|d"),
        ("  |  a", "  \n  |  a"),
        ("\tx[|", "\tx[\n\t    |"),
        ("/* \N{ROCKET} */ {|}", "/* \N{ROCKET} */ {\n    |\n}"),
    ],
)
def test_enter_keeps_the_depth_and_goes_deeper_behind_a_bracket(before, after):
    assert edited(before, edits.new_line) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [("        |", "    }|"), ("    x|", "    x}|"), ("|", "}|"), ("a^b|", "a}|")],
)
def test_a_closing_brace_alone_goes_a_level_back(before, after):
    assert edited(before, edits.close_brace) == after


@pytest.mark.parametrize(
    ("before", "after"), [("        |x", "    |x"), ("      |", "    |"), ("   |x", "|x")]
)
def test_backspace_goes_back_a_tab_stop_in_the_indentation(before, after):
    assert edited(before, edits.backspace) == after


@pytest.mark.parametrize("before", ["x |", "|  x", "\t|x"])
def test_backspace_is_the_usual_one_elsewhere(before):
    assert edited(before, edits.backspace) == before
    assert not edits.backspace(cursor_in(before))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a|b", "// a|b"),
        ("// a|b", "a|b"),
        ("//a|b", "a|b"),
        ("  // a|", "  a|"),
        ("^  a\n\n    b|", "^  // a\n\n  //   b|"),
        ("^// a\n// b|", "^a\nb|"),
        ("^// a\nb|", "// ^// a\n// b|"),
    ],
)
def test_comments_are_toggled(before, after):
    assert edited(before, partial(edits.toggle_comments, prefix="//")) == after


def test_nothing_is_commented_where_there_is_nothing():
    assert edited("^\n\n|", partial(edits.toggle_comments, prefix="//")) == "^\n\n|"
    assert edited("x|", partial(edits.toggle_comments, prefix="")) == "x|"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a|\nb", "a|\na\nb"),
        ("a\nb|", "a\nb|\nb"),
        ("^a\nb|\nc", "^a\nb|\na\nb\nc"),
        ("^a\n|b", "^a\n|a\nb"),
    ],
)
def test_lines_are_duplicated_below(before, after):
    assert edited(before, edits.duplicate_lines) == after


@pytest.mark.parametrize(
    ("before", "down", "after"),
    [
        ("a|\nb\nc", True, "b\na|\nc"),
        ("a\nb\nc|", False, "a\nc|\nb"),
        ("^a\nb|\nc", True, "c\n^a\nb|"),
        ("a\n^b\nc|", False, "^b\nc|\na"),
        ("^a\n|b", True, "b\n^a|"),
        ("a\n^b\n|c", False, "^b\n|a\nc"),
    ],
)
def test_lines_are_moved_with_their_selection(before, down, after):
    assert edited(before, partial(edits.move_lines, down=down)) == after


@pytest.mark.parametrize(("text", "down"), [("a|\nb", False), ("a\nb|", True)])
def test_lines_stop_at_the_ends_of_the_text(text, down):
    assert edited(text, partial(edits.move_lines, down=down)) == text


def test_home_goes_to_the_text_then_to_the_edge():
    cursor = cursor_in("    ab|")
    places = []
    for _ in range(3):
        edits.home(cursor, select=False)
        places.append(cursor.position())
    assert places == [4, 0, 4]
    edits.home(cursor, select=True)
    assert cursor.selectedText() == "    "
