"""From node to node by the arrow keys."""

from __future__ import annotations

from collections.abc import Callable

from jitstudio.gui.features.pipeline.layout import Layout, Place
from jitstudio.gui.kit.diagrams.canvas import Way

# What lies that way, and how far off it is; None for what does not.
_Distance = Callable[[Place, Place], tuple[float, float] | None]
_DISTANCES: dict[Way, _Distance] = {
    Way.LEFT: lambda here, there: _beside(here.column - there.column, here, there),
    Way.RIGHT: lambda here, there: _beside(there.column - here.column, here, there),
    Way.UP: lambda here, there: _along(here.row - there.row, here, there),
    Way.DOWN: lambda here, there: _along(there.row - here.row, here, there),
}


def step(layout: Layout, key: str, way: Way) -> str:
    """The node that lies this way from another one; that one itself where none does.

    Args:
        layout: Where the nodes stand; there is at least one.
        key: Where to start; if that is nowhere, the way leads to the first node.
        way: Where to go.
    """
    ordered = sorted(layout.places, key=lambda k: (layout.places[k].column, layout.places[k].row))
    if way is Way.LAST:
        return ordered[-1]
    if way is Way.FIRST or key not in layout.places:
        return ordered[0]
    here, distance = layout.places[key], _DISTANCES[way]
    distances = {other: distance(here, layout.places[other]) for other in ordered}
    reachable = {other: far for other, far in distances.items() if far is not None}
    return min(reachable, key=reachable.__getitem__) if reachable else key


def _beside(columns: int, here: Place, there: Place) -> tuple[float, float] | None:
    return (columns, abs(there.row - here.row)) if columns > 0 else None


def _along(rows: float, here: Place, there: Place) -> tuple[float, float] | None:
    return (rows, 0.0) if rows > 0 and there.column == here.column else None
