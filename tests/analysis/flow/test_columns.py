import random
from itertools import pairwise

import pytest

from jitstudio.analysis.flow.columns import columns
from jitstudio.analysis.flow.layers import layered
from tests.analysis.flow.graphs import random_pairs


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
