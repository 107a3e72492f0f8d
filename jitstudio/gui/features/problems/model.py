"""The errors, warnings and remarks of the latest build as a table.

Knows `core.diagnostics` and no widget: icons and colours are the view's.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.gui.kit.presentation import SORT_ROLE, ModelIndex, TableColumn
from jitstudio.gui.kit.rows_model import RowsModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

SEVERITY_ROLE = SORT_ROLE + 100
"""The `Severity` of a row, in any column."""

_RANKS = {severity: rank for rank, severity in enumerate(Severity)}
_COLUMNS: tuple[TableColumn[Diagnostic], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Message"),
        lambda d: d.message,
        lambda d: f"{_RANKS[d.severity]} {d.message}",
        mark=lambda d: d.severity.value,
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "File"),
        lambda d: d.file,
        lambda d: f"{d.file}\0{d.line or 0:08}\0{d.column or 0:08}",
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Line"),
        lambda d: str(d.line or ""),
        lambda d: d.line or 0,
        number=True,
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Column"),
        lambda d: str(d.column or ""),
        lambda d: d.column or 0,
        number=True,
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Tool"), lambda d: d.tool.value if d.tool else "jitstudio"
    ),
)


class ProblemsModel(RowsModel[Diagnostic]):
    """One row a diagnostic, in the order they were reported.

    Signals:
        counts_changed: After the rows were replaced.
    """

    counts_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, parent)
        self._counts: Counter[Severity] = Counter()
        self._built = False

    @property
    def built(self) -> bool:
        """Whether there has been a build, so that no rows means no problems."""
        return self._built

    def set_diagnostics(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Shows what a build reported."""
        self._replace(diagnostics, built=True)

    def clear(self) -> None:
        """Goes back to the state before the first build."""
        self._replace((), built=False)

    def count(self, severity: Severity) -> int:
        """Returns how many rows there are of one severity."""
        return self._counts[severity]

    def diagnostic_at(self, index: ModelIndex) -> Diagnostic | None:
        """Returns the diagnostic of a row of this model, or None for an invalid index."""
        return self.rows[index.row()] if index.isValid() else None

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns what the columns say, the severity, and the text for screen readers."""
        diagnostic = self.diagnostic_at(index)
        if diagnostic is not None and role == SEVERITY_ROLE:
            return diagnostic.severity
        spoken = role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0
        if diagnostic is not None and spoken:
            return f"{diagnostic.severity.value}: {diagnostic.message}"
        return super().data(index, role)

    def _replace(self, diagnostics: tuple[Diagnostic, ...], *, built: bool) -> None:
        self._counts = Counter(diagnostic.severity for diagnostic in diagnostics)
        self._built = built
        self.set_rows(diagnostics)
        self.counts_changed.emit()
