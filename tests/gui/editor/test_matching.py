import pytest
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from jitstudio.gui.code.languages import SourceHighlighter
from jitstudio.gui.editor.matching import bracket_pair, occurrences, word_at
from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer


def cursor_in(text: str, length: int = 0) -> QTextCursor:
    """A cursor where the text has `|`, with so many characters selected behind it."""
    document = QTextDocument()
    document.setDocumentLayout(QPlainTextDocumentLayout(document))
    document.setPlainText(text.replace("|", ""))
    cursor = QTextCursor(document)
    cursor.setPosition(len(text[: text.index("|")].encode("utf-16-le")) // 2)
    cursor.setPosition(cursor.position() + length, QTextCursor.MoveMode.KeepAnchor)
    # A cursor does not keep its document alive.
    cursor.keeps = document
    return cursor


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("|(a)", (0, 2)),
        ("(|a)", (0, 2)),
        ("(a|)", (2, 0)),
        ("(a)|", (2, 0)),
        ("f(a[|0], b)", (3, 5)),
        ("{ (] | }", None),
        ("{\n\n|}", (3, 0)),
        ("|((a)", None),
        ("(a|b)", None),
        ("\N{ROCKET} (\N{ROCKET})|", (6, 3)),
        ("", None),
    ],
)
def test_the_partner_of_a_bracket_is_found(qapp, text, pair):
    assert bracket_pair(cursor_in(text or "|")) == pair


def test_brackets_in_comments_and_strings_do_not_count(qtbot, dark):
    cursor = cursor_in("|( \")\" /* ) */ ')' )")
    highlighter = SourceHighlighter(cursor.document(), CudaCxxLexer())
    qtbot.waitUntil(lambda: highlighter.is_complete)
    assert bracket_pair(cursor) == (0, 18)
    cursor.setPosition(3)
    assert bracket_pair(cursor) is None


def test_a_partner_that_nobody_can_see_is_not_sought(qapp):
    assert bracket_pair(cursor_in("|{" + "\n" * 300 + "}")) == (0, 301)
    assert bracket_pair(cursor_in("|{" + "\n" * 500 + "}")) is None


def test_a_very_long_line_is_left_alone(qapp):
    text = "|(" + "a" * 6000 + ")"
    assert bracket_pair(cursor_in(text)) is None
    assert word_at(cursor_in(text)) == ""


@pytest.mark.parametrize(
    ("text", "length", "word"),
    [
        ("|abc + d", 0, "abc"),
        ("a|bc + d", 0, "abc"),
        ("abc| + d", 0, "abc"),
        ("abc |+ d", 0, ""),
        ("|12 ab", 0, ""),
        ("|abc", 3, "abc"),
        ("|abc", 2, ""),
        ("\N{ROCKET} |abc", 0, "abc"),
        ("$L__BB0_|2:", 0, "$L__BB0_2"),
    ],
)
def test_the_word_at_the_cursor(qapp, text, length, word):
    assert word_at(cursor_in(text, length)) == word


def test_a_word_is_found_where_it_stands_alone(qapp):
    cursor = cursor_in("|n = in + n;\n\N{ROCKET} n\nn2 $n\nn")
    first, last = cursor.document().begin(), cursor.document().characterCount()
    found = occurrences("n", first, last)
    assert [c.selectedText() for c in found] == ["n"] * 4
    assert [(c.blockNumber(), c.positionInBlock() - 1) for c in found] == [
        (0, 0),
        (0, 9),
        (1, 3),
        (3, 0),
    ]


def test_words_out_of_sight_are_left_out(qapp):
    cursor = cursor_in("|n\nn\nn")
    first = cursor.document().findBlockByNumber(1)
    assert [c.blockNumber() for c in occurrences("n", first, first.position())] == [1]
