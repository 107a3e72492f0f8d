"""The window of variants: the axes above, a table of the results below."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QProgressBar,
    QSplitter,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.gui.features.variants.axes_editor import AxesEditor
from jitstudio.gui.features.variants.table import VariantsTable
from jitstudio.gui.features.variants.table_model import time_chart
from jitstudio.gui.kit.fonts import fit_dialog
from jitstudio.gui.kit.lazy_widget import LazyWidget
from jitstudio.gui.kit.parts import FRAMED, Banner, explain_by, icon_button, text_label
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.variants.plan import VariantPlan
from jitstudio.variants.rows import VariantRow, VariantTable

_SIZE = (1240, 720)
_SHARES = (780, 420)
_GLANCE_MS = 150
"""Rows come faster than anybody reads."""
_REST = 5
_TICK_MS = 500
_BAR_HEIGHT = 6
_RUN_KEYS = "Ctrl+R"
# Unlike the flat buttons of a toolbar: this one is what the window is for.


class Preset(Enum):
    """The axes to begin with; the value is the title of a tab."""

    LAUNCH = QT_TRANSLATE_NOOP("VariantsDialog", "Launch")
    TARGETS = QT_TRANSLATE_NOOP("VariantsDialog", "Targets and options")
    LINKS = QT_TRANSLATE_NOOP("VariantsDialog", "PTX link and LTO link")


class RunBar(QWidget):
    """The buttons that run and stop, the ways to run, and the progress.

    Signals:
        run_requested: The user wants to run the plan.
        stop_requested: The user wants the run to end.
        edited: The user chose another way to run.
    """

    run_requested = Signal()
    stop_requested = Signal()
    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run = icon_button(
            self, self.tr("&Run"), self.tr("Build all variants, and launch them"), "run", _RUN_KEYS
        )
        self._run.setObjectName("variantsRun")
        self._run.setProperty(FRAMED, True)
        self._run.setShortcut(_RUN_KEYS)
        self._stop = icon_button(
            self, self.tr("&Stop"), self.tr("End the run; what is done stays"), "stop", "Esc"
        )
        self._stop.setObjectName("variantsStop")
        self._stop.setProperty(FRAMED, True)
        self._stop.hide()
        self._launch = self._box(
            "variantsLaunch",
            self.tr("&Launch"),
            self.tr("Launch each variant on a GPU, as the Launch pane says, and time it"),
        )
        self._timed = self._box(
            "variantsTimed",
            self.tr("Time the &builds"),
            self.tr(
                "Build again, one at a time, so that the times are those of the compilers; "
                "otherwise on all cores, and from the cache"
            ),
        )
        self._gpus = self._box("variantsAllGpus", "", "")
        self._gpus.hide()
        self._gpu_count = 0
        self._bar = QProgressBar(self, textVisible=False)
        self._bar.setObjectName("variantsBar")
        self._bar.setAccessibleName(self.tr("Progress"))
        self._bar.setFixedHeight(_BAR_HEIGHT)
        self._bar.hide()
        self._text = text_label(self, "variantsProgress")
        self._text.setWordWrap(False)
        self._clock = QElapsedTimer()
        self._tick = QTimer(self, interval=_TICK_MS)
        self._finished = self._total = 0
        self._tick.timeout.connect(self._on_tick)
        self._run.clicked.connect(self.run_requested)
        self._stop.clicked.connect(self.stop_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        for part in (self._run, self._stop, self._launch, self._timed, self._gpus, self._text):
            row.addWidget(part)
        row.addWidget(self._bar, 1)
        row.addStretch()

    @property
    def text(self) -> str:
        """The progress of the run, or its result."""
        return self._text.text()

    @property
    def launches(self) -> bool:
        """Whether the variants are launched."""
        return self._launch.isChecked()

    @property
    def is_timed(self) -> bool:
        """Whether the times of the builds are to be compared."""
        return self._timed.isChecked()

    @property
    def uses_all_gpus(self) -> bool:
        """Whether the variants are shared out among all GPUs."""
        return self._gpus.isChecked()

    def show_ways(self, *, launches: bool, timed: bool) -> None:
        """Proposes other ways to run."""
        for box, on in ((self._launch, launches), (self._timed, timed)):
            box.blockSignals(True)
            box.setChecked(on)
            box.blockSignals(False)
        self._show_gpus()

    def set_gpus(self, count: int) -> None:
        """Offers to share the variants among all GPUs, where there are several."""
        self._gpu_count = count
        self._gpus.setText(self.tr("Share among all {count} &GPUs").format(count=count))
        self._show_gpus()

    def set_runnable(self, on: bool) -> None:
        """Sets whether the typed plan can be run."""
        self._run.setEnabled(on)

    def begin(self, total: int) -> None:
        """Offers to stop a run of `total` variants."""
        self._finished, self._total = 0, total
        self._clock.start()
        self._tick.start()
        self._bar.setRange(0, total)
        self._bar.setValue(0)
        self._swap(running=True)
        self._text.setText(self.tr("Starting…"))

    def count(self, finished: int) -> None:
        """Shows how many variants are finished."""
        self._finished = finished
        self._bar.setValue(finished)
        self._on_tick()

    def show_stopping(self) -> None:
        """Shows that the run ends in a moment."""
        self._tick.stop()
        self._text.setText(self.tr("Stopping…"))

    def end(self, text: str) -> None:
        """Offers to run, and shows the result of the last run."""
        self._tick.stop()
        self._swap(running=False)
        self._text.setText(text)

    def _box(self, name: str, title: str, tip: str) -> QCheckBox:
        box = QCheckBox(title, self)
        box.setObjectName(name)
        box.setToolTip(tip)
        box.toggled.connect(self._on_toggled)
        return box

    def _show_gpus(self) -> None:
        self._gpus.setVisible(self._gpu_count > 1 and self.launches)

    def _swap(self, *, running: bool) -> None:
        had_keyboard = self._run.hasFocus() or self._stop.hasFocus()
        self._stop.setVisible(running)
        self._run.setVisible(not running)
        self._bar.setVisible(running)
        for box in (self._launch, self._timed, self._gpus):
            box.setEnabled(not running)
        if had_keyboard:
            (self._stop if running else self._run).setFocus()

    @Slot(bool)
    def _on_toggled(self, _on: bool) -> None:
        self._show_gpus()
        self.edited.emit()

    @Slot()
    def _on_tick(self) -> None:
        if self._tick.isActive():
            seconds = self._clock.elapsed() // 1000
            form = self.tr("{done:,} of {total:,}, {seconds} s")
            self._text.setText(form.format(done=self._finished, total=self._total, seconds=seconds))


class VariantsDialog(QDialog):
    """Holds no plan and starts nothing: the controller does.

    Attributes:
        editor: The axes.
        bar: Run and stop, and the ways to run.
        table: The results.

    Signals:
        preset_changed: The user chose another `Preset`.
        edited: The user changed the plan, or the way to run.
        run_requested: The user wants to run the plan.
        stop_requested: The user wants the run to end.
    """

    preset_changed = Signal(Preset)
    edited = Signal()
    run_requested = Signal()
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("variantsDialog")
        explain_by(self, "variants")
        self.setWindowTitle(self.tr("Variants"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        fit_dialog(self, _SIZE)
        self._plan: VariantPlan | None = None
        self._rows: dict[int, VariantRow] = {}
        self._is_running = False
        self._presets = QTabBar(self, drawBase=False, expanding=False)
        self._presets.setObjectName("variantsPresets")
        self._presets.setAccessibleName(self.tr("What is compared"))
        for preset in Preset:
            self._presets.addTab(self.tr(preset.value))
        self.editor = AxesEditor(self)
        self.bar = RunBar(self)
        self._notice = Banner(self)
        self._notice.setObjectName("variantsNotice")
        self.table = VariantsTable(self)
        self._plot = LazyWidget(
            _times_plot, self.tr("The times of the variants are plotted here."), self
        )
        self._plot.setObjectName("variantsPlot")
        self._plot.hide()
        self._glance = QTimer(self, singleShot=True, interval=_GLANCE_MS)
        self._glance.timeout.connect(self._on_glance)
        self._presets.currentChanged.connect(self._on_preset_changed)
        self.editor.edited.connect(self.edited)
        self.bar.edited.connect(self.edited)
        self.bar.run_requested.connect(self.run_requested)
        self.bar.stop_requested.connect(self._on_stop)
        self._lay_out()

    @property
    def preset(self) -> Preset:
        """The chosen tab."""
        return tuple(Preset)[self._presets.currentIndex()]

    @property
    def is_running(self) -> bool:
        """Whether a run is in progress."""
        return self._is_running

    @property
    def plan(self) -> VariantPlan | None:
        """The plan whose results are shown; None before the first run."""
        return self._plan

    @property
    def rows(self) -> tuple[VariantRow, ...]:
        """All rows so far, in the order of the plan."""
        return tuple(self._rows[index] for index in sorted(self._rows))

    @property
    def notice(self) -> str:
        """The sentence above the table; empty while there is none."""
        return self._notice.text()

    def show_preset(self, preset: Preset) -> None:
        """Shows another preset, without the signal of a choice by the user."""
        self._presets.blockSignals(True)
        self._presets.setCurrentIndex(tuple(Preset).index(preset))
        self._presets.blockSignals(False)

    def begin(
        self, plan: VariantPlan, count: int, kernel: str = "", reference: int | None = None
    ) -> None:
        """Shows that a plan is being carried out.

        Args:
            plan: The axes and the build.
            count: How many variants there are.
            kernel: The lowered name of the kernel to show where the plan names none.
            reference: The index of the variant that the others are compared with.
        """
        self._plan, self._rows = plan, {}
        self._is_running = True
        self._notice.say("")
        self.bar.begin(count)
        self.table.begin(plan, kernel, reference)
        self._show(VariantTable(plan.axes, ()))

    @Slot(VariantRow)
    def show_row(self, row: VariantRow) -> None:
        """Shows that a variant has come further, soon."""
        self._rows[row.variant.index] = row
        if row.outcome == LaunchOutcome.MISSING.value and not self.notice:
            built = self.tr(
                "All variants are built anyway: below are their registers, spilled bytes and "
                "occupancy."
            )
            self._notice.say(f"{row.message} {built}")
        if not self._glance.isActive():
            self._glance.start()

    @Slot(VariantTable)
    def end(self, table: VariantTable) -> None:
        """Shows all results of a run."""
        self._stop_glancing()
        self._rows = {row.variant.index: row for row in table.rows}
        self._show(table)
        finished = sum(not row.is_cancelled for row in table.rows)
        form = (
            self.tr("{done:,} of {total:,}, {seconds:.1f} s")
            if finished == len(table.rows)
            else self.tr("Stopped: {done:,} of {total:,}, {seconds:.1f} s")
        )
        seconds = table.total_ms / 1000
        text = form.format(done=finished, total=len(table.rows), seconds=seconds)
        self.bar.end(f"{text} · {self._summary(table)}")

    @Slot(str)
    def fail(self, problem: str) -> None:
        """Shows why a run has no results."""
        self._stop_glancing()
        self.bar.end("")
        self._notice.say(problem)

    def show_outdated(self) -> None:
        """Shows that the code is no longer that of the table."""
        if self._rows and not self._is_running:
            self._notice.say(self.tr("The code has changed since this table was built."))

    def reject(self) -> None:
        """Stops a run on Escape; without a run, closes the window."""
        if self._is_running:
            self._on_stop()
        else:
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stops a run: nothing goes on out of sight."""
        if self._is_running:
            self._on_stop()
        event.accept()

    def _lay_out(self) -> None:
        halves = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        halves.addWidget(self.table)
        halves.addWidget(self._plot)
        halves.setSizes(_SHARES)
        top = QVBoxLayout()
        top.setContentsMargins(14, 10, 14, 8)
        top.setSpacing(8)
        first = QHBoxLayout()
        first.setSpacing(20)
        first.addWidget(self._presets)
        first.addWidget(self.editor.kernel_line, 1)
        top.addLayout(first)
        top.addWidget(self.editor)
        top.addWidget(self.bar)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._notice)
        column.addWidget(halves, 1)

    def _show(self, table: VariantTable) -> None:
        self.table.show_table(table)
        chart = time_chart(table)
        # Without a GPU there are no times, and the table has the room.
        self._plot.setVisible(chart is not None)
        self._plot.show_value(chart)

    def _summary(self, table: VariantTable) -> str:
        """Returns how many variants are right, and the name of the best."""
        rows, best = table.rows, table.best
        ran, built = sum(row.ok for row in rows), sum(row.is_built for row in rows)
        if not ran and (built or self._plan is None or not self._plan.launches):
            failed = sum(not row.is_built and not row.is_cancelled for row in rows)
            form = (
                self.tr("{built:,} built, {failed:,} failed")
                if failed
                else self.tr("{built:,} built")
            )
            return form.format(built=built, failed=failed)
        text = self.tr("{count:,} ran and are right").format(count=ran)
        if best is None:
            return text
        name = next(row.variant.label for row in rows if row.variant.index == best)
        return f"{text} · {self.tr('best: {name}').format(name=name)}"

    def _stop_glancing(self) -> None:
        self._glance.stop()
        self._is_running = False

    @Slot()
    def _on_glance(self) -> None:
        if self._plan is None:
            return
        clock = QElapsedTimer()
        clock.start()
        rows = self.rows
        self.bar.count(sum(not row.is_waiting for row in rows))
        self._show(VariantTable(self._plan.axes, rows))
        # However many lines there are to draw, most of the time is the user's.
        self._glance.setInterval(max(_GLANCE_MS, _REST * clock.elapsed()))

    @Slot()
    def _on_stop(self) -> None:
        self.bar.show_stopping()
        self.stop_requested.emit()

    @Slot(int)
    def _on_preset_changed(self, _place: int) -> None:
        self.preset_changed.emit(self.preset)


def _times_plot() -> type[QWidget]:
    from jitstudio.gui.features.variants.plot import TimesPlot

    return TimesPlot
