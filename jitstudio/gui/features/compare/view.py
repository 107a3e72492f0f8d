"""The Compare pane: a pinned result next to the newest, and the figures that have changed."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from jitstudio.analysis.diff.program import FigureDelta
from jitstudio.gui.features.compare.model import (
    DELTA_COLUMNS,
    BuildComparison,
    CompareMode,
    count_text,
)
from jitstudio.gui.kit.lazy_widget import hint_label
from jitstudio.gui.kit.parts import FieldName, ShorteningLabel, icon_button
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.gui.listing.padded_text import next_hunk
from jitstudio.gui.listing.side_by_side import SideBySide

_LEAST_LETTERS = 12
_SHARES = (3, 1)


class CompareView(QWidget):
    """A choice of baseline and matter, above two texts and a table.

    Attributes:
        texts: Both texts.
        deltas: The figures that differ.

    Signals:
        pin_requested: The user wants to keep the newest result.
        baseline_chosen: The user wants to compare with the baseline at this place.
        baseline_renamed: The user calls the baseline at this place so.
        removal_requested: The user keeps the baseline at this place no longer.
        matter_changed: The user wants this compared.
    """

    pin_requested = Signal()
    baseline_chosen = Signal(int)
    baseline_renamed = Signal(int, str)
    removal_requested = Signal(int)
    matter_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compareView")
        self._compared: BuildComparison | None = None
        self.baselines = self._make_baselines()
        self.matters = self._make_matters()
        self.pin = icon_button(
            self,
            self.tr("Pin"),
            self.tr("Keep the newest result as a baseline"),
            "plus",
            command="pinBaselineAction",
        )
        self.remove = icon_button(self, self.tr("Remove"), self.tr("Remove this baseline"), "trash")
        self.previous = icon_button(
            self,
            self.tr("Previous"),
            self.tr("Previous difference"),
            "chevron-up",
            command="previousDifferenceAction",
        )
        self.next = icon_button(
            self,
            self.tr("Next"),
            self.tr("Next difference"),
            "chevron-down",
            command="nextDifferenceAction",
        )
        for button, name in (
            (self.pin, "pinBaseline"),
            (self.remove, "removeBaseline"),
            (self.previous, "previousDifference"),
            (self.next, "nextDifference"),
        ):
            button.setObjectName(name)
        for arrow in (self.previous, self.next):
            arrow.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self._count = ShorteningLabel(self)
        self._count.setObjectName("differenceCount")
        names = (self.tr("Baseline"), self.tr("The newest result"))
        self.texts = SideBySide("compare", names, self)
        self.deltas = self._make_deltas()
        self._hint = hint_label(self, "compareHint", "")
        self._stack = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self.show_baselines((), -1)
        self.show_hint("")

    @property
    def matter(self) -> CompareMode:
        """The matter of the comparison."""
        chosen: CompareMode = self.matters.currentData()
        return chosen

    @property
    def count(self) -> str:
        """The number of differences, in words."""
        return self._count.text()

    @property
    def hint(self) -> str:
        """The reason why nothing is compared; empty where a comparison is shown."""
        return self._hint.text() if self._stack.currentWidget() is self._hint else ""

    @property
    def compared(self) -> BuildComparison | None:
        """The shown comparison."""
        return self._compared

    def show_baselines(self, names: tuple[str, ...], chosen: int) -> None:
        """Offers the pinned results."""
        self.baselines.blockSignals(True)
        self.baselines.clear()
        self.baselines.addItems(names)
        self.baselines.setCurrentIndex(chosen)
        self.baselines.blockSignals(False)
        # Of a long name the beginning says more than the end.
        if (line := self.baselines.lineEdit()) is not None:
            line.setCursorPosition(0)
        self.baselines.setEnabled(bool(names))
        self.remove.setEnabled(bool(names))

    def show_compared(self, compared: BuildComparison, left: str, right: str) -> None:
        """Shows two builds side by side, each below a title."""
        before = self._compared
        self._compared = compared
        self.texts.show_halves(compared.left, compared.right)
        self.texts.set_titles(left, right)
        self.deltas.set_rows(compared.figures)
        self._count.setText(count_text(compared.comparison))
        for arrow in (self.previous, self.next):
            arrow.setEnabled(bool(compared.comparison.hunks))
        self._stack.setCurrentWidget(self._content)
        self.setFocusProxy(self.texts.left)
        if compared.comparison.hunks and (before is None or before.matter is not compared.matter):
            self.texts.go_to(compared.comparison.hunks[0].start)

    def show_hint(self, words: str) -> None:
        """Says why nothing is compared."""
        self._compared = None
        self._hint.setText(words)
        self._count.setText("")
        for arrow in (self.previous, self.next):
            arrow.setEnabled(False)
        self._stack.setCurrentWidget(self._hint)
        self.setFocusProxy(self.pin)

    @Slot()
    def go_to_next(self) -> None:
        """Goes to the next difference; behind the last to the first."""
        self._go(forward=True)

    @Slot()
    def go_to_previous(self) -> None:
        """Goes to the difference before; in front of the first to the last."""
        self._go(forward=False)

    def _go(self, *, forward: bool) -> None:
        if self._compared is None:
            return
        row = next_hunk(self._compared.comparison, self.texts.row, forward=forward)
        if row is not None:
            self.texts.go_to(row)

    def _make_baselines(self) -> QComboBox:
        box = _combo(self, "baselines")
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.setAccessibleName(self.tr("Baseline"))
        box.setToolTip(self.tr("The baseline; type another name and press Enter"))
        line = box.lineEdit()
        assert line is not None
        line.setPlaceholderText(self.tr("Nothing is pinned"))
        line.returnPressed.connect(self._on_name_entered)
        return box

    def _make_matters(self) -> QComboBox:
        box = _combo(self, "compareMatter")
        for matter in CompareMode:
            box.addItem(matter.title, matter)
        box.setCurrentIndex(box.findData(CompareMode.SASS))
        box.setAccessibleName(self.tr("What is compared"))
        box.setToolTip(
            self.tr(
                "What is compared; normalised, names of registers and labels, addresses and "
                "control bits are not a difference"
            )
        )
        return box

    def _make_deltas(self) -> RowsTable[FigureDelta]:
        name = self.tr("Figures that differ")
        table = RowsTable(name, "compareDeltas", DELTA_COLUMNS, self, is_sortable=False)
        table.set_columns(1, {0: 24, 2: 9, 3: 9, 4: 9})
        table.hide_when_narrow(0)
        table.set_hint(self.tr("Registers, memory and instruction counts are the same."))
        table.add_copying()
        return table

    def _lay_out(self) -> None:
        self._content = QSplitter(Qt.Orientation.Vertical, self)
        self._content.setChildrenCollapsible(False)
        for part, share in zip((self.texts, self.deltas), _SHARES, strict=True):
            self._content.addWidget(part)
            self._content.setStretchFactor(self._content.indexOf(part), share)
        self._stack.addWidget(self._hint)
        self._stack.addWidget(self._content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        label = FieldName(self.tr("Ba&seline"), self.baselines, self)
        layout.addLayout(_row(label, (self.baselines, 1), self.pin, self.remove))
        layout.addLayout(_row(self.matters, (self._count, 1), self.previous, self.next))
        layout.addWidget(self._stack, 1)
        for before, after in pairwise(
            (
                self.baselines,
                self.pin,
                self.remove,
                self.matters,
                self.previous,
                self.next,
                self.texts.left,
                self.texts.right,
                self.deltas,
            )
        ):
            self.setTabOrder(before, after)

    def _connect(self) -> None:
        self.pin.clicked.connect(self.pin_requested)
        self.remove.clicked.connect(self._on_remove_clicked)
        self.next.clicked.connect(self.go_to_next)
        self.previous.clicked.connect(self.go_to_previous)
        self.baselines.activated.connect(self.baseline_chosen)
        self.matters.currentIndexChanged.connect(self._on_matter_changed)

    @Slot()
    def _on_remove_clicked(self) -> None:
        self.removal_requested.emit(self.baselines.currentIndex())

    @Slot()
    def _on_name_entered(self) -> None:
        if self.baselines.currentIndex() >= 0:
            self.baseline_renamed.emit(self.baselines.currentIndex(), self.baselines.currentText())

    @Slot()
    def _on_matter_changed(self) -> None:
        self.matter_changed.emit()


def _combo(parent: QWidget, object_name: str) -> QComboBox:
    box = QComboBox(parent)
    box.setObjectName(object_name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(_LEAST_LETTERS)
    return box


def _row(*parts: QWidget | tuple[QWidget, int]) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setContentsMargins(12, 3, 8, 3)
    row.setSpacing(6)
    for part in parts:
        widget, share = part if isinstance(part, tuple) else (part, 0)
        row.addWidget(widget, share)
    return row
