"""What a problem means, and the button that mends it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from jitstudio.core.diagnostics import Diagnostic, Fix


class ExplanationPanel(QFrame):
    """Explains one problem; hidden where there is nothing to explain.

    Signals:
        fix_requested: The user wants this done.
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
        """What the button does."""
        return self._fix

    def minimumSizeHint(self) -> QSize:
        """The height of one line.

        Qt's own is that of the text as narrow as can be, below which the dock would not shrink.
        """
        hint = super().minimumSizeHint()
        margins = self.contentsMargins() + self._row.contentsMargins()
        line = max(self.fontMetrics().lineSpacing(), self._button.sizeHint().height())
        return QSize(hint.width(), line + margins.top() + margins.bottom())

    def show_problem(self, problem: Diagnostic | None) -> None:
        """Explain this problem, or none."""
        self._fix = problem.fix if problem else None
        self._text.setText(problem.explanation if problem else "")
        self._button.setText(self._fix.label.replace("&", "&&") if self._fix else "")
        self._button.setHidden(self._fix is None)
        self.setHidden(not self.text)

    @Slot()
    def apply_fix(self) -> None:
        """Do what the button says."""
        if self._fix is not None:
            self.fix_requested.emit(self._fix)
