from jitstudio.core.code import CodeKind
from jitstudio.gui.features.graph.model import description, sass_picture, summary
from tests.gui.graphs import LETTERS, loops_picture, row_picture
from tests.gui.sass_code import sass


def test_a_picture_has_a_place_and_words_for_every_block():
    picture = loops_picture()
    assert picture.kind is CodeKind.PTX
    assert [caption.rows[-1] for caption in picture.captions] == [
        "mov.u32 %r1, 0;",
        "add.u32 %r1, %r1, 1;",
        "@%p1 bra INNER;",
        "@%p2 bra OUTER;",
        "@%p3 bra LAST;",
        "ret;",
        "brx.idx %r1, unknown;",
    ]
    sizes = [LETTERS.size(caption) for caption in picture.captions]
    assert [(box.width, box.height) for box in picture.layout.boxes] == sizes


def test_machine_code_is_drawn_too():
    function = sass()[1].function("histogram")
    picture = sass_picture(function, LETTERS)
    assert picture.kind is CodeKind.SASS
    assert [block.end for block in picture.graph.blocks] == [4, 12]


def test_a_summary_counts_blocks_and_loops():
    assert summary(loops_picture()) == "7 blocks, 2 loops, nested 2 deep"
    assert summary(row_picture(1)) == "1 block, 0 loops"


def test_a_block_is_described_with_its_loop_and_where_it_leads():
    picture = loops_picture()
    told = [description(picture, block) for block in picture.graph.blocks]
    assert told[0] == "Block loops, 1 of 7; 1 instruction; leads to OUTER"
    assert (
        told[1] == "Block OUTER, 2 of 7; 1 instruction; the head of a loop, depth 1; leads to INNER"
    )
    assert (
        told[2]
        == "Block INNER, 3 of 7; 1 instruction; the head of a loop, depth 2; leads to #4, INNER"
    )
    assert told[3] == "Block #4, 4 of 7; 1 instruction; in a loop, depth 1; leads to #5, OUTER"
    assert told[5] == "Block #6, 6 of 7; 1 instruction; ends here"
    assert told[6].startswith("Block LAST, 7 of 7; 1 instruction; may lead to places")
