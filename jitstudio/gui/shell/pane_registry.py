"""The table of panes, for docks, layouts, the View menu, the palette and the help.

A new pane is a folder `features/NAME` whose `controller` module has `install`, and one row here.
A pane is made when it is first shown or asked for (`gui/window/pane_maker.py`): until then its dock
has a title, and `install` was not called. So a controller begins with the present state, not with
the next signal. What a feature does before that has a module of its own in the folder, `early`,
which `gui/window/window_builder.py` names.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


class PaneGroup(Enum):
    """Panes that layouts keep together; in each layout a new pane joins the group."""

    LISTINGS = auto()
    """The code that the compilers generated, as text."""
    READING = auto()
    """Analyses of the machine code."""
    RESULTS = auto()
    """The reports of a build besides listings."""
    RUN = auto()
    """Launches."""
    PICTURES = auto()
    """The build as a picture."""
    FINDINGS = auto()
    """Lists that lead to places in texts; below the editors."""
    FORMS = auto()
    """How to build; left of the editors, closed at first."""


class Pane(NamedTuple):
    """A pane.

    Attributes:
        name: The name of its dock, of its topic in the manual, and of its folder in
            `features` unless `feature` says another; of its part of a dock, see `within`.
        title: The title of its tab; to be translated, as `text` is.
        group: The panes that it is with.
        text: The entry of the View menu that leads to it, with its mnemonic; empty where another
            command does.
        keys: Shortcuts of that entry, in Qt's portable spelling.
        icon: A file in `resources/icons` for that entry, or empty.
        is_hidden: Whether it is closed until the user asks for it, or its feature has something to
            show (`LayoutManager.offer`).
        feature: The folder in `features`, where several panes share one.
        within: The pane that it is a part of: a tab of that if that has tabs; otherwise that lays
            it out by itself, and the same feature makes both.
        has_tabs: Whether it is nothing but tabs, one for each part.
        is_early: Whether it is made with the window, as others work with it.
        commands: Those that its feature binds; each makes the pane.
        places: The classes of places (`gui/shell/navigation.py`) to which its feature leads; a way
            to one makes the pane.
    """

    name: str
    title: str
    group: PaneGroup
    text: str = ""
    keys: tuple[str, ...] = ()
    icon: str = ""
    is_hidden: bool = False
    feature: str = ""
    within: str = ""
    has_tabs: bool = False
    is_early: bool = False
    commands: tuple[str, ...] = ()
    places: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """The folder in `features` whose `controller` makes the pane; empty for tabs of others."""
        return "" if self.has_tabs else self.feature or self.name

    @property
    def action(self) -> str:
        """The id of the command of the View menu that leads to the pane."""
        return f"focus{self.name.capitalize()}Action"


PANES = (
    Pane(
        "ptx",
        QT_TRANSLATE_NOOP("Panes", "PTX"),
        PaneGroup.LISTINGS,
        QT_TRANSLATE_NOOP("Actions", "Go to &PTX"),
        ("Ctrl+2",),
        feature="ptx_sass",
        is_early=True,
    ),
    Pane(
        "sass",
        QT_TRANSLATE_NOOP("Panes", "SASS"),
        PaneGroup.LISTINGS,
        QT_TRANSLATE_NOOP("Actions", "Go to &SASS"),
        ("Ctrl+3",),
        feature="ptx_sass",
        is_early=True,
    ),
    Pane(
        "tileir",
        QT_TRANSLATE_NOOP("Panes", "Tile IR"),
        PaneGroup.LISTINGS,
        QT_TRANSLATE_NOOP("Actions", "Go to Tile IR"),
        is_hidden=True,
    ),
    Pane(
        "report",
        QT_TRANSLATE_NOOP("Panes", "Report"),
        PaneGroup.READING,
        QT_TRANSLATE_NOOP("Actions", "Go to report"),
        ("Ctrl+Alt+R",),
        places=("CausePlace",),
    ),
    Pane(
        "graph",
        QT_TRANSLATE_NOOP("Panes", "Graph"),
        PaneGroup.READING,
        QT_TRANSLATE_NOOP("Actions", "Go to graph"),
        ("Ctrl+Alt+G",),
        commands=("exportGraphAction",),
    ),
    Pane(
        "compare",
        QT_TRANSLATE_NOOP("Panes", "Compare"),
        PaneGroup.READING,
        QT_TRANSLATE_NOOP("Actions", "Go to compare"),
        ("Ctrl+Alt+C",),
        is_hidden=True,
        commands=("nextDifferenceAction", "previousDifferenceAction"),
    ),
    Pane(
        "passes",
        QT_TRANSLATE_NOOP("Panes", "Passes"),
        PaneGroup.READING,
        QT_TRANSLATE_NOOP("Actions", "Go to passes"),
        is_hidden=True,
    ),
    Pane(
        "kernels",
        QT_TRANSLATE_NOOP("Panes", "Kernels"),
        PaneGroup.READING,
        QT_TRANSLATE_NOOP("Actions", "Go to &kernels"),
        ("Ctrl+4",),
        feature="report",
        within="report",
    ),
    Pane(
        "library",
        QT_TRANSLATE_NOOP("Panes", "Library"),
        PaneGroup.FINDINGS,
        QT_TRANSLATE_NOOP("Actions", "Go to library"),
        is_hidden=True,
        is_early=True,
    ),
    Pane(
        "launch",
        QT_TRANSLATE_NOOP("Panes", "Launch"),
        PaneGroup.RUN,
        QT_TRANSLATE_NOOP("Actions", "Go to launc&h"),
        ("Ctrl+9",),
        commands=("runAction", "simulateAction"),
        places=("RunPlace",),
    ),
    Pane(
        "step",
        QT_TRANSLATE_NOOP("Panes", "Step"),
        PaneGroup.RUN,
        QT_TRANSLATE_NOOP("Actions", "Go to step"),
        ("Ctrl+Alt+D",),
        is_hidden=True,
        commands=("runToChangeAction",),
    ),
    Pane(
        "pipeline",
        QT_TRANSLATE_NOOP("Panes", "Pipeline"),
        PaneGroup.PICTURES,
        QT_TRANSLATE_NOOP("Actions", "Go to pipeline"),
        ("Ctrl+Alt+P",),
        icon="pipeline",
        is_hidden=True,
        is_early=True,
    ),
    Pane(
        "times",
        QT_TRANSLATE_NOOP("Panes", "Compile time"),
        PaneGroup.PICTURES,
        QT_TRANSLATE_NOOP("Actions", "Go to compile time"),
        is_hidden=True,
    ),
    Pane(
        "problems",
        QT_TRANSLATE_NOOP("Panes", "Problems"),
        PaneGroup.FINDINGS,
        QT_TRANSLATE_NOOP("Actions", "Go to p&roblems"),
        ("Ctrl+7", "Ctrl+Shift+M"),
        is_early=True,
    ),
    Pane(
        "log",
        QT_TRANSLATE_NOOP("Panes", "Log"),
        PaneGroup.FINDINGS,
        QT_TRANSLATE_NOOP("Actions", "Go to lo&g"),
        ("Ctrl+8",),
        places=("LogPlace",),
    ),
    Pane(
        "search",
        QT_TRANSLATE_NOOP("Panes", "Find in all"),
        PaneGroup.FINDINGS,
        is_hidden=True,
        commands=("findInAllAction",),
    ),
    Pane(
        "build",
        QT_TRANSLATE_NOOP("Panes", "Build"),
        PaneGroup.FORMS,
        is_hidden=True,
        has_tabs=True,
    ),
    Pane(
        "options",
        QT_TRANSLATE_NOOP("Panes", "Options"),
        PaneGroup.FORMS,
        within="build",
    ),
    Pane(
        "names",
        QT_TRANSLATE_NOOP("Panes", "Lowered names"),
        PaneGroup.FORMS,
        QT_TRANSLATE_NOOP("Actions", "Go to lo&wered names"),
        ("Ctrl+5",),
        is_hidden=True,
        within="build",
    ),
    Pane(
        "link",
        QT_TRANSLATE_NOOP("Panes", "Link"),
        PaneGroup.FORMS,
        QT_TRANSLATE_NOOP("Actions", "Go to &link"),
        ("Ctrl+6",),
        is_hidden=True,
        within="build",
    ),
    Pane(
        "lessons",
        QT_TRANSLATE_NOOP("Panes", "Lessons"),
        PaneGroup.FORMS,
        is_hidden=True,
        commands=("lessonsAction",),
    ),
)


BY_NAME = {pane.name: pane for pane in PANES}
DOCKS = tuple(pane for pane in PANES if not pane.within)
"""The panes with a dock of their own."""
EARLY = tuple(dict.fromkeys(pane.folder for pane in PANES if pane.is_early))
"""The folders of the panes that are made with the window."""


def names_of(*groups: PaneGroup) -> tuple[str, ...]:
    """Returns the docks of groups, in the order of the table."""
    return tuple(pane.name for pane in DOCKS if pane.group in groups)


def is_tab(name: str) -> bool:
    """Returns whether a pane is a tab of another pane."""
    within = BY_NAME[name].within
    return bool(within) and BY_NAME[within].has_tabs


def parts_of(name: str) -> tuple[Pane, ...]:
    """Returns the panes that are parts of a pane, in the order of the table."""
    return tuple(pane for pane in PANES if pane.within == name)
