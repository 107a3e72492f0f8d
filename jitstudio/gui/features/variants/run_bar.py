"""The button that runs or stops a sweep, and how far it has come."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QTimer, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QProgressBar, QWidget

from jitstudio.gui.kit.parts import icon_button, show_icons, text_label
from jitstudio.gui.kit.theme import Theme

_TICK_MS = 500
_BAR_HEIGHT = 6
_RUN_KEYS = "Ctrl+R"
# Unlike the flat buttons of a toolbar: this one is what the window is for.
_LOOK = (
    "#sweepRun, #sweepStop {{ background: {0}; border: 1px solid {1}; padding: 3px 12px; }}"
    "#sweepRun:hover, #sweepStop:hover {{ background: {2}; }}"
    "#sweepRun:focus, #sweepStop:focus {{ border-color: {3}; }}"
    "QProgressBar {{ background: {1}; border: none; border-radius: 3px; }}"
    "QProgressBar::chunk {{ background: {3}; border-radius: 3px; }}"
)


class RunBar(QWidget):
    """Runs, stops, counts.

    Signals:
        run_requested: The user wants it to be run.
        stop_requested: The user wants it to end.
    """

    run_requested = Signal()
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run = icon_button(
            self, self.tr("&Run"), self.tr("Build and launch all variants"), "run", _RUN_KEYS
        )
        self._run.setObjectName("sweepRun")
        self._run.setShortcut(_RUN_KEYS)
        self._stop = icon_button(
            self, self.tr("&Stop"), self.tr("End the sweep; what is done stays"), "stop", "Esc"
        )
        self._stop.setObjectName("sweepStop")
        self._stop.hide()
        self._gpus = QCheckBox(self)
        self._gpus.setObjectName("sweepAllGpus")
        self._gpus.hide()
        self._bar = QProgressBar(self, textVisible=False)
        self._bar.setAccessibleName(self.tr("Progress of the sweep"))
        self._bar.setFixedHeight(_BAR_HEIGHT)
        self._bar.hide()
        self._words = text_label(self, "sweepProgress")
        self._words.setWordWrap(False)
        self._clock = QElapsedTimer()
        self._tick = QTimer(self, interval=_TICK_MS)
        self._done = self._total = 0
        self._tick.timeout.connect(self._on_tick)
        self._run.clicked.connect(self.run_requested)
        self._stop.clicked.connect(self.stop_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(self._run)
        row.addWidget(self._stop)
        row.addWidget(self._gpus)
        row.addWidget(self._words)
        row.addWidget(self._bar, 1)
        row.addStretch()

    @property
    def words(self) -> str:
        """How far it has come."""
        return self._words.text()

    @property
    def uses_all_gpus(self) -> bool:
        """Whether the variants are shared out among all GPUs."""
        return self._gpus.isChecked()

    def set_gpus(self, count: int) -> None:
        """Offer to use all, where there are several."""
        self._gpus.setText(self.tr("Share among all {count} &GPUs").format(count=count))
        self._gpus.setVisible(count > 1)

    def set_runnable(self, on: bool) -> None:
        """Whether what is typed can be run."""
        self._run.setEnabled(on)

    def begin(self, total: int) -> None:
        """Offer to stop; so many variants are to come."""
        self._done, self._total = 0, total
        self._clock.start()
        self._tick.start()
        self._bar.setRange(0, total)
        self._bar.setValue(0)
        self._swap(running=True)
        self._words.setText(self.tr("Starting…"))

    def count(self, done: int) -> None:
        """So many are done."""
        self._done = done
        self._bar.setValue(done)
        self._on_tick()

    def show_stopping(self) -> None:
        """It takes a moment."""
        self._tick.stop()
        self._words.setText(self.tr("Stopping…"))

    def end(self, words: str) -> None:
        """Offer to run; say what came of it."""
        self._tick.stop()
        self._swap(running=False)
        self._words.setText(words)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        ui = theme.ui
        colors = (ui.button, ui.border, ui.button_hover, ui.accent)
        self.setStyleSheet(_LOOK.format(*(color.name() for color in colors)))
        show_icons((self._run, self._stop), theme)

    def _swap(self, *, running: bool) -> None:
        had_keyboard = self._run.hasFocus() or self._stop.hasFocus()
        self._stop.setVisible(running)
        self._run.setVisible(not running)
        self._bar.setVisible(running)
        self._gpus.setEnabled(not running)
        if had_keyboard:
            (self._stop if running else self._run).setFocus()

    @Slot()
    def _on_tick(self) -> None:
        if self._tick.isActive():
            seconds = self._clock.elapsed() // 1000
            told = self.tr("{done:,} of {total:,}, {seconds} s")
            self._words.setText(told.format(done=self._done, total=self._total, seconds=seconds))
