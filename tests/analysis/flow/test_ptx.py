import random

import pytest

from jitstudio.analysis.ptx_cfg import ptx_graph
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.core.code import CodeKind
from jitstudio.listing.functions import Function, functions
from tests.analysis.flow.graphs import shape
from tests.listing.mutations import mutated

HEAD = [".visible .entry k(.param .u64 p)", ".maxntid 32", "{"]


def graph_of(*lines):
    """The graph of a kernel with these lines; the first is line 3."""
    text = [*HEAD, *lines, "}"]
    return ptx_graph(text, Function("k", 0, len(text), is_kernel=True))


def graphs_of(text):
    lines = text.split("\n")
    return [(ptx_graph(lines, one), one) for one in functions(CodeKind.PTX, lines)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["ret;"], ["0-5:"]),
        ([".reg .b32 %r<3>;", "mov.b32 %r1, 1;", "ret;"], ["0-7:"]),
        (["@%p1 bra L;", "ret;", "L:", "ret;"], ["0-4: 4 5!", "4-5:", "5-8:"]),
        (["@!%p1 bra.uni L;", "ret;", "L: ret;"], ["0-4: 4 5!", "4-5:", "5-7:"]),
        (["bra L;", "add.s32 %a, %b, 1;", "L: ret;"], ["0-4: 5!", "4-5: 5", "5-7:"]),
        (["@%p1 ret;", "exit;"], ["0-4: 4", "4-6:"]),
        (["trap;", "ret;"], ["0-4:", "4-6:"]),
        (["L: add.s32 %a, %b, 1;", "@%p bra L;", "ret;"], ["0-5: 5 0!", "5-7:"]),
        (["nop;", 'L: .pragma "nounroll";', "@%p bra L;", "ret;"], ["0-4: 4", "4-6: 6 4!", "6-8:"]),
        # A line with code of several blocks is of each of them.
        (
            ["nop; A: nop; @!%p bra A; bra E;", "nop;", "E: ret;"],
            ["0-4: 3", "3-4: 3 3!", "3-4: 5!", "4-5: 5", "5-7:"],
        ),
        # A jump behind the last instruction ends the function.
        (["@%p bra L;", "nop;", "L:"], ["0-4: 4 5!", "4-5: 5", "5-7:"]),
        # What nothing leads to begins no block.
        (["nop;", "$L__tmp0:", "nop;", "ret;", "$L__func_end0:"], ["0-9:"]),
        (["call (r), f, (a);", "ret;"], ["0-6:"]),
        (["bra nowhere;", "ret;"], ["0-4: ?", "4-6:"]),
        (["brx.idx %r1, t;", "ret;"], ["0-4: ?", "4-6:"]),
        (
            ["t: .branchtargets A, B, A;", "brx.idx.uni %r1, t;", "A: ret;", "B: ret;"],
            ["0-5: 5* 6*", "5-6:", "6-8:"],
        ),
        (
            ["brx.idx %r1, t;", "t:", ".branchtargets", "A,", "B;", "A: ret;", "B: ret;"],
            ["0-8: 8* 9*", "8-9:", "9-11:"],
        ),
    ],
)
def test_what_ends_a_block_and_where_it_leads(lines, expected):
    assert shape(graph_of(*lines)) == expected


def test_comments_strings_and_lines_of_the_debugger_are_no_code():
    graph = graph_of(
        "// bra L;",
        "/* bra L;",
        "ret; */ nop;",
        '.pragma "nounroll; bra L;";',
        ".loc 1 5 3, function_name $L__info_string0, inlined_at 1 9 2",
        "@%p /* why */ bra // where",
        "  L;",
        "mov.b64 {%r1, %r2}, %rd1;",
        "L: ret;",
    )
    assert shape(graph) == ["0-10: 10 11!", "10-11: 11", "11-13:"]


def test_a_label_is_that_of_the_smallest_scope_around():
    graph = graph_of(
        "{ L: nop;",
        "@%p bra L;",
        "}",
        "{ L: nop;",
        "@%p bra L;",
        "}",
        "bra L;",
        "nop;",
        "L: ret;",
    )
    assert shape(graph) == ["0-6: 6 0!", "6-9: 9 6!", "9-10: 11!", "10-11: 11", "11-13:"]


def test_several_statements_of_a_line_are_told_apart():
    graph = graph_of("A: @%p bra B; bra A; B: ret;")
    assert [(edge.source, edge.target) for edge in graph.edges] == [(0, 1), (0, 2), (1, 0)]
    assert [block.name for block in graph.blocks] == ["k", "#2", "B"]


def test_a_declaration_has_no_blocks():
    text = [".extern .func f", "(", ");"]
    (declared,) = functions(CodeKind.PTX, text)
    assert ptx_graph(text, declared).blocks == ()


def test_lines_of_all_functions_are_in_one_block_each(made):
    seen = 0
    for text in (text for one in made for text in one.ptx):
        for graph, function in graphs_of(text):
            covered = [line for block in graph.blocks for line in range(block.start, block.end)]
            assert covered == list(range(function.line, function.end)) * function.is_defined
            assert not any(block.leads_away for block in graph.blocks)
            seen += len(graph.blocks)
    assert seen > 500


@pytest.mark.parametrize("name", ["loops", "calls", "exits", "crossed", "endless", "votes"])
def test_loops_of_the_machine_code_are_loops_of_the_ptx(made, name):
    one = next(one for one in made if one.what == "kernels sm_90 -G")
    ptx = next(graph for graph, f in graphs_of(one.ptx[0]) if f.name == name)
    sass = sass_graph(one.function(name))
    assert [loop.depth for loop in ptx.loops] == [loop.depth for loop in sass.loops]


def test_no_broken_text_breaks_it(kernels):
    chance = random.Random(6)
    for _ in range(150):
        for graph, function in graphs_of(mutated(kernels.ptx[0], chance)):
            assert all(0 <= edge.target < len(graph.blocks) for edge in graph.edges)
            if graph.blocks:
                assert (graph.blocks[0].start, graph.blocks[-1].end) == (
                    function.line,
                    function.end,
                )
