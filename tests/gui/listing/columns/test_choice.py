import pytest

from jitstudio.gui.listing.columns.choice import LEAST_CELLS, MOST_CELLS, ColumnChoice
from jitstudio.gui.listing.columns.sass_columns import COLUMNS

ALL = [column.key for column in COLUMNS]


@pytest.fixture
def usual():
    return ColumnChoice.usual()


def keys(choice):
    return [one.key for one in choice.columns]


def shown(choice):
    return [one.key for one in choice.shown]


def test_some_columns_are_there_from_the_start(usual):
    assert keys(usual) == ALL
    assert shown(usual) == ["gpr", "stall", "wait"]


def test_a_column_comes_and_goes(usual):
    with_source = usual.show("source", True)
    assert shown(with_source) == ["source", "gpr", "stall", "wait"]
    assert with_source.show("source", False) == usual


def test_a_column_moves_past_those_that_are_not_shown(usual):
    moved = usual.step("wait", -1)
    assert shown(moved) == ["gpr", "wait", "stall"]
    assert shown(moved.step("wait", -1)) == ["wait", "gpr", "stall"]
    assert moved.step("wait", -1).step("wait", -1) == moved.step("wait", -1)
    assert usual.step("wait", 1) == usual
    assert sorted(keys(moved)) == sorted(ALL)


def test_widths_stay_within_reason(usual):
    assert usual.resize("gpr", 20).of("gpr").cells == 20
    assert usual.resize("gpr", 0).of("gpr").cells == LEAST_CELLS
    assert usual.resize("gpr", 9999).of("gpr").cells == MOST_CELLS


def test_a_choice_is_remembered(usual):
    choice = usual.show("source", True).move("source", 9).resize("gpr", 30).show("wait", False)
    assert ColumnChoice.read(choice.kept) == choice


@pytest.mark.parametrize("kept", [[], ["nonsense"], ["gpr"], ["bogus:5", ":", "-:3"]])
def test_without_anything_remembered_it_is_the_usual(kept, usual):
    assert ColumnChoice.read(kept) == usual


def test_what_is_remembered_is_put_right(usual):
    read = ColumnChoice.read(["wait:1", "-gone:4", "wait:20", "-gpr:999"])
    assert keys(read)[:2] == ["wait", "gpr"]
    assert sorted(keys(read)) == sorted(ALL)
    assert read.of("wait").cells == LEAST_CELLS
    assert read.of("gpr").cells == MOST_CELLS
    # A column that came with a newer version waits to be chosen.
    assert shown(read) == ["wait"]


def test_no_column_at_all_is_a_choice(usual):
    none = ColumnChoice.read([one.kept for one in usual.columns if not one.is_shown])
    assert none.shown == ()
