import random

import pytest
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from jitstudio.core.code import CodeKind
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.file_text import ReadOnlyReason, compare
from jitstudio.gui.state.line_origins import UNKNOWN, LineOrigins, origins_of

BUILT = ["zero", "one", "two", "three", "four"]


@pytest.fixture
def text(qapp):
    document = QTextDocument()
    # Without a layout a document tells of no change.
    document.setDocumentLayout(QPlainTextDocumentLayout(document))
    document.setPlainText("\n".join(BUILT))
    return document


def cursor_at(text, line, column=0):
    cursor = QTextCursor(text.findBlockByNumber(line))
    cursor.setPosition(cursor.position() + column)
    return cursor


def all_origins(text, origins):
    return [origins.built_line(line) for line in range(text.blockCount())]


def test_what_was_not_edited_is_where_it_was(text):
    origins = LineOrigins(text, BUILT)
    assert all_origins(text, origins) == [0, 1, 2, 3, 4]
    assert [origins.line(line) for line in range(5)] == [0, 1, 2, 3, 4]
    assert origins.built_line(-1) == origins.built_line(5) == UNKNOWN
    assert origins.line(5) == UNKNOWN


def test_an_edited_line_has_no_origin(text):
    origins = LineOrigins(text, BUILT)
    cursor_at(text, 2, 1).insertText("x")
    assert all_origins(text, origins) == [0, 1, UNKNOWN, 3, 4]
    assert origins.line(2) == UNKNOWN


@pytest.mark.parametrize(
    ("line", "column", "typed", "expected"),
    [
        (1, 3, "\n", [0, 1, UNKNOWN, 2, 3, 4]),
        (1, 0, "\n", [0, UNKNOWN, 1, 2, 3, 4]),
        (1, 0, "new\nnewer\n", [0, UNKNOWN, UNKNOWN, 1, 2, 3, 4]),
        (1, 1, "\n", [0, UNKNOWN, UNKNOWN, 2, 3, 4]),
        (4, 4, "\nlast", [0, 1, 2, 3, 4, UNKNOWN]),
    ],
)
def test_lines_move_with_what_is_typed_above_them(text, line, column, typed, expected):
    origins = LineOrigins(text, BUILT)
    cursor_at(text, line, column).insertText(typed)
    assert all_origins(text, origins) == expected
    assert origins.line(3) == expected.index(3)


def test_lines_move_up_when_others_go(text):
    origins = LineOrigins(text, BUILT)
    cursor = cursor_at(text, 1)
    cursor.setPosition(text.findBlockByNumber(3).position(), QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
    assert all_origins(text, origins) == [0, 3, 4]
    assert origins.line(1) == UNKNOWN
    assert origins.line(4) == 2


def test_what_was_edited_during_the_build_is_found_by_comparison(text):
    cursor_at(text, 1, 3).insertText("\nbetween")
    cursor_at(text, 5, 1).insertText("!")
    origins = LineOrigins(text, BUILT)
    assert all_origins(text, origins) == [0, 1, UNKNOWN, 2, 3, UNKNOWN]


def test_undo_of_an_edit_leaves_no_wrong_line(text):
    text.setUndoRedoEnabled(True)
    origins = LineOrigins(text, BUILT)
    cursor_at(text, 2, 3).insertText("a\nb\nc")
    text.undo()
    assert text.toPlainText().split("\n") == BUILT
    assert all_origins(text, origins) in ([0, 1, 2, 3, 4], [0, 1, UNKNOWN, 3, 4])


def test_no_edit_ever_leads_to_a_line_with_other_words(text):
    for seed in range(60):
        chance = random.Random(seed)
        text.setPlainText("\n".join(BUILT))
        origins = LineOrigins(text, BUILT)
        for _ in range(12):
            cursor = QTextCursor(text)
            end = text.characterCount() - 1
            cursor.setPosition(chance.randint(0, end))
            cursor.setPosition(chance.randint(0, end), QTextCursor.MoveMode.KeepAnchor)
            chance.choice(
                [
                    cursor.removeSelectedText,
                    lambda c=cursor: c.insertText("a\nb"),
                    lambda c=cursor: c.insertText("\n"),
                    lambda c=cursor: c.insertText("x"),
                    text.undo,
                    text.redo,
                ]
            )()
            for line in range(text.blockCount()):
                built = origins.built_line(line)
                words = text.findBlockByNumber(line).text()
                assert built == UNKNOWN or words == BUILT[built], (seed, line)


def test_all_lines_are_told_at_once_where_they_are_now(text):
    origins = LineOrigins(text, BUILT)
    cursor_at(text, 0).insertText("new\n")
    cursor_at(text, 3).insertText("edited ")
    lines = origins.now(range(len(BUILT)))
    assert lines == {0: 1, 1: 2, 3: 4, 4: 5}
    assert all(origins.line(built) == now for built, now in lines.items())


def test_what_cannot_be_edited_is_as_it_was_built_until_its_file_is_another(qapp, tmp_path):
    content = b"// zero\nadd;\n"
    reason = ReadOnlyReason.TOO_LARGE
    document = Document("k.ptx", CodeKind.PTX, content, tmp_path / "k.ptx", read_only=reason)
    origins = origins_of(document, content)
    assert (origins.built_line(1), origins.line(1)) == (1, 1)
    assert origins.now([0, 1]) == {0: 0, 1: 1}
    document.reload(compare(CodeKind.PTX, b"sub;\n", None))
    assert (origins.built_line(1), origins.line(1)) == (UNKNOWN, UNKNOWN)
    assert origins.now([0, 1]) == {}
    assert origins_of(Document("k.cubin", CodeKind.CUBIN, b"\x7fELF"), b"\x7fELF") is None
