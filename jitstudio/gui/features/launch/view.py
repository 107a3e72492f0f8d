"""The launch panel: what to launch above, what came of it below."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from jitstudio.gui.features.launch.form.launch_form import LaunchForm
from jitstudio.gui.features.launch.results.launch_results import LaunchResults
from jitstudio.gui.state.launch_specs import LaunchSpecs

# Of the height, in any unit.
_SHARES = (480, 420)


class LaunchPanel(QWidget):
    """Form and results, one above the other.

    Attributes:
        form: What to launch.
        results: What came of it.

    Signals:
        first_shown: Somebody looks at it for the first time.
    """

    first_shown = Signal()

    def __init__(self, specs: LaunchSpecs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("launchPanel")
        self.form = LaunchForm(specs)
        self.results = LaunchResults()
        self._was_shown = False
        parts = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        parts.setObjectName("launchSplitter")
        parts.addWidget(self.form)
        parts.addWidget(self.results)
        parts.setSizes(_SHARES)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(parts)
        self.setFocusProxy(self.form)

    def showEvent(self, event: QShowEvent) -> None:
        """Reports the first time: looking for GPUs starts a process that few builds need."""
        super().showEvent(event)
        if not self._was_shown:
            self._was_shown = True
            self.first_shown.emit()
