"""The figures of a PTX link and an LTO link of the same modules, side by side."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from jitstudio.gui.kit.presentation import Column
from jitstudio.gui.kit.rows import RowsModel
from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.listing.link_comparison import LinkComparison, LinkFigure

_SIZE = (760, 460)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


def _difference(figure: LinkFigure) -> str:
    if figure.ptx is None or figure.lto is None or not figure.ptx:
        return ""
    percent = (figure.lto - figure.ptx) / figure.ptx * 100
    return (
        f"{percent:+.0f} %" if percent else QCoreApplication.translate("ComparisonDialog", "same")
    )


def _subject(figure: LinkFigure) -> str:
    return figure.subject or QCoreApplication.translate("ComparisonDialog", "The whole")


_COLUMNS: tuple[Column[LinkFigure], ...] = (
    Column(QT_TRANSLATE_NOOP("Columns", "Kernel or function"), _subject),
    Column(QT_TRANSLATE_NOOP("Columns", "Figure"), lambda f: f.name),
    Column(QT_TRANSLATE_NOOP("Columns", "PTX link"), lambda f: _number(f.ptx), number=True),
    Column(QT_TRANSLATE_NOOP("Columns", "LTO link"), lambda f: _number(f.lto), number=True),
    Column(QT_TRANSLATE_NOOP("Columns", "LTO against PTX"), _difference, number=True),
)


class ComparisonDialog(QDialog):
    """A table of figures; where a link failed, why.

    Signals:
        differences_requested: The user wants to see both links line by line.
    """

    differences_requested = Signal()

    def __init__(
        self, comparison: LinkComparison, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("PTX link and LTO link"))
        self.setObjectName("comparisonDialog")
        self.resize(*_SIZE)
        self._model: RowsModel[LinkFigure] = RowsModel(_COLUMNS, self)
        self._model.set_rows(comparison.figures)
        self._problem = QLabel(self._failures(comparison), textFormat=Qt.TextFormat.PlainText)
        self._problem.setWordWrap(True)
        self._problem.setVisible(bool(self._problem.text()))
        table = PanelTable(self.tr("Figures of both links"), self)
        table.setModel(self._model)
        table.set_columns(stretched=0, widths={1: 20, 2: 14, 3: 14, 4: 18})
        table.set_theme(theme)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        role = QDialogButtonBox.ButtonRole.ActionRole
        copy = buttons.addButton(self.tr("&Copy table"), role)
        copy.clicked.connect(self._on_copy)
        differences = buttons.addButton(self.tr("Show the &differences"), role)
        differences.setObjectName("showDifferences")
        differences.setToolTip(
            self.tr("Pin the PTX link as a baseline, link by LTO, and compare both line by line")
        )
        differences.setEnabled(comparison.ptx.ok and comparison.lto.ok)
        differences.clicked.connect(self._on_differences)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 14, 14, 14)
        layout.setSpacing(10)
        layout.addWidget(self._problem)
        layout.addWidget(table, 1)
        layout.addWidget(buttons)

    @property
    def model(self) -> RowsModel[LinkFigure]:
        """What is shown."""
        return self._model

    @property
    def problem(self) -> str:
        """Why a link failed; empty if both are there."""
        return self._problem.text()

    @Slot()
    def _on_copy(self) -> None:
        rows = [[column.heading for column in _COLUMNS]]
        rows += [[column.text(figure) for column in _COLUMNS] for figure in self._model.rows]
        QGuiApplication.clipboard().setText("\n".join("\t".join(row) for row in rows))

    @Slot()
    def _on_differences(self) -> None:
        self.accept()
        self.differences_requested.emit()

    def _failures(self, comparison: LinkComparison) -> str:
        both = (
            (self.tr("PTX link"), comparison.ptx),
            (self.tr("LTO link"), comparison.lto),
        )
        return "\n".join(f"{name}: {result.reason}" for name, result in both if not result.ok)
