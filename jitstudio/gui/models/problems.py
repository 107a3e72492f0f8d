"""The errors, warnings and remarks of the latest build as a table.

Knows `core.diagnostics` and no widget: icons and colours are the view's.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QObject, Qt, Signal

from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.gui.models.presentation import MARK_ROLE, SORT_ROLE, Column, ModelIndex

SEVERITY_ROLE = SORT_ROLE + 100
"""The `Severity` of a row, in any column."""

_RANKS = {severity: rank for rank, severity in enumerate(Severity)}
_COLUMNS: tuple[Column[Diagnostic], ...] = (
    Column("Message", lambda d: d.message, lambda d: f"{_RANKS[d.severity]} {d.message}"),
    Column("File", lambda d: d.file, lambda d: f"{d.file}\0{d.line or 0:08}\0{d.column or 0:08}"),
    Column("Line", lambda d: str(d.line or ""), lambda d: d.line or 0, number=True),
    Column("Column", lambda d: str(d.column or ""), lambda d: d.column or 0, number=True),
    Column("Tool", lambda d: d.tool.value if d.tool else "jitstudio"),
)


class ProblemsModel(QAbstractTableModel):
    """One row a diagnostic, in the order they were reported.

    Signals:
        counts_changed: After the rows were replaced.
    """

    counts_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._diagnostics: tuple[Diagnostic, ...] = ()
        self._counts: Counter[Severity] = Counter()
        self._built = False

    @property
    def built(self) -> bool:
        """Whether there has been a build, so that no rows means no problems."""
        return self._built

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The rows."""
        return self._diagnostics

    def set_diagnostics(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Show what a build reported."""
        self._replace(diagnostics, built=True)

    def clear(self) -> None:
        """Go back to the state before the first build."""
        self._replace((), built=False)

    def _replace(self, diagnostics: tuple[Diagnostic, ...], *, built: bool) -> None:
        if diagnostics != self._diagnostics:
            self.beginResetModel()
            self._diagnostics = diagnostics
            self._counts = Counter(diagnostic.severity for diagnostic in diagnostics)
            self.endResetModel()
        self._built = built
        self.counts_changed.emit()

    def count(self, severity: Severity) -> int:
        """How many rows there are of one severity."""
        return self._counts[severity]

    def diagnostic_at(self, index: ModelIndex) -> Diagnostic | None:
        """The diagnostic of a row of this model, or None for an invalid index."""
        return self._diagnostics[index.row()] if index.isValid() else None

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """The number of diagnostics."""
        return 0 if parent is not None and parent.isValid() else len(self._diagnostics)

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        """Message, file, line, column and tool."""
        return 0 if parent is not None and parent.isValid() else len(_COLUMNS)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, sort key, mark and the text for screen readers."""
        diagnostic = self.diagnostic_at(index)
        if diagnostic is None:
            return None
        if role == SEVERITY_ROLE:
            return diagnostic.severity
        if role == MARK_ROLE:
            return diagnostic.severity.value if index.column() == 0 else None
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            return f"{diagnostic.severity.value}: {diagnostic.message}"
        return _COLUMNS[index.column()].data(diagnostic, role)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """The titles of the columns."""
        if orientation == Qt.Orientation.Horizontal and 0 <= section < len(_COLUMNS):
            return _COLUMNS[section].header(role)
        return None


def problem_line(diagnostic: Diagnostic) -> str:
    """The form that editors and CI systems know: `file:line:column: severity: message`."""
    place = (diagnostic.file, diagnostic.line, diagnostic.column)
    head = ":".join(str(part) for part in place if part)
    said = f"{diagnostic.severity.value}: {diagnostic.message}"
    return f"{head}: {said}" if head else said
