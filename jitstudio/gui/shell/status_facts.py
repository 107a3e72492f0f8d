"""The small facts at the right of the status bar, of which the least needed yield to the others."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

Fact = QLabel | QToolButton

_SPACING = 16


class StatusFacts(QWidget):
    """A row of facts that never needs more room than there is.

    Args:
        facts: In the order in which they are.
        yielding: The same in the order in which they go where there is little room.
    """

    def __init__(
        self, facts: Sequence[Fact], yielding: Sequence[Fact], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._facts = tuple(facts)
        self._yielding = tuple(yielding)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, _SPACING // 2, 0)
        row.setSpacing(_SPACING)
        row.setAlignment(Qt.AlignmentFlag.AlignRight)
        for fact in self._facts:
            row.addWidget(fact)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    @property
    def texts(self) -> list[str]:
        """All facts, whether there is room for them or not."""
        return [fact.text() for fact in self._facts if fact.text()]

    def fit(self, room: int) -> None:
        """Shows as many facts as this many pixels hold."""
        shown = [fact for fact in self._facts if fact.text()]
        for fact in self._yielding:
            if self._width(shown) <= room:
                break
            shown = [other for other in shown if other is not fact]
        for fact in self._facts:
            fact.setVisible(fact in shown)
        self.setFixedWidth(min(self._width(shown), max(0, room)))

    def _width(self, facts: Sequence[Fact]) -> int:
        return sum(fact.sizeHint().width() + _SPACING for fact in facts)
