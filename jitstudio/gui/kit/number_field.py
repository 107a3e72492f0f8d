"""A line for one number, which says what is wrong while it holds none."""

from __future__ import annotations

import math

from PySide6.QtWidgets import QLineEdit, QWidget

from jitstudio.core.launch.problems import SpecProblem
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

CODE_SIZE = 9.5
"""Points of what is typed into the form."""
_WIDTH = 12
# With the margins: as much as 1e-05 needs.
_LEAST_WIDTH = 8
# What is wrong, by whether the number counts something, and whether it cannot be 0.
_PROBLEMS = {
    (True, True): QT_TRANSLATE_NOOP("NumberField", "{title}: '{text}' is no whole number above 0."),
    (True, False): QT_TRANSLATE_NOOP(
        "NumberField", "{title}: '{text}' is no whole number from 0 on."
    ),
    (False, True): QT_TRANSLATE_NOOP("NumberField", "{title}: '{text}' is no number above 0."),
    (False, False): QT_TRANSLATE_NOOP("NumberField", "{title}: '{text}' is no number from 0 on."),
}


class NumberField(QLineEdit):
    """A number of the launch; nothing is refused while it is typed.

    Args:
        parent: The part of the form it belongs to.
        place: The field of `LaunchSpec` it is for.
        title: What screen readers call it.
        what: What it means, for the tool tip.
        whole: Whether it counts something.
        positive: Whether it cannot be 0.
    """

    def __init__(
        self,
        parent: QWidget,
        place: str,
        title: str,
        what: str,
        *,
        whole: bool = False,
        positive: bool = False,
    ) -> None:
        super().__init__(parent)
        self._place = place
        self._title = title
        self._whole = whole
        self._positive = positive
        self.setObjectName(f"{place}Field")
        self.setAccessibleName(title)
        self.setToolTip(what)
        show_as_code(self, CODE_SIZE)
        cell = self.fontMetrics().horizontalAdvance("0")
        self.setMinimumWidth(cell * _LEAST_WIDTH)
        self.setMaximumWidth(cell * _WIDTH)

    @property
    def number(self) -> float | None:
        """What is here; None where that is no number that it could be."""
        try:
            number = int(self.text()) if self._whole else float(self.text())
        except ValueError:
            return None
        fits = math.isfinite(number) and (number > 0 or (number == 0 and not self._positive))
        return number if fits else None

    @property
    def problem(self) -> SpecProblem | None:
        """Why it is no number, if it is none."""
        if self.number is not None:
            return None
        text = self.tr(_PROBLEMS[self._whole, self._positive])
        return SpecProblem(self._place, text.format(title=self._title, text=self.text()))

    def show_number(self, number: float) -> None:
        """Shows another number; one that is typed otherwise but the same stays as it is."""
        if self.number != number:
            self.setText(str(int(number) if number == int(number) else number))
