"""The form of a launch: kernel, GPU, arguments, configuration, run options, checks.

Shows the chosen launch of `LaunchSpecs` and reports what the user edits; changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QEvent, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.launch.device import SIMULATOR, DeviceList
from jitstudio.core.launch.members import form_rows
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import Direction, KernelForm
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.types import REFERENCES
from jitstudio.gui.features.launch.form.arguments_view import ArgumentsView
from jitstudio.gui.features.launch.form.configuration_form import ConfigurationForm
from jitstudio.gui.features.launch.form.run_options import RunOptionsForm
from jitstudio.gui.features.launch.form.target_bar import TargetBar
from jitstudio.gui.features.launch.models.arguments_model import VALUE, default_direction
from jitstudio.gui.kit.field_rows import CODE_SIZE, FieldRows, NumberField
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.parts import fit_icon, muted, show_icon, text_label
from jitstudio.gui.state.launch_specs import LaunchSpecs

# ---- What the buffers shall hold after the launch, and how exactly

_LINES = 3


class CheckForm(FieldRows):
    """Lines of expectations, and the tolerances.

    Signals:
        changed: The user changed something.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("checkForm")
        meaning = self.tr(
            "One line for each buffer to check: NAME = a NumPy expression over the arguments "
            "as they were before the launch; i stands for the indices. NAME[1:-1] = … checks a "
            "part of it. "
            "Empty: nothing is checked."
        )
        self._expectations = QPlainTextEdit(self)
        self._expectations.setObjectName("expectationsField")
        self._expectations.setAccessibleName(self.tr("Expected results"))
        self._expectations.setAccessibleDescription(meaning)
        self._expectations.setToolTip(meaning)
        show_as_code(self._expectations, CODE_SIZE)
        self._expectations.setTabChangesFocus(True)
        self._expectations.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._fit_height()
        relative, absolute = self.tr("Relative tolerance"), self.tr("Absolute tolerance")
        integer = self.tr("Integers off by")
        self._relative = NumberField(
            self,
            "relative",
            relative,
            self.tr("How far a value may be off, as a part of the expected one"),
        )
        self._absolute = NumberField(
            self,
            "absolute",
            absolute,
            self.tr("How far a value may be off besides, whatever is expected"),
        )
        self._integer = NumberField(
            self,
            "integer_tolerance",
            integer,
            self.tr(
                "How far apart integers may be; 0 compares them exactly. "
                "The tolerances above are those of floating-point numbers"
            ),
            whole=True,
        )
        self.add_wide(self._expectations, places={"expectations": self._expectations})
        # Two in a row would make the form wider than a dock beside a text.
        self.add(relative, self._relative, places={"relative": self._relative})
        self.add(absolute, self._absolute, places={"absolute": self._absolute})
        self.add(integer, self._integer, places={"integer_tolerance": self._integer})
        self._expectations.textChanged.connect(self._on_edited)
        self._relative.textEdited.connect(self._on_edited)
        self._absolute.textEdited.connect(self._on_edited)
        self._integer.textEdited.connect(self._on_edited)
        self.show_form(None)
        self.show_spec(LaunchSpec())

    def show_form(self, form: KernelForm | None) -> None:
        """Gives an example that names buffers of this kernel."""
        buffers = [
            (p.name, default_direction(p.type) != Direction.INOUT.value)
            for p in (form_rows(form) if form else ())
            if not p.variable and "[]" not in p.name and isinstance(p.type, REFERENCES)
        ]
        written = next((name for name, is_read in buffers if not is_read), "out")
        read = next((name for name, is_read in buffers if is_read), written)
        self._expectations.setPlaceholderText(f"{written} = {read} * {read} + 1")

    def show_spec(self, spec: LaunchSpec) -> None:
        """Shows the expectations of `spec`, without the signal of a change by the user."""
        if self._lines() != spec.expectations:
            with QSignalBlocker(self._expectations):
                self._expectations.setPlainText("\n".join(spec.expectations))
        self._relative.show_number(spec.relative)
        self._absolute.show_number(spec.absolute)
        self._integer.show_number(spec.integer_tolerance)

    def apply_to(self, spec: LaunchSpec) -> LaunchSpec:
        """Returns `spec` with these checks; a text without a number changes no tolerance."""
        relative, absolute = self._relative.number, self._absolute.number
        integer = self._integer.number
        return replace(
            spec,
            expectations=self._lines(),
            relative=spec.relative if relative is None else relative,
            absolute=spec.absolute if absolute is None else absolute,
            integer_tolerance=spec.integer_tolerance if integer is None else int(integer),
        )

    def _lines(self) -> tuple[str, ...]:
        lines = (line.strip() for line in self._expectations.toPlainText().splitlines())
        return tuple(filter(None, lines))

    def _fit_height(self) -> None:
        field = self._expectations
        margins = 2 * (field.frameWidth() + int(field.document().documentMargin()))
        field.setFixedHeight(field.fontMetrics().lineSpacing() * _LINES + margins)

    @Slot()
    def _on_edited(self) -> None:
        self.changed.emit()


_ICON_SIDE = 16
_MARGIN = 10
# A button keeps so much clear before its icon: the arrow is in line with what is below.
_BEFORE_ICON = 5


class FormSection(QWidget):
    """A heading with a remark at the right, and content that can be folded away."""

    def __init__(self, name: str, title: str, content: QWidget, *, opened: bool = True) -> None:
        super().__init__()
        self.setObjectName(name)
        self._content = content
        self._heading = QToolButton(self)
        self._heading.setCheckable(True)
        self._heading.setChecked(opened)
        self._heading.setObjectName(f"{name}Heading")
        self._heading.setText(title)
        self._heading.setToolTip(
            self.tr("Show or hide: {title}").format(title=title.replace("&", ""))
        )
        self._heading.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._heading.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        fit_icon(self._heading, _ICON_SIDE)
        self._heading.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # A heading, no switch: it does not look pressed while what it heads is open.
        self._heading.setStyleSheet(
            "QToolButton { font-weight: bold; padding: 2px 4px 2px 0; }"
            "QToolButton:checked { background: transparent; }"
            "QToolButton:checked:!focus { border-color: transparent; }"
        )
        self._remark = muted(text_label(self, f"{name}Remark"))
        self._remark.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._lay_out()
        self._heading.toggled.connect(self._on_toggled)
        self._on_toggled(opened)

    @property
    def opened(self) -> bool:
        """Whether the content can be seen."""
        return self._heading.isChecked()

    @property
    def stops(self) -> tuple[QWidget, QWidget]:
        """Where the keyboard goes, in order."""
        return self._heading, self._content

    def open(self) -> None:
        """Shows the content."""
        self._heading.setChecked(True)

    def set_remark(self, text: str) -> None:
        """Sets the summary of the content, shown while folded away."""
        self._remark.setText(text)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._heading)
        head.addWidget(self._remark, 1)
        head.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN - _BEFORE_ICON, 4, _MARGIN, 4)
        layout.setSpacing(4)
        layout.addLayout(head)
        body = QVBoxLayout()
        body.setContentsMargins(_BEFORE_ICON, 0, 0, 0)
        body.addWidget(self._content)
        layout.addLayout(body)

    @Slot(bool)
    def _on_toggled(self, opened: bool) -> None:
        self._content.setVisible(opened)
        self._remark.setVisible(not opened)
        show_icon(self._heading, "chevron-down" if opened else "chevron-right")


# From so many characters on, there are two columns.
_WIDE = 105
# In lines of text: lower, and the hint about a missing GPU leaves its room to the fields.
_LOW = 18
# The problem of a field is shown below the field, in so many lines at most.
_LINES_BELOW = 4


class LaunchForm(QWidget):
    """The whole form, in two columns where there is room.

    Signals:
        spec_changed: The user changed the launch; the new `LaunchSpec`, and what it cannot hold.
        device_chosen: The user chose the GPU of this ordinal.
        kernel_chosen: The user chose the kernel of this title.
        fix_requested: The user wants this `Fix` done.
    """

    spec_changed = Signal(object, tuple)
    device_chosen = Signal(int)
    kernel_chosen = Signal(str)
    fix_requested = Signal(object)

    def __init__(self, specs: LaunchSpecs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("launchForm")
        self._specs = specs

    def fill(self) -> Iterator[None]:
        """Makes the fields, in parts that keep no window waiting."""
        self._target = TargetBar(self)
        self._arguments = ArgumentsView()
        self._configuration = ConfigurationForm()
        yield
        self._options = RunOptionsForm()
        self._check = CheckForm()
        self._parts = (self._configuration, self._options, self._check)
        self._scroll = QScrollArea(self)
        self._page = QWidget()
        # Before it is filled: what moves with all in it, Qt dresses again.
        self._scroll.setWidget(self._page)
        self._options_section = FormSection(
            "runSection", self.tr("&Run options"), self._options, opened=False
        )
        self._sections = (
            FormSection("argumentsSection", self.tr("Argu&ments"), self._arguments),
            FormSection("configurationSection", self.tr("Co&nfiguration"), self._configuration),
            FormSection("checkSection", self.tr("&Check"), self._check),
            self._options_section,
        )
        yield
        self._columns = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._lay_out()
        self.setFocusProxy(self._arguments)
        self._target.kernel_chosen.connect(self.kernel_chosen)
        self._target.device_chosen.connect(self._show_simulated)
        self._target.device_chosen.connect(self.device_chosen)
        self._target.fix_requested.connect(self.fix_requested)
        self._arguments.arguments_changed.connect(self._on_edited)
        for part in self._parts:
            part.changed.connect(self._on_edited)
        self._specs.replaced.connect(self._on_replaced)
        self._specs.finishing.connect(self.finish_editing)
        self._on_replaced()

    @property
    def form(self) -> KernelForm | None:
        """The kernel shown."""
        return self._arguments.model.form

    def set_actions(self, run: QAction, stop: QAction, instead: Sequence[QAction] = ()) -> None:
        """Places the commands that run and stop, and the commands without a GPU."""
        self._target.set_actions(run, stop, instead)

    @Slot(object)
    def set_devices(self, devices: DeviceList) -> None:
        """Offers GPUs, or says why there are none."""
        self._target.set_devices(devices)
        self._show_simulated()

    def set_device(self, ordinal: int) -> None:
        """Chooses a GPU, without the signal of a choice by the user."""
        self._target.set_device(ordinal)
        self._show_simulated()

    def spec(self) -> LaunchSpec:
        """Returns the launch with the values of all fields."""
        spec = self._specs.spec
        if self.form is None:
            return spec
        spec = replace(spec, arguments=self._arguments.model.arguments)
        for part in self._parts:
            spec = part.apply_to(spec)
        return spec

    @Slot()
    def finish_editing(self) -> None:
        """Takes the text being typed into a cell; a launch by shortcut leaves the cell open."""
        self._arguments.table.finish_editing()

    @property
    def unreadable(self) -> tuple[SpecProblem, ...]:
        """The problems of texts that no `LaunchSpec` can hold."""
        return tuple(problem for part in self._parts for problem in part.unreadable)

    @Slot(tuple)
    def show_problems(self, problems: tuple[SpecProblem, ...]) -> None:
        """Shows each problem at its field."""
        parts = (self._target, self._arguments, *self._parts)
        for part in parts:
            part.show_problems(problems)
        placed = frozenset[str]().union(*(part.places for part in parts))
        self._target.show_general(tuple(p for p in problems if p.where not in placed))
        if any(problem.where in self._options.places for problem in problems):
            self._options_section.open()

    def reveal(self, place: str) -> None:
        """Brings the field of a place into view with the problem below, and the keyboard there.

        Args:
            place: See `SpecProblem.where`.
        """
        field = self._field_of(place)
        if field is None:
            return
        for section in self._sections:
            if section.isAncestorOf(field):
                section.open()
        # What has just been unfolded or said has no place before the layouts have worked.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        self._scroll.ensureWidgetVisible(field, 0, _LINES_BELOW * self.fontMetrics().lineSpacing())
        field.setFocus()

    @Slot(str)
    def show_summary(self, text: str) -> None:
        """Shows the values of the configuration, such as `models.launch_text.config_text`."""
        self._configuration.show_summary(text)

    def set_suggestion(self, block: int | None, occupancy: float | None) -> None:
        """Offers a block size with its occupancy from 0 to 1; None where unknown."""
        self._configuration.set_suggestion(block, occupancy)

    def set_sanitizer_problem(self, problem: str) -> None:
        """Says why nothing can be run under compute-sanitizer; empty where runs are possible."""
        self._options.set_sanitizer_problem(problem)

    def set_running(self, running: bool) -> None:
        """Offers to stop instead of to run."""
        self._target.set_running(running)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Uses two columns where there is room."""
        super().resizeEvent(event)
        # The place of the form may get its size before all fields are there.
        if self.layout() is not None:
            self._fit()

    def _fit(self) -> None:
        wide = self.width() > _WIDE * self.fontMetrics().horizontalAdvance("0")
        self._target.set_brief(self.height() < _LOW * self.fontMetrics().height())
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
        self._page.setLayout(self._columns)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._target)
        layout.addWidget(self._scroll, 1)
        # As they are read, whatever order they were made in.
        order = (self._target, *(part for section in self._sections for part in section.stops))
        for before, behind in pairwise(order):
            self.setTabOrder(before, behind)
        self._fit()

    def _field_of(self, place: str) -> QWidget | None:
        model, table = self._arguments.model, self._arguments.table
        if place in model.places:
            table.setCurrentIndex(model.index(model.places.index(place), VALUE))
            return table
        parts = (self._target, *self._parts)
        return next((part.places[place] for part in parts if place in part.places), None)

    @Slot()
    def _show_simulated(self) -> None:
        device = self._target.device
        self._options.set_simulated(None if device is None else device == SIMULATOR)
        self._update_remark()

    def _update_remark(self) -> None:
        self._options_section.set_remark(self._options.summary)

    @Slot()
    def _on_replaced(self) -> None:
        form, spec = self._specs.form, self._specs.spec
        self._target.set_kernels(self._specs.forms, form.title if form else "")
        self._arguments.show_form(form, spec.arguments)
        self._check.show_form(form)
        for part in self._parts:
            part.show_spec(spec)
            part.setEnabled(form is not None)
        self._update_remark()

    @Slot()
    def _on_edited(self) -> None:
        self._update_remark()
        self.spec_changed.emit(self.spec(), self.unreadable)
