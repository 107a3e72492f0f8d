import random
import time
from itertools import combinations, pairwise

import pytest

from jitstudio.analysis.control_flow import EdgeKind, FlowGraph, Leap, loops
from jitstudio.analysis.flow.layout import Size, back_edges, lay_out
from jitstudio.analysis.sass.cfg import sass_graph
from tests.analysis.flow.graphs import graph_of, random_graph, structured_graph

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
    ends = [Leap(at, (199,), goes_on=True) for at in range(198)]
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
    graph = graph_of(5, [Leap(0, (1, 2, 3, 4), EdgeKind.TABLE)], {0: "k"})
    starts = sorted(route.start[0] for route in laid(graph).routes if route.edge.source == 0)
    assert all(right - left > 5 for left, right in pairwise(starts))


@pytest.mark.bench
@pytest.mark.parametrize(("count", "seconds"), [(1000, 3.0), (3000, 12.0)])
def test_many_blocks_are_placed_in_time(count, seconds):
    graph = structured_graph(random.Random(1), count * 5)
    assert len(graph.blocks) > count
    start = time.perf_counter()
    lay_out(graph, [Size(240, 90)] * len(graph.blocks))
    assert time.perf_counter() - start < seconds
