import pytest
from pygments.token import Comment, Keyword, Text

from jitstudio.gui.listing.listing_text import LONG_LINE, NAME_IN_PLACE, ListingText
from jitstudio.listing.lines import split_lines
from jitstudio.listing.sass import NameInPlace, TextExtent, char_cells


class Comments:
    """Takes all between /* and */ for a comment, over lines; counts what it is asked."""

    def __init__(self) -> None:
        self.count = 0

    def lex_line(self, line, state=0):
        self.count += 1
        token = Comment if state or "/*" in line else Keyword
        state = 0 if "*/" in line else 1 if "/*" in line else state
        return [(0, len(line), token)], state


def test_no_lines_are_one_empty_line():
    text = ListingText([])
    assert len(text) == 1
    assert text.tokens(0) == [(0, LONG_LINE, Text)]
    assert text.extent.widest == 0


def test_a_line_is_lexed_when_it_is_asked_for_and_once():
    lexer = Comments()
    text = ListingText(["a", "b"], lexer)
    assert lexer.count == 0
    assert text.tokens(0) == text.tokens(0) == [(0, 1, Keyword)]
    assert lexer.count == 1


def test_the_state_of_the_lines_above_is_found_out():
    text = ListingText(["/*", "b", "*/", "d"], Comments())
    assert text.tokens(3) == [(0, 1, Keyword)]
    assert text.tokens(1) == [(0, 1, Comment)]


def test_only_some_lines_above_are_lexed_after_a_jump():
    lexer = Comments()
    text = ListingText(["a"] * 100_000, lexer)
    text.tokens(90_000)
    assert lexer.count <= 101
    text.tokens(90_001)
    assert lexer.count <= 102


def test_what_was_lexed_long_ago_is_forgotten():
    lexer = Comments()
    text = ListingText(["a"] * 10_000, lexer)
    for line in range(10_000):
        text.tokens(line)
    before = lexer.count
    text.tokens(0)
    assert lexer.count == before + 1


def test_a_long_line_is_lexed_in_pieces():
    lexer = Comments()
    text = ListingText(["x" * 10_000_000], lexer)
    runs = text.tokens(0, 5_000_000, 5_000_100)
    assert lexer.count <= 2
    assert runs[0][0] <= 5_000_000
    assert runs[-1][0] + runs[-1][1] >= 5_000_100


def test_a_long_line_does_not_begin_a_comment_for_the_next():
    text = ListingText(["/*" + "x" * LONG_LINE, "b"], Comments())
    assert text.tokens(1) == [(0, 1, Keyword)]


@pytest.mark.parametrize(
    ("char", "cells"), [("a", 1), ("ß", 1), ("\u4e2d", 2), ("\N{ROCKET}", 2), ("\u0301", 0)]
)
def test_a_character_takes_its_cells(char, cells):
    assert char_cells(char) == cells


def test_tabs_go_to_the_next_stop():
    text = ListingText(["\tld\t%r1"])
    assert text.cells(0) == [0, 8, 9, 10, 16, 17, 18, 19]
    assert text.cell(0, 4) == 16
    assert text.width(0) == 19


@pytest.mark.parametrize(
    ("cell", "column"),
    [(-3, 0), (3.9, 0), (4.1, 1), (8, 1), (9.6, 3), (12.9, 3), (13.1, 4), (99, 7)],
)
def test_a_place_is_nearest_to_a_column(cell, column):
    assert ListingText(["\tld\t%r1"]).column(0, cell) == column


def test_columns_and_cells_of_wide_characters_agree():
    text = ListingText(["a\u4e2d\u0301b"])
    assert text.cells(0) == [0, 1, 3, 3, 4]
    assert [text.column(0, text.cell(0, column)) for column in (0, 1, 4)] == [0, 1, 4]


def test_the_columns_of_a_plain_line_are_cells():
    text = ListingText(["ld.param"])
    assert text.is_simple(0)
    assert [text.column(0, cell) for cell in (-1, 2.4, 2.6, 50)] == [0, 2, 3, 8]


@pytest.mark.parametrize(
    "lines", [["abc", "\tab\tc", ""], ["a\u4e2d\u4e2d", "abcd"], ["\t\u4e2d"], ["größer"]]
)
def test_the_widest_line_fits(lines):
    text = ListingText(lines)
    needed = max(text.width(line) for line in range(len(lines)))
    assert needed <= text.extent.widest <= needed + 6


def test_lines_end_as_compilers_count_them():
    assert split_lines("a\r\nb\rc\n\fd\u2028e") == ["a", "b", "c", "\fd\u2028e"]


LINE = "/*0010*/ IADD R1, c[0x0][0x218], c[0x0][0x210] ;"
FIRST, SECOND = LINE.index("c["), LINE.rindex("c[")
WIDE = len("c[0x0][0x218]")


def named(first, second, lexer=None):
    names = (
        NameInPlace(FIRST, FIRST + WIDE, first),
        NameInPlace(SECOND, SECOND + WIDE, second),
    )
    return ListingText([LINE, LINE], lexer, extent=TextExtent(60, 4), names={0: names})


@pytest.mark.parametrize(("first", "second"), [("n", "a_name_that_is_long"), ("weights", "x")])
def test_a_name_takes_the_room_of_its_letters_and_the_line_stays(first, second):
    text = named(first, second)
    shown = LINE[9:].replace("c[0x0][0x218]", first).replace("c[0x0][0x210]", second)
    assert text.lines[0] == LINE
    assert (text.width(0), text.width(1)) == (len(shown), len(LINE) - 9)
    assert "".join(piece for _, piece in text.pieces(0, (9, len(LINE)))) == shown
    at = 0
    for column, piece in text.pieces(0, (9, len(LINE))):
        assert text.cell(0, column) == at
        at += len(piece)
    # Every place on a name leads into its part, and those beside it do not.
    cells = text.cells(0)
    for cell in range(len(first)):
        column = text.column(0, cells[FIRST] + cell + 0.4)
        assert text.name_at(0, column).text == first
    assert text.column(0, cells[FIRST] - 1) == FIRST - 1
    assert text.column(0, cells[FIRST] + len(first) + 1) == FIRST + WIDE + 1


def test_a_name_is_a_token_and_is_cut_as_a_whole():
    text = named("weights", "x", Comments())
    tokens = [run[2] for run in text.tokens(0)]
    assert tokens == [Comment, NAME_IN_PLACE, Comment, NAME_IN_PLACE, Comment]
    assert [run[2] for run in text.tokens(1)] == [Comment]
    cells = text.cells(0)
    assert text.cut(0, cells[FIRST] + 3) == FIRST
    assert text.cut(0, cells[-1]) is None
