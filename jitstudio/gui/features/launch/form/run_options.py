"""The options of a run: how often, from which code, and which accesses are watched."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QWidget

from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer
from jitstudio.gui.features.launch.models.launch_text import LOAD_MODES, SANITIZERS, words_of
from jitstudio.gui.kit.field_rows import FieldRows, NumberField
from jitstudio.gui.kit.parts import show_tip
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP, counted

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
    "seed": (
        QT_TRANSLATE_NOOP("RunOptionsForm", "Seed of the order"),
        QT_TRANSLATE_NOOP(
            "RunOptionsForm",
            "Another number simulates blocks and warps in another order, "
            "which a race may show by; 0 is the natural order",
        ),
    ),
    "seeds": (
        QT_TRANSLATE_NOOP("RunOptionsForm", "Compared orders"),
        QT_TRANSLATE_NOOP(
            "RunOptionsForm",
            "Simulates this many orders, from the seed on, and says whether their buffers agree",
        ),
    ),
}
# Likewise: the words of a tick box, and their meaning.
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
            "Watch the memory before and after each buffer for writes out of bounds",
        ),
    ),
    "both": (
        QT_TRANSLATE_NOOP("RunOptionsForm", "Compare GPU and simulator"),
        QT_TRANSLATE_NOOP(
            "RunOptionsForm",
            "Run the same launch on a GPU and in the simulator, "
            "and report the first difference in each buffer",
        ),
    ),
}

_ON_GPU = ("warmup", "repeats", "load", "sanitizer", "flush_l2", "guards")
_SIMULATED = ("blocks", "seed", "seeds")


class RunOptionsForm(FieldRows):
    """Numbers, choices and switches of a run.

    Signals:
        changed: The user changed something.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runOptions")
        self._whole = {
            place: self._number(place, whole=True, positive=place == "seeds")
            for place in ("warmup", "repeats", *_SIMULATED)
        }
        self._timeout = self._number("timeout", positive=True)
        self._is_simulated = False
        self._load = self._choice(
            "load", self.tr("Code to load"), self.tr("Which code is loaded onto the GPU")
        )
        for mode in LOAD_MODES:
            self._load.addItem(words_of(mode), mode)
        self._sanitizer = self._choice("sanitizer", self.tr("Sanitizer"), "")
        for tool in SANITIZERS:
            self._sanitizer.addItem(words_of(tool), tool)
        self._ticks = {place: self._tick(place) for place in _TICKS}
        self._hint = self.add_hint("simulatedHint")
        self._hint.setText(
            self.tr(
                "The simulator has no times and no caches, and watches every access: what is grey "
                "applies on a GPU only."
            )
        )
        warmup, timed = QLabel(self.tr("warm-up"), self), QLabel(self.tr("timed"), self)
        self._add_numbers(self.tr("Launches"), {"warmup": warmup, "repeats": timed})
        self.add(self.tr("Code"), self._load, places={"load": self._load})
        self.add(self.tr("Sanitizer"), self._sanitizer, places={"sanitizer": self._sanitizer})
        seconds = QLabel(self.tr("seconds"), self)
        self.add(self.tr("Time limit"), self._timeout, seconds, places={"timeout": self._timeout})
        self._add_numbers(
            self.tr("Simulate"), {"blocks": QLabel(self.tr("blocks; 0 for all"), self)}
        )
        seed, orders = QLabel(self.tr("seed;"), self), QLabel(self.tr("orders"), self)
        self._add_numbers(self.tr("Order"), {"seed": seed, "seeds": orders})
        for place, tick in self._ticks.items():
            self.add("", tick, places={place: tick})
        self._tips = {place: field.toolTip() for place, field in self.places.items()}
        for field in (self._timeout, *self._whole.values()):
            field.textEdited.connect(self._on_changed)
        self.set_sanitizer_problem("")
        self.set_simulated(None)
        self.show_spec(LaunchSpec())

    @property
    def summary(self) -> str:
        """The most important options in a few words."""
        if self._is_simulated:
            return self._simulated_summary()
        tool = self._sanitizer.currentData()
        launches = self.tr("{warmup} warm-up, {repeats} timed").format(
            warmup=self._whole["warmup"].text(), repeats=self._whole["repeats"].text()
        )
        parts = (launches, self._load.currentText(), tool.value if tool else "")
        return ", ".join(filter(None, parts))

    def show_spec(self, spec: LaunchSpec) -> None:
        """Shows the options of `spec`, without the signal of a change by the user."""
        self._timeout.show_number(spec.timeout)
        for place, field in self._whole.items():
            field.show_number(getattr(spec, place))
        self._load.setCurrentIndex(list(LOAD_MODES).index(spec.load))
        self._sanitizer.setCurrentIndex(list(SANITIZERS).index(spec.sanitizer))
        for place, tick in self._ticks.items():
            tick.setChecked(getattr(spec, place))

    def apply_to(self, spec: LaunchSpec) -> LaunchSpec:
        """Returns `spec` with the options of the fields; a text without number changes nothing."""
        whole: dict[str, Any] = {
            place: int(field.number)
            for place, field in self._whole.items()
            if field.number is not None
        }
        load: LoadMode = self._load.currentData()
        sanitizer: Sanitizer | None = self._sanitizer.currentData()
        return replace(
            spec,
            load=load,
            sanitizer=sanitizer,
            timeout=self._timeout.number or spec.timeout,
            flush_l2=self._ticks["flush_l2"].isChecked(),
            poison=self._ticks["poison"].isChecked(),
            guards=self._ticks["guards"].isChecked(),
            both=self._ticks["both"].isChecked(),
            **whole,
        )

    def set_sanitizer_problem(self, problem: str) -> None:
        """Says why nothing can be run under compute-sanitizer; empty where runs are possible.

        The choice stays: a project of another machine may ask for a tool.
        """
        self._tips["sanitizer"] = problem or self.tr(
            "Run under a tool of compute-sanitizer; this is slow, and not timed"
        )
        self._show_tips()
        model = self._sanitizer.model()
        assert isinstance(model, QStandardItemModel)
        for row, tool in enumerate(SANITIZERS):
            item = model.item(row)
            item.setEnabled(tool is None or not problem)
            item.setToolTip("" if tool is None else plain_tooltip(problem))

    def set_simulated(self, is_simulated: bool | None) -> None:
        """Greys the options without meaning in the simulator, or on a GPU; none where unknown."""
        self._is_simulated = bool(is_simulated)
        for places, applies in (
            (_ON_GPU, not is_simulated),
            (_SIMULATED, is_simulated is not False),
        ):
            for place in places:
                self.places[place].setEnabled(applies)
        self._hint.setVisible(self._is_simulated)
        self._show_tips()

    def _simulated_summary(self) -> str:
        blocks, seed, seeds = (self._whole[place].number or 0 for place in _SIMULATED)
        parts = [self.tr("all blocks")]
        if blocks:
            few = counted(int(blocks), self.tr("{count:,} block"), self.tr("{count:,} blocks"))
            parts = [few]
        if seed:
            parts.append(self.tr("seed {seed}").format(seed=int(seed)))
        if seeds > 1:
            parts.append(self.tr("{count:,} orders").format(count=int(seeds)))
        return ", ".join(parts)

    def _show_tips(self) -> None:
        """Shows the meaning of each field, or why the field is grey."""
        reasons = {
            **dict.fromkeys(_ON_GPU, self.tr("For launches on a GPU: the simulator has no times.")),
            **dict.fromkeys(_SIMULATED, self.tr("For the simulator only.")),
        }
        for place, field in self.places.items():
            tip = (
                self._tips[place]
                if field.isEnabledTo(self)
                else f"{reasons[place]}\n{self._tips[place]}"
            )
            show_tip(field, tip)
            field.setAccessibleDescription(tip)

    def _add_numbers(self, title: str, labels: dict[str, QLabel]) -> None:
        """Appends a row of numbers, each followed by the name of the counted thing."""
        parts = chain.from_iterable((self._whole[place], label) for place, label in labels.items())
        self.add(title, *parts, places={place: self._whole[place] for place in labels})

    def _number(self, place: str, *, whole: bool = False, positive: bool = False) -> NumberField:
        title, meaning = (self.tr(text) for text in _NUMBERS[place])
        return NumberField(self, place, title, meaning, whole=whole, positive=positive)

    def _choice(self, place: str, title: str, meaning: str) -> QComboBox:
        field = QComboBox(self)
        field.setObjectName(f"{place}Field")
        field.setAccessibleName(title)
        field.setToolTip(meaning)
        field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        field.setMinimumContentsLength(10)
        field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        field.activated.connect(self._on_changed)
        return field

    def _tick(self, place: str) -> QCheckBox:
        text, meaning = (self.tr(words) for words in _TICKS[place])
        tick = QCheckBox(text, self)
        tick.setObjectName(f"{place}Field")
        tick.setToolTip(meaning)
        tick.clicked.connect(self._on_changed)
        return tick

    @Slot()
    def _on_changed(self) -> None:
        self.changed.emit()
