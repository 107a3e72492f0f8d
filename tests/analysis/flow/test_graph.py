import random

import pytest

from jitstudio.analysis.control_flow import ControlFlowEdge, EdgeKind, FlowEffect
from jitstudio.listing.lines import NOWHERE
from tests.analysis.flow.graphs import graph_of, random_graph


def test_a_position_is_found_in_its_block():
    graph = graph_of(6, [FlowEffect(1, (4,), goes_on=True)], {0: "k"})
    assert [graph.block_at(at).id for at in range(6)] == [0, 0, 1, 1, 2, 2]
    assert graph.block_at(6) is None
    assert graph.block_at(-1) is None


def test_neighbours_are_known_in_both_directions():
    graph = graph_of(6, [FlowEffect(1, (4,), goes_on=True)], {0: "k"})
    assert graph.successors == ((1, 2), (2,), ())
    assert graph.predecessors == ((), (0,), (0, 1))


def test_the_innermost_loop_of_a_block_is_the_smallest_around_it():
    leaps = [FlowEffect(2, (2,), goes_on=True), FlowEffect(3, (1,), goes_on=True)]
    graph = graph_of(5, leaps, {0: "k"})
    assert [graph.depth(block.id) for block in graph.blocks] == [0, 1, 2, 1, 0]
    assert graph.innermost == (NOWHERE, 0, 1, 0, NOWHERE)


def test_two_ways_to_one_place_are_one_edge():
    graph = graph_of(2, [FlowEffect(0, (1, 1), EdgeKind.BRANCH, goes_on=True)], {0: "k"})
    assert graph.edges == (ControlFlowEdge(0, 1, EdgeKind.NEXT),)


def test_control_does_not_run_into_a_function():
    graph = graph_of(2, [], {0: "k", 1: "f"})
    assert graph.edges == ()
    assert [block.name for block in graph.blocks] == ["k", "f"]


@pytest.mark.parametrize("seed", range(20))
def test_blocks_of_any_code_cover_it_and_are_reached_at_their_start_only(seed):
    chance = random.Random(seed)
    graph = random_graph(chance, chance.randint(1, 60), entries=1)
    ends = [block.end for block in graph.blocks]
    assert [block.start for block in graph.blocks] == [0, *ends[:-1]]
    assert len({(edge.source, edge.target) for edge in graph.edges}) == len(graph.edges)
    assert list(graph.edges) == sorted(graph.edges, key=lambda edge: edge.source)
