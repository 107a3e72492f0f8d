"""The simulated run of the stepper, the chosen thread, and the breakpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.request import LaunchConfig, LaunchRequest
from jitstudio.core.line_table_paths import spellings
from jitstudio.core.project.project import BreakLine
from jitstudio.gui.services.launch_service import StepService
from jitstudio.gui.services.request_queue import RequestHandle
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.line_origins import UNKNOWN, BuiltLines, origins_of
from jitstudio.simulator.ptx.linking import LinkedLines
from jitstudio.simulator.stepping.requests import (
    Breakpoint,
    MemoryArea,
    MemoryPage,
    RecordingAbout,
    ReplayedRun,
    SimulatedThread,
    StepGoal,
    StepMove,
    StepState,
)


class ShownRun(NamedTuple):
    """A run that is stepped through, or a recording of a run.

    Attributes:
        about: The kernel, the module whose PTX is run, its sources, the element types of buffers.
        config: Blocks and threads.
        ptx: Where the lines of that PTX are in that of its modules.
        recording: The recording that is shown without running; None for a run.
        texts: The sources of a recording, by their names.
        changed: The names of those that were others, or not open, when it was opened.
    """

    about: RecordingAbout
    config: LaunchConfig
    ptx: LinkedLines
    recording: ReplayedRun | None = None
    texts: tuple[tuple[str, str], ...] = ()
    changed: tuple[str, ...] = ()


class Stepping(QObject):
    """Owns the simulated run: begins a run from the launch form, and moves the run.

    Signals:
        state_changed: The state at the step, a `StepState`; None once there is no run.
        moving_changed: Whether it is on its way to a goal.
        breakpoints_changed: There are other breakpoints.
        recorded: A recording has been made: the kernel and its bytes.
        failed: Something cannot be done: the `problem`.
        problem_changed: There is another `problem`, or none any more.
    """

    state_changed = Signal(object)
    moving_changed = Signal(bool)
    breakpoints_changed = Signal()
    recorded = Signal(str, bytes)
    failed = Signal(str)
    problem_changed = Signal(str)

    def __init__(
        self,
        launches: LaunchController,
        documents: Documents,
        service: StepService,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._launches = launches
        self._documents = documents
        self._service = service
        self._state: StepState | None = None
        self._problem = ""
        self._thread = SimulatedThread()
        self._run: ShownRun | None = None
        self._request: LaunchRequest | None = None
        self._is_of_old_build = False
        self._origins: dict[str, BuiltLines] = {}
        self._breakpoints: dict[BreakLine, str] = {}
        self._moving: RequestHandle | None = None
        self._reading: RequestHandle | None = None
        self._next: StepMove | None = None
        self._pending: tuple[SimulatedThread, StepMove | None] | None = None
        self._counts: dict[Document, int] = {}
        launches.config_changed.connect(self._on_launch_changed)
        launches.build_settled.connect(self._on_build_settled)
        documents.renamed.connect(self._on_renamed)
        service.broke.connect(self.refuse)

    @property
    def state(self) -> StepState | None:
        """The state at the current step; None where there is no run."""
        return self._state

    @property
    def is_open(self) -> bool:
        """Whether there is a run."""
        return self._run is not None

    @property
    def is_moving(self) -> bool:
        """Whether the run is moving."""
        return self._moving is not None

    @property
    def run(self) -> ShownRun | None:
        """The shown run."""
        return self._run

    @property
    def recording(self) -> ReplayedRun | None:
        """The recording that is shown; None for a run, or nothing."""
        return self._run.recording if self._run is not None else None

    @property
    def is_of_old_build(self) -> bool:
        """Whether the code of the run is older than the newest build."""
        return self._is_of_old_build and self.is_open and self.recording is None

    @property
    def kernel(self) -> str:
        """The kernel of the run, by launch name."""
        return self._run.about.title if self._run is not None else ""

    @property
    def problem(self) -> str:
        """What a run waits for, or why something cannot be done, for the user; or empty."""
        return self._problem

    def say(self, problem: str) -> None:
        """Sets the problem, until there is another state."""
        self._problem = problem
        self.problem_changed.emit(problem)

    @Slot(str)
    def refuse(self, problem: str) -> None:
        """Says why something cannot be done."""
        self.say(problem)
        self.failed.emit(problem)

    def _tell(self, state: StepState | None) -> None:
        """Reports another state, in which nothing is wrong yet."""
        self._problem = ""
        self.state_changed.emit(state)

    def ptx_place(self, line: int) -> tuple[str, int]:
        """Returns the module of a line of the executed PTX, and the line in that module's PTX."""
        return self._run.ptx.place_of(line) if self._run is not None else ("", line)

    @property
    def breakpoints(self) -> Mapping[BreakLine, str]:
        """The conditions of all breakpoints, by their lines; empty for none."""
        return self._breakpoints

    # The run.

    @Slot()
    def begin(self, thread: SimulatedThread | None = None, move: StepMove | None = None) -> None:
        """Begins the run of the launch form, once the build is done.

        Args:
            thread: The thread to look at; None for the first one.
            move: The first move; None to stay before the first instruction.
        """
        self.say("")
        self._pending = (thread or SimulatedThread(), move)
        self._launches.build_first()
        if awaited := self._launches.awaited_build():
            self.say(awaited)
        else:
            self._begin()

    @Slot()
    def end(self) -> None:
        """Forgets the run; breakpoints stay."""
        self._pending = self._next = None
        if not self.is_open and not self.is_moving:
            return
        self._leave_requests()
        self._run, self._state, self._request = None, None, None
        self._forget_origins()
        self._set_moving(None)
        self._service.end()
        self._tell(None)

    def move(self, goal: StepGoal, *, back: bool = False, register: str = "") -> None:
        """Moves towards a goal; during a move, the request made last comes next."""
        points = self._points(self._breakpoints) if goal is StepGoal.BREAKPOINT else ()
        self._move(StepMove(goal, self._thread, back, points, register))

    def move_to_line(self, line: BreakLine) -> None:
        """Moves until a thread is at a line."""
        points = self._points({line: ""})
        if not points:
            self.refuse(
                self.tr("This line is not in the code that runs: it was edited, or is in no build.")
            )
            return
        self._move(StepMove(StepGoal.CURSOR, self._thread, breakpoints=points))

    @Slot()
    def pause(self) -> None:
        """Stops where the run is now."""
        self._next = None
        if self._moving is not None:
            self._moving.cancel()

    @Slot()
    def record(self) -> None:
        """Records the steps of the thread's block around this step."""
        if self._run is None or self.is_moving or self.recording is not None:
            return
        title = self.kernel
        handle = self._service.record(self._run.about)
        handle.progressed.connect(self._on_progressed)
        handle.failed.connect(self._on_failed)
        handle.dropped.connect(self._on_dropped)

        def take_recording(answer: bytes | Diagnostic) -> None:
            self._set_moving(None)
            # The step that was looked at is shown again.
            self.look_at(self._thread)
            if isinstance(answer, bytes):
                self.recorded.emit(title, answer)
            elif self._moving is not None:
                message = f"{answer.message} {answer.explanation}".strip()
                self._moving.finished.connect(lambda _state: self.refuse(message))

        handle.finished.connect(take_recording)
        self._set_moving(handle)

    def show_recording(self, data: bytes) -> None:
        """Shows a recording in place of the run."""
        self.say("")
        self.end()
        handle = self._service.replay(data)
        handle.finished.connect(self._on_replayed)
        handle.failed.connect(self._on_failed)
        handle.dropped.connect(self._on_dropped)
        self._set_moving(handle)

    def look_at(self, thread: SimulatedThread) -> None:
        """Looks at another thread at the same step."""
        self._thread = thread
        if self.is_open and not self.is_moving:
            self._follow(self._service.look_at(thread))

    @Slot()
    def look_at_line(self) -> None:
        """Finds all accesses of the thread's source line, at the same step."""
        if self.is_open and not self.is_moving:
            self._follow(self._service.look_at(self._thread, whole_line=True))

    def read(
        self, area: MemoryArea, start: int, count: int, take: Callable[[MemoryPage], None]
    ) -> None:
        """Reads memory at the current step for `take`, unless another read comes first."""
        if self._reading is not None:
            self._reading.ignore()
        handle = self._reading = self._service.read(area, self._thread, start, count)

        def taken(answer: MemoryPage | Diagnostic) -> None:
            if isinstance(answer, MemoryPage):
                take(answer)

        handle.finished.connect(taken)

    # Breakpoints.

    def toggle_breakpoint(self, line: BreakLine) -> None:
        """Sets a breakpoint, or removes the breakpoint that is there."""
        if line in self._breakpoints:
            del self._breakpoints[line]
        else:
            self._breakpoints[line] = ""
            self._watch(line)
        self.breakpoints_changed.emit()

    def set_condition(self, line: BreakLine, condition: str) -> None:
        """Sets a breakpoint with a condition; see `Condition.read`."""
        self._breakpoints[line] = condition
        self._watch(line)
        self.breakpoints_changed.emit()

    def set_breakpoints(self, breakpoints: Mapping[BreakLine, str]) -> None:
        """Replaces all breakpoints."""
        self._breakpoints = dict(breakpoints)
        for line in self._breakpoints:
            self._watch(line)
        self.breakpoints_changed.emit()

    def source_line(self) -> tuple[Document, int] | None:
        """Returns the document and the line, from 0, that the thread is at; None for none here."""
        state = self._state
        if state is None or not state.source.line:
            return None
        document = self._document_of(state.source.file)
        if document is None:
            return None
        origins = self._origins.get(document.name)
        line = origins.line(state.source.line - 1) if origins else state.source.line - 1
        return (document, line) if line != UNKNOWN else None

    # How it does it.

    @Slot()
    def _on_launch_changed(self) -> None:
        if self._request is not None:
            self._is_of_old_build = not self._launches.is_of_build(self._request)
        self._begin_pending()

    @Slot(bool)
    def _on_build_settled(self, has_result: bool) -> None:
        if self._pending is not None and not has_result:
            self._pending = None
            self.refuse(self.tr("The build was cancelled. Begin builds again."))
        self._begin_pending()

    def _begin_pending(self) -> None:
        """Begins the run that waits for a build, once there is nothing to wait for."""
        if self._pending is not None and not self._launches.awaited_build():
            self._begin()

    def _begin(self) -> None:
        pending, self._pending = self._pending, None
        assert pending is not None
        launch = self._launches.simulated_launch()
        if isinstance(launch, str):
            self.refuse(launch)
            return
        request = launch.request
        about = RecordingAbout(
            self._launches.kernel,
            launch.ptx.code,
            tuple((source.name, source.content) for source in launch.sources),
            tuple((buffer.name, buffer.element.name) for buffer in request.buffers),
        )
        self._leave_requests()
        self._take(ShownRun(about, request.config, launch.ptx))
        self._request, self._is_of_old_build = request, False
        self._thread, move = pending
        self._next = move
        self._follow(self._service.open(launch.request, self._thread))

    def _leave_requests(self) -> None:
        """Cancels the requests to a run that is shown no more, and hears nothing of them."""
        for handle in (self._moving, self._reading):
            if handle is not None:
                # First: one that has not begun is dropped at once.
                handle.ignore()
                handle.cancel()
        self._reading = None

    def _take(self, run: ShownRun) -> None:
        self._run = run
        self._forget_origins()
        for name, content in run.about.sources:
            document = self._documents.named(name)
            origins = origins_of(document, content) if document is not None else None
            if origins is not None:
                self._origins[name] = origins

    @Slot(object)
    def _on_replayed(self, answer: ReplayedRun | Diagnostic) -> None:
        if isinstance(answer, ReplayedRun):
            config = LaunchConfig(answer.grid, answer.block)
            sources = answer.about.sources
            texts = tuple((name, data.decode("utf-8", "replace")) for name, data in sources)
            changed = tuple(name for name, text in texts if not self._is_open(name, text))
            ptx = LinkedLines(answer.about.module)
            self._take(ShownRun(answer.about, config, ptx, answer, texts, changed))
            self._on_finished(answer.state)
        else:
            self._on_finished(answer)

    def _move(self, move: StepMove) -> None:
        if not self.is_open:
            self.begin(self._thread, move if move.goal is StepGoal.BREAKPOINT else None)
        elif self.is_moving:
            self._next = move
        else:
            self._follow(self._service.move(move))

    def _follow(self, handle: RequestHandle) -> None:
        handle.progressed.connect(self._on_progressed)
        handle.finished.connect(self._on_finished)
        handle.failed.connect(self._on_failed)
        handle.dropped.connect(self._on_dropped)
        self._set_moving(handle)

    def _set_moving(self, handle: RequestHandle | None) -> None:
        was = self.is_moving
        self._moving = handle
        if was != self.is_moving:
            self.moving_changed.emit(self.is_moving)

    @Slot(object)
    def _on_progressed(self, state: StepState) -> None:
        self._state = state
        self._tell(state)

    @Slot(object)
    def _on_finished(self, answer: StepState | Diagnostic) -> None:
        self._set_moving(None)
        if isinstance(answer, Diagnostic):
            self._next = None
            if self._state is None:
                self._run = None
                self._tell(None)
            self.refuse(f"{answer.message} {answer.explanation}".strip())
            return
        self._state, self._thread = answer, answer.thread
        self._tell(answer)
        move, self._next = self._next, None
        if move is not None:
            self._move(move)

    @Slot(str)
    def _on_failed(self, _message: str) -> None:
        self._set_moving(None)
        self._next = None
        if self._state is None:
            self._run = None
            self._tell(None)

    @Slot()
    def _on_dropped(self) -> None:
        self._set_moving(None)

    def _points(self, lines: Mapping[BreakLine, str]) -> tuple[Breakpoint, ...]:
        """Returns breakpoints in the lines of the run; lines that the run lacks are left out."""
        points = []
        for place, condition in lines.items():
            if place.is_ptx:
                line = self._run.ptx.line_of(place.name, place.line) if self._run else None
                if line is not None:
                    points.append(Breakpoint(line, (), condition))
                continue
            document = self._documents.named(place.name)
            origins = self._origins.get(place.name)
            if document is None:
                continue
            built = origins.built_line(place.line - 1) if origins else place.line - 1
            if built != UNKNOWN:
                folder = str(document.path.parent) if document.path else ""
                files = tuple(spellings(document.name, folder))
                points.append(Breakpoint(built + 1, files, condition))
        return tuple(points)

    def _is_open(self, name: str, text: str) -> bool:
        """Returns whether an open document has the name and the lines."""
        document = self._documents.named(name)
        now = document.text.toPlainText() if document and document.text else None
        return now is not None and now.splitlines() == text.splitlines()

    def _document_of(self, file: str) -> Document | None:
        for document in self._documents:
            folder = str(document.path.parent) if document.path else ""
            if file in spellings(document.name, folder):
                return document
        return None

    def _forget_origins(self) -> None:
        for origins in self._origins.values():
            origins.deleteLater()
        self._origins = {}

    def _watch(self, line: BreakLine) -> None:
        """Has the breakpoints of a document move with the lines."""
        document = None if line.is_ptx else self._documents.named(line.name)
        if document is None or document.text is None or document in self._counts:
            return
        text = document.text
        self._counts[document] = text.blockCount()

        def moved(position: int, _removed: int, _added: int) -> None:
            count = text.blockCount()
            by, self._counts[document] = count - self._counts[document], count
            if by:
                block = text.findBlock(position)
                at_start = position == block.position() and by > 0
                self._shift(document.name, block.blockNumber() + (0 if at_start else 1), by)

        text.contentsChange.connect(moved)

    @Slot(Document, str)
    def _on_renamed(self, document: Document, before: str) -> None:
        """Keeps the breakpoints of a document that is called otherwise now."""
        self._breakpoints = {
            replace(at, name=document.name) if at.name == before else at: condition
            for at, condition in self._breakpoints.items()
        }
        self.breakpoints_changed.emit()

    def _shift(self, name: str, edited: int, by: int) -> None:
        """Moves breakpoints below an edit, from 0; breakpoints of removed lines are removed."""
        moved: dict[BreakLine, str] = {}
        for place, condition in self._breakpoints.items():
            here = place
            if not place.is_ptx and place.name == name and place.line > edited:
                if place.line + by <= edited and by < 0:
                    continue
                here = replace(place, line=place.line + by)
            moved[here] = condition
        if moved != self._breakpoints:
            self._breakpoints = moved
            self.breakpoints_changed.emit()
