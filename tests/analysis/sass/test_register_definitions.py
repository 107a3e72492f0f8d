"""Held against nvdisasm's own count of what is alive."""

from pathlib import PurePath

import pytest

from jitstudio.analysis.sass.liveness import register_definitions
from jitstudio.analysis.sass.pressure import highest, live_gprs
from tests.sample_builds import TARGETS, builds
from tests.support import cuda, request

# Many values of known lines, alive at the same time.
FAN = """\
extern "C" __global__ void fan(float* p, const double* q, int n)
{
    float a = p[n], b = p[n * 3], c = p[n * 5];
    double d = q[n],
        e = q[n * 7];
    float s = 0;
    for (int i = 0; i < n; ++i) s += sinf(p[i]) * s;
    __syncthreads();
    p[0] = a * s + b;
    p[1] = b * s + c;
    p[2] = c * s + a;
    p[3] = d * e + s;
    p[4] = (a + b) * (float)d;
}
"""


@pytest.fixture(scope="module")
def fan(tools):
    """The kernel above, for a target."""

    def made(arch):
        wanted = request(cuda(FAN), emit="cubin", arch=arch)
        (function,) = tools.read(tools.cubin(wanted).content).functions
        return function

    return made


@pytest.fixture(scope="module")
def sampled(tools):
    """The functions of samples, for a target."""

    def made(arch, *names):
        wanted = (one.request for one in builds(arch) if one.name.endswith(names))
        return [f for asked in wanted for f in tools.read(tools.cubin(asked).content).functions]

    return made


@pytest.mark.parametrize("arch", TARGETS)
def test_as_many_registers_are_held_as_nvdisasm_counts(sampled, fan, arch):
    functions = [fan(arch), *sampled(arch, "histogram.cu", "vector_add.cu")]
    assert len(functions) == 3
    told = counted = 0
    for function in functions:
        counts = live_gprs(function)
        for index in range(0, function.code_length, 4):
            count = counts[index]
            held = {
                n
                for definition in register_definitions(function, index)
                for n in definition.registers
            }
            # nvdisasm also counts what is read on a way on which nothing has written it.
            assert len(held) <= count, function[index].text
            told += len(held)
            counted += count
    assert told >= 0.95 * counted


@pytest.mark.parametrize("arch", TARGETS)
def test_the_lines_that_hold_a_peak_are_those_that_wrote(fan, arch):
    function = fan(arch)
    barrier = next(i for i, one in enumerate(function) if one.opcode.startswith("BAR."))
    held = {
        definition.places[0].line: definition.registers
        for definition in register_definitions(function, barrier)
    }
    # Floats, at least two of three, and two doubles.
    assert len(held[3]) >= 2
    assert len(held[4]) == len(held[5]) == 2
    # What the loop, or the line before it, has summed up.
    assert {6, 7} & held.keys()
    assert not {8, 13} & held.keys()


def test_the_most_stand_first(fan):
    function = fan("sm_90")
    counts = [
        len(definition.registers)
        for definition in register_definitions(function, highest(function))
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 0


def test_the_chain_of_what_was_inlined_is_told(sampled):
    (function,) = sampled("sm_120", "histogram.cu")
    files = {
        tuple(PurePath(place.file).name for place in definition.places)
        for index in range(function.code_length)
        for definition in register_definitions(function, index)
    }
    assert ("atomic_ops.cuh", "histogram.cu") in files


def test_padding_holds_nothing(fan):
    function = fan("sm_90")
    assert len(function) > function.code_length
    assert register_definitions(function, len(function) - 1) == ()
