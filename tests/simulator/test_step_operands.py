"""What Step shows first: operands, results before they are there, all accesses of a line."""

import numpy as np
import pytest

from jitstudio.core.launch.simulation import AccessKind, StateSpace
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.stepping.requests import StepGoal, StopReason, ThreadState
from tests.simulator.running import kernel_of, launch_of, ptx_of
from tests.simulator.test_history import KERNELS, LAUNCHES, Walk, line_of, reduction, state

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def program(tools):
    return read_program(ptx_of(tools, KERNELS))


def lanes(row):
    return np.frombuffer(row.values, np.uint8).reshape(32, -1)


@pytest.mark.parametrize("name", ["reduction in waves", "rich"])
def test_results_are_those_that_the_instruction_then_gives(program, name):
    walk = Walk(program, LAUNCHES[name], thread=(3, 0, 0))
    history, known, opcodes = walk.session._run.history, 0, set()
    while walk.state.state is ThreadState.RUNS and known < 120:
        before = state(history)
        told = walk.session.look_at(walk.state.thread)
        # The look ahead leaves no trace.
        assert state(history) == before
        now = {row.name: row for row in told.registers}
        assert all(now[row.name].values == row.values for row in told.reads if row.name in now)
        after = {row.name: row for row in walk.to(StepGoal.INSTRUCTION).registers}
        for row in told.results:
            active = [lane for lane in range(32) if not row.absent >> lane & 1]
            if active and row.name in after:
                assert (lanes(row)[active] == lanes(after[row.name])[active]).all(), told
                known += 1
                opcodes.add(told.instruction.split(".")[0].split()[-1])
    assert {"ld", "add", "mov", "setp"} <= opcodes


def test_a_look_ahead_takes_no_carry():
    text = kernel_of("""
    .reg .b32 %a<4>; mov.u32 %a0, 0xffffffff;
    add.cc.u32 %a1, %a0, 1; addc.u32 %a2, %a0, 1;""")
    walk = Walk(read_program(text), launch_of("k", (1, 1, 1), (1, 1, 1), ()))
    while walk.state.state is ThreadState.RUNS:
        history = walk.session._run.history
        before = state(history)
        walk.session.look_at(walk.state.thread)
        assert state(history) == before
        assert not history.machine.wave.faults
        walk.to(StepGoal.INSTRUCTION)


def test_a_look_at_a_line_does_not_tell_of_a_fault_that_is_yet_to_come():
    text = kernel_of(
        """.reg .b64 %p; .reg .b32 %r; ld.param.u64 %p, [k_0]; mov.u32 %r, 1;
    st.global.u32 [%p], %r; st.global.u32 [%p+4096], %r;""",
        "u64",
    )
    buffer = np.zeros(1, np.uint32)
    walk = Walk(read_program(text), launch_of("k", (1, 1, 1), (1, 1, 1), (buffer,)))
    for _ in range(3):
        walk.session.look_at(walk.state.thread, whole_line=True)
        walk.to(StepGoal.INSTRUCTION)
    (access,) = walk.session.look_at(walk.state.thread, whole_line=True).line_accesses
    assert access.kind is AccessKind.WRITE
    assert walk.session.look_at(walk.state.thread).ended == walk.state.ended == ""
    step = walk.state.step
    walk.to(StepGoal.INSTRUCTION)
    assert (walk.state.reason, walk.state.step) == (StopReason.FAULT, step)
    assert walk.state.ended


def test_all_accesses_of_a_line_are_found_from_anywhere_in_it(program):
    walk = Walk(program, reduction(), thread=(3, 0, 0))
    while walk.state.source.line != line_of("s[t] += s[t + d]"):
        walk.to(StepGoal.LINE)
    begun = walk.state
    assert begun.line_accesses is None
    told = walk.session.look_at(begun.thread, whole_line=True)
    assert (told.step, told.last_step) == (begun.step, begun.last_step)
    shared = StateSpace.SHARED
    assert [(a.kind, a.space, a.size) for a in told.line_accesses] == [
        (AccessKind.READ, shared, 4),
        (AccessKind.READ, shared, 4),
        (AccessKind.WRITE, shared, 4),
    ]
    # 32 neighbours in each: lane 3 reads s[35] and s[3], and writes s[3].
    addresses = [dict(access.lanes)[3] for access in told.line_accesses]
    assert {a - min(addresses) for a in addresses} == {0, 128}
    assert [access.cost for access in told.line_accesses] == [1, 1, 1]
    while walk.to(StepGoal.ACCESS).access.kind is not AccessKind.WRITE:
        pass
    assert walk.session.look_at(begun.thread, whole_line=True).line_accesses == told.line_accesses
    area = next(area for area in walk.state.areas if area.space is shared)
    assert (walk.state.touched, area.type) == (f"{area.name} + 12 bytes", "f32")


def test_the_accesses_of_a_line_go_on_behind_a_function_inlined_there(tools):
    text = """
__device__ __forceinline__ float shifted(const float* a, float x) {
  float y = a[32];
  return x * y + 1;
}
extern "C" __global__ void k(float* out, const float* a) {
  int t = threadIdx.x;
  out[t] = shifted(a, a[t]);
}
"""
    program = read_program(ptx_of(tools, text, "sm_90", "-lineinfo"))
    arrays = np.zeros(32, np.float32), np.ones(33, np.float32)
    walk = Walk(program, launch_of("k", (1, 1, 1), (32, 1, 1), arrays), thread=(3, 0, 0))
    line = text.split("\n").index("  out[t] = shifted(a, a[t]);") + 1
    while walk.state.state is ThreadState.RUNS:
        if walk.state.source.line == line and walk.state.access is not None:
            told = walk.session.look_at(walk.state.thread, whole_line=True)
            kinds = [access.kind for access in told.line_accesses]
            assert kinds == [AccessKind.READ, AccessKind.READ, AccessKind.WRITE]
        walk.to(StepGoal.INSTRUCTION)
    assert kinds
