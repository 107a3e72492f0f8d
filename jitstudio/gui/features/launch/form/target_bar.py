"""The kernel to launch, the GPU or the simulator, and the button that launches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from jitstudio.core.diagnostics import Fix
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import KernelForm
from jitstudio.gui.features.launch.form.arguments_view import no_kernel
from jitstudio.gui.features.launch.models.launch_text import device_text
from jitstudio.gui.kit.field_rows import FieldRows, ProblemLabel
from jitstudio.gui.kit.parts import FRAMED, show_tip
from jitstudio.gui.kit.presentation import plain_tooltip

# So that the form needs no more room than for its fields; in one row where there is room.
_LEAST_COLUMNS = 2
_LETTERS = 5


class TargetBar(FieldRows):
    """Two choices and a button that runs or stops.

    Signals:
        device_chosen: The user wants this GPU or the simulator, by its ordinal.
        kernel_chosen: The user wants this kernel, by its title.
        fix_requested: The user wants this fix of a problem.
    """

    device_chosen = Signal(int)
    kernel_chosen = Signal(str)
    fix_requested = Signal(Fix)

    def __init__(self, parent: QWidget | None = None) -> None:
        # In a narrow dock the room is for names of kernels.
        super().__init__(parent, _LETTERS)
        self.setObjectName("targetBar")
        self._has_hint = self._is_brief = False
        self._device_tip = self.tr("The GPU to launch on, or the simulator")
        self._kernel = _combo(
            self, "kernelCombo", self.tr("Kernel"), self.tr("The kernel to launch")
        )
        self._device = _combo(self, "deviceCombo", self.tr("GPU"), self._device_tip)
        self._run, self._stop = _button(self, "runButton"), _button(self, "stopButton")
        self._stop.hide()
        fields = (self._kernel, self._run, self._stop)
        self.add(self.tr("&Kernel"), *fields, places={"kernel": self._kernel}, stretched=0)
        self.add(
            self.tr("&GPU"), self._device, places={"device": self._device, "code": self._device}
        )
        self._hint = self.add_hint("deviceHint")
        self._instead = QWidget(self)
        self._instead_grid = QGridLayout(self._instead)
        self._instead_grid.setContentsMargins(0, 0, 0, 0)
        self._instead_buttons: list[QToolButton] = []
        self.add_below(self._instead)
        self._fix: Fix | None = None
        self._fix_button = QPushButton(self)
        self._fix_button.setObjectName("launchFixButton")
        self._fix_button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._fix_button.clicked.connect(self._on_fix_clicked)
        self._fix_button.hide()
        self.add_below(self._fix_button)
        self._general = ProblemLabel(self)
        self._general.setObjectName("launchProblem")
        self.add_wide(self._general)
        self._kernel.activated.connect(self._on_kernel_activated)
        self._device.activated.connect(self._on_device_activated)
        self.set_kernels((), "")
        self.set_devices(DeviceList())

    def set_actions(self, run: QAction, stop: QAction, instead: Sequence[QAction] = ()) -> None:
        """Puts the commands that run and stop onto buttons, and the commands without a GPU."""
        # Beside the name of the kernel; the tip says it in full.
        run.setIconText(self.tr("Run"))
        self._run.setDefaultAction(run)
        self._stop.setDefaultAction(stop)
        for action in instead:
            button = _button(self._instead, f"{action.objectName()}Instead")
            button.setDefaultAction(action)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self._instead_buttons.append(button)
        self._arrange()
        order = (self._kernel, self._run, self._stop, self._device, *self._instead_buttons)
        for before, behind in pairwise((*order, self._fix_button)):
            QWidget.setTabOrder(before, behind)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts the buttons into a single row where there is room."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        buttons, grid = self._instead_buttons, self._instead_grid
        width = sum(b.sizeHint().width() + grid.horizontalSpacing() for b in buttons)
        has_room = width <= self._device.width()
        columns = len(buttons) if has_room else _LEAST_COLUMNS
        for column in range(grid.columnCount()):
            grid.setColumnStretch(column, 0)
        for place, button in enumerate(buttons):
            grid.addWidget(button, *divmod(place, columns))
        grid.setColumnStretch(columns, 1)

    def show_problems(self, problems: tuple[SpecProblem, ...]) -> None:
        """Shows the problems of kernel, GPU and code, and offers the first fix."""
        super().show_problems(problems)
        self._fix = next((p.fix for p in problems if p.fix is not None), None)
        self._fix_button.setVisible(self._fix is not None)
        if self._fix is not None:
            self._fix_button.setText(self._fix.label)

    def set_running(self, running: bool) -> None:
        """Shows the command that can be given now."""
        button, hidden = (self._stop, self._run) if running else (self._run, self._stop)
        had_focus = hidden.hasFocus()
        button.show()
        hidden.hide()
        if had_focus:
            button.setFocus()

    @property
    def kernel(self) -> str:
        """The title of the kernel chosen; empty where there is none."""
        return self._kernel.currentData() or ""

    def set_kernels(self, forms: tuple[KernelForm, ...], chosen: str) -> None:
        """Offers kernels, with the title of the chosen kernel."""
        with QSignalBlocker(self._kernel):
            self._kernel.clear()
            for form in forms:
                self._kernel.addItem(form.title, form.title)
                place = form.module
                if form.line:
                    message = self.tr("{module}, line {line}")
                    place = message.format(module=form.module, line=form.line)
                tip = plain_tooltip("\n".join(filter(None, (form.title, place))))
                self._kernel.setItemData(self._kernel.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
            self._kernel.setCurrentIndex(self._kernel.findData(chosen))
        self._kernel.setEnabled(bool(forms))
        self._kernel.setPlaceholderText("" if forms else no_kernel())

    @property
    def device(self) -> int | None:
        """The ordinal of the chosen GPU or simulator; None before the search for GPUs has ended."""
        ordinal: int | None = self._device.currentData()
        return ordinal

    def set_devices(self, devices: DeviceList) -> None:
        """Offers GPUs and the simulator; the choice stays."""
        chosen = self.device
        looked = bool(devices.devices or devices.problem)
        driver = self.tr("Driver for CUDA {version}").format(version=devices.driver_version)
        simulator = self.tr("Runs the PTX without a GPU, and counts what each line does")
        with QSignalBlocker(self._device):
            self._device.clear()
            for device in devices.choices if looked else ():
                self._device.addItem(device_text(device), device.ordinal)
                tip = f"{device_text(device)}\n{simulator if device.is_simulated else driver}"
                row = self._device.count() - 1
                self._device.setItemData(row, plain_tooltip(tip), Qt.ItemDataRole.ToolTipRole)
        self._device.setEnabled(looked)
        self._device.setPlaceholderText(self.tr("Looking for GPUs…"))
        next_steps = self.tr(
            "The simulator runs the kernel here and counts what each line does, without times."
        )
        # The rest of the problem is of no use while the simulator is at hand.
        self._hint.setText(f"{devices.problem.partition('. ')[0].rstrip('.')}. {next_steps}")
        show_tip(self._hint, devices.problem)
        self._has_hint = bool(devices.problem)
        self._show_hint()
        self.set_device(0 if chosen is None else chosen)

    def set_brief(self, on: bool) -> None:
        """Leaves out fields that no launch needs, in a low pane, or shows all."""
        if on != self._is_brief:
            self._is_brief = on
            self._show_hint()

    def _show_hint(self) -> None:
        for part in (self._hint, self._instead):
            part.setVisible(self._has_hint and not self._is_brief)

    def set_device(self, ordinal: int) -> None:
        """Chooses a GPU or the simulator; the first where `ordinal` is gone."""
        place = self._device.findData(ordinal)
        self._device.setCurrentIndex(place if place >= 0 or not self._device.count() else 0)
        self._show_device_tip()

    def show_general(self, problems: tuple[SpecProblem, ...]) -> None:
        """Shows the problems that belong to no field."""
        self._general.show_problems(problems)

    def _show_device_tip(self) -> None:
        # In a narrow dock its text is cut.
        tips = (self._device_tip, self._device.currentText())
        show_tip(self._device, "\n".join(filter(None, tips)))

    @Slot()
    def _on_fix_clicked(self) -> None:
        if self._fix is not None:
            self.fix_requested.emit(self._fix)

    @Slot()
    def _on_kernel_activated(self) -> None:
        self.kernel_chosen.emit(self.kernel)

    @Slot()
    def _on_device_activated(self) -> None:
        self._show_device_tip()
        if self.device is not None:
            self.device_chosen.emit(self.device)


def _combo(parent: QWidget, name: str, title: str, meaning: str) -> QComboBox:
    combo = QComboBox(parent)
    combo.setObjectName(name)
    combo.setAccessibleName(title)
    combo.setToolTip(meaning)
    combo.setMinimumContentsLength(6)
    combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return combo


def _button(parent: QWidget, name: str) -> QToolButton:
    button = QToolButton(parent)
    button.setObjectName(name)
    # Unlike the flat buttons of a toolbar: this one is what the form is for.
    button.setProperty(FRAMED, True)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    # In a low pane the fields below scroll; the button stays whole.
    button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    return button
