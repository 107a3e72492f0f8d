import pytest
from PySide6.QtGui import QColor, QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from jitstudio.gui.editor.changes import (
    cursor_over,
    lines,
    place_of,
    refusal_to_insert,
    refusal_to_replace,
    replace_spans,
)
from jitstudio.gui.editor.highlights import background
from jitstudio.gui.kit.text_limits import (
    LARGEST_TEXT,
    LONG_LINE,
    LONGEST_LINE,
    MOST_IN_LONG_LINES,
    MOST_LINES,
    excess,
)

TEXT = "first\n\N{ROCKET} second\nthird"


@pytest.fixture
def document(qapp):
    made = QTextDocument()
    made.setPlainText(TEXT)
    return made


def test_lines_are_read_as_far_as_there_are_any(document):
    assert lines(document, 1, 5) == ["\N{ROCKET} second", "third"]
    assert lines(document, 0, 1) == ["first"]
    assert lines(document, 7, 2) == []


def test_a_place_is_counted_in_characters(document):
    assert place_of(document, 0) == (0, 0)
    assert place_of(document, 9) == (1, 2)
    assert place_of(document, document.characterCount() - 1) == (2, 5)


@pytest.mark.parametrize(
    ("line", "span", "text"),
    [
        (1, (2, 8), "second"),
        (0, (3, 99), "st"),
        (0, (-3, 2), "fi"),
        (99, (0, 5), "third"),
        (0, (2, 2), ""),
    ],
)
def test_a_part_of_a_line_is_selected(document, line, span, text):
    assert cursor_over(document, line, span).selectedText() == text


def test_many_parts_are_replaced_in_one_step(document):
    replace_spans(
        document, [(0, (0, 2), "FI-"), (0, (4, 5), "T"), (1, (2, 8), ""), (2, (0, 0), "\n")]
    )
    assert document.toPlainText() == "FI-rsT\n\N{ROCKET} \n\nthird"
    document.undo()
    assert document.toPlainText() == TEXT
    assert not document.isUndoAvailable()


def test_a_ground_leaves_the_colour_of_the_text(document):
    selection = background(QTextCursor(document), QColor("red"))
    assert selection.format.background().color() == QColor("red")
    assert not selection.format.hasProperty(selection.format.Property.ForegroundBrush.value)


LINE = "x" * 99 + "\n"


def cursor_in(text):
    document = QTextDocument()
    document.setDocumentLayout(QPlainTextDocumentLayout(document))
    document.setPlainText(text)
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.kept = document
    return cursor


@pytest.mark.parametrize(
    "text",
    ["", "int x;\n", "x" * LONGEST_LINE, ("x" * LONGEST_LINE + "\n") * 3, "\n" * (MOST_LINES - 1)],
)
def test_what_an_editor_can_show_is_taken(text):
    assert excess(text) is None
    assert refusal_to_insert(cursor_in(""), text) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("short\n" + "x" * (LONGEST_LINE + 1), "Line 2 of the text is too long to edit here: it "),
        ("x\n" * (LARGEST_TEXT // 2) + "x", "it has 1,000,001 characters, and the editor takes"),
        ("\n" * MOST_LINES, "it has 30,001 lines, and the editor takes 30,000"),
        (
            ("x" * (LONG_LINE + 1) + "\n") * (MOST_IN_LONG_LINES // LONG_LINE),
            "its lines of more than 2,000 characters have 200,100 characters together",
        ),
    ],
)
def test_what_stalls_the_window_is_refused_with_its_size(text, told):
    reason = refusal_to_insert(cursor_in(""), text)
    assert told in reason
    assert reason.endswith("Nothing was changed.")


def test_pastes_that_are_too_large_together_are_refused():
    half = LINE * (LARGEST_TEXT * 2 // 3 // len(LINE))
    cursor = cursor_in(half)
    assert "it has 1,333,200 characters" in refusal_to_insert(cursor, half)
    cursor.select(QTextCursor.SelectionType.Document)
    assert refusal_to_insert(cursor, half) is None  # It takes the place of the other.


def test_a_paste_that_makes_a_line_too_long_is_refused():
    cursor = cursor_in("int a;\n😀" + "x" * 15_000)
    assert "Line 2 of the text" in refusal_to_insert(cursor, "y" * 5_000)
    assert refusal_to_insert(cursor, "\n" + "y" * 5_000) is None


def test_replacing_may_make_a_text_no_larger_than_typing_may():
    document = cursor_in("a" * 5_000 + "\n" + "a\n" * 100).kept
    changes = [(line, (0, 1), "b" * 20_000) for line in range(101)]
    assert "it has 2,025,100 characters" in refusal_to_replace(document, changes)
    assert "Line 1 of the text" in refusal_to_replace(document, [(0, (0, 1), "b" * 20_002)])
    assert refusal_to_replace(document, [(0, (0, 5000), "b" * 5_000)]) is None
