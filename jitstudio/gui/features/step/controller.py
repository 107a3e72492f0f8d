"""Keeps the Step pane, the marks in editors and listings, and the commands in step with the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePath

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QInputDialog, QLineEdit, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.simulation import ThreadPlace
from jitstudio.core.project.project import BreakLine, RunRecording, StepRecording
from jitstudio.core.wrapping import filled
from jitstudio.gui.code.line_marks import LinePosition
from jitstudio.gui.context import Context
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.step.view import StepView, index_text
from jitstudio.gui.kit.command_keys import COMMAND_KEYS, follow_keys
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.navigation import ListingPlace, Navigator, StepPlace
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.correlation import Correlations
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import MOST_RECORDED, StepRecordings
from jitstudio.gui.state.stepping import Stepping
from jitstudio.simulator.ptx.linking import own_names
from jitstudio.simulator.stepping.conditions import StopCondition, StopConditionError
from jitstudio.simulator.stepping.requests import SimulatedThread, StepGoal, StepMove, StepState

_USER = "stepping"
_MOST_LISTED = 10
_PROBLEM_WIDTH = 80
_SOURCES = (CodeKind.CUDA, CodeKind.LLVM_IR)
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


def install(context: Context) -> Iterator[None]:
    """Makes the pane "Step", in parts."""
    state, shell = context.state, context.shell
    view = StepView(parent=shell.layout.place("step"))
    yield
    shell.layout.fill("step", view)
    view.fix_requested.connect(context.fixer.apply)
    marks = StepMarks(
        state.stepping,
        state.documents,
        state.correlations,
        state.disassembly,
        context.editors,
        context.listings,
        view,
    )
    StepController(
        view, state.stepping, state.launches, state.step_recordings, marks, context.navigator, shell
    )
    names = state.lowered_names
    view.spell_by(names.spelled)
    names.learnt.connect(lambda: view.spell_by(names.spelled))
    outputs = state.outputs
    shell.stale_marks.add(view, lambda: _is_running(state.stepping) and outputs.is_behind)
    shell.context_menus.add_to_tables(view)


def _is_running(stepping: Stepping) -> bool:
    return stepping.is_open and stepping.recording is None


class StepMarks(QObject):
    """Shows breakpoints and the line of the thread in editors and listings, and takes clicks."""

    def __init__(
        self,
        stepping: Stepping,
        documents: Documents,
        correlations: Correlations,
        disassembly: CurrentDisassembly,
        editors: EditorTabs,
        listings: Mapping[CodeKind, OutputPane],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._stepping = stepping
        self._documents = documents
        self._correlations = correlations
        self._disassembly = disassembly
        self._editors = editors
        self._ptx, self._sass = listings[CodeKind.PTX], listings[CodeKind.SASS]
        self._known: set[QWidget] = set()
        documents.each(self._on_document)
        self._ptx.code_view.line_marks.can_break = True
        self._ptx.code_view.line_marks.toggled.connect(self._on_ptx_toggled)
        self._ptx.listing_changed.connect(self._show)
        self._sass.listing_changed.connect(self._show)
        correlations.changed.connect(self._show)
        stepping.breakpoints_changed.connect(self._show)
        stepping.state_changed.connect(self._on_state)

    @property
    def line(self) -> BreakLine | None:
        """Returns the line of the cursor, in the editor or the PTX with the keyboard; else None."""
        if self._ptx.code_view.hasFocus() and self._ptx.listing is not None:
            return BreakLine(self._ptx.listing.name, self._ptx.code_view.line, True)
        page = self._editors.page
        if page is None or page.editor is None:
            return None
        return BreakLine(page.document.name, page.position()[0])

    @Slot(object)
    def _on_document(self, _document: object) -> None:
        for page in self._editors.pages():
            if page not in self._known and page.editor is not None:
                self._known.add(page)
                marks = page.editor.line_marks
                marks.can_break = page.document.kind in _SOURCES
                marks.toggled.connect(partial(self._on_source_toggled, page))
                page.destroyed.connect(partial(self._known.discard, page))
        self._show()

    @Slot(object)
    def _on_state(self, state: StepState | None) -> None:
        self._disassembly.want(_USER, state is not None)
        if state is not None and state.moving:
            return
        self._show()
        if state is not None and state.ptx_line:
            self._lead(state)

    def _lead(self, state: StepState) -> None:
        """Brings the line of the thread into view in all texts, without taking the keyboard."""
        place = self._stepping.source_line()
        if place is not None:
            document, line = place
            if self._documents.current is not document:
                self._documents.current = document
            page = self._editors.page_of(document)
            if page is not None:
                page.code_view.line_colours.scroll_to(line)
        if self._ptx.isVisible():
            module, line = self._stepping.ptx_place(state.ptx_line)
            self._ptx.choose(module)
            self._ptx.code_view.show_line(line - 1)
        lines = self._sass.code_view.line_marks.position.lines
        if lines and self._sass.isVisible():
            self._sass.code_view.show_line(lines[0])

    @Slot()
    def _show(self) -> None:
        points = self._stepping.breakpoints
        place = self._stepping.source_line()
        for page in self._editors.pages():
            if page.editor is None:
                continue
            marks = page.editor.line_marks
            marks.show_breakpoints(_breakpoints_of(points, page.document.name, is_ptx=False))
            is_here = place is not None and place[0] is page.document
            marks.show_position(LinePosition((place[1],) if place and is_here else ()))
        self._show_listings()

    def _show_listings(self) -> None:
        points, state = self._stepping.breakpoints, self._stepping.state
        listing = self._ptx.listing
        name = listing.name if listing is not None else ""
        marks = self._ptx.code_view.line_marks
        marks.show_breakpoints(_breakpoints_of(points, name, is_ptx=True))
        module, line = self._stepping.ptx_place(state.ptx_line if state is not None else 0)
        # After another build the listing may have other lines than the PTX that runs.
        lines = listing.lines if listing is not None else ()
        is_ours = (
            state is not None
            and name == module
            and 0 < line <= len(lines)
            and "".join(own_names(state.instruction).split()) in "".join(lines[line - 1].split())
        )
        marks.show_position(LinePosition((line - 1,) if is_ours else ()))
        sass: tuple[int, ...] = ()
        shown = self._sass.listing
        if is_ours and shown is not None and self._correlations.knows(shown):
            matched = self._correlations.of_ptx(name, line - 1)
            sass = tuple(int(row) for row in matched.sass)
        self._sass.code_view.line_marks.show_position(LinePosition(sass, is_derived=True))

    @Slot(int)
    def _on_ptx_toggled(self, line: int) -> None:
        if self._ptx.listing is not None:
            self._stepping.toggle_breakpoint(BreakLine(self._ptx.listing.name, line + 1, True))

    def _on_source_toggled(self, page: QWidget, line: int) -> None:
        for tab in self._editors.pages():
            if tab is page:
                self._stepping.toggle_breakpoint(BreakLine(tab.document.name, line + 1))


def _breakpoints_of(
    points: Mapping[BreakLine, str], name: str, *, is_ptx: bool
) -> Mapping[int, bool]:
    """Returns the lines of a text with breakpoints, from 0, and whether they have conditions."""
    return {
        point.line - 1: bool(condition)
        for point, condition in points.items()
        if (point.name, point.is_ptx) == (name, is_ptx)
    }


def _listed(names: Sequence[str]) -> str:
    """Returns the first names in a line."""
    return ", ".join([*names[:_MOST_LISTED], *["…"] * (len(names) > _MOST_LISTED)])


class StepController(QObject):
    """Binds the commands, and shows the state of the run."""

    def __init__(
        self,
        view: StepView,
        stepping: Stepping,
        launches: LaunchController,
        recordings: StepRecordings,
        marks: StepMarks,
        navigator: Navigator,
        shell: Shell,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._stepping = stepping
        self._launches = launches
        self._marks = marks
        self._navigator = navigator
        self._shell = shell
        self._recordings = recordings
        self._dialog: QInputDialog | None = None
        self._has_keys = False
        self._bind()
        follow_keys(self, StepController._say_hint)
        stepping.state_changed.connect(self._on_state)
        stepping.moving_changed.connect(self._on_moving)
        stepping.failed.connect(self._on_failed)
        stepping.recorded.connect(self._on_run_recorded)
        recordings.changed.connect(self._on_recordings_changed)
        launches.config_changed.connect(self._enable)
        launches.simulated_changed.connect(self._on_simulated)
        stepping.waits.connect(view.show_problem)
        view.thread_chosen.connect(stepping.look_at)
        view.line_wanted.connect(stepping.look_at_line)
        view.place_activated.connect(self._on_place_activated)
        view.memory.wanted.connect(
            lambda area, start, count: stepping.read(area, start, count, view.memory.show_page)
        )
        navigator.lead(StepPlace, self._go_to)
        self._enable()

    def _bind(self) -> None:
        actions = self._shell.actions
        named: Callable[[tuple[str, ...]], list] = lambda names: [actions[n] for n in names]  # noqa: E731
        self._view.set_actions([named(names) for names in _BUTTONS], named(_MORE))
        actions.bind(
            {
                "stepAction": self._on_begin,
                "endSteppingAction": self._stepping.end,
                "pauseSteppingAction": self._stepping.pause,
                "runToCursorAction": self._on_cursor,
                "runToChangeAction": self._on_change,
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
        self._say_outdated()
        actions["pauseSteppingAction"].setEnabled(stepping.is_moving)
        if self._has_keys != stepping.is_open:
            self._has_keys = stepping.is_open
            actions.set_stepping(stepping.is_open)

    def _say_outdated(self) -> None:
        text = ""
        if self._stepping.is_of_old_build:
            words = self.tr("This run is of an earlier build. {begin} begins one of the newest.")
            text = words.format(begin=COMMAND_KEYS.words("stepAction"))
        self._view.show_outdated(text)

    @Slot()
    def _on_begin(self) -> None:
        self._shell.layout.bring_up(self._view)
        self._view.show_problem("")
        self._stepping.begin()

    def _go_to(self, place: StepPlace) -> None:
        """Begins the run of the launch form and goes to the step of a thread."""
        self._shell.layout.bring_up(self._view)
        self._view.show_problem("")
        thread = SimulatedThread(place.thread.block, place.thread.thread)
        self._stepping.begin(thread, StepMove(StepGoal.STEP, thread, step=place.thread.step))

    @Slot()
    def _on_cursor(self) -> None:
        if (line := self._marks.line) is not None:
            self._stepping.move_to_line(line)

    @Slot()
    def _on_change(self) -> None:
        register = self._view.registers.register
        if register:
            self._stepping.move(StepGoal.CHANGE, register=register)
        else:
            self._view.show_problem(self.tr("Select a register in the table first."))

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
            self._on_failed(self.tr("No step of this kernel is kept in the project."))
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
            self._shell.layout.bring_up(self._view)
            self._view.show_problem("")
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
    def _on_recordings_changed(self) -> None:
        self._say_hint()
        self._enable()

    @Slot(object)
    def _on_state(self, state: StepState | None) -> None:
        run = self._stepping.run
        if run is not None:
            self._view.set_config(run.config)
            self._view.memory.set_elements(dict(run.about.elements))
        self._show_recording(state)
        self._view.show_state(state, self._advice)
        self._enable()

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

    @Slot()
    def _on_simulated(self) -> None:
        if self._launches.simulated is not None:
            self._shell.layout.offer("step")

    @Slot(bool)
    def _on_moving(self, _moving: bool) -> None:
        self._enable()

    @Slot(str)
    def _on_failed(self, message: str) -> None:
        self._shell.layout.uncover(self._view)
        self._view.show_problem(message)
        self._enable()

    @Slot(str, int, int)
    def _on_place_activated(self, file: str, line: int, ptx_line: int) -> None:
        if line:
            self._navigator.go_to_source(file, line)
        else:
            self._navigator.go_to(ListingPlace(CodeKind.PTX, *self._stepping.ptx_place(ptx_line)))
