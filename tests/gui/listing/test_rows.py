import numpy as np
import pytest

from jitstudio.gui.listing.rows import Rows

#         lines 0  1  2  3  4  5  6
HIDDEN = [1, 0, 0, 1, 1, 0, 1]


@pytest.fixture
def rows():
    return Rows(7, np.array(HIDDEN, np.bool_))


def test_rows_count_the_lines_that_are_shown(rows):
    assert (len(rows), rows.line_count, rows.hidden_count) == (3, 7, 4)
    assert [rows.line(row) for row in range(3)] == [1, 2, 5]
    assert [line for line in range(7) if rows.shows(line)] == [1, 2, 5]


def test_a_hidden_line_is_in_the_row_of_the_nearest_above(rows):
    assert [rows.row(line) for line in range(7)] == [0, 0, 1, 1, 1, 2, 2]


def test_rows_outside_are_drawn_in(rows):
    assert (rows.line(-3), rows.line(99)) == (1, 5)


def test_steps_pass_over_what_is_hidden(rows):
    assert [rows.step(2, count) for count in (-9, -1, 0, 1, 9)] == [1, 1, 2, 5, 5]
    assert rows.step(4, 0) == 2


def test_the_shown_lines_between_two(rows):
    assert list(rows.between(0, 6)) == [1, 2, 5]
    assert list(rows.between(2, 4)) == [2]
    assert list(rows.between(3, 4)) == list(rows.between(2, 1)) == []


def test_without_hidden_lines_a_row_is_a_line():
    for rows in (Rows(4), Rows(4, np.zeros(4, np.bool_))):
        assert (len(rows), rows.hidden_count) == (4, 0)
        assert [rows.line(2), rows.row(2), rows.row(9), rows.step(1, 2)] == [2, 2, 3, 3]
        assert list(rows.between(1, 2)) == [1, 2]


def test_one_line_is_shown_where_all_are_hidden():
    rows = Rows(3, np.ones(3, np.bool_))
    assert (len(rows), rows.line(0), rows.row(2), rows.hidden_count) == (1, 0, 0, 2)
