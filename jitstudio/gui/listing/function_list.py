"""The list of kernels and functions above a listing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QComboBox, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.presentation import Column
from jitstudio.gui.kit.rows import RowsModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.listing.functions import Function
from jitstudio.listing.kernel_names import Spelling

_NARROWEST, _WIDEST = 18, 320
# What is shown of a name: the beginning tells most, but no two shall look alike.
_LONGEST, _BEGINNING = 32, 12


class _Entry(NamedTuple):
    """A function, what its name is shown as, and that in the few letters of a list."""

    function: Function
    shown: str
    short: str


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
        defined = [function for function in functions if function.is_defined]
        shown = [spelling.name(function.name) for function in defined]
        with QSignalBlocker(self):
            self._model.set_rows(tuple(map(_Entry, defined, shown, shortened(shown))))
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


def shortened(names: Sequence[str]) -> list[str]:
    """Long names in few letters: of those that begin alike, the part where they differ is kept."""
    ordered = sorted(set(names))
    same: dict[str, int] = dict.fromkeys(names, 0)
    for name, following in pairwise(ordered):
        same_letters = takewhile(
            lambda pair: pair[0] == pair[1], zip(name, following, strict=False)
        )
        shared = sum(1 for _ in same_letters)
        for one in (name, following):
            same[one] = max(same[one], shared)
    return [_cut(name, same[name]) for name in names]


def _cut(name: str, same: int) -> str:
    """A name with its beginning, and the part from the first letter on that is its own."""
    if len(name) <= _LONGEST:
        return name
    if same < _LONGEST - 2:
        return f"{name[: _LONGEST - 1]}…"
    room = _LONGEST - _BEGINNING - 1
    # What comes before that letter says what it belongs to; at the end of a name all of it fits.
    start = min(same - room // 3, len(name) - room)
    rest = name[start:]
    return f"{name[:_BEGINNING]}…{rest if len(rest) <= room else rest[: room - 1] + '…'}"


def _title(entry: _Entry) -> str:
    return f"{entry.short} · {entry.function.line + 1:,}"


def _tooltip(entry: _Entry) -> str:
    lowered = entry.function.name
    return entry.shown if entry.shown == lowered else f"{entry.shown}\n{lowered}"


_COLUMN: Column[_Entry] = Column(QT_TRANSLATE_NOOP("Columns", "Function"), _title, tooltip=_tooltip)
