import pytest

from jitstudio.listing.lexers.sass import SassLexer

LEXER = SassLexer()

FRAGMENTS = {
    "        /*0080*/              @!UP0 LDG.E.128.CONSTANT R0, desc[UR6][R2.64+0x4] ;": [
        "/*0080*/ Comment",
        "@! Operator",
        "UP0 Name.Variable",
        "LDG Keyword",
        ".E Name.Attribute",
        ".128 Keyword.Type",
        ".CONSTANT Name.Attribute",
        "R0 Name.Variable",
        ", Punctuation",
        "desc Name.Builtin",
        "[ Punctuation",
        "UR6 Name.Variable",
        "][ Punctuation",
        "R2 Name.Variable",
        ".64 Keyword.Type",
        "+ Operator",
        "0x4 Literal.Number.Hex",
        "] Punctuation",
        "; Punctuation",
    ],
    "  /*0010*/  S2R R16, SR_TID.X ;  /* 0x0000000000107919 */": [
        "/*0010*/ Comment",
        "S2R Keyword",
        "R16 Name.Variable",
        ", Punctuation",
        "SR_TID.X Name.Builtin.Pseudo",
        "; Punctuation",
        "/* 0x0000000000107919 */ Comment",
    ],
    "IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;": [
        "IMAD Keyword",
        ".MOV Name.Attribute",
        ".U32 Keyword.Type",
        "R1 Name.Variable",
        ", Punctuation",
        "RZ Name.Variable",
        ", Punctuation",
        "RZ Name.Variable",
        ", Punctuation",
        "c Name.Builtin",
        "[ Punctuation",
        "0x0 Literal.Number.Hex",
        "][ Punctuation",
        "0x28 Literal.Number.Hex",
        "] Punctuation",
        "; Punctuation",
    ],
    "@P0 BRA `(.L_x_3) ;": [
        "@ Operator",
        "P0 Name.Variable",
        "BRA Keyword",
        "`( Punctuation",
        ".L_x_3 Name.Label",
        ") Punctuation",
        "; Punctuation",
    ],
    "LOP3.LUT P0, R6.reuse, 5.87e-39, -QNAN , !PT ;": [
        "LOP3 Keyword",
        ".LUT Name.Attribute",
        "P0 Name.Variable",
        ", Punctuation",
        "R6 Name.Variable",
        ".reuse Name.Attribute",
        ", Punctuation",
        "5.87e-39 Literal.Number.Float",
        ", Punctuation",
        "- Operator",
        "QNAN Literal.Number.Float",
        ", Punctuation",
        "! Operator",
        "PT Name.Variable",
        "; Punctuation",
    ],
    "SYNCS.ARRIVE.TRANS64 RZ, SB0, B1, URZ ;": [
        "SYNCS Keyword",
        ".ARRIVE Name.Attribute",
        ".TRANS64 Name.Attribute",
        "RZ Name.Variable",
        ", Punctuation",
        "SB0 Name.Variable",
        ", Punctuation",
        "B1 Name.Variable",
        ", Punctuation",
        "URZ Name.Variable",
        "; Punctuation",
    ],
    "MOV R4, 32@lo(vprintf + .L_x_1@srel) ;": [
        "MOV Keyword",
        "R4 Name.Variable",
        ", Punctuation",
        "32 Literal.Number.Integer",
        "@ Operator",
        "lo Name",
        "( Punctuation",
        "vprintf Name",
        "+ Operator",
        ".L_x_1 Name.Label",
        "@ Operator",
        "srel Name",
        ") Punctuation",
        "; Punctuation",
    ],
    'BRX R4 -0x580    (*"BRANCH_TARGETS .L_x_1,.L_x_2"*);': [
        "BRX Keyword",
        "R4 Name.Variable",
        "- Operator",
        "0x580 Literal.Number.Hex",
        '(*"BRANCH_TARGETS .L_x_1,.L_x_2"*) Comment',
        "; Punctuation",
    ],
    "{ IADD R1, R1, 0x8; MOV R2, R3 }": [
        "{ Punctuation",
        "IADD Keyword",
        "R1 Name.Variable",
        ", Punctuation",
        "R1 Name.Variable",
        ", Punctuation",
        "0x8 Literal.Number.Hex",
        "; Punctuation",
        "MOV Keyword",
        "R2 Name.Variable",
        ", Punctuation",
        "R3 Name.Variable",
        "} Punctuation",
    ],
    ".L_x_1:": [".L_x_1 Name.Label", ": Punctuation"],
    "_Z5saxpyIfEvT_PKS0_PS0_i:": ["_Z5saxpyIfEvT_PKS0_PS0_i Name.Label", ": Punctuation"],
    ".text.add:": [".text.add Name.Label", ": Punctuation"],
    "$a$_Z4slowfi:": ["$a$_Z4slowfi Name.Label", ": Punctuation"],
    '\t//## File "/tmp/k.cu", line 12 inlined at "/tmp/k.cu", line 3': [
        '//## File "/tmp/k.cu", line 12 inlined at "/tmp/k.cu", line 3 Comment.Preproc'
    ],
    "//----- .text.add -----": ["//----- .text.add ----- Comment"],
    "  NOP;      // |  5   : v v ^ x   :": [
        "NOP Keyword",
        "; Punctuation",
        "// |  5   : v v ^ x   : Comment",
    ],
    '\t.section\t.text.add,"ax",@progbits': [
        ".section Keyword.Pseudo",
        ".text.add Name",
        ", Punctuation",
        '"ax" Literal.String',
        ", Punctuation",
        "@progbits Name.Attribute",
    ],
    '\t.headerflags\t@"EF_CUDA_SM75"': [
        ".headerflags Keyword.Pseudo",
        "@ Operator",
        '"EF_CUDA_SM75" Literal.String',
    ],
    "\t.size\tadd,(.L_x_5 - add)": [
        ".size Keyword.Pseudo",
        "add Name",
        ",( Punctuation",
        ".L_x_5 Name.Label",
        "- Operator",
        "add Name",
        ") Punctuation",
    ],
    "        /*0198*/ \t.byte\t0x92, 0x80": [
        "/*0198*/ Comment",
        ".byte Keyword.Pseudo",
        "0x92 Literal.Number.Hex",
        ", Punctuation",
        "0x80 Literal.Number.Hex",
    ],
}


@pytest.mark.parametrize("line", FRAGMENTS)
def test_a_fragment(line, spelt):
    assert spelt(LEXER, line) == FRAGMENTS[line]


def test_an_instruction_ends_with_its_line(spelt):
    assert spelt(LEXER, "EXIT", "BRA `(.L_x_0)")[1] == "BRA Keyword"


def test_a_block_comment_may_span_lines(spelt):
    assert spelt(LEXER, "/* a", "b */ NOP;") == [
        "/* a Comment",
        "b */ Comment",
        "NOP Keyword",
        "; Punctuation",
    ]
