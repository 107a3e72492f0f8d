"""Races that are there are found, with both sides, and none where something orders accesses."""

from __future__ import annotations

import time

import numpy as np
import pytest

from jitstudio.simulator.observers.races import RaceDetector
from jitstudio.simulator.ptx.flags import guesses
from jitstudio.simulator.state.model import (
    AccessKind,
    SimulationOutcome,
    SimulationResult,
    StateSpace,
    SyncScope,
)
from tests.simulator.observing import Scene, instruction
from tests.simulator.running import kernel_of, program_of, ptx_of, run

READ, WRITE, ATOMIC = AccessKind.READ, AccessKind.WRITE, AccessKind.ATOMIC
GLOBAL = StateSpace.GLOBAL


def found(scene):
    """Returns the races as (kind, first line, second line)."""
    result = scene.observer.finished(SimulationResult(SimulationOutcome.FINISHED))
    return [(race.kind, race.first.line, race.second.line) for race in result.races]


def scene(threads=64, blocks=1):
    return Scene(RaceDetector("k"), threads=threads, blocks=blocks)


def reversal(barrier):
    """Each thread writes its element of shared memory, then reads another's."""
    made = scene()
    made.access(10, WRITE, made.all * 4)
    barrier(made)
    made.access(12, READ, made.all[::-1] * 4)
    return made


def test_a_missing_barrier_is_told_with_both_lines_and_threads():
    made = reversal(lambda scene: None)
    (race,) = made.observer.finished(SimulationResult(SimulationOutcome.FINISHED)).races
    assert (race.kind, race.first.line, race.second.line) == ("read after write", 10, 12)
    assert (race.first.thread, race.second.thread) == ((63, 0, 0), (0, 0, 0))
    assert race.count == 64
    assert "thread (0,0,0) of block (0,0,0) at line 12 reads 4 bytes" in race.message


def test_what_a_later_write_takes_away_is_told():
    """The value that the earlier thread has written, and the one that a reader might miss."""
    made = scene()
    made.access(10, WRITE, made.all * 4, after=7)
    made.access(11, WRITE, (made.all + 1) % 64 * 4, before=7, after=8)
    result = made.observer.finished(SimulationResult(SimulationOutcome.FINISHED))
    assert [(race.kind, race.lost) for race in result.races] == [("write after write", "00000007")]


@pytest.mark.parametrize(
    ("scope", "races"),
    [(SyncScope.BLOCK, 0), (SyncScope.CLUSTER, 0), (SyncScope.GRID, 0), (SyncScope.WARP, 1)],
)
def test_a_barrier_orders_those_that_meet(scope, races):
    made = reversal(lambda scene: scene.observer.synchronised(scene.all, scope))
    assert len(found(made)) == races


def test_a_barrier_of_one_block_does_nothing_for_another():
    made = scene(32, blocks=2)
    made.access(10, WRITE, made.all[:32] * 4, made.all[:32], space=GLOBAL)
    made.observer.synchronised(made.all[:32], SyncScope.BLOCK)
    made.access(12, READ, made.all[:32] * 4, made.all[32:], space=GLOBAL)
    assert found(made) == [("read after write", 10, 12)]


def test_a_named_barrier_orders_its_warps_only_and_passes_on_what_they_know():
    made = scene(96)
    first, second, third = made.all[:32], made.all[32:64], made.all[64:]
    made.access(10, WRITE, first * 4, first)
    made.observer.synchronised(made.all[:64], SyncScope.BLOCK)
    made.access(11, READ, (second - 32) * 4, second)
    assert found(made) == []
    made.access(12, READ, (third - 64) * 4, third)
    assert found(made) == [("read after write", 10, 12)]
    made.observer.synchronised(made.all[32:], SyncScope.BLOCK)
    made.access(13, READ, (third - 64) * 4, third)
    assert found(made) == [("read after write", 10, 12)]


def test_threads_that_have_ended_are_not_missing_from_a_barrier():
    made = scene()
    made.access(10, WRITE, made.all * 4)
    made.observer.ended(instruction(11, "exit;"), made.all[32:], 0)
    made.observer.synchronised(made.all[:32], SyncScope.BLOCK)
    made.access(12, READ, made.all[32:] * 4, made.all[:32])
    assert found(made) == []


def test_lanes_that_meet_under_a_mask_are_ordered():
    made = scene(32)
    low, high = made.all[:16], made.all[16:]
    made.access(10, WRITE, made.all * 4)
    made.observer.synchronised(low, SyncScope.WARP)
    made.access(12, READ, low[::-1] * 4, low)
    assert found(made) == []
    made.access(13, READ, high[::-1] * 4, high)
    assert found(made) == [("read after write", 10, 13)]


def test_atomics_do_not_race_with_each_other_but_with_plain_accesses():
    made = scene(blocks=2)
    made.access(10, ATOMIC, 0, space=GLOBAL, strong=True)
    made.access(11, ATOMIC, 0, space=GLOBAL, strong=True)
    assert found(made) == []
    made.access(12, WRITE, 0, [5], space=GLOBAL)
    assert found(made) == [("write after write", 11, 12)]


def test_writes_of_one_instruction_to_one_place_lose_all_but_one():
    made = scene(32)
    made.access(10, WRITE, 0)
    assert found(made) == [("write after write", 10, 10)]


def test_writes_of_the_same_value_lose_nothing():
    made = scene(64)
    made.access(10, WRITE, 0, after=1)
    made.access(11, WRITE, 0, before=1, after=1)
    result = made.observer.finished(SimulationResult(SimulationOutcome.FINISHED))
    assert len(result.races) == 3
    assert all(race.same_value for race in result.races)


def test_bytes_next_to_each_other_are_apart():
    made = scene(64)
    made.access(9, READ, made.all * 4 + 256)
    made.access(10, WRITE, made.all, size=1)
    made.access(11, READ, made.all, size=1)
    assert found(made) == []
    made.access(12, READ, made.all[:16] * 4, made.all[:16])
    assert found(made) == [("read after write", 10, 12)]


def send(made, threads, line, *, fence=True):
    """Block by block: writes an element, a fence, and an atomic at one place."""
    made.access(line, WRITE, 1024 + threads * 4, threads, space=GLOBAL)
    if fence:
        made.observer.fenced(threads, SyncScope.GRID)
    made.access(line + 1, ATOMIC, 0, threads, space=GLOBAL, strong=True)


@pytest.mark.parametrize(("fence", "races"), [(True, 0), (False, 1)])
def test_the_last_block_may_read_what_others_have_sent(fence, races):
    """As a reduction in one launch does it: partial sums, __threadfence, a ticket."""
    made = scene(32, blocks=4)
    for block in range(4):
        send(made, np.asarray([32 * block]), 10, fence=fence)
    last = made.all[96:]
    made.observer.synchronised(last, SyncScope.BLOCK)
    made.access(20, READ, 1024 + (last % 4) * 32 * 4, last, space=GLOBAL)
    assert len(found(made)) == races


def test_a_message_of_one_warp_says_nothing_of_others_without_a_barrier():
    """Thread 0 counts the block as done before the other warps are."""
    made = scene(64, blocks=2)
    first = made.all[:64]
    made.access(10, WRITE, first * 4 + 1024, first, space=GLOBAL)
    send(made, np.asarray([0]), 30)
    send(made, np.asarray([64]), 40)
    made.access(20, READ, 1024 + 4 * 63, [64], space=GLOBAL)
    assert found(made) == [("read after write", 10, 20)]


def test_messages_are_passed_on_from_block_to_block():
    """A chained scan: each block reads the flag of the one before it only."""
    made = scene(32, blocks=4)
    for block in range(4):
        thread = np.asarray([32 * block])
        if block:
            made.access(9, READ, 4 * (block - 1), thread, space=GLOBAL, strong=True)
        made.access(10, WRITE, 1024 + 4 * block, thread, space=GLOBAL)
        made.observer.fenced(thread, SyncScope.GRID)
        made.access(11, WRITE, 4 * block, thread, space=GLOBAL, strong=True)
    made.access(12, READ, 1024, [96], space=GLOBAL)
    assert found(made) == []
    made.access(13, READ, 1024, [97], space=GLOBAL)
    assert found(made) == []  # a message tells the whole warp
    made.access(14, WRITE, 1024 + 12, [0], space=GLOBAL)
    assert found(made) == [("write after write", 10, 14)]


def test_blocks_that_run_later_are_ordered_by_messages_only():
    made = scene(32)
    send(made, np.asarray([0]), 10)
    made.observer.started(made.layout)
    made.access(20, READ, 1024, [0], space=GLOBAL)
    assert found(made) == [("read after write", 10, 20)]
    made.access(21, ATOMIC, 0, [0], space=GLOBAL, strong=True)
    made.access(22, READ, 1024, [0], space=GLOBAL)
    assert found(made) == [("read after write", 10, 20)]


def test_a_lock_orders_those_that_hold_it():
    made = scene(64)
    for thread in ([0], [1], [40]):
        made.access(10, ATOMIC, 0, thread, strong=True)
        made.observer.fenced(np.asarray(thread), SyncScope.BLOCK)
        made.access(11, READ, 64, thread)
        made.access(12, WRITE, 64, thread)
        made.observer.fenced(np.asarray(thread), SyncScope.BLOCK)
        made.access(13, ATOMIC, 0, thread, strong=True)
    assert found(made) == []


@pytest.mark.parametrize(("value", "is_same"), [("%tid.x", False), ("7", True)])
def test_threads_that_write_one_place_at_once_lose_what_differs(value, is_same):
    text = kernel_of(
        f""".reg .b64 %a;
        .reg .b32 %v;
        ld.param.u64 %a, [k_0];
        mov.u32 %v, {value};
        st.global.u32 [%a], %v;""",
        "u64",
    )
    place = np.zeros(1, np.int32)
    done = run(text, "k", (1, 1, 1), (64, 1, 1), place, observers=(RaceDetector("k"),))
    (race,) = done.result.races
    assert (race.kind, race.same_value, race.count) == ("write after write", is_same, 63)
    assert int(race.lost, 16) == (7 if is_same else race.second.thread[0])


VOLATILE = r"""
#define KERNEL(name, ...) extern "C" __global__ void name(int* out) { \
  __shared__ volatile int s[64]; int i = threadIdx.x; s[i] = i; __syncthreads(); __VA_ARGS__ }
KERNEL(in_step, if (i < 32) { s[i] += s[i + 32]; s[i] += s[i + 16]; s[i] += s[i + 8]; }
  *out = s[0];)
KERNEL(in_step_loop, if (i < 32)
  _Pragma("unroll 1") for (int d = *out; d < 32; d *= 2) if (i >= d) s[i] += s[i - d];)

extern "C" __global__ void largest(int* out) {
  __shared__ volatile int s[64];
  int i = threadIdx.x;
  s[i] = i;
  __syncthreads();
  if (i >= 16) return;
  #pragma unroll
  for (int d = 8; d; d /= 2) {
    int other = s[i + d];
    if (other > s[i]) s[i] = other;
  }
  out[i] = s[i];
}
extern "C" __global__ void sorted(int* out) {
  __shared__ volatile int s[64];
  int i = threadIdx.x;
  s[i] = 63 - i;
  __syncthreads();
  #pragma unroll 1
  for (int k = 0; k < 32; k++) {
    int at = i & ~1;
    int one = s[at + (k & 1)];
    int other = s[(at + 1 + (k & 1)) & 31];
    if (one > other) s[i & 31] = i & 1 ? one : other;
  }
  out[i] = s[i];
}

extern "C" __global__ void slots(int* out) {
  __shared__ volatile int s[64];
  int i = threadIdx.x;
  s[i] = -1;
  __syncthreads();
  if (i % 3 == 0) s[i] = i;
  int held = s[(i + 3) & 31];
  if (held != -1) out[i] = held;
}
extern "C" __global__ void payload(int* out) {
  __shared__ volatile int s[64];
  int i = threadIdx.x, mine = out[i], sum = 0;
  s[i] = mine;
  __syncthreads();
  #pragma unroll 1
  for (int k = 0; k < 3; k++) {
    if (i == 5) s[40] = mine + k + 1;
    int held;
    do {
      held = s[40];
    } while (held < mine + k);
    sum += held;
    __syncthreads();
  }
  out[i] = sum;
}
extern "C" __global__ void payload_unrolled(int* out) {
  __shared__ volatile int s[64];
  int i = threadIdx.x, mine = out[i], held = mine;
  s[i] = mine;
  __syncthreads();
  if (i == 5) s[40] = mine + 1;
  #pragma unroll
  for (int k = 0; k < 4; k++) {
    held = s[40];
    if (held > mine) break;
  }
  out[i] = held;
}
KERNEL(from_another_warp, s[i] = 2 * i; out[i] = s[63 - i];)
KERNEL(before_another_warp, int r = s[63 - i]; s[i] = r + i;)
KERNEL(with_syncwarp, if (i < 32) for (int d = 32; d; d /= 2) {
  int v = s[i] + s[i + d]; __syncwarp(); s[i] = v; __syncwarp(); })
KERNEL(own_places, for (int k = 0; k < 4; k++) s[i] += s[i] * k;)
KERNEL(flag, if (i == 5) s[40] = 1; if (i < 32) while (s[40] != 1); out[i] = 1;)
KERNEL(ring, if (i < 32) { while (s[40] != i + 40); s[40] = i + 41; } out[i] = 1;)
KERNEL(ring_tried, if (i == 5) s[40] = 9; if (s[40] == i + 3) out[i] = 1;)
KERNEL(unrolled, if (i == 5) s[40] = 1; int r = i; _Pragma("unroll")
  for (int k = 0; k < 4; k++) if (s[40] == 1) { r = 99; break; } out[i] = r;)
KERNEL(tried, if (i == 5) { s[41] = 7; __threadfence_block(); s[40] = 1; }
  if (i == 6 && s[40] == 1) { __threadfence_block(); out[i] = s[41]; })
__device__ __noinline__ int read(volatile int* flag) { return *flag; }
KERNEL(in_a_function, if (i == 5) s[40] = 1; if (i < 32) while (read(s + 40) != 1); out[i] = 1;)
KERNEL(lock, if (i == 0) s[0] = s[1] = 0; __syncthreads();
  for (bool done = false; !done;) if (atomicCAS((int*)s, 0, 1) == 0) {
    __threadfence_block(); s[1] = s[1] + 1; __threadfence_block(); atomicExch((int*)s, 0);
    done = true; })
"""


@pytest.fixture(scope="module")
def volatile(request):
    return ptx_of(request.getfixturevalue("tools"), VOLATILE)


def races_of(ptx, kernel):
    observers = (RaceDetector(kernel, program=program_of(ptx)),)
    return run(
        ptx, kernel, (1, 1, 1), (64, 1, 1), np.ones(64, np.int32), observers=observers
    ).result.races


@pytest.mark.tools
@pytest.mark.parametrize("kernel", ["in_step", "in_step_loop", "largest", "sorted"])
def test_what_relies_on_lanes_in_step_is_told(volatile, kernel):
    races = [race for race in races_of(volatile, kernel) if "running in step" in race.message]
    assert races
    assert {race.kind for race in races} == {"read after write"}
    assert all(race.first.thread != race.second.thread for race in races)
    assert all("add __syncwarp()" in race.message for race in races)


@pytest.mark.tools
@pytest.mark.parametrize(
    ("kernel", "kind"),
    [("from_another_warp", "read after write"), ("before_another_warp", "write after read")],
)
def test_volatile_data_of_another_warp_depends_on_the_order_of_warps(volatile, kernel, kind):
    (race,) = races_of(volatile, kernel)
    assert (race.kind, race.count) == (kind, 64)
    assert race.first.thread[0] // 32 != race.second.thread[0] // 32
    assert races_of(volatile, "flag") == races_of(volatile, "slots") == ()


@pytest.mark.tools
@pytest.mark.parametrize(
    "kernel",
    [
        "with_syncwarp", "own_places", "flag", "ring", "unrolled", "tried", "in_a_function", "lock",
        "ring_tried", "slots", "payload", "payload_unrolled",
    ],
)  # fmt: skip
def test_volatile_values_that_are_waited_for_or_ordered(volatile, kernel):
    assert not any("running in step" in race.message for race in races_of(volatile, kernel))


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ("mov.b64 %rd1, %rd1; ld.global.u32 %r1, [%rd1];", 1),
        ("mov.b64 %rd1, %rd2; mov.b64 %rd2, %rd1; ld.global.u32 %r1, [%rd2];", 1),
        ("mov.b64 %rd2, %rd1; ld.global.u32 %r3, [%rd2]; mov.b32 %r1, %r3;", 1),
        ("ld.global.u32 %r3, [%rd1]; add.u32 %r1, %r3, 1;", 0),
        ("ld.global.u32 %r1, [%rd2];", 0),
        (
            "".join(f"mov.b32 %r{i}, %r{i + 1};" for i in range(4, 4004))
            + "ld.global.u32 %r4004, [%rd1];" * 4000
            + "mov.b32 %r1, %r4;",
            4000,
        ),
    ],
    ids=["itself", "circle", "copy", "sum", "elsewhere", "many"],
)
def test_registers_that_go_round_or_are_many_end_the_search_for_guesses(lines, count):
    registers = ".reg .b64 %rd<4>; .reg .b32 %r<4005>; "
    program = program_of(kernel_of(f"{registers}{lines} atom.global.cas.b32 %r2, [%rd1], %r1, 1;"))
    start = time.process_time()
    assert len(guesses(program, program.functions.values())) == count
    # Minutes, where each load followed all moves anew; without an end in a circle.
    assert time.process_time() - start < 2
