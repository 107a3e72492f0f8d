"""The threads of a launch and their memory: grid, block, cluster, shared memory."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QWidget,
)

from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.gui.kit.field_rows import FieldRows, code_line
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

# Field of `LaunchSpec`: what it is called, what it means, and what it says while it is empty.
_LINES = {
    "cover": (
        QT_TRANSLATE_NOOP("ConfigurationForm", "Elements to cover"),
        QT_TRANSLATE_NOOP(
            "ConfigurationForm",
            "Elements to cover with one thread each: an expression such as n, one for each axis",
        ),
        QT_TRANSLATE_NOOP("ConfigurationForm", "n or width,height"),
    ),
    "grid": (
        QT_TRANSLATE_NOOP("ConfigurationForm", "Grid"),
        QT_TRANSLATE_NOOP(
            "ConfigurationForm",
            "Blocks as x, or x,y or x,y,z; expressions over the integer arguments",
        ),
        QT_TRANSLATE_NOOP("ConfigurationForm", "4096 or 64,64"),
    ),
    "block": (
        QT_TRANSLATE_NOOP("ConfigurationForm", "Block"),
        QT_TRANSLATE_NOOP("ConfigurationForm", "Threads of a block as x, or x,y or x,y,z"),
        QT_TRANSLATE_NOOP("ConfigurationForm", "256 or 16,16"),
    ),
    "cluster": (
        QT_TRANSLATE_NOOP("ConfigurationForm", "Cluster"),
        QT_TRANSLATE_NOOP(
            "ConfigurationForm",
            "Blocks of a cluster as x, or x,y or x,y,z; empty for none (from sm_90 on)",
        ),
        QT_TRANSLATE_NOOP("ConfigurationForm", "none"),
    ),
    "shared": (
        QT_TRANSLATE_NOOP("ConfigurationForm", "Dynamic shared memory"),
        QT_TRANSLATE_NOOP(
            "ConfigurationForm",
            "Bytes of dynamic shared memory of a block, an expression such as 48*1024. "
            "More than 48 KiB is requested automatically.",
        ),
        "0",
    ),
}


class ConfigurationForm(FieldRows):
    """Fields with expressions, their values, and the block that would fill the GPU best.

    Signals:
        changed: The user changed something.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("configurationForm")
        self._suggested: int | None = None
        self._by_cover = self._radio(
            "coverChoice", self.tr("Cover elements"), self.tr("Cover this many elements")
        )
        self._by_grid = self._radio(
            "gridChoice", self.tr("Grid of blocks"), self.tr("Give the number of blocks")
        )
        self._group = QButtonGroup(self)
        self._group.addButton(self._by_cover)
        self._group.addButton(self._by_grid)
        self._cover = self._line("cover")
        self._grid_size = self._line("grid")
        self._block = self._line("block")
        self._cluster = self._line("cluster")
        self._shared = self._line("shared")
        self._suggestion = self._make_suggestion()
        self._cooperative = QCheckBox(self.tr("Cooperative launch"), self)
        self._cooperative.setObjectName("cooperativeField")
        self._cooperative.setToolTip(
            self.tr(
                "All blocks are resident at the same time, "
                "so that cooperative_groups::this_grid().sync() works"
            )
        )
        # Two a row: what is below shall be seen without scrolling, too.
        self.add_two(
            (self._by_cover, self._cover),
            (self._by_grid, self._grid_size),
            {"cover": self._cover, "grid": self._grid_size},
        )
        self.add_two(
            (self.tr("Block"), self._block),
            (self.tr("Cluster"), self._cluster),
            {"block": self._block, "cluster": self._cluster},
        )
        self.add_below(self._suggestion)
        self.add_two(
            (self.tr("Dynamic shared"), self._shared),
            ("", self._cooperative),
            {"shared": self._shared, "cooperative": self._cooperative},
        )
        self._summary = self.add_hint("configurationSummary")
        self._group.buttonToggled.connect(self._on_choice_toggled)
        self._suggestion.clicked.connect(self._on_suggestion_clicked)
        self._cooperative.clicked.connect(self._on_edited)
        self.show_spec(LaunchSpec())
        self.show_summary("")
        self.set_suggestion(None, None)

    def show_spec(self, spec: LaunchSpec) -> None:
        """Shows the configuration of `spec`, without the signal of a change by the user."""
        with QSignalBlocker(self._group):
            (self._by_cover if spec.cover or not spec.grid else self._by_grid).setChecked(True)
        texts = {
            self._cover: spec.cover,
            self._grid_size: spec.grid,
            self._block: spec.block,
            self._cluster: spec.cluster,
            self._shared: spec.shared,
        }
        for field, text in texts.items():
            if field.text() != text:  # else the cursor would jump to the end
                field.setText(text)
        self._cooperative.setChecked(spec.cooperative)
        self._update()

    def apply_to(self, spec: LaunchSpec) -> LaunchSpec:
        """Returns `spec` with the configuration of the fields."""
        by_cover = self._by_cover.isChecked()
        return replace(
            spec,
            cover=self._cover.text().strip() if by_cover else "",
            grid="" if by_cover else self._grid_size.text().strip(),
            block=self._block.text().strip(),
            cluster=self._cluster.text().strip(),
            shared=self._shared.text().strip(),
            cooperative=self._cooperative.isChecked(),
        )

    def show_summary(self, text: str) -> None:
        """Shows the values of the expressions."""
        self._summary.setText(text)
        self._summary.setVisible(bool(text))

    def set_suggestion(self, block: int | None, occupancy: float | None) -> None:
        """Offers the block that keeps the GPU fullest, and how full from 0 to 1; None for none."""
        self._suggested = block
        self._suggestion.setVisible(block is not None)
        tip = self.tr("Use this many threads per block: most of them are resident at a time")
        message = self.tr("Suggested: {block}").format(block=block)
        if occupancy is not None:
            share = f"{occupancy:.0%}"
            message = self.tr("{suggestion} ({share})").format(suggestion=message, share=share)
            tip = self.tr("{tip} (occupancy {share})").format(tip=tip, share=share)
        self._suggestion.setToolTip(tip)
        self._suggestion.setText(message)
        self._update()

    def _radio(self, name: str, text: str, meaning: str) -> QRadioButton:
        radio = QRadioButton(text, self)
        radio.setObjectName(name)
        radio.setToolTip(meaning)
        radio.setAccessibleName(meaning)
        return radio

    def _line(self, place: str) -> QLineEdit:
        title, meaning, example = (self.tr(text) for text in _LINES[place])
        line = code_line(self, f"{place}Field", title, meaning, example)
        line.textEdited.connect(self._on_edited)
        return line

    def _make_suggestion(self) -> QPushButton:
        button = QPushButton(self)
        button.setObjectName("suggestedBlock")
        button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        button.setAutoDefault(False)
        button.setMinimumWidth(1)  # a narrow dock cuts its words rather than all fields
        return button

    def _update(self) -> None:
        by_cover = self._by_cover.isChecked()
        self._cover.setEnabled(by_cover)
        self._grid_size.setEnabled(not by_cover)
        self._suggestion.setEnabled(self._block.text().strip() != str(self._suggested))

    @Slot()
    def _on_edited(self) -> None:
        self._update()
        self.changed.emit()

    @Slot(QRadioButton, bool)
    def _on_choice_toggled(self, _button: QRadioButton, checked: bool) -> None:
        if checked:
            self._on_edited()

    @Slot()
    def _on_suggestion_clicked(self) -> None:
        self._block.setText(str(self._suggested))
        self._block.setFocus()
        self._on_edited()
