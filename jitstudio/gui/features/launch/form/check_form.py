"""What the buffers shall hold after the launch, and how exactly."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from jitstudio.core.launch.request import Direction, KernelForm
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.types import REFERENCES
from jitstudio.gui.features.launch.models.arguments_model import default_direction
from jitstudio.gui.kit.field_rows import FieldRows
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.number_field import CODE_SIZE, NumberField

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
            "as they were before the launch; i stands for the indices. "
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
        self.add_wide(self._expectations, places={"expectations": self._expectations})
        self.add_two(
            (relative, self._relative),
            (absolute, self._absolute),
            {"relative": self._relative, "absolute": self._absolute},
        )
        self._expectations.textChanged.connect(self._on_edited)
        self._relative.textEdited.connect(self._on_edited)
        self._absolute.textEdited.connect(self._on_edited)
        self.show_form(None)
        self.show_spec(LaunchSpec())

    def show_form(self, form: KernelForm | None) -> None:
        """Gives an example that names buffers of this kernel."""
        buffers = [
            (p.name, default_direction(p.type) != Direction.INOUT.value)
            for p in (form.parameters if form else ())
            if isinstance(p.type, REFERENCES)
        ]
        written = next((name for name, is_read in buffers if not is_read), "out")
        read = next((name for name, is_read in buffers if is_read), written)
        self._expectations.setPlaceholderText(f"{written} = {read} * {read} + 1")

    def show_spec(self, spec: LaunchSpec) -> None:
        """Shows what is expected, without reporting it as the user's."""
        if self._lines() != spec.expectations:
            with QSignalBlocker(self._expectations):
                self._expectations.setPlainText("\n".join(spec.expectations))
        self._relative.show_number(spec.relative)
        self._absolute.show_number(spec.absolute)

    def apply_to(self, spec: LaunchSpec) -> LaunchSpec:
        """Returns the same launch with what is here; a tolerance that is none stays as it was."""
        relative, absolute = self._relative.number, self._absolute.number
        return replace(
            spec,
            expectations=self._lines(),
            relative=spec.relative if relative is None else relative,
            absolute=spec.absolute if absolute is None else absolute,
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
