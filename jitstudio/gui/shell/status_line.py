"""The line below everything: state of the build, tools, target and cursor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QSize, Qt, QTime, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QSizePolicy,
    QStatusBar,
    QToolButton,
    QWidget,
)

from jitstudio.core.arch import Arch
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.device import Device, DeviceList
from jitstudio.core.result import ENDINGS, BuildResult, Outcome
from jitstudio.core.toolchain_info import ToolchainInfo
from jitstudio.core.tools import OPTIONAL_TOOLS
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.parts import show_icon, show_tip
from jitstudio.gui.kit.presentation import duration_text
from jitstudio.gui.kit.theme import current_theme, when_theme_changes
from jitstudio.gui.kit.translating import counted

_TICK_MS = 100
# Shorter builds need no clock: it would only flicker.
_CLOCK_AFTER_MS = 400
_TOLD_MS = 8000
_BUSY_SIZE = QSize(90, 6)
# The facts yield to this much of the state, and keep this far from the edges.
_STATE_WIDTH, _MARGINS = 260, 16
_LEAST_WIDTH = 240
# Of these no listing, log or problem is any newer.
_UNTRIED = frozenset((Outcome.CANCELLED, Outcome.REFUSED))

Fact = QLabel | QToolButton

_SPACING = 16


class StatusLine(QStatusBar):
    """Shows the state of the build, and the tools.

    Signals:
        problems_requested: The user clicked on the state of the build.
        cancel_requested: The user wants the build ended.
        gpus_requested: The user wants GPUs to be looked for.
    """

    problems_requested = Signal()
    cancel_requested = Signal()
    gpus_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusBar")
        self.setSizeGripEnabled(False)
        self._icon_name = "info"
        self._text = ""
        self._doing = ""
        self._clock = QElapsedTimer()
        self._ticker = QTimer(self, interval=_TICK_MS)
        self._ticker.timeout.connect(self._on_tick)
        when_theme_changes(self, StatusLine._show_state)
        self._state = QToolButton(autoRaise=True)
        self._state.setObjectName("buildState")
        self._state.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._state.setAccessibleName(self.tr("State of the build; press to see the problems"))
        self._state.clicked.connect(self.problems_requested)
        self._busy = QProgressBar(textVisible=False)
        self._busy.setObjectName("buildProgress")
        self._busy.setAccessibleName(self.tr("A build is running"))
        self._busy.setRange(0, 0)
        self._busy.setFixedSize(_BUSY_SIZE)
        self._cancel = QToolButton(autoRaise=True)
        self._cancel.setObjectName("cancelBuild")
        self._cancel.setText(self.tr("Cancel"))
        show_icon(self._cancel, "stop")
        self._cancel.setToolTip(self.tr("End the running build"))
        self._cancel.clicked.connect(self.cancel_requested)
        self._position = _fact("positionLabel")
        self._encoding = _fact("encodingLabel")
        self._target = _fact("targetLabel")
        self._gpu = QToolButton(autoRaise=True)
        self._gpu.setObjectName("gpuButton")
        self._gpu.setWhatsThis(self.tr("The GPU that kernels are launched on; press to look."))
        self._gpu.clicked.connect(self.gpus_requested)
        self._tools = _fact("toolsLabel")
        self._built = _fact("builtLabel")
        self._built_at = ""
        self._facts = StatusFacts(
            (self._position, self._encoding, self._target, self._gpu, self._tools, self._built),
            (self._tools, self._built, self._encoding, self._gpu, self._target, self._position),
        )
        self._facts.needs_changed.connect(self._fit)
        for widget in (self._state, self._busy, self._cancel):
            self.addWidget(widget)
        self.addPermanentWidget(self._facts)
        self.messageChanged.connect(self._fit)
        self._state.installEventFilter(self)
        self._tools.setText(self.tr("Looking for the compilers…"))
        self._show_busy(False)
        self._set_state("info", self.tr("Nothing built yet"))
        self.show_devices(None)

    @property
    def state(self) -> str:
        """The words about the build."""
        return self._text

    @Slot(str)
    def show_message(self, message: str) -> None:
        """Says something for some seconds."""
        self.showMessage(message, _TOLD_MS)

    @Slot(str)
    def show_building(self, what: str) -> None:
        """Shows that a build is running; earlier messages, such as a refusal, are over."""
        self.clearMessage()
        clock = QElapsedTimer()
        clock.start()
        self.show_side_build(what, clock)

    def show_side_build(self, what: str, clock: QElapsedTimer) -> None:
        """Shows that a build is running, since the start of `clock` if started."""
        self._doing, self._clock = what, clock
        self._ticker.start()

    @Slot(str)
    def show_progress(self, doing: str) -> None:
        """Shows the present step of the build."""
        self._doing = doing

    @Slot()
    def show_ended(self) -> None:
        """Shows that no build is running."""
        self._ticker.stop()
        self._show_busy(False)
        self._fit()

    @Slot(object, BuildResult)
    def show_built(self, _subject: object, result: BuildResult) -> None:
        """Shows the time of the last build."""
        if result.outcome not in _UNTRIED:
            now = QTime.currentTime().toString("HH:mm:ss")
            self._built_at = self.tr("Built at {time}").format(time=now)
            self._built.setText(self._built_at)
            self._fit()

    @Slot(object)
    def show_result(self, result: BuildResult | None) -> None:
        """Shows the result of the last build."""
        self._built.setText(self._built_at if result is not None else "")
        self._fit()
        if result is None:
            self._set_state("info", self.tr("Nothing built yet"))
            return
        counts = Counter(diagnostic.severity for diagnostic in result.diagnostics)
        words = {
            Severity.ERROR: (self.tr("{count} error"), self.tr("{count} errors")),
            Severity.WARNING: (self.tr("{count} warning"), self.tr("{count} warnings")),
        }
        message = [counted(counts[kind], *words[kind]) for kind in words if counts[kind]]
        text = ENDINGS[result.outcome]
        if result.total_ms:
            took = self.tr("{ending} in {time}")
            text = took.format(ending=text, time=duration_text(result.total_ms))
        icon_name = "error" if not result.ok else "warning" if message else "success"
        self._set_state(icon_name, f"{text}, {', '.join(message)}" if message else text)

    @Slot(Arch)
    def show_target(self, arch: Arch) -> None:
        """Shows the target of builds."""
        self._target.setText(arch.sm)
        self._fit()

    @Slot(int, int)
    def show_position(self, line: int, column: int) -> None:
        """Says where the cursor is, counted from 1; zeros where there is none."""
        place = self.tr("Line {line}, column {column}").format(line=line, column=column)
        self._position.setText(place if line else "")
        self._fit()

    def show_encoding(self, encoding: str, line_ends: str) -> None:
        """Shows encoding and line ends of the current text; nothing for other than text."""
        self._encoding.setText(" · ".join(filter(None, (encoding, line_ends))))
        self._fit()

    def show_devices(self, devices: DeviceList | None, chosen: Device | None = None) -> None:
        """Says which GPU kernels are launched on; without a list, that they are not known yet."""
        if devices is None:
            text, tip = self.tr("GPU: not checked yet"), self.tr("Press to look for GPUs")
        elif chosen is None:
            text, tip = self.tr("No GPU"), devices.problem
        else:
            text, tip = chosen.name, self.tr("Kernels are launched here; press to look again")
        self._gpu.setText(text)
        show_tip(self._gpu, tip)
        self._fit()

    @Slot(ToolchainInfo)
    def show_toolchain(self, info: ToolchainInfo) -> None:
        """Says which tools are missing; Help > Toolchain has the versions of the others."""
        missing = self.tr("{tool} is missing")
        lacking = [t for t in info.tools if not t.version and t.tool not in OPTIONAL_TOOLS]
        words = [missing.format(tool=tool.tool.value) for tool in lacking]
        self._tools.setText(" · ".join(words))
        show_tip(self._tools, "\n".join(info.problems))
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Little: facts yield, and a window can be narrow."""
        return QSize(_LEAST_WIDTH, super().minimumSizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hides the state while a message is shown: Qt shows the state when the bar grows."""
        if event.type() == QEvent.Type.Show and self.currentMessage():
            self._state.hide()
            # Hidden by the bar, which shows it again, and not for good.
            self._state.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, False)
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shows as much as there is room for."""
        super().resizeEvent(event)
        self._fit()

    def _set_state(self, icon_name: str, text: str) -> None:
        self._icon_name, self._text = icon_name, text
        self._show_state()

    def _show_state(self) -> None:
        icon_name, text = self._icon_name, self._text
        theme = current_theme()
        self._state.setIcon(icon(icon_name, getattr(theme.marks, icon_name, theme.ui.accent)))
        self._state.setText(text)
        show_tip(self._state, text)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        self._facts.fit(self.width() - self._needed_left() - _MARGINS)
        # What has yielded can be read all the same.
        show_tip(self, "\n".join(self._facts.texts))

    def _needed_left(self) -> int:
        """Returns the width of the state, or of the temporary message."""
        if message := self.currentMessage():
            return self.fontMetrics().horizontalAdvance(message)
        busy = self._busy.sizeHint().width() + self._cancel.sizeHint().width()
        state = min(self._state.sizeHint().width(), _STATE_WIDTH)
        return state + (busy if self._ticker.isActive() else 0)

    def _show_busy(self, busy: bool) -> None:
        self._busy.setVisible(busy)
        self._cancel.setVisible(busy)

    @Slot()
    def _on_tick(self) -> None:
        if self._clock.isValid() and self._clock.elapsed() >= _CLOCK_AFTER_MS:
            text = self.tr("{doing}, {seconds:.1f} s")
            seconds = self._clock.elapsed() / 1000
            self._set_state("build", text.format(doing=self._doing, seconds=seconds))
            self._show_busy(True)


def _fact(name: str) -> QLabel:
    label = QLabel(textFormat=Qt.TextFormat.PlainText)
    label.setObjectName(name)
    return label


class StatusFacts(QWidget):
    """A row of facts that never needs more room than there is.

    Args:
        facts: In the order in which they are.
        yielding: The same in the order in which they go where there is little room.

    Signals:
        needs_changed: A fact needs another width, as its letters are others.
    """

    needs_changed = Signal()

    def __init__(
        self, facts: Sequence[Fact], yielding: Sequence[Fact], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._facts = tuple(facts)
        self._yielding = tuple(yielding)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, _SPACING // 2, 0)
        row.setSpacing(_SPACING)
        row.setAlignment(Qt.AlignmentFlag.AlignRight)
        for fact in self._facts:
            row.addWidget(fact)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def event(self, event: QEvent) -> bool:
        """Tells that facts have other letters."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.needs_changed.emit()
        return done

    @property
    def texts(self) -> list[str]:
        """The texts of all facts, also of facts without room."""
        return [fact.text() for fact in self._facts if fact.text()]

    def fit(self, room: int) -> None:
        """Shows as many facts as fit into `room` pixels."""
        shown = [fact for fact in self._facts if fact.text()]
        for fact in self._yielding:
            if self._width(shown) <= room:
                break
            shown = [other for other in shown if other is not fact]
        for fact in self._facts:
            fact.setVisible(fact in shown)
        self.setFixedWidth(min(self._width(shown), max(0, room)))

    def _width(self, facts: Sequence[Fact]) -> int:
        # Both follow the zoom.
        row = self._row
        spacing, margin = row.spacing(), row.contentsMargins().right()
        return sum(fact.sizeHint().width() + spacing for fact in facts) + margin
