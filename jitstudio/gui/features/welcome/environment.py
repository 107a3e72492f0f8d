"""What this machine has and what it lacks, as a list with a mark before each line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from jitstudio.core.doctor_text import Finding
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.parts import text_label
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import Theme

_SELECTABLE = (
    Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
)


class EnvironmentList(QWidget):
    """Shows findings; what is wrong says what to do, in words that can be copied."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("environmentList")
        self._theme = theme
        self._findings: tuple[Finding, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(2, 1)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is shown."""
        return self._findings

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show these, in this order."""
        self._findings = tuple(findings)
        while item := self._grid.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        for row, finding in enumerate(self._findings):
            self._add(row, finding)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self.show_findings(self._findings)

    def _add(self, row: int, finding: Finding) -> None:
        mark = QLabel(self)
        name, word = self._mark(finding)
        color = getattr(self._theme.marks, name)
        side = self.fontMetrics().height()
        mark.setPixmap(icon(name, color).pixmap(side, side))
        mark.setAccessibleName(word)
        mark.setToolTip(word)
        title = text_label(self, f"{finding.name}Name")
        title.setText(finding.name)
        title.setWordWrap(False)
        words = text_label(self, f"{finding.name}Finding")
        words.setText(finding.problem or finding.found or self.tr("not looked for yet"))
        words.setToolTip(plain_tooltip(finding.place))
        words.setTextInteractionFlags(_SELECTABLE)
        words.setForegroundRole(words.palette().ColorRole.PlaceholderText)
        words.setAccessibleName(f"{finding.name}: {word}")
        for column, widget in enumerate((mark, title, words)):
            self._grid.addWidget(widget, row, column, Qt.AlignmentFlag.AlignTop)

    def _mark(self, finding: Finding) -> tuple[str, str]:
        """An icon and a word for it."""
        if finding.problem:
            if finding.is_tool:
                return "error", self.tr("missing")
            return "warning", self.tr("not here")
        if finding.found:
            return "success", self.tr("found")
        return "info", self.tr("not looked for yet")
