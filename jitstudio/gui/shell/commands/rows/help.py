"""The rows of the Help menu."""

from __future__ import annotations

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.commands.spec import HELP, ActionSpec

HELP_ROWS = (
    ActionSpec(
        "welcomeAction",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&Welcome"),
        tip=QT_TRANSLATE_NOOP("Actions", "Samples, recent files, and what this machine has"),
    ),
    ActionSpec(
        "lessonsAction",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&Lessons"),
        tip=QT_TRANSLATE_NOOP("Actions", "Learn by changes that are checked, without a GPU"),
    ),
    ActionSpec(
        "helpAction",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&Help on this pane"),
        keys=("F1",),
        icon="help",
        tip=QT_TRANSLATE_NOOP(
            "Actions", "What the pane with the keyboard shows, and what it can do"
        ),
        separated=True,
    ),
    ActionSpec(
        "whatsThisAction",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "What's th&is?"),
        keys=("Shift+F1",),
        tip=QT_TRANSLATE_NOOP("Actions", "Click on anything to read what it is for"),
    ),
    ActionSpec(
        "shortcutsAction",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts…"),
        tip=QT_TRANSLATE_NOOP("Actions", "All commands and their keys, which can be changed"),
    ),
    ActionSpec(
        "toolchainAction",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&Toolchain…"),
        icon="info",
        tip=QT_TRANSLATE_NOOP("Actions", "Versions of all tools"),
        separated=True,
    ),
    ActionSpec(
        "aboutAction",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&About jitstudio…"),
        tip=QT_TRANSLATE_NOOP("Actions", "All versions, to copy for a bug report"),
    ),
)
