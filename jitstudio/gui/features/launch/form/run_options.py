"""How often a launch is run, from which code, and what is watched meanwhile."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QWidget

from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer
from jitstudio.gui.features.launch.models.launch_text import LOAD_MODES, SANITIZERS, words_of
from jitstudio.gui.kit.field_rows import FieldRows
from jitstudio.gui.kit.number_field import NumberField
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

# Field of `LaunchSpec`: what it is called, and what it means.
_NUMBERS = {
    "warmup": (
        QT_TRANSLATE_NOOP("RunOptionsForm", "Warm-up launches"),
        QT_TRANSLATE_NOOP("RunOptionsForm", "Launches before those that are timed"),
    ),
    "repeats": (
        QT_TRANSLATE_NOOP("RunOptionsForm", "Timed launches"),
        QT_TRANSLATE_NOOP(
            "RunOptionsForm", "Launches that are timed; 0 for one launch without timing"
        ),
    ),
    "timeout": (
        QT_TRANSLATE_NOOP("RunOptionsForm", "Time limit"),
        QT_TRANSLATE_NOOP(
            "RunOptionsForm", "Seconds after which a launch is ended; buffers and form are kept"
        ),
    ),
    "blocks": (
        QT_TRANSLATE_NOOP("RunOptionsForm", "Simulated blocks"),
        QT_TRANSLATE_NOOP(
            "RunOptionsForm", "How many blocks the simulator runs, from the first; 0 for all"
        ),
    ),
}
# Likewise: what its tick box says, and what that means.
_TICKS = {
    "flush_l2": (
        QT_TRANSLATE_NOOP("RunOptionsForm", "Flush the L2 cache"),
        QT_TRANSLATE_NOOP(
            "RunOptionsForm",
            "Overwrite the L2 cache before each timed launch, "
            "so that none profits from the one before",
        ),
    ),
    "poison": (
        QT_TRANSLATE_NOOP("RunOptionsForm", "Poison output buffers"),
        QT_TRANSLATE_NOOP(
            "RunOptionsForm",
            "Fill output buffers with a pattern first, which shows what is never written",
        ),
    ),
    "guards": (
        QT_TRANSLATE_NOOP("RunOptionsForm", "Guard zones around buffers"),
        QT_TRANSLATE_NOOP(
            "RunOptionsForm",
            "Watch the memory before and behind each buffer for writes out of bounds",
        ),
    ),
}


class RunOptionsForm(FieldRows):
    """Numbers, choices and switches of a run.

    Signals:
        changed: The user changed something.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runOptions")
        self._warmup = self._number("warmup", whole=True)
        self._repeats = self._number("repeats", whole=True)
        self._timeout = self._number("timeout", positive=True)
        self._blocks = self._number("blocks", whole=True)
        self._load = self._choice(
            "load", self.tr("Code to load"), self.tr("Which code is loaded onto the GPU")
        )
        for mode in LOAD_MODES:
            self._load.addItem(words_of(mode), mode)
        self._sanitizer = self._choice("sanitizer", self.tr("Sanitizer"), "")
        for tool in SANITIZERS:
            self._sanitizer.addItem(words_of(tool), tool)
        self._ticks = {place: self._tick(place) for place in _TICKS}
        warmup, timed = QLabel(self.tr("warm-up"), self), QLabel(self.tr("timed"), self)
        launches = (self._warmup, warmup, self._repeats, timed)
        self.add(
            self.tr("Launches"),
            *launches,
            places={"warmup": self._warmup, "repeats": self._repeats},
        )
        self.add(self.tr("Code"), self._load, places={"load": self._load})
        self.add(self.tr("Sanitizer"), self._sanitizer, places={"sanitizer": self._sanitizer})
        seconds = QLabel(self.tr("seconds"), self)
        self.add(self.tr("Time limit"), self._timeout, seconds, places={"timeout": self._timeout})
        blocks = QLabel(self.tr("blocks; 0 for all"), self)
        self.add(self.tr("Simulate"), self._blocks, blocks, places={"blocks": self._blocks})
        for place, tick in self._ticks.items():
            self.add("", tick, places={place: tick})
        for field in (self._warmup, self._repeats, self._timeout, self._blocks):
            field.textEdited.connect(self._on_changed)
        self.set_sanitizer_problem("")
        self.show_spec(LaunchSpec())

    @property
    def summary(self) -> str:
        """The most important of it in a few words."""
        tool = self._sanitizer.currentData()
        launches = self.tr("{warmup} warm-up, {repeats} timed").format(
            warmup=self._warmup.text(), repeats=self._repeats.text()
        )
        parts = (launches, self._load.currentText(), tool.value if tool else "")
        return ", ".join(filter(None, parts))

    def show_spec(self, spec: LaunchSpec) -> None:
        """Shows how this is run, without reporting it as the user's."""
        self._warmup.show_number(spec.warmup)
        self._repeats.show_number(spec.repeats)
        self._timeout.show_number(spec.timeout)
        self._blocks.show_number(spec.blocks)
        self._load.setCurrentIndex(list(LOAD_MODES).index(spec.load))
        self._sanitizer.setCurrentIndex(list(SANITIZERS).index(spec.sanitizer))
        for place, tick in self._ticks.items():
            tick.setChecked(getattr(spec, place))

    def apply_to(self, spec: LaunchSpec) -> LaunchSpec:
        """Returns the same launch with what is here; a number that is none stays as it was."""
        warmup, repeats = self._warmup.number, self._repeats.number
        blocks = self._blocks.number
        load: LoadMode = self._load.currentData()
        sanitizer: Sanitizer | None = self._sanitizer.currentData()
        return replace(
            spec,
            warmup=spec.warmup if warmup is None else int(warmup),
            repeats=spec.repeats if repeats is None else int(repeats),
            load=load,
            sanitizer=sanitizer,
            timeout=self._timeout.number or spec.timeout,
            blocks=spec.blocks if blocks is None else int(blocks),
            flush_l2=self._ticks["flush_l2"].isChecked(),
            poison=self._ticks["poison"].isChecked(),
            guards=self._ticks["guards"].isChecked(),
        )

    def set_sanitizer_problem(self, problem: str) -> None:
        """Says why nothing can be run under compute-sanitizer; empty where it can.

        What was chosen stays: a project of another machine may ask for it.
        """
        tip = problem or self.tr(
            "Run under a tool of compute-sanitizer; this is slow, and not timed"
        )
        self._sanitizer.setToolTip(plain_tooltip(tip))
        self._sanitizer.setAccessibleDescription(tip)
        model = self._sanitizer.model()
        assert isinstance(model, QStandardItemModel)
        for row, tool in enumerate(SANITIZERS):
            item = model.item(row)
            item.setEnabled(tool is None or not problem)
            item.setToolTip("" if tool is None else plain_tooltip(problem))

    def _number(self, place: str, *, whole: bool = False, positive: bool = False) -> NumberField:
        title, what = (self.tr(text) for text in _NUMBERS[place])
        return NumberField(self, place, title, what, whole=whole, positive=positive)

    def _choice(self, place: str, title: str, what: str) -> QComboBox:
        field = QComboBox(self)
        field.setObjectName(f"{place}Field")
        field.setAccessibleName(title)
        field.setToolTip(what)
        field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        field.setMinimumContentsLength(10)
        field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        field.activated.connect(self._on_changed)
        return field

    def _tick(self, place: str) -> QCheckBox:
        text, what = (self.tr(words) for words in _TICKS[place])
        tick = QCheckBox(text, self)
        tick.setObjectName(f"{place}Field")
        tick.setToolTip(what)
        tick.clicked.connect(self._on_changed)
        return tick

    @Slot()
    def _on_changed(self) -> None:
        self.changed.emit()
