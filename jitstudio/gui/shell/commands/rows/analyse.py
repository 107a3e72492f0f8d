"""The rows of the Analyse menu."""

from __future__ import annotations

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.commands.spec import ANALYSE, ActionSpec

ANALYSE_ROWS = (
    ActionSpec(
        "correlateAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Go to the &matching line"),
        keys=("Ctrl+F10",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "From source to PTX, from PTX to SASS, from SASS back to the source"
        ),
    ),
    ActionSpec(
        "showInSourceAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Show in s&ource"),
        tip=QT_TRANSLATE_NOOP("Actions", "Go to the source line that the line here comes from"),
    ),
    ActionSpec(
        "showInPtxAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Show in PT&X"),
        tip=QT_TRANSLATE_NOOP("Actions", "Go to the PTX that belongs to the line here"),
    ),
    ActionSpec(
        "showInSassAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Show in SASS"),
        tip=QT_TRANSLATE_NOOP("Actions", "Go to the instructions that belong to the line here"),
    ),
    ActionSpec(
        "besideAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Represent&ations side by side"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Show two representations of a captured kernel next to each other, or one"
        ),
    ),
    ActionSpec(
        "nextMatchAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "&Next matching block"),
        keys=("Alt+F10",),
        tip=QT_TRANSLATE_NOOP("Actions", "The next lines here that match the same source line"),
    ),
    ActionSpec(
        "previousMatchAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "&Previous matching block"),
        keys=("Alt+Shift+F10",),
    ),
    ActionSpec(
        "followCursorAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "&Follow the cursor"),
        tip=QT_TRANSLATE_NOOP("Actions", "Scroll the other panes to what matches the line here"),
        checkable=True,
    ),
    ActionSpec(
        "bandsAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "&Colour matching lines"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Lines of source, PTX and SASS that match have one colour"
        ),
        checkable=True,
    ),
    ActionSpec(
        "nextPeakAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Next register p&eak"),
        keys=("F4",),
        tip=QT_TRANSLATE_NOOP("Actions", "Where the most registers are alive"),
        separated=True,
    ),
    ActionSpec(
        "previousPeakAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Previous register pea&k"),
        keys=("Shift+F4",),
    ),
    ActionSpec(
        "pressureAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "&Registers beside the source"),
        tip=QT_TRANSLATE_NOOP("Actions", "Bars for the registers that are alive on each line"),
        checkable=True,
    ),
    ActionSpec(
        "columnsAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "&SASS columns…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Choose what stands beside each instruction, and where"),
    ),
    ActionSpec(
        "explainAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Explain the &word"),
        keys=("Ctrl+Alt+E",),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "What the opcode, register or directive here does; else the instruction of the line",
        ),
    ),
    ActionSpec(
        "focusFiguresAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Go to the ke&y figures"),
        keys=("Ctrl+Alt+F",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Registers, spills, occupancy, instructions and the last run, over the code"
        ),
        separated=True,
    ),
    ActionSpec(
        "pinBaselineAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Pin as &baseline"),
        keys=("Ctrl+Alt+B",),
        tip=QT_TRANSLATE_NOOP("Actions", "Keep this result, to compare later ones with it"),
    ),
    ActionSpec(
        "nextDifferenceAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Next &difference"),
        keys=("Ctrl+F7",),
    ),
    ActionSpec(
        "previousDifferenceAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Previous d&ifference"),
        keys=("Ctrl+Shift+F7",),
    ),
    ActionSpec(
        "matrixAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Compare &targets and options…"),
        keys=("Ctrl+Alt+T",),
        tip=QT_TRANSLATE_NOOP("Actions", "Build the module in several ways, in one table"),
    ),
    ActionSpec(
        "exportGraphAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Save the &graph as SVG…"),
        tip=QT_TRANSLATE_NOOP("Actions", "The control-flow graph as a picture"),
        separated=True,
    ),
    ActionSpec(
        "copyPictureAction",
        ANALYSE,
        QT_TRANSLATE_NOOP("Actions", "Copy as pict&ure"),
        tip=QT_TRANSLATE_NOOP("Actions", "Copy what the pane with the keyboard shows, as it is"),
    ),
)
