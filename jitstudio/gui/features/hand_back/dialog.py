"""How a Python program uses a PTX file: a text for each package, to be copied."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QPushButton,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.captured import KernelLanguage
from jitstudio.gui.code.languages import stage_lexer
from jitstudio.gui.kit.fonts import fit_dialog
from jitstudio.gui.kit.parts import explain_by, text_label
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.state.documents import Document
from jitstudio.python.hand_back import KernelPackage, override_command, snippet

_SIZE = (680, 460)
_NOTES = {
    KernelPackage.TRITON: QT_TRANSLATE_NOOP(
        "HandBack",
        "Triton compiles the kernel as ever, and takes this PTX instead of its own: keep the "
        "kernel's name and parameters. For Triton 3.4 and later.",
    ),
    KernelPackage.NUMBA: QT_TRANSLATE_NOOP(
        "HandBack",
        "Numba launches no PTX of others, so cuda.core does. The kernel takes seven or more "
        "arguments for each array.",
    ),
    KernelPackage.CUPY: QT_TRANSLATE_NOOP(
        "HandBack", "The driver compiles the PTX when CuPy loads it. A cubin loads the same way."
    ),
    KernelPackage.CUDA_CORE: QT_TRANSLATE_NOOP(
        "HandBack",
        "The driver compiles the PTX when cuda.core loads it. For a cubin write from_cubin.",
    ),
}
_OVERRIDE = QT_TRANSLATE_NOOP(
    "HandBack",
    "The file is where Triton looks for overrides of this kernel. Run the program so, and it takes "
    "the PTX instead of its own: keep the kernel's name and parameters.",
)


class HandBackDialog(QDialog):
    """Shows how to use the PTX of a tab.

    Signals:
        save_requested: The tab shall be saved: a program reads its file.
        override_requested: It shall be saved where Triton looks for overrides.
    """

    save_requested = Signal()
    override_requested = Signal()

    def __init__(
        self, document: Document, name: str, entry: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("handBackDialog")
        explain_by(self, "captured")
        self.setWindowTitle(self.tr("Use this PTX in Python"))
        fit_dialog(self, _SIZE)
        self._document = document
        self._name, self._entry = name, entry
        self._override: Path | None = None
        self.packages = QTabBar(self, drawBase=False, expanding=False)
        self.packages.setObjectName("handBackPackages")
        self.packages.setAccessibleName(self.tr("Loaded by"))
        for package in KernelPackage:
            self.packages.addTab(package.value)
        self.note = text_label(self, "handBackNote")
        self.code = ListingView(self)
        self.code.setObjectName("handBackCode")
        self.code.setAccessibleName(self.tr("What to write in the program"))
        self.state = text_label(self, "handBackState")
        self._lay_out()
        self.packages.currentChanged.connect(self._show_use)
        document.changed.connect(self._show_use)
        document.edited.connect(self._show_use)
        self._show_use()

    @property
    def package(self) -> KernelPackage:
        """The package that shall load the PTX."""
        return tuple(KernelPackage)[self.packages.currentIndex()]

    def choose(self, package: KernelPackage) -> None:
        """Shows how a package loads the PTX."""
        self.packages.setCurrentIndex(tuple(KernelPackage).index(package))

    def offer_override(self, file: Path | None) -> None:
        """Offers to save the PTX in `file`, where Triton looks for overrides."""
        self._override = file
        self._show_use()

    def _lay_out(self) -> None:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self._save = self._button(buttons, self.tr("&Save"), self.save_requested.emit)
        self._save.setObjectName("handBackSave")
        self._save_override = self._button(
            buttons, self.tr("Save as an &override"), self.override_requested.emit
        )
        self._save_override.setObjectName("handBackOverride")
        copy = self._button(buttons, self.tr("&Copy"), self._on_copy)
        copy.setObjectName("handBackCopy")
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 14, 14, 14)
        layout.setSpacing(10)
        for part in (self.packages, self.note, self.code, self.state, buttons):
            layout.addWidget(part, int(part is self.code))

    @staticmethod
    def _button(box: QDialogButtonBox, text: str, slot: object) -> QPushButton:
        button = box.addButton(text, QDialogButtonBox.ButtonRole.ActionRole)
        button.clicked.connect(slot)
        return button

    @Slot()
    def _show_use(self) -> None:
        document, package = self._document, self.package
        path = document.path
        is_override = package is KernelPackage.TRITON and path is not None
        is_override = is_override and path == self._override
        note = _OVERRIDE if is_override else _NOTES[package]
        self.note.setText(QCoreApplication.translate("HandBack", note))
        file = str(path) if path is not None else document.name
        text = override_command() if is_override else ""
        text = text or snippet(package, file, self._name, self._entry)
        lexer = None if is_override else stage_lexer(KernelLanguage.PYTHON)
        self.code.set_lines(text.rstrip("\n").split("\n"), lexer)
        self.state.setText(self._unsaved())
        self._save.setEnabled(path is None or document.is_modified)
        offers = package is KernelPackage.TRITON and self._override is not None
        self._save_override.setVisible(offers and not is_override)

    def _unsaved(self) -> str:
        """Returns the step that is necessary before a program can read the file."""
        if self._document.path is None:
            return self.tr("This PTX is in no file yet: save it, for the program to find it.")
        if self._document.is_modified:
            return self.tr("The file is older than this PTX: save it.")
        return ""

    @Slot()
    def _on_copy(self) -> None:
        QApplication.clipboard().setText(self.code.toPlainText() + "\n")
