from time import process_time

import pytest

from jitstudio.listing.same_place import same_line

KERNEL = """\
.visible .entry {name}(
{{
	ld.param.u64 	%rd1, [{name}_param_0];
	mov.u32 	%r1, %tid.x;
	setp.ge.s32 	%p1, %r1, 8;
	@%p1 bra 	$L__BB{n}_2;
	mul.wide.s32 	%rd2, %r1, 4;
	add.s64 	%rd3, %rd1, %rd2;
	st.global.u32 	[%rd3], %r1;
$L__BB{n}_2:
	ret;
}}
"""


def kernel(name, n=0):
    return KERNEL.format(name=name, n=n).split("\n")


A, B, C = kernel("a"), kernel("b", 1), kernel("c", 2)
COUNT = len(A)


@pytest.mark.parametrize("line", range(2 * COUNT))
def test_a_line_of_the_same_text_stays(line):
    assert same_line(A + B, A + B, line, line // COUNT * COUNT) == line


@pytest.mark.parametrize("line", range(COUNT, 2 * COUNT - 1))
def test_a_line_moves_with_its_kernel(line):
    assert same_line(A + B, C + A + B, line, COUNT) == line + COUNT
    assert same_line(A + B, B, line, COUNT) == line - COUNT


@pytest.mark.parametrize("line", [7, 8, 9, 10])
def test_a_line_moves_with_those_around_it(line):
    more = [f"\tfma.rn.f32 \t%f{n}, %f{n}, %f1, %f2;" for n in range(40)]
    assert same_line(A, A[:6] + more + A[6:], line, 0) == line + 40


def test_lines_above_that_have_changed_do_not_matter():
    before = [*A[:3], "\tadd.s32 %r9, %r9, 1;", *A[3:]]
    assert same_line(before, A, 9, 0) == 8


def test_registers_and_addresses_may_be_numbered_anew():
    before = ["k:", "  /*0010*/ MOV R1, R2;", "  /*0020*/ FADD R4, R1, R3;", "  /*0030*/ EXIT;"]
    after = ["k:", "  /*0010*/ S2R R1;", *(line.replace("R", "R1") for line in before[1:])]
    assert same_line(before, after, 2, 0) == 3


def test_of_lines_alike_the_one_among_its_neighbours_is_taken():
    before = ["k", "a", "x", "same", "b", "c", "d", "same", "e"]
    after = ["k", "new", "new", "new", "a", "x", "same", "b", "c", "d", "same", "e"]
    assert (same_line(before, after, 3, 0), same_line(before, after, 7, 0)) == (6, 10)


def test_where_nothing_is_alike_the_place_in_the_kernel_is_kept():
    after = [*C, A[0], *(["\texit;"] * 20)]
    assert same_line(A, after, 8, 0) == COUNT + 8


def test_where_the_kernel_is_gone_the_number_is_kept():
    assert same_line(A, ["x"] * 30, 8, 0) == 8
    assert same_line(A, ["x"] * 3, 8, 0) == 2
    assert same_line(A, [""], 8, None) == 0


@pytest.mark.bench
def test_a_long_text_takes_no_time():
    before = tuple(f"{line} // {n}" for n in range(25_000) for line in A)
    after = ("// new", *before)
    start = process_time()
    assert same_line(before, after, 200_003, 200_003 // COUNT * COUNT) == 200_004
    # 20 ms on a machine that does nothing else.
    assert process_time() - start < 0.2
