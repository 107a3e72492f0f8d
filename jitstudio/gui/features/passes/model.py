"""The tables of the Passes pane, and the code beside each row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.diff.model import Comparison, compare_lines
from jitstudio.analysis.passes import FilmReading, LineOrigin, compare_step
from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.passes import FilmStep
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


class PassesPage(Enum):
    """The content of the list."""

    STEPS = QT_TRANSLATE_NOOP("Passes", "Passes that change the PTX")
    LINES = QT_TRANSLATE_NOOP("Passes", "Instructions")
    REMARKS = QT_TRANSLATE_NOOP("Passes", "Remarks")
    BACK_END = QT_TRANSLATE_NOOP("Passes", "LLVM IR of the back end")

    @property
    def title(self) -> str:
        """The name in the user's language."""
        return QCoreApplication.translate("Passes", self.value)


@dataclass(frozen=True, eq=False)
class PassChange:
    """A change of code by a pass.

    Attributes:
        number: The number of the pass; of several the first and the last.
        name: The pass.
        unit: The part of the program.
        before, after: The code.
        step: The change of the PTX; None for code of the back end.
    """

    number: str
    name: str
    unit: str
    before: str
    after: str
    step: FilmStep | None = None

    @property
    def title(self) -> str:
        """The pass, with the number, if there is any."""
        return " ".join(filter(None, (self.number, self.name)))

    @property
    def kind(self) -> CodeKind:
        """The kind of code."""
        return CodeKind.PTX if self.step else CodeKind.LLVM_IR

    @property
    def lines_added(self) -> int:
        """By how many lines the code has grown."""
        return self.after.count("\n") - self.before.count("\n")

    def compared(self) -> Comparison:
        """Returns both codes side by side; takes a while for large ones."""
        if self.step is not None:
            return compare_step(self.step)
        return compare_lines(self.before.splitlines(), self.after.splitlines())


def changes_of_ptx(reading: FilmReading) -> tuple[PassChange, ...]:
    """Returns the changes of the PTX."""
    return tuple(map(_change, reading.film.steps))


def _change(step: FilmStep) -> PassChange:
    first, last = step.passes[0], step.passes[-1]
    numbers = f"{first.number}" if first is last else f"{first.number}-{last.number}"
    name = first.name if first is last else f"{first.name} … {last.name}"
    return PassChange(numbers, name, first.unit, step.before, step.after, step)


def changes_of_back_end(reading: FilmReading) -> tuple[PassChange, ...]:
    """Returns the changes of the back end's code; of the first of a unit the code after alone."""
    return tuple(_back_end(reading))


def _back_end(reading: FilmReading) -> Iterator[PassChange]:
    texts = reading.film.pass_list.back_end if reading.film.pass_list else ()
    before: dict[str, str] = {}
    for code in texts:
        if code.text:
            yield PassChange("", code.name, code.unit, before.get(code.unit, ""), code.text)
            before[code.unit] = code.text


CHANGE_COLUMNS: tuple[TableColumn[PassChange], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "No."),
        lambda change: change.number,
        sort_key=lambda change: int(change.number.partition("-")[0] or 0),
        number=True,
    ),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Pass"), lambda change: change.name),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "On"), lambda change: change.unit),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Lines"),
        lambda change: f"{change.lines_added:+,}",
        sort_key=lambda change: change.lines_added,
        number=True,
    ),
)


def _source_line(origin: LineOrigin) -> int:
    return origin.place[0].line if origin.place else 0


def _maker(origin: LineOrigin) -> str:
    if origin.step is None:
        return QCoreApplication.translate("Passes", "there before all passes")
    if not origin.is_moved:
        return origin.step.title
    return QCoreApplication.translate("Passes", "{made} (moved)").format(made=origin.step.title)


LINE_COLUMNS: tuple[TableColumn[LineOrigin], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Source line"),
        lambda origin: f"{_source_line(origin):,}" if origin.place else "",
        sort_key=_source_line,
        number=True,
    ),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "PTX"), lambda origin: origin.text.expandtabs(1)),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Made by pass"), _maker),
)

REMARK_COLUMNS: tuple[TableColumn[Diagnostic], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Source line"),
        lambda remark: f"{remark.line:,}" if remark.line else "",
        sort_key=lambda remark: remark.line or 0,
        number=True,
    ),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Remark"), lambda remark: remark.message),
)
