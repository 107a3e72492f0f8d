import random
from itertools import pairwise

import pytest

from jitstudio.analysis.diagrams.layers import columns, islands, layered


def random_pairs(seed, count=40):
    """Pairs of blocks to be one below the other, without circles."""
    chance = random.Random(seed)
    pairs = (sorted(chance.sample(range(count), 2)) for _ in range(count * 2))
    return sorted({(one, other) for one, other in pairs})


def crossings(layers):
    """By their definition: two edges cross if their ends are in the other order."""
    total = 0
    for row, following in pairwise(layers.rows):
        at = {node: index for index, node in enumerate(following)}
        ends = [(i, at[other]) for i, node in enumerate(row) for other in layers.below[node]]
        total += sum(a < c and b > d for a, b in ends for c, d in ends)
    return total


def test_what_comes_later_is_further_down():
    layers = layered(4, [(0, 1), (1, 2), (0, 3)])
    assert layers.rows == [[0], [1, 3], [2]]
    assert layers.chains == {(0, 1): (), (1, 2): (), (0, 3): ()}


def test_an_edge_takes_a_place_in_each_layer_that_it_passes():
    layers = layered(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert layers.chains[0, 3] == (4, 5)
    assert [sorted(row) for row in layers.rows] == [[0], [1, 4], [2, 5], [3]]
    assert layers.below[4] == (5,)
    assert layers.above[5] == (4,)


def test_what_nothing_leads_to_stands_just_above_what_it_leads_to():
    layers = layered(4, [(0, 1), (1, 2), (3, 2)])
    assert [sorted(row) for row in layers.rows] == [[0], [1, 3], [2]]


def test_the_longest_edges_take_no_places():
    row = [(at, at + 1) for at in range(99)]
    layers = layered(100, [*row, (0, 99)])
    assert (0, 99) not in layers.chains
    assert sum(map(len, layers.rows)) == 100


def test_two_edges_that_need_not_cross_do_not():
    layers = layered(6, [(0, 1), (0, 2), (1, 4), (2, 3), (1, 5)])
    assert crossings(layers) == 0


@pytest.mark.parametrize("seed", range(20))
def test_all_nodes_are_in_layers_and_links_lead_one_down(seed):
    pairs = random_pairs(seed)
    layers = layered(40, pairs)
    depth = {node: at for at, row in enumerate(layers.rows) for node in row}
    assert sorted(depth) == list(range(len(layers.above)))
    assert layers.chains.keys() == set(pairs)
    for node, others in enumerate(layers.below):
        assert all(depth[other] == depth[node] + 1 for other in others)


@pytest.mark.parametrize("seed", range(10))
def test_sorting_makes_fewer_crossings_and_always_the_same_ones(seed):
    pairs = random_pairs(seed)
    one, other = layered(40, pairs), layered(40, reversed(pairs))
    assert one.rows == other.rows
    unsorted = [sorted(row) for row in one.rows]
    sorted_crossings = crossings(one)
    one.rows[:] = unsorted
    assert sorted_crossings < crossings(one)


def test_islands_are_what_is_connected():
    assert islands(6, [(0, 2), (4, 2), (3, 5)]) == [[0, 2, 4], [1], [3, 5]]


@pytest.mark.parametrize("seed", range(20))
def test_order_and_distances_are_kept(seed):
    chance = random.Random(seed)
    layers = layered(40, random_pairs(seed))
    widths = [chance.randint(10, 90) for _ in layers.above]
    at = columns(layers, widths)
    for row in layers.rows:
        for left, right in pairwise(row):
            assert at[right] - at[left] >= (widths[left] + widths[right]) / 2 - 1e-6
    assert min(x - width / 2 for x, width in zip(at, widths, strict=True)) == pytest.approx(0)


def test_a_row_of_blocks_is_straight():
    layers = layered(4, [(0, 1), (1, 2), (2, 3)])
    assert columns(layers, [40, 80, 20, 60]) == pytest.approx([40] * 4)


def test_a_block_stands_between_the_two_that_it_leads_to():
    layers = layered(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    at = columns(layers, [50] * 4)
    assert at[0] == pytest.approx((at[1] + at[2]) / 2)
    assert at[3] == pytest.approx(at[0])


def test_an_edge_passes_all_layers_in_one_column():
    layers = layered(6, [(at, at + 1) for at in range(5)] + [(0, 5)])
    at = columns(layers, [60] * 6 + [16] * 4)
    assert len({round(at[node], 6) for node in layers.chains[0, 5]}) == 1
