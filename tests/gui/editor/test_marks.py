import pytest
from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextDocument

from jitstudio.core.diagnostics import Severity
from jitstudio.gui.editor.marks import DiagnosticMark, MarkList, tooltip

TEXT = "int a = b;\n  ld.u64 %rd1, [x];\n\nlast"


@pytest.fixture
def document(qapp):
    return QTextDocument(TEXT)


def error(line, column, message="wrong"):
    return DiagnosticMark(line, column, Severity.ERROR, message)


def marked(document, *marks):
    """The list with these marks, and the texts they are about."""
    placed = MarkList(document)
    placed.set_marks(marks)
    return placed, [one.cursor.selectedText() for one in placed.alive()]


@pytest.mark.parametrize(
    ("line", "column", "text"),
    [
        (1, 5, "a"),
        (1, 9, "b"),
        (1, 10, ";"),
        (2, 3, "ld.u64"),
        (2, 10, "%rd1"),
        (2, None, "ld.u64 %rd1, [x];"),
        (1, 99, "int a = b;"),
        (1, 0, "int"),
        (3, 1, ""),
        (99, 1, "last"),
        (0, 1, "int"),
    ],
)
def test_a_mark_is_about_the_token_at_its_place(document, line, column, text):
    assert marked(document, error(line, column))[1] == [text]


def test_columns_behind_an_emoji_are_characters(qapp):
    document = QTextDocument("/*\N{ROCKET}*/ foo bar")
    assert marked(document, error(1, 7))[1] == ["foo"]


def test_a_mark_follows_edits_around_it(document):
    marks, _ = marked(document, error(2, 3))
    QTextCursor(document).insertText("new line\n")
    assert list(marks.by_line()) == [2]
    assert marks.alive()[0].cursor.selectedText() == "ld.u64"


def test_text_typed_behind_it_is_not_part_of_it(document):
    marks, _ = marked(document, error(4, 1))
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText("\nmore")
    assert marks.alive()[0].cursor.selectedText() == "last"


def test_a_mark_goes_with_its_text(document):
    marks, _ = marked(document, error(4, 1))
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.select(QTextCursor.SelectionType.WordUnderCursor)
    cursor.removeSelectedText()
    assert marks.alive() == []
    cursor.insertText("other")
    assert marks.alive() == []


def test_a_mark_on_an_empty_line_lives_on(document):
    marks, _ = marked(document, error(3, 1))
    QTextCursor(document).insertText("x")
    assert list(marks.by_line()) == [2]


def test_the_worst_comes_first(document):
    marks, _ = marked(
        document,
        DiagnosticMark(1, None, Severity.INFO, "by the way"),
        DiagnosticMark(1, None, Severity.WARNING, "take care"),
        DiagnosticMark(1, 5, Severity.ERROR, "no"),
    )
    assert [p.mark.message for p in marks.by_line()[0]] == ["no", "take care", "by the way"]
    assert [p.mark.message for p in marks.at_position(4)] == ["no", "take care", "by the way"]
    assert [p.mark.message for p in marks.at_position(0)] == ["take care", "by the way"]
    assert marks.at_position(15) == []


def test_waves_are_made_for_what_is_in_sight_errors_on_top(document, theme):
    marks, _ = marked(
        document,
        DiagnosticMark(1, 5, Severity.ERROR, ""),
        DiagnosticMark(1, None, Severity.WARNING, ""),
        DiagnosticMark(4, 1, Severity.INFO, ""),
    )
    waves = marks.selections(0, 10, theme)
    colors = [wave.format.underlineColor() for wave in waves]
    assert colors == [theme.marks.warning, theme.marks.error]
    styles = {wave.format.underlineStyle() for wave in waves}
    assert styles == {QTextCharFormat.UnderlineStyle.WaveUnderline}


def test_new_marks_replace_the_old_ones(document):
    marks, _ = marked(document, error(1, 1))
    marks.set_marks([error(4, 1)])
    assert list(marks.by_line()) == [3]


def test_the_marks_of_lines_are_told_each_once_and_as_they_are(document):
    marks, _ = marked(
        document, error(1, 5, "a <int> b"), error(1, 9, "a <int> b"), error(2, 3, "c")
    )
    first = document.firstBlock()
    found = marks.of_lines(first, first)
    assert [placed.mark.message for placed in found] == ["a <int> b", "a <int> b"]
    assert tooltip(found) == '<p style="white-space: pre">a &lt;int&gt; b</p>'
    assert len(marks.of_lines(first, first.next())) == 3
    assert tooltip([]) == ""
