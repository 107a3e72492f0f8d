"""Stepping through a simulated kernel in a real window, by its commands."""

import os
import signal
from dataclasses import replace
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QInputDialog, QLabel, QPushButton

from jitstudio.core.launch.device import SIMULATOR
from jitstudio.core.launch.simulation import StateSpace
from jitstudio.core.project.format import dump, load
from jitstudio.core.project.project import BreakLine, Project, RunRecording
from jitstudio.core.request import LinkMode
from jitstudio.gui.features.step.registers import lane_value
from jitstudio.gui.features.welcome.view import WelcomeCard
from jitstudio.simulator.stepping.requests import SimulatedThread, StepGoal, StopReason
from tests.gui.driver import Driver

REDUCE = """\
extern "C" __global__ void reduce(const float* a, float* out, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
"""


def write(driver, text):
    def put():
        driver.editor.selectAll()
        driver.editor.insertPlainText(text)

    assert driver.next_result(put).ok
    form = driver.launch_form()
    driver.wait(lambda: form.form is not None and form.form.lowered in text)
    return form


@pytest.fixture
def stepping(started):
    """A window in which the reduction can be stepped through, before its first instruction."""
    driver = started
    driver.set_options("-lineinfo")
    write(driver, REDUCE)
    spec = replace(
        driver.state.launch_specs.spec,
        grid="2",
        cover="",
        block="64",
        arguments=(("a", "64:range(0,1):in"), ("out", "2:zeros:inout"), ("n", "64")),
    )
    driver.state.launch_specs.edit(spec)
    begin(driver)
    return driver


def state(driver):
    return driver.state.stepping.state


def begin(driver):
    driver.trigger("stepAction")
    at_rest(driver)


def at_rest(driver):
    model, problem = driver.state.stepping, driver.find(QLabel, "stepProblem")
    driver.wait(lambda: problem.text() or (model.state is not None and not model.is_moving))
    assert not problem.text()


def press(driver, key, modifiers=Qt.KeyboardModifier.NoModifier):
    driver.press(key, modifiers)
    at_rest(driver)


def shift(driver, key):
    press(driver, key, Qt.KeyboardModifier.ShiftModifier)


def value(driver, name, lane=0):
    row = next(row for row in state(driver).registers if row.name == name)
    return lane_value(row, lane)


def test_a_kernel_is_stepped_through_by_keys_alone(stepping):
    driver = stepping
    editor = driver.editor
    driver.trigger("focusEditorAction")
    assert state(driver).step == 0
    assert {lane_value(row, lane) for row in state(driver).registers for lane in (0, 31)} == {"-"}
    model = driver.pane("step").registers.model
    assert "not written" in model.data(model.index(0, 2), Qt.ItemDataRole.ToolTipRole)
    assert editor.line_marks.position.lines == (0,)
    press(driver, Qt.Key.Key_F10)
    first = state(driver)
    assert first.source.line > 1
    assert editor.line_marks.position.lines == (first.source.line - 1,)
    ptx = driver.listing("ptxView")
    assert ptx.line_marks.position.lines == (first.ptx_line - 1,)
    assert first.instruction.split()[0] in ptx.text.lines[first.ptx_line - 1]
    press(driver, Qt.Key.Key_F11)
    assert state(driver).step > first.step
    shift(driver, Qt.Key.Key_F11)
    assert state(driver).step == first.step
    # A breakpoint with F9, to which F5 runs, and Shift+F5 back.
    editor.go_to(8)
    driver.press(Qt.Key.Key_F9)
    assert editor.line_marks.breakpoints == {7: False}
    press(driver, Qt.Key.Key_F5)
    assert state(driver).reason is StopReason.BREAKPOINT
    assert state(driver).source.line == 8
    met = state(driver).step
    press(driver, Qt.Key.Key_F5)
    assert state(driver).step > met
    shift(driver, Qt.Key.Key_F5)
    assert state(driver).step == met
    # The keys of others come back at the end.
    assert "F5" not in [key.toString() for key in driver.shell.actions["runAction"].shortcuts()]
    driver.trigger("endSteppingAction")
    assert "F5" in [key.toString() for key in driver.shell.actions["runAction"].shortcuts()]
    assert editor.line_marks.position.lines == ()
    assert editor.line_marks.breakpoints == {7: False}


def test_a_button_builds_for_debuggers_so_that_variables_have_names(stepping):
    driver = stepping
    at_rest(driver)
    button = driver.find(QPushButton, "buildForDebuggers")
    assert driver.next_result(button.click).ok
    assert driver.state.settings.options.split()[-1] == "-G"
    driver.trigger("stepAction")
    driver.wait(lambda: state(driver) is not None and state(driver).has_names)
    assert button.isHidden()


def test_conditions_threads_memory_and_the_access_are_shown_and_a_step_kept(stepping, tmp_path):
    driver = stepping
    model, view = driver.state.stepping, driver.pane("step")
    model.set_condition(BreakLine(driver.document.name, 8), "tid.x == 5 && ctaid.x == 1")
    model.move(StepGoal.BREAKPOINT)
    at_rest(driver)
    assert state(driver).thread == SimulatedThread((1, 0, 0), (5, 0, 0))
    assert view.lanes.describe(5).startswith("Lane 5 executes")
    # 32 threads of each block add, 32 wait for them or are elsewhere.
    assert sum(row.threads for row in state(driver).groups) == 128
    assert not driver.find(QPushButton, "buildForDebuggers").isHidden()
    view.lanes.lane_chosen.emit(6)
    at_rest(driver)
    assert state(driver).thread.thread == (6, 0, 0)
    view.tabs.setCurrentWidget(view.memory)
    areas = [area.name for area in state(driver).areas]
    shared = next(n for n, area in enumerate(state(driver).areas) if area.space.value == "shared")
    driver.find(QComboBox, "stepArea").setCurrentIndex(shared)
    driver.wait(lambda: len(view.memory.model.values) == 64)
    assert list(view.memory.model.values) == list(map(float, range(64)))
    assert "a" in areas
    while state(driver).access is None:
        model.move(StepGoal.INSTRUCTION)
        at_rest(driver)
    assert state(driver).access.cost == 1
    assert len(view.accesses.picture.rows) == 1
    # A step is kept in the project, and gone to again.
    point = BreakLine(driver.document.name, 8)
    model.set_condition(point, "tid.x == 3")
    model.move(StepGoal.BREAKPOINT)
    at_rest(driver)
    kept = state(driver)
    driver.trigger("recordStepAction")
    (recording,) = driver.state.project.capture(tmp_path / "p.jitproj").steps
    assert (recording.step, recording.thread) == (kept.step, (3, 0, 0))
    assert load(dump(Project(steps=(recording,)))).steps == (recording,)
    driver.trigger("endSteppingAction")
    model.set_breakpoints({})
    driver.trigger("recordedStepAction")
    driver.wait(lambda: state(driver) is not None and state(driver).step == kept.step)
    at_rest(driver)
    assert state(driver).thread == kept.thread
    assert state(driver).registers[0].values == kept.registers[0].values
    assert model.breakpoints == {point: "tid.x == 3"}


def test_calls_are_named_as_in_cpp_and_accesses_without_a_picture_say_so(stepping):
    driver, view = stepping, stepping.pane("step")
    shown = state(driver)
    call = replace(shown.calls[0], function="_Z4fillPfi")
    texels = "@%p1 tex.2d.v4.f32.f32 \t{%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];"
    driver.state.stepping.state_changed.emit(
        replace(shown, calls=(call,), access=None, instruction=texels)
    )
    cell = view.calls.model().index(0, 0)
    driver.wait(lambda: cell.data() == "fill")
    assert "_Z4fillPfi" in cell.data(Qt.ItemDataRole.ToolTipRole)
    access = driver.find(QLabel, "stepAccess")
    assert access.text().startswith("Texels are read or written here.")
    assert not view.accesses.picture.isVisibleTo(view.accesses)
    view.show_state(
        replace(shown, access=None, instruction="cp.async.cg.shared.global [%r1], [%rd1], 16;")
    )
    assert access.text() == "The accesses of cp are not drawn."
    # The line stores, but not in this warp.
    view.show_state(replace(shown, access=None, instruction="@%p1 st.global.f32 [%rd1], %f1;"))
    assert access.text().startswith("The warp reads and writes no memory here.")


def test_a_recording_is_shown_from_the_project_without_running(stepping, tmp_path, monkeypatch):
    driver = stepping
    model, view = driver.state.stepping, driver.pane("step")
    model.look_at(SimulatedThread((1, 0, 0), (3, 0, 0)))
    at_rest(driver)
    for _ in range(4):
        model.move(StepGoal.LINE)
        at_rest(driver)
    seen = state(driver)
    driver.trigger("recordRunAction")
    driver.wait(lambda: driver.state.step_recordings.recordings)
    at_rest(driver)
    assert state(driver).registers == seen.registers
    content = dump(driver.state.project.capture(tmp_path / "p.jitproj"))
    (tmp_path / "p.jitproj").write_bytes(content)
    (recording,) = load(content).recordings
    assert recording.kernel == "reduce"
    driver.trigger("endSteppingAction")
    driver.wait(lambda: driver.state.step_service.worker_pid is None)
    # Lines that were edited have no mark, and the pane has the text as it was.
    driver.replace("int t = threadIdx.x;", "int t = threadIdx.x;\n    // new\n")
    driver.replace("s[t] += s[t + d];", "s[t] *= s[t + d];")
    driver.trigger("showRecordingAction")
    at_rest(driver)
    shown = state(driver)
    assert (shown.step, shown.thread) == (seen.step, seen.thread)
    assert [(r.name, r.values) for r in shown.registers] == [
        (r.name, r.values) for r in seen.registers
    ]
    words = driver.find(QLabel, "stepRecording").text()
    assert "block (1, 0, 0)" in words
    assert driver.document.name in words
    # It is filled once it is seen.
    assert not view.texts.text.toPlainText()
    here = view.tabs.currentWidget()
    view.tabs.setCurrentWidget(view.texts)
    assert view.texts.text.toPlainText() == REDUCE
    view.tabs.setCurrentWidget(here)
    assert driver.editor.line_marks.position.lines == (shown.source.line - 1 + 2,)
    model.set_condition(BreakLine(driver.document.name, 12), "")
    shift(driver, Qt.Key.Key_F10)
    assert state(driver).step < seen.step
    press(driver, Qt.Key.Key_F5)
    assert state(driver).reason in (StopReason.BREAKPOINT, StopReason.END)
    press(driver, Qt.Key.Key_F5)
    assert "ended" in state(driver).ended
    view.tabs.setCurrentWidget(view.memory)
    driver.find(QComboBox, "stepArea").setCurrentIndex(0)
    driver.wait(lambda: len(view.memory.model.values) == 64)
    assert not driver.shell.actions["recordRunAction"].isEnabled()
    # Only the recording that is shown is removed, and then there is none of it.
    other = RunRecording("other", b"")
    driver.state.step_recordings.keep_recording(other)
    driver.trigger("removeRecordingAction")
    assert driver.state.step_recordings.recordings == (other,)
    assert not driver.shell.actions["removeRecordingAction"].isEnabled()
    assert driver.shell.actions["showRecordingAction"].isEnabled()
    # What is no recording is told, and the next run works.
    model.show_recording(b"jitstudio recording 9\n")
    problem = driver.find(QLabel, "stepHint")
    driver.wait(lambda: "later jitstudio" in problem.text())
    # From the file of the project, with the text as it was.
    monkeypatch.setattr(type(driver.projects), "_may_replace", lambda *_: True)
    driver.open_project(tmp_path / "p.jitproj")
    driver.trigger("showRecordingAction")
    driver.wait(lambda: state(driver) is not None)
    assert state(driver).registers == shown.registers
    assert "changed" not in driver.find(QLabel, "stepRecording").text()


def test_the_run_begins_anew_where_its_process_dies(stepping):
    driver = stepping
    model = driver.state.stepping
    model.move(StepGoal.BARRIER)
    at_rest(driver)
    before = state(driver)
    pid = driver.state.step_service.worker_pid
    os.kill(pid, signal.SIGKILL)
    # Until then it may still answer.
    driver.wait(lambda: driver.state.step_service.worker_pid != pid)
    problem = driver.find(QLabel, "stepProblem")
    model.move(StepGoal.INSTRUCTION, back=True)
    driver.wait(lambda: not model.is_moving)
    if problem.text():
        # Told where the process was not known to be gone; the next move begins the run anew.
        assert "process of the simulation" in problem.text()
        model.move(StepGoal.INSTRUCTION, back=True)
        driver.wait(lambda: not model.is_moving)
    # It was brought back to where it was, and has gone back from there.
    assert 0 < state(driver).step < before.step
    model.move(StepGoal.BARRIER)
    at_rest(driver)
    assert state(driver).step == before.step
    assert [row.values for row in state(driver).registers] == [
        row.values for row in before.registers
    ]
    # What does not build cannot be stepped through, and says so; the next run works.
    driver.next_result(lambda: driver.replace("s[t] = a[t]", "s[t] = b[t]"))
    driver.trigger("stepAction")
    driver.wait(lambda: "build" in problem.text())
    driver.next_result(driver.editor.undo)
    driver.trigger("stepAction")
    driver.wait(lambda: state(driver).step == 0)
    assert not problem.text()


@pytest.mark.parametrize("waits", [False, True])
def test_a_run_begun_during_a_move_knows_nothing_of_the_move(stepping, waits):
    model, states, moving = stepping.state.stepping, [], []
    at_rest(stepping)
    other = Event()
    if waits:
        stepping.state.step_service._submit("other", lambda _ticket, _report: other.wait(60))
    model.move(StepGoal.BARRIER)
    shown = model.state_changed.connect(lambda state: states.append(state and state.step))
    moved = model.moving_changed.connect(moving.append)
    try:
        model.begin()
        other.set()
        assert model.is_moving
        at_rest(stepping)
        assert (states, moving) == ([0], [False])
        model.move(StepGoal.BARRIER)
        at_rest(stepping)
        assert states[-1] > 0
    finally:
        # Other tests have the same window.
        model.state_changed.disconnect(shown)
        model.moving_changed.disconnect(moved)


def test_a_race_is_told_stepped_to_mended_and_gone(stepping):
    driver = stepping
    driver.trigger("endSteppingAction")
    lines = REDUCE.splitlines()
    without = "\n".join(line for n, line in enumerate(lines, 1) if n != 9)
    write(driver, without)
    launches = driver.state.launches
    driver.wait(lambda: launches.devices is not None)
    launches.choose_device(SIMULATOR)
    result = driver.launch()
    race = result.simulation.races[0]
    assert {race.first.line, race.second.line} == {8}
    button = driver.find(QPushButton, "stepThere")
    driver.trigger("focusLaunchAction")
    assert button.isVisibleTo(driver.window)
    button.click()
    stepping = driver.state.stepping
    outdated = driver.find(QLabel, "stepOutdated")
    place = race.second
    driver.wait(lambda: state(driver) is not None and state(driver).step == place.step)
    at_rest(driver)
    assert state(driver).thread == SimulatedThread(place.block, place.thread)
    assert (state(driver).ptx_line, state(driver).source.line) == (place.ptx_line, 8)
    assert state(driver).access.space is StateSpace.SHARED
    assert stepping.is_open
    assert outdated.isHidden()
    write(driver, REDUCE)
    driver.wait(lambda: not outdated.isHidden())
    assert "earlier build" in outdated.text()
    assert driver.launch().simulation.races == ()
    begin(driver)
    assert outdated.isHidden()


def test_a_condition_is_asked_for_until_it_can_be_read(stepping):
    driver = stepping
    driver.editor.go_to(8)

    def typed(text):
        dialog = driver.find(QInputDialog, "conditionDialog")
        driver.wait(dialog.isVisible)
        dialog.setTextValue(text)
        said = dialog.labelText().replace("&&", "&")
        dialog.accept()
        return said

    driver.trigger("breakpointConditionAction")
    assert "threadIdx.x < 4 && %r3 == 7" in typed("tid.x == 3 & t < 4")
    driver.wait(lambda: driver.find(QInputDialog, "conditionDialog").isVisible())
    dialog = driver.find(QInputDialog, "conditionDialog")
    assert dialog.textValue() == "tid.x == 3 & t < 4"
    assert "brackets" in typed("threadIdx.x == 3")
    points = {BreakLine(driver.document.name, 8): "threadIdx.x == 3"}
    assert driver.state.stepping.breakpoints == points


def test_breakpoints_are_back_at_the_next_start_and_follow_their_lines(qapp, tmp_path):
    file = tmp_path / "reduce.cu"
    file.write_text(REDUCE)
    first = Driver(qapp, tmp_path)
    first.start([file])
    first.state.stepping.set_condition(BreakLine("reduce.cu", 8), "threadIdx.x == 3")
    first.state.stepping.toggle_breakpoint(BreakLine("gone.cu", 2))
    first.close()
    second = Driver(qapp, tmp_path)
    second.start()
    assert second.state.stepping.breakpoints == {BreakLine("reduce.cu", 8): "threadIdx.x == 3"}
    assert second.editor.line_marks.breakpoints == {7: True}
    second.editor.go_to(2)
    second.editor.insertPlainText("// new\n")
    assert second.editor.line_marks.breakpoints == {8: True}
    second.state.documents.rename(second.document, "sum.cu")
    assert second.state.stepping.breakpoints == {BreakLine("sum.cu", 9): "threadIdx.x == 3"}
    assert second.editor.line_marks.breakpoints == {8: True}
    second.close()


def test_the_line_of_each_of_several_linked_modules_is_shown(started):
    """The PTX that runs is that of both, one behind the other; what is shown is that of one."""
    driver = started
    assert driver.open_sample("Link by PTX or LTO").ok
    settings = driver.state.settings
    assert driver.next_result(lambda: setattr(settings, "link", LinkMode.PTX)).ok
    driver.launch_form()
    spec = driver.state.launch_specs.spec
    given = dict(spec.arguments) | {"n": "512"}
    driver.state.launch_specs.edit(replace(spec, arguments=tuple(given.items())))
    pane = driver.pane("ptx")
    pane.choose("user_transform.cu")
    lines = pane.listing.lines
    returns = next(n for n, line in enumerate(lines) if line.split() == ["ret;"])
    driver.state.stepping.toggle_breakpoint(BreakLine("user_transform.cu", returns + 1, True))
    begin(driver)
    for module, instruction in (("apply_transform.cu", "ld.param"), ("user_transform.cu", "ret;")):
        pane.choose(module)
        (line,) = pane.code_view.line_marks.position.lines
        assert state(driver).instruction.split()[0] in pane.listing.lines[line]
        assert instruction in pane.listing.lines[line]
        driver.state.stepping.move(StepGoal.BREAKPOINT)
        at_rest(driver)
    assert line == returns


def test_beginning_builds_first_what_is_stale(stepping):
    driver = stepping
    at_rest(driver)
    driver.trigger("endSteppingAction")
    driver.state.settings.auto_build = False
    driver.replace("s[t] = a[t];", "s[t] = 3 * a[t];")
    assert driver.next_result(lambda: driver.trigger("stepAction")).ok
    driver.wait(lambda: state(driver) is not None and not driver.state.stepping.is_moving)
    assert not driver.state.stepping.is_of_old_build
    driver.trigger("runToBarrierAction")
    at_rest(driver)
    driver.trigger("runToAccessBackAction")
    at_rest(driver)
    # What the text in the editor says, of lane 7.
    stored = state(driver).instruction.split()[-1]
    assert value(driver, stored.rstrip(";"), lane=7) == "21"
    # A build that fails is not waited for.
    driver.trigger("endSteppingAction")
    driver.replace("s[t] = 3 * a[t];", "s[t] = 3 * a[t]")
    reasons = []
    driver.state.stepping.failed.connect(reasons.append)
    driver.trigger("stepAction")
    driver.wait(lambda: reasons)
    assert reasons == [driver.find(QLabel, "stepProblem").text()]


def test_the_pane_begins_with_what_matters(stepping):
    driver, view = stepping, stepping.pane("step")
    at_rest(driver)
    assert view.tabs.widget(0) is view.now
    view.tabs.setCurrentIndex(0)
    # The other tabs follow: what has changed is first, and predicates are one row.
    for action in ("runToBarrierAction", "stepLineAction", "runToAccessAction"):
        driver.trigger(action)
        at_rest(driver)
    driver.trigger("stepInstructionAction")
    at_rest(driver)
    shown = state(driver)
    changed = [row.name for row in shown.registers if row.changed & 1]
    table = view.registers.table
    texts = [table.model().index(at, 0).data() for at in range(table.model().rowCount())]
    assert changed
    assert texts[: len(changed)] == changed
    count = sum(row.type == "pred" for row in shown.registers)
    assert texts[-1] == f"{count} predicates"
    assert "%p" not in "".join(texts)
    table.activated.emit(table.model().index(len(texts) - 1, 0))
    assert table.model().rowCount() == len(shown.registers)
    driver.trigger("runToAccessBackAction")
    at_rest(driver)
    rows = {(row.use, row.name): row.value for row in view.now.table.rows}
    (gives,) = [name for use, name in rows if use == "gives"]
    told = rows["gives", gives]
    assert rows["accesses", state(driver).instruction.split(", ")[-1].rstrip(";")].startswith(
        "reduce::s + "
    )
    driver.trigger("stepInstructionAction")
    at_rest(driver)
    assert value(driver, gives) == told
    # Memory is the array that was accessed, with the values of its type.
    assert driver.find(QComboBox, "stepArea").currentText() == "reduce::s: 64 x float (shared)"
    # The accesses of the whole line, from the middle of it.
    view.tabs.setCurrentWidget(view.accesses)
    driver.wait(lambda: len(view.accesses.table.rows) == 3)
    assert "2 x Load from shared memory: 2 passes" in driver.find(QLabel, "stepLineAccesses").text()


def test_the_welcome_page_leads_to_the_simulator(started):
    driver = started
    driver.trigger("welcomeAction")
    driver.wait(lambda: driver.window.findChild(WelcomeCard, "simulatorCard"))
    driver.find(WelcomeCard, "simulatorCard").click()
    driver.wait(lambda: state(driver) is not None and not driver.state.stepping.is_moving)
    assert driver.shell.layout.dock_of(driver.pane("step")).is_in_front
    driver.find(WelcomeCard, "lessonsCard").click()
    assert driver.shell.layout.dock_of(driver.pane("lessons")).is_in_front
