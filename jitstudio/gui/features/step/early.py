"""Commands for stepping, breakpoints and recordings, which need no pane."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QInputDialog, QLineEdit

from jitstudio.core.launch.simulation import ThreadPlace
from jitstudio.core.project.project import BreakLine, RunRecording, StepRecording
from jitstudio.core.wrapping import filled
from jitstudio.gui.context import Context
from jitstudio.gui.features.step.marks import StepMarks
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.shell.navigation import Navigator, StepPlace
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import MOST_RECORDED, StepRecordings
from jitstudio.gui.state.stepping import Stepping
from jitstudio.simulator.stepping.conditions import StopCondition, StopConditionError
from jitstudio.simulator.stepping.requests import SimulatedThread, StepGoal, StepMove

_PROBLEM_WIDTH = 80
_MOVES = {
    "continueAction": (StepGoal.BREAKPOINT, False),
    "continueBackAction": (StepGoal.BREAKPOINT, True),
    "stepLineAction": (StepGoal.LINE, False),
    "stepLineBackAction": (StepGoal.LINE, True),
    "stepInstructionAction": (StepGoal.INSTRUCTION, False),
    "stepInstructionBackAction": (StepGoal.INSTRUCTION, True),
    "stepOutAction": (StepGoal.OUT, False),
    "runToAccessAction": (StepGoal.ACCESS, False),
    "runToAccessBackAction": (StepGoal.ACCESS, True),
    "runToBarrierAction": (StepGoal.BARRIER, False),
    "runToBarrierBackAction": (StepGoal.BARRIER, True),
    "runToDivergenceAction": (StepGoal.DIVERGENCE, False),
}


def install(context: Context) -> None:
    """Binds the commands, and marks lines in the texts."""
    state = context.state
    marks = StepMarks(
        state.stepping,
        state.documents,
        state.correlations,
        state.disassembly,
        context.editors,
        context.listings,
        context.editors,
    )
    StepCommands(
        state.stepping,
        state.launches,
        state.step_recordings,
        marks,
        context.navigator,
        context.shell,
    )


class StepCommands(QObject):
    """Binds the commands, and keeps them in step with the run and the recordings."""

    def __init__(
        self,
        stepping: Stepping,
        launches: LaunchController,
        recordings: StepRecordings,
        marks: StepMarks,
        navigator: Navigator,
        shell: Shell,
    ) -> None:
        super().__init__(marks)
        self._stepping = stepping
        self._launches = launches
        self._marks = marks
        self._shell = shell
        self._recordings = recordings
        self._dialog: QInputDialog | None = None
        self._has_keys = False
        self._bind()
        for signal in (
            stepping.state_changed,
            stepping.moving_changed,
            recordings.changed,
            launches.config_changed,
        ):
            signal.connect(self._enable)
        stepping.failed.connect(self._on_failed)
        stepping.recorded.connect(self._on_run_recorded)
        launches.simulated_changed.connect(self._on_simulated)
        navigator.lead(StepPlace, self._go_to)
        self._enable()

    def _bind(self) -> None:
        self._shell.actions.bind(
            {
                "stepAction": self._on_begin,
                "endSteppingAction": self._stepping.end,
                "pauseSteppingAction": self._stepping.pause,
                "runToCursorAction": self._on_cursor,
                "breakpointAction": self._on_breakpoint,
                "breakpointConditionAction": self._on_condition,
                "recordStepAction": self._on_record,
                "recordedStepAction": self._on_recorded,
                "recordRunAction": self._on_record_run,
                "showRecordingAction": self._on_show_recording,
                "removeRecordingAction": self._on_remove_recording,
                **{name: partial(self._move, goal, back) for name, (goal, back) in _MOVES.items()},
            }
        )

    def _move(self, goal: StepGoal, back: bool) -> None:
        self._stepping.move(goal, back=back)

    @Slot()
    def _enable(self) -> None:
        actions, stepping = self._shell.actions, self._stepping
        state = stepping.state
        can_move = stepping.is_open and not (stepping.is_moving and state is None)
        for name in (*_MOVES, "runToCursorAction", "runToChangeAction"):
            actions[name].setEnabled(can_move)
        actions["recordStepAction"].setEnabled(can_move and state is not None)
        is_run = state is not None and stepping.recording is None
        actions["recordRunAction"].setEnabled(is_run and not stepping.is_moving)
        actions["showRecordingAction"].setEnabled(bool(self._recordings.recordings))
        removed = self._recordings.has_recording_of(self._removed_kernel)
        actions["removeRecordingAction"].setEnabled(removed)
        actions["endSteppingAction"].setEnabled(stepping.is_open)
        actions["pauseSteppingAction"].setEnabled(stepping.is_moving)
        if self._has_keys != stepping.is_open:
            self._has_keys = stepping.is_open
            actions.set_stepping(stepping.is_open)

    @Slot()
    def _on_begin(self) -> None:
        self._shell.layout.bring_up_pane("step")
        self._stepping.begin()

    def _go_to(self, place: StepPlace) -> None:
        """Begins the run of the launch form and goes to the step of a thread."""
        self._shell.layout.bring_up_pane("step")
        thread = SimulatedThread(place.thread.block, place.thread.thread)
        self._stepping.begin(thread, StepMove(StepGoal.STEP, thread, step=place.thread.step))

    @Slot()
    def _on_cursor(self) -> None:
        if (line := self._marks.line) is not None:
            self._stepping.move_to_line(line)

    @Slot()
    def _on_breakpoint(self) -> None:
        if (line := self._marks.line) is not None:
            self._stepping.toggle_breakpoint(line)

    @Slot()
    def _on_condition(self) -> None:
        if (line := self._marks.line) is not None:
            self._ask_condition(line, self._stepping.breakpoints.get(line, ""))

    def _ask_condition(self, line: BreakLine, text: str, problem: str = "") -> None:
        """Asks for a condition, with the text typed before and the problem with that text."""
        dialog = QInputDialog(self._shell.window)
        dialog.setObjectName("conditionDialog")
        dialog.setWindowTitle(self.tr("Breakpoint with a condition"))
        words = self.tr(
            "Stop at line {line:,} of {name} for threads of which this is true,\n"
            "such as threadIdx.x < 4 && %r3 == 7, f(%f1) > 0.5 or, built with -G, i == 7:"
        ).format(line=line.line, name=line.name)
        label = f"{filled(problem, _PROBLEM_WIDTH)}\n\n{words}" if problem else words
        # An ampersand alone would underline the next letter.
        dialog.setLabelText(label.replace("&", "&&"))
        dialog.setTextValue(text)
        dialog.setTextEchoMode(QLineEdit.EchoMode.Normal)
        dialog.textValueSelected.connect(partial(self._set_condition, line))
        self._dialog = dialog
        open_dialog(dialog)

    def _set_condition(self, line: BreakLine, text: str) -> None:
        try:
            if text.strip():
                StopCondition.read(text)
        except StopConditionError as error:
            self._ask_condition(line, text, str(error))
            return
        self._stepping.set_condition(line, text.strip())

    @Slot()
    def _on_record(self) -> None:
        state = self._stepping.state
        if state is None or not self._stepping.kernel:
            return
        self._recordings.keep(
            StepRecording(
                self._stepping.kernel,
                state.step,
                state.thread.block,
                state.thread.thread,
                tuple(self._stepping.breakpoints.items()),
            )
        )
        words = self.tr("Step {step:,} is kept: it is saved with the project.")
        self._shell.status.show_message(words.format(step=state.step))

    @Slot()
    def _on_recorded(self) -> None:
        step = self._recordings.of(self._launches.kernel)
        if step is None:
            self._stepping.refuse(self.tr("No step of this kernel is kept in the project."))
            return
        self._stepping.set_breakpoints(dict(step.breakpoints))
        place = ThreadPlace("", 0, 0, step.block, step.thread, step.step)
        self._go_to(StepPlace(place))

    @Slot()
    def _on_record_run(self) -> None:
        self._shell.status.show_message(
            self.tr("What the block does around this step is recorded…")
        )
        self._stepping.record()

    @Slot(str, bytes)
    def _on_run_recorded(self, kernel: str, data: bytes) -> None:
        gone = self._recordings.keep_recording(RunRecording(kernel, data))
        words = self.tr("A recording of {kernel} with {size:,} bytes is saved with the project.")
        text = words.format(kernel=kernel, size=len(data))
        if gone:
            words = self.tr(
                "Recordings take at most {most} MiB together: that of {kernels} was removed."
            )
            text += " " + words.format(most=MOST_RECORDED >> 20, kernels=", ".join(gone))
        self._shell.status.show_message(text)

    @Slot()
    def _on_show_recording(self) -> None:
        recording = self._recordings.recording_of(self._launches.kernel)
        if recording is not None:
            self._shell.layout.bring_up_pane("step")
            self._stepping.show_recording(recording.data)

    @property
    def _removed_kernel(self) -> str:
        """Returns the kernel whose recording is to be removed: of the shown, or of the chosen."""
        is_shown = self._stepping.recording is not None
        return self._stepping.kernel if is_shown else self._launches.kernel

    @Slot()
    def _on_remove_recording(self) -> None:
        kernel = self._removed_kernel
        if self._recordings.has_recording_of(kernel):
            self._recordings.remove_recording(kernel)
            words = self.tr("The project holds no recording of {kernel} any more.")
            self._shell.status.show_message(words.format(kernel=kernel))

    @Slot()
    def _on_simulated(self) -> None:
        if self._launches.simulated is not None:
            self._shell.layout.offer("step")

    @Slot()
    def _on_failed(self) -> None:
        self._shell.layout.uncover_pane("step")
        self._enable()
