"""Fields: a line for a number, and titled fields with problems below."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLineEdit, QWidget

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.parts import FieldName, muted, text_label
from jitstudio.gui.kit.theme import current_theme, follow_theme
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

CODE_SIZE = 9.5
"""The size of the text typed into the form, in points."""
_WIDTH = 12
# With the margins: as much as 1e-05 needs.
_LEAST_WIDTH = 8
# What is wrong, by whether the number counts something, and whether it cannot be 0.
_PROBLEMS = {
    (True, True): QT_TRANSLATE_NOOP(
        "NumberField", "{title}: '{text}' is not a whole number above 0."
    ),
    (True, False): QT_TRANSLATE_NOOP(
        "NumberField", "{title}: '{text}' is not a whole number from 0 on."
    ),
    (False, True): QT_TRANSLATE_NOOP("NumberField", "{title}: '{text}' is not a number above 0."),
    (False, False): QT_TRANSLATE_NOOP(
        "NumberField", "{title}: '{text}' is not a number from 0 on."
    ),
}


class NumberField(QLineEdit):
    """A number of the launch; nothing is refused while the user types.

    Args:
        parent: The part of the form it belongs to.
        place: The field of `LaunchSpec` it is for.
        title: The name for screen readers.
        what: The meaning, for the tool tip.
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
        """The number; None where the text is no valid number."""
        try:
            number = int(self.text()) if self._whole else float(self.text())
        except ValueError:
            return None
        fits = math.isfinite(number) and (number > 0 or (number == 0 and not self._positive))
        return number if fits else None

    @property
    def problem(self) -> SpecProblem | None:
        """The problem with the text, if the text is no valid number."""
        if self.number is not None:
            return None
        text = self.tr(_PROBLEMS[self._whole, self._positive])
        return SpecProblem(self._place, text.format(title=self._title, text=self.text()))

    def show_number(self, number: float) -> None:
        """Shows another number; equal numbers keep the typed form."""
        if self.number != number:
            self.setText(str(int(number) if number == int(number) else number))


_TITLE_WIDTH = 15
_NOWHERE: Mapping[str, QWidget] = MappingProxyType({})


class WheelGuard(QObject):
    """Leaves the wheel to the form that scrolls, unless the field has the keyboard."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stops wheel events that would change a field that the pointer only passes."""
        if event.type() != QEvent.Type.Wheel or not isinstance(watched, QWidget):
            return False
        if watched.hasFocus():
            return False
        event.ignore()
        return True


def code_line(parent: QWidget, name: str, title: str, what: str, example: str) -> QLineEdit:
    """Returns a line to type code into.

    Args:
        parent: The part of the form it belongs to.
        name: Its object name.
        title: The name for screen readers.
        what: The meaning, for the tool tip.
        example: The text while the field is empty.
    """
    line = QLineEdit(parent)
    line.setObjectName(name)
    show_as_code(line, CODE_SIZE)
    line.setAccessibleName(title)
    line.setToolTip(what)
    line.setPlaceholderText(example)
    return line


class ProblemLabel(QLabel):
    """The problem of the field above; takes no room while there is none."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._severity = Severity.ERROR
        self.show_problems(())
        follow_theme(self, ProblemLabel._paint)

    def show_problems(self, problems: Iterable[SpecProblem]) -> None:
        """Shows problems, each with remedy, in the colour of the worst."""
        problems_now = tuple(problems)
        self.setText("\n".join(f"{p.message} {p.remedy}".rstrip() for p in problems_now))
        self.setVisible(bool(problems_now))
        severities = {problem.severity for problem in problems_now}
        self._severity = next((s for s in Severity if s in severities), Severity.ERROR)
        self._paint()

    def _paint(self) -> None:
        sheet = f"color: {getattr(current_theme().marks, self._severity.value).name()}"
        # Qt looks through all sheets again for one that is set, be it the same.
        if sheet != self.styleSheet():
            self.setStyleSheet(sheet)


class FieldRows(QWidget):
    """Fields below each other, each with title before and problems below.

    Args:
        parent: The part of the form it belongs to.
        letters: Room for titles, in letters; longer ones widen the column.
    """

    def __init__(self, parent: QWidget | None = None, letters: int = _TITLE_WIDTH) -> None:
        super().__init__(parent)
        self._labels: dict[str, ProblemLabel] = {}
        self._places: dict[str, QWidget] = {}
        self._numbers: list[NumberField] = []
        self._problems: tuple[SpecProblem, ...] = ()
        self._guard = WheelGuard(self)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(5)
        width = self.fontMetrics().horizontalAdvance("0") * letters
        self._grid.setColumnMinimumWidth(0, width)
        self._grid.setColumnStretch(1, 1)

    @property
    def places(self) -> Mapping[str, QWidget]:
        """The fields by the places of their problems; see `SpecProblem.where`."""
        return self._places

    def add(
        self,
        title: QWidget | str,
        *fields: QWidget,
        places: Mapping[str, QWidget] = _NOWHERE,
        stretched: int = -1,
    ) -> None:
        """Appends a row.

        Args:
            title: The part before the fields; a text becomes the label of the first.
            fields: They are next to each other.
            places: Those of them whose problems are shown below, by the places of these; see
                `SpecProblem.where`.
            stretched: The field that takes the spare room.
        """
        row = self._grid.rowCount()
        self._grid.addWidget(self._title(title, fields[0]), row, 0)
        line = QHBoxLayout()
        line.setSpacing(8)
        for field in fields:
            self._take(field)
            line.addWidget(field)
        line.setStretch(range(len(fields))[stretched], 1)
        line.addStretch()  # for rows of fields that do not grow
        self._grid.addLayout(line, row, 1, 1, -1)
        if places:
            self.add_below(self._problem_label(places))

    def add_two(
        self,
        first: tuple[QWidget | str, QWidget],
        second: tuple[QWidget | str, QWidget],
        places: Mapping[str, QWidget] = _NOWHERE,
    ) -> None:
        """Appends a row of two titles with a field each, in line with other rows of two."""
        row = self._grid.rowCount()
        for column, (title, field) in ((0, first), (2, second)):
            self._take(field)
            line = QHBoxLayout()
            line.addWidget(field, 1)
            line.addStretch()  # for fields that do not grow
            if title:
                self._grid.addWidget(self._title(title, field), row, column)
                self._grid.addLayout(line, row, column + 1)
            else:
                self._grid.addLayout(line, row, column, 1, 2)
            self._grid.setColumnStretch(column + 1, 1)
        if places:
            self.add_below(self._problem_label(places))

    def add_below(self, widget: QWidget) -> None:
        """Appends something under the fields that has no title."""
        self._grid.addWidget(widget, self._grid.rowCount(), 1, 1, -1)

    def add_hint(self, name: str) -> QLabel:
        """Appends muted words under the fields."""
        hint = muted(text_label(self, name))
        self.add_below(hint)
        return hint

    def add_wide(self, widget: QWidget, places: Mapping[str, QWidget] = _NOWHERE) -> None:
        """Appends a widget as wide as titles and fields together, with problems below."""
        self._grid.addWidget(widget, self._grid.rowCount(), 0, 1, -1)
        if places:
            label = self._problem_label(places)
            self._grid.addWidget(label, self._grid.rowCount(), 0, 1, -1)

    def show_problems(self, problems: tuple[SpecProblem, ...]) -> None:
        """Shows each problem below the field of the problem; other problems are ignored."""
        unreadable = self.unreadable
        # Said here anyway, and gone as soon as the number is typed right.
        self._problems = tuple(problem for problem in problems if problem not in unreadable)
        shown = (*unreadable, *self._problems)
        for label in set(self._labels.values()):
            label.show_problems(p for p in shown if self._labels.get(p.where) is label)

    @property
    def unreadable(self) -> tuple[SpecProblem, ...]:
        """The fields that should hold a number and do not."""
        return tuple(field.problem for field in self._numbers if field.problem)

    @Slot()
    def _on_number_edited(self) -> None:
        self.show_problems(self._problems)

    def _take(self, field: QWidget) -> None:
        field.installEventFilter(self._guard)
        if isinstance(field, NumberField):
            self._numbers.append(field)
            field.textEdited.connect(self._on_number_edited)

    def _problem_label(self, places: Mapping[str, QWidget]) -> ProblemLabel:
        label = ProblemLabel(self)
        label.setObjectName(f"{next(iter(places))}Problem")
        self._labels.update(dict.fromkeys(places, label))
        self._places.update(places)
        return label

    def _title(self, title: QWidget | str, field: QWidget) -> QWidget:
        if isinstance(title, QWidget):
            return title
        return FieldName(title, field, self)
