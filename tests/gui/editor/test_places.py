import pytest
from PySide6.QtGui import QColor, QTextCursor, QTextDocument

from jitstudio.gui.editor.places import cursor_over, ground, lines, place_of, replace

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
    replace(document, [(0, (0, 2), "FI-"), (0, (4, 5), "T"), (1, (2, 8), ""), (2, (0, 0), "\n")])
    assert document.toPlainText() == "FI-rsT\n\N{ROCKET} \n\nthird"
    document.undo()
    assert document.toPlainText() == TEXT
    assert not document.isUndoAvailable()


def test_a_ground_leaves_the_colour_of_the_text(document):
    selection = ground(QTextCursor(document), QColor("red"))
    assert selection.format.background().color() == QColor("red")
    assert not selection.format.hasProperty(selection.format.Property.ForegroundBrush.value)
