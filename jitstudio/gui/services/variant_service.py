"""Carries out plans of variants: a thread that waits for builds and launches."""

from __future__ import annotations

import logging
from collections.abc import Collection
from threading import Lock
from typing import TYPE_CHECKING

from PySide6.QtCore import QDeadlineTimer, QObject, QThread, Signal, Slot

from jitstudio.core.axes import VariantError
from jitstudio.gui.services.request_queue import wait_for

if TYPE_CHECKING:
    # Loaded late: see `banned-module-level-imports` in pyproject.toml.
    from jitstudio.variants.engine import VariantRun
    from jitstudio.variants.plan import VariantPlan
    from jitstudio.variants.rows import VariantTable

_log = logging.getLogger(__name__)


class VariantService(QObject):
    """Carries out a plan of variants at a time on this machine.

    Its thread and its processes start with a run and end with it.

    Signals:
        row_changed: A variant has come further, a `VariantRow`; at first each waits.
        finished: The `VariantTable` of all variants, also of a run that was cancelled.
        failed: It could not be carried out, and why.
    """

    row_changed = Signal(object)
    finished = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: _RunThread | None = None

    @property
    def is_running(self) -> bool:
        """Whether a plan is running."""
        return self._thread is not None

    def start(
        self, plan: VariantPlan, devices: Collection[int] | None = None, *, timed: bool = False
    ) -> None:
        """Begins with a plan, unless a plan is running.

        Args:
            plan: The plan of variants.
            devices: Ordinals of the GPUs to use; None for all.
            timed: Whether each build has the machine to itself, so that its time is true.
        """
        if self._thread is not None:
            return
        self._thread = _RunThread(plan, devices, timed)
        # Emitted in the thread, it reaches the slots of others in the GUI thread.
        self._thread.row_changed.connect(self.row_changed)
        self._thread.finished.connect(self._on_thread_finished)
        self._thread.start()

    @Slot()
    def cancel(self) -> None:
        """Starts nothing new and ends the running variants."""
        if self._thread is not None:
            self._thread.cancel()

    def begin_closing(self) -> None:
        """Ends the run with processes and thread."""
        self.cancel()

    def wait_closed(self, deadline: QDeadlineTimer) -> None:
        """Waits until run and thread have ended, but no longer than `deadline`."""
        if self._thread is not None:
            wait_for(self._thread, deadline)

    @Slot()
    def _on_thread_finished(self) -> None:
        # By now its processes are gone, and the next run may begin.
        thread, self._thread = self._thread, None
        if thread is None:
            return
        if isinstance(thread.outcome, str):
            self.failed.emit(thread.outcome)
        else:
            self.finished.emit(thread.outcome)
        thread.deleteLater()


class _RunThread(QThread):
    """A run of a plan, from the first process to the last.

    Attributes:
        outcome: The result, or why there is none; complete once the thread is finished.
    """

    row_changed = Signal(object)

    def __init__(self, plan: VariantPlan, devices: Collection[int] | None, timed: bool) -> None:
        super().__init__()
        self.setObjectName("variants")
        self.outcome: VariantTable | str = ""
        self._plan = plan
        self._devices = devices
        self._timed = timed
        self._lock = Lock()
        self._cancelled = False
        self._run: VariantRun | None = None

    def run(self) -> None:
        """Carries out the plan."""
        try:
            self.outcome = self._carry_out()
        except VariantError as error:
            self.outcome = str(error)
        except Exception as error:
            # Whatever it was, the window must not go on waiting for it.
            _log.exception("The run of variants failed")
            form = self.tr("The run failed: {problem}")
            self.outcome = form.format(problem=str(error) or type(error).__name__)

    def cancel(self) -> None:
        """Ends the run, now or as soon as begun."""
        with self._lock:
            self._cancelled = True
            if self._run is not None:
                self._run.cancel()

    def _carry_out(self) -> VariantTable:
        from jitstudio.variants.engine import VariantRun
        from jitstudio.variants.rows import VariantRow  # noqa: PLC0415
        from jitstudio.variants.sites import local, timing

        open_sites = timing if self._timed else local
        with open_sites(launches=self._plan.launches) as sites:
            run = VariantRun(
                self._plan,
                sites,
                devices=self._devices,
                reads=True,
                on_row=self.row_changed.emit,
            )
            for variant in run.variants:
                self.row_changed.emit(VariantRow(variant))
            with self._lock:
                self._run = run
                if self._cancelled:
                    run.cancel()
            return run.run()
