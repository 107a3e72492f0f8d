"""The columns next to SASS and PTX, and jumps between the peaks of SASS' live registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from jitstudio.analysis.sass.liveness import Definition, register_definitions
from jitstudio.analysis.sass.model import SassFunction, SourceLocation
from jitstudio.analysis.sass.pressure import highest, live_gprs
from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.kit.translating import counted
from jitstudio.gui.listing.columns.count_columns import COUNT_COLUMNS, PtxCells
from jitstudio.gui.listing.columns.dialog import ColumnsDialog
from jitstudio.gui.listing.columns.sass_cells import SassCells, peak_line
from jitstudio.gui.listing.columns.sass_columns import NAMES, ColumnChoice, place_text
from jitstudio.gui.listing.columns.strip import PeakMark
from jitstudio.gui.listing.hints import disassembly_sentence
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.services.build_service import Listing
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.constant_namings import ConstantNamings
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.preferences import Preferences
from jitstudio.listing.lines import NOWHERE

_LEFT = "listings.columns_left"
_ADDRESSES = "listings.addresses"
# The lines that hold most of a peak are enough for one line of words.
_MOST_NAMED = 4


@dataclass(frozen=True)
class PeakText:
    """The text about a peak.

    Attributes:
        function: Where it is.
        index: At which instruction.
        number: Which one it is, from 1.
        count: Of how many.
    """

    function: SassFunction
    index: int
    number: int
    count: int

    @property
    def plain(self) -> str:
        """Number and height."""
        translate = QCoreApplication.translate
        said = counted(
            live_gprs(self.function)[self.index],
            translate("PeakText", "Peak {number} of {peaks}: 1 register"),
            translate("PeakText", "Peak {number} of {peaks}: {count} registers"),
            number=self.number,
            peaks=self.count,
        )
        is_top = self.index == highest(self.function)
        return said + (translate("PeakText", ", the highest") if is_top else "")

    def with_definitions(self, definitions: Sequence[Definition]) -> str:
        """Returns the text with the lines that have written most of the live registers."""
        named = [definition for definition in definitions if definition.places][:_MOST_NAMED]
        if not named:
            return self.plain
        files = {definition.places[0].file for definition in named}
        lines = ", ".join(
            f"{_location_text(definition.places[0], len(files) > 1)} ({len(definition.registers)})"
            for definition in named
        )
        translate = QCoreApplication.translate
        of_one_file = translate("PeakText", "{peak}; most held by lines {lines}")
        of_several = translate("PeakText", "{peak}; most held by {lines}")
        said = of_several if len(files) > 1 else of_one_file
        return said.format(peak=self.plain, lines=lines)


def _location_text(place: SourceLocation, with_file: bool) -> str:
    return place_text(*place) if with_file else str(place.line)


@dataclass(frozen=True)
class _Held:
    """A peak with the definitions of the registers live there."""

    words: PeakText
    definitions: Sequence[Definition]


class ColumnsController(QObject):
    """Serves the columns of the pane of SASS.

    Signals:
        held: The definitions of the registers that are live at the peak that the caret went to.
    """

    held = Signal(object)

    def __init__(
        self,
        disassembly: CurrentDisassembly,
        constants: ConstantNamings,
        launches: LaunchController,
        preferences: Preferences,
        listings: Mapping[CodeKind, OutputPane],
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        self._shell = shell
        self._disassembly = disassembly
        self._constants = constants
        constants.known.connect(self._on_cells_changed)
        self._launches = launches
        self._preferences = preferences
        self._window = shell.window
        self._pane = listings[CodeKind.SASS]
        self._columns = self._pane.columns
        self._listing: Listing | None = None
        self._holding = Background(self)
        self._holding.done.connect(self._on_held)
        self._columns.chosen.connect(self._on_chosen)
        self._columns.addresses_chosen.connect(self._on_addresses_chosen)
        self._columns.dialog_requested.connect(self._on_dialog_requested)
        self._pane.listing_changed.connect(self._on_changed)
        self._disassembly.changed.connect(self._on_changed)
        self._disassembly.kernel_changed.connect(self._on_kernel_changed)
        launches.simulated_changed.connect(self._on_cells_changed)
        self._preferences.changed.connect(self._on_preference_changed)
        self._columns.show_choice(ColumnChoice.read(self._preferences.columns))
        self._on_preference_changed(_LEFT)
        self._on_preference_changed(_ADDRESSES)
        self._on_changed()
        shell.actions.bind(
            {
                "nextPeakAction": self._on_next_peak,
                "previousPeakAction": self._on_previous_peak,
                "columnsAction": self._on_dialog_requested,
            }
        )

    @property
    def _cells(self) -> SassCells | None:
        cells = self._columns.cells
        return cells if isinstance(cells, SassCells) else None

    def _go_to_peak(self, step: int) -> None:
        cells, view = self._cells, self._pane.code_view
        tell = self._shell.status.show_message
        if cells is None:
            tell(disassembly_sentence(self._disassembly))
            return
        peak = peak_line(cells, self._line_to_leave(cells), step)
        if peak is None:
            tell(self.tr("nvdisasm reports no live registers for this function"))
            return
        line, number, function = peak
        self._shell.layout.uncover(self._pane)
        view.go_to(line + 1)
        index = cells.heights(function).peaks[number - 1]
        words = PeakText(function, index, number, len(cells.heights(function).peaks))
        tell(words.plain)
        self._holding.start(lambda _stop: _Held(words, register_definitions(function, index)))

    def _line_to_leave(self, cells: SassCells) -> int:
        """Returns the line of the caret, or a line of the current function."""
        line = self._pane.code_view.caret.line
        function = self._disassembly.function
        if cells.spot(line) is None and function is not None:
            return _line_near(cells, function, line)
        return line

    @Slot()
    def _on_next_peak(self) -> None:
        self._go_to_peak(1)

    @Slot()
    def _on_previous_peak(self) -> None:
        self._go_to_peak(-1)

    @Slot(object)
    def _on_held(self, peak: _Held) -> None:
        self._shell.status.show_message(peak.words.with_definitions(peak.definitions))
        self.held.emit(peak.definitions)

    @Slot()
    def _on_changed(self) -> None:
        """Shows the cells of the current listing, and keeps the cells as long as the listing."""
        inspection = self._disassembly.current
        shown = self._pane.listing
        if inspection is not None and inspection.listing is shown:
            if inspection.listing is not self._listing:
                self._listing = inspection.listing
                run = self._launches.simulated
                is_it = run is not None and run.module == inspection.name
                lines = run.lines_of(run.module) if run and is_it else None
                counts = {line.ptx_line: line for line in lines or ()}
                names = self._constants.names_of
                cells = SassCells(inspection.rows, inspection.cost, counts, names)
                self._columns.show_cells(cells)
                self._on_kernel_changed()
                self._want_names()
        elif shown is not self._listing:
            self._listing = None
            self._columns.show_cells(None)

    @Slot()
    def _on_cells_changed(self) -> None:
        self._listing = None
        self._on_changed()

    @Slot()
    def _on_kernel_changed(self) -> None:
        """Marks the peaks of the current function: the peaks of all would hide the bar."""
        cells, function = self._cells, self._disassembly.function
        if cells is not None and function is not None:
            self._columns.peak_marks.show_marks(_marks(function, cells))

    @Slot(ColumnChoice)
    def _on_chosen(self, choice: ColumnChoice) -> None:
        self._columns.show_choice(choice)
        self._preferences.columns = choice.kept
        self._want_names()

    def _want_names(self) -> None:
        if ColumnChoice.read(self._preferences.columns).of(NAMES).is_shown:
            self._constants.want()

    @Slot(bool)
    def _on_side_chosen(self, is_left: bool) -> None:
        self._preferences.set_value(_LEFT, is_left)

    @Slot(bool)
    def _on_addresses_chosen(self, shown: bool) -> None:
        self._preferences.set_value(_ADDRESSES, shown)

    @Slot(str)
    def _on_preference_changed(self, key: str) -> None:
        if key == _LEFT:
            self._columns.set_left(bool(self._preferences.value(_LEFT)))
        elif key == _ADDRESSES:
            shown = bool(self._preferences.value(_ADDRESSES))
            self._pane.code_view.set_addresses(shown)

    @Slot()
    def _on_dialog_requested(self) -> None:
        is_left = bool(self._preferences.value(_LEFT))
        dialog = ColumnsDialog(self._columns.choice, is_left, self._window)
        dialog.chosen.connect(self._on_chosen)
        dialog.chosen.connect(dialog.show_choice)
        dialog.side_chosen.connect(self._on_side_chosen)
        open_dialog(dialog)


class CountColumnsController(QObject):
    """Serves the columns of the PTX pane with the counts of a simulated launch."""

    def __init__(
        self, launches: LaunchController, preferences: Preferences, pane: OutputPane
    ) -> None:
        super().__init__(pane)
        self._launches = launches
        self._preferences = preferences
        self._pane = pane
        self._columns = pane.columns
        self._columns.show_choice(ColumnChoice.read(preferences.count_columns, COUNT_COLUMNS))
        self._columns.chosen.connect(self._on_chosen)
        pane.listing_changed.connect(self._show)
        launches.simulated_changed.connect(self._show)
        preferences.changed.connect(self._on_preference_changed)
        self._on_preference_changed(_LEFT)

    @Slot()
    def _show(self) -> None:
        """Shows the counts next to the PTX that was executed, and nothing next to any other."""
        run, shown = self._launches.simulated, self._pane.listing
        lines = run.lines_of(shown.name) if run and shown else None
        self._columns.show_cells(None if lines is None else PtxCells(lines))

    @Slot(ColumnChoice)
    def _on_chosen(self, choice: ColumnChoice) -> None:
        self._columns.show_choice(choice)
        self._preferences.count_columns = choice.kept

    @Slot(str)
    def _on_preference_changed(self, key: str) -> None:
        if key == _LEFT:
            self._columns.set_left(bool(self._preferences.value(_LEFT)))


def _line_near(cells: SassCells, function: SassFunction, line: int) -> int:
    """Returns the first instruction of a function, or the last if the line is behind that."""
    first, last = cells.line(function, 0), cells.line(function, function.code_length - 1)
    return last if NOWHERE < last < line else first


def _marks(function: SassFunction, cells: SassCells) -> list[PeakMark]:
    """Returns the peaks of a function."""
    heights, live = cells.heights(function), live_gprs(function)
    peaks = ((cells.line(function, at), live[at]) for at in heights.peaks)
    return [
        PeakMark(line, count / heights.top, cells.cost(function, count))
        for line, count in peaks
        if line != NOWHERE
    ]
