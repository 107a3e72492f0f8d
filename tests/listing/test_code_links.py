import re

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.listing.code_links import CodeText, link_at
from jitstudio.listing.functions import functions

PTX_TEXT = """.file 1 "a.cu"
.global .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.func (.param .b32 r) f(.param .b32 f_param_0);
.visible .entry k(
\t.param .u64 k_param_0
)
{
\t.reg .pred %p<2>;
\t.reg .b32 %r<9>, %alone;
\t.loc 1 7 3
$again:
\tld.param.u64 %rd1, [k_param_0];
\tmov.u32 %r8, table;
\t@%p1 bra $again;
\t{
\t.reg .b32 %r<9>;
$again:
\tadd.s32 %r8, %alone, %r10;
\tbra.uni $again;
\tcall.uni (r), f, (param0); // $again
\t}
\tbra $nowhere;
}
.func (.param .b32 r) f(.param .b32 f_param_0)
{
$again:
\tbra $again;
}"""

SASS_TEXT = """\t.section\t.text.k,"ax",@progbits
        .type           k,@function
        .type           $k$div,@function
        .size           k,(.L_x_1 - k)
        .other          k,@"STO_CUDA_ENTRY STV_DEFAULT"
k:
.text.k:
        /*0000*/                   BSSY B0, `(.L_x_1) ;
        /*0010*/              @!P0 BRA `(.L_x_1) ;
        /*0020*/                   CALL.REL.NOINC `($k$div) ;
.L_x_1:
        /*0030*/                   BRA 0x20;
        /*0040*/                   IADD3 R1, R2, 0x20, RZ ;
$k$div:
        /*0050*/                   RET.REL.NODEC R2 `(k);"""

PTX, SASS = PTX_TEXT.split("\n"), SASS_TEXT.split("\n")


def target(kind, lines, line, word, nth=0):
    """Where a word of a line leads: the line, and the text from there."""
    column = [match.start() for match in re.finditer(re.escape(word), lines[line])][nth]
    link = link_at(CodeText(kind, lines, functions(kind, lines)), (line, column))
    if link is None:
        return None
    assert lines[line][slice(*link.span)] == word
    there, at = link.target
    return there, lines[there][at : at + len(word)]


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        (9, "1", (0, "1")),
        (9, "7", None),
        (11, "k_param_0", (4, "k_param_0")),
        (11, "%rd1", None),
        (12, "%r8", (8, "%r<")),
        (12, "table", (1, "table")),
        (12, "mov", None),
        (13, "%p1", (7, "%p<")),
        (13, "$again", (10, "$again")),
        (17, "%r8", (15, "%r<")),
        (17, "%alone", (8, "%alone")),
        (18, "$again", (16, "$again")),
        (19, "f", (23, "f")),
        (19, "$again", None),
        (21, "$nowhere", None),
        (26, "$again", (25, "$again")),
    ],
)
def test_targets_in_ptx(line, word, expected):
    assert target(CodeKind.PTX, PTX, line, word) == expected


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        (3, ".L_x_1", (10, ".L_x_1")),
        (7, ".L_x_1", (10, ".L_x_1")),
        (7, "B0", None),
        (8, ".L_x_1", (10, ".L_x_1")),
        (9, "$k$div", (13, "$k$div")),
        (11, "0x20", (9, "/*00")),
        (12, "0x20", None),
        (14, "k", (5, "k")),
    ],
)
def test_targets_in_sass(line, word, expected):
    assert target(CodeKind.SASS, SASS, line, word) == expected


def test_every_branch_and_call_of_the_samples_leads_to_its_label_or_function(listings):
    branch = {
        CodeKind.PTX: re.compile(r"\bbra(?:\.uni)?\s+([$\w]+);"),
        CodeKind.SASS: re.compile(r"\b(?:BRA|BSSY|CALL)\b.*`\(([^)]+)\)"),
    }
    count = 0
    for what, kind, text in listings:
        lines = text.split("\n")
        code = CodeText(kind, lines, functions(kind, lines))
        for number, line in enumerate(lines):
            if found := branch[kind].search(line):
                link = link_at(code, (number, found.start(1)))
                assert link is not None, (what, line)
                there, column = link.target
                assert lines[there][column:].startswith((f"{found[1]}:", f"{found[1]}("))
                count += 1
    assert count > 100


def test_every_register_of_the_samples_leads_to_its_declaration(listings):
    for what, kind, text in listings:
        if kind is CodeKind.PTX:
            lines = text.split("\n")
            code = CodeText(kind, lines, functions(kind, lines))
            for number, line in enumerate(lines):
                used = re.search(r"(?<![.\w])%(?:r|rd|f|fd|p|rs)\d+", line)
                if used and ".reg" not in line:
                    link = link_at(code, (number, used.start()))
                    assert link is not None, (what, line)
                    assert ".reg" in lines[link.target[0]]


def test_odd_places_lead_nowhere():
    code = CodeText(CodeKind.PTX, ["", "}", "bra", "x" * 100_000], ())
    assert [link_at(code, (line, 0)) for line in range(4)] == [None] * 4
    assert link_at(code, (3, 99_999)) is None
