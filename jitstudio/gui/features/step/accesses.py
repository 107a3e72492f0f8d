"""The accesses of a source line: a list for the warp, and a picture of the chosen access."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QVBoxLayout, QWidget

from jitstudio.core.launch.simulation import AccessSample, StateSpace
from jitstudio.gui.kit.access_picture import AccessPicture, access_kind, access_text, texels_text
from jitstudio.gui.kit.fonts import follow_letters
from jitstudio.gui.kit.parts import text_label
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.simulator.stepping.requests import StepState

# Instructions that access memory, and have no picture.
_TEXELS = ("tex", "tld4", "suld", "sust")
_NOT_DRAWN = ("cp", "ldmatrix", "stmatrix", "mbarrier", "wmma", "wgmma")
_MOST_LINES = 5


def _opcode(instruction: str) -> str:
    """Returns the opcode of an instruction, without guard and modifiers."""
    words = [word for word in instruction.split() if not word.startswith("@")]
    return words[0].split(".")[0].rstrip(";") if words else ""


def _cost_text(sample: AccessSample) -> str:
    return f"{sample.cost:,} {_unit(sample.space)}"


def _unit(space: StateSpace) -> str:
    word = _WAVEFRONTS if space is StateSpace.SHARED else _SECTORS
    return QCoreApplication.translate("StepAccesses", word)


_WAVEFRONTS = QT_TRANSLATE_NOOP("StepAccesses", "passes")
_SECTORS = QT_TRANSLATE_NOOP("StepAccesses", "sectors")
_COLUMNS: tuple[TableColumn[AccessSample], ...] = (
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Access"), access_kind),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "PTX line"),
        lambda row: f"{row.ptx_line:,}",
        lambda row: row.ptx_line,
        number=True,
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Cost"), _cost_text, lambda row: row.cost, number=True
    ),
)


class AccessesView(QWidget):
    """All accesses of the warp at the source line, and the picture of the chosen access."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stepAccesses")
        self._advice: Callable[[int], str] = lambda _line: ""
        self._line = text_label(self, "stepLineAccesses")
        self.table = RowsTable(
            self.tr("Accesses of the line"), "stepAccessTable", _COLUMNS, self, is_sortable=False
        )
        self.table.set_columns(stretched=0, widths={1: 9, 2: 16})
        self.table.add_copying()
        self._text = text_label(self, "stepAccess")
        self.picture = AccessPicture()
        scroll = QScrollArea(self)
        scroll.setAccessibleName(self.tr("Access of the warp"))
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        inner = QWidget(scroll)
        below = QVBoxLayout(inner)
        below.setContentsMargins(10, 8, 10, 8)
        below.addWidget(self._text)
        below.addWidget(self.picture)
        below.addStretch(1)
        scroll.setWidget(inner)
        parts = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        parts.addWidget(self.table)
        parts.addWidget(scroll)
        parts.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._line.setMargin(8)
        column.addWidget(self._line)
        column.addWidget(parts, 1)
        self.table.selectionModel().currentRowChanged.connect(self._show_chosen)
        follow_letters(self, AccessesView._fit)
        self.setFocusProxy(self.table)

    def show_state(self, state: StepState, advice: Callable[[int], str]) -> None:
        """Shows the accesses of the line at a step; until known, the access of the instruction.

        Args:
            state: The state there.
            advice: Returns a cheaper way for the access at a line of the PTX; empty for none.
        """
        self._advice = advice
        here = state.access
        samples = state.line_accesses or ((here,) if here is not None else ())
        self.table.set_rows(samples)
        self.table.setVisible(len(samples) > 1)
        self._line.setText(self._line_words(state.source.line, samples))
        self._line.setVisible(len(samples) > 1)
        self._fit()
        if not samples:
            self.picture.show_access(None)
            self.picture.hide()
            self._text.setText(self._no_access(state))
            return
        lanes = here.lanes if here is not None else ()
        lines = [s.ptx_line for s in samples]
        if here is not None and here.ptx_line in lines:
            at = next(
                (
                    n
                    for n, s in enumerate(samples)
                    if (s.ptx_line, s.lanes) == (here.ptx_line, lanes)
                ),
                lines.index(here.ptx_line),
            )
        else:
            at = max(range(len(samples)), key=lambda n: samples[n].cost)
        self.table.choose(at)
        self._show(samples[at])

    def _show_chosen(self) -> None:
        if (sample := self.table.current) is not None:
            self._show(sample)

    def _show(self, sample: AccessSample) -> None:
        self._text.setText(f"{access_text(sample)} {self._advice(sample.ptx_line)}".strip())
        self.picture.show_access(sample)
        self.picture.show()

    def _line_words(self, line: int, samples: tuple[AccessSample, ...]) -> str:
        """Returns the sum of all accesses of a line."""
        counts: Counter[str] = Counter(map(access_kind, samples))
        costs: Counter[str] = Counter()
        for sample in samples:
            costs[f"{access_kind(sample)}\0{_unit(sample.space)}"] += sample.cost
        parts = [
            f"{counts[kind]} x {kind}: {cost:,} {unit}"
            for (kind, unit), cost in ((key.split("\0"), cost) for key, cost in costs.items())
        ]
        words = self.tr("Line {line:,}: {parts}") if line else "{parts}"
        return words.format(line=line, parts="; ".join(parts)) + "."

    def _no_access(self, state: StepState) -> str:
        opcode = _opcode(state.instruction)
        if opcode in _TEXELS:
            return texels_text()
        if opcode in _NOT_DRAWN:
            return self.tr("The accesses of {opcode} are not drawn.").format(opcode=opcode)
        return self.tr(
            "The warp reads and writes no memory here. If it does, by a load, a store or an "
            "atomic, its accesses are drawn."
        )

    def _fit(self) -> None:
        rows = min(len(self.table.rows), _MOST_LINES) + 1
        self.table.setMaximumHeight((rows + 1) * self.table.verticalHeader().defaultSectionSize())
