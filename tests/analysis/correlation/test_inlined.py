"""What the line table of an LTO link tells, against nvdisasm's reading of the cubin's own."""

from jitstudio.analysis.correlation.inlined import inlining
from jitstudio.core.code import LINKED, CodeKind
from tests.support import cuda, request

KERNELS = """\
__device__ float helper(float v);
__device__ int other(int v);
extern "C" __global__ void first(float* p, int n) {
    int i = threadIdx.x;
    p[i] = helper(p[i]) + 1.0f;
    if (n > 3) p[0] = helper(p[1]) * other(n);
}
extern "C" __global__ void second(float* p) { p[2] = helper(p[3]); }
"""
HELPERS = """\
__device__ float square(float v) { return v * v + 3.0f; }
__device__ float helper(float v) { return square(v) - square(v + 1.0f); }
__device__ __noinline__ int other(int v) { return v * 7 + clock(); }
"""


def linked_ptx(result):
    return result.artifact(CodeKind.PTX, LINKED)


def lines(places):
    return [(place.file.rpartition("/")[2], place.line) for place in places]


def test_each_call_is_listed_with_its_function_and_where_it_is_now(tools):
    modules = (cuda(KERNELS, "a.cu"), cuda(HELPERS, "b.cu"))
    result = tools.build(request(*modules, emit="ptx,cubin", link="lto"))
    ptx = linked_ptx(result).content.decode().split("\n")
    found = inlining(ptx)
    assert found.untold == ()
    told = {(one.function, one.into, *lines(one.calls)) for one in found.functions}
    assert told == {
        ("_Z6helperf", "first", ("a.cu", 5)),
        ("_Z6squaref", "first", ("b.cu", 2), ("a.cu", 5)),
        ("_Z6helperf", "first", ("a.cu", 6)),
        ("_Z6squaref", "first", ("b.cu", 2), ("a.cu", 6)),
        ("_Z6helperf", "second", ("a.cu", 8)),
        ("_Z6squaref", "second", ("b.cu", 2), ("a.cu", 8)),
    }
    assert len(told) == len(found.functions)
    # Inner ones follow what they are inside of, and are counted with it.
    helper, square, *_ = found.functions
    assert (helper.function, square.function) == ("_Z6helperf", "_Z6squaref")
    assert helper.instructions > square.instructions > 0
    assert lines((helper.place, square.place)) == [("b.cu", 2), ("b.cu", 1)]
    assert all(
        ".loc" not in ptx[one.ptx_line - 1] and ";" in ptx[one.ptx_line - 1]
        for one in found.functions
    )

    cubin = result.artifact(CodeKind.CUBIN, LINKED).content
    code = tools.code(cubin)
    by_nvdisasm = {
        (function.name, *lines(places[depth + 1 :]))
        for function in code.functions
        for places in function.places
        for depth in range(len(places) - 1)
    }
    assert by_nvdisasm == {(into, *calls) for _, into, *calls in told}


def test_a_link_without_lto_or_without_ptx_tells_nothing(tools):
    modules = (cuda(KERNELS, "a.cu"), cuda(HELPERS, "b.cu"))
    assert linked_ptx(tools.build(request(*modules, emit="ptx,cubin", link="ptx"))) is None
    assert linked_ptx(tools.build(request(*modules, emit="cubin", link="lto"))) is None


def test_a_function_without_a_line_table_is_named():
    text = ".visible .entry k()\n{\nadd.s32 %a, %b, %c;\nret;\n}\n"
    found = inlining(text.split("\n"))
    assert (found.functions, found.untold) == ((), ("k",))
