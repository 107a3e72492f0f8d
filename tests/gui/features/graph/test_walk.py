import pytest

from jitstudio.gui.features.graph.walk import step
from jitstudio.gui.kit.diagrams.canvas import Way
from tests.gui.graphs import loops_picture


@pytest.mark.parametrize(
    ("block", "way", "expected"),
    [
        (0, Way.DOWN, 1),
        (1, Way.UP, 0),
        (3, Way.DOWN, 4),
        # The edge back to the head leads up, but it is no way down.
        (2, Way.DOWN, 3),
        (0, Way.UP, 0),
        (3, Way.FIRST, 0),
        (0, Way.LAST, 6),
        (-1, Way.DOWN, 0),
        (99, Way.LEFT, 0),
    ],
)
def test_arrows_follow_the_edges_up_and_down(block, way, expected):
    picture = loops_picture()
    assert step(picture.graph, picture.layout, block, way) == expected


def test_arrows_lead_to_blocks_beside_each_other():
    picture = loops_picture()
    left, right = sorted((5, 6), key=lambda block: picture.layout.boxes[block].x)
    assert step(picture.graph, picture.layout, left, Way.RIGHT) == right
    assert step(picture.graph, picture.layout, right, Way.LEFT) == left
    assert step(picture.graph, picture.layout, right, Way.RIGHT) == right


def test_every_block_can_be_walked_to():
    picture = loops_picture()
    seen, todo = set(), [0]
    while todo:
        if (block := todo.pop()) not in seen:
            seen.add(block)
            todo += [step(picture.graph, picture.layout, block, way) for way in Way]
    assert seen == set(range(7))
