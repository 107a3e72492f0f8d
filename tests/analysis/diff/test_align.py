from random import Random
from time import process_time

import pytest

from jitstudio.analysis.diff.align import align, align_by, common_subsequence, merged
from jitstudio.listing.lines import NOWHERE


def test_lines_that_stand_once_tie_the_texts_together():
    left = ["{", "x", "}", "{", "only", "}", "{", "z", "}"]
    right = ["{", "only", "}", "{", "z", "}"]
    assert (4, 1) in align(left, right)
    assert (7, 4) in align(left, right)


def test_pairs_ascend_where_lines_have_changed_places():
    assert align("abcd", "badc") in ([(0, 1), (2, 3)], [(1, 0), (3, 2)], [(0, 1), (3, 2)])


def test_what_differs_is_paired_by_the_next_keys_then_in_its_order():
    left, right = ["a 1", "b 1", "c"], ["b 2", "a 2", "d"]
    words = ([line[0] for line in left], [line[0] for line in right])
    pairs = align_by([(left, right), words])
    assert len(pairs) in (1, 2)
    assert (0, 1) in pairs or (1, 0) in pairs


def test_all_places_come_in_order():
    assert [*merged([(1, 0), (2, 2)], 4, 3)] == [
        (0, NOWHERE),
        (1, 0),
        (NOWHERE, 1),
        (2, 2),
        (3, NOWHERE),
    ]


@pytest.mark.bench
def test_fifty_thousand_lines_take_no_time_to_speak_of():
    random = Random(1)
    left = [f"FFMA R{random.randrange(250)}, R{random.randrange(8)}" for _ in range(50_000)]
    right = left.copy()
    for _ in range(500):
        right[random.randrange(len(right))] = f"FADD R{random.randrange(250)}"
    del right[7000:7100]
    started = process_time()
    pairs = align(left, right)
    assert process_time() - started < 4  # some 0.4
    assert len(pairs) >= 50_000 - 600


def longest(left, right):
    """How long the longest common subsequence is, by the table of the textbooks."""
    above = [0] * (len(right) + 1)
    for one in left:
        row = [0]
        for at, other in enumerate(right):
            row.append(above[at] + 1 if one == other else max(above[at + 1], row[at]))
        above = row
    return above[-1]


@pytest.mark.parametrize("seed", range(60))
def test_no_other_subsequence_is_longer(seed):
    random = Random(seed)
    letters = "abcdefgh"[: random.randint(1, 8)]
    left, right = (random.choices(letters, k=random.randint(0, 80)) for _ in range(2))
    pairs = [*common_subsequence(left, right)]
    assert len(pairs) == longest(left, right)
    assert all(left[one] == right[other] for one, other in pairs)
    for column in zip(*pairs, strict=True):
        assert list(column) == sorted(set(column))


def test_what_is_the_same_is_paired_place_by_place():
    assert [*common_subsequence("abcab", "abcab")] == [(n, n) for n in range(5)]


def test_nothing_in_common_gives_nothing():
    assert [*common_subsequence("abc", "xyz")] == []
    assert [*common_subsequence("", "xyz")] == []
