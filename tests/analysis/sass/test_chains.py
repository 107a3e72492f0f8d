"""Additions that wait for each other or do not, by how their source is written."""

import pytest

from jitstudio.analysis.sass.chains import independent
from tests.support import QUICK_ARCH, cuda, request

SUMS = """\
#define KERNEL(name, begin, body, end) extern "C" __global__ void name(const float* x, float* y) { \
    begin; _Pragma("unroll 1") for (int k = 0; k < 64; k += 4) { body; } *y = end; }

KERNEL(chain, float a = 0, a += x[k]; a += x[k + 1]; a += x[k + 2]; a += x[k + 3], a)
KERNEL(two, float a = 0; float b = 0, a += x[k]; b += x[k + 1]; a += x[k + 2]; b += x[k + 3], a * b)
KERNEL(four, float a = 0; float b = 0; float c = 0; float d = 0,
    a += x[k]; b += x[k + 1]; c += x[k + 2]; d += x[k + 3], a * b * c * d)
KERNEL(tree, float a = 0, a += (x[k] + x[k + 1]) + (x[k + 2] + x[k + 3]), a)
KERNEL(guarded, float a = 0,
    if (x[k] > 0) a += x[k]; if (x[k + 1] > 0) a += x[k + 1]; if (x[k + 2] > 0) a += x[k + 2], a)
extern "C" __global__ void behind(const float* x, float* y) {
    float t = x[0] + x[1], u = t + x[2], s = x[5] + x[6];
    y[0] = u + x[3]; y[1] = u + x[4]; y[2] = s + x[7]; y[3] = s + x[8]; }
"""


@pytest.fixture(scope="module")
def functions(tools):
    wanted = request(cuda(SUMS), emit="cubin", arch=QUICK_ARCH.sm)
    return {f.name: f for f in tools.code(tools.cubin(wanted).content).functions}


@pytest.mark.tools
@pytest.mark.parametrize(
    ("kernel", "count"),
    [("chain", 1), ("two", 2), ("four", 4), ("tree", 2), ("guarded", 1), ("behind", 4)],
)
def test_additions_that_wait_for_none_of_the_others(functions, kernel, count):
    function = functions[kernel]
    additions = [i for i, opcode in enumerate(function.opcodes) if opcode == "FADD"]
    assert len(additions) >= 3
    assert len(independent(function, additions)) == count
