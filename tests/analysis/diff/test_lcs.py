from random import Random

import pytest

from jitstudio.analysis.diff.lcs import common_subsequence


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
