"""Pinned build results, with which later results are compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from jitstudio.gui.state.outputs import Built


@dataclass(frozen=True, eq=False)
class Baseline:
    """A result that was pinned.

    Attributes:
        name: The user's name for the baseline, which is unique.
        built: The build with all that it made.
    """

    name: str
    built: Built


class Baselines(QObject):
    """The pinned results in the order of pinning, and the chosen baseline.

    Signals:
        changed: There are others, one has another name, or another one is chosen.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items: list[Baseline] = []
        self._chosen: Baseline | None = None

    @property
    def items(self) -> tuple[Baseline, ...]:
        """All baselines, the oldest first."""
        return tuple(self._items)

    @property
    def chosen(self) -> Baseline | None:
        """The baseline that results are compared with; None while nothing is pinned."""
        return self._chosen

    def pin(self, built: Built, name: str) -> Baseline:
        """Pins `built` under `name`, and compares with this baseline from now on."""
        baseline = Baseline(_free(name, self._names()), built)
        self._items.append(baseline)
        self._chosen = baseline
        self.changed.emit()
        return baseline

    def choose(self, baseline: Baseline) -> None:
        """Compares with `baseline` from now on."""
        if baseline is not self._chosen and baseline in self._items:
            self._chosen = baseline
            self.changed.emit()

    def rename(self, baseline: Baseline, name: str) -> None:
        """Gives `baseline` another name; an empty name changes nothing."""
        name = name.strip()
        if not name or name == baseline.name or baseline not in self._items:
            return
        others = (other for other in self._names() if other != baseline.name)
        renamed = replace(baseline, name=_free(name, others))
        self._items[self._items.index(baseline)] = renamed
        if self._chosen is baseline:
            self._chosen = renamed
        self.changed.emit()

    def remove(self, baseline: Baseline) -> None:
        """Unpins `baseline`; where that was the chosen baseline, a neighbour takes over."""
        if baseline not in self._items:
            return
        at = self._items.index(baseline)
        self._items.remove(baseline)
        if self._chosen is baseline:
            self._chosen = self._items[min(at, len(self._items) - 1)] if self._items else None
        self.changed.emit()

    def _names(self) -> Iterable[str]:
        return (baseline.name for baseline in self._items)


def _free(name: str, taken: Iterable[str]) -> str:
    names = {*taken}
    number, unique = 2, name
    while unique in names:
        unique = f"{name} ({number})"
        number += 1
    return unique
