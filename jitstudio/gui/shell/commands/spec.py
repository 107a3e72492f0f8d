"""The columns of the table of commands, and the menus."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


class KeyScope(Enum):
    """The scope in which the keys of a command hold, and the carrier of the command."""

    WINDOW = auto()
    """In the whole window; whoever binds it carries it out."""
    STEPPING = auto()
    """In the whole window while a kernel is stepped through; other commands lack the key then."""
    EDITOR = auto()
    """In editors, which handle the first of the keys themselves: the action sends that key."""
    TEXT = auto()
    """In whatever has the keyboard: each text field, listing and table knows these keys."""


class ActionSpec(NamedTuple):
    """A command.

    Attributes:
        id: The name of the action object, such as `buildAction`.
        menu: The menu it is in.
        text: The text in the menu, with its mnemonic; to be translated, as the tip is.
        keys: Its shortcuts, in Qt's portable spelling.
        icon: A file in `resources/icons`, or empty.
        tip: One sentence for tool tip and status bar.
        checkable: Whether it is a switch.
        separated: Whether a line is above it in the menu.
        where: Where its keys hold.
        pane: The pane that it leads to, by the name of its dock; `EDITOR` for the editors.
    """

    id: str
    menu: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    tip: str = ""
    checkable: bool = False
    separated: bool = False
    where: KeyScope = KeyScope.WINDOW
    pane: str = ""


EDITOR = "editor"
"""The name of the editors among the names of panes."""

FILE = QT_TRANSLATE_NOOP("Actions", "&File")
EDIT = QT_TRANSLATE_NOOP("Actions", "&Edit")
BUILD = QT_TRANSLATE_NOOP("Actions", "&Build")
LAUNCH = QT_TRANSLATE_NOOP("Actions", "&Launch")
ANALYSE = QT_TRANSLATE_NOOP("Actions", "&Analyse")
VIEW = QT_TRANSLATE_NOOP("Actions", "&View")
HELP = QT_TRANSLATE_NOOP("Actions", "&Help")
MENUS = (FILE, EDIT, BUILD, ANALYSE, LAUNCH, VIEW, HELP)
LAYOUT = QT_TRANSLATE_NOOP("Actions", "La&yout")
FOLDING = QT_TRANSLATE_NOOP("Actions", "F&olding")
CARETS = QT_TRANSLATE_NOOP("Actions", "C&arets")
LINES = QT_TRANSLATE_NOOP("Actions", "Lines")
TABS = QT_TRANSLATE_NOOP("Actions", "Tabs")
STEP = QT_TRANSLATE_NOOP("Actions", "Step throug&h")
CACHES = QT_TRANSLATE_NOOP("Actions", "Open a &kernel cache")
EXPORT = QT_TRANSLATE_NOOP("Actions", "E&xport")
PROJECT = QT_TRANSLATE_NOOP("Actions", "Pro&ject")
SUBMENUS = {
    LAYOUT: VIEW,
    FOLDING: EDIT,
    CARETS: EDIT,
    LINES: EDIT,
    TABS: FILE,
    CACHES: FILE,
    STEP: LAUNCH,
    EXPORT: FILE,
    PROJECT: FILE,
}
"""Menus within others, each where the first of its commands is in the table."""
