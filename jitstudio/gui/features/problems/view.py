"""The Problems pane: errors, warnings and remarks of the tools, and the way to each place.

`ProblemsModel` knows `core.diagnostics` and no widget: icons and colours are the view's. The view
knows no editor: it emits places by `location_activated`, and fixes by `fix_requested`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.diagnostics import (
    Diagnostic,
    Fix,
    FixKind,
    Severity,
    diagnostic_line,
    fixes_at_once,
)
from jitstudio.core.launch.run_problems import RunProblem
from jitstudio.gui.kit.fonts import when_letters_change
from jitstudio.gui.kit.parts import fit_icon, show_icon, show_tip
from jitstudio.gui.kit.presentation import SORT_ROLE, ModelIndex, TableColumn
from jitstudio.gui.kit.tables import ENTER_KEYS, PanelTable, RowsModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP, counted

SEVERITY_ROLE = SORT_ROLE + 100
"""The `Severity` of a row, in any column."""


def _source(problem: Diagnostic) -> str:
    if problem.tool is not None:
        return problem.tool.value
    if not isinstance(problem, RunProblem):
        return "jitstudio"
    translate = QCoreApplication.translate
    return (
        translate("Columns", "Simulator") if problem.is_simulated else translate("Columns", "Run")
    )


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
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Tool"), _source),
)


class ProblemsModel(RowsModel[Diagnostic]):
    """A row for each diagnostic, as reported.

    Signals:
        counts_changed: After the rows were replaced.
    """

    counts_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, parent)
        self._counts: Counter[Severity] = Counter()
        self._built = False
        self._reported: tuple[Diagnostic, ...] = ()
        self._spell: Callable[[str], str] = str

    def spell_by(self, spell: Callable[[str], str]) -> None:
        """Shows names in messages as `spell` writes them; called again for more names."""
        self._spell = spell
        spelt = self._spelt()
        if spelt != self.rows:
            self.set_rows(spelt)

    @property
    def built(self) -> bool:
        """Whether there has been a build, so that no rows means no problems."""
        return self._built

    def set_diagnostics(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Shows the diagnostics of a build, and of a run."""
        self._replace(diagnostics, built=True)

    def clear(self) -> None:
        """Goes back to the state before the first build."""
        self._replace((), built=False)

    def count(self, severity: Severity) -> int:
        """Returns how many rows have a severity."""
        return self._counts[severity]

    def diagnostic_at(self, index: ModelIndex) -> Diagnostic | None:
        """Returns the diagnostic of a row of this model, or None for an invalid index."""
        return self.rows[index.row()] if index.isValid() else None

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns the cells of the columns, the severity, and the text for screen readers."""
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
        self._reported = diagnostics
        self.set_rows(self._spelt())
        self.counts_changed.emit()

    def _spelt(self) -> tuple[Diagnostic, ...]:
        return tuple(map(self._with_names, self._reported))

    def _with_names(self, report: Diagnostic) -> Diagnostic:
        message, explanation = self._spell(report.message), self._spell(report.explanation)
        is_same = (message, explanation) == (report.message, report.explanation)
        return report if is_same else replace(report, message=message, explanation=explanation)


class ExplanationPanel(QFrame):
    """Explains a problem; hidden for a problem without an explanation.

    Signals:
        fix_requested: The user wants this fix.
    """

    fix_requested = Signal(Fix)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("explanationPanel")
        self._fix: Fix | None = None
        self._text = QLabel(wordWrap=True)
        self._text.setObjectName("explanationText")
        self._text.setAccessibleName(self.tr("Explanation of the problem"))
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._button = QPushButton()
        self._button.setObjectName("fixButton")
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(12, 7, 8, 8)
        row.setSpacing(16)
        row.addWidget(self._text, 1)
        row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignTop)
        self._button.clicked.connect(self.apply_fix)
        self.show_problem(None)

    @property
    def text(self) -> str:
        """The explanation shown; empty while the panel is hidden."""
        return self._text.text()

    @property
    def fix(self) -> Fix | None:
        """The fix of the button."""
        return self._fix

    def minimumSizeHint(self) -> QSize:
        """Returns the height of a line.

        Qt's own is that of the text as narrow as can be, below which the dock would not shrink.
        """
        hint = super().minimumSizeHint()
        margins = self.contentsMargins() + self._row.contentsMargins()
        line = max(self.fontMetrics().lineSpacing(), self._button.sizeHint().height())
        return QSize(hint.width(), line + margins.top() + margins.bottom())

    def show_problem(self, problem: Diagnostic | None) -> None:
        """Explains a problem; None hides the panel."""
        self._fix = problem.fix if problem else None
        self._text.setText(problem.explanation if problem else "")
        self._button.setText(self._fix.label.replace("&", "&&") if self._fix else "")
        self._button.setHidden(self._fix is None)
        self.setHidden(not self.text)

    @Slot()
    def apply_fix(self) -> None:
        """Asks for the fix of the button."""
        if self._fix is not None:
            self.fix_requested.emit(self._fix)


class _Words(NamedTuple):
    """The words of a filter button."""

    singular: str
    plural: str
    name: str
    tip: str


_WORDS = {
    Severity.ERROR: _Words(
        QT_TRANSLATE_NOOP("ProblemsView", "{count} error"),
        QT_TRANSLATE_NOOP("ProblemsView", "{count} errors"),
        QT_TRANSLATE_NOOP("ProblemsView", "Show errors"),
        QT_TRANSLATE_NOOP("ProblemsView", "Show or hide errors"),
    ),
    Severity.WARNING: _Words(
        QT_TRANSLATE_NOOP("ProblemsView", "{count} warning"),
        QT_TRANSLATE_NOOP("ProblemsView", "{count} warnings"),
        QT_TRANSLATE_NOOP("ProblemsView", "Show warnings"),
        QT_TRANSLATE_NOOP("ProblemsView", "Show or hide warnings"),
    ),
    Severity.INFO: _Words(
        QT_TRANSLATE_NOOP("ProblemsView", "{count} remark"),
        QT_TRANSLATE_NOOP("ProblemsView", "{count} remarks"),
        QT_TRANSLATE_NOOP("ProblemsView", "Show remarks"),
        QT_TRANSLATE_NOOP("ProblemsView", "Show or hide remarks"),
    ),
}


# A fix for the whole build has its button above the list, whichever row is chosen.
_OFFERS = frozenset({FixKind.USE_NVCC})
# In letters: the width of all filter buttons with words and icons.
_ROOMY_LETTERS = 58


class _SeverityFilter(QSortFilterProxyModel):
    """Leaves out the severities that the user does not want to see."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._hidden: frozenset[Severity] = frozenset()
        self.setSortRole(SORT_ROLE)
        self.setSortCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)

    def hide(self, severities: frozenset[Severity]) -> None:
        """Leaves out these."""
        self.beginFilterChange()
        self._hidden = severities
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(
        self, source_row: int, source_parent: QModelIndex | QPersistentModelIndex
    ) -> bool:
        """Returns whether the user wants to see rows of this severity."""
        index = self.sourceModel().index(source_row, 0, source_parent)
        return index.data(SEVERITY_ROLE) not in self._hidden


class ProblemsView(QWidget):
    """A table of problems between a row of filters and the explanation of the current row.

    Signals:
        location_activated: The user went to a problem: file, line, column; 0 and an empty file
            where they are unknown.
        fix_requested: The user wants this fix.
        fixes_requested: The user wants all of these fixes.
    """

    location_activated = Signal(str, int, int)
    fix_requested = Signal(Fix)
    fixes_requested = Signal(object)

    def __init__(self, model: ProblemsModel | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("problemsView")
        self._model = ProblemsModel(self) if model is None else model
        self._shown = _SeverityFilter(self)
        self._shown.setSourceModel(self._model)
        self._filters = {severity: self._filter_button(severity) for severity in Severity}
        self._is_roomy = True
        self._explanation = ExplanationPanel(self)
        self._table = self._make_table()

        bar = QHBoxLayout()
        bar.setContentsMargins(6, 4, 6, 4)
        bar.setSpacing(4)
        for button in self._filters.values():
            bar.addWidget(button)
        bar.addStretch(1)
        self._fix_all = QPushButton()
        self._fix_all.setObjectName("fixAllButton")
        self._fix_all.clicked.connect(self.fix_all)
        bar.addWidget(self._fix_all)
        self._offer = QPushButton()
        self._offer.setObjectName("offerButton")
        self._offer.clicked.connect(self._take_offer)
        bar.addWidget(self._offer)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self._table, 1)
        layout.addWidget(self._explanation)
        self.setFocusProxy(self._table)
        self._model.counts_changed.connect(self._on_counts_changed)
        self._table.selectionModel().currentChanged.connect(self._update_explanation)
        self._shown.layoutChanged.connect(self._update_explanation)
        self._explanation.fix_requested.connect(self.fix_requested)
        self._on_counts_changed()
        when_letters_change(self, ProblemsView._fit_labels)

    @property
    def model(self) -> ProblemsModel:
        """The model of the problems."""
        return self._model

    @property
    def table(self) -> PanelTable:
        """The table, over a sorted and filtered form of the model."""
        return self._table

    @property
    def explanation(self) -> ExplanationPanel:
        """The panel with the explanation of the current problem, or of the first."""
        return self._explanation

    @Slot()
    def go_to_first(self) -> None:
        """Goes to the place of the first error; without an error, of the first problem."""
        rows = [self._shown.index(row, 0) for row in range(self._shown.rowCount())]
        problems = ((index, self._diagnostic(index)) for index in rows)
        errors = [index for index, d in problems if d and d.severity is Severity.ERROR]
        if rows:
            self._go_to((errors or rows)[0])

    @Slot()
    def go_to_next(self) -> None:
        """Goes to the place of the next problem; after the last comes the first."""
        self._go(1)

    @Slot()
    def go_to_previous(self) -> None:
        """Goes to the place of the previous problem; before the first comes the last."""
        self._go(-1)

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The fixes of all problems that can be applied in one step."""
        return fixes_at_once(self._model.rows)

    @Slot()
    def fix_all(self) -> None:
        """Asks for all fixes that can be applied in one step."""
        if fixes := self.fixes:
            self.fixes_requested.emit(fixes)

    @property
    def offer(self) -> Diagnostic | None:
        """The problem whose fix is for the whole build, and would be read too late in its row."""
        return next((d for d in self._model.rows if d.fix and d.fix.kind in _OFFERS), None)

    @Slot()
    def _take_offer(self) -> None:
        if (offer := self.offer) and offer.fix:
            self.fix_requested.emit(offer.fix)

    @Slot()
    def copy_selected(self) -> None:
        """Puts the selected problems on the clipboard, a line for each."""
        rows = sorted(self._table.selectionModel().selectedRows(), key=lambda index: index.row())
        problems = (self._diagnostic(index) for index in rows)
        lines = [diagnostic_line(problem) for problem in problems if problem is not None]
        if lines:
            QGuiApplication.clipboard().setText("\n".join(lines))

    def _make_table(self) -> PanelTable:
        table = PanelTable(self.tr("Problems"), self)
        table.setObjectName("problemsTable")
        table.setModel(self._shown)
        table.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        table.set_columns(stretched=0, widths={1: 20, 2: 7, 3: 7, 4: 10})
        table.hide_when_narrow(3, 4)
        table.sort_by_headers()
        table.clicked.connect(self._activate)
        table.add_command(self.tr("&Go to source"), self._on_enter_pressed, *ENTER_KEYS)
        table.add_command(self.tr("&Copy"), self.copy_selected, "Ctrl+C")
        fix = self._explanation.apply_fix
        self._fix_action = table.add_command(self.tr("&Fix"), fix, "Ctrl+.")
        return table

    def _filter_button(self, severity: Severity) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(f"{severity.value}Filter")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        fit_icon(button)
        show_icon(button, severity.value, f"marks.{severity.value}")
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setCheckable(True)
        button.setChecked(True)
        button.toggled.connect(self._on_filter_toggled)
        return button

    def _go(self, step: int) -> None:
        count = self._shown.rowCount()
        if not count:
            return
        current = self._table.currentIndex()
        # From nowhere, forwards starts at the first row and backwards at the last.
        row = current.row() if current.isValid() else min(0, -step)
        self._go_to(self._shown.index((row + step) % count, 0))

    def _go_to(self, index: QModelIndex) -> None:
        self._table.setCurrentIndex(index)
        self._activate(index)

    @Slot()
    def _update_explanation(self) -> None:
        current = self._table.currentIndex()
        self._explanation.show_problem(
            self._diagnostic(current if current.isValid() else self._shown.index(0, 0))
        )
        fix = self._explanation.fix
        self._fix_action.setEnabled(fix is not None)
        no_fix = self.tr("No &fix is known")
        self._fix_action.setText(fix.label.replace("&", "&&") if fix else no_fix)

    def _diagnostic(self, index: QModelIndex) -> Diagnostic | None:
        return self._model.diagnostic_at(self._shown.mapToSource(index))

    @Slot(QModelIndex)
    def _activate(self, index: QModelIndex) -> None:
        diagnostic = self._diagnostic(index)
        if diagnostic is not None:
            place = (diagnostic.file, diagnostic.line or 0, diagnostic.column or 0)
            self.location_activated.emit(*place)

    @Slot()
    def _on_enter_pressed(self) -> None:
        self._activate(self._table.currentIndex())

    @Slot()
    def _on_filter_toggled(self) -> None:
        self._shown.hide(frozenset(s for s, b in self._filters.items() if not b.isChecked()))
        self._update_hint()
        self._update_explanation()

    @Slot()
    def _on_counts_changed(self) -> None:
        for severity, button in self._filters.items():
            count = self._model.count(severity)
            singular, plural, name, tip = map(self.tr, _WORDS[severity])
            words = counted(count, singular, plural)
            button.setText(words if self._is_roomy else f"{count:,}")
            # Never narrower than before: the others shall not move while someone types.
            button.setMinimumWidth(max(button.minimumWidth(), button.sizeHint().width()))
            button.setAccessibleName(name)
            message = self.tr("{problems} in this build and its last run").format(problems=words)
            button.setAccessibleDescription(message)
            button.setToolTip(tip)
        fixes = len(self.fixes)
        self._fix_all.setText(self.tr("Fi&x all ({count:,})").format(count=fixes))
        self._fix_all.setToolTip(
            self.tr("Carry out all fixes that are offered; one step of undo for each text")
        )
        # A single fix has its button below.
        self._fix_all.setVisible(fixes > 1)
        offer = self.offer
        self._offer.setText(offer.fix.label.replace("&", "&&") if offer and offer.fix else "")
        show_tip(self._offer, offer.message if offer else "")
        self._offer.setVisible(offer is not None)
        self._update_hint()
        self._update_explanation()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leaves the numbers on the buttons where their words have no room."""
        super().resizeEvent(event)
        self._fit_labels()

    def _fit_labels(self) -> None:
        letters = self.fontMetrics().averageCharWidth()
        room = self.width() - (0 if self._offer.isHidden() else self._offer.sizeHint().width())
        is_roomy = room >= letters * _ROOMY_LETTERS
        if is_roomy != self._is_roomy:
            self._is_roomy = is_roomy
            for button in self._filters.values():
                button.setMinimumWidth(0)
            self._on_counts_changed()

    def _update_hint(self) -> None:
        if self._model.rowCount():
            hint = self.tr("The buttons above hide every problem.")
        elif self._model.built:
            hint = self.tr("No problems")
        else:
            hint = self.tr(
                "Nothing has been built yet.\n"
                "Errors and warnings of the next build and run are listed here."
            )
        self._table.set_hint(hint)
