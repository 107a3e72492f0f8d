"""The Passes pane: lists and a slider over the passes, and the code before and after each."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QSlider,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from jitstudio.analysis.diff.model import Comparison
from jitstudio.analysis.passes import FilmReading, LineOrigin
from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.passes import Film
from jitstudio.gui.features.passes.model import (
    CHANGE_COLUMNS,
    LINE_COLUMNS,
    REMARK_COLUMNS,
    PassChange,
    PassesPage,
    changes_of_back_end,
    changes_of_ptx,
)
from jitstudio.gui.kit.lazy_widget import hint_label
from jitstudio.gui.kit.parts import (
    ShorteningLabel,
    choice_box,
    fill_choices,
    icon_button,
    muted,
    show_tip,
)
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.gui.listing.padded_text import padded
from jitstudio.gui.listing.side_by_side import SideBySide

_SHARES = (1, 2)
_SLIDER_LETTERS = 12
# As in "Straight line strength reduction"; the texts below name the unit, too.
_PASS_LETTERS = 34


class PassesView(QWidget):
    """Buttons and a slider over lists, next to two texts.

    Attributes:
        shown: The change whose code is shown, and the comparison; None for none.

    Signals:
        film_wanted: The user wants the passes filmed; whether each, also between equal ones.
        stop_wanted: The user wants no more of it.
        change_wanted: The code before and after a change is to be shown.
        place_wanted: The user wants to see a file at a line and column.
    """

    film_wanted = Signal(bool)
    stop_wanted = Signal()
    change_wanted = Signal(PassChange)
    place_wanted = Signal(str, int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("passesView")
        self._readings: tuple[FilmReading, ...] = ()
        self.shown: tuple[PassChange, Comparison] | None = None
        self.film = icon_button(
            self, self.tr("Film"), self.tr("Build once more for each pass"), "run"
        )
        self.film.setObjectName("filmPasses")
        self.stop = icon_button(self, self.tr("Stop"), self.tr("Stop filming"), "stop", "Esc")
        self.stop.setObjectName("stopPasses")
        self.every = QCheckBox(self.tr("Every pass"), self)
        self.every.setObjectName("everyPass")
        self.every.setToolTip(
            self.tr("Build also between two passes that leave the same PTX; takes longer")
        )
        self.modules = choice_box(self, "passesModule", self.tr("Module"))
        self.pages = choice_box(self, "passesPage", self.tr("What is listed"))
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setObjectName("passesSlider")
        self.slider.setAccessibleName(self.tr("Pass"))
        self.slider.setToolTip(self.tr("Goes from pass to pass"))
        self.slider.setMinimumWidth(_SLIDER_LETTERS * self.fontMetrics().averageCharWidth())
        self._status = ShorteningLabel(self)
        self._status.setObjectName("passesStatus")
        self._notes = muted(ShorteningLabel(self))
        self._notes.setObjectName("passesNotes")
        self.steps = RowsTable(self.tr("Passes"), "passesSteps", CHANGE_COLUMNS, self)
        self.steps.set_columns(1, {0: 8, 2: 24, 3: 7})
        self.steps.hide_when_narrow(2, least=_PASS_LETTERS)
        back_end = self.tr("LLVM IR of the back end")
        self.back_end = RowsTable(back_end, "passesBackEnd", CHANGE_COLUMNS[1:], self)
        self.back_end.set_columns(0, {1: 24, 2: 7})
        self.back_end.hide_when_narrow(1, least=_PASS_LETTERS)
        self.lines = RowsTable(self.tr("Instructions"), "passesLines", LINE_COLUMNS, self)
        self.lines.set_columns(2, {0: 11, 1: 32})
        self.remarks = RowsTable(self.tr("Remarks"), "passesRemarks", REMARK_COLUMNS, self)
        self.remarks.set_columns(1, {0: 11})
        self._tables: dict[PassesPage, RowsTable[Any]] = {
            PassesPage.STEPS: self.steps,
            PassesPage.LINES: self.lines,
            PassesPage.REMARKS: self.remarks,
            PassesPage.BACK_END: self.back_end,
        }
        self.texts = SideBySide("passes", (self.tr("Before"), self.tr("After")), self)
        self._hint = hint_label(self, "passesHint", "")
        self._lists = QStackedWidget(self)
        self._stack = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self.show_hint("")

    @property
    def readings(self) -> tuple[FilmReading, ...]:
        """The films that are shown."""
        return self._readings

    @property
    def status(self) -> str:
        """The progress, or the number of passes."""
        return self._status.text()

    @property
    def notes(self) -> str:
        """The limits of the film."""
        return self._notes.text()

    @property
    def hint(self) -> str:
        """Why no film is shown; empty beside a film."""
        return self._hint.text() if self._stack.currentWidget() is self._hint else ""

    def begin(self) -> None:
        """Shows that a film has begun."""
        self._status.setText(self.tr("Building…"))
        self._set_running(True)

    @Slot(object)
    def show_progress(self, film: Film) -> None:
        """Says how far a film is, and lists the changes so far."""
        words = self.tr("{name}: {tried:,} of at most {count:,} builds")
        self._status.setText(words.format(name=film.name, tried=film.tried, count=film.limits))

    def show_readings(self, readings: tuple[FilmReading, ...]) -> None:
        """Shows films that have ended."""
        self._set_running(False)
        self._readings = readings
        with QSignalBlocker(self.modules):
            self.modules.clear()
            self.modules.addItems([reading.film.name for reading in readings])
        self.modules.setVisible(len(readings) > 1)
        self._show_module()

    def show_hint(self, words: str) -> None:
        """Says why no film is shown."""
        self._set_running(False)
        self._readings = ()
        self.modules.hide()
        self._show_words(
            words
            or self.tr(
                "What each pass of the optimiser changes: press Film.\n"
                "The text is built once more for each pass, which takes some seconds."
            )
        )

    def _show_words(self, words: str) -> None:
        self._status.setText("")
        self._notes.setText("")
        for part in (self._notes, self.pages, self.slider):
            part.hide()
        self._hint.setText(words)
        self._stack.setCurrentWidget(self._hint)
        self.setFocusProxy(self.film)

    def show_change(self, change: PassChange, comparison: Comparison) -> None:
        """Shows the code before and after a change."""
        self.shown = change, comparison
        halves = [padded(comparison, change.kind, is_left=left) for left in (True, False)]
        self.texts.show_halves(*halves)
        before = self.tr("Before {title}").format(title=change.title)
        if not change.before:
            before = self.tr("libNVVM prints no code before this pass")
        self.texts.set_titles(before, self.tr("After {title}").format(title=change.title))
        if comparison.hunks:
            self.texts.go_to(comparison.hunks[0].start)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Stops on Esc."""
        if event.key() == Qt.Key.Key_Escape and self.stop.isVisible():
            self.stop_wanted.emit()
        else:
            super().keyPressEvent(event)

    def _set_running(self, is_running: bool) -> None:
        self.stop.setVisible(is_running)
        self.film.setVisible(not is_running)
        self.every.setEnabled(not is_running)

    def _lay_out(self) -> None:
        strip = QHBoxLayout()
        strip.setContentsMargins(12, 3, 8, 3)
        strip.setSpacing(6)
        for part in (self.film, self.stop, self.every, self.modules, self.pages):
            strip.addWidget(part)
        strip.addWidget(self.slider, 1)
        strip.addWidget(self._status, 2)
        for table in self._tables.values():
            table.add_copying()
            self._lists.addWidget(table)
        content = QSplitter(Qt.Orientation.Vertical, self)
        content.addWidget(self._lists)
        content.addWidget(self.texts)
        for at, share in enumerate(_SHARES):
            content.setStretchFactor(at, share)
        self._content = content
        self._notes.setContentsMargins(12, 0, 8, 4)
        self._stack.addWidget(content)
        self._stack.addWidget(self._hint)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(strip)
        column.addWidget(self._notes)
        column.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self.film.clicked.connect(lambda: self.film_wanted.emit(self.every.isChecked()))
        self.stop.clicked.connect(self.stop_wanted)
        self.modules.currentIndexChanged.connect(self._show_module)
        self.pages.currentIndexChanged.connect(self._show_page)
        self.slider.valueChanged.connect(self.steps.choose)
        for table in (self.steps, self.back_end):
            table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self.lines.selectionModel().currentRowChanged.connect(self._on_line_changed)
        self.lines.add_activation(self.tr("&Go to the source"), self._go_to_line)
        self.remarks.add_activation(self.tr("&Go to the source"), self._go_to_remark)

    @Slot()
    def _show_module(self) -> None:
        at = self.modules.currentIndex()
        if not 0 <= at < len(self._readings):
            return
        reading = self._readings[at]
        film = reading.film
        if not film.passes:
            self._show_words(" ".join(film.notes))
            return
        self._stack.setCurrentWidget(self._content)
        self._fill_tables(reading)
        steps = self.steps.rows
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, max(0, len(steps) - 1))
        self.slider.setVisible(len(steps) > 1)
        words = self.tr("{count:,} passes, {changing:,} change the PTX")
        if film.problem:
            words = self.tr("{count:,} passes, {changing:,} changes seen")
        self._status.setText(words.format(count=len(film.passes), changing=len(steps)))
        self._notes.setText(" ".join(film.notes))
        show_tip(self._notes, "\n".join(film.notes))
        self._notes.setVisible(bool(film.notes))
        self._show_page()
        self.setFocusProxy(self.steps)
        if steps:
            self.steps.choose(0)

    def _fill_tables(self, reading: FilmReading) -> None:
        """Lists a film; the choice of the list stays."""
        film, back_end = reading.film, changes_of_back_end(reading)
        self.steps.set_rows(changes_of_ptx(reading))
        self.steps.set_hint(self.tr("No pass changes the PTX."))
        self.back_end.set_rows(back_end)
        self.lines.set_rows(reading.origins)
        self.remarks.set_rows(film.pass_list.remarks if film.pass_list else ())
        self.remarks.set_hint(self.tr("The passes have said nothing of the source."))
        pages = [page for page in PassesPage if page is not PassesPage.BACK_END or back_end]
        fill_choices(self.pages, ((page.title, page) for page in pages))
        self.pages.show()

    @Slot()
    def _show_page(self) -> None:
        if (page := self.pages.currentData()) is not None:
            self._lists.setCurrentWidget(self._tables[page])

    @Slot()
    def _on_row_changed(self) -> None:
        table = self._lists.currentWidget()
        chosen = (self.back_end if table is self.back_end else self.steps).current
        if chosen is None:
            return
        if chosen.step is not None:
            with QSignalBlocker(self.slider):
                self.slider.setValue(self.steps.rows.index(chosen))
        self.change_wanted.emit(chosen)

    @Slot()
    def _on_line_changed(self) -> None:
        origin = self.lines.current
        if origin is not None and origin.step is not None:
            steps = [change.step for change in self.steps.rows]
            self.steps.choose(steps.index(origin.step))

    def _go_to_line(self, origin: LineOrigin) -> None:
        if origin.place:
            self.place_wanted.emit(origin.place[0].file, origin.place[0].line, 0)

    def _go_to_remark(self, remark: Diagnostic) -> None:
        if remark.line:
            self.place_wanted.emit(remark.file, remark.line, remark.column or 0)
