"""Reads of what cp.async copies are told unless the copy was waited for, and ordered for others."""

import numpy as np
import pytest

from jitstudio.simulator.observers.counts import Counter
from jitstudio.simulator.observers.races import RaceDetector
from jitstudio.simulator.running.machine import Machine
from jitstudio.simulator.state.model import FaultKind
from jitstudio.simulator.stepping.history import StepHistory
from tests.simulator.running import launch_of, program_of, ptx_of, run

KERNELS = r"""
#define COPY(slot, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" \
    :: "r"((unsigned)__cvta_generic_to_shared(&s[slot])), "l"(a + (from)) : "memory")
#define COMMIT asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n) asm volatile("cp.async.wait_group " #n ";" ::: "memory")
#define KERNEL(name, ...) extern "C" __global__ void name(const int* a, int* out) { \
    __shared__ int s[192]; int i = threadIdx.x; __VA_ARGS__ }
KERNEL(never, COPY(i, i);
  COMMIT; out[i] = s[i];)
KERNEL(only_a_barrier, COPY(i, i); COMMIT; __syncthreads();
  out[i] = s[63 - i];)
KERNEL(one_group_too_few, COPY(i, i); COMMIT; COPY(64 + i, 64 + i); COMMIT; WAIT(1);
  out[i] = s[i]; out[64 + i] = s[64 + i];)
KERNEL(not_committed, COPY(i, i); WAIT(0);
  out[i] = s[i];)
KERNEL(over_written_bytes, s[i] = s[64 + i] = s[128 + i] = 0; COPY(i, i); COMMIT;
  out[i] = s[i];)
KERNEL(barrier_before_the_wait, COPY(i, i); COMMIT; __syncthreads(); WAIT(0);
  out[i] = s[63 - i];)
KERNEL(of_others, COPY(i, i); COMMIT; WAIT(0);
  out[i] = s[63 - i];)

KERNEL(right, COPY(i, i); COMMIT; COPY(64 + i, 64 + i); COMMIT; WAIT(1); __syncthreads();
  out[i] = s[63 - i]; asm volatile("cp.async.wait_all;" ::: "memory"); __syncthreads();
  out[64 + i] = s[127 - i];)
KERNEL(own, COPY(i, i); asm volatile("cp.async.wait_all;" ::: "memory"); out[i] = s[i];)
KERNEL(early, __shared__ unsigned long long b;
  unsigned at = (unsigned)__cvta_generic_to_shared(&b); unsigned done = 0;
  if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(at));
  __syncthreads();
  COPY(i, i); asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(at));
  out[64 + i] = s[i];
  while (!done) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
    "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
  out[i] = s[63 - i];)
KERNEL(bulk, __shared__ unsigned long long b; __shared__ __align__(16) int t[64];
  unsigned at = (unsigned)__cvta_generic_to_shared(&b); unsigned done = 0;
  if (i == 0) { asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at));
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], 256; }" :: "r"(at));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
      "256, [%2];" :: "r"((unsigned)__cvta_generic_to_shared(t)), "l"(a), "r"(at) : "memory"); }
  __syncthreads();
  if (i == 1) out[64] = t[5];
  while (!done) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
    "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
  out[i] = t[63 - i];)
KERNEL(of_one_block, volatile int* other = s + 128; if (blockIdx.x == 0) { COPY(i, i); COMMIT; }
  other[i] = i; out[i] = other[i];)
"""

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def kernels(tools):
    return ptx_of(tools, KERNELS)


DATA = np.arange(128, dtype=np.int32)


def ran(kernels, kernel):
    arguments = (DATA, np.zeros(128, np.int32))
    observers = (RaceDetector(kernel),)
    return run(
        kernels, kernel, (1, 1, 1), (64, 1, 1), *arguments, observers=observers, finishes=False
    ).result


@pytest.mark.parametrize(
    "kernel",
    ["never", "only_a_barrier", "one_group_too_few", "not_committed", "over_written_bytes"],
)
def test_a_read_before_the_copy_was_waited_for(kernels, kernel):
    (fault,) = ran(kernels, kernel).faults
    assert (fault.kind, fault.count) == (FaultKind.NOT_WAITED_FOR, 64)
    line = KERNELS[: KERNELS.index(f"KERNEL({kernel},")].count("\n") + 1
    assert (fault.first.line, fault.second.line) == (line, line)  # all of a macro is at its use
    assert fault.first.ptx_line < fault.second.ptx_line
    assert "before the copy to them was waited for" in fault.message


@pytest.mark.parametrize("kernel", ["early", "bulk"])
def test_a_read_before_the_mbarrier_that_tracks_the_copy(kernels, kernel):
    result = ran(kernels, kernel)
    (fault,) = result.faults
    assert (fault.kind, fault.count) == (FaultKind.NOT_WAITED_FOR, 64 if kernel == "early" else 1)
    assert np.frombuffer(result.memory[1], np.int32)[:64].tolist() == DATA[63::-1].tolist()


@pytest.mark.parametrize("kernel", ["barrier_before_the_wait", "of_others"])
def test_others_need_a_barrier_behind_the_wait(kernels, kernel):
    result = ran(kernels, kernel)
    assert result.faults == ()
    assert {race.kind for race in result.races} == {"read after write"}


@pytest.mark.parametrize("kernel", ["right", "own"])
def test_copies_that_are_waited_for(kernels, kernel):
    result = ran(kernels, kernel)
    assert (result.faults, result.races) == ((), ())


@pytest.mark.parametrize(
    ("kernel", "loads"), [("right", 2), ("own", 0), ("early", 2), ("bulk", 1), ("of_one_block", 2)]
)
def test_loads_while_copies_of_the_block_are_under_way_are_counted(kernels, kernel, loads):
    arguments = (DATA, np.zeros(128, np.int32))
    observers = (Counter(),)
    ran = run(
        kernels, kernel, (2, 1, 1), (64, 1, 1), *arguments, observers=observers, finishes=False
    )
    # All kernels but the last do in both blocks what they do in one.
    counted = sum(line.beside_copies for line in ran.result.lines)
    assert counted == loads * (1 if kernel == "of_one_block" else 2)


def test_pending_copies_when_stepping_back(kernels):
    arguments = [DATA, np.zeros(128, np.int32)]
    launch = launch_of("one_group_too_few", (1, 1, 1), (64, 1, 1), arguments)
    history = StepHistory(lambda: Machine(launch, program_of(kernels)), interval=0)
    history.go_to(10_000)
    told = history.machine.faults[:]
    for step in range(0, history.last_step, 3):
        history.go_to(step)
        history.go_to(10_000)
        assert history.machine.faults == told
