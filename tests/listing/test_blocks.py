import random
from itertools import pairwise
from time import process_time

import pytest

from jitstudio.core.captured import KernelLanguage, unpack
from jitstudio.core.code import CodeKind
from jitstudio.listing.folds import FoldRange, blocks, folds
from tests.listing.mutations import mutated
from tests.support import SAMPLES

PTX = """\
.visible .entry first(
	.param .u64 p
)
{
	{ // callseq 0, 0
	call.uni f;
	} // callseq 0
	{ .reg .b64 %t; }
	{
	ret; }
}
.func  (.param .b32 func_retval0) second(
	.param .b32 x
)
{
	ret;
}
	.section	.debug_str
	{
.b8 1
	}
""".splitlines()

SASS = """\
//--------------------- .text.first          --------------------------
	.section	.text.first,"ax",@progbits
        .global         first
first:
.text.first:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   IADD3 R2, R2, 0x1, RZ ;
        /*0020*/               @P0 EXIT ;
        /*0030*/              @!P1 BRA `(.L_x_1) ;
        /*0040*/                   EXIT ;
        /*0050*/                   NOP;
.L_x_2:
        /*0060*/                   BRA `(.L_x_2);
        /*0070*/                   NOP;
.L_x_3:


//--------------------- SYMBOLS --------------------------
	.type		.nv.reservedSmem.offset0,@object
""".splitlines()


def test_functions_inner_braces_and_sections_of_ptx_are_blocks():
    assert blocks(CodeKind.PTX, PTX) == (
        FoldRange(0, 10, "first", is_function=True),
        FoldRange(4, 6, "first/1"),
        FoldRange(8, 9, "first/3"),
        FoldRange(11, 16, "second", is_function=True),
        FoldRange(17, 20, ".section\t.debug_str", starts_folded=True),
    )


def test_kernels_and_basic_blocks_of_sass_are_blocks():
    assert blocks(CodeKind.SASS, SASS) == (
        FoldRange(0, 2, SASS[0], starts_folded=True),
        FoldRange(4, 15, "first", is_function=True),
        FoldRange(6, 10, "first/.L_x_1"),
        FoldRange(12, 13, "first/.L_x_2"),
        FoldRange(18, 19, SASS[18], starts_folded=True),
    )


def test_comments_at_the_start_and_padding_are_folded_at_first():
    assert blocks(CodeKind.PTX, ["//", "// Generated", "", ".version 9.0"]) == (
        FoldRange(0, 1, "header", starts_folded=True),
    )
    nops = [f"/*{at:04x}*/ NOP ;" for at in (32, 48, 64)]
    code = [".text.k:", "/*0000*/ MOV R0, R1 ;", "/*0010*/ BRA `(.L_x_1);", *nops, ".L_x_1:"]
    (padding,) = (block for block in blocks(CodeKind.SASS, code) if block.starts_folded)
    assert padding == FoldRange(3, 5, "k/padding", starts_folded=True)
    # What an instruction runs into is code.
    assert not any(b.starts_folded for b in blocks(CodeKind.SASS, [*code[:2], *nops]))
    with_encodings = [line for nop in nops for line in (nop, "      /* 0x000fea0003800000 */")]
    (padding,) = (b for b in blocks(CodeKind.SASS, code[:3] + with_encodings) if b.starts_folded)
    assert (padding.head, padding.last) == (3, 8)


def test_the_rest_of_an_encoding_belongs_to_its_instruction():
    lines = [
        ".text.k:",
        ".L_x_1:",
        "  /*0000*/    EXIT ;   /* 0x000000000000794d */",
        "                       /* 0x000fea0003800000 */",
        "  /*0010*/    NOP ;    /* 0x0000000000007918 */",
        "  /*0020*/    BRA `(.L_x_1) ;",
    ]
    assert blocks(CodeKind.SASS, lines)[1] == FoldRange(1, 3, "k/.L_x_1")


def test_braces_in_comments_and_strings_are_none():
    lines = ['.pragma "{";', "// {", "/* {", "{ */ /* { */", ".entry k() {", "ret; }"]
    assert blocks(CodeKind.PTX, lines) == (FoldRange(4, 5, "k", is_function=True),)


def test_a_declaration_is_no_block():
    lines = [".extern .func f(", "\t.param .b32 x", ")", ";", "", "{", "ret;", "}"]
    assert [(block.head, block.is_function) for block in blocks(CodeKind.PTX, lines)] == [
        (5, False)
    ]


def test_broken_texts_have_what_blocks_they_have():
    assert blocks(CodeKind.PTX, ["}", "}", ".entry", "{", "{"]) == ()
    assert blocks(CodeKind.SASS, [".text.k:"]) == ()
    assert blocks(CodeKind.CUDA, ["{", "}"]) == ()


def nested(found, line_count):
    """Whether blocks come in the order of their heads and lie within one another."""
    open_until: list[int] = []
    for before, block in pairwise((None, *found)):
        while open_until and open_until[-1] < block.head:
            open_until.pop()
        is_in_order = before is None or before.head < block.head
        is_inside = not open_until or block.last <= open_until[-1]
        if not (is_in_order and is_inside and block.head < block.last < line_count):
            return False
        open_until.append(block.last)
    return True


def test_blocks_of_the_samples_nest(listings):
    for what, kind, text in listings:
        lines = text.split("\n")
        found = blocks(kind, lines)
        assert nested(found, len(lines)), what
        assert any(block.is_function for block in found), what


def test_blocks_of_broken_texts_nest(listings):
    chance = random.Random(6)
    seen = 0
    for _ in range(300):
        _, kind, text = chance.choice(listings)
        lines = mutated(text, chance).split("\n")
        found = blocks(kind, lines)
        assert nested(found, len(lines))
        seen += len(found)
    assert seen > 1000


def test_functions_are_those_of_the_text(listings):
    for what, kind, text in listings:
        sign = ".text." if kind is CodeKind.SASS else None
        lines = text.split("\n")
        for block in blocks(kind, lines):
            if block.is_function:
                head = f"{sign}{block.name}:" if sign else block.name
                assert head in lines[block.head], what


@pytest.mark.bench
def test_many_lines_are_read_quickly():
    lines = [*SASS, *PTX] * 3000
    start = process_time()
    assert len(blocks(CodeKind.SASS, lines)) == 15_000
    assert process_time() - start < 2


def test_ir_folds_at_its_braces_and_what_is_no_code_is_folded():
    kernel = unpack((SAMPLES / "triton_swiglu.jitkernel").read_bytes())
    for language, kind in (
        (KernelLanguage.TTIR, CodeKind.CUDA),
        (KernelLanguage.LLVM_IR, CodeKind.LLVM_IR),
    ):
        lines = kernel.representation(language).text.splitlines()
        found = blocks(kind, lines)
        (function,) = (block for block in found if block.is_function)
        assert "@swiglu(" in lines[function.head]
        assert lines[function.last].strip().startswith("}")
        tables = [block for block in found if block.starts_folded]
        table = [line for block in tables for line in lines[block.head : block.last + 1]]
        assert len(table) > 10
        assert all(line.startswith(("#loc", "!")) for line in table)


CUDA = """\
namespace a { struct S {
    int x; // }
    char c = '}'; int n = 1'000;
}; }
void f()
{
    if (x) {
        g("}");
    } else {
        /* }
        } */
    }
}
void short_one() {
}
"""


def test_what_is_between_the_braces_can_be_folded():
    assert folds(CodeKind.CUDA, CUDA) == {0: 2, 5: 11, 6: 7, 8: 10}


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        (CodeKind.PTX, ".entry f()\n{\n  // }\n  {\n  a;\n  }\n}\n", {1: 5, 3: 4}),
        (CodeKind.LLVM_IR, 'define void @f() {\n; }\n  c"}"\n}\n!0 = !{\n', {0: 2}),
        (CodeKind.HEADER, "struct S {\n  int x;\n};", {0: 1}),
        (CodeKind.CUDA, "}\n}\nvoid f() {\n x;\n", {}),
        (CodeKind.SASS, "{\na\n}", {}),
    ],
)
def test_braces_are_those_of_the_language(kind, text, found):
    assert folds(kind, text) == found
