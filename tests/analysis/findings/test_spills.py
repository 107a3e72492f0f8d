"""What bounds the registers of a kernel that spills is told as it is written in the source."""

import re

import pytest

from jitstudio.analysis.findings.spill_rules import registers_for
from tests.support import cuda, one_in, request

# As many values as are asked for are alive in a loop; they come in by line 6, and change in line 8.
_KERNEL = """\
__device__ __forceinline__ float step(float one, float other)
{ return one * other + 1.0f; }
extern "C" __global__ void BOUNDS k(const float* a, float* b, int n)
{
    float t[COUNT];
    for (int k = 0; k < COUNT; ++k) t[k] = a[k * 1024 + threadIdx.x];
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < COUNT; ++k) t[k] = step(t[k], t[(k * 7 + 5) % COUNT]);
    for (int k = 0; k < COUNT; ++k) b[k * 1024 + threadIdx.x] = t[k];
}
"""


def spilling(count, bounds="", *options, arch="sm_90"):
    text = _KERNEL.replace("COUNT", str(count)).replace("BOUNDS", bounds)
    return request(cuda(text), emit="cubin", arch=arch, options=options)


def reason(found_in, asked):
    (finding,) = (one for one in found_in(asked)["k"] if one.rule == "spills")
    return finding


# Each target, and bounds of each kind: all of them together are left to the bench.
_BOUNDS = ((128, 4), (256, 2), (256, 4), (512, 2), (96, 8))
_BOUNDED = [(*bounds, arch) for bounds in _BOUNDS for arch in ("sm_75", "sm_90", "sm_120")]


@pytest.mark.parametrize(("threads", "blocks", "arch"), one_in(4, _BOUNDED))
def test_the_second_number_is_named_where_it_is_the_cause(found_in, arch, threads, blocks):
    count = registers_for(threads, blocks) + 24
    found = reason(found_in, spilling(count, f"__launch_bounds__({threads}, {blocks})", arch=arch))
    assert f": __launch_bounds__({threads}, {blocks}) allows no more" in found.reason
    freed = found_in(spilling(count, f"__launch_bounds__({threads})", arch=arch))["k"]
    assert not any(one.rule == "spills" for one in freed)


def test_all_second_numbers_are_named_that_leave_as_many_registers(found_in):
    # 65,536 registers for 8 blocks of 256 threads are 32 a thread; for 7 they are 36, of which a
    # warp gets 32, too.
    found = reason(found_in, spilling(56, "__launch_bounds__(256, 8)"))
    assert ": __launch_bounds__(256, 7 to 8) allows no more" in found.reason


def test_the_first_number_is_named_where_it_is_the_cause(found_in):
    found = reason(found_in, spilling(96, "__launch_bounds__(1024)"))
    assert ": __launch_bounds__(1024) allows no more" in found.reason
    assert "second number" not in found.remedy


@pytest.mark.parametrize(
    ("bounds", "options"), [("", ["--maxrregcount=32"]), ("__maxnreg__(32)", [])]
)
def test_a_number_of_registers_is_named_where_it_is_the_cause(found_in, bounds, options):
    assert "--maxrregcount, __maxnreg__" in reason(found_in, spilling(64, bounds, *options)).reason


def test_bounds_win_over_the_option(found_in):
    asked = spilling(64, "__launch_bounds__(256)", "--maxrregcount=32")
    assert not any(one.rule == "spills" for one in found_in(asked)["k"])


def test_more_than_a_thread_can_have(found_in):
    assert "cannot have more than 255" in reason(found_in, spilling(300)).reason


def test_what_is_alive_is_told_by_the_lines_of_the_kernel(found_in):
    found = reason(found_in, spilling(96, "__launch_bounds__(256, 4)"))
    lines = {int(line) for line in re.findall(r"of line (\d+)", found.reason)}
    assert lines <= {3, 6, 7, 8, 9}
    assert 8 in lines or 6 in lines
    assert found.places[0].line in {6, 7, 8, 9}
    most = int(re.search(r"(\d+) registers hold", found.reason)[1])
    counts = re.search(r"hold values: (.*?)\.", found.reason)[1]
    assert sum(map(int, re.findall(r"(\d+) of line", counts))) <= most <= 64
