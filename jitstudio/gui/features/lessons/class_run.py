"""Judges the hand-ins of a class, by `jitstudio lesson class`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, Signal, Slot

from jitstudio.gui.features.lessons.answers import JudgedPupil, judged_pupil, reason_of_end
from jitstudio.gui.kit.owned_process import OwnedProcess

# -P: what lies in the current folder is none of our modules.
_COMMAND = ("-P", "-m", "jitstudio", "lesson", "class", "--json")
_START = ("{", ",{")
"""How the line of a pupil begins, the first and the others."""
_OPENING = '{"pupils"'


class ClassRun(QObject):
    """Judges a class at a time.

    Signals:
        judged: A pupil is judged.
        ended: All are judged, or the run was stopped or has failed; with the reason of a failure.
    """

    judged = Signal(JudgedPupil)
    ended = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._was_stopped = False
        self._process = OwnedProcess(self)
        self._process.readyReadStandardOutput.connect(self._on_printed)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)

    @property
    def is_running(self) -> bool:
        """Whether a class is being judged."""
        return self._process.is_running

    @property
    def was_stopped(self) -> bool:
        """Whether the user has ended the last run before all were judged."""
        return self._was_stopped

    def start(self, folder: Path, teacher: Path | None) -> None:
        """Judges the folders in `folder`, by the lesson in `teacher` if given."""
        self._was_stopped = False
        by = ["--by", str(teacher)] if teacher else []
        self._process.start(sys.executable, [*_COMMAND, str(folder), *by])

    def stop(self) -> None:
        """Ends the run soon, if one is under way."""
        if self.is_running:
            self._was_stopped = True
            self._process.kill()

    @Slot()
    def _on_printed(self) -> None:
        while self._process.canReadLine():
            line = bytes(self._process.readLine().data()).decode().strip()
            if line.startswith(_START) and not line.startswith(_OPENING):
                self.judged.emit(judged_pupil(json.loads(line.removeprefix(","))))

    @Slot()
    def _on_finished(self) -> None:
        self._on_printed()
        has_crashed = self._process.exitStatus() is not QProcess.ExitStatus.NormalExit
        has_failed = not self._was_stopped and (has_crashed or self._process.exitCode() != 0)
        # The last line before a crash need not be about it.
        errors = "" if has_crashed else self._process.errors()
        self.ended.emit(reason_of_end(errors) if has_failed else "")

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            problem = self.tr("The check cannot be started: {reason}.")
            self.ended.emit(problem.format(reason=self._process.errorString()))
