from itertools import combinations

import pytest

from jitstudio.gui.features.pipeline.graph import (
    LAUNCH,
    GridPosition,
    Pipeline,
    lay_out,
    pipeline_of,
)
from tests.support import cuda, request

CODE = "ptx,sass,cubin"
ONE = pipeline_of(request(cuda("", "k.cu"), emit=CODE), launch=True)


def link(count, mode="lto"):
    sources = (cuda("", f"m{number}.cu") for number in range(count))
    return pipeline_of(request(*sources, emit=CODE, link=mode), launch=True)


def test_nothing_needs_no_room():
    assert lay_out(Pipeline()).rows == 0


def test_columns_follow_the_flow_and_the_launch_stands_last():
    layout = lay_out(ONE)
    assert layout.columns == 5
    assert [layout.places[node.key].column for node in ONE.nodes] == [0, 1, 2, 2, 3, 4, 4]
    assert layout.places[LAUNCH].row == layout.places["sass:k.cu"].row + 1


@pytest.mark.parametrize("pipeline", [ONE, link(2), link(3, "ptx"), link(40)])
def test_no_two_nodes_overlap_and_no_edge_runs_through_one(pipeline):
    layout = lay_out(pipeline)
    for one, other in combinations(layout.places.values(), 2):
        assert one.column != other.column or abs(one.row - other.row) >= 1
    nodes = set(layout.places.values())
    for stop in (stop for route in layout.routes.values() for stop in route):
        near = [abs(n.row - stop.row) for n in nodes if n.column == stop.column]
        assert min(near, default=1) >= 0.5


def test_a_lone_chain_is_straight():
    layout = lay_out(pipeline_of(request(cuda("", "k.cu"), emit="ptx")))
    assert set(layout.places.values()) == {GridPosition(column, 0) for column in range(3)}


def test_the_modules_of_a_link_keep_their_order_and_their_lanes():
    pipeline = link(40)
    layout = lay_out(pipeline)
    lanes = [
        [layout.places[f"{kind}:m{n}.cu{made}"].row for n in range(40)]
        for kind, made in (("cuda", ""), ("NVRTC", ":ltoir"), ("ltoir", ""))
    ]
    assert lanes[0] == lanes[1] == lanes[2]
    assert lanes[0] == sorted(lanes[0])
    assert layout.rows == 40
    assert layout.places["cubin:linked"].row == pytest.approx(20, abs=1)


def test_edges_do_not_cross_where_they_need_not():
    """Sources told of in another order are drawn in the order of those who read them."""
    pipeline = pipeline_of(request(cuda("", "a.cu"), cuda("", "b.cu"), link="ptx", emit="cubin"))
    swapped = Pipeline(tuple(pipeline.nodes[i] for i in (1, 0, *range(2, 8))), pipeline.edges)
    layout = lay_out(swapped)
    rows = {key: place.row for key, place in layout.places.items()}
    assert (rows["cuda:a.cu"] < rows["cuda:b.cu"]) == (
        rows["NVRTC:a.cu:ptx"] < rows["NVRTC:b.cu:ptx"]
    )
