"""Runs a Python program under `jitstudio capture`, and opens the code loaded on the GPU."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.context import Context
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.kit.field_rows import CODE_SIZE
from jitstudio.gui.kit.fonts import fit_dialog, follow_letters, scale_margins, show_as_code
from jitstudio.gui.kit.owned_process import OwnedProcess
from jitstudio.gui.kit.parts import FieldName
from jitstudio.gui.shell.shell import Shell

_MOST_LINES = 5_000
_Button = QDialogButtonBox.StandardButton


def install(context: Context) -> None:
    """Makes "Capture a program"."""
    CaptureController(context.files, context.shell)


class CaptureController(QObject):
    """Asks for a program, and opens the folder of the captured code."""

    def __init__(self, files: FileCommands, shell: Shell) -> None:
        super().__init__(shell.window)
        self._files = files
        self._shell = shell
        self._dialog: CaptureDialog | None = None
        shell.actions.bind({"captureAction": self.open})

    @Slot()
    def open(self) -> None:
        """Shows the dialog, in which a program may still be running."""
        if self._dialog is None:
            self._dialog = CaptureDialog(Path.cwd(), self._shell.window)
            self._dialog.captured.connect(self._on_captured)
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()

    @Slot(list)
    def _on_captured(self, files: list[Path]) -> None:
        self._files.open_paths(files)


class CaptureDialog(QDialog):
    """A program and its folders; while the program runs, its output.

    Signals:
        captured: The files with the code that the program has loaded.
    """

    captured = Signal(list)

    def __init__(self, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Capture a program"))
        self.setObjectName("captureDialog")
        # What the program has loaded so far is saved.
        self._process = OwnedProcess(self, is_asked=True)
        self._process.readyReadStandardError.connect(self._on_printed)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)
        what = QLabel(
            self.tr(
                "Runs a Python program with your rights, as in a terminal, and collects the "
                "machine code that it loads on the GPU, whatever package has compiled it."
            ),
            textFormat=Qt.TextFormat.PlainText,
        )
        what.setWordWrap(True)
        self._program = self._line("captureProgram", self.tr("Program"), "python3 train.py")
        self._folder = self._line("captureFolder", self.tr("Run in"), "")
        self._folder.setText(str(folder))
        self._output = self._line("captureOutput", self.tr("Save to"), "captured")
        self._output.setText("captured")
        self._problem = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._problem.setObjectName("captureProblem")
        self._problem.setWordWrap(True)
        self._printed = QPlainTextEdit(readOnly=True)
        self._printed.setObjectName("capturePrinted")
        self._printed.setAccessibleName(self.tr("What the program prints"))
        self._printed.setPlaceholderText(self.tr("What the program prints comes here."))
        self._printed.setMaximumBlockCount(_MOST_LINES)
        show_as_code(self._printed, CODE_SIZE)
        form = QFormLayout()
        for name, field in (
            (self.tr("&Program"), self._program),
            (self.tr("&Run in"), self._folder),
            (self.tr("&Save to"), self._output),
        ):
            form.addRow(FieldName(name, field), field)
        buttons = QDialogButtonBox(_Button.Ok | _Button.Close)
        self._start = buttons.button(_Button.Ok)
        buttons.accepted.connect(self._on_start)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 14)
        layout.setSpacing(10)
        for part in (what, form, self._problem, self._printed, buttons):
            if isinstance(part, QFormLayout):
                layout.addLayout(part)
            else:
                layout.addWidget(part)
        follow_letters(self, scale_margins)
        fit_dialog(self, (620, 440))
        self._program.textChanged.connect(self._show_state)
        self._show_state()

    @property
    def is_running(self) -> bool:
        """Whether a program is running."""
        return self._process.is_running

    def _line(self, name: str, title: str, example: str) -> QLineEdit:
        line = QLineEdit()
        line.setObjectName(name)
        line.setAccessibleName(title)
        line.setPlaceholderText(example)
        return line

    @Slot()
    def _show_state(self) -> None:
        running = self.is_running
        self._start.setText(self.tr("Stop") if running else self.tr("&Run and capture"))
        self._start.setEnabled(running or bool(self._program.text().strip()))
        for field in (self._program, self._folder, self._output):
            field.setEnabled(not running)

    def _say(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))

    @Slot()
    def _on_start(self) -> None:
        if self.is_running:
            # What it has loaded so far is saved.
            self._process.terminate()
            return
        try:
            words = shlex.split(self._program.text())
        except ValueError as error:
            self._say(self.tr("The program cannot be read: {reason}.").format(reason=error))
            return
        folder = Path(self._folder.text().strip() or ".").expanduser()
        self._say("")
        self._printed.clear()
        self._process.setWorkingDirectory(str(folder))
        output = self._output.text().strip() or "captured"
        # -P: what lies in the folder of the program is none of our modules.
        command = ("-P", "-m", "jitstudio", "capture", "--json", "-o", output)
        self._process.start(sys.executable, [*command, "--", *words])
        self._show_state()

    @Slot()
    def _on_printed(self) -> None:
        text = self._process.errors()
        cursor = self._printed.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        cursor.insertText(text)
        bar = self._printed.verticalScrollBar()
        bar.setValue(bar.maximum())

    @Slot()
    def _on_finished(self) -> None:
        self._on_printed()
        self._show_state()
        said = self._process.output()
        modules = json.loads(said)["modules"] if said else []
        folder = Path(self._process.workingDirectory())
        if modules:
            self.captured.emit([folder / module["file"] for module in modules])
        elif not self._process.exitCode():
            self._say(self.tr("The program has loaded no kernels."))
        lines = self._printed.toPlainText().rstrip().splitlines()
        if self._process.exitCode() and lines:
            self._say(lines[-1].removeprefix("jitstudio: "))

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            folder = self._process.workingDirectory()
            problem = self.tr("The program cannot be started in {folder}: {reason}.")
            self._say(problem.format(folder=folder, reason=self._process.errorString()))
            self._show_state()
