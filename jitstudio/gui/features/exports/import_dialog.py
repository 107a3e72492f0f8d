"""Asks for a link of Compiler Explorer, or for a file that was downloaded there."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.plain_files import read_file
from jitstudio.export.compiler_explorer import (
    LARGEST,
    ForeignStateError,
    ImportedProject,
    project_from_file,
    project_from_link,
)
from jitstudio.gui.kit.fonts import scaled, show_as_code
from jitstudio.gui.kit.number_field import CODE_SIZE
from jitstudio.gui.kit.parts import explain_by, text_label

_SIZE = (620, 320)


class ImportDialog(QDialog):
    """A field for the link, and a way to a file.

    Signals:
        wanted: What reads the link or the file is to be called; it raises what is wrong.
    """

    wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("importDialog")
        explain_by(self, "exports")
        self.setWindowTitle(self.tr("Import from Compiler Explorer"))
        self.resize(scaled(_SIZE[0]), scaled(_SIZE[1]))
        what = text_label(self, "importWhat")
        what.setText(
            self.tr(
                "Paste a link that has the program in it: one with /clientstate/, or a long one "
                "with a #. A short link (/z/…) has a number only: open it in a browser and choose "
                "Share > Full link. Nothing is sent from here."
            )
        )
        self.link = QPlainTextEdit(self)
        self.link.setObjectName("importLink")
        self.link.setAccessibleName(self.tr("Link"))
        self.link.setPlaceholderText("https://godbolt.org/clientstate/…")
        show_as_code(self.link, CODE_SIZE)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self._import = buttons.addButton(
            self.tr("&Import…"), QDialogButtonBox.ButtonRole.AcceptRole
        )
        self._import.setObjectName("importStart")
        self._import.clicked.connect(self._on_link)
        file = buttons.addButton(self.tr("From a &file…"), QDialogButtonBox.ButtonRole.ActionRole)
        file.setObjectName("importFile")
        file.clicked.connect(self._on_file)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 14, 14, 14)
        layout.setSpacing(10)
        for part in (what, self.link, buttons):
            layout.addWidget(part, int(part is self.link))
        self.link.textChanged.connect(self._show_state)
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        self._import.setEnabled(bool(self.link.toPlainText().strip()))

    @Slot()
    def _on_link(self) -> None:
        self.wanted.emit(partial(project_from_link, self.link.toPlainText()))
        self.close()

    @Slot()
    def _on_file(self) -> None:
        title = self.tr("A file from Compiler Explorer")
        kinds = self.tr("Files of Compiler Explorer ({kinds})").format(
            kinds="*.cu *.cuh *.ptx *.ll *.zip *.json"
        )
        name, _ = QFileDialog.getOpenFileName(self, title, "", kinds)
        if name:
            self.wanted.emit(partial(read_foreign_file, Path(name)))
            self.close()


def read_foreign_file(path: Path) -> ImportedProject:
    """Returns what a file from Compiler Explorer holds.

    Raises:
        ForeignStateError: It cannot be read, or holds nothing for these compilers.
    """
    try:
        content = read_file(path, LARGEST)
    except OSError as error:
        raise ForeignStateError(f"'{path}' cannot be read: {error.strerror}.") from None
    return project_from_file(path.name, content)
