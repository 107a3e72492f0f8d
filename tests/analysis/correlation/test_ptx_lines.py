import random

import pytest

from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines
from jitstudio.analysis.sass.model import SourceLocation
from tests.listing.mutations import mutated

TEXT = """\
.version 9.4
.target sm_90
.address_size 64

.extern .func (.param .b32 out) far (.param .b32 in);

.visible .entry k(
	.param .u64 k_param_0
)
{
	.reg .b32 	%r<3>;
	.loc	1 8 0
	ld.param.u64 	%rd2, [k_param_0];
	.loc	1 9 3
	.loc	1 7 3, function_name $L__info_string0, inlined_at 1 9 3
	.loc	2 5 3, function_name $L__info_string1+2, inlined_at 1 7 3
	fma.rn.f32 	%f2, %f1, %f1, 0f40400000; // 3.0
$L__BB0_2:
	@%p1 bra 	$L__BB0_2;
	.loc	1 10 3
	{ // callseq 0, 0
	.param .b32 param0;
	call.uni (retval0),
	far,
	(
	param0
	);
	}
	.loc	1 0 3
	mov.u32 	%r1, %tid.x;
	.loc	1 9 3
	{ mul.f16 %rs1, %rs2, %rs3; }
	.loc	3 1 1
	ret;
}
	.file	1 "/src/k.cu"
	.file	2 "/src/k.cuh", 1234, 56
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90,49,97,102,0
$L__info_string1:
.b8 120
.b8 120
.b8 98,0x66
.b8 0

	}
"""
INLINED = TEXT.split("\n")
KERNEL, HEADER = "/src/k.cu", "/src/k.cuh"
CHAIN = (SourceLocation(HEADER, 5), SourceLocation(KERNEL, 7), SourceLocation(KERNEL, 9))


def line_of(text):
    (line,) = (n for n, line in enumerate(INLINED, 1) if text in line)
    return line


def places(text):
    return read_ptx_lines(INLINED).places_of(line_of(text))


def test_an_instruction_comes_from_the_location_above_it():
    assert places("ld.param.u64") == (SourceLocation(KERNEL, 8),)
    assert places("{ mul.f16") == (SourceLocation(KERNEL, 9),)


def test_inlined_code_has_the_whole_chain_of_calls():
    assert places("fma.rn") == CHAIN
    # A location holds beyond labels.
    assert places("@%p1 bra") == CHAIN


def test_inlined_code_and_each_of_its_callers_have_the_name_of_their_function():
    callees = read_ptx_lines(INLINED).callees
    assert callees == {CHAIN: "bf", CHAIN[1:]: "_Z1af"}


@pytest.mark.parametrize(
    "text", ["$L__BB0_2:", ".loc	1 10 3", ".reg .b32", ".param .b32 param0", "{ //"]
)
def test_what_is_no_instruction_comes_from_nowhere(text):
    assert places(text) == ()


def test_an_instruction_may_take_several_lines():
    lines = read_ptx_lines(INLINED)
    call = range(line_of("call.uni"), line_of("	);") + 1)
    assert len(call) == 5
    for line in call:
        assert lines.statement(line) == call
        assert lines.places_of(line) == (SourceLocation(KERNEL, 10),)
    assert lines.statement(call.stop) == range(call.stop, call.stop + 1)


def test_line_0_and_a_file_without_a_name_are_no_place():
    assert places("mov.u32") == ()
    assert places("	ret;") == ()


def test_lines_beyond_the_text_are_nowhere():
    lines = read_ptx_lines(INLINED)
    assert lines.places_of(0) == lines.places_of(-1) == lines.places_of(lines.count + 1) == ()


def test_only_what_is_defined_here_is_a_function_of_it():
    assert [f.name for f in read_ptx_lines(INLINED).functions] == ["k"]


def test_a_location_ends_with_its_function():
    text = [*INLINED[:35], ".visible .entry other()", "{", "ret;", "}", *INLINED[35:]]
    lines = read_ptx_lines(text)
    assert [f.name for f in lines.functions] == ["k", "other"]
    assert lines.places_of(38) == ()


def test_comments_hide_code_and_locations_in_them():
    text = [
        ".entry k() {",
        ".loc 1 2 0",
        "/* add.s32 %a, %b, %c;",
        "sub.s32 %a, %b, %c; */ mul.lo.s32 %a, %b, %c; /* ; */",
        "// neg.s32 %a, %b;",
        "ret; }",
        '.file 1 "k.cu"',
    ]
    lines = read_ptx_lines(text)
    assert [line for line in range(1, 8) if lines.places_of(line)] == [4, 6]


def test_of_a_truncated_text_the_whole_part_reads_as_before():
    whole = read_ptx_lines(INLINED)
    tables = INLINED[35:]
    for end in range(11, 36):
        part = read_ptx_lines([*INLINED[:end], "}", *tables])
        same = [n for n in range(1, end + 1) if part.places_of(n) not in ((), whole.places_of(n))]
        assert same == []


def test_of_a_mutated_text_nothing_is_told_that_is_in_no_location():
    for seed in range(400):
        lines = mutated(TEXT, random.Random(seed)).split("\n")
        found = read_ptx_lines(lines)
        assert found.count == len(lines)
        for line in range(1, found.count + 1):
            assert line in found.statement(line)
            assert all(place.line > 0 for place in found.places_of(line))


def test_long_lines_take_no_longer_than_their_length():
    lines = [".entry k() {", ".loc 1 1 1", "a" * 1_000_000, "{" * 1_000_000, "x:" * 500_000, "}"]
    assert read_ptx_lines(lines).count == 6
