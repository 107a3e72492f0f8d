"""What a simulated run has shown takes the place of what rules guess."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jitstudio.analysis.findings.measured import measured, with_measured
from jitstudio.analysis.findings.model import Finding, once_a_line
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.simulation import (
    AccessKind,
    AccessSample,
    LineCounts,
    Simulation,
    StateSpace,
    ThreadPlace,
)
from jitstudio.simulator.observers.counts import Counter
from tests.simulator.running import ptx_of, run
from tests.support import cuda, request


def access(ptx_line: int, space: StateSpace, kind: AccessKind) -> AccessSample:
    place = ThreadPlace("k.cu", ptx_line // 10, ptx_line, (0, 0, 0), (0, 0, 0))
    return AccessSample(ptx_line, space, kind, 4, place, ((0, 0),), 1)


# A hundred warps whose lanes all access global memory.
EACH = {"requests": 100, "sector_requests": 100}
RUN = Simulation(
    *(1, 0.1, 1, 1),
    lines=(
        LineCounts("k.cu", 2, 20, 100, 3200, 50),
        LineCounts("k.cu", 3, 30, 100, 3200, **EACH, sectors=3200, bytes_used=12800),
        LineCounts("k.cu", 4, 40, 100, 3200, **EACH, sectors=400, bytes_used=12800),
        LineCounts("k.cu", 5, 50, 100, 3200, requests=100, wavefronts=200, bank_conflicts=100),
        LineCounts(
            *("", 0, 60, 100, 3200), **EACH, sectors=100, bytes_used=400, lanes_per_address=32
        ),
    ),
    samples=(
        access(30, StateSpace.GLOBAL, AccessKind.READ),
        access(40, StateSpace.GLOBAL, AccessKind.WRITE),
        access(50, StateSpace.SHARED, AccessKind.WRITE),
        access(60, StateSpace.GLOBAL, AccessKind.ATOMIC),
    ),
)


def test_each_cost_is_told_with_its_figures_and_line():
    found = measured(RUN)
    assert [(finding.rule, finding.ptx_line) for finding in found] == [
        ("sectors", 30),
        ("banks", 50),
        ("parted", 20),
        ("atomics", 60),
    ]
    uncoalesced, banks, parted, atomics = found
    assert uncoalesced.title == "Uncoalesced load of global memory"
    assert "took 32 sectors of 32 bytes per request of a warp; 4 would do" in uncoalesced.reason
    assert "which are 12% of those moved" in uncoalesced.reason
    assert "took 2 passes through the banks of shared memory per request" in banks.reason
    assert "50 of 100 times" in parted.reason
    assert (parted.places[0].file, parted.places[0].line) == ("k.cu", 2)
    assert "up to 32 lanes" in atomics.reason
    assert atomics.places == ()


def test_guesses_give_way_to_what_was_shown():
    guessed = [
        Finding(rule, Severity.WARNING, "", "", "", (), 0, ()) for rule in ("strided", "spills")
    ]
    assert with_measured(guessed, None) == tuple(guessed)
    assert [one.rule for one in with_measured(guessed, RUN)][-2:] == ["atomics", "spills"]


def test_an_unrolled_loop_is_told_once_a_line():
    first = LineCounts("k.cu", 2, 20, 100, 3200, 50)
    lines = (first, replace(first, ptx_line=25), replace(first, line=3, ptx_line=30))
    found = measured(replace(RUN, lines=lines))
    assert [(finding.rule, finding.ptx_line) for finding in found] == [
        ("parted", 20),
        ("parted", 30),
    ]


MERGED = r"""
extern "C" __global__ void merged(const float* in, float* out) {
  __shared__ float s[1024];
  for (int i = threadIdx.x; i < 1024; i += 32) s[i] = in[i];
  __syncthreads();
  float v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    v[i] = s[threadIdx.x * 32 + i];
  out[threadIdx.x] = v[0] + 2 * v[1] + 3 * v[2] + 4 * v[3];
}
extern "C" __global__ void single(const float* in, float* out) {
  __shared__ float s[1024];
  for (int i = threadIdx.x; i < 1024; i += 32) s[i] = in[i];
  __syncthreads();
  out[threadIdx.x] =
    s[threadIdx.x * 32];
}
"""


@pytest.mark.parametrize(("kernel", "is_merged"), [("merged", True), ("single", False)])
def test_a_remedy_is_for_what_the_machine_code_accesses(tools, kernel, is_merged):
    """Four loads of PTX are one LDS.128: padded rows would keep ptxas from making it."""
    asked = request(cuda(MERGED), emit="cubin", options=("-lineinfo",))
    functions = tools.code(tools.cubin(asked).content).functions
    (function,) = (one for one in functions if one.name == kernel)
    done = run(
        ptx_of(tools, MERGED), kernel, (1, 1, 1), (32, 1, 1), np.ones(1024, np.float32),
        np.zeros(32, np.float32), observers=[Counter()],
    ).result  # fmt: skip
    simulation = replace(RUN, lines=done.lines, samples=done.samples)
    text = "s[threadIdx.x * 32" + (" + i]" if is_merged else "];")
    line = MERGED[: MERGED.index(text)].count("\n") + 1
    ways = with_measured((), simulation), with_measured((), simulation, function)
    by_counts, by_code = (
        next(f for f in way if f.rule == "banks" and f.places[0].line == line) for way in ways
    )
    if is_merged:
        assert "ptxas may make wider accesses" in by_counts.remedy
        assert "(1 LDS.128)" in by_code.remedy
    else:
        assert "[32 + 1] in place of [32]" in by_counts.remedy
        assert by_code == by_counts


LIBRARY = r"""
extern "C" __global__ void quotients(const float* a, float* out) {
  out[threadIdx.x] = fmodf(a[threadIdx.x], 3.0f);
}
extern "C" __global__ void own(const float* a, float* out) {
  if (a[threadIdx.x] > 100)
    out[threadIdx.x] = 1;
}
"""


def test_branches_of_a_library_function_are_not_told_as_the_authors(tools):
    """The loop of fmodf has the line of its call, and no condition of the author's."""
    titles = {}
    for kernel in ("quotients", "own"):
        data = np.exp(np.arange(32, dtype=np.float32))
        done = run(
            ptx_of(tools, LIBRARY), kernel, (1, 1, 1), (32, 1, 1), data,
            np.zeros(32, np.float32), observers=[Counter()],
        ).result  # fmt: skip
        found = once_a_line(measured(replace(RUN, lines=done.lines, samples=())))
        titles[kernel] = [(f.title, "fmodf" in f.reason) for f in found if f.rule == "parted"]
    assert titles == {
        "quotients": [("Divergent branches in one line", True)],
        "own": [("A divergent branch", False)],
    }


def test_a_row_that_straddles_a_sector_is_not_uncoalesced():
    """Five floats of a row, in one sector of 32 bytes or in two; a stride of 8 bytes is told."""
    row = LineCounts(
        "k.cu", 3, 30, 4, 20, requests=4, sector_requests=4, sectors=8, bytes_used=80
    )  # fmt: skip
    apart = replace(row, sectors=32, bytes_used=512)
    sample = access(30, StateSpace.GLOBAL, AccessKind.READ)
    for line, rules in ((row, []), (apart, ["sectors"])):
        found = measured(replace(RUN, lines=(line,), samples=(sample,)))
        assert [one.rule for one in found] == rules


def test_local_memory_is_not_told_to_swap_indices():
    line = LineCounts(
        "k.cu", 3, 30, 1, 32, requests=1, sector_requests=1, sectors=32, bytes_used=128
    )  # fmt: skip
    sample = access(30, StateSpace.LOCAL, AccessKind.READ)
    (found,) = measured(replace(RUN, lines=(line,), samples=(sample,)))
    assert found.title == "Lanes access different words of their local memory"
    assert "swap" not in found.remedy
