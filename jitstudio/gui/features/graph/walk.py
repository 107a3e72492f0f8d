"""From block to block by the arrow keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from jitstudio.analysis.control_flow import FlowGraph
from jitstudio.analysis.flow.layout import Layout
from jitstudio.analysis.flow.routes import Box
from jitstudio.gui.kit.diagrams.canvas import Way


def step(graph: FlowGraph, layout: Layout, block: int, way: Way) -> int:
    """The block that lies this way from another one; that one itself where none does.

    Up and down follow the edges where there are some that lead this way.

    Args:
        graph: What is walked through; it has a block at least.
        layout: Where its blocks stand.
        block: Where to start; if that is nowhere, the way leads to the first block.
        way: Where to go.
    """
    if way is Way.LAST:
        return len(graph.blocks) - 1
    if way is Way.FIRST or not 0 <= block < len(graph.blocks):
        return 0
    linked: Iterable[int] = ()
    if way in (Way.UP, Way.DOWN):
        linked = (graph.predecessors if way is Way.UP else graph.successors)[block]
    found = _nearest(layout, block, linked, _THERE[way])
    return (
        _nearest(layout, block, range(len(graph.blocks)), _THERE[way]) if found == block else found
    )


_THERE: dict[Way, Callable[[Box, Box], bool]] = {
    Way.LEFT: lambda here, there: _beside(here, there) and there.middle < here.middle,
    Way.RIGHT: lambda here, there: _beside(here, there) and there.middle > here.middle,
    Way.UP: lambda here, there: there.bottom <= here.y,
    Way.DOWN: lambda here, there: there.y >= here.bottom,
}


def _beside(here: Box, there: Box) -> bool:
    return there.y < here.bottom and there.bottom > here.y


def _nearest(
    layout: Layout, block: int, others: Iterable[int], is_there: Callable[[Box, Box], bool]
) -> int:
    here = layout.boxes[block]
    there = [other for other in others if is_there(here, layout.boxes[other])]
    return min(there, key=lambda other: _distance(here, layout.boxes[other]), default=block)


def _distance(here: Box, there: Box) -> float:
    upright = max(there.y - here.bottom, here.y - there.bottom, 0.0)
    return upright + abs(here.middle - there.middle)
