"""The window of a sweep: what is varied above, what came of each variant below."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QSplitter, QVBoxLayout, QWidget

from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.core.sweep.plan import Axis
from jitstudio.core.sweep.result import SweepResult, VariantResult
from jitstudio.gui.features.variants.axes_editor import AxesEditor
from jitstudio.gui.features.variants.run_bar import RunBar
from jitstudio.gui.features.variants.sweep_rows import CANCELLED_OUTCOMES, sweep_chart
from jitstudio.gui.features.variants.sweep_table import SweepTable
from jitstudio.gui.kit.banner import Banner
from jitstudio.gui.kit.late import Late
from jitstudio.gui.kit.lazy_widget import LazyWidget
from jitstudio.gui.kit.theme import Theme

_SIZE = (1200, 720)
_SHARES = (780, 420)
# Rows come faster than anybody reads.
_GLANCE_MS = 150
_REST = 5


class SweepDialog(QDialog):
    """Holds no plan and starts nothing: `SweepController` does.

    Attributes:
        editor: What is varied.
        bar: Run and stop.
        table: What came of it.

    Signals:
        run_requested: The user wants it to be run.
        stop_requested: The user wants it to end.
        variant_activated: The user wants to launch this variant.
        told: Something was done that cannot be seen, in words.
    """

    run_requested = Signal()
    stop_requested = Signal()
    variant_activated = Signal(VariantResult)
    told = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweepDialog")
        self.setWindowTitle(self.tr("Sweep"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.resize(*_SIZE)
        self._axes: tuple[Axis, ...] = ()
        self._rows: dict[int, VariantResult] = {}
        self._is_running = False
        self.editor = AxesEditor(self)
        self.bar = RunBar(self)
        self._notice = Banner(self)
        self._notice.setObjectName("sweepNotice")
        self.table = SweepTable(self)
        self._plot = LazyWidget(
            Late.SWEEP_PLOT, self.tr("The times of the variants are plotted here."), self
        )
        self._plot.setObjectName("sweepPlot")
        self._plot.hide()
        self._glance = QTimer(self, singleShot=True, interval=_GLANCE_MS)
        self._glance.timeout.connect(self._on_glance)
        self.bar.run_requested.connect(self.run_requested)
        self.bar.stop_requested.connect(self._on_stop)
        self.table.variant_activated.connect(self.variant_activated)
        self.table.told.connect(self.told)
        self._lay_out()
        self.set_theme(theme)

    @property
    def is_running(self) -> bool:
        """Whether a sweep is on its way."""
        return self._is_running

    @property
    def notice(self) -> str:
        """What is said above the table; empty where nothing is."""
        return self._notice.text()

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        for part in (self.editor, self.bar, self._notice, self.table, self._plot):
            part.set_theme(theme)

    def begin(self, axes: tuple[Axis, ...], count: int) -> None:
        """A sweep over these axes is on its way."""
        self._axes, self._rows = axes, {}
        self._is_running = True
        self._notice.say("")
        self.bar.begin(count)
        self._show(SweepResult(axes, ()))

    @Slot(VariantResult)
    def add_row(self, row: VariantResult) -> None:
        """Show one more variant, soon."""
        self._rows[row.variant.index] = row
        if row.outcome == LaunchOutcome.MISSING.value and not self.notice:
            built = self.tr(
                "All variants are built all the same: below are their registers, spilled bytes and "
                "occupancy."
            )
            self._notice.say(f"{row.message} {built}")
        if not self._glance.isActive():
            self._glance.start()

    @Slot(SweepResult)
    def end(self, result: SweepResult) -> None:
        """Show all that came of it."""
        self._stop_glancing()
        self._show(result)
        done = sum(row.outcome not in CANCELLED_OUTCOMES for row in result.rows)
        told = (
            self.tr("{done:,} of {total:,}, {seconds:.1f} s")
            if done == len(result.rows)
            else self.tr("Stopped: {done:,} of {total:,}, {seconds:.1f} s")
        )
        seconds = result.total_ms / 1000
        self.bar.end(told.format(done=done, total=len(result.rows), seconds=seconds))

    @Slot(str)
    def fail(self, problem: str) -> None:
        """Say why nothing came of it."""
        self._stop_glancing()
        self.bar.end("")
        self._notice.say(problem)

    def reject(self) -> None:
        """Escape stops what runs, and closes the window only after that."""
        if self._is_running:
            self._on_stop()
        else:
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Nothing goes on that nobody can see."""
        if self._is_running:
            self._on_stop()
        event.accept()

    def _lay_out(self) -> None:
        halves = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        halves.addWidget(self.table)
        halves.addWidget(self._plot)
        halves.setSizes(_SHARES)
        top = QVBoxLayout()
        top.setContentsMargins(14, 14, 14, 8)
        top.setSpacing(8)
        top.addWidget(self.editor)
        top.addWidget(self.bar)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._notice)
        column.addWidget(halves, 1)

    def _show(self, result: SweepResult) -> None:
        self.table.show_sweep(result)
        chart = sweep_chart(result)
        # Without a GPU there are no times, and the table has the room.
        self._plot.setVisible(chart is not None)
        self._plot.show_value(chart)

    def _stop_glancing(self) -> None:
        self._glance.stop()
        self._is_running = False

    @Slot()
    def _on_glance(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        rows = tuple(self._rows[index] for index in sorted(self._rows))
        self.bar.count(len(rows))
        self._show(SweepResult(self._axes, rows))
        # However many lines there are to draw, most of the time is the user's.
        self._glance.setInterval(max(_GLANCE_MS, _REST * clock.elapsed()))

    @Slot()
    def _on_stop(self) -> None:
        self.bar.show_stopping()
        self.stop_requested.emit()
