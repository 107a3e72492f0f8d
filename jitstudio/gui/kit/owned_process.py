"""A program that runs beside the window, and not longer than the owner."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, QProcess, Slot

_WAIT_MS = 2_000


class OwnedProcess(QProcess):
    """Ends with the owner or the application, whichever is first, and reports nothing then.

    Args:
        owner: The object that the process runs for.
        is_asked: Whether it is asked to end first, as it has something to save.
    """

    def __init__(self, owner: QObject, *, is_asked: bool = False) -> None:
        super().__init__(owner)
        self._is_asked = is_asked
        owner.destroyed.connect(self.end)
        application = QCoreApplication.instance()
        assert application is not None
        application.aboutToQuit.connect(self.end)

    @property
    def is_running(self) -> bool:
        """Whether the process has been started, and has not ended."""
        return self.state() is not QProcess.ProcessState.NotRunning

    def output(self) -> str:
        """Returns the printed text; nothing where the process was killed while printing."""
        if self.exitStatus() is not QProcess.ExitStatus.NormalExit:
            return ""
        return bytes(self.readAllStandardOutput().data()).decode("utf-8", "replace")

    def errors(self) -> str:
        """Returns the text printed on standard error since the last call."""
        return bytes(self.readAllStandardError().data()).decode("utf-8", "replace")

    @Slot()
    def end(self) -> None:
        """Ends the process, and waits for the end."""
        if not self.is_running:
            return
        # Whoever listens is closed, or about to go.
        self.blockSignals(True)
        if self._is_asked:
            self.terminate()
            if self.waitForFinished(_WAIT_MS):
                return
        self.kill()
        self.waitForFinished(_WAIT_MS)
