from time import thread_time

import numpy as np
import pytest

from jitstudio.gui.listing.folding import ListingFolds, VisibleRows
from jitstudio.listing.folds import FoldRange, ListingOutline
from jitstudio.listing.lines import LineClass

#         lines 0  1  2  3  4  5  6
HIDDEN = [1, 0, 0, 1, 1, 0, 1]


@pytest.fixture
def rows():
    return VisibleRows(7, np.array(HIDDEN, np.bool_))


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
    assert list(rows.copied(0, 6)) == [1, 2, 5]
    assert list(rows.copied(2, 4)) == [2]
    assert list(rows.copied(3, 4)) == list(rows.copied(2, 1)) == []


def test_without_hidden_lines_a_row_is_a_line():
    for rows in (VisibleRows(4), VisibleRows(4, np.zeros(4, np.bool_))):
        assert (len(rows), rows.hidden_count) == (4, 0)
        assert [rows.line(2), rows.row(2), rows.row(9), rows.step(1, 2)] == [2, 2, 3, 3]
        assert list(rows.copied(1, 2)) == [1, 2]


def test_one_line_is_shown_where_all_are_hidden():
    rows = VisibleRows(3, np.ones(3, np.bool_))
    assert (len(rows), rows.line(0), rows.row(2), rows.hidden_count) == (1, 0, 0, 2)


CODE, COMMENT, DIRECTIVE, DEBUG, LABEL = LineClass
# Two kernels, the first with a block inside.
CLASSES = bytes([COMMENT, CODE, DIRECTIVE, CODE, CODE, COMMENT, CODE, CODE, CODE, DEBUG])
BLOCKS = (
    FoldRange(1, 6, "first", is_function=True),
    FoldRange(3, 5, "first/1"),
    FoldRange(7, 9, "second", is_function=True),
)


@pytest.fixture
def folds():
    return ListingFolds(10, ListingOutline(CLASSES, BLOCKS))


def shown(folds):
    return list(folds.rows.copied(0, 9))


def test_labels_that_are_left_out_are_copied_unless_they_are_folded():
    labels = bytes([COMMENT, CODE, DIRECTIVE, LABEL, LABEL, COMMENT, CODE, LABEL, CODE, DEBUG])
    folds = ListingFolds(10, ListingOutline(labels, BLOCKS[:2]))
    folds.set_filters(frozenset({LABEL, DIRECTIVE}))
    assert [folds.rows.line(row) for row in range(len(folds.rows))] == [0, 1, 5, 6, 8, 9]
    assert shown(folds) == [0, 1, 3, 4, 5, 6, 7, 8, 9]
    folds.set_folded(1, True)
    assert shown(folds) == [0, 1, 7, 8, 9]


def test_filters_leave_out_their_classes(folds):
    folds.set_filters(frozenset({COMMENT, DEBUG}))
    assert shown(folds) == [1, 2, 3, 4, 6, 7, 8]
    folds.set_filters(frozenset())
    assert shown(folds) == list(range(10))


def test_a_folded_block_shows_its_head(folds):
    folds.set_folded(1, True)
    assert shown(folds) == [0, 1, 7, 8, 9]
    assert (folds.is_folded(1), folds.is_folded(7)) == (True, False)
    folds.set_folded(1, False)
    assert shown(folds) == list(range(10))


def test_a_block_within_stays_folded_when_the_outer_one_opens(folds):
    folds.set_all_folded(True)
    assert shown(folds) == [0, 1, 7]
    folds.set_folded(1, False)
    assert shown(folds) == [0, 1, 2, 3, 6, 7]


def test_a_line_that_is_no_head_folds_nothing(folds):
    folds.set_folded(2, True)
    assert (folds.rows.hidden_count, folds.is_folded(2), folds.block_at(2)) == (0, False, None)


def test_the_block_around_a_line_is_the_innermost_open_one(folds):
    assert folds.block_around(4) == BLOCKS[1]
    folds.set_folded(3, True)
    assert folds.block_around(4) == BLOCKS[0]
    assert folds.function_around(4) == BLOCKS[0]
    assert (folds.block_around(0), folds.function_around(0)) == (None, None)


def test_a_revealed_line_opens_what_it_is_in_and_nothing_else(folds):
    folds.set_filters(frozenset({COMMENT}))
    folds.set_all_folded(True)
    folds.reveal(5)
    assert shown(folds) == [1, 2, 3, 4, 5, 6, 7]
    # A filter that is set anew holds for that line again.
    folds.set_filters(frozenset({COMMENT}))
    assert shown(folds) == [1, 2, 3, 4, 6, 7]


def test_folds_are_found_again_by_name(folds):
    folds.set_folded(3, True)
    folds.set_folded(7, True)
    moved = tuple(block._replace(head=block.head - 1, last=block.last - 1) for block in BLOCKS)
    newer = ListingFolds(9, ListingOutline(CLASSES[1:], moved[:2]))
    newer.toggle_names(folds.toggled_names)
    assert list(newer.rows.copied(0, 8)) == [0, 1, 2, 5, 6, 7, 8]


def test_without_an_outline_nothing_is_hidden():
    folds = ListingFolds(3)
    folds.set_filters(frozenset({COMMENT, DIRECTIVE, DEBUG}))
    folds.set_all_folded(True)
    folds.reveal(1)
    assert (len(folds.rows), folds.block_around(1)) == (3, None)


def test_hundreds_of_thousands_of_lines_are_hidden_at_once():
    blocks = tuple(
        FoldRange(10 * n + block.head, 10 * n + block.last, f"{n}{block.name}", block.is_function)
        for n in range(30_000)
        for block in BLOCKS
    )
    outline = ListingOutline(CLASSES * 30_000, blocks)
    start = thread_time()
    folds = ListingFolds(300_000, outline)
    folds.set_filters(frozenset({COMMENT, DIRECTIVE, DEBUG}))
    folds.set_all_folded(True)
    folds.reveal(150_004)
    # 40 ms on a machine that does nothing else.
    assert thread_time() - start < 0.4
    assert len(folds.rows) == 2 * 30_000 + 3
