"""Keeps the Step pane in step with the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import CodeKind
from jitstudio.gui.context import Context
from jitstudio.gui.features.step.view import StepView, index_text
from jitstudio.gui.kit.command_keys import COMMAND_KEYS, follow_keys
from jitstudio.gui.shell.navigation import ListingPlace, Navigator
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import StepRecordings
from jitstudio.gui.state.stepping import Stepping
from jitstudio.simulator.stepping.requests import StepGoal, StepState

_MOST_LISTED = 10
_BUTTONS = (
    ("stepAction", "endSteppingAction"),
    ("continueBackAction", "pauseSteppingAction", "continueAction"),
    ("stepLineBackAction", "stepLineAction"),
    ("stepInstructionBackAction", "stepInstructionAction"),
    ("runToAccessBackAction", "runToAccessAction"),
    ("runToBarrierBackAction", "runToBarrierAction"),
)
_MORE = (
    "stepOutAction",
    "runToCursorAction",
    "runToDivergenceAction",
    "runToChangeAction",
    "breakpointAction",
    "breakpointConditionAction",
    "recordStepAction",
    "recordedStepAction",
    "recordRunAction",
    "showRecordingAction",
    "removeRecordingAction",
)


def install(context: Context) -> Iterator[None]:
    """Makes the pane "Step", in parts."""
    state, shell = context.state, context.shell
    view = StepView(parent=shell.layout.place("step"))
    yield from view.fill()
    yield
    shell.layout.fill("step", view)
    view.fix_requested.connect(context.fixer.apply)
    names = state.lowered_names
    view.spell_by(names.spelled)
    names.learnt.connect(lambda: view.spell_by(names.spelled))
    StepController(
        view, state.stepping, state.launches, state.step_recordings, context.navigator, shell
    )
    outputs = state.outputs
    shell.stale_marks.add(view, lambda: _is_running(state.stepping) and outputs.is_behind)
    shell.context_menus.add_to_tables(view)


def _is_running(stepping: Stepping) -> bool:
    return stepping.is_open and stepping.recording is None


def _listed(names: Sequence[str]) -> str:
    """Returns the first names in a line."""
    return ", ".join([*names[:_MOST_LISTED], *["…"] * (len(names) > _MOST_LISTED)])


class StepController(QObject):
    """Shows the state of the run, and what the user asks of it."""

    def __init__(
        self,
        view: StepView,
        stepping: Stepping,
        launches: LaunchController,
        recordings: StepRecordings,
        navigator: Navigator,
        shell: Shell,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._stepping = stepping
        self._launches = launches
        self._navigator = navigator
        self._recordings = recordings
        self._set_actions(shell)
        follow_keys(self, StepController._say_hint)
        recordings.changed.connect(self._say_hint)
        stepping.state_changed.connect(self._on_state)
        stepping.problem_changed.connect(view.show_problem)
        for signal in (stepping.moving_changed, launches.config_changed):
            signal.connect(self._say_outdated)
        view.thread_chosen.connect(stepping.look_at)
        view.line_wanted.connect(stepping.look_at_line)
        view.place_activated.connect(self._on_place_activated)
        view.memory.wanted.connect(
            lambda area, start, count: stepping.read(area, start, count, view.memory.show_page)
        )
        self._on_state(stepping.state)
        view.show_problem(stepping.problem)

    def _set_actions(self, shell: Shell) -> None:
        actions = shell.actions
        groups = [[actions[name] for name in names] for names in _BUTTONS]
        self._view.set_actions(groups, [actions[name] for name in _MORE])
        actions.bind({"runToChangeAction": self._on_change})

    @Slot()
    def _say_hint(self) -> None:
        keys = COMMAND_KEYS
        words = self.tr(
            "A kernel runs here step by step, with no GPU: every register of every thread can be "
            "seen, forward and back.\nFill in the Launch panel, then press {begin}. {toggle} sets "
            "a breakpoint in the source or the PTX."
        )
        text = words.format(begin=keys.words("stepAction"), toggle=keys.words("breakpointAction"))
        recordings = self._recordings.recordings
        if recordings:
            words = self.tr(
                "\nA recording of {kernels} is kept with the project: {show} shows it, and nothing "
                "is run."
            )
            text += words.format(
                kernels=", ".join(recording.kernel for recording in recordings),
                show=keys.words("showRecordingAction"),
            )
        self._view.set_hint(text)

    @Slot()
    def _say_outdated(self) -> None:
        text = ""
        if self._stepping.is_of_old_build:
            words = self.tr("This run is of an earlier build. {begin} begins one of the newest.")
            text = words.format(begin=COMMAND_KEYS.words("stepAction"))
        self._view.show_outdated(text)

    @Slot()
    def _on_change(self) -> None:
        register = self._view.registers.register
        if register:
            self._stepping.move(StepGoal.CHANGE, register=register)
        else:
            self._stepping.say(self.tr("Select a register in the table first."))

    @Slot(object)
    def _on_state(self, state: StepState | None) -> None:
        run = self._stepping.run
        if run is not None:
            self._view.set_config(run.config)
            self._view.memory.set_elements(dict(run.about.elements))
        self._show_recording(state)
        self._view.show_state(state, self._advice)
        self._say_outdated()

    def _show_recording(self, state: StepState | None) -> None:
        run, recording = self._stepping.run, self._stepping.recording
        if run is None or recording is None or state is None:
            self._view.show_recording("")
            return
        words = self.tr(
            "Recording of {kernel}, block {block}: steps {first:,} to {last:,}. Nothing runs."
        )
        text = words.format(
            kernel=run.about.title,
            block=index_text(recording.index),
            first=recording.first,
            last=recording.last,
        )
        if recording.cut:
            words = self.tr("Of large buffers only the beginning is kept: {parts}.")
            parts = _listed([f"{name} ({size:,} B)" for name, size in recording.cut])
            text += " " + words.format(parts=parts)
        if run.changed:
            words = self.tr(
                "The text of {names} has changed since, or is not open: see Recorded text."
            )
            text += " " + words.format(names=_listed(run.changed))
        self._view.show_recording(text)
        ptx = self.tr("PTX of {module}").format(module=run.about.module)
        self._view.texts.show_texts([*run.texts, (ptx, recording.ptx)])
        here = {
            name: state.source.line
            for name, _text in run.texts
            if PurePath(name).name == PurePath(state.source.file).name
        }
        self._view.texts.show_lines(here | {ptx: state.ptx_line})

    def _advice(self, line: int) -> str:
        """Returns the advice of a complete simulated run about the access at a line of the PTX."""
        run = self._launches.simulated
        if run is None:
            return ""
        return next((s.advice for s in run.simulation.samples if s.ptx_line == line), "")

    @Slot(str, int, int)
    def _on_place_activated(self, file: str, line: int, ptx_line: int) -> None:
        if line:
            self._navigator.go_to_source(file, line)
        else:
            self._navigator.go_to(ListingPlace(CodeKind.PTX, *self._stepping.ptx_place(ptx_line)))
