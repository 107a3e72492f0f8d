"""How often a launch is run, from which code, and what is watched meanwhile."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QWidget

from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer
from jitstudio.gui.models.launch.launch_words import LOAD_MODES, SANITIZERS
from jitstudio.gui.widgets.field_rows import FieldRows
from jitstudio.gui.widgets.number_field import NumberField

_WARMUP = "Launches before those that are timed"
_REPEATS = "Launches that are timed; 0 for one launch without timing"
_TIMEOUT = "Seconds after which a launch is ended; buffers and form are kept"
# Field of `LaunchSpec`: what its tick box says, and what that means.
_TICKS = {
    "flush_l2": (
        "Flush the L2 cache",
        "Overwrite the L2 cache before each timed launch, so that none profits from the one before",
    ),
    "poison": (
        "Poison output buffers",
        "Fill output buffers with a pattern first, which shows what is never written",
    ),
    "guards": (
        "Guard zones around buffers",
        "Watch the memory before and behind each buffer for writes out of bounds",
    ),
}


class RunOptions(FieldRows):
    """Numbers, choices and switches of a run.

    Signals:
        changed: The user changed something.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runOptions")
        self._warmup = NumberField(self, "warmup", "Warm-up launches", _WARMUP, whole=True)
        self._repeats = NumberField(self, "repeats", "Timed launches", _REPEATS, whole=True)
        self._timeout = NumberField(self, "timeout", "Time limit", _TIMEOUT, positive=True)
        self._load = self._choice("load", "Code to load", "Which code is loaded onto the GPU")
        for mode, words in LOAD_MODES.items():
            self._load.addItem(words, mode)
        self._sanitizer = self._choice("sanitizer", "Sanitizer", "")
        for tool, words in SANITIZERS.items():
            self._sanitizer.addItem(words, tool)
        self._ticks = {place: self._tick(place) for place in _TICKS}
        launches = (self._warmup, QLabel("warm-up", self), self._repeats, QLabel("timed", self))
        self.add("Launches", *launches, places=("warmup", "repeats"))
        self.add("Code", self._load, places=("load",))
        self.add("Sanitizer", self._sanitizer, places=("sanitizer",))
        self.add("Time limit", self._timeout, QLabel("seconds", self), places=("timeout",))
        for place, tick in self._ticks.items():
            self.add("", tick, places=(place,))
        for field in (self._warmup, self._repeats, self._timeout):
            field.textEdited.connect(self._on_changed)
        self.set_sanitizer_problem("")
        self.show_spec(LaunchSpec())

    @property
    def summary(self) -> str:
        """The most important of it in a few words."""
        tool = self._sanitizer.currentData()
        sanitizer = f", {tool.value}" if tool else ""
        launches = f"{self._warmup.text()} warm-up, {self._repeats.text()} timed"
        return f"{launches}, {self._load.currentText()}{sanitizer}"

    def show_spec(self, spec: LaunchSpec) -> None:
        """Show how this is run, without telling it as the user's."""
        self._warmup.show_number(spec.warmup)
        self._repeats.show_number(spec.repeats)
        self._timeout.show_number(spec.timeout)
        self._load.setCurrentIndex(list(LOAD_MODES).index(spec.load))
        self._sanitizer.setCurrentIndex(list(SANITIZERS).index(spec.sanitizer))
        for place, tick in self._ticks.items():
            tick.setChecked(getattr(spec, place))

    def apply_to(self, spec: LaunchSpec) -> LaunchSpec:
        """The same launch with what stands here; a number that is none stays as it was."""
        warmup, repeats = self._warmup.number, self._repeats.number
        load: LoadMode = self._load.currentData()
        sanitizer: Sanitizer | None = self._sanitizer.currentData()
        return replace(
            spec,
            warmup=spec.warmup if warmup is None else int(warmup),
            repeats=spec.repeats if repeats is None else int(repeats),
            load=load,
            sanitizer=sanitizer,
            timeout=self._timeout.number or spec.timeout,
            flush_l2=self._ticks["flush_l2"].isChecked(),
            poison=self._ticks["poison"].isChecked(),
            guards=self._ticks["guards"].isChecked(),
        )

    def set_sanitizer_problem(self, problem: str) -> None:
        """Say why nothing can be run under compute-sanitizer; empty where it can.

        What was chosen stays: a project of another machine may ask for it.
        """
        tip = problem or "Run under a tool of compute-sanitizer; this is slow, and not timed"
        self._sanitizer.setToolTip(tip)
        self._sanitizer.setAccessibleDescription(tip)
        model = self._sanitizer.model()
        assert isinstance(model, QStandardItemModel)
        for row, tool in enumerate(SANITIZERS):
            item = model.item(row)
            item.setEnabled(tool is None or not problem)
            item.setToolTip("" if tool is None else problem)

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
        text, what = _TICKS[place]
        tick = QCheckBox(text, self)
        tick.setObjectName(f"{place}Field")
        tick.setToolTip(what)
        tick.clicked.connect(self._on_changed)
        return tick

    @Slot()
    def _on_changed(self) -> None:
        self.changed.emit()
