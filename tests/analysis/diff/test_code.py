"""Real machine code against itself: under other names, and changed in one place."""

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from jitstudio.analysis.diff.code import compare_programs
from jitstudio.analysis.diff.data import data_sections
from jitstudio.analysis.diff.model import Change
from jitstudio.analysis.diff.program import CubinProgram
from tests.analysis.diff.variants import (
    NEAR_MISSES,
    renamed,
    single_webs,
    touched_next,
    with_function,
    with_swapped_sources,
    with_web_in,
)
from tests.support import cuda, request

SOURCE = r"""
__constant__ int table[4] = {1, 2, 3, 4};
extern "C" __global__ void work(float* p, const double* q, float4* v, int n) {
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    s[threadIdx.x] = p[i] - p[i + 1];
    __syncthreads();
    double d = q[i] * 2.5 + q[i + 3];
    float4 four = v[i];
    for (int k = 0; k < n; ++k) {
        d = d * q[k] - table[k & 3];
        four.x -= s[(threadIdx.x + k) & 255] / (four.y + 1.5f);
        if (four.x > four.z) four.w += k; else four.z -= four.w;
    }
    v[i + 2] = four;
    p[i] = (float)d + (n - i) + __int_as_float(0x7fc00123 + 0 * n);
    p[i + 7] = p[i + 8] + __int_as_float(0x7fc00123);
}
extern "C" __global__ void other(int* p, int n) { p[n] = p[0] / n; }
"""
TARGETS = ("sm_75", "sm_90", "sm_120")


@pytest.fixture(scope="session")
def built(tools):
    """Builds a program and reads it."""

    @cache
    def build(
        target: str, source: str = SOURCE, name: str = "kernel.cu", *options: str
    ) -> CubinProgram:
        asked = request(cuda(source, name), emit="cubin", arch=target, options=options)
        content = tools.cubin(asked).content
        return CubinProgram(tools.code(content), data_sections(content))

    return build


@pytest.fixture(scope="session", params=TARGETS)
def program(built, request):
    """The kernels for one target after the other."""
    return built(request.param)


@pytest.fixture(scope="session")
def quick(built):
    """The same for the target whose code is read in the shortest time."""
    return built(TARGETS[0])


def variant(program: CubinProgram, function) -> CubinProgram:
    return CubinProgram(with_function(program.code, function), program.data)


@pytest.mark.parametrize("normalised", [False, True])
def test_a_program_is_equal_to_itself(program, normalised):
    compared = compare_programs(program, program, normalised=normalised)
    assert compared.equal
    assert compared.control_changes == 0
    assert compared.left == compared.right
    assert all(row.left == row.right for row in compared.rows)


@pytest.mark.parametrize("seed", range(12))
def test_other_names_are_no_difference(program, seed):
    changed = variant(program, renamed(program.code.function("work"), seed))
    assert compare_programs(program, changed, normalised=True).equal
    assert compare_programs(changed, program, normalised=True).equal
    assert not compare_programs(program, changed).equal


@pytest.mark.parametrize("change", NEAR_MISSES, ids=lambda change: change.__name__)
def test_a_near_miss_is_a_difference(program, change):
    function = program.code.function("work")
    for seed in range(5):
        changed = change(function, Random(seed))
        for one in (changed, renamed(changed, seed)):
            other = variant(program, one)
            assert not compare_programs(program, other, normalised=True).equal, seed


def test_a_value_in_a_free_register_is_no_difference(program):
    function = program.code.function("work")
    free = []
    for web in single_webs(function):
        free.append((web, 200))
        first, last = web.uses[0][0], web.uses[-1][0]
        _, written = touched_next(function, first)
        free += ((web, one) for one, at in written.items() if one < 255 and at > last)
    assert len(free) > 40
    for web, register in Random(7).sample(free, 12):
        changed = variant(program, with_web_in(function, web, register))
        assert compare_programs(program, changed, normalised=True).equal, (web, register)


def test_a_value_in_a_register_that_holds_another_one_is_a_difference(program):
    function = program.code.function("work")
    lost = [
        (web, register)
        for web in single_webs(function)
        for register in touched_next(function, web.uses[0][0])[0].keys() - {web.register}
    ]
    for web, register in Random(5).sample(lost, 12):
        changed = variant(program, with_web_in(function, web, register))
        assert not compare_programs(program, changed, normalised=True).equal, (web, register)


def test_two_sources_in_each_others_place_are_a_difference(program):
    for seed in range(8):
        function = with_swapped_sources(program.code.function("work"), Random(seed))
        changed = variant(program, function)
        assert not compare_programs(program, changed, normalised=True).equal, seed


def test_what_differs_is_marked_and_little_else(program):
    function = program.code.function("work")
    changed = renamed(NEAR_MISSES[0](function, Random(3)), 3)
    compared = compare_programs(program, variant(program, changed), normalised=True)
    (hunk,) = compared.hunks
    assert hunk.end - hunk.start == 1
    row = compared.rows[hunk.start]
    assert row.change is Change.CHANGED
    ((start, end),), ((other_start, other_end),) = compared.marks(hunk.start)
    assert compared.left[row.left][start:end] != compared.right[row.right][other_start:other_end]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("* 2.5", "* 3.5"),
        ("p[i] - p[i + 1]", "p[i + 1] - p[i]"),
        ("i >= n", "i > n"),
        ("four.x > four.z", "four.x >= four.z"),
        ("v[i + 2]", "v[i + 3]"),
        ("p[0] / n", "n / p[0]"),
        ("q[i + 3]", "q[i + 4]"),
        ("p[i + 8] + __int_as_float(0x7fc00123)", "p[i + 8] + __int_as_float(0x7fc00124)"),
        ("{1, 2, 3, 4}", "{1, 2, 3, 5}"),
        ("int* p, int n", "int* p, int n, int unused"),
        ("s[256]", "s[257]"),
        ("void work(", "void __launch_bounds__(64) work("),
    ],
)
def test_another_source_is_another_program(built, quick, old, new):
    assert old in SOURCE
    other = built(TARGETS[0], SOURCE.replace(old, new))
    assert not compare_programs(quick, other, normalised=True).equal


def test_another_way_to_write_the_same_source_is_the_same_program(built, quick):
    other = built(TARGETS[0], SOURCE.replace("four", "vector").replace("\n", "\n\n"))
    assert compare_programs(quick, other, normalised=True).equal
    assert compare_programs(quick, other).equal


def test_other_control_bits_count_only_where_all_counts(quick):
    function = quick.code.function("work")
    encodings = bytearray(function.encodings)
    encodings[16 * 3 + 13] ^= 2  # the stall count of the fourth instruction
    changed = variant(quick, replace(function, encodings=bytes(encodings)))
    normalised = compare_programs(quick, changed, normalised=True)
    assert normalised.equal
    assert normalised.control_changes == 1
    written = compare_programs(quick, changed)
    assert not written.equal
    ((start, end),), _ = written.marks(written.hunks[0].start)
    row = written.rows[written.hunks[0].start]
    assert "stall" in written.left[row.left]
    assert written.left[row.left][start:end].isdigit()


def test_what_no_text_shows_is_a_difference_still(quick):
    function = quick.code.function("work")
    encodings = bytearray(function.encodings)
    encodings[16 * 3 + 9] ^= 2
    changed = replace(function, encodings=bytes(encodings))
    for one in (changed, renamed(changed, 1)):
        assert not compare_programs(quick, variant(quick, one), normalised=True).equal


STATIC = r"""
static __device__ int v = 3;
static __device__ int w = 4;
static __device__ __noinline__ int f(int a) { v = a; return a * a + blockIdx.x; }
static __device__ __noinline__ int g(int a) { w = a; return a * a + blockIdx.x; }
extern "C" __global__ void k(int* p) { p[0] = f(p[0]); p[1] = g(p[1]) + f(p[2]); }
"""


@pytest.fixture
def static(built):
    """Builds a module with names that no other module sees."""
    return lambda name, source=STATIC: built(TARGETS[0], source, name, "-rdc=true")


def test_normalised_a_source_may_be_moved(static):
    left, right = static("a.cu"), static("folder/moved.cu")
    assert any("_INTERNAL_" in one.name for one in left.code.functions)
    assert compare_programs(left, right, normalised=True).equal
    assert not compare_programs(left, right).equal


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("+ f(p[2])", "+ g(p[2])"),
        ("{ v = a;", "{ w = a;"),
        # The same bytes, under each other's names.
        ("v = 3;\nstatic __device__ int w", "w = 3;\nstatic __device__ int v"),
    ],
)
@pytest.mark.parametrize("name", ["a.cu", "folder/moved.cu"])
def test_another_static_function_or_variable_is_a_difference(static, old, new, name):
    changed = STATIC.replace(old, new)
    assert changed != STATIC
    assert not compare_programs(static("a.cu"), static(name, changed), normalised=True).equal
