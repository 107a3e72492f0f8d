"""Suggested layouts have no conflicts, and none is suggested where none helps."""

from __future__ import annotations

import pytest

from jitstudio.core.launch.simulation import AccessKind, AccessSample, StateSpace, ThreadPlace
from jitstudio.simulator.observers.layouts import with_suggestions

PLACE = ThreadPlace("k.cu", 1, 1, (0, 0, 0), (0, 0, 0))


def sample(addresses, cost, size=4):
    lanes = tuple(enumerate(addresses))
    return AccessSample(1, StateSpace.SHARED, AccessKind.READ, size, PLACE, lanes, cost)


ROW = sample((lane * 4 for lane in range(32)), 1)


def test_a_tile_of_32_columns_is_padded_or_swizzled():
    column = sample((lane * 128 for lane in range(32)), 32)
    read, written = with_suggestions((column, ROW))
    assert "[32 + 1] in place of [32]" in read.suggestion
    assert "takes 1 in place of 32." in read.suggestion
    assert "column ^ (row % 32)" in read.suggestion
    assert written.suggestion == ""


@pytest.mark.parametrize(
    "lanes",
    [
        [lane * 12 for lane in range(32)],
        [(lane * lane * 40) % 4096 for lane in range(32)],
    ],
    ids=["no conflicts", "no rows"],
)
def test_nothing_is_suggested_where_nothing_helps(lanes):
    (found,) = with_suggestions((sample(lanes, 2),))
    assert found.suggestion == ""
