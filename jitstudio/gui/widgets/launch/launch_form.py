"""What to launch: the kernel and its GPU, arguments, how many threads, how often, what to check.

Holds what was typed for each kernel in `LaunchSpecs`; launches nothing itself.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QScrollArea, QVBoxLayout, QWidget

from jitstudio.core.launch.choice import choose_form
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.problems import SpecError, SpecProblem
from jitstudio.core.launch.signature import KernelForm
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.theme import Theme
from jitstudio.gui.widgets.launch.arguments_view import ArgumentsView
from jitstudio.gui.widgets.launch.check_form import CheckForm
from jitstudio.gui.widgets.launch.configuration_form import ConfigurationForm
from jitstudio.gui.widgets.launch.run_options import RunOptions
from jitstudio.gui.widgets.launch.section import Section
from jitstudio.gui.widgets.launch.target_bar import TargetBar

# From so many characters on, there are two columns.
_WIDE = 105


class LaunchForm(QWidget):
    """The whole form, in two columns where there is room.

    Signals:
        spec_changed: The user changed the launch; the new `LaunchSpec`.
        device_chosen: The user chose the GPU of this ordinal.
        kernel_chosen: The user chose the kernel of this title.
        fix_requested: The user wants this `Fix` done.
    """

    spec_changed = Signal(object)
    device_chosen = Signal(int)
    kernel_chosen = Signal(str)
    fix_requested = Signal(object)

    def __init__(self, specs: LaunchSpecs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("launchForm")
        self._specs = LaunchSpecs() if specs is None else specs
        self._forms: tuple[KernelForm, ...] = ()
        self._spec = LaunchSpec()
        self._waiting: LaunchSpec | None = None
        self._target = TargetBar(self)
        self._arguments = ArgumentsView()
        self._configuration = ConfigurationForm()
        self._options = RunOptions()
        self._check = CheckForm()
        self._parts = (self._configuration, self._options, self._check)
        self._options_section = Section("runSection", "Run options", self._options, opened=False)
        self._sections = (
            Section("argumentsSection", "&Arguments", self._arguments),
            Section("configurationSection", "Configuration", self._configuration),
            Section("checkSection", "Check", self._check),
            self._options_section,
        )
        self._columns = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._lay_out()
        self.setFocusProxy(self._arguments)
        self._target.kernel_chosen.connect(self._on_kernel_chosen)
        self._target.device_chosen.connect(self.device_chosen)
        self._target.fix_requested.connect(self.fix_requested)
        self._arguments.arguments_changed.connect(self._on_edited)
        for part in self._parts:
            part.changed.connect(self._on_edited)
        self._show_kernel("")

    @property
    def specs(self) -> LaunchSpecs:
        """What was typed for each kernel."""
        return self._specs

    @property
    def form(self) -> KernelForm | None:
        """The kernel shown."""
        return self._arguments.model.form

    @property
    def device(self) -> int | None:
        """The ordinal of the GPU chosen; None where there is none."""
        return self._target.device

    def set_actions(self, run: QAction, stop: QAction) -> None:
        """Put the commands that run and stop beside the kernel."""
        self._target.set_actions(run, stop)

    @Slot(object)
    def set_devices(self, found: DeviceList) -> None:
        """Offer these GPUs, or say why there are none."""
        self._target.set_devices(found)

    def set_device(self, ordinal: int) -> None:
        """Show this GPU as chosen, without telling it as the user's."""
        self._target.set_device(ordinal)

    @Slot(tuple)
    def set_forms(self, forms: tuple[KernelForm, ...]) -> None:
        """Offer the kernels of a build; the one shown stays, or the last used takes its place."""
        self._forms = forms
        if self._waiting is not None and (title := self._title_of(self._waiting.kernel)):
            self._specs.remember(replace(self._waiting, kernel=title))
            self._waiting = None
        else:
            titles = [form.title for form in forms]
            used = [title for title in self._specs.titles if title in titles]
            title = self._spec.kernel
            if title not in titles:
                title = (used[-1:] or titles[:1] or [""])[0]
        self._show_kernel(title)

    def set_spec(self, spec: LaunchSpec) -> None:
        """Show another launch; if its kernel is not built yet, as soon as it is."""
        title = self._title_of(spec.kernel)
        self._waiting = None if title else spec
        self._spec = replace(spec, kernel=title or spec.kernel)
        self._specs.remember(self._spec)
        self._show_kernel(title)

    def spec(self) -> LaunchSpec:
        """The launch as it stands here."""
        if self.form is None:
            return self._spec
        spec = replace(
            self._spec, kernel=self.form.title, arguments=self._arguments.model.arguments
        )
        for part in self._parts:
            spec = part.apply_to(spec)
        return spec

    def finish_editing(self) -> None:
        """Take what is being typed into a cell; a launch by shortcut leaves the cell open."""
        self._arguments.table.finish_editing()

    @property
    def unreadable(self) -> tuple[SpecProblem, ...]:
        """What stands in a field that no `LaunchSpec` can hold."""
        return tuple(problem for part in self._parts for problem in part.unreadable)

    @Slot(tuple)
    def show_problems(self, problems: tuple[SpecProblem, ...]) -> None:
        """Say each problem where it belongs."""
        parts = (self._target, self._arguments, *self._parts)
        for part in parts:
            part.show_problems(problems)
        placed = frozenset[str]().union(*(part.places for part in parts))
        self._target.show_general(tuple(p for p in problems if p.where not in placed))
        if any(problem.where in self._options.places for problem in problems):
            self._options_section.open()

    @Slot(str)
    def show_summary(self, text: str) -> None:
        """Say what the configuration comes to, such as `models.launch_words.config_words`."""
        self._configuration.show_summary(text)

    def set_suggestion(self, block: int | None, occupancy: float | None) -> None:
        """Offer a block size with its occupancy from 0 to 1; None where none is known."""
        self._configuration.set_suggestion(block, occupancy)

    def set_sanitizer_problem(self, problem: str) -> None:
        """Say why nothing can be run under compute-sanitizer; empty where it can."""
        self._options.set_sanitizer_problem(problem)

    def set_running(self, running: bool) -> None:
        """Offer to stop instead of to run."""
        self._target.set_running(running)

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        for part in (self._target, self._arguments, *self._parts, *self._sections):
            part.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use two columns where there is room."""
        super().resizeEvent(event)
        wide = event.size().width() > _WIDE * self.fontMetrics().horizontalAdvance("0")
        direction = QBoxLayout.Direction
        self._columns.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        # One below the other, all the room that is left is below the last.
        self._columns.setStretch(0, 3 if wide else 0)
        self._columns.setStretch(1, 2 if wide else 1)

    def _lay_out(self) -> None:
        self._target.setContentsMargins(10, 6, 10, 6)
        for sections in (self._sections[:2], self._sections[2:]):
            column = QVBoxLayout()
            column.setSpacing(2)
            for section in sections:
                column.addWidget(section)
            column.addStretch(1)
            self._columns.addLayout(column)
        self._columns.setContentsMargins(0, 0, 0, 6)
        self._columns.setSpacing(0)
        content = QWidget()
        content.setLayout(self._columns)
        scroll = QScrollArea(self)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._target)
        layout.addWidget(scroll, 1)
        # As they are read, whatever order they were made in.
        order = (self._target, *(part for section in self._sections for part in section.stops))
        for before, behind in pairwise(order):
            self.setTabOrder(before, behind)

    def _show_kernel(self, title: str) -> None:
        form = next((form for form in self._forms if form.title == title), None)
        if form is not None:
            self._spec = self._specs.fitted(form)
        self._target.set_kernels(self._forms, title)
        self._arguments.show_form(form, self._spec.arguments)
        self._check.show_form(form)
        for part in self._parts:
            part.show_spec(self._spec)
            part.setEnabled(form is not None)
        self._update_remark()

    def _title_of(self, kernel: str) -> str:
        """The title of the kernel that a spec means; empty while it is not built."""
        try:
            return choose_form(kernel, self._forms if kernel else self._forms[:1]).title
        except SpecError:
            return ""

    def _update_remark(self) -> None:
        self._options_section.set_remark(self._options.summary)

    @Slot()
    def _on_edited(self) -> None:
        self._spec = self.spec()
        self._specs.remember(self._spec)
        self._update_remark()
        self.spec_changed.emit(self._spec)

    @Slot(str)
    def _on_kernel_chosen(self, title: str) -> None:
        self._specs.remember(self.spec())
        self._show_kernel(title)
        self._specs.remember(self._spec)
        self.kernel_chosen.emit(title)
        self.spec_changed.emit(self._spec)
