"""The background of sweeps: a thread that waits for builds and launches, and tells of each."""

from __future__ import annotations

import logging
from collections.abc import Collection
from threading import Lock
from typing import Any

from PySide6.QtCore import QDeadlineTimer, QObject, QThread, Signal, Slot

from jitstudio.core.sweep.plan import SweepError, SweepPlan
from jitstudio.core.sweep.result import SweepResult, VariantResult
from jitstudio.gui.kit.late import Late

_log = logging.getLogger(__name__)


class SweepService(QObject):
    """Carries out one sweep at a time on this machine.

    Its thread and its processes start with a sweep and end with it.

    Signals:
        started: The sweep is on its way; how many variants it has.
        row_done: What came of one of them.
        finished: What came of all of them, also of a sweep that was cancelled.
        failed: It could not be carried out, in words.
    """

    started = Signal(int)
    row_done = Signal(VariantResult)
    finished = Signal(SweepResult)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: _SweepThread | None = None

    @property
    def is_running(self) -> bool:
        """Whether a sweep is on its way."""
        return self._thread is not None

    def start(self, plan: SweepPlan, devices: Collection[int] | None = None) -> None:
        """Begin with a sweep, unless one is on its way.

        Args:
            plan: What is varied.
            devices: Ordinals of the GPUs to use; None for all.
        """
        if self._thread is not None:
            return
        self._thread = _SweepThread(plan, devices)
        # Emitted in the thread, they reach the slots of others in the GUI thread.
        self._thread.began.connect(self.started)
        self._thread.told.connect(self.row_done)
        self._thread.finished.connect(self._on_thread_finished)
        self._thread.start()

    @Slot()
    def cancel(self) -> None:
        """Let nothing new begin and end what is in progress."""
        if self._thread is not None:
            self._thread.cancel()

    def begin_closing(self) -> None:
        """End the sweep, its processes and its thread."""
        self.cancel()

    def wait_closed(self, deadline: QDeadlineTimer) -> None:
        """Wait until all have ended, but no longer than this."""
        if self._thread is not None:
            self._thread.wait(deadline)

    @Slot()
    def _on_thread_finished(self) -> None:
        # By now its processes are gone, and the next sweep may begin.
        thread, self._thread = self._thread, None
        if thread is None:
            return
        if isinstance(thread.outcome, SweepResult):
            self.finished.emit(thread.outcome)
        else:
            self.failed.emit(thread.outcome)
        thread.deleteLater()


class _SweepThread(QThread):
    """One sweep, from its first process to its last.

    Attributes:
        outcome: The result, or why there is none; complete once the thread is finished.
    """

    began = Signal(int)
    told = Signal(VariantResult)

    def __init__(self, plan: SweepPlan, devices: Collection[int] | None) -> None:
        super().__init__()
        self.setObjectName("sweep")
        self.outcome: SweepResult | str = ""
        self._plan = plan
        self._devices = devices
        self._lock = Lock()
        self._cancelled = False
        self._sweep: Any = None

    def run(self) -> None:
        """Carry it out."""
        try:
            self.outcome = self._carry_out()
        except SweepError as error:
            self.outcome = str(error)
        except Exception as error:
            # Whatever it was, the window must not go on waiting for it.
            _log.exception("The sweep failed")
            told = self.tr("The sweep failed: {problem}")
            self.outcome = told.format(problem=str(error) or type(error).__name__)

    def cancel(self) -> None:
        """End it, now or as soon as it has begun."""
        with self._lock:
            self._cancelled = True
            if self._sweep is not None:
                self._sweep.cancel()

    def _carry_out(self) -> SweepResult:
        with Late.LOCAL_SITES.get()() as places:
            sweep = Late.SWEEP.get()(
                self._plan, places, devices=self._devices, on_row=self.told.emit
            )
            self.began.emit(len(sweep.variants))
            with self._lock:
                self._sweep = sweep
                if self._cancelled:
                    sweep.cancel()
            result: SweepResult = sweep.run()
            return result
