"""What the table of commands tells of each, and the menus that there are."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.gui.translating import QT_TRANSLATE_NOOP


@dataclass(frozen=True)
class ActionSpec:
    """One command.

    Attributes:
        id: The name of the action object, such as `buildAction`.
        menu: The menu it is in.
        text: What the menu says, with its mnemonic; to be translated, as the tip is.
        keys: Its shortcuts, in Qt's portable spelling.
        icon: A file in `resources/icons`, or empty.
        tip: One sentence for tool tip and status bar.
        checkable: Whether it is a switch.
        separated: Whether a line stands above it in the menu.
    """

    id: str
    menu: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    tip: str = ""
    checkable: bool = False
    separated: bool = False


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
SUBMENUS = {LAYOUT: VIEW, FOLDING: EDIT, CARETS: EDIT}
"""Menus within others, which come last in them."""
