import pytest

from jitstudio.gui.kit.code_units import from_units, is_plain, to_units

EMOJI = "a\N{ROCKET}b\N{ROCKET}c"


@pytest.mark.parametrize("text", ["", "int x;", "größer", "\u4e2d\u6587"])
def test_most_texts_count_the_same_both_ways(text):
    assert is_plain(text)
    assert to_units(text, len(text)) == from_units(text, len(text)) == len(text)


def test_a_character_beyond_the_first_plane_is_two_units():
    assert not is_plain(EMOJI)
    assert [to_units(EMOJI, column) for column in range(6)] == [0, 1, 3, 4, 6, 7]
    assert [from_units(EMOJI, units) for units in (0, 1, 3, 4, 6, 7)] == list(range(6))


def test_half_of_a_character_counts_as_behind_it():
    assert from_units(EMOJI, 2) == 2


def test_units_behind_the_end_are_the_end():
    assert from_units(EMOJI, 99) == len(EMOJI)
