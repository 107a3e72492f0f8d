"""The rows of the Edit menu and of the submenus."""

from __future__ import annotations

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.commands.spec import CARETS, EDIT, FOLDING, LINES, ActionSpec, KeyScope

EDIT_ROWS = (
    ActionSpec("undoAction", EDIT, QT_TRANSLATE_NOOP("Actions", "&Undo"), keys=("Ctrl+Z",)),
    ActionSpec(
        "redoAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Redo"),
        keys=(
            "Ctrl+Shift+Z",
            "Ctrl+Y",
        ),
    ),
    ActionSpec(
        "cutAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Cu&t"),
        keys=("Ctrl+X",),
        where=KeyScope.TEXT,
        separated=True,
    ),
    ActionSpec(
        "copyAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Copy"),
        keys=("Ctrl+C",),
        tip=QT_TRANSLATE_NOOP("Actions", "Copy what is selected where the keyboard is"),
        where=KeyScope.TEXT,
    ),
    ActionSpec(
        "pasteAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Paste"),
        keys=("Ctrl+V",),
        where=KeyScope.TEXT,
    ),
    ActionSpec(
        "selectAllAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Select all"),
        keys=("Ctrl+A",),
        where=KeyScope.TEXT,
    ),
    ActionSpec(
        "findAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Find…"),
        keys=("Ctrl+F",),
        icon="search",
        tip=QT_TRANSLATE_NOOP("Actions", "Find in this view"),
        separated=True,
    ),
    ActionSpec(
        "replaceAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "R&eplace…"),
        keys=("Ctrl+H",),
        tip=QT_TRANSLATE_NOOP("Actions", "Find and replace in this tab"),
    ),
    ActionSpec("findNextAction", EDIT, QT_TRANSLATE_NOOP("Actions", "Find &next"), keys=("F3",)),
    ActionSpec(
        "findPreviousAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Find pre&vious"),
        keys=("Shift+F3",),
    ),
    ActionSpec(
        "findInAllAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Find in all tabs and outputs…"),
        keys=("Ctrl+Shift+F",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "List every place in the open tabs, PTX, SASS and the log"
        ),
    ),
    ActionSpec(
        "goToLineAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Go to line…"),
        keys=(
            "Ctrl+G",
            "Ctrl+L",
        ),
        tip=QT_TRANSLATE_NOOP("Actions", "Jump to a line"),
        separated=True,
    ),
    ActionSpec(
        "goToTabAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Go to ta&b…"),
        keys=("Ctrl+P",),
        tip=QT_TRANSLATE_NOOP("Actions", "Go to an open tab, or open a recent file, by its name"),
    ),
    ActionSpec(
        "goToSymbolAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Go to s&ymbol…"),
        keys=("Ctrl+T",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Jump to a kernel, function, type, macro or label of the open sources"
        ),
    ),
    ActionSpec(
        "goToDefinitionAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Go to &definition"),
        keys=("F12",),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Go to where the name at the cursor is defined, or into the included file; "
            "Ctrl+click does, too",
        ),
    ),
    ActionSpec(
        "followAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Follow the &link"),
        keys=(
            "Ctrl+Return",
            "Ctrl+Enter",
        ),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "In PTX and SASS: go to the label, function or register at the caret"
        ),
    ),
    ActionSpec(
        "backAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Bac&k"),
        keys=("Alt+Left",),
        icon="back",
        tip=QT_TRANSLATE_NOOP("Actions", "Go to where the last jump began"),
    ),
    ActionSpec(
        "forwardAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "For&ward"),
        keys=("Alt+Right",),
        icon="forward",
        tip=QT_TRANSLATE_NOOP("Actions", "Go where you went back from"),
    ),
    ActionSpec(
        "renameSymbolAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Rena&me symbol…"),
        keys=("F2",),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Change the name at the cursor wherever it means the same in this file; strings and "
            "comments stay",
        ),
        separated=True,
    ),
    ActionSpec(
        "foldAction",
        FOLDING,
        QT_TRANSLATE_NOOP("Actions", "&Fold"),
        keys=("Ctrl+Shift+[",),
        tip=QT_TRANSLATE_NOOP("Actions", "Hide the lines of the block with the cursor"),
    ),
    ActionSpec(
        "unfoldAction",
        FOLDING,
        QT_TRANSLATE_NOOP("Actions", "&Unfold"),
        keys=("Ctrl+Shift+]",),
        tip=QT_TRANSLATE_NOOP("Actions", "Show the lines that are folded at the cursor"),
    ),
    ActionSpec(
        "foldAllAction",
        FOLDING,
        QT_TRANSLATE_NOOP("Actions", "Fold &all"),
        tip=QT_TRANSLATE_NOOP("Actions", "Hide the lines of all blocks"),
        separated=True,
    ),
    ActionSpec(
        "unfoldAllAction",
        FOLDING,
        QT_TRANSLATE_NOOP("Actions", "U&nfold all"),
        tip=QT_TRANSLATE_NOOP("Actions", "Show the lines of all blocks"),
    ),
    ActionSpec(
        "selectNextAction",
        CARETS,
        QT_TRANSLATE_NOOP("Actions", "Select &next occurrence"),
        keys=("Ctrl+D",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Select the word at the cursor, then with another caret the next one like it"
        ),
    ),
    ActionSpec(
        "selectOccurrencesAction",
        CARETS,
        QT_TRANSLATE_NOOP("Actions", "Select &all occurrences"),
        keys=("Ctrl+Shift+L",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Put a caret at each place of the selected text, or of the word"
        ),
    ),
    ActionSpec(
        "caretAboveAction",
        CARETS,
        QT_TRANSLATE_NOOP("Actions", "Add caret a&bove"),
        # Desktops take the first to go to another workspace, and Alt+click to move windows.
        keys=("Ctrl+Alt+Up", "Ctrl+Shift+Up"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Type in the line above, too; Alt+click or Ctrl+Alt+click adds a caret"
        ),
        separated=True,
    ),
    ActionSpec(
        "caretBelowAction",
        CARETS,
        QT_TRANSLATE_NOOP("Actions", "Add caret bel&ow"),
        keys=("Ctrl+Alt+Down", "Ctrl+Shift+Down"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Type in the line below, too; Alt+click or Ctrl+Alt+click adds a caret"
        ),
    ),
    ActionSpec(
        "columnUpAction",
        CARETS,
        QT_TRANSLATE_NOOP("Actions", "Select column &up"),
        keys=("Ctrl+Alt+Shift+Up",),
        tip=QT_TRANSLATE_NOOP("Actions", "Select a rectangle of text; Alt+Shift+drag does, too"),
        separated=True,
    ),
    ActionSpec(
        "columnDownAction",
        CARETS,
        QT_TRANSLATE_NOOP("Actions", "Select column &down"),
        keys=("Ctrl+Alt+Shift+Down",),
        tip=QT_TRANSLATE_NOOP("Actions", "Select a rectangle of text; Alt+Shift+drag does, too"),
    ),
    ActionSpec(
        "columnLeftAction",
        CARETS,
        QT_TRANSLATE_NOOP("Actions", "Select column &left"),
        keys=("Ctrl+Alt+Shift+Left",),
        tip=QT_TRANSLATE_NOOP("Actions", "Select a rectangle of text; Alt+Shift+drag does, too"),
    ),
    ActionSpec(
        "columnRightAction",
        CARETS,
        QT_TRANSLATE_NOOP("Actions", "Select column &right"),
        keys=("Ctrl+Alt+Shift+Right",),
        tip=QT_TRANSLATE_NOOP("Actions", "Select a rectangle of text; Alt+Shift+drag does, too"),
    ),
    ActionSpec(
        "commentAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Toggle &comment"),
        keys=("Ctrl+/",),
        tip=QT_TRANSLATE_NOOP("Actions", "Comment the selected lines"),
    ),
    ActionSpec(
        "formatAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Format wit&h clang-format"),
        keys=("Alt+Shift+F",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Lay out the selected lines, or all, by the .clang-format of the folder"
        ),
    ),
    ActionSpec(
        "completeAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Complete the word"),
        keys=("Ctrl+Space",),
        tip=QT_TRANSLATE_NOOP("Actions", "Offer the words that begin as the one at the cursor"),
        where=KeyScope.EDITOR,
    ),
    *(
        ActionSpec(name, LINES, text, keys=keys, tip=tip, where=KeyScope.EDITOR)
        for name, text, keys, tip in (
            (
                "indentAction",
                QT_TRANSLATE_NOOP("Actions", "&Indent"),
                ("Ctrl+]",),
                QT_TRANSLATE_NOOP("Actions", "Move the selected lines one tab stop to the right"),
            ),
            (
                "unindentAction",
                QT_TRANSLATE_NOOP("Actions", "&Unindent"),
                ("Ctrl+[",),
                QT_TRANSLATE_NOOP("Actions", "Move the selected lines one tab stop to the left"),
            ),
            (
                "moveLinesUpAction",
                QT_TRANSLATE_NOOP("Actions", "&Move lines up"),
                ("Alt+Up",),
                QT_TRANSLATE_NOOP("Actions", "Put the selected lines above the line before"),
            ),
            (
                "moveLinesDownAction",
                QT_TRANSLATE_NOOP("Actions", "Move lines d&own"),
                ("Alt+Down",),
                QT_TRANSLATE_NOOP("Actions", "Put the selected lines below the next line"),
            ),
            (
                "duplicateLinesAction",
                QT_TRANSLATE_NOOP("Actions", "&Duplicate lines"),
                ("Ctrl+Shift+D", "Alt+Shift+Down"),
                QT_TRANSLATE_NOOP("Actions", "Put a copy of the selected lines below them"),
            ),
            (
                "deleteLinesAction",
                QT_TRANSLATE_NOOP("Actions", "De&lete lines"),
                ("Ctrl+Shift+K",),
                QT_TRANSLATE_NOOP("Actions", "Remove the selected lines as a whole"),
            ),
        )
    ),
    ActionSpec(
        "settingsAction",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Settings…"),
        keys=("Ctrl+,",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "How the window looks, builds, launches and keeps what you type"
        ),
        separated=True,
    ),
)
