"""Shows next to the source how many registers are alive where the code of a line runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event

from PySide6.QtCore import QCoreApplication, QObject, Slot

from jitstudio.analysis.sass.liveness import Definition
from jitstudio.analysis.sass.model import SourceLocation
from jitstudio.analysis.sass.pressure import LinePressure, by_place
from jitstudio.core.launch.simulation import LineCounts, of_source
from jitstudio.core.line_table_paths import spellings
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.editor.margin import LineBar
from jitstudio.gui.features.ptx_sass.columns import ColumnsController
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.gui.kit.translating import counted
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.correlation import Correlations
from jitstudio.gui.state.current_disassembly import CurrentDisassembly, Inspection
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.preferences import Preferences

_USER = "pressure"

_Lines = Mapping[SourceLocation, LinePressure]


def pressure_text(number: int, line: LinePressure, registers_written: int = 0) -> str:
    """Returns the live registers of a source line.

    Args:
        number: The line, from 1.
        line: The registers of the line's instructions.
        registers_written: How many registers at the peak that is looked at were written here.
    """
    translate = QCoreApplication.translate
    said = counted(
        line.instructions,
        translate("PressureBars", "Line {number}, 1 instruction: {highest} live registers"),
        translate(
            "PressureBars",
            "Line {number}, {count:,} instructions: at most {highest} live registers, "
            "{total:,} in all",
        ),
        number=number,
        highest=line.highest,
        total=line.total,
    )
    if not registers_written:
        return said
    more = counted(
        registers_written,
        translate("PressureBars", "At the peak it holds 1 register"),
        translate("PressureBars", "At the peak it holds {count} registers"),
    )
    return f"{said}\n{more}"


def counts_text(line: LineCounts) -> str:
    """Returns the counts of a simulated launch at a source line."""
    translate = QCoreApplication.translate
    said = translate("PressureBars", "Line {number}: {executed:,} times by a warp, {lanes} lanes")
    parts = [
        said.format(
            number=line.line, executed=line.executions, lanes=f"{line.mean_active_lanes:.4g}"
        )
    ]
    if line.sectors:
        sectors = translate("PressureBars", "{sectors:,} sectors, {share} of their bytes used")
        parts.append(sectors.format(sectors=line.sectors, share=f"{line.used_share or 0:.0%}"))
    if line.bank_conflicts:
        conflicts = translate("PressureBars", "{count:,} bank conflicts")
        parts.append(conflicts.format(count=line.bank_conflicts))
    return "\n".join(parts)


_SHOWN, _MEASURE = "editor.pressure", "editor.pressure_measure"
_EXECUTED = "executed"


@dataclass(frozen=True)
class _Read:
    """The registers of each line, with the inspection that they are of."""

    inspection: Inspection
    lines: _Lines


class PressureController(QObject):
    """Serves the bars of all editors."""

    def __init__(
        self,
        disassembly: CurrentDisassembly,
        correlations: Correlations,
        preferences: Preferences,
        documents: Documents,
        editors: EditorTabs,
        columns: ColumnsController,
        launches: LaunchController,
        sass: OutputPane,
        shell: Shell,
    ) -> None:
        super().__init__(editors)
        actions = shell.actions
        self._disassembly = disassembly
        self._correlations = correlations
        self._preferences = preferences
        self._tabs = editors
        self._sass = sass
        self._launches = launches
        self._action = actions["pressureAction"]
        self._read: _Read | None = None
        self._registers: dict[SourceLocation, int] = {}
        self._reading = Background(self)
        self._reading.done.connect(self._on_read)
        self._disassembly.changed.connect(self._on_changed)
        self._correlations.changed.connect(self._show)
        self._preferences.changed.connect(self._on_preference_changed)
        documents.added.connect(self._on_added)
        sass.listing_changed.connect(self._show_age)
        shell.stale_marks.changed.connect(self._show_age)
        columns.held.connect(self._on_held)
        launches.simulated_changed.connect(self._show)
        self._on_preference_changed(_SHOWN)
        actions.bind({"pressureAction": self._on_toggled})

    @property
    def _is_on(self) -> bool:
        return bool(self._preferences.value(_SHOWN))

    @Slot()
    def _show(self) -> None:
        read, tied = self._read, self._correlations.tied
        # What is shown moves along with the text until it is known where each line is now.
        if self._is_on and read and (tied is None or tied.inspection is not read.inspection):
            return
        for page in self._tabs.pages():
            if page.editor is not None:
                bars = self._bars(page.document) if self._is_on else None
                page.editor.pressure.show_bars(bars)

    @Slot()
    def _show_age(self) -> None:
        """Marks the bars while the SASS that they count is older than the text."""
        for page in self._tabs.pages():
            if page.editor is not None:
                page.editor.pressure.set_old(self._sass.is_old)

    def _bars(self, document: Document) -> dict[int, LineBar]:
        if self._read is None:
            return {}
        folder = str(document.path.parent) if document.path else ""
        files = frozenset(spellings(document.name, folder))
        if self._preferences.value(_MEASURE) == _EXECUTED:
            return self._executed(document, files)
        lines, cost = self._read.lines, self._read.inspection.cost
        now = self._correlations.lines_now(document, (place.line - 1 for place in lines))
        measure = str(self._preferences.value(_MEASURE))
        top = max((getattr(line, measure) for line in lines.values()), default=0)
        bars: dict[int, LineBar] = {}
        for place, line in lines.items():
            if place.file in files and line.highest and place.line - 1 in now:
                number = getattr(line, measure)
                written_here = self._registers.get(place, 0)
                bars[now[place.line - 1]] = LineBar(
                    number,
                    number / top,
                    cost.level(line.highest, line.spills),
                    pressure_text(place.line, line, written_here),
                    written_here > 0,
                )
        return bars

    def _executed(self, document: Document, files: frozenset[str]) -> dict[int, LineBar]:
        """Returns bars of executions, warmer where lanes, bytes moved or passes were wasted."""
        run = self._launches.simulated
        lines = (
            [counts for counts in of_source(run.simulation.lines) if counts.file in files]
            if run
            else []
        )
        now = self._correlations.lines_now(document, (counts.line - 1 for counts in lines))
        top = max((counts.executions for counts in lines), default=0)
        return {
            now[counts.line - 1]: LineBar(
                counts.executions, counts.executions / top, counts.wasted_share, counts_text(counts)
            )
            for counts in lines
            if counts.line - 1 in now
        }

    @Slot()
    def _on_changed(self) -> None:
        """Keeps the bars while the next inspection is read: the bars have moved with the text."""
        inspection = self._disassembly.current
        if not self._is_on:
            return
        if inspection is not None:
            if self._read is None or self._read.inspection is not inspection:
                self._reading.start(partial(_read, inspection))
        elif not self._disassembly.is_reading:
            self._reading.stop()
            self._read, self._registers = None, {}
            self._show()

    @Slot(object)
    def _on_read(self, read: _Read) -> None:
        self._read, self._registers = read, {}
        self._show()

    @Slot(object)
    def _on_held(self, definitions: Sequence[Definition]) -> None:
        """Marks the lines that hold the registers at the peak that the caret went to."""
        self._registers = {}
        for definition in definitions:
            for place in dict.fromkeys(definition.places):
                self._registers[place] = self._registers.get(place, 0) + len(definition.registers)
        if self._is_on:
            self._show()

    @Slot(bool)
    def _on_toggled(self, on: bool) -> None:
        self._preferences.set_value(_SHOWN, on)

    @Slot()
    def _on_added(self) -> None:
        if self._is_on:
            self._show()

    @Slot(str)
    def _on_preference_changed(self, key: str) -> None:
        if key == _SHOWN:
            self._action.setChecked(self._is_on)
            self._disassembly.want(_USER, self._is_on)
            self._on_changed()
        if key in (_SHOWN, _MEASURE):
            self._show()


def _read(inspection: Inspection, stop: Event) -> _Read:
    functions, spills = Paced(inspection.code.functions, stop), inspection.cost.spills
    return _Read(inspection, by_place(*functions, spills=spills))
