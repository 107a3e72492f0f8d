"""A recording shows at each of its steps what the run has shown there, and nothing runs."""

import zlib
from dataclasses import replace

import numpy as np
import pytest

from jitstudio.core.codec import Codec
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.running.machine import Machine
from jitstudio.simulator.state.model import SimulationLimits
from jitstudio.simulator.stepping import recorder
from jitstudio.simulator.stepping import recording as recording_module
from jitstudio.simulator.stepping.recording import (
    BLOCK_ENDED,
    Recording,
    RecordingError,
    pack,
    unpack,
)
from jitstudio.simulator.stepping.requests import (
    Breakpoint,
    RecordingAbout,
    SimulatedThread,
    StepGoal,
    StepMove,
    StopReason,
    ThreadState,
)
from jitstudio.simulator.stepping.run import SessionError
from jitstudio.simulator.stepping.session import StepSession, told_as_damage
from tests.simulator.running import kernel_of, launch_of, ptx_of

SOURCE = """\
#include <cstdio>
__device__ int calls = 0;
__constant__ float scale[2] = {2.0f, 3.0f};
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void sums(const float* a, float* out, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float parts[2] = {a[t], a[(t + 1) % n] * scale[1]};
  s[t] = parts[t & 1];
  __syncthreads();
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    atomicAdd(&calls, fib(4));
    printf("block %d\\n", blockIdx.x);
    out[blockIdx.x] = s[0];
  }
}
"""
ABOUT = RecordingAbout("sums", "sums.cu", (("sums.cu", SOURCE.encode()),), (("array 0", "float"),))
THREAD = SimulatedThread((1, 0, 0), (40, 0, 0))


@pytest.fixture(scope="module")
def program(builder):
    return read_program(ptx_of(builder, SOURCE, "sm_90", "-G"))


def launch(grid=3):
    arrays = np.arange(64, dtype=np.float32), np.zeros(grid, np.float32)
    return launch_of("sums", (grid, 1, 1), (64, 1, 1), (*arrays, np.int32(64)))


def move(session, goal, **options):
    thread = options.pop("thread", THREAD)
    session.begin(StepMove(goal, thread, **options))
    return session.go_on(60)


def recorded(session):
    session.record(ABOUT)
    data = session.go_on_recording(60)
    assert isinstance(data, bytes)
    return data


@pytest.fixture(scope="module")
def made(program):
    session = StepSession(program, launch(), THREAD)
    here = move(session, StepGoal.STEP, step=60)
    session.record(ABOUT)
    assert session.go_on_recording(0).moving
    left = session.leave_recording()
    assert (left.step, left.moving, left.thread) == (here.step, False, THREAD)
    data = recorded(session)
    assert session.look_at(THREAD).step == here.step
    return session, data


def same(live, shown):
    """What both show of the block is the same."""
    names = (
        "thread lane warp state ptx_line source inlined_at instruction lanes active calls access"
    )
    for name in (*names.split(), "has_names", "printed"):
        assert getattr(live, name) == getattr(shown, name), name
    for mine, theirs in ((live.registers, shown.registers), (live.variables, shown.variables)):
        assert [replace(row, changed=0) for row in mine] == [replace(r, changed=0) for r in theirs]
    assert [a.name for a in live.areas] == [a.name for a in shown.areas]


def test_each_step_is_shown_as_it_was_with_its_memory(made, monkeypatch):
    live, data = made
    monkeypatch.setattr(Machine, "__init__", None)
    session, recording = StepSession.replaying(data)
    assert recording.about == ABOUT
    assert session.look_at(THREAD).step == 60
    assert recording.frames[0].step == 0
    steps = [frame.step for frame in recording.frames]
    for step in (*steps[::-7], *steps[::11], steps[-1]):
        for thread in (THREAD, SimulatedThread((1, 0, 0), (0, 0, 0))):
            mine = move(live, StepGoal.STEP, step=step, thread=thread)
            shown = move(session, StepGoal.STEP, step=step, thread=thread)
            assert mine.step == shown.step == step
            if mine.state is not ThreadState.ABSENT:
                same(mine, shown)
            others = {area.name: area for area in shown.areas}
            for area in mine.areas:
                if mine.state is not ThreadState.ABSENT or area.space.value == "global":
                    page = live.read(area, thread, 0, 1 << 20)
                    assert session.read(others[area.name], thread, 0, 1 << 20) == page
    assert shown.ended
    assert len(data) < 200_000


def test_all_moves_lead_to_the_steps_of_the_run(made, program):
    live, data = made
    session, _recording = StepSession.replaying(data)
    line = next(n for n, text in enumerate(SOURCE.splitlines(), 1) if "s[t] += s" in text)
    files = tuple({i.source.file for i in program.instructions if i.source.line == line})
    here = (Breakpoint(line, files, "t == 3 && d < 9 && ctaid.x == 1"),)
    moves = [
        *((goal, back) for goal in (StepGoal.INSTRUCTION, StepGoal.LINE) for back in (False, True)),
        *(
            (goal, back)
            for goal in (StepGoal.BARRIER, StepGoal.DIVERGENCE)
            for back in (False, True)
        ),
        (StepGoal.BREAKPOINT, False),
        (StepGoal.BREAKPOINT, True),
        (StepGoal.BREAKPOINT, False),
        (StepGoal.BREAKPOINT, False),
    ]
    for goal, back in moves:
        points = here if goal is StepGoal.BREAKPOINT else ()
        move(live, StepGoal.STEP, step=60)
        move(session, StepGoal.STEP, step=60)
        mine = move(live, goal, back=back, breakpoints=points)
        shown = move(session, goal, back=back, breakpoints=points)
        assert (mine.step, mine.reason, mine.thread) == (shown.step, shown.reason, shown.thread), (
            goal
        )
        if mine.state is not ThreadState.ABSENT:
            same(mine, shown)


def test_where_the_recording_ends_it_says_so(program, monkeypatch):
    monkeypatch.setattr(recorder, "MOST_FRAMES", 40)
    session = StepSession(program, launch(), THREAD)
    move(session, StepGoal.STEP, step=90)
    data = recorded(session)
    session, recording = StepSession.replaying(data)
    assert 38 <= len(recording.frames) <= 43
    assert recording.frames[0].step > 0
    state = move(session, StepGoal.BREAKPOINT)
    assert (state.reason, state.step) == (StopReason.LAST, recording.frames[-1].step)
    assert "run the kernel to go on" in state.ended
    state = move(session, StepGoal.BREAKPOINT, back=True)
    assert (state.reason, state.step) == (StopReason.FIRST, recording.frames[0].step)
    assert "begins here" in state.ended
    with pytest.raises(SessionError, match="only"):
        session.look_at(SimulatedThread((0, 0, 0), (0, 0, 0)))


def test_how_the_block_or_the_run_has_ended_is_told(program):
    few = replace(SimulationLimits(), threads=64)
    session = StepSession(program, replace(launch(), limits=few), SimulatedThread())
    session, _recording = StepSession.replaying(recorded(session))
    state = move(session, StepGoal.BREAKPOINT, thread=SimulatedThread())
    assert (state.ended, state.reason) == (BLOCK_ENDED, StopReason.LAST)
    assert state.state is ThreadState.ENDED
    wrong = kernel_of(
        ".reg .b64 %a; .reg .b32 %v;\nld.param.u64 %a, [k_0];\nmov.u32 %v, %tid.x;\n"
        "st.global.u32 [%a+4096], %v;",
        "u64",
    )
    faulty = launch_of("k", (1, 1, 1), (32, 1, 1), (np.zeros(4, np.int32),))
    live = StepSession(read_program(wrong), faulty, SimulatedThread())
    mine = move(live, StepGoal.BREAKPOINT, thread=SimulatedThread())
    session, _recording = StepSession.replaying(recorded(live))
    shown = session.look_at(SimulatedThread())
    assert shown.ended == mine.ended
    assert "past the end" in shown.ended
    same(mine, shown)


def test_what_takes_too_much_is_shorter(made, monkeypatch):
    live, data = made
    whole = unpack(data)
    monkeypatch.setattr(recording_module, "MOST_PACKED", len(data) * 3 // 4)
    session, recording = StepSession.replaying(pack(whole))
    assert recording.frames[0].step > 0
    assert recording.frames[0].step <= 60 <= recording.frames[-1].step
    for step in (recording.frames[0].step, 60, recording.frames[-1].step):
        same(move(live, StepGoal.STEP, step=step), move(session, StepGoal.STEP, step=step))
        assert bool(session.look_at(THREAD).ended) is (step != 60)


def test_of_large_buffers_the_beginning_is_kept(program, monkeypatch):
    monkeypatch.setattr(recorder, "MOST_GLOBAL", 150)
    session = StepSession(program, launch(), THREAD)
    recording = unpack(recorded(session))
    others = sum(region.size for region in recording.regions) - recording.cut[0].size
    assert [(r.name, r.size, r.whole) for r in recording.cut] == [("array 0", 150 - others, 256)]


def test_the_heap_takes_no_room_from_buffers():
    text = kernel_of(
        ".reg .b64 %p, %size; .reg .b32 %t;\nmov.u64 %size, 100;\nmov.u32 %t, %tid.x;\n"
        "{\n.param .b64 in;\nst.param.b64 [in], %size;\n.param .b64 out;\n"
        "call.uni (out), malloc, (in);\nld.param.b64 %p, [out];\n}\nst.u32 [%p], %t;",
        "u64",
        before=".extern .func (.param .b64 out) malloc (.param .b64 in);",
    )
    arrays = (np.zeros(3 << 20, np.uint8),)
    live = StepSession(
        read_program(text), launch_of("k", (1, 1, 1), (32, 1, 1), arrays), SimulatedThread()
    )
    recording = unpack(recorded(live))
    assert recording.cut == ()
    assert [region.size for region in recording.regions] == [3 << 20, 1 << 20]


def test_texts_that_no_window_can_show_are_refused(made, monkeypatch):
    whole = unpack(made[1])
    for texts in (("k.cu", b"\r" * 100_000),), (("k.cu", b"a" * (4 << 20)),):
        large = replace(whole, about=replace(ABOUT, sources=texts))
        with pytest.raises(RecordingError, match="more than 4 MiB or 100,000 lines"):
            pack(large)
        with monkeypatch.context() as patched:
            patched.setattr(recording_module, "_fits_window", lambda _recording: True)
            data = pack(large)
        with pytest.raises(RecordingError, match="do not fit"):
            unpack(data)


def test_names_that_no_line_can_show_are_refused(made):
    with pytest.raises(RecordingError, match="do not fit"):
        unpack(pack(replace(unpack(made[1]), ended="long " * 100_000)))


def test_what_is_no_recording_is_refused_with_a_sentence(made, monkeypatch):
    _live, data = made
    monkeypatch.setattr(recording_module, "_LARGEST", 1 << 20)
    head = data[: data.index(b"\n") + 1]
    bomb = head + zlib.compress(bytes(8 << 20), 1)
    for wrong, message in (
        (b"", "not a recording"),
        (b"jitstudio recording 9\n", "later jitstudio"),
        (data[:-100], "cut short"),
        (head + b"abc", "damaged"),
        (head + zlib.compress(b"abc"), "damaged"),
        (bomb, "unpacks to more than"),
    ):
        with pytest.raises(RecordingError, match=message):
            StepSession.replaying(wrong)


def test_damaged_recordings_show_other_things_or_say_so(made):
    """Whatever its parts are, the errors are those that the window takes."""
    _live, data = made
    head, whole = data[: data.index(b"\n") + 1], unpack(data)
    chosen = np.random.default_rng(3)
    content = bytearray(zlib.decompress(data[len(head) :]))
    damaged = []
    for _ in range(25):
        changed = bytearray(content)
        for at in chosen.integers(8, len(changed), 30).tolist():
            changed[at] = int(chosen.integers(256))
        damaged.append(head + zlib.compress(changed, 1))
    array = whole.arrays[0]._replace(data=b"\1" * 8)
    for other in (
        replace(whole, arrays=(array, *whole.arrays[1:])),
        replace(whole, arrays=()),
        replace(whole, kernel="none"),
        replace(whole, ptx="{"),
        replace(whole, ptx=""),
        replace(whole, block=(1 << 40, 1, 1)),
        replace(whole, grid=(0, 1, 1)),
        replace(whole, frames=()),
        replace(whole, frames=whole.frames[::-1]),
        replace(whole, special={}),
        replace(whole, regions=()),
        replace(whole, addresses={}),
    ):
        content = b"".join(Codec(Recording).dump(other))
        damaged.append(head + zlib.compress(content))
    refused = 0
    for each in damaged:
        try:
            session, _recording = StepSession.replaying(each)
            with told_as_damage():
                for step in (0, 60, 90):
                    state = move(session, StepGoal.STEP, step=step)
                    for area in state.areas:
                        session.read(area, THREAD, 0, 64)
        except ValueError:
            refused += 1
    assert refused >= 8
    assert unpack(pack(whole)) == whole
