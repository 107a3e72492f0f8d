import random
import time
from itertools import combinations, pairwise

import pytest

from jitstudio.analysis.control_flow import ControlFlowEdge, EdgeKind, FlowEffect, FlowGraph, loops
from jitstudio.analysis.diagrams.flow_layout import (
    Box,
    LayerRow,
    Plan,
    Size,
    back_edges,
    lay_out,
    routed,
)
from jitstudio.analysis.sass.cfg import sass_graph
from tests.analysis.flow.graphs import graph_of, random_graph, structured_graph

# Two blocks below each other, with a third between them at the right.
BOXES = {0: Box(0, 20, 100, 40), 1: Box(120, 100, 60, 40), 2: Box(0, 180, 100, 40)}
ROWS = (LayerRow(20, 60, 100), LayerRow(100, 140, 180), LayerRow(180, 220, 260))
FORTH, PAST = ControlFlowEdge(0, 1, EdgeKind.NEXT), ControlFlowEdge(0, 2, EdgeKind.BRANCH)
BACK, SELF = ControlFlowEdge(2, 0, EdgeKind.BRANCH), ControlFlowEdge(1, 1, EdgeKind.BRANCH)


def routes(*edges, back=(), courses=None):
    known = {(0, 1): (), (0, 2): ((60.0, 1),)} if courses is None else courses
    plan = Plan(BOXES, {0: 0, 1: 1, 2: 2}, ROWS, known, 200)
    return routed(plan, edges, frozenset(back))


def end(route):
    return route.steps[-1][-2:]


def test_an_edge_leads_from_the_bottom_of_a_block_to_the_top_of_the_next():
    (route,) = routes(FORTH)
    assert route.start == (50, 60)
    assert end(route) == (150, 100)
    assert not route.is_back


def test_an_edge_over_a_layer_keeps_to_its_column_there():
    (route,) = routes(PAST)
    assert [step[-2:] for step in route.steps] == [(60, 100), (60, 140), (50, 180)]


def test_edges_of_a_block_leave_it_in_the_order_of_where_they_go():
    past, forth = routes(PAST, FORTH)
    assert past.start[0] < forth.start[0]


def test_an_edge_back_leads_from_side_to_side():
    (route,) = routes(BACK, back=[BACK])
    assert route.is_back
    assert route.start == (100, 210)
    assert end(route) == (100, 30)


def test_two_ways_between_the_same_blocks_do_not_cover_each_other():
    past, back = routes(PAST, BACK, back=[BACK])
    passing = [{step[-2] for step in route.steps if step[-1] == 140} for route in (past, back)]
    assert passing == [{56}, {64}]


def test_a_block_that_leads_to_itself_has_a_loop_at_its_side():
    (route,) = routes(SELF, back=[SELF])
    assert route.start[0] == end(route)[0] == 180
    assert route.start[1] > end(route)[1]


def test_an_edge_without_a_column_runs_around_everything():
    (route,) = routes(PAST, courses={})
    assert max(step[0] for step in route.steps) > 200
    assert end(route) == (50, 180)


def test_a_route_moves_as_a_whole():
    (route,) = routes(FORTH)
    moved = route.moved(1000, 500)
    assert moved.start == (1050, 560)
    assert end(moved) == (1150, 600)
    assert len(moved.steps[-1]) == len(route.steps[-1])


_SAMPLES = 8


def sizes_of(graph, chance):
    return [Size(chance.randint(60, 300), chance.randint(20, 200)) for _ in graph.blocks]


def laid(graph, seed=0):
    return lay_out(graph, sizes_of(graph, random.Random(seed)))


def points(route):
    """Along a route."""
    found = [route.start]
    for step in route.steps:
        (x0, y0), *controls = found[-1], *zip(step[::2], step[1::2], strict=True)
        if len(controls) == 1:
            controls = [(x0, y0), controls[0], controls[0]]
        (x1, y1), (x2, y2), (x3, y3) = controls
        for at in range(1, _SAMPLES + 1):
            t = at / _SAMPLES
            a, b, c, d = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3
            found.append((a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3))
    return found


def is_inside(point, box):
    x, y = point
    return box.x < x < box.x + box.width and box.y < y < box.bottom


def check(graph, layout):
    """What holds for every layout."""
    assert len(layout.boxes) == len(graph.blocks)
    assert [route.edge for route in layout.routes] == list(graph.edges)
    for one, other in combinations(layout.boxes, 2):
        beside = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert beside or one.bottom <= other.y or other.bottom <= one.y
    for box in layout.boxes:
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= layout.width
        assert box.bottom <= layout.height
    back = back_edges(graph)
    for route in layout.routes:
        source, target = (layout.boxes[end] for end in route.edge[:2])
        way = points(route)
        assert source.x <= way[0][0] <= source.x + source.width
        assert target.x <= way[-1][0] <= target.x + target.width
        assert target.y <= way[-1][1] <= target.bottom
        assert route.is_back == (route.edge in back)
        assert all(0 <= x <= layout.width and 0 <= y <= layout.height for x, y in way)
        met = [box for box in layout.boxes if any(is_inside(point, box) for point in way)]
        assert not met, route


@pytest.mark.parametrize("seed", range(25))
def test_blocks_of_structured_code_do_not_overlap_and_edges_pass_them(seed):
    graph = structured_graph(random.Random(seed), 60)
    check(graph, laid(graph, seed))


@pytest.mark.parametrize("seed", range(25))
def test_so_it_is_with_any_jumps(seed):
    graph = random_graph(random.Random(seed), 30, entries=seed % 4)
    check(graph, laid(graph, seed))


def test_so_it_is_with_real_kernels(made):
    for one in made:
        if one.what in ("kernels sm_75", "kernels sm_120", "kernels sm_90 -G"):
            for function in one.code.functions:
                graph = sass_graph(function)
                check(graph, laid(graph))


@pytest.mark.slow
def test_so_it_is_where_edges_are_too_long_to_pass_all_layers():
    ends = [FlowEffect(at, (199,), goes_on=True) for at in range(198)]
    check(graph := graph_of(200, ends, {0: "k"}), laid(graph))


def test_nothing_is_laid_out_as_nothing():
    layout = lay_out(FlowGraph("k", (), ()), [])
    assert (layout.boxes, layout.routes, layout.width, layout.height) == ((), (), 0, 0)


def test_control_flows_down_but_for_loops():
    graph = structured_graph(random.Random(3), 80)
    layout = laid(graph)
    for route in layout.routes:
        source, target = (layout.boxes[end] for end in route.edge[:2])
        assert route.is_back or source.bottom < target.y


def test_without_the_edges_back_nothing_goes_in_circles():
    for seed in range(30):
        graph = random_graph(random.Random(seed), 50)
        rest = [edge for edge in graph.edges if edge not in back_edges(graph)]
        assert loops(graph.blocks, rest) == ()


def test_parts_stand_beside_each_other_and_then_below():
    graph = graph_of(40, [], {at: f"f{at}" for at in range(40)})
    layout = lay_out(graph, [Size(100, 30)] * 40)
    check(graph, layout)
    assert len({box.y for box in layout.boxes}) > 2
    assert layout.width < 5 * layout.height


def test_ends_of_edges_stand_apart():
    graph = graph_of(5, [FlowEffect(0, (1, 2, 3, 4), EdgeKind.TABLE)], {0: "k"})
    starts = sorted(route.start[0] for route in laid(graph).routes if route.edge.source == 0)
    assert all(right - left > 5 for left, right in pairwise(starts))


@pytest.mark.bench
@pytest.mark.parametrize(("count", "seconds"), [(1000, 3.0), (3000, 12.0)])
def test_many_blocks_are_placed_in_time(count, seconds):
    graph = structured_graph(random.Random(1), count * 5)
    assert len(graph.blocks) > count
    start = time.process_time()
    lay_out(graph, [Size(240, 90)] * len(graph.blocks))
    assert time.process_time() - start < seconds
