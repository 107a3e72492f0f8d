from time import perf_counter

import pytest
from pygments.token import Comment, Keyword, Text
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from jitstudio.core.code import TEXT_KINDS, CodeKind
from jitstudio.gui.code import languages
from jitstudio.gui.code.languages import LANGUAGES, LONGEST_LINE, SourceHighlighter, icon_name
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.theme import set_current_theme


class Capitals:
    """Finds words in capitals; between /* and */ all is a comment."""

    def __init__(self, seconds: float = 0) -> None:
        self.lines: list[str] = []
        self._seconds = seconds

    def lex_line(self, line, state=0):
        self.lines.append(line)
        end = perf_counter() + self._seconds
        while perf_counter() < end:
            pass
        tokens, column = [], 0
        for word in line.split(" "):
            state = 1 if word == "/*" else state
            token = Comment if state else Keyword if word.isupper() else Text
            tokens.append((column, len(word), token))
            state = 0 if word == "*/" else state
            column += len(word) + 1
        return tokens, state


@pytest.fixture
def document(qapp):
    made = QTextDocument()
    made.setDocumentLayout(QPlainTextDocumentLayout(made))
    return made


def colors(document, line):
    """The coloured spans of a line: start, length, colour, in UTF-16 units."""
    spans = document.findBlockByNumber(line).layout().formats()
    return [(s.start, s.length, s.format.foreground().color().name()) for s in spans]


def done(qtbot, highlighter):
    qtbot.waitUntil(lambda: highlighter.is_complete)


def test_tokens_wear_the_styles_of_the_theme(qtbot, document, theme):
    document.setPlainText("let IT be")
    SourceHighlighter(document, Capitals())
    qtbot.waitUntil(lambda: colors(document, 0) != [])
    assert colors(document, 0)[1] == (4, 2, theme.token_style(Keyword).color.name())


def test_positions_behind_an_emoji_are_converted(qtbot, document, dark):
    SourceHighlighter(document, Capitals())
    document.setPlainText("\N{ROCKET} IT")
    assert colors(document, 0) == [
        (0, 2, dark.token_style(Text).color.name()),
        (3, 2, dark.token_style(Keyword).color.name()),
    ]


def test_a_state_flows_into_the_next_lines(qtbot, document, dark):
    SourceHighlighter(document, Capitals())
    document.setPlainText("A\nB\nC")
    keyword, comment = (dark.token_style(t).color.name() for t in (Keyword, Comment))
    QTextCursor(document).insertText("/* ")
    assert colors(document, 2) == [(0, 1, comment)]
    cursor = QTextCursor(document.findBlockByNumber(1))
    cursor.insertText("*/ ")
    assert colors(document, 2) == [(0, 1, keyword)]


def test_without_a_lexer_nothing_is_coloured(document):
    SourceHighlighter(document, None)
    document.setPlainText("A\nB")
    assert colors(document, 0) == colors(document, 1) == []


def test_a_very_long_line_stays_plain(document):
    SourceHighlighter(document, Capitals())
    document.setPlainText("A" * (LONGEST_LINE + 1) + "\nB")
    assert colors(document, 0) == []
    assert len(colors(document, 1)) == 1


def test_much_text_is_coloured_in_slices(qtbot, document):
    lexer = Capitals(seconds=0.001)
    highlighter = SourceHighlighter(document, lexer)
    document.setPlainText("\n".join(["A"] * 60))
    assert 0 < len(lexer.lines) < 60
    assert not highlighter.is_complete
    assert colors(document, 59) == []
    done(qtbot, highlighter)
    assert all(len(colors(document, line)) == 1 for line in range(60))
    # Only what the first slices have in common is lexed twice.
    assert 60 <= lexer.lines.count("A") < 90


def test_an_edit_meanwhile_is_not_forgotten(qtbot, document, dark):
    highlighter = SourceHighlighter(document, Capitals(seconds=0.001))
    document.setPlainText("\n".join(["a"] * 60))
    assert not highlighter.is_complete
    QTextCursor(document).insertText("/* ")
    QTextCursor(document.findBlockByNumber(50)).insertText("*/ B ")
    done(qtbot, highlighter)
    comment = dark.token_style(Comment).color.name()
    assert colors(document, 49) == [(0, 1, comment)]
    assert colors(document, 50)[:2] == [
        (0, 2, comment),
        (3, 1, dark.token_style(Keyword).color.name()),
    ]
    assert colors(document, 59)[0][2] == dark.token_style(Text).color.name()


def test_another_theme_recolours_in_slices_without_a_plain_moment(
    qtbot, document, light, dark_theme, monkeypatch
):
    highlighter = SourceHighlighter(document, Capitals(seconds=0.001))
    document.setPlainText("\n".join(["A"] * 60))
    done(qtbot, highlighter)
    set_current_theme(dark_theme)
    assert colors(document, 59) == [(0, 1, light.token_style(Keyword).color.name())]
    done(qtbot, highlighter)
    assert colors(document, 59) == [(0, 1, dark_theme.token_style(Keyword).color.name())]
    assert colors(document, 0) == [(0, 1, dark_theme.token_style(Keyword).color.name())]


def test_another_lexer_recolours(qtbot, document):
    highlighter = SourceHighlighter(document, Capitals())
    document.setPlainText("A")
    highlighter.set_lexer(None)
    done(qtbot, highlighter)
    assert highlighter.lexer is None
    assert colors(document, 0) == []


def test_colours_are_no_new_revision_of_the_text(qtbot, document, dark_theme):
    document.setPlainText("\n".join(["A"] * 60))
    revision = document.revision()
    highlighter = SourceHighlighter(document, Capitals(seconds=0.001))
    with qtbot.assertNotEmitted(document.contentsChanged):
        done(qtbot, highlighter)
        set_current_theme(dark_theme)
        done(qtbot, highlighter)
    assert document.revision() == revision
    assert colors(document, 59) == [(0, 1, dark_theme.token_style(Keyword).color.name())]


def test_removing_text_that_waits_for_its_turn_is_safe(qtbot, document, dark):
    highlighter = SourceHighlighter(document, Capitals(seconds=0.001))
    document.setPlainText("\n".join(["A"] * 60))
    document.clear()
    QTextCursor(document).insertText("B")
    done(qtbot, highlighter)
    assert colors(document, 0) == [(0, 1, dark.token_style(Keyword).color.name())]


def test_behind_a_key_press_the_rest_waits(qtbot, document, dark, monkeypatch):
    lexer = Capitals()
    highlighter = SourceHighlighter(document, lexer)
    document.setPlainText("\n".join(["a"] * 40))
    done(qtbot, highlighter)
    qtbot.wait(1)  # so that the turn is over
    monkeypatch.setattr(languages, "_EDIT_SLICE", 0.0)
    lexer.lines.clear()
    QTextCursor(document).insertText("/* ")
    assert lexer.lines == ["/* a"]
    done(qtbot, highlighter)
    assert colors(document, 39) == [(0, 1, dark.token_style(Comment).color.name())]


def test_every_kind_of_text_has_a_language():
    assert set(LANGUAGES) == TEXT_KINDS


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("kind", list(CodeKind))
def test_every_document_has_an_icon(light, kind, header):
    assert not icon(icon_name(kind, header), light.ui.text).isNull()


@pytest.mark.parametrize(
    ("kind", "header", "name"),
    [
        (CodeKind.CUDA, False, "cuda"),
        (CodeKind.CUDA, True, "header"),
        (CodeKind.LIBRARY, False, "binary"),
    ],
)
def test_headers_and_machine_code_can_be_told_apart(kind, header, name):
    assert icon_name(kind, header) == name
