"""The rows of the View menu and of the submenus."""

from __future__ import annotations

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.commands.spec import EDITOR, LAYOUT, VIEW, ActionSpec
from jitstudio.gui.shell.pane_registry import PANES

VIEW_ROWS = (
    ActionSpec(
        "zoomInAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Zoom &in"),
        keys=("Ctrl+=",),
        separated=True,
    ),
    ActionSpec("zoomOutAction", VIEW, QT_TRANSLATE_NOOP("Actions", "Zoom &out"), keys=("Ctrl+-",)),
    ActionSpec(
        "zoomResetAction", VIEW, QT_TRANSLATE_NOOP("Actions", "&Usual size"), keys=("Ctrl+0",)
    ),
    ActionSpec(
        "windowZoomInAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Enlarge the window's text"),
        keys=("Ctrl+Shift+=", "Ctrl+Shift++"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Zoom all of the window, for a projector or tired eyes; kept for each layout"
        ),
        separated=True,
    ),
    ActionSpec(
        "windowZoomOutAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Shrink the window's text"),
        keys=("Ctrl+Shift+-", "Ctrl+Shift+_"),
    ),
    ActionSpec(
        "windowZoomResetAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Usual size of the window's text"),
        keys=("Ctrl+Shift+0", "Ctrl+Shift+)"),
    ),
    ActionSpec(
        "demangleAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Demangled &names"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Show saxpy<float>(float, …) in PTX, SASS and Compare instead of _Z5saxpyIf…"
        ),
        checkable=True,
        separated=True,
    ),
    ActionSpec(
        "rawSassAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "SASS as printed"),
        keys=("Ctrl+Alt+N",),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Show c[0x0][0x218] instead of the parameter n, and labels that nothing jumps to",
        ),
        checkable=True,
    ),
    ActionSpec(
        "interleaveAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Source, PTX and SASS in turn"),
        keys=("Ctrl+Alt+I",),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Show, in the pane of SASS, each line of the source with the PTX and SASS made of it",
        ),
        checkable=True,
    ),
    ActionSpec(
        "focusEditorAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Go to &editor"),
        keys=("Ctrl+1",),
        separated=True,
        pane=EDITOR,
    ),
    *(
        ActionSpec(pane.action, VIEW, pane.text, pane.keys, pane.icon, pane=pane.name)
        for pane in PANES
        if pane.text
    ),
    ActionSpec(
        "nextPaneAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Ne&xt pane"),
        keys=("F6",),
        tip=QT_TRANSLATE_NOOP("Actions", "Give the keyboard to the next pane that can be seen"),
        separated=True,
    ),
    ActionSpec(
        "previousPaneAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Pre&vious pane"),
        keys=("Shift+F6",),
    ),
    ActionSpec(
        "nextTabAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Next ta&b"),
        keys=(
            "Ctrl+PgDown",
            "Ctrl+Tab",
        ),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Go to the next tab of the editors, or of the panes that share a place"
        ),
    ),
    ActionSpec(
        "previousTabAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Previous tab"),
        keys=(
            "Ctrl+PgUp",
            "Ctrl+Shift+Tab",
        ),
    ),
    ActionSpec(
        "maximiseAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Maximise pane"),
        keys=("Ctrl+M",),
        icon="maximise",
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Let the pane with the keyboard fill the window, or bring the others back"
        ),
        separated=True,
    ),
    ActionSpec(
        "fullScreenAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Full screen"),
        keys=("F11",),
        tip=QT_TRANSLATE_NOOP("Actions", "Let the window fill the screen, or no longer"),
    ),
    ActionSpec(
        "paletteAction",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Command palette…"),
        keys=(
            "Ctrl+Shift+P",
            "Ctrl+K",
        ),
        icon="search",
        tip=QT_TRANSLATE_NOOP("Actions", "Find any command by a few of its letters"),
    ),
    ActionSpec(
        "editLayoutAction",
        LAYOUT,
        QT_TRANSLATE_NOOP("Actions", "&Editing"),
        keys=("Ctrl+Alt+1",),
        tip=QT_TRANSLATE_NOOP("Actions", "The editors beside all results as tabs"),
        checkable=True,
    ),
    ActionSpec(
        "compareLayoutAction",
        LAYOUT,
        QT_TRANSLATE_NOOP("Actions", "&Comparing"),
        keys=("Ctrl+Alt+2",),
        tip=QT_TRANSLATE_NOOP("Actions", "The source beside a wide comparison with what is pinned"),
        checkable=True,
    ),
    ActionSpec(
        "launchLayoutAction",
        LAYOUT,
        QT_TRANSLATE_NOOP("Actions", "&Launching"),
        keys=("Ctrl+Alt+3",),
        tip=QT_TRANSLATE_NOOP("Actions", "Most room for the launch and its results"),
        checkable=True,
    ),
    ActionSpec(
        "teachLayoutAction",
        LAYOUT,
        QT_TRANSLATE_NOOP("Actions", "&Teaching"),
        keys=("Ctrl+Alt+4",),
        tip=QT_TRANSLATE_NOOP("Actions", "The pipeline on top, source and results below it"),
        checkable=True,
    ),
    ActionSpec(
        "readLayoutAction",
        LAYOUT,
        QT_TRANSLATE_NOOP("Actions", "Rea&ding"),
        keys=("Ctrl+Alt+5",),
        tip=QT_TRANSLATE_NOOP("Actions", "Source, PTX and SASS in three columns"),
        checkable=True,
    ),
    ActionSpec(
        "resetLayoutAction",
        LAYOUT,
        QT_TRANSLATE_NOOP("Actions", "&Reset layout"),
        tip=QT_TRANSLATE_NOOP("Actions", "Put all panes of this layout back in place"),
        separated=True,
    ),
)
