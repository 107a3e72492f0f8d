"""The list of kernels and functions above a listing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QComboBox, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.models.presentation import Column
from jitstudio.gui.models.rows import RowsModel
from jitstudio.gui.translating import QT_TRANSLATE_NOOP
from jitstudio.listing.demangling import Spelling
from jitstudio.listing.functions import Function
from jitstudio.listing.kernel_names import read_name

_NARROWEST, _WIDEST = 12, 260
# Of a long name the beginning tells most, and the end tells overloads apart.
_LONGEST, _END = 32, 10


class _Entry(NamedTuple):
    """A function, and what its name is shown as."""

    function: Function
    shown: str


class FunctionList(QComboBox):
    """Says in which function the caret is, and goes to another one. Hidden where there is none.

    Signals:
        line_requested: Go to this line, counted from 1.
    """

    line_requested = Signal(int)

    def __init__(self, kind: CodeKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model: RowsModel[_Entry] = RowsModel((_COLUMN,), self)
        self.setModel(self._model)
        self.setObjectName(f"{kind.value}FunctionList")
        self.setAccessibleName(
            self.tr("Kernels and functions of the {kind}").format(kind=kind.title)
        )
        self.setToolTip(self.tr("Go to a kernel or function"))
        self.setPlaceholderText(self.tr("Go to kernel"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_NARROWEST)
        self.setMaximumWidth(_WIDEST)
        self.activated.connect(self._on_activated)
        self.hide()

    def show_functions(self, functions: Sequence[Function], spelling: Spelling) -> None:
        """Offer those that are defined here; the others are elsewhere."""
        defined = (function for function in functions if function.is_defined)
        with QSignalBlocker(self):
            self._model.set_rows(tuple(_Entry(f, spelling.name(f.name)) for f in defined))
        self.setVisible(bool(self._model.rows))

    def follow(self, line: int) -> None:
        """Name the function of a line, counted from 1."""
        entries = self._model.rows
        at = bisect_right(entries, line - 1, key=lambda entry: entry.function.line) - 1
        is_inside = at >= 0 and line <= entries[at].function.end
        with QSignalBlocker(self):
            self.setCurrentIndex(at if is_inside else -1)

    @Slot(int)
    def _on_activated(self, index: int) -> None:
        self.line_requested.emit(self._model.rows[index].function.line + 1)


def _title(entry: _Entry) -> str:
    function, shown = entry
    name = shown if shown == function.name else read_name(shown).title
    if len(name) > _LONGEST:
        name = f"{name[: _LONGEST - _END - 1]}…{name[-_END:]}"
    return f"{name} · {function.line + 1:,}"


_COLUMN: Column[_Entry] = Column(
    QT_TRANSLATE_NOOP("Columns", "Function"), _title, tooltip=lambda entry: entry.shown
)
