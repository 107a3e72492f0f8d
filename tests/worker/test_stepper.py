"""Recordings are shown by a process of their own, as what is in them is not to be trusted."""

import os
import signal

import numpy as np
import pytest

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.stepping.requests import (
    RecordingAbout,
    ReplayedRun,
    SimulatedThread,
    StepGoal,
    StepMove,
    StepState,
)
from jitstudio.simulator.stepping.session import StepSession
from jitstudio.worker.stepper import Stepper
from tests.simulator.running import kernel_of, launch_of

pytestmark = pytest.mark.tools

THREAD = SimulatedThread()


@pytest.fixture(scope="module")
def data():
    body = (
        ".reg .b32 %t; .reg .b64 %a;\nld.param.u64 %a, [k_0];\nmov.u32 %t, %tid.x;\n"
        "st.global.u32 [%a], %t;"
    )
    launch = launch_of("k", (1, 1, 1), (32, 1, 1), (np.zeros(32, np.int32),))
    session = StepSession(read_program(kernel_of(body, "u64")), launch, THREAD)
    session.begin(StepMove(StepGoal.STEP, THREAD, step=2))
    session.go_on(60)
    session.record(RecordingAbout("k", "k.ptx"))
    return session.go_on_recording(60)


@pytest.fixture
def stepper():
    stepper = Stepper()
    yield stepper
    stepper.close()


def test_a_recording_comes_back_where_its_process_dies(stepper, data):
    shown = stepper.replay(data)
    assert isinstance(shown, ReplayedRun)
    assert (shown.state.step, shown.about.title) == (2, "k")
    moved = stepper.move(StepMove(StepGoal.INSTRUCTION, THREAD, back=True))
    assert moved.step == 1
    assert stepper.pid not in (None, os.getpid())
    os.kill(stepper.pid, signal.SIGKILL)
    again = stepper.look_at(THREAD)
    if isinstance(again, Diagnostic):
        # Where it was not known to be gone.
        assert "recording" in again.explanation
        again = stepper.look_at(THREAD)
    assert isinstance(again, StepState)
    assert (again.step, again.registers[0].name) == (1, moved.registers[0].name)


def test_damage_is_an_answer(stepper, data):
    answer = stepper.replay(data[:-20])
    assert isinstance(answer, Diagnostic)
    assert "cut short" in answer.message
    assert isinstance(stepper.look_at(THREAD), Diagnostic)
    assert isinstance(stepper.replay(data), ReplayedRun)
