"""The window of a matrix: what is varied above, what came of each combination below."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from jitstudio.analysis.matrix.plan import Variant
from jitstudio.analysis.matrix.rows import MatrixRow, kernels_in
from jitstudio.gui.features.variants.matrix_form import MatrixForm
from jitstudio.gui.features.variants.matrix_table import MatrixTable
from jitstudio.gui.kit.banner import Banner
from jitstudio.gui.kit.theme import Theme

_SIZE = QSize(1320, 640)
# Of a small screen.
_SCREEN_SHARE = 0.95


class MatrixDialog(QDialog):
    """Holds no plan and starts nothing: `MatrixController` does.

    Attributes:
        form: What is varied.
        table: What came of it.

    Signals:
        stop_requested: The user wants the builds to end.
    """

    stop_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("matrixDialog")
        self.setWindowTitle(self.tr("Targets and options"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.resize(_SIZE.boundedTo(self.screen().availableSize() * _SCREEN_SHARE))
        self._rows: dict[int, MatrixRow] = {}
        self._wanted = ""
        self._is_running = False
        self.form = MatrixForm(self)
        self._notice = Banner(self)
        self._notice.setObjectName("matrixNotice")
        self.table = MatrixTable(self)
        self.form.stop_requested.connect(self.stop_requested)
        top = QVBoxLayout()
        top.setContentsMargins(14, 14, 14, 8)
        top.addWidget(self.form)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._notice)
        column.addWidget(self.table, 1)
        self.set_theme(theme)

    @property
    def is_running(self) -> bool:
        """Whether there is more to come."""
        return self._is_running

    @property
    def rows(self) -> tuple[MatrixRow, ...]:
        """All variants, in the order of the plan."""
        return tuple(self._rows.values())

    @property
    def notice(self) -> str:
        """What is said above the table; empty where nothing is."""
        return self._notice.text()

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        for part in (self.form, self._notice, self.table):
            part.set_theme(theme)

    def begin(self, variants: tuple[Variant, ...], kernel: str = "") -> None:
        """These are being built; the figures are about this kernel if they have it."""
        self._rows = {variant.index: MatrixRow(variant) for variant in variants}
        self._wanted = kernel
        self._is_running = True
        self._notice.say("")
        self.form.show_running(True)
        self._show()

    @Slot(MatrixRow)
    def show_row(self, row: MatrixRow) -> None:
        """A variant has come further."""
        self._rows[row.variant.index] = row
        self._show()

    @Slot()
    def end(self) -> None:
        """No more is to come."""
        self._is_running = False
        self.form.show_running(False)
        self._show()

    @Slot(str)
    def fail(self, problem: str) -> None:
        """Say why no more is to come."""
        self._notice.say(problem)
        self.end()

    def tell_outdated(self) -> None:
        """The code is no longer that of the table."""
        if self._rows and not self._is_running:
            self._notice.say(self.tr("The code has changed since this table was built."))

    def reject(self) -> None:
        """Escape stops what runs, and closes the window only after that."""
        if self._is_running:
            self.stop_requested.emit()
        else:
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Nothing goes on that nobody can see."""
        if self._is_running:
            self.stop_requested.emit()
        event.accept()

    def _show(self) -> None:
        rows = self.rows
        self.table.show_rows(rows, kernels_in(rows), self._wanted)
        done = sum(not row.is_waiting for row in rows)
        failed = sum(row.failed for row in rows)
        words = self.tr("{done} of {total} built").format(done=done - failed, total=len(rows))
        if failed:
            words += self.tr(", {failed} failed").format(failed=failed)
        self.form.say(words)
