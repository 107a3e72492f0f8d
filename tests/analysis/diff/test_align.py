from random import Random
from time import perf_counter

from jitstudio.analysis.diff.align import align, align_by, merged
from jitstudio.analysis.sass.model import NOWHERE


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


def test_fifty_thousand_lines_take_no_time_to_speak_of():
    random = Random(1)
    left = [f"FFMA R{random.randrange(250)}, R{random.randrange(8)}" for _ in range(50_000)]
    right = left.copy()
    for _ in range(500):
        right[random.randrange(len(right))] = f"FADD R{random.randrange(250)}"
    del right[7000:7100]
    started = perf_counter()
    pairs = align(left, right)
    assert perf_counter() - started < 20  # 0.4 s where nothing else runs
    assert len(pairs) >= 50_000 - 600
