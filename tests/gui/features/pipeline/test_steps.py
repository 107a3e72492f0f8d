import pytest

from jitstudio.gui.features.pipeline.layout import Layout, Place
from jitstudio.gui.features.pipeline.steps import step
from jitstudio.gui.kit.diagrams.canvas import Way

LAYOUT = Layout(
    {
        "source": Place(0, 0.5),
        "run": Place(1, 0.5),
        "high": Place(2, 0),
        "low": Place(2, 1),
        "last": Place(4, 1),
    },
    {},
)


@pytest.mark.parametrize(
    ("start", "way", "end"),
    [
        ("source", Way.RIGHT, "run"),
        ("run", Way.RIGHT, "high"),
        ("high", Way.DOWN, "low"),
        ("low", Way.UP, "high"),
        ("low", Way.RIGHT, "last"),
        ("last", Way.LEFT, "low"),
        ("last", Way.RIGHT, "last"),
        ("run", Way.DOWN, "run"),
        ("run", Way.FIRST, "source"),
        ("run", Way.LAST, "last"),
        ("", Way.LEFT, "source"),
    ],
)
def test_each_key_leads_to_the_nearest_node_that_way(start, way, end):
    assert step(LAYOUT, start, way) == end
