"""Collects Python's garbage in the GUI thread, and in no other."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer, Slot

_INTERVAL_MS = 250


class GarbageCollector(QObject):
    """Takes Python's collector over, for the rest of the program.

    By itself Python collects in whichever thread happens to allocate. Qt objects in a cycle would
    then be destroyed in a thread that is not theirs, which ends the program sooner or later.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=_INTERVAL_MS)
        self._timer.timeout.connect(self._on_tick)
        self._timer.start()

    @Slot()
    def _on_tick(self) -> None:
        """Collects what Python would have collected by now."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        # An older generation is looked at only along with the younger ones.
        due = [count > most for count, most in zip(counts, thresholds, strict=True)]
        young = due.index(False) if False in due else len(due)
        if young:
            gc.collect(young - 1)
