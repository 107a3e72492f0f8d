from time import thread_time

import pytest

from jitstudio.gui.listing.hiding import Hiding
from jitstudio.listing.folds import Block, Outline
from jitstudio.listing.lines import LineClass

CODE, COMMENT, DIRECTIVE, DEBUG = LineClass
# Two kernels, the first with a block inside.
CLASSES = bytes([COMMENT, CODE, DIRECTIVE, CODE, CODE, COMMENT, CODE, CODE, CODE, DEBUG])
BLOCKS = (
    Block(1, 6, "first", is_function=True),
    Block(3, 5, "first/1"),
    Block(7, 9, "second", is_function=True),
)


@pytest.fixture
def hiding():
    return Hiding(10, Outline(CLASSES, BLOCKS))


def shown(hiding):
    return list(hiding.rows.between(0, 9))


def test_filters_leave_out_their_classes(hiding):
    hiding.set_filters(frozenset({COMMENT, DEBUG}))
    assert shown(hiding) == [1, 2, 3, 4, 6, 7, 8]
    hiding.set_filters(frozenset())
    assert shown(hiding) == list(range(10))


def test_a_folded_block_shows_its_head(hiding):
    hiding.set_folded(1, True)
    assert shown(hiding) == [0, 1, 7, 8, 9]
    assert (hiding.is_folded(1), hiding.is_folded(7)) == (True, False)
    hiding.set_folded(1, False)
    assert shown(hiding) == list(range(10))


def test_a_block_within_stays_folded_when_the_outer_one_opens(hiding):
    hiding.set_all_folded(True)
    assert shown(hiding) == [0, 1, 7]
    hiding.set_folded(1, False)
    assert shown(hiding) == [0, 1, 2, 3, 6, 7]


def test_a_line_that_is_no_head_folds_nothing(hiding):
    hiding.set_folded(2, True)
    assert (hiding.rows.hidden_count, hiding.is_folded(2), hiding.block_at(2)) == (0, False, None)


def test_the_block_around_a_line_is_the_innermost_open_one(hiding):
    assert hiding.block_around(4) == BLOCKS[1]
    hiding.set_folded(3, True)
    assert hiding.block_around(4) == BLOCKS[0]
    assert hiding.function_around(4) == BLOCKS[0]
    assert (hiding.block_around(0), hiding.function_around(0)) == (None, None)


def test_a_revealed_line_opens_what_it_is_in_and_nothing_else(hiding):
    hiding.set_filters(frozenset({COMMENT}))
    hiding.set_all_folded(True)
    hiding.reveal(5)
    assert shown(hiding) == [1, 2, 3, 4, 5, 6, 7]
    # A filter that is set anew holds for that line again.
    hiding.set_filters(frozenset({COMMENT}))
    assert shown(hiding) == [1, 2, 3, 4, 6, 7]


def test_folds_are_found_again_by_name(hiding):
    hiding.set_folded(3, True)
    hiding.set_folded(7, True)
    moved = tuple(block._replace(head=block.head - 1, last=block.last - 1) for block in BLOCKS)
    newer = Hiding(9, Outline(CLASSES[1:], moved[:2]))
    newer.toggle_names(hiding.toggled_names)
    assert list(newer.rows.between(0, 8)) == [0, 1, 2, 5, 6, 7, 8]


def test_without_an_outline_nothing_is_hidden():
    hiding = Hiding(3)
    hiding.set_filters(frozenset({COMMENT, DIRECTIVE, DEBUG}))
    hiding.set_all_folded(True)
    hiding.reveal(1)
    assert (len(hiding.rows), hiding.block_around(1)) == (3, None)


def test_hundreds_of_thousands_of_lines_are_hidden_at_once():
    blocks = tuple(
        Block(10 * n + block.head, 10 * n + block.last, f"{n}{block.name}", block.is_function)
        for n in range(30_000)
        for block in BLOCKS
    )
    outline = Outline(CLASSES * 30_000, blocks)
    start = thread_time()
    hiding = Hiding(300_000, outline)
    hiding.set_filters(frozenset({COMMENT, DIRECTIVE, DEBUG}))
    hiding.set_all_folded(True)
    hiding.reveal(150_004)
    # 40 ms on a machine that does nothing else.
    assert thread_time() - start < 0.4
    assert len(hiding.rows) == 2 * 30_000 + 3
