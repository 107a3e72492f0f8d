import pytest

from jitstudio.listing.lexers.ptx import PtxLexer

LEXER = PtxLexer()

FRAGMENTS = {
    "\tld.global.nc.v4.f32 \t{%f1, %f2}, [%rd12+-16];": [
        "ld Keyword",
        ".global Name.Attribute",
        ".nc Name.Attribute",
        ".v4 Keyword.Type",
        ".f32 Keyword.Type",
        "{ Punctuation",
        "%f1 Name.Variable",
        ", Punctuation",
        "%f2 Name.Variable",
        "}, Punctuation",
        "[ Punctuation",
        "%rd12 Name.Variable",
        "+- Operator",
        "16 Literal.Number.Integer",
        "]; Punctuation",
    ],
    "spdecompress.b8.sp::2:4.x2 %r1;": [
        "spdecompress Keyword",
        ".b8 Keyword.Type",
        ".sp::2:4 Name.Attribute",
        ".x2 Name.Attribute",
        "%r1 Name.Variable",
        "; Punctuation",
    ],
    "@!%p1 bra.uni $L__BB0_2;": [
        "@! Operator",
        "%p1 Name.Variable",
        "bra Keyword",
        ".uni Name.Attribute",
        "$L__BB0_2 Name.Label",
        "; Punctuation",
    ],
    "@p ret;": ["@ Operator", "p Name.Variable", "ret Keyword", "; Punctuation"],
    "$L__BB0_2: // done": ["$L__BB0_2 Name.Label", ": Punctuation", "// done Comment"],
    "mov.u32 %r1, %tid.x;": [
        "mov Keyword",
        ".u32 Keyword.Type",
        "%r1 Name.Variable",
        ", Punctuation",
        "%tid.x Name.Builtin.Pseudo",
        "; Punctuation",
    ],
    "setp.lt.and.s32 %p1|%p2, %a, WARP_SZ, !%p3;": [
        "setp Keyword",
        ".lt Name.Attribute",
        ".and Name.Attribute",
        ".s32 Keyword.Type",
        "%p1 Name.Variable",
        "| Operator",
        "%p2 Name.Variable",
        ", Punctuation",
        "%a Name.Variable",
        ", Punctuation",
        "WARP_SZ Name.Constant",
        ", Punctuation",
        "! Operator",
        "%p3 Name.Variable",
        "; Punctuation",
    ],
    "ld.global.L1::no_allocate.b64 a, [b];": [
        "ld Keyword",
        ".global Name.Attribute",
        ".L1::no_allocate Name.Attribute",
        ".b64 Keyword.Type",
        "a Name",
        ", Punctuation",
        "[ Punctuation",
        "b Name",
        "]; Punctuation",
    ],
    "call.uni (retval0), vprintf, (param0);": [
        "call Keyword",
        ".uni Name.Attribute",
        "( Punctuation",
        "retval0 Name",
        "), Punctuation",
        "vprintf Name.Function",
        ", Punctuation",
        "( Punctuation",
        "param0 Name",
        "); Punctuation",
    ],
    "{ // callseq 2, 0": ["{ Punctuation", "// callseq 2, 0 Comment"],
    ".visible .entry add(": [
        ".visible Keyword.Pseudo",
        ".entry Keyword.Pseudo",
        "add Name.Function",
        "( Punctuation",
    ],
    "\t.param .u64 .ptr .align 1 add_param_0,": [
        ".param Keyword.Pseudo",
        ".u64 Keyword.Type",
        ".ptr Keyword.Pseudo",
        ".align Keyword.Pseudo",
        "1 Literal.Number.Integer",
        "add_param_0 Name",
        ", Punctuation",
    ],
    ".reg .b32 %r<82>;": [
        ".reg Keyword.Pseudo",
        ".b32 Keyword.Type",
        "%r Name.Variable",
        "< Operator",
        "82 Literal.Number.Integer",
        "> Operator",
        "; Punctuation",
    ],
    ".target sm_100a, debug": [
        ".target Keyword.Pseudo",
        "sm_100a Name.Constant",
        ", Punctuation",
        "debug Name.Attribute",
    ],
    ".version 9.4": [".version Keyword.Pseudo", "9.4 Literal.Number.Float"],
    '.pragma "nounroll";': [
        ".pragma Keyword.Pseudo",
        '"nounroll" Literal.String',
        "; Punctuation",
    ],
    ".loc 2 12 5, function_name $L__info_string1, inlined_at 1 21 9": [
        ".loc Keyword.Pseudo",
        "2 Literal.Number.Integer",
        "12 Literal.Number.Integer",
        "5 Literal.Number.Integer",
        ", Punctuation",
        "function_name Name.Attribute",
        "$L__info_string1 Name.Label",
        ", Punctuation",
        "inlined_at Name.Attribute",
        "1 Literal.Number.Integer",
        "21 Literal.Number.Integer",
        "9 Literal.Number.Integer",
    ],
    r'.file 1 "C:\\a\"b.cu"': [
        ".file Keyword.Pseudo",
        "1 Literal.Number.Integer",
        r'"C:\\a\"b.cu" Literal.String',
    ],
    ".b8 95": [".b8 Keyword.Type", "95 Literal.Number.Integer"],
    ".b64 $L__tmp10": [".b64 Keyword.Type", "$L__tmp10 Name.Label"],
    "mov.f32 %f1, 0f3F800000;": [
        "mov Keyword",
        ".f32 Keyword.Type",
        "%f1 Name.Variable",
        ", Punctuation",
        "0f3F800000 Literal.Number.Float",
        "; Punctuation",
    ],
    ".const .b32 x[3] = {0xFFU, 010, 1.5e-3};": [
        ".const Keyword.Pseudo",
        ".b32 Keyword.Type",
        "x Name",
        "[ Punctuation",
        "3 Literal.Number.Integer",
        "] Punctuation",
        "= Operator",
        "{ Punctuation",
        "0xFFU Literal.Number.Hex",
        ", Punctuation",
        "010 Literal.Number.Integer",
        ", Punctuation",
        "1.5e-3 Literal.Number.Float",
        "}; Punctuation",
    ],
}


@pytest.mark.parametrize("line", FRAGMENTS)
def test_a_fragment(line, spelt):
    assert spelt(LEXER, line) == FRAGMENTS[line]


def test_operands_may_go_on_in_the_next_line(spelt):
    assert spelt(LEXER, "add.s32", "  %r1, a,", "  ret; ret;") == [
        "add Keyword",
        ".s32 Keyword.Type",
        "%r1 Name.Variable",
        ", Punctuation",
        "a Name",
        ", Punctuation",
        "ret Name",
        "; Punctuation",
        "ret Keyword",
        "; Punctuation",
    ]


def test_a_directive_ends_with_its_line(spelt):
    assert spelt(LEXER, ".address_size 64", "ret;")[-2:] == ["ret Keyword", "; Punctuation"]


def test_a_block_comment_goes_on_where_it_began(spelt):
    assert spelt(LEXER, "mov.b32 %r1, /* a", "", "b */ ret; /* c", "*/ ret;") == [
        "mov Keyword",
        ".b32 Keyword.Type",
        "%r1 Name.Variable",
        ", Punctuation",
        "/* a Comment",
        "b */ Comment",
        "ret Name",
        "; Punctuation",
        "/* c Comment",
        "*/ Comment",
        "ret Keyword",
        "; Punctuation",
    ]
