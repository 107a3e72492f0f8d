"""Going to any step, forward and back, gives what a fresh run gives there."""

import random
import re
import time

import numpy as np
import pytest

from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.running.machine import Machine
from jitstudio.simulator.running.simulate import simulate
from jitstudio.simulator.state.groups import numbers_of
from jitstudio.simulator.state.model import SimulationLimits, SimulationOutcome
from jitstudio.simulator.stepping.history import StepHistory
from jitstudio.simulator.stepping.requests import (
    Breakpoint,
    SimulatedThread,
    StepGoal,
    StepMove,
    StopReason,
    ThreadState,
)
from jitstudio.simulator.stepping.run import SessionError
from jitstudio.simulator.stepping.session import StepSession
from tests.simulator.running import kernel_of, launch_of, ptx_of

KERNELS = """
__device__ __noinline__ int fib(int n) {
  if (n < 2) return n;
  return fib(n - 1) + fib(n - 2);
}
extern "C" __global__ void reduce(const float* a, float* out, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float v = 0;
  for (int i = t; i < n; i += 64)
    v += a[i];
  s[t] = v;
  __syncthreads();
#pragma unroll 1
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = s[0];
}
extern "C" __global__ void recurse(int* out) {
  out[threadIdx.x] = fib(threadIdx.x % 8);
}
extern "C" __global__ void locked(int* lock, int* out) {
  while (atomicCAS(lock, 0, 1)) {}
  out[0] = out[0] + 1;
  __threadfence();
  atomicExch(lock, 0);
}
extern "C" __global__ void vote(unsigned* out) {
  unsigned t = threadIdx.x, sum = t;
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if (__ballot_sync(~0u, t & 1) & (1u << t)) sum += __shfl_xor_sync(0xaaaaaaaau, sum, 2);
  out[t] = sum;
}
extern "C" __global__ void alone(unsigned* out, int n) {
  unsigned v = threadIdx.x;
  if (threadIdx.x < 32)
    for (int i = 0; i < n; i++) { v = v * 1664525u + 1013904223u; if (v & 1) v ^= i; }
  __syncthreads();
  out[threadIdx.x] = v;
}
extern "C" __global__ void rich(float* out, const float* in) {
  __shared__ __align__(16) float s[128];
  __shared__ __align__(8) unsigned long long barrier;
  int t = threadIdx.x;
  unsigned at = (unsigned)__cvta_generic_to_shared(s);
  unsigned b = (unsigned)__cvta_generic_to_shared(&barrier);
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(b));
  if (t < 16) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(at + 16 * t),
                           "l"(in + 4 * t) : "memory");
  printf("%d ", t);
  float never = s[64 + t], y;
  asm volatile("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(in[t]));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  asm volatile("{ .reg .b64 state; .reg .pred p; mbarrier.arrive.shared.b64 state, [%0];\\n"
               "again: mbarrier.try_wait.shared.b64 p, [%0], state; @!p bra again; }" :: "r"(b));
  out[t] = never + y + s[t] + fib(t % 8 + 4);
}
extern "C" __global__ void mix(unsigned* out, int n) {
  unsigned v = threadIdx.x;
  for (int i = 0; i < n; i++) {
    v = v * 1664525u + 1013904223u;
    if (v & 1) v ^= i;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
"""

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def program(tools):
    return read_program(ptx_of(tools, KERNELS))


def reduction(**options):
    a, out = np.arange(256, dtype=np.float32), np.zeros(5, np.float32)
    return launch_of("reduce", (5, 1, 1), (64, 1, 1), (a, out, np.int32(256)), **options)


FEW = SimulationLimits(threads=128)
LAUNCHES = {
    "reduction in waves": reduction(limits=FEW),
    "lock": launch_of(
        "locked", (2, 1, 1), (33, 1, 1), (np.zeros(1, np.int32), np.zeros(1, np.int32))
    ),
    "warp": launch_of("vote", (1, 1, 1), (32, 1, 1), (np.zeros(32, np.uint32),)),
    "rich": launch_of(
        "rich", (1, 1, 1), (64, 1, 1), (np.zeros(64, np.float32), np.ones(64, np.float32))
    ),
    "recursion": launch_of("recurse", (2, 1, 1), (40, 1, 1), (np.zeros(40, np.int32),)),
}


def state(history):
    """All that is known of a state, in bytes."""
    machine, wave = history.machine, history.machine.wave
    found = {"global": machine.image.global_arena.data.tobytes(), "counts": machine.instructions}
    if wave is None:
        return found
    for space, arena in wave.arenas.items():
        found[space] = arena.data.tobytes(), arena.state.tobytes()
    for frame, bases in wave.bases.items():
        found |= {(*frame, name): array.tobytes() for name, array in bases.items()}
    found |= {("written", *frame): flags.tobytes() for frame, flags in wave.written.flags.items()}
    found["groups"] = sorted((key, numbers_of(s).tolist()) for key, s in wave.groups.items())
    found["waiting"] = sorted(
        (str(name), w.at, numbers_of(w.threads).tolist())
        for name, there in wave.barriers.items()
        for w in there
    )
    return found


@pytest.mark.parametrize("name", LAUNCHES)
def test_any_step_is_as_in_a_fresh_run(program, name):
    launch = LAUNCHES[name]
    result = simulate(launch, program)
    assert result.outcome is SimulationOutcome.FINISHED, result.message
    history = StepHistory(lambda: Machine(launch, program, notes_written=True), interval=0.0)
    while history.forward():
        pass
    assert history.is_finished
    assert history.last_step == result.steps
    assert state(history)["counts"] == result.instructions
    chosen = random.Random(1)
    steps = [0, 1, history.last_step, *(chosen.randrange(history.last_step) for _ in range(12))]
    for step in steps:
        history.go_to(step)
        fresh = StepHistory(lambda: Machine(launch, program, notes_written=True), interval=1e9)
        fresh.go_to(step)
        assert history.step == fresh.step == step
        mine, theirs = state(history), state(fresh)
        assert {key: mine[key] for key in theirs} == theirs
        # Functions that are called later only have registers here, which are as new ones.
        assert not any(any(mine[key]) for key in mine.keys() - theirs.keys())


# Contents of arrays, which are compared above, and what a launch, a function or an instruction sets
# up once.
_IN_ARRAYS = {"arenas", "frames", "bases", "stacks", "returns", "written", "passed"}
# Whether a copy still shares its content, and what each step looks up or counts anew.
_NO_STATE = {"_is_shared", "_own", "_key", "puts"}
_SET_UP_ONCE = {"extents", "links", "meetings", "frame_bytes"}


def plain(value):
    """A value in types that compare by content; an instruction is its number."""
    match value:
        case np.ndarray():
            return value.dtype, value.tobytes()
        case PtxInstruction():
            return value.number
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case set() | frozenset():
            return sorted(map(str, value))
        case list() | tuple():
            return [plain(item) for item in value]
        case _ if callable(value) or not hasattr(value, "__dict__"):
            return str(value)
        case _:
            return {key: plain(item) for key, item in vars(value).items() if key not in _NO_STATE}


@pytest.mark.parametrize("name", LAUNCHES)
def test_all_attributes_of_a_wave_go_back(program, name):
    launch = LAUNCHES[name]
    history = StepHistory(lambda: Machine(launch, program), interval=0.0)
    while history.forward():
        pass
    chosen = random.Random(2)
    last = history.last_step
    for step in (*range(1, min(last, 64), 6), *(chosen.randrange(last) for _ in range(5))):
        history.go_to(step)
        fresh = StepHistory(lambda: Machine(launch, program), interval=1e9)
        fresh.go_to(step)
        mine, theirs = vars(history.machine.wave), vars(fresh.machine.wave)
        names = theirs.keys() - _IN_ARRAYS - _SET_UP_ONCE
        assert len(names) > 40
        for attribute in names:
            assert plain(mine[attribute]) == plain(theirs[attribute]), attribute


def test_little_memory_thins_the_snapshots_and_loses_no_step(program):
    launch = reduction()
    history = StepHistory(lambda: Machine(launch, program), interval=0.0, most_bytes=100_000)
    while history.forward():
        pass
    assert history.is_thinned
    for step in range(history.last_step, -1, -17):
        history.go_to(step)
        assert history.step == step


@pytest.mark.bench
def test_a_million_steps_away_is_near(program):
    launch = launch_of("mix", (1, 1, 1), (32, 1, 1), (np.zeros(32, np.uint32), np.int32(170_000)))
    history = StepHistory(lambda: Machine(launch, program))
    history.go_to(1_000_000)
    assert history.step == 1_000_000
    taken = []
    for step in (999_999, 500_000, 123_456, 1_000_000, 7):
        began = time.process_time()
        history.go_to(step)
        taken.append(time.process_time() - began)
        assert history.step == step
    assert sorted(taken)[2] < 0.2


@pytest.mark.bench
def test_what_is_a_million_steps_back_is_found_fast(program):
    """A line that loops, and a barrier at which a thread waits while others loop."""
    launch = launch_of("alone", (1, 1, 1), (64, 1, 1), (np.zeros(64, np.uint32), np.int32(150_000)))
    for thread, goal in (
        (40, StepGoal.LINE),
        (40, StepGoal.INSTRUCTION),
        (3, StepGoal.LINE),
        (40, StepGoal.BARRIER),
    ):
        walk = Walk(program, launch, thread=(thread, 0, 0))
        walk.to(StepGoal.STEP, step=900_000)
        here = walk.state.source if thread == 3 else None
        began = time.process_time()
        state = walk.to(goal, back=True)
        assert time.process_time() - began < 2
        assert state.step < 1000
        assert here is None or state.source == here


def line_of(text):
    return next(n for n, line in enumerate(KERNELS.splitlines(), 1) if text in line)


class Walk:
    """A session with what a test asks of it in one word."""

    def __init__(self, program, launch, block=(0, 0, 0), thread=(0, 0, 0)):
        self.session = StepSession(program, launch, SimulatedThread(block, thread))
        self.state = self.session.look_at(SimulatedThread(block, thread))

    def to(self, goal, **options):
        self.session.begin(StepMove(goal, self.state.thread, **options))
        self.state = self.session.go_on(60)
        assert not self.state.moving
        return self.state


def breakpoint_at(program, text, condition=""):
    line = line_of(text)
    files = {i.source.file for i in program.instructions if i.source.line == line}
    return Breakpoint(line, tuple(files), condition)


def test_instructions_and_lines_go_forward_and_back(program):
    walk = Walk(program, reduction(), block=(1, 0, 0), thread=(33, 0, 0))
    passed = []
    while walk.state.state is ThreadState.RUNS and len(passed) < 40:
        passed.append((walk.state.step, walk.state.ptx_line))
        walk.to(StepGoal.INSTRUCTION)
    for step, line in reversed(passed):
        state = walk.to(StepGoal.INSTRUCTION, back=True)
        assert (state.step, state.ptx_line) == (step, line)
    assert walk.to(StepGoal.INSTRUCTION, back=True).reason is StopReason.START
    lines = []
    while walk.to(StepGoal.LINE).state is ThreadState.RUNS:
        lines.append(walk.state.source.line)
    assert line_of("s[t] = v") in lines
    # Threads of the second half never add.
    assert lines.count(line_of("s[t] += s")) == 0
    assert walk.state.reason in (StopReason.ENDED, StopReason.END)
    back = [walk.to(StepGoal.LINE, back=True).source.line for _ in range(3)]
    assert back[-1] in lines


@pytest.mark.parametrize("name", LAUNCHES)
def test_going_back_finds_what_a_walk_forward_has_passed(program, name, monkeypatch):
    """With as many snapshots as there can be, and so with many stretches between them."""
    launch = LAUNCHES[name]
    monkeypatch.setitem(StepHistory.__init__.__kwdefaults__, "interval", 0.0)
    if name == "lock":
        monkeypatch.setitem(StepHistory.__init__.__kwdefaults__, "most_bytes", 50_000)
    history = StepHistory(lambda: Machine(launch, program))
    passed = []
    while (wave := history.machine.wave) is not None:
        depth, at, threads = wave.groups.peek()
        if 5 in numbers_of(threads) and wave.layout.blocks[0] == 0:
            passed.append((history.step, depth, program.instructions[at]))
        if not history.forward():
            break
    assert history.is_thinned == (name == "lock")
    at_once = StepHistory(lambda: Machine(launch, program))
    at_once.go_to(history.last_step)
    code, stretches = at_once.machine.code, at_once.stretches(history.last_step)
    for step, _depth, instruction in passed:
        stretch = next(each for each in stretches if each.start <= step < each.end)
        starts = stretch.begun(5, 1) if stretch.layout is not None else [instruction.number]
        assert any(
            start <= instruction.number
            and all(code[n].flow is None for n in range(start, instruction.number))
            for start in starts
        )
    walk = Walk(program, launch, thread=(5, 0, 0))
    walk.to(StepGoal.STEP, step=history.last_step)
    for chosen in range(len(passed) - 1, 0, -max(1, len(passed) // 12)):
        step, depth, _instruction = passed[chosen]
        walk.to(StepGoal.STEP, step=step)
        assert walk.to(StepGoal.INSTRUCTION, back=True).step == passed[chosen - 1][0]
        walk.to(StepGoal.STEP, step=step)
        before = [(n, i) for n, d, i in passed[:chosen] if d <= depth]
        places = [i.source if i.source.line else i.line for _n, i in before]
        first = len(before)
        while first and places[first - 1] == places[-1]:
            first -= 1
        expected = before[first][0] if before else 0
        assert walk.to(StepGoal.LINE, back=True).step == expected
        barriers = [n for n, _d, i in passed[:chosen] if i.opcode in ("bar", "barrier")]
        walk.to(StepGoal.STEP, step=step)
        assert walk.to(StepGoal.BARRIER, back=True).step == (barriers or [0])[-1]


def test_breakpoints_with_conditions_change_whom_is_looked_at(program):
    walk = Walk(program, reduction(), block=(4, 0, 0), thread=(63, 0, 0))
    once = breakpoint_at(program, "s[t] += s", "tid.x < 2 && ctaid.x == 3")
    hits = []
    while (state := walk.to(StepGoal.BREAKPOINT, breakpoints=(once,))).reason is not StopReason.END:
        assert state.reason is StopReason.BREAKPOINT
        assert state.source.line == line_of("s[t] += s")
        hits.append(state.step)
        assert state.thread == SimulatedThread((3, 0, 0), (0, 0, 0))
    assert len(hits) == 6
    back = [walk.to(StepGoal.BREAKPOINT, back=True, breakpoints=(once,)).step for _ in hits]
    assert back == hits[::-1]
    wrong = breakpoint_at(program, "s[t] += s", "%nothing == 1")
    with pytest.raises(ValueError, match="neither a register"):
        walk.to(StepGoal.BREAKPOINT, breakpoints=(wrong,))


def test_barriers_divergence_and_changes_are_met(program):
    walk = Walk(program, reduction(), thread=(3, 0, 0))
    assert walk.to(StepGoal.BARRIER).instruction.startswith("bar")
    assert walk.to(StepGoal.DIVERGENCE).reason is StopReason.DIVERGENCE
    apart = walk.state
    assert 0 < apart.active.bit_count() < 32
    assert len({line for line in apart.lanes if line}) == 2
    step = apart.step
    before = walk.to(StepGoal.DIVERGENCE, back=True)
    assert before.step < step
    assert walk.to(StepGoal.DIVERGENCE).step == step
    add = next(i for i in program.instructions if i.opcode == "add" and "f32" in i.text)
    register = add.operands[0].name.removeprefix("%")
    walk.to(StepGoal.STEP, step=0)
    changed = walk.to(StepGoal.CHANGE, register=register)
    assert changed.reason is StopReason.CHANGE
    again = walk.to(StepGoal.CHANGE, register=register)
    back = walk.to(StepGoal.CHANGE, register=register, back=True)
    # Back is to the state before the change.
    assert back.step < again.step
    assert walk.to(StepGoal.CHANGE, register=register).step in (changed.step, again.step)


UNWRITTEN = kernel_of(
    ".reg .pred %p<3>; .reg .b32 %t, %v, %s, %n, %r;\n"
    "mov.u32 %t, %tid.x;\nsetp.lt.u32 %p0, %t, 8;\n@%p0 mov.u32 %v, 0;\n"
    "setp.lt.u32 %p1, %t, 40;\nshfl.sync.idx.b32 %s|%p2, %t, 0, 31, -1;\n@%p1 bra DONE;\n"
    "nanosleep.u32 1;\nDONE:\nbar.red.popc.u32 %n, 0, %p1;\n"
    "call (%r), f, (%t);\ncall (%r), f, (%n);",
    before=".func (.reg .u32 %o) f (.reg .u32 %a)\n{ .reg .b32 %x; .reg .pred %q;\n"
    "setp.eq.u32 %q, %a, 5; @%q mov.u32 %x, 9; mov.u32 %o, %a; ret; }\n",
)


AT_WORK = (ThreadState.RUNS, ThreadState.WAITS)


def test_accesses_and_barriers_are_met_forward_and_back(program):
    walk = Walk(program, reduction(), thread=(40, 0, 0))
    at = {StepGoal.ACCESS: [], StepGoal.BARRIER: []}
    while (state := walk.to(StepGoal.STEP, step=walk.state.step + 1)).state in AT_WORK:
        # Until it is its turn, a thread that has come to an instruction stays there.
        if not state.groups[0].has_focus:
            continue
        if state.access is not None and any(lane == 8 for lane, _ in state.access.lanes):
            at[StepGoal.ACCESS].append(state.step)
        elif re.match(r"(@!?%p\d+ )?bar", state.instruction):
            at[StepGoal.BARRIER].append(state.step)
    # Four elements and their sum: in the tree this thread of the upper half adds nothing.
    assert [len(steps) for steps in at.values()] == [5, 7]
    end = walk.state.step
    for goal, steps in at.items():
        walk.to(StepGoal.STEP, step=0)
        met = [walk.to(goal) for _ in steps]
        assert [(s.step, s.reason.name) for s in met] == [(step, goal.name) for step in steps]
        walk.to(StepGoal.STEP, step=end)
        assert [walk.to(goal, back=True).step for _ in steps] == steps[::-1]


def test_registers_that_a_thread_has_not_written_are_absent():
    launch = launch_of("k", (1, 1, 1), (64, 1, 1), ())
    walk = Walk(read_program(UNWRITTEN), launch, thread=(5, 0, 0))
    rows, stops = [], []
    every = (1 << 32) - 1

    def absent(name):
        return next(row.absent for row in walk.state.registers if row.name == name)

    while walk.state.state is ThreadState.RUNS:
        depth = len(walk.state.calls) - 1
        stops.append((walk.state.step, walk.state.registers))
        rows.append((walk.state.instruction.split()[0].rstrip(";"), depth))
        match rows[-1][::-1]:
            case 0, "mov.u32":
                assert absent("%t") == every
            case 0, "@%p0":
                assert (absent("%t"), absent("%p0"), absent("%v")) == (0, 0, every)
            case 0, "shfl.sync.idx.b32":
                assert (absent("%v"), absent("%s"), absent("%p2")) == (
                    every << 8 & every,
                    every,
                    every,
                )
            case 0, "bar.red.popc.u32":
                # It gives the count when all have come, not when this thread has.
                assert (absent("%s"), absent("%p2"), absent("%n")) == (0, 0, every)
            case 0, "call":
                is_first = "%n" not in walk.state.instruction
                assert (absent("%n"), absent("%r")) == (0, every if is_first else 0)
            case 1, "ret":
                is_first = sum(row == ("ret", 1) for row in rows) == 1
                # In the second call nobody has it, though lane 5 has written it in the first one.
                assert absent("%x") == (every & ~(1 << 5) if is_first else every)
                assert (absent("%a"), absent("%o")) == (0, 0)
        walk.to(StepGoal.INSTRUCTION)
    assert rows.count(("ret", 1)) == 2
    for step, registers in stops[::-1]:
        state = walk.to(StepGoal.STEP, step=step)
        assert [(r.name, r.absent) for r in state.registers] == [
            (r.name, r.absent) for r in registers
        ]


def test_what_was_not_written_fulfils_no_condition_and_changes_by_its_first_value():
    program = read_program(UNWRITTEN)
    launch = launch_of("k", (1, 1, 1), (64, 1, 1), ())
    line = next(i.line for i in program.instructions if i.opcode == "shfl")
    for condition, thread in (
        ("%v == 0", 0), ("!(%v == 1) && tid.x > 6", 7), ("%v == 0 || tid.x == 9", 0),
        ("tid.x > 9 && (%v == 0 || tid.x == 11)", 11),
    ):  # fmt: skip
        walk, stop = Walk(program, launch, thread=(63, 0, 0)), Breakpoint(line, (), condition)
        assert walk.to(StepGoal.BREAKPOINT, breakpoints=(stop,)).thread.thread == (thread, 0, 0)
    walk.to(StepGoal.STEP, step=0)
    stop = Breakpoint(line, (), "%v == 0 && tid.x > 7")
    assert walk.to(StepGoal.BREAKPOINT, breakpoints=(stop,)).reason is StopReason.END
    walk = Walk(program, launch, thread=(3, 0, 0))
    walk.to(StepGoal.INSTRUCTION)
    changed = walk.to(StepGoal.CHANGE, register="v")
    assert (changed.reason, changed.step) == (StopReason.CHANGE, 3)
    (row,) = (row for row in changed.registers if row.name == "%v")
    assert (row.values, row.absent) == (bytes(128), 0xFFFFFF00)


def test_calls_are_a_stack_and_passed_over(program):
    launch = LAUNCHES["recursion"]
    walk = Walk(program, launch, thread=(7, 0, 0))
    inside = (breakpoint_at(program, "if (n < 2)"),)
    walk.to(StepGoal.CURSOR, breakpoints=inside)
    state = walk.to(StepGoal.CURSOR, breakpoints=inside)
    assert [call.function for call in state.calls][-1] == "recurse"
    assert len(state.calls) == 3
    assert len(walk.to(StepGoal.OUT).calls) == 2
    assert len(walk.to(StepGoal.OUT).calls) == 1
    walk.to(StepGoal.STEP, step=0)
    depths = set()
    while walk.to(StepGoal.LINE).state is ThreadState.RUNS:
        depths.add(len(walk.state.calls))
    assert depths <= {1}


def test_a_fault_is_shown_where_it_happens_and_can_be_left_backwards():
    text = kernel_of(
        ".reg .b64 %a; .reg .b32 %v;\nld.param.u64 %a, [k_0];\nmov.u32 %v, %tid.x;\n"
        "st.global.u32 [%a+4096], %v;",
        "u64",
    )
    program = read_program(text)
    launch = launch_of("k", (1, 1, 1), (32, 1, 1), (np.zeros(4, np.int32),))
    walk = Walk(program, launch)
    state = walk.to(StepGoal.BREAKPOINT)
    assert state.reason is StopReason.FAULT
    assert "past the end" in state.ended
    assert state.instruction.startswith("st.global")
    assert state.access.cost == 1
    assert state.access.lanes[3][1] == state.access.lanes[0][1]
    assert walk.to(StepGoal.INSTRUCTION, back=True).instruction.startswith("mov")
    assert walk.to(StepGoal.BREAKPOINT).ended == state.ended


def test_memory_and_registers_are_those_of_the_step(program):
    launch = reduction()
    walk = Walk(program, launch, block=(2, 0, 0), thread=(5, 0, 0))
    shared = next(area for area in walk.state.areas if area.space.value == "shared")
    nothing = walk.session.read(shared, walk.state.thread, 0, 256)
    assert not any(nothing.written)
    walk.to(StepGoal.BARRIER)
    page = walk.session.read(shared, walk.state.thread, 0, 256)
    values = np.frombuffer(page.data, np.float32)
    expected = np.arange(256, dtype=np.float32).reshape(4, 64).sum(axis=0)
    assert (values == expected).all()
    assert all(page.written)
    assert len(walk.session.read(shared, walk.state.thread, 250, 1 << 30).data) == 6
    with pytest.raises(SessionError, match="no block"):
        walk.session.look_at(SimulatedThread((5, 0, 0), (0, 0, 0)))


def test_a_deadlock_ends_the_run_with_who_waits():
    text = kernel_of(
        ".reg .pred %p; .reg .b32 %t;\nmov.u32 %t, %tid.x;\nsetp.lt.u32 %p, %t, 16;\n"
        "@%p bar.sync 0, 64;",
    )
    program = read_program(text)
    launch = launch_of("k", (1, 1, 1), (32, 1, 1), ())
    walk = Walk(program, launch, thread=(1, 0, 0))
    state = walk.to(StepGoal.BREAKPOINT)
    assert state.ended.startswith("Deadlock")
    assert state.state is ThreadState.WAITS
    assert [row.threads for row in state.groups] == [16]
    assert walk.to(StepGoal.STEP, step=1).instruction.startswith("setp")
