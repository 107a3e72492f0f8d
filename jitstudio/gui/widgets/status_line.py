"""The line below everything: state of the build, tools, target and cursor."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QLabel, QStatusBar, QToolButton, QWidget

from jitstudio.core.arch import Arch
from jitstudio.core.diagnostics import Severity
from jitstudio.core.result import ENDINGS, BuildResult
from jitstudio.core.tools import ToolchainInfo
from jitstudio.gui.icons import icon
from jitstudio.gui.theme import Theme

_TICK_MS = 100
# Shorter builds need no clock: it would only flicker.
_CLOCK_AFTER_MS = 400
_TOLD_MS = 8000


class StatusLine(QStatusBar):
    """Tells how the build stands.

    Signals:
        problems_requested: The user clicked on the state of the build.
    """

    problems_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusBar")
        self._theme = theme
        self._icon_name = "info"
        self._doing = ""
        self._clock = QElapsedTimer()
        self._ticker = QTimer(self, interval=_TICK_MS)
        self._ticker.timeout.connect(self._on_tick)
        self._state = QToolButton(autoRaise=True)
        self._state.setObjectName("buildState")
        self._state.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._state.setAccessibleName("State of the build; press to see the problems")
        self._state.clicked.connect(self.problems_requested)
        self._tools = QLabel("Looking for the compilers…")
        self._target = QLabel()
        self._position = QLabel()
        self._target.setObjectName("targetLabel")
        self._position.setObjectName("positionLabel")
        self.addWidget(self._state)
        for label in (self._position, self._target, self._tools):
            label.setContentsMargins(8, 0, 8, 0)
            self.addPermanentWidget(label)
        self._set_state("info", "Nothing built yet")

    @property
    def state(self) -> str:
        """What is said of the build."""
        return self._state.text()

    @Slot(str)
    def tell(self, message: str) -> None:
        """Say something for some seconds."""
        self.showMessage(message, _TOLD_MS)

    @Slot(str)
    def show_building(self, what: str) -> None:
        """A build is on its way; what was told before it, such as a refusal, is over."""
        self.clearMessage()
        self._doing = what
        self._clock.start()
        self._ticker.start()

    @Slot(str)
    def show_progress(self, doing: str) -> None:
        """Say what is being done now."""
        self._doing = doing

    @Slot()
    def show_ended(self) -> None:
        """No build is on its way."""
        self._ticker.stop()

    @Slot(object)
    def show_result(self, result: BuildResult | None) -> None:
        """Say what the last build came to."""
        if result is None:
            self._set_state("info", "Nothing built yet")
            return
        counts = {
            severity: sum(d.severity is severity for d in result.diagnostics)
            for severity in (Severity.ERROR, Severity.WARNING)
        }
        told = [_counted(count, severity.value) for severity, count in counts.items() if count]
        text = ENDINGS[result.outcome]
        if result.total_ms:
            text += f" in {result.total_ms / 1000:.2f} s"
        icon_name = "error" if not result.ok else "warning" if told else "success"
        self._set_state(icon_name, f"{text}, {', '.join(told)}" if told else text)

    @Slot(Arch)
    def show_target(self, arch: Arch) -> None:
        """Say what is built for."""
        self._target.setText(arch.sm)

    @Slot(int, int)
    def show_position(self, line: int, column: int) -> None:
        """Say where the cursor is, counted from 1; zeros where there is none."""
        self._position.setText(f"Line {line}, column {column}" if line else "")

    @Slot(ToolchainInfo)
    def show_toolchain(self, info: ToolchainInfo) -> None:
        """Say which tools are here."""
        found = [f"{tool.tool.value} {tool.version or 'missing'}" for tool in info.tools]
        self._tools.setText(" · ".join(found))
        problems = [tool.problem for tool in info.tools if tool.problem]
        self._tools.setToolTip("\n".join(problems) or "Help > Toolchain tells more")

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self._set_state(self._icon_name, self._state.text())

    def _set_state(self, icon_name: str, text: str) -> None:
        self._icon_name = icon_name
        marks = self._theme.marks
        self._state.setIcon(icon(icon_name, getattr(marks, icon_name, self._theme.ui.accent)))
        self._state.setText(text)

    @Slot()
    def _on_tick(self) -> None:
        if self._clock.elapsed() >= _CLOCK_AFTER_MS:
            self._set_state("build", f"{self._doing}, {self._clock.elapsed() / 1000:.1f} s")


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
