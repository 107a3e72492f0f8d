import pytest

from jitstudio.gui.listing.caret import ListingCaret
from jitstudio.gui.listing.listing_text import ListingText
from jitstudio.listing.sass import NameInPlace

LINES = ["ld.param.u64 %rd1, [a];", "  ret;", "", "}"]


@pytest.fixture
def caret():
    return ListingCaret(ListingText(LINES))


def test_a_place_outside_is_drawn_into_the_text(caret):
    caret.set_place((99, 99))
    assert caret.place == (3, 1)
    caret.set_place((-5, -5))
    assert caret.place == (0, 0)


def test_up_and_down_come_back_to_their_column(caret):
    caret.set_place((0, 15))
    caret.move_lines(1, select=False)
    assert caret.place == (1, 6)
    caret.move_lines(1, select=False)
    assert caret.place == (2, 0)
    caret.move_lines(-2, select=False)
    assert caret.place == (0, 15)


def test_another_move_sets_another_column(caret):
    caret.set_place((0, 15))
    caret.move_lines(1, select=False)
    caret.move_columns(-1, select=False)
    caret.move_lines(-1, select=False)
    assert caret.place == (0, 5)


def test_up_and_down_stay_in_the_same_cell_beside_tabs():
    caret = ListingCaret(ListingText(["\tab", "0123456789"]))
    caret.set_place((0, 2))
    caret.move_lines(1, select=False)
    assert caret.place == (1, 9)


def test_left_and_right_pass_the_ends_of_lines(caret):
    caret.set_place((1, 6))
    caret.move_columns(1, select=False)
    assert caret.place == (2, 0)
    caret.move_columns(-1, select=False)
    assert caret.place == (1, 6)


def test_left_and_right_stop_at_the_ends_of_the_text(caret):
    caret.move_columns(-1, select=False)
    assert caret.place == (0, 0)
    caret.move_bottom(select=False)
    caret.move_columns(1, select=False)
    assert caret.place == (3, 1)


@pytest.mark.parametrize(("count", "column"), [(1, 8), (-1, 2)])
def test_left_and_right_leave_a_selection_at_its_end(caret, count, column):
    caret.select((0, 2), (0, 8))
    caret.move_columns(count, select=False)
    assert caret.place == caret.anchor == (0, column)


def test_words_are_walked_forward_and_back(caret):
    places = []
    for _ in range(7):
        caret.move_word(forward=True, select=False)
        places.append(caret.place)
    assert places == [(0, 2), (0, 8), (0, 13), (0, 20), (1, 0), (1, 2), (2, 0)]
    back = []
    for _ in range(7):
        caret.move_word(forward=False, select=False)
        back.append(caret.place)
    assert back == [(1, 6), (1, 2), (0, 23), (0, 20), (0, 13), (0, 8), (0, 2)]


def test_words_stop_at_the_ends_of_the_text(caret):
    caret.move_word(forward=False, select=False)
    assert caret.place == (0, 0)
    caret.move_bottom(select=False)
    caret.move_word(forward=True, select=False)
    assert caret.place == (3, 1)


def test_words_of_a_line_of_megabytes_are_near():
    caret = ListingCaret(ListingText(["ab " * 3_000_000]))
    caret.set_place((0, 4_500_001))
    caret.move_word(forward=True, select=False)
    assert caret.place == (0, 4_500_003)
    caret.move_word(forward=False, select=False)
    assert caret.place == (0, 4_500_000)
    caret.select_words((0, 4_500_001), (0, 4_500_001))
    assert caret.selection == ((0, 4_500_000), (0, 4_500_002))


def test_home_goes_to_the_text_then_to_the_edge(caret):
    caret.set_place((1, 5))
    columns = []
    for _ in range(3):
        caret.move_home(select=False)
        columns.append(caret.place[1])
    assert columns == [2, 0, 2]


def test_moves_select_from_where_they_began(caret):
    caret.set_place((1, 2))
    caret.move_end(select=True)
    assert caret.selected_text() == "ret;"
    caret.move_top(select=True)
    assert caret.selection == ((0, 0), (1, 2))
    assert caret.selected_text() == LINES[0] + "\n  "


def test_all_is_selected_and_copied_as_it_is(caret):
    caret.select_all()
    assert caret.selected_text() == "\n".join(LINES)


@pytest.mark.parametrize(
    ("column", "word"),
    [(0, "ld"), (1, "ld"), (2, ".param"), (10, ".u64"), (13, "%rd1"), (16, "%rd1"), (18, " ")],
)
def test_a_double_click_takes_registers_and_directives_as_words(caret, column, word):
    caret.select_words((0, column), (0, column))
    assert caret.selected_text() == word


def test_dragged_words_are_taken_whole_both_ways(caret):
    caret.select_words((0, 4), (0, 14))
    assert caret.selected_text() == ".param.u64 %rd1"
    assert caret.place == (0, 17)
    caret.select_words((0, 14), (0, 4))
    assert caret.selected_text() == ".param.u64 %rd1"
    assert caret.place == (0, 2)


def test_lines_are_selected_with_their_ends(caret):
    caret.select_lines((0, 5), (0, 7))
    assert caret.selected_text() == LINES[0] + "\n"
    caret.select_lines((1, 0), (3, 0))
    assert caret.selected_text() == "  ret;\n\n}"
    caret.select_lines((2, 0), (1, 3))
    assert caret.selected_text() == "  ret;\n\n"
    assert caret.place == (1, 0)


def test_the_selected_part_of_each_line_is_known(caret):
    caret.select((0, 19), (2, 0))
    assert [caret.columns_in(line) for line in range(4)] == [
        (19, 23, True),
        (0, 6, True),
        (0, 0, False),
        None,
    ]
    caret.set_place((1, 1))
    assert caret.columns_in(1) is None


def test_the_caret_passes_a_name_at_once_and_copies_what_is_behind_it():
    line = "IADD R1, c[0x0][0x218], R2"
    caret = ListingCaret(ListingText([line, line], names={0: (NameInPlace(9, 22, "n"),)}))
    caret.set_place((0, 9))
    caret.move_columns(1, select=True)
    assert (caret.place, caret.selected_text()) == ((0, 22), "c[0x0][0x218]")
    caret.set_place((0, 22))
    caret.move_columns(-1, select=False)
    assert caret.place == (0, 9)
    caret.move_word(True, select=False)
    assert caret.place == (0, 24)
    caret.move_word(False, select=False)
    assert caret.place == (0, 9)
    caret.select_words((0, 12), (0, 12))
    assert caret.selected_text() == "c[0x0][0x218]"
    # From the middle of the text below to the nearer edge.
    caret.set_place((1, 9))
    caret.move_lines(-1, select=False)
    assert caret.place == (0, 9)
