"""The named layouts: places and sizes of panes. Tables, no widgets."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from PySide6.QtCore import Qt

from jitstudio.gui.shell.pane_registry import DOCKS, PaneGroup, names_of

_DEFAULT_HIDDEN = frozenset(pane.name for pane in DOCKS if pane.is_hidden)


class DockSide(Enum):
    """The side of the editors that an area is at."""

    LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
    RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
    TOP = Qt.DockWidgetArea.TopDockWidgetArea
    BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea

    @property
    def across(self) -> Qt.Orientation:
        """The direction in which an area takes room from the editors."""
        beside = self in (DockSide.LEFT, DockSide.RIGHT)
        return Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical


class Area(NamedTuple):
    """A side of the window.

    Attributes:
        side: Which.
        share: How much of the window's width or height it takes.
        groups: Panes side by side, from left to right; each a group of tabs, the first in front.
        weights: The part of the area that each group takes, in any unit; none for equal parts.
        least: How many pixels it takes in a small window, too.
        stacked_below: The width of a window, in pixels at the usual size of letters, below which
            the groups are one above the other: side by side each would cut its lines.
        stacked_share: Its share then.
    """

    side: DockSide
    share: float
    groups: tuple[tuple[str, ...], ...]
    weights: tuple[int, ...] = ()
    least: int = 0
    stacked_below: int = 0
    stacked_share: float = 0.0


class PaneLayout(NamedTuple):
    """A way to arrange all panes around the editors.

    Attributes:
        name: The key under which the layout is remembered.
        areas: Where each pane is; together they have all panes.
        hidden: The panes that are closed at first.
        zoom: How large all letters are until the user zooms, in a window that is not small; 1 is
            the size of the desktop.
    """

    name: str
    areas: tuple[Area, ...]
    hidden: frozenset[str] = _DEFAULT_HIDDEN
    zoom: float = 1.0


# One above the other, not tabs of one group: for panes of one that are all closed, Qt shows tabs
# without any as it restores them.
def _forms(least: int) -> tuple[Area, ...]:
    return tuple(
        Area(DockSide.LEFT, 0.25, ((name,),), least=least) for name in names_of(PaneGroup.FORMS)
    )


_FORMS = _forms(320)
_FINDINGS = names_of(PaneGroup.FINDINGS)
_RIGHT = names_of(
    PaneGroup.LISTINGS,
    PaneGroup.READING,
    PaneGroup.RESULTS,
    PaneGroup.RUN,
    PaneGroup.PICTURES,
)
# Next to PTX where PTX and SASS have a column each.
_WITH_PTX = ("ptx", *names_of(PaneGroup.RESULTS), "graph")


def _right(*first: str, without: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Returns the panes right of the editors as a group of tabs, with `first` in front."""
    return (*first, *(name for name in _RIGHT if name not in (*first, *without)))


LAYOUTS: tuple[PaneLayout, ...] = (
    PaneLayout(
        "edit",
        (
            *_FORMS,
            Area(DockSide.RIGHT, 0.52, (_right(),)),
            Area(DockSide.BOTTOM, 0.24, (_FINDINGS,)),
        ),
    ),
    PaneLayout(
        "compare",
        (
            *_FORMS,
            Area(DockSide.RIGHT, 0.69, (_right("compare"),)),
            Area(DockSide.BOTTOM, 0.2, (_FINDINGS,)),
        ),
        _DEFAULT_HIDDEN - {"compare"},
    ),
    PaneLayout(
        "launch",
        (
            *_FORMS,
            Area(DockSide.RIGHT, 0.66, (_right("launch"),)),
            Area(DockSide.BOTTOM, 0.24, (_FINDINGS,)),
        ),
    ),
    PaneLayout(
        "teach",
        (
            *_forms(230),
            Area(DockSide.TOP, 0.42, (("pipeline",),)),
            # Beside the code, not below it: below it both would be too low on a small screen.
            Area(DockSide.RIGHT, 0.4, ((*_right(without=("pipeline",)), "problems"),)),
            Area(DockSide.BOTTOM, 0.16, (tuple(n for n in _FINDINGS if n != "problems"),)),
        ),
        (_DEFAULT_HIDDEN | frozenset(_FINDINGS)) - {"pipeline", "problems"},
        # To be read from the last row.
        zoom=1.25,
    ),
    PaneLayout(
        "read",
        (
            *_FORMS,
            # Instructions are longer in SASS than in PTX, by their predicates and addresses.
            Area(
                DockSide.RIGHT,
                0.69,
                (_WITH_PTX, _right("sass", without=_WITH_PTX)),
                weights=(3, 4),
                least=740,
                stacked_below=1400,
                stacked_share=0.58,
            ),
            Area(DockSide.BOTTOM, 0.2, (_FINDINGS,)),
        ),
    ),
)
BY_NAME = {layout.name: layout for layout in LAYOUTS}
