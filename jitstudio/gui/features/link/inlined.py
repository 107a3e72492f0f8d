"""The calls that an LTO link inlined, a row a call; each cell leads to the named code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from threading import Event

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from jitstudio.analysis.correlation.inlined import Inlined, Inlining, inlining
from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.diagnostics import Fix, FixKind
from jitstudio.core.request import LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.gui.kit.parts import text_label
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.gui.kit.tables import ENTER_KEYS
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.lowered_names import LoweredNames
from jitstudio.gui.state.outputs import Outputs
from jitstudio.listing.lines import split_at_newlines


@dataclass(frozen=True)
class InlinedRow:
    """A function that was inlined.

    Attributes:
        inlined: Where from and where to.
        function: Its name in C++; empty where the line table does not say.
        into: That of the kernel or function that it is in now.
    """

    inlined: Inlined
    function: str
    into: str


def calls_text(row: InlinedRow) -> str:
    """Returns the call, then the calls around, such as ``helpers.cu:2, kernel.cu:12``."""
    return ", ".join(f"{PurePath(call.file).name}:{call.line}" for call in row.inlined.calls)


INLINED_COLUMNS: tuple[TableColumn[InlinedRow], ...] = (
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Inlined"), lambda row: row.function or "—"),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Into"), lambda row: row.into),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Called at"), calls_text),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "PTX instructions"),
        lambda row: f"{row.inlined.instructions:,}",
        number=True,
    ),
)
"""The function leads to its source, where it is now to the PTX, and the call to its line."""
FUNCTION, INTO, CALL = range(3)


class InlinedList(QWidget):
    """A table of inlined calls, and below, the functions without line table.

    Attributes:
        table: The table.

    Signals:
        location_activated: The user went to a function or a call in the source: file, line.
        ptx_line_activated: The user went to this line of the linked PTX.
        fix_requested: The user wants a build with another option.
    """

    location_activated = Signal(str, int)
    ptx_line_activated = Signal(int)
    fix_requested = Signal(Fix)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = self._make_table()
        self._untold = text_label(self, "inlinedUntold")
        self._untold.setContentsMargins(8, 4, 8, 6)
        self._with_lines = QPushButton(self.tr("Build with line &tables"), self)
        self._with_lines.setObjectName("buildWithLines")
        self._with_lines.setToolTip(self.tr("Add -lineinfo to the options"))
        self._with_lines.clicked.connect(self._on_lines_wanted)
        self._with_lines.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._untold)
        layout.addWidget(self._with_lines, 0, Qt.AlignmentFlag.AlignLeft)

    @property
    def rows(self) -> tuple[InlinedRow, ...]:
        """The listed calls."""
        return self.table.rows

    @property
    def untold(self) -> str:
        """The sentence about the functions without line table; empty if there are none."""
        return self._untold.text()

    def show_rows(self, rows: tuple[InlinedRow, ...], untold: tuple[str, ...]) -> None:
        """Lists the inlined calls, and names the functions that have no line table."""
        self.table.set_rows(rows)
        text = self.tr("What was inlined into {functions} is not known: there is no line table.")
        self._untold.setText(text.format(functions=", ".join(untold)) if untold else "")
        for part in (self._untold, self._with_lines):
            part.setVisible(bool(untold))

    @Slot()
    def _on_lines_wanted(self) -> None:
        self.fix_requested.emit(Fix(self._with_lines.text(), FixKind.ADD_OPTION, "-lineinfo"))

    def _make_table(self) -> RowsTable[InlinedRow]:
        name = self.tr("Inlined by the link")
        table = RowsTable(name, "inlinedTable", INLINED_COLUMNS, self, is_sortable=False)
        table.set_columns(stretched=2, widths={0: 12, 1: 14, 3: 10})
        table.hide_when_narrow(3, least=14)
        table.set_hint(self.tr("The link inlined nothing that is left in the code."))
        table.clicked.connect(self._on_clicked)
        call, function = self.tr("Go to the &call"), self.tr("Go to the &function")
        table.add_row_command(call, self._go_to_call, *ENTER_KEYS)
        table.add_row_command(function, self._go_to_function, "Ctrl+Return")
        table.add_row_command(self.tr("Show in &PTX"), self._show_ptx, "Shift+Return")
        table.add_copying()
        return table

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        go_to = {FUNCTION: self._go_to_function, INTO: self._show_ptx}
        if (row := self.table.current) is not None:
            go_to.get(index.column(), self._go_to_call)(row)

    def _go_to_call(self, row: InlinedRow) -> None:
        self.location_activated.emit(*row.inlined.calls[0])

    def _go_to_function(self, row: InlinedRow) -> None:
        self.location_activated.emit(*row.inlined.place)

    def _show_ptx(self, row: InlinedRow) -> None:
        self.ptx_line_activated.emit(row.inlined.ptx_line)


class InlinedController(QObject):
    """Reads the PTX of the link, and shows the list while there is some."""

    def __init__(
        self,
        lowered_names: LoweredNames,
        outputs: Outputs,
        settings: BuildSettings,
        view: InlinedList,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._settings = settings
        self._outputs = outputs
        self._ptx: bytes | None = None
        self._inlining = Inlining((), ())
        self._reading = Background(self)
        self._reading.done.connect(self._on_read)
        self._names = lowered_names
        self._names.learnt.connect(self._show)
        outputs.result_changed.connect(self._on_result_changed)
        settings.link_changed.connect(self._on_result_changed)
        self._on_result_changed()

    @Slot()
    def _on_result_changed(self) -> None:
        result = shown_link(self._settings, self._outputs)
        # None but of LTO links, and of builds that failed.
        artifact = result.artifact(CodeKind.PTX, LINKED) if result else None
        ptx = artifact.content if artifact else None
        if ptx is None:
            self._reading.stop()
            self._view.hide()
        elif ptx != self._ptx:
            self._reading.start(partial(_read, ptx))
        else:
            self._view.show()
        self._ptx = ptx

    @Slot(object)
    def _on_read(self, inlining: Inlining) -> None:
        self._inlining = inlining
        named = (
            name for inlined in inlining.functions for name in (inlined.function, inlined.into)
        )
        self._names.want({*inlining.untold, *named} - {""})
        self._show()
        self._view.show()

    @Slot()
    def _show(self) -> None:
        known = self._names.known
        rows = (
            InlinedRow(
                inlined,
                known.get(inlined.function, inlined.function),
                known.get(inlined.into, inlined.into),
            )
            for inlined in self._inlining.functions
        )
        untold = (known.get(name, name) for name in self._inlining.untold)
        self._view.show_rows(tuple(rows), tuple(untold))


def shown_link(settings: BuildSettings, outputs: Outputs) -> BuildResult | None:
    """Returns the build whose link is shown: the newest that came so far; None without a link."""
    if settings.link is LinkMode.NONE:
        return None
    newest = outputs.result
    has_linked = newest is not None and any(stage.source == LINKED for stage in newest.stages)
    return newest if has_linked else outputs.shown_result


def _read(ptx: bytes, stop: Event) -> Inlining:
    lines = split_at_newlines(ptx.decode("utf-8", "replace"))
    return inlining(Paced(lines, stop))
