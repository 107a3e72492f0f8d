"""What a simulated run has shown takes the place of what rules guess."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jitstudio.analysis.findings.executed import as_executed, is_to_compare
from jitstudio.analysis.findings.library_calls import with_library_calls
from jitstudio.analysis.findings.measured import measured, with_measured
from jitstudio.analysis.findings.model import Finding, once_a_line
from jitstudio.analysis.sass.model import SourceLocation
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.simulation import (
    ASSUMED,
    AccessKind,
    AccessSample,
    LibraryBranch,
    LineCounts,
    Simulation,
    StateSpace,
    ThreadPlace,
)
from jitstudio.simulator.observers.accesses import local_traffic
from jitstudio.simulator.observers.counts import Counter
from tests.analysis.findings.texts import finding_text
from tests.simulator.running import HEAD, ptx_of, run
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
            *("", 0, 60, 100, 3200), **EACH, sectors=3200, bytes_used=12800, lanes_per_address=32
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


def ran(tools, text, kernel, *arrays, read=True):
    """A run of a kernel by one warp, held against its machine code or not, and its findings."""
    done = run(
        ptx_of(tools, text), kernel, (1, 1, 1), (32, 1, 1), *arrays, observers=[Counter()]
    ).result
    simulation = replace(RUN, lines=done.lines, samples=done.samples)
    if read:
        asked = request(cuda(text), arch="sm_90", emit="cubin", options=("-lineinfo",))
        functions = tools.code(tools.cubin(asked).content).functions
        simulation = as_executed(simulation, [f for f in functions if f.name == kernel])
    return simulation, with_measured((), simulation)


def line_of(text, words):
    return text[: text.index(words)].count("\n") + 1


def told(findings, rule, line):
    return next(f for f in findings if f.rule == rule and f.places[0].line == line)


@pytest.mark.parametrize(("kernel", "is_merged"), [("merged", True), ("single", False)])
def test_a_remedy_is_for_what_the_machine_code_accesses(tools, kernel, is_merged):
    """Four loads of PTX are one LDS.128: padded rows would keep ptxas from making it."""
    line = line_of(MERGED, "s[threadIdx.x * 32" + (" + i]" if is_merged else "];"))
    arrays = np.ones(1024, np.float32), np.zeros(32, np.float32)
    (counted, by_counts), (read, by_code) = (
        ran(tools, MERGED, kernel, *arrays, read=read) for read in (False, True)
    )
    assert is_to_compare(counted)
    remedies = [told(found, "banks", line).remedy for found in (by_counts, by_code)]
    if is_merged:
        assert "(LDS.64, LDS.128)" in remedies[0]
        assert "(1 LDS.128)" in remedies[1]
    else:
        assert "[32 + 1] instead of [32]" in remedies[1]
        assert remedies[0] == f"{remedies[1]} {ASSUMED}"
    # The picture of an access says the same.
    assert {sample.advice for sample in read.samples if sample.place.line == line} == {remedies[1]}


OTHERWISE = r"""
extern "C" __global__ void apart(const float* in, float* out) {
  __shared__ float s[1024];
  for (int i = threadIdx.x; i < 1024; i += 32) s[i] = in[i];
  __syncthreads();
  float v = s[threadIdx.x * 32 + 0];
  v += 2 * s[threadIdx.x * 32 + 1];
  v += 3 * s[threadIdx.x * 32 + 2];
  v += 4 * s[threadIdx.x * 32 + 3];
  out[threadIdx.x] = v;
}
extern "C" __global__ void counted(const float* in, int* n) {
  if (in[threadIdx.x] > 0)
    atomicAdd(n, 1);
}
extern "C" __global__ void spread(const float* in, int* n) {
  atomicAdd(n + (int)in[threadIdx.x], 1);
}
extern "C" __global__ void shared(const float* in, int* n) {
  __shared__ int count;
  __shared__ unsigned long long ready;
  unsigned at = (unsigned)__cvta_generic_to_shared(&ready);
  if (threadIdx.x == 0) {
    count = 0;
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(at));
  }
  __syncthreads();
  asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" :: "r"(at) : "memory");
  atomicAdd(&count, (int)in[threadIdx.x]);
  __syncthreads();
  *n = count;
}
extern "C" __global__ void chosen(const float* in, float* out) {
  float v = in[threadIdx.x];
  if (v > 16)
    out[threadIdx.x] = 1;
  __syncthreads();
  for (int i = 0; i < (int)v; ++i)
    out[i * 32 + threadIdx.x] = i;
}
extern "C" __global__ void unrolled(const float* in, float* out, int n) {
  float v = 0;
  for (int i = 0; i < n; ++i)
    v += in[threadIdx.x * 32 + i];
  out[threadIdx.x] = v;
}
"""


def test_of_four_loads_in_four_lines_no_line_keeps_its_remedy(tools):
    """The line table gives the one LDS.128 the line of one of them."""
    first = line_of(OTHERWISE, "32 + 0]")
    arrays = np.ones(1024, np.float32), np.zeros(32, np.float32)
    simulation, _ = ran(tools, OTHERWISE, "apart", *arrays)
    found = measured(simulation)
    remedies = [told(found, "banks", first + number).remedy for number in range(4)]
    assert all("so that no change can be advised" in remedy for remedy in remedies)
    assert sum("(1 LDS.128)" in remedy for remedy in remedies) == 1
    assert sum("(not at all)" in remedy for remedy in remedies) == 3


def test_atomics_that_the_machine_code_combines_need_not_be_combined(tools):
    data = np.ones(32, np.float32)
    remedies = {}
    for kernel in ("counted", "spread"):
        _, found = ran(tools, OTHERWISE, kernel, data, np.zeros(2, np.int32))
        (remedies[kernel],) = (f.remedy for f in found if f.rule == "atomics")
    assert "combines the lanes of a warp at this line" in remedies["counted"]
    assert remedies["spread"] == finding_text("atomics", "remedy")


def test_atomics_of_shared_memory_are_no_arrivals_at_mbarriers(tools):
    _, findings = ran(tools, OTHERWISE, "shared", np.ones(32, np.float32), np.zeros(1, np.int32))
    (finding,) = (f for f in findings if f.rule == "atomics" and "32 lanes" in f.reason)
    assert finding.places[0].line == line_of(OTHERWISE, "atomicAdd(&count")
    assert "one address of shared memory" in finding.reason


def test_a_loop_that_ptxas_unrolls_keeps_its_remedy(tools):
    line = line_of(OTHERWISE, "v += in[")
    data = np.ones(1024, np.float32), np.zeros(32, np.float32), np.int32(32)
    _, found = ran(tools, OTHERWISE, "unrolled", *data)
    assert "128 bytes apart" in told(found, "sectors", line).remedy


def test_the_machine_code_chooses_by_a_predicate_where_the_ptx_leaps(tools):
    data = np.arange(32, dtype=np.float32)
    simulation, found = ran(tools, OTHERWISE, "chosen", data, np.zeros(1024, np.float32))
    line = line_of(OTHERWISE, "> 16")
    assert [number for _, number in simulation.unbranched] == [line]
    assert "no branch at this line" in told(found, "parted", line).remedy
    assert told(found, "parted", line + 3).remedy == finding_text("parted.several", "remedy")


def test_a_branch_that_the_machine_code_has_not_parts_nobody():
    line = LineCounts("k.cu", 2, 20, 100, 3200, 50)
    counted = replace(RUN, lines=(line,), samples=())
    remedies = [
        measured(simulation)[0].remedy
        for simulation in (
            counted,
            replace(counted, is_read=True),
            replace(counted, is_read=True, unbranched=(("k.cu", 2),)),
        )
    ]
    remedy = finding_text("parted", "remedy")
    assert remedies[:2] == [f"{remedy} {ASSUMED}", remedy]
    assert remedy not in remedies[2]
    assert "executes both ways" in remedies[2]


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
        "quotients": [(finding_text("parted.several", "title"), True)],
        "own": [(finding_text("parted", "title"), False)],
    }


BRANCHES = {finding_text(case, "title") for case in ("parted", "parted.several", "parted.either")}
ONE_BRANCH = r"""
#define PICK(x) ((x) > 16 ? sinf(x) : cosf(x))
extern "C" __global__ void slow(const float* a, float* out) {
  out[threadIdx.x] = sinf(a[threadIdx.x]);
}
extern "C" __global__ void own(const float* a, float* out) {
  if (sinf(a[threadIdx.x]) > -2 && a[threadIdx.x] > 50)
    out[threadIdx.x] = sinf(1.0f) + a[threadIdx.x + 1] + expf(a[threadIdx.x]);
}
extern "C" __global__ void macro(const float* a, float* out) {
  out[threadIdx.x] = PICK(a[threadIdx.x]);
}
"""


@pytest.mark.parametrize(
    ("kernel", "words", "titles"),
    [
        ("slow", "= sinf(a[", {"Lanes part in sinf"}),
        ("own", "if (sinf(", BRANCHES),
        ("macro", "PICK(a[", BRANCHES),
    ],
)
def test_a_branch_of_a_library_is_told_as_its_own(tools, kernel, words, titles):
    """With the line that calls it, and without a remedy that nobody can follow there."""
    data = np.where(np.arange(33) % 2, 1e6, np.arange(33)).astype(np.float32)
    text = ONE_BRANCH
    simulation, _ = ran(tools, text, kernel, data, np.zeros(32, np.float32), read=False)
    simulation = with_library_calls(simulation, [cuda(text)])
    found = [one for one in measured(simulation) if one.rule == "parted"]
    assert {one.title for one in found} <= titles
    assert {one.places[0].line for one in found} == {line_of(text, words)}
    is_own = any("branch" in title for title in titles)
    assert all(bool(one.remedy) == is_own for one in found)


INLINED = """
.file 1 "/home/me/k.cu"
.file 2 "/usr/local/cuda-13.0/include/cuda_fp16.hpp"
.visible .entry k()
{ .reg .pred %p; .reg .b32 %r;
.loc 1 5 3
mov.u32 %r, %tid.x; setp.gt.u32 %p, %r, 7;
.loc 2 900 1, function_name $L__info_string0, inlined_at 1 6 3
@%p bra L;
mov.u32 %r, 1;
L: ret; }
"""


def test_a_branch_of_an_inlined_header_has_the_line_of_its_call():
    done = run(HEAD + INLINED, "k", (1, 1, 1), (32, 1, 1), observers=[Counter()]).result
    simulation = replace(RUN, lines=done.lines, samples=(), library=done.library)
    (found,) = measured(simulation)
    assert (found.title, found.remedy) == ("Lanes part in cuda_fp16.hpp", "")
    assert found.places == (SourceLocation("/home/me/k.cu", 6),)


def test_one_branch_in_a_line_with_a_condition_and_a_call_may_be_of_either():
    line = LineCounts("k.cu", 2, 20, 100, 3200, 50)
    either = LibraryBranch(20, "k.cu", 2, ("sinf", "fmodf"), is_alone=False)
    counted = replace(RUN, lines=(line,), samples=(), library=(either,))
    (found,) = measured(counted)
    assert "This may be a branch of sinf or fmodf" in found.reason
    assert found.remedy.startswith(finding_text("parted.either", "remedy"))


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
    assert found.title == finding_text("locals", "title")
    assert "swap" not in found.remedy


@pytest.mark.parametrize("lanes", [1, 4, 9, 32])
@pytest.mark.parametrize("size", [4, 16])
def test_lanes_with_the_same_index_access_the_same_word_of_local_memory(lanes, size):
    """However few they are: a sector has the same word of eight lanes, and none of it the next."""
    threads = np.arange(lanes)
    alike, apart = np.full(lanes, 64), 64 + 16 * threads
    for addresses, rules in ((alike, []), (apart, ["locals"] if lanes > 2 else [])):
        cost = local_traffic(threads, addresses, size)
        pairs = tuple(zip(threads.tolist(), addresses.tolist(), strict=True))
        sample = replace(access(30, StateSpace.LOCAL, AccessKind.READ), size=size, lanes=pairs)
        line = LineCounts(
            *("k.cu", 3, 30, 1, lanes), requests=1, sector_requests=1, sectors=cost.sectors
        )
        line = replace(line, bytes_used=cost.bytes_used)
        found = measured(replace(RUN, lines=(line,), samples=(sample,)))
        assert [one.rule for one in found] == rules


def test_a_few_lanes_with_gaps_have_a_sector_each():
    threads = np.array([0, 8, 16, 24])
    cost = local_traffic(threads, np.full(4, 64), 4)
    sample = replace(
        access(30, StateSpace.LOCAL, AccessKind.READ), lanes=tuple((lane, 64) for lane in threads)
    )
    line = LineCounts("k.cu", 3, 30, 1, 4, requests=1, sector_requests=1, sectors=cost.sectors)
    line = replace(line, bytes_used=cost.bytes_used)
    assert measured(replace(RUN, lines=(line,), samples=(sample,))) == ()
