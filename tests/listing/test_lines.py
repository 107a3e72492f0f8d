import random

from jitstudio.listing.lines import split_at_newlines, split_lines


def test_pieces_give_the_lines_of_the_whole():
    chance = random.Random(1)
    for size in (0, 1, 1 << 18, (1 << 18) + 1, 3 << 18):
        text = "".join(chance.choices(["a line", "\n", "\r", "é"], k=size // 3))
        assert split_at_newlines(text) == text.split("\n")


def test_a_line_longer_than_a_piece_stays_whole():
    text = "x" * (1 << 20) + "\n" + "y"
    assert split_at_newlines(text) == text.split("\n")


def test_all_line_ends_of_compilers_count():
    assert split_lines("a\r\nb\rc\nd") == ["a", "b", "c", "d"]
