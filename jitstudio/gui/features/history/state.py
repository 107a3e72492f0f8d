"""Places that the user came by, to go back to and forward again. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MOST_SPOTS = 100


@dataclass(frozen=True)
class HistoryEntry:
    """A place in a text.

    Attributes:
        text: Which text; compared by what it is, never looked into.
        line: Counted from 1.
        column: Counted from 1; 0 where it does not matter.
    """

    text: object
    line: int
    column: int = 0

    def is_near(self, other: HistoryEntry) -> bool:
        """Returns whether going from one to the other would not be felt as going anywhere."""
        return self.text == other.text and self.line == other.line


class History:
    """Goes back and forth between jumps, as in a browser: a new jump forgets what was ahead."""

    def __init__(self, most: int = MOST_SPOTS) -> None:
        self._most = most
        self._behind: list[HistoryEntry] = []
        self._ahead: list[HistoryEntry] = []

    @property
    def can_go_back(self) -> bool:
        """Whether there is a place to go back to."""
        return bool(self._behind)

    @property
    def can_go_forward(self) -> bool:
        """Whether there is a place that was gone back from."""
        return bool(self._ahead)

    def add(self, left: HistoryEntry) -> None:
        """The user jumps away from this place."""
        self._ahead.clear()
        _push(self._behind, left)
        del self._behind[: -self._most]

    def back(self, here: HistoryEntry) -> HistoryEntry | None:
        """Returns the place before, to go to from `here`; None where there is none."""
        return _step(self._behind, self._ahead, here)

    def forward(self, here: HistoryEntry) -> HistoryEntry | None:
        """Returns the place that was gone back from; None where there is none."""
        return _step(self._ahead, self._behind, here)

    def forget(self, is_gone: Callable[[object], bool]) -> None:
        """Leaves out the places in texts that are gone."""
        for spots in (self._behind, self._ahead):
            spots[:] = [spot for spot in spots if not is_gone(spot.text)]


def _step(
    source: list[HistoryEntry], target: list[HistoryEntry], here: HistoryEntry
) -> HistoryEntry | None:
    while source:
        spot = source.pop()
        if not spot.is_near(here):
            _push(target, here)
            return spot
    return None


def _push(spots: list[HistoryEntry], spot: HistoryEntry) -> None:
    if spots and spots[-1].is_near(spot):
        spots.pop()
    spots.append(spot)
