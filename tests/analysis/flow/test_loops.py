import random

import pytest

from jitstudio.analysis.control_flow import BasicBlock, ControlFlowEdge, EdgeKind, FlowEffect, loops
from jitstudio.listing.lines import NOWHERE
from tests.analysis.flow.graphs import graph_of, random_graph, structured_graph


def found(count, *pairs):
    """Spelt as depth, head and blocks."""
    return [(one.depth, one.head, sorted(one.blocks)) for one in loops_of(count, *pairs)]


def loops_of(count, *pairs):
    """The loops between so many blocks, entered at the first one."""
    blocks = [BasicBlock(at, f"#{at}", at, at + 1, is_entry=at == 0) for at in range(count)]
    return loops(
        blocks, [ControlFlowEdge(source, target, EdgeKind.BRANCH) for source, target in pairs]
    )


def dominators(graph):
    """By their definition: a block dominates those that are not reached without it."""

    def reached(without):
        seen, todo = set(), [0] if without != 0 else []
        while todo:
            if (block := todo.pop()) not in seen:
                seen.add(block)
                todo += [n for n in graph.successors[block] if n != without]
        return seen

    everywhere = reached(None)
    return {block: everywhere - reached(block) for block in everywhere}


def natural_loops(graph):
    """By head: what reaches the source of an edge back to it, without passing it."""
    dominated = dominators(graph)
    bodies = {}
    for edge in graph.edges:
        if edge.source in dominated.get(edge.target, ()):
            body = bodies.setdefault(edge.target, {edge.target})
            todo = [edge.source]
            while todo:
                if (block := todo.pop()) not in body:
                    body.add(block)
                    todo += [b for b in graph.predecessors[block] if b in dominated]
    return bodies


def test_a_graph_without_a_way_back_has_no_loops():
    assert found(3, (0, 1), (1, 2), (0, 2)) == []


def test_a_block_that_leads_to_itself_is_a_loop():
    assert found(3, (0, 1), (1, 1), (1, 2)) == [(1, 1, [1])]


def test_loops_inside_a_loop_are_deeper():
    inner = [(1, 2), (2, 2), (2, 3), (3, 4), (4, 3), (4, 1), (4, 5)]
    assert found(6, (0, 1), *inner) == [(1, 1, [1, 2, 3, 4]), (2, 2, [2]), (2, 3, [3, 4])]


def test_a_loop_with_two_entries_says_so():
    (loop,) = loops_of(3, (0, 1), (0, 2), (1, 2), (2, 1))
    assert (loop.head, loop.entries) == (1, (1, 2))


def test_a_loop_that_nothing_leads_to_has_no_entry():
    (loop,) = loops_of(3, (1, 2), (2, 1))
    assert (loop.head, loop.entries) == (1, ())


def test_what_is_never_reached_enters_no_loop():
    (loop,) = loops_of(4, (0, 1), (1, 2), (2, 1), (3, 2))
    assert (loop.head, loop.entries) == (1, (1,))


def test_a_function_enters_the_loop_that_it_begins_with():
    (loop,) = loops_of(2, (0, 1), (1, 0))
    assert (loop.head, loop.entries) == (0, (0,))


@pytest.mark.parametrize("seed", range(40))
def test_loops_of_structured_code_are_the_natural_loops(seed):
    graph = structured_graph(random.Random(seed), 60)
    natural = natural_loops(graph)
    reached = set(dominators(graph))
    ours = {loop.head: set(loop.blocks) for loop in graph.loops if loop.head in reached}
    assert natural
    assert ours == natural
    for loop in graph.loops:
        around = [other for other in graph.loops if loop.head in other.blocks]
        assert len(around) == loop.depth


@pytest.mark.parametrize("seed", range(40))
def test_loops_of_any_code_are_nested_and_hold_all_that_comes_back(seed):
    graph = random_graph(random.Random(seed), 40, entries=seed % 3)
    for loop in graph.loops:
        assert loop.head in loop.blocks
        for other in graph.loops:
            shared = loop.blocks & other.blocks
            assert not shared or shared in (loop.blocks, other.blocks)
    # Whatever comes back to itself is in a loop, and nothing else is.
    for block in graph.blocks:
        seen, todo = set(), list(graph.successors[block.id])
        while todo:
            if (one := todo.pop()) not in seen:
                seen.add(one)
                todo += graph.successors[one]
        assert (graph.depth(block.id) > 0) == (block.id in seen)


def test_many_blocks_in_a_row_and_many_loops_inside_each_other_are_no_matter():
    count = 3000
    row = [(at, at + 1) for at in range(count - 1)]
    nest = [(count - 1 - at, at) for at in range(100)]
    deepest = max(depth for depth, _, _ in found(count, *row, *nest))
    assert deepest == 100


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
