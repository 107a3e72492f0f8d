"""The Step pane: the place of the thread, registers, other threads, memory, and the access."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QScrollArea,
    QSpinBox,
    QStackedLayout,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.diagnostics import Fix
from jitstudio.core.launch.device import Dim3, linear_index, xyz_of
from jitstudio.core.launch.request import LaunchConfig
from jitstudio.gui.features.step.accesses import AccessesView
from jitstudio.gui.features.step.lanes import LaneStrip
from jitstudio.gui.features.step.memory import MemoryView
from jitstudio.gui.features.step.now import NowView
from jitstudio.gui.features.step.recorded_text import RecordedTextView
from jitstudio.gui.features.step.registers import ValuesView
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.lazy_widget import hint_label
from jitstudio.gui.kit.parts import FieldName, ShorteningLabel, mark_as, muted, show_tip, text_label
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.simulator.stepping.requests import (
    CallRow,
    GroupRow,
    SimulatedThread,
    StepState,
    StopReason,
    ThreadState,
)

_Row = TypeVar("_Row")
WARP = 32
_CODE_SIZE = 9.5
_MOST_BLOCKS = 2**31 - 1

_REASONS = {
    StopReason.BREAKPOINT: QT_TRANSLATE_NOOP("StepView", "Stopped at a breakpoint"),
    StopReason.CURSOR: QT_TRANSLATE_NOOP("StepView", "Stopped at the line of the cursor"),
    StopReason.ACCESS: QT_TRANSLATE_NOOP("StepView", "Stopped before an access to memory"),
    StopReason.BARRIER: QT_TRANSLATE_NOOP("StepView", "Stopped at a barrier"),
    StopReason.DIVERGENCE: QT_TRANSLATE_NOOP("StepView", "Lanes of the warp have diverged"),
    StopReason.CHANGE: QT_TRANSLATE_NOOP("StepView", "The register has changed"),
    StopReason.ENDED: QT_TRANSLATE_NOOP("StepView", "The thread has ended"),
    StopReason.END: QT_TRANSLATE_NOOP("StepView", "The run has ended"),
    StopReason.START: QT_TRANSLATE_NOOP("StepView", "This is the start"),
    StopReason.FAULT: QT_TRANSLATE_NOOP("StepView", "A thread has faulted"),
    StopReason.FIRST: QT_TRANSLATE_NOOP("StepView", "There is no earlier step"),
    StopReason.LAST: QT_TRANSLATE_NOOP("StepView", "There is no later step"),
}
_STATES = {
    ThreadState.RUNS: QT_TRANSLATE_NOOP("StepView", "runs"),
    ThreadState.WAITS: QT_TRANSLATE_NOOP("StepView", "waits"),
    ThreadState.ENDED: QT_TRANSLATE_NOOP("StepView", "has ended"),
    ThreadState.ABSENT: QT_TRANSLATE_NOOP("StepView", "is not resident"),
}


def index_text(index: Dim3) -> str:
    """Returns x, y and z in parentheses."""
    return f"({', '.join(map(str, index))})"


def _place_text(file: str, line: int, ptx_line: int) -> str:
    return f"{PurePath(file).name}:{line}" if line else f"PTX:{ptx_line}"


def group_columns(spell: Callable[[str], str]) -> tuple[TableColumn[GroupRow], ...]:
    """Returns the columns of the threads.

    Args:
        spell: Returns a text with names as people write them.
    """
    return (
        TableColumn(
            QT_TRANSLATE_NOOP("Columns", "Threads"),
            lambda row: f"{row.threads:,}",
            lambda row: row.threads,
            number=True,
        ),
        TableColumn(
            QT_TRANSLATE_NOOP("Columns", "State"),
            lambda row: QCoreApplication.translate("StepView", _STATES[row.state]),
        ),
        TableColumn(
            QT_TRANSLATE_NOOP("Columns", "Line"),
            lambda row: _place_text(row.source.file, row.source.line, row.ptx_line),
        ),
        TableColumn(
            QT_TRANSLATE_NOOP("Columns", "Instruction"), lambda row: spell(row.instruction)
        ),
        TableColumn(
            QT_TRANSLATE_NOOP("Columns", "First thread"),
            lambda row: f"{index_text(row.first.block)} {index_text(row.first.thread)}",
        ),
    )


def call_columns(spell: Callable[[str], str]) -> tuple[TableColumn[CallRow], ...]:
    """Returns the columns of the call stack.

    Args:
        spell: Returns a text with names as people write them.
    """
    return (
        TableColumn(
            QT_TRANSLATE_NOOP("Columns", "Function"),
            lambda row: spell(row.function),
            tooltip=lambda row: "\n".join(dict.fromkeys((spell(row.function), row.function))),
        ),
        TableColumn(
            QT_TRANSLATE_NOOP("Columns", "Line"),
            lambda row: _place_text(row.source.file, row.source.line, row.ptx_line),
        ),
    )


class StepView(QWidget):
    """The pane, with a hint while there is no run.

    Signals:
        thread_chosen: The user wants to look at another thread.
        place_activated: The user went to a line: file, line, line of the PTX.
        fix_requested: The user wants a build with another option.
        line_wanted: All accesses of the source line are to be found.
    """

    line_wanted = Signal()
    thread_chosen = Signal(object)
    place_activated = Signal(str, int, int)
    fix_requested = Signal(Fix)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stepView")
        self._config = LaunchConfig()
        self._state: StepState | None = None
        self._speller: Callable[[str], str] = str
        self._hint = hint_label(self, "stepHint", "")
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._hint)

    def fill(self) -> Iterator[None]:
        """Makes all but the hint, in parts that keep no window waiting."""
        # In the order in which Tab goes through them.
        self._thread_label = ShorteningLabel(self)
        self._buttons = QHBoxLayout()
        self._block, self._warp, self._lane = (QSpinBox(self) for _ in range(3))
        self.lanes = LaneStrip(self)
        self.tabs = QTabWidget(self)
        self.now = NowView(self)
        self.registers = ValuesView(
            "stepRegister",
            self.tr("Register"),
            self.tr("Registers"),
            self.tr("Filter registers"),
            8,
            self,
        )
        self.registers.table.set_hint(
            self.tr("This thread is in no function, so it has no registers.")
        )
        self.variables = ValuesView(
            "stepVariable",
            self.tr("Variable"),
            self.tr("Variables"),
            self.tr("Filter variables"),
            18,
            self,
        )
        yield
        self.memory = MemoryView(self)
        self._where = ShorteningLabel(self)
        self._step_label = text_label(self, "stepNumber")
        self._thinned = text_label(self, "stepThinned")
        self._thinned.setText(self.tr("Going back far takes longer: the history is at its limit."))
        self._thinned.hide()
        self._reason = text_label(self, "stepReason")
        self._recording = text_label(self, "stepRecording")
        self.texts = RecordedTextView(self)
        self._problem = mark_as(text_label(self, "stepProblem"), "error")
        self._outdated = mark_as(text_label(self, "stepOutdated"), "warning")
        self._outdated.hide()
        self._console = text_label(self, "stepConsole")
        self.groups = self._table(
            self.tr("Threads by place"),
            "stepGroups",
            group_columns(self._spell),
            3,
            {0: 9, 1: 8, 2: 20, 4: 24},
        )
        self.calls = self._table(
            self.tr("Call stack"), "stepCalls", call_columns(self._spell), 0, {1: 20}
        )
        self.groups.hide_when_narrow(4, 2)
        yield
        self.accesses = AccessesView(self)
        yield
        self._lay_out()
        self._connect()
        self.show_recording("")
        self.show_state(None)

    def set_actions(self, groups: list[list[QAction]], more: list[QAction]) -> None:
        """Shows commands as buttons, and rarer commands in a menu."""
        for actions in groups:
            for action in actions:
                button = QToolButton(self)
                button.setDefaultAction(action)
                button.setAutoRaise(True)
                button.setAccessibleName(action.iconText())
                self._buttons.addWidget(button)
            self._buttons.addSpacing(8)
        button = QToolButton(self)
        button.setObjectName("stepMore")
        button.setText(self.tr("More"))
        button.setToolTip(self.tr("Other places to run to"))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.addActions(more)
        button.setMenu(menu)
        self._buttons.addWidget(button)
        self._buttons.addStretch(1)

    def spell_by(self, speller: Callable[[str], str]) -> None:
        """Shows names in the spelling of `speller`; called again once more names are known."""
        self._speller = speller
        self.memory.spell_by(speller)
        for table in (self.calls, self.groups):
            table.viewport().update()
        if self._state is not None:
            self._show_words(self._state)

    def set_hint(self, text: str) -> None:
        """Sets the hint for when there is no run."""
        self._hint.setText(text)

    def set_config(self, config: LaunchConfig) -> None:
        """Says how many blocks and threads there are."""
        self._config = config
        warps = -(-config.threads_per_block // WARP)
        for box, most in (
            (self._block, min(config.blocks, _MOST_BLOCKS) - 1),
            (self._warp, warps - 1),
            (self._lane, min(WARP, config.threads_per_block) - 1),
        ):
            with QSignalBlocker(box):
                box.setRange(0, most)

    def show_recording(self, text: str) -> None:
        """Names the shown recording; an empty text for none."""
        self._recording.setText(text)
        self._recording.setVisible(bool(text))
        self.tabs.setTabVisible(self.tabs.indexOf(self.texts), bool(text))

    def show_problem(self, text: str) -> None:
        """Shows a problem; nothing for an empty text."""
        self._problem.setText(text)
        self._problem.setVisible(bool(text))
        if self._state is None and text:
            self._hint.setText(text)

    def show_outdated(self, text: str) -> None:
        """Tells that the running code is older than the build; nothing for an empty text."""
        self._outdated.setText(text)
        self._outdated.setVisible(bool(text))

    def show_state(
        self, state: StepState | None, advice: Callable[[int], str] = lambda _line: ""
    ) -> None:
        """Shows a step; None where there is no run.

        Args:
            state: The state there.
            advice: Returns a cheaper way for the access at a line of the PTX; empty for none.
        """
        self._state = state
        self._stack.setCurrentIndex(0 if state is None else 1)
        self._problem.clear()
        self._problem.hide()
        if state is None:
            self.memory.show_state(None)
            return
        self._show_numbers(state)
        self._show_words(state)
        if state.moving:
            return
        self.lanes.show_state(state)
        self.now.show_state(state, self._spell)
        self.registers.show_rows(state.registers, state.lane)
        self.variables.table.set_hint(
            self.tr("No variable is in scope here.")
            if state.has_names
            else self.tr("Variables have names in a build for debuggers: see Now.")
        )
        self.variables.show_rows(state.variables, state.lane)
        self.groups.set_rows(state.groups)
        self.calls.set_rows(state.calls)
        self._console.setText(state.printed or self.tr("The kernel has printed nothing yet."))
        self.accesses.show_state(state, advice)
        self.memory.show_state(state)
        self._ask_for_line()

    # How it does it.

    @Slot()
    def _ask_for_line(self) -> None:
        state = self._state
        if state is None or state.moving or state.line_accesses is not None:
            return
        if self.tabs.currentWidget() is self.accesses:
            self.line_wanted.emit()

    def _spell(self, text: str) -> str:
        return self._speller(text)

    def _table(
        self,
        name: str,
        object_name: str,
        columns: tuple[TableColumn[_Row], ...],
        stretched: int,
        widths: dict[int, int],
    ) -> RowsTable[_Row]:
        table = RowsTable(name, object_name, columns, self, is_sortable=False)
        show_as_code(table, _CODE_SIZE)
        table.set_columns(stretched, widths)
        return table

    def _lay_out(self) -> None:
        numbers = QHBoxLayout()
        numbers.setSpacing(6)
        for text, box, name in (
            (self.tr("Bloc&k"), self._block, "stepBlock"),
            (self.tr("&Warp"), self._warp, "stepWarp"),
            (self.tr("La&ne"), self._lane, "stepLane"),
        ):
            label = FieldName(text, box, self)
            box.setObjectName(name)
            box.setAccessibleName(text.replace("&", ""))
            box.setKeyboardTracking(False)
            numbers.addWidget(label)
            numbers.addWidget(box)
        numbers.addWidget(self._thread_label, 1)
        muted(self._thread_label)
        show_as_code(self._where, _CODE_SIZE)
        muted(self._step_label)
        for title, widget in (
            (self.tr("Now"), self.now),
            (self.tr("Registers"), self.registers),
            (self.tr("Variables"), self.variables),
            (self.tr("Threads"), self._with_calls()),
            (self.tr("Memory"), self.memory),
            (self.tr("Access"), self.accesses),
            (self.tr("Printed"), self._console_page()),
            (self.tr("Recorded text"), self.texts),
        ):
            self.tabs.addTab(widget, title)
        self.tabs.setObjectName("stepTabs")
        self.tabs.setAccessibleName(self.tr("State at this step"))
        self.tabs.setDocumentMode(True)
        head = QVBoxLayout()
        head.setContentsMargins(10, 6, 10, 6)
        head.setSpacing(6)
        self._buttons.setSpacing(1)
        place = QHBoxLayout()
        place.addWidget(self._where, 1)
        self._step_label.setWordWrap(False)
        place.addWidget(self._step_label)
        for row in (self._buttons, numbers):
            head.addLayout(row)
        for widget in (self._recording, self._outdated, self.lanes):
            head.addWidget(widget)
        head.addLayout(place)
        for widget in (self._reason, self._problem, self._thinned):
            head.addWidget(widget)
        page = QWidget(self)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.tabs, 1)
        self._stack.addWidget(page)
        self.setFocusProxy(self.tabs)

    def _with_calls(self) -> QWidget:
        page = QWidget(self)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.groups, 3)
        column.addWidget(self.calls, 2)
        page.setFocusProxy(self.groups)
        return page

    def _console_page(self) -> QWidget:
        scroll = QScrollArea(self)
        scroll.setAccessibleName(self.tr("What the kernel has printed"))
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        self._console.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._console.setMargin(10)
        self._console.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        show_as_code(self._console, _CODE_SIZE)
        scroll.setWidget(self._console)
        return scroll

    def _connect(self) -> None:
        self.now.fix_requested.connect(self.fix_requested)
        self.tabs.currentChanged.connect(self._ask_for_line)
        for box in (self._block, self._warp, self._lane):
            box.valueChanged.connect(self._on_thread_chosen)
        self.lanes.lane_chosen.connect(self._lane.setValue)
        self.groups.add_activation(
            self.tr("&Look at its first thread"), lambda row: self.thread_chosen.emit(row.first)
        )
        self.calls.add_activation(self.tr("&Go to the line"), self._on_call_activated)
        for table in (self.groups, self.calls):
            table.add_copying()

    def _show_numbers(self, state: StepState) -> None:
        block = linear_index(state.thread.block, self._config.grid)
        for box, value in (
            (self._block, block),
            (self._warp, state.warp),
            (self._lane, state.lane),
        ):
            with QSignalBlocker(box):
                box.setValue(value)
        words = self.tr("block {block}, thread {thread}, {state}")
        self._thread_label.setText(
            words.format(
                block=index_text(state.thread.block),
                thread=index_text(state.thread.thread),
                state=QCoreApplication.translate("StepView", _STATES[state.state]),
            )
        )

    def _show_words(self, state: StepState) -> None:
        where = ""
        if state.ptx_line:
            place = _place_text(state.source.file, state.source.line, state.ptx_line)
            where = f"{place}  {self._spell(state.instruction)}"
        self._where.setText(where)
        show_tip(self._where, where)
        words = self.tr("Step {step:,} of {last:,}")
        if state.moving:
            words = self.tr("Running: step {step:,}, furthest {last:,}")
        elif not state.ended:
            words = self.tr("Step {step:,}, furthest {last:,}")
        self._step_label.setText(words.format(step=state.step, last=state.last_step))
        self._thinned.setVisible(state.is_thinned)
        reason = _REASONS.get(state.reason, "")
        parts = [QCoreApplication.translate("StepView", reason)] if reason else []
        parts += [self._spell(text) for text in (state.note, state.ended) if text]
        self._reason.setText(": ".join(parts) if not state.moving else "")
        self._reason.setVisible(bool(parts) and not state.moving)

    @Slot()
    def _on_thread_chosen(self) -> None:
        config = self._config
        linear = self._warp.value() * WARP + self._lane.value()
        linear = min(linear, config.threads_per_block - 1)
        thread = SimulatedThread(
            xyz_of(self._block.value(), config.grid), xyz_of(linear, config.block)
        )
        self.thread_chosen.emit(thread)

    def _on_call_activated(self, row: CallRow) -> None:
        self.place_activated.emit(row.source.file, row.source.line, row.ptx_line)
