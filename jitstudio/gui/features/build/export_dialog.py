"""Asks what to make of a module, or of the link, besides what the panes show."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.arch import Arch
from jitstudio.core.code import EMITTED_KINDS, CodeKind
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_MEANINGS = {
    CodeKind.PTX: QT_TRANSLATE_NOOP(
        "ExportDialog", "{kind}: text that every later driver can load"
    ),
    CodeKind.SASS: QT_TRANSLATE_NOOP("ExportDialog", "{kind}: the disassembled machine code"),
    CodeKind.CUBIN: QT_TRANSLATE_NOOP("ExportDialog", "{kind}: machine code for the target"),
    CodeKind.LTOIR: QT_TRANSLATE_NOOP("ExportDialog", "{kind}: input of a later LTO link"),
    CodeKind.OPTIXIR: QT_TRANSLATE_NOOP(
        "ExportDialog", "{kind}: input of an OptiX pipeline, from CUDA C++"
    ),
    CodeKind.FATBIN: QT_TRANSLATE_NOOP(
        "ExportDialog", "{kind}: machine code and PTX for several targets"
    ),
}
_AT_FIRST = (CodeKind.PTX, CodeKind.CUBIN)


class ExportDialog(QDialog):
    """Kinds as check boxes, and the targets of a fatbin.

    Attributes:
        what: The name of what is built.
    """

    def __init__(self, what: str, arch: Arch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Build and save"))
        self.setObjectName("exportDialog")
        self._boxes = {
            kind: QCheckBox(self.tr(_MEANINGS[kind]).format(kind=kind.title))
            for kind in EMITTED_KINDS
        }
        self._targets = QLineEdit(arch.sm)
        self._targets.setObjectName("fatTargets")
        self._targets.setAccessibleName(self.tr("Targets of the fatbin"))
        self._targets.setPlaceholderText("sm_80, sm_90, sm_100")
        self._problem = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._problem.setWordWrap(True)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        self._save = buttons.button(QDialogButtonBox.StandardButton.Save)
        self._save.setText(self.tr("&Build and save…"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 14)
        layout.setSpacing(8)
        title = self.tr("What to make of {module}:").format(module=what)
        layout.addWidget(QLabel(title, textFormat=Qt.TextFormat.PlainText))
        for kind, box in self._boxes.items():
            box.setChecked(kind in _AT_FIRST)
            box.toggled.connect(self._on_changed)
            layout.addWidget(box)
        form = QFormLayout()
        form.setContentsMargins(24, 0, 0, 0)
        form.addRow(self.tr("&Targets"), self._targets)
        layout.addLayout(form)
        layout.addWidget(self._problem)
        layout.addStretch(1)
        layout.addWidget(buttons)
        self._targets.textChanged.connect(self._on_changed)
        self._on_changed()

    @property
    def kinds(self) -> frozenset[CodeKind]:
        """What to make."""
        return frozenset(kind for kind, box in self._boxes.items() if box.isChecked())

    @property
    def fat_archs(self) -> tuple[Arch, ...]:
        """The targets of the fatbin; none where no fatbin is wanted."""
        if CodeKind.FATBIN not in self.kinds:
            return ()
        words = self._targets.text().replace(",", " ").split()
        return tuple(dict.fromkeys(Arch.parse(word) for word in words))

    @Slot()
    def _on_changed(self) -> None:
        fat = CodeKind.FATBIN in self.kinds
        self._targets.setEnabled(fat)
        problem = "" if self.kinds else self.tr("Choose at least one kind.")
        try:
            if fat and not self.fat_archs:
                problem = self.tr("Name at least one target of the fatbin.")
        except ValueError as error:
            problem = str(error)
        self._problem.setText(problem)
        self._save.setEnabled(not problem)
