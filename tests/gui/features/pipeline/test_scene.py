"""Words that can be read, whatever state they tell of."""

from itertools import product

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.tools import Tool
from jitstudio.gui.features.pipeline.graph import Node, NodeRole, NodeState
from jitstudio.gui.features.pipeline.scene import look_of, mark_of
from jitstudio.gui.kit.diagrams.canvas import mixed
from jitstudio.gui.kit.icons import icon
from tests.gui.kit.test_theme import READABLE, VISIBLE, contrast

NODES = [
    Node("r", NodeRole.TOOL, "k.cu", "NVRTC", tool=Tool.NVRTC),
    Node("s", NodeRole.SOURCE, "k.cu", "k.cu", CodeKind.CUDA),
    Node("h", NodeRole.HEADER, "k.cuh", "k.cuh", CodeKind.CUDA),
    Node("l", NodeRole.LAUNCH, "", "Launch"),
]


def in_state(node, state):
    return Node(**{**vars(node), "state": state})


def test_both_lines_are_readable_on_their_ground(theme):
    for node, state in product(NODES, NodeState):
        look = look_of(in_state(node, state), theme)
        assert contrast(look.title, look.fill) >= READABLE, (node, state)
        assert contrast(look.facts, look.fill) >= READABLE, (node, state)


@pytest.mark.parametrize("state", NodeState, ids=lambda state: state.name)
def test_frames_and_marks_can_be_seen(qapp, theme, state):
    look = look_of(in_state(NODES[0], state), theme)
    assert contrast(look.line, theme.ui.base) >= VISIBLE
    name, color = mark_of(state, theme)
    assert contrast(color, theme.ui.base) >= VISIBLE
    assert not name or not icon(name, color).isNull()


def test_states_that_matter_differ_in_more_than_colour(light):
    telling = (
        NodeState.DONE,
        NodeState.CACHED,
        NodeState.FAILED,
        NodeState.STALE,
        NodeState.WAITING,
        NodeState.SKIPPED,
    )
    assert len({mark_of(state, light)[0] for state in telling}) == len(telling)


def test_mixing_goes_from_the_ground_to_the_colour(light):
    ground, color = light.ui.base, light.marks.error
    assert mixed(ground, color, 0.0).rgb() == ground.rgb()
    assert mixed(ground, color, 1.0).rgb() == color.rgb()
