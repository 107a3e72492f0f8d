"""The Timing pane: duration of the kernel, spread, and memory throughput."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from jitstudio.core.launch.device import Device
from jitstudio.core.launch.result import LaunchResult
from jitstudio.gui.kit.fonts import show_bold
from jitstudio.gui.kit.launch_figures import (
    LaunchFigure,
    timing_as_csv,
    timing_as_text,
    timing_figures,
)
from jitstudio.gui.kit.lazy_widget import LazyWidget, hint_label
from jitstudio.gui.kit.parts import icon_button, muted

# So many figures are side by side from so many letters on.
_SIDE_BY_SIDE = ((3, 120), (2, 90), (1, 0))


class TimingView(QWidget):
    """Figures above two plots."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timingView")
        self._result: LaunchResult | None = None
        self._figures: tuple[LaunchFigure, ...] = ()
        self._side_by_side = 3
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(2)
        self._copy_text = icon_button(
            self, self.tr("Copy"), self.tr("Copy the figures as text"), "copy"
        )
        self._copy_text.clicked.connect(self.copy_text)
        self._copy_csv = icon_button(
            self, self.tr("Copy CSV"), self.tr("Copy every sample as CSV"), "copy"
        )
        self._copy_csv.clicked.connect(self.copy_csv)
        self._head = QWidget(self)
        # Else the figures side by side would keep the dock too wide for fewer of them.
        self._head.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._plots = LazyWidget(timing_plots, "", self)
        self._hint = hint_label(self, "timingHint", "")
        self._lay_out()
        self.show_result(None)

    @property
    def figures(self) -> tuple[LaunchFigure, ...]:
        """The shown figures."""
        return self._figures

    @property
    def plots(self) -> LazyWidget:
        """The histogram and the series, once they are made."""
        return self._plots

    @property
    def hint(self) -> str:
        """The hint that is shown while there are no times."""
        return "" if self._figures else self._hint.text()

    @Slot(object, object)
    def show_result(self, result: LaunchResult | None, device: Device | None = None) -> None:
        """Shows the times of a launch on a device; None before the first."""
        self._result = result
        timing = result.timing if result else None
        self._figures = timing_figures(result, timing, device) if result and timing else ()
        self._fill_grid()
        self._hint.setText(_why_empty(result))
        self._hint.setVisible(not self._figures)
        self._head.setVisible(bool(self._figures))
        self._plots.setVisible(bool(self._figures))
        self._plots.show_value(timing)

    @Slot()
    def copy_text(self) -> None:
        """Puts the figures on the clipboard."""
        if self._result is not None and self._figures:
            head = self._result.kernel or self._result.device
            if self._result.kernel and self._result.device:
                head = self.tr("{kernel} on {device}").format(
                    kernel=self._result.kernel, device=self._result.device
                )
            QGuiApplication.clipboard().setText(f"{head}\n{timing_as_text(self._figures)}\n")

    @Slot()
    def copy_csv(self) -> None:
        """Puts every sample on the clipboard."""
        if self._result is not None and self._result.timing is not None:
            QGuiApplication.clipboard().setText(timing_as_csv(self._result.timing) + "\n")

    def _lay_out(self) -> None:
        row = QHBoxLayout(self._head)
        row.setContentsMargins(12, 8, 8, 8)
        row.addLayout(self._grid, 1)
        for button in (self._copy_text, self._copy_csv):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head)
        column.addWidget(self._plots, 1)
        column.addWidget(self._hint, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts fewer figures side by side in a narrow dock."""
        super().resizeEvent(event)
        letters = event.size().width() // self.fontMetrics().horizontalAdvance("0")
        side_by_side = next(n for n, least in _SIDE_BY_SIDE if letters >= least)
        if side_by_side != self._side_by_side:
            self._side_by_side = side_by_side
            self._fill_grid()

    def _fill_grid(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for column in range(2 * _SIDE_BY_SIDE[0][0]):
            self._grid.setColumnStretch(column, int(column == 2 * self._side_by_side - 1))
        for number, figure in enumerate(self._figures):
            row, column = divmod(number, self._side_by_side)
            name = QLabel(figure.name, self._head)
            muted(name)
            value = QLabel(figure.text, self._head)
            if number == 0:
                show_bold(value)
            value.setAccessibleName(f"{figure.name}: {figure.text}")
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setWordWrap(self._side_by_side == 1)
            for label in (name, value):
                label.setToolTip(figure.meaning)
            self._grid.addWidget(name, row, 2 * column)
            self._grid.addWidget(value, row, 2 * column + 1)


def _why_empty(result: LaunchResult | None) -> str:
    translate = QCoreApplication.translate
    if result is None:
        return translate(
            "TimingView",
            "Nothing has been timed yet.\n"
            "Run the kernel, and its times, their histogram and the bandwidth appear here.",
        )
    if result.simulation:
        return translate(
            "TimingView",
            "A simulation says nothing of the times on a GPU.\n"
            "The Counts pane says what each line did.",
        )
    if result.ok:
        return translate(
            "TimingView",
            "This launch was not timed.\nSet “Launches … timed” to at least 1 and run it again.",
        )
    return translate(
        "TimingView",
        "The launch ended before anything was timed.\nThe Result pane says why.",
    )


def timing_plots() -> type[QWidget]:
    """Imports the widget that draws the times, which takes long."""
    from jitstudio.gui.features.launch.results.plots import TimingPlots

    return TimingPlots
