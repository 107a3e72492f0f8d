"""The values that matter at a step: operands, results, variables, changed registers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from jitstudio.core.diagnostics import Fix, FixKind
from jitstudio.gui.features.step.registers import ValueFormat, lane_value
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.simulator.stepping.requests import RegisterRow, StepState

_CODE_SIZE = 9.5
# The address of ``ld.shared.f32 %f5, [%r22+128]``.
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_READS = QT_TRANSLATE_NOOP("NowView", "reads")
_ACCESSES = QT_TRANSLATE_NOOP("NowView", "accesses")
_GIVES = QT_TRANSLATE_NOOP("NowView", "gives")
_CHANGED = QT_TRANSLATE_NOOP("NowView", "changed")
_VARIABLE = QT_TRANSLATE_NOOP("NowView", "variable")


class NowRow(NamedTuple):
    """A value at a step.

    Attributes:
        use: What the instruction does with it, or why it is listed; to be translated.
        name: The register, variable or address.
        type: As it is declared.
        value: In the thread that is looked at.
        tip: The value in all spellings.
    """

    use: str
    name: str
    type: str
    value: str
    tip: str = ""


def now_rows(state: StepState, spell: Callable[[str], str] = str) -> tuple[NowRow, ...]:
    """Returns the values that matter at a step, operands of the instruction first.

    Args:
        state: The state at the step.
        spell: Returns a text with names as people write them.
    """
    lane = state.lane

    def rows(use: str, registers: tuple[RegisterRow, ...]) -> Iterator[NowRow]:
        for row in registers:
            ways = (
                f"{QCoreApplication.translate('ValueFormat', how.value)}: "
                f"{lane_value(row, lane, how)}"
                for how in ValueFormat
            )
            kind = row.spelling or row.type
            yield NowRow(use, row.name, kind, lane_value(row, lane), "\n".join(ways))

    def changed(registers: tuple[RegisterRow, ...]) -> tuple[RegisterRow, ...]:
        return tuple(row for row in registers if row.changed >> lane & 1)

    listed = list(rows(_READS, state.reads))
    if state.touched and state.access is not None:
        brackets = _BRACKETS.search(state.instruction)
        address = brackets[0] if brackets else ""
        kind = state.access.space.value
        listed.append(NowRow(_ACCESSES, address, kind, spell(state.touched)))
    listed += rows(_GIVES, state.results)
    new = changed(state.variables)
    listed += rows(_CHANGED, new)
    read = {row.name for row in state.reads}
    listed += rows(_CHANGED, tuple(r for r in changed(state.registers) if r.name not in read))
    listed += rows(_VARIABLE, tuple(row for row in state.variables if row not in new))
    return tuple(listed)


_COLUMNS: tuple[TableColumn[NowRow], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Use"),
        lambda row: QCoreApplication.translate("NowView", row.use),
    ),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Name"), lambda row: row.name),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Type"), lambda row: row.type),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Value"),
        lambda row: row.value,
        tooltip=lambda row: row.tip or row.value,
    ),
)


class NowView(QWidget):
    """The values that matter at a step, and builds that would show more values.

    Signals:
        fix_requested: The user wants a build with another option.
    """

    fix_requested = Signal(Fix)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stepNow")
        self.table = RowsTable(self.tr("Now"), "stepNowTable", _COLUMNS, self, is_sortable=False)
        show_as_code(self.table, _CODE_SIZE)
        self.table.set_columns(stretched=3, widths={0: 9, 1: 13, 2: 8})
        self.table.set_hint(self.tr("The thread executes nothing here."))
        self.table.add_copying()
        self._lines = self._button(
            "buildWithLines",
            self.tr("Build with -l&ineinfo"),
            self.tr("Build with line tables, so that lines of the source are stepped through"),
            "-lineinfo",
        )
        self._debug = self._button(
            "buildForDebuggers",
            self.tr("Build with -&G"),
            self.tr("Build without optimisation and with variables, then step again"),
            "-G",
        )
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 6, 8, 6)
        bar.addWidget(self._lines)
        bar.addWidget(self._debug)
        bar.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.table, 1)
        column.addLayout(bar)
        self.setFocusProxy(self.table)

    def show_state(self, state: StepState, spell: Callable[[str], str]) -> None:
        """Shows a step."""
        self.table.set_rows(now_rows(state, spell))
        self._debug.setVisible(not state.has_names and not state.variables)
        self._lines.setVisible(bool(state.ptx_line) and not state.source.line)

    def _button(self, name: str, text: str, tip: str, option: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(name)
        button.setToolTip(tip)
        button.clicked.connect(lambda: self._ask(option))
        return button

    @Slot(str)
    def _ask(self, option: str) -> None:
        self.fix_requested.emit(Fix(option, FixKind.ADD_OPTION, option))
