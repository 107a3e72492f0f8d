from jitstudio.analysis.diagrams.captions import Caption, TextMetrics, ptx_captions, sass_captions
from jitstudio.analysis.diagrams.flow_layout import Size
from jitstudio.analysis.ptx_cfg import ptx_graph
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.core.code import CodeKind
from jitstudio.listing.functions import functions

LETTERS = TextMetrics(width=7, height=15, above=11)


def test_a_block_of_machine_code_shows_its_instructions(kernels):
    function = kernels.function("empty")
    (caption,) = sass_captions(sass_graph(function), function)
    assert caption.title == "empty"
    assert caption.rows[-1] == "EXIT"
    assert caption.count == len(caption.rows) == function.code_length


def test_a_long_block_shows_its_beginning_and_where_it_leads(kernels):
    function = kernels.function("slow")
    graph = sass_graph(function)
    captions = sass_captions(graph, function)
    block = max(graph.blocks, key=lambda block: block.end - block.start)
    caption = captions[block.id]
    assert caption.count == block.end - block.start > 14
    assert len(caption.rows) == 14
    assert caption.rows[12] == f"… {caption.count - 13} more …"
    assert function.opcodes[block.start] in caption.rows[0]
    assert function.opcodes[block.end - 1] in caption.rows[13]


def test_a_block_of_ptx_shows_its_instructions_alone():
    text = [
        ".visible .entry k()",
        "{",
        "\t.reg .b32 %r<3>;",
        "\t// %bb.0:",
        "\t.loc 1 2 3",
        "\tmov.u32 \t%r1, 7; // seven",
        "\t@%p bra L;",
        "L:",
        "\tret;",
        "}",
    ]
    (function,) = functions(CodeKind.PTX, text)
    first, second = ptx_captions(ptx_graph(text, function), text)
    assert first == Caption("k", ("mov.u32 %r1, 7;", "@%p bra L;"), 2)
    assert second == Caption("L", ("ret;",), 1)


def test_a_long_row_is_cut():
    text = [".entry k()", "{", f"mov.u32 %r, {'1' * 90};", "}"]
    (function,) = functions(CodeKind.PTX, text)
    ((row,),) = (caption.rows for caption in ptx_captions(ptx_graph(text, function), text))
    assert len(row) == 56
    assert row.endswith("…")


def test_a_block_is_as_large_as_its_words():
    assert LETTERS.size(Caption("name", ("ab", "abcdefgh"), 2)) == Size(70, 59)
    assert LETTERS.size(Caption("a longer name", ("ab",), 1)).width == 105
    rows = [LETTERS.row_top(row) for row in range(3)]
    assert rows == sorted(rows)
    assert rows[2] + LETTERS.height < 59
