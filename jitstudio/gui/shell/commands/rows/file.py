"""The rows of the File menu."""

from __future__ import annotations

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.commands.spec import CACHES, EXPORT, FILE, PROJECT, TABS, ActionSpec

FILE_ROWS = (
    ActionSpec(
        "newCudaAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "New &CUDA C++ tab"),
        keys=("Ctrl+N",),
        icon="cuda",
        tip=QT_TRANSLATE_NOOP("Actions", "Write a new kernel"),
    ),
    ActionSpec(
        "newPythonAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "New P&ython tab"),
        icon="python",
        tip=QT_TRANSLATE_NOOP("Actions", "Write a kernel for Triton, Numba, CuPy or cuda.core"),
    ),
    ActionSpec(
        "newLlvmAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "New &LLVM IR tab"),
        icon="llvm",
        tip=QT_TRANSLATE_NOOP("Actions", "Write LLVM IR for libNVVM"),
    ),
    ActionSpec(
        "newPtxAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "New &PTX tab"),
        icon="ptx",
        tip=QT_TRANSLATE_NOOP("Actions", "Write PTX by hand"),
    ),
    ActionSpec(
        "newHeaderAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "New &header tab"),
        icon="header",
        tip=QT_TRANSLATE_NOOP("Actions", "An in-memory header"),
    ),
    ActionSpec(
        "openAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Open…"),
        keys=("Ctrl+O",),
        icon="open",
        tip=QT_TRANSLATE_NOOP("Actions", "Open source or binary files"),
        separated=True,
    ),
    ActionSpec(
        "openFolderAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Open &folder…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Choose a file of a folder, built with its compile_commands.json"
        ),
    ),
    ActionSpec(
        "openClipboardAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Open from clip&board…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Open a project that was copied as text, or a link of Compiler Explorer"
        ),
    ),
    ActionSpec(
        "importAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Import from Compiler Explorer…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Make a project from a link or a file of Compiler Explorer"
        ),
    ),
    ActionSpec(
        "openCacheAction",
        CACHES,
        QT_TRANSLATE_NOOP("Actions", "Open the &folder of a cache…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "List the kernels that Triton, CuPy, Numba or others have kept"
        ),
    ),
    ActionSpec(
        "captureAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Capture a pro&gram…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Run a Python program and collect the kernels that it loads on the GPU"
        ),
    ),
    ActionSpec(
        "saveAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Save"),
        keys=("Ctrl+S",),
        icon="save",
        tip=QT_TRANSLATE_NOOP("Actions", "Save the current tab"),
        separated=True,
    ),
    ActionSpec(
        "saveAsAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Save &as…"),
        keys=("Ctrl+Shift+S",),
        tip=QT_TRANSLATE_NOOP("Actions", "Save under another name"),
    ),
    ActionSpec(
        "saveProjectAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Save proj&ect"),
        keys=("Ctrl+Alt+S",),
        tip=QT_TRANSLATE_NOOP("Actions", "Save tabs, options, link and launches in one file"),
    ),
    ActionSpec(
        "exportAsAction",
        EXPORT,
        QT_TRANSLATE_NOOP("Actions", "&Script, program, HTML or PDF…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Write build and launch as a script, a program, commands or a report"
        ),
    ),
    ActionSpec(
        "exportAction",
        EXPORT,
        QT_TRANSLATE_NOOP("Actions", "C&ubin, LTO-IR or fatbin…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Build and save also what no pane shows"),
    ),
    ActionSpec(
        "saveOutputsAction",
        EXPORT,
        QT_TRANSLATE_NOOP("Actions", "All &results to a folder…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Save PTX, SASS and cubin to a folder"),
    ),
    ActionSpec(
        "saveListingAction",
        EXPORT,
        QT_TRANSLATE_NOOP("Actions", "&Listing that is shown…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Save the Tile IR, PTX or SASS that is shown, as the tools wrote it"
        ),
    ),
    ActionSpec(
        "copyProjectTextAction",
        EXPORT,
        QT_TRANSLATE_NOOP("Actions", "Copy project as &text"),
        tip=QT_TRANSLATE_NOOP("Actions", "Copy all that is open as one line for a message"),
        separated=True,
    ),
    ActionSpec(
        "openCompilerExplorerAction",
        EXPORT,
        QT_TRANSLATE_NOOP("Actions", "&Open in Compiler Explorer"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Show what is built at godbolt.org in a browser, which sends it there"
        ),
    ),
    ActionSpec(
        "copyCompilerExplorerAction",
        EXPORT,
        QT_TRANSLATE_NOOP("Actions", "&Copy Compiler Explorer link"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Copy a link that has all of what is built in it; nothing is sent"
        ),
    ),
    ActionSpec(
        "newProjectAction",
        PROJECT,
        QT_TRANSLATE_NOOP("Actions", "Ne&w project"),
        tip=QT_TRANSLATE_NOOP("Actions", "Close all tabs and start with an empty project"),
    ),
    ActionSpec(
        "openProjectAction",
        PROJECT,
        QT_TRANSLATE_NOOP("Actions", "Open pro&ject…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Open what was saved as a project"),
    ),
    ActionSpec(
        "saveProjectAsAction",
        PROJECT,
        QT_TRANSLATE_NOOP("Actions", "&Save project as…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Save the project in another file"),
    ),
    ActionSpec(
        "closeProjectAction",
        PROJECT,
        QT_TRANSLATE_NOOP("Actions", "&Close project"),
        tip=QT_TRANSLATE_NOOP("Actions", "Close the project and all its tabs"),
        separated=True,
    ),
    ActionSpec(
        "trustProjectAction",
        PROJECT,
        QT_TRANSLATE_NOOP("Actions", "&Trust this project"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Let it use any option and include files outside its folder"
        ),
        checkable=True,
    ),
    ActionSpec(
        "closeTabAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Close &tab"),
        keys=("Ctrl+W",),
        icon="close",
        separated=True,
    ),
    ActionSpec(
        "closeOtherTabsAction",
        TABS,
        QT_TRANSLATE_NOOP("Actions", "Close &other tabs"),
        tip=QT_TRANSLATE_NOOP("Actions", "Close all tabs but this one"),
    ),
    ActionSpec(
        "closeTabsToTheRightAction",
        TABS,
        QT_TRANSLATE_NOOP("Actions", "Close tabs to the &right"),
        tip=QT_TRANSLATE_NOOP("Actions", "Close all tabs that are right of this one"),
    ),
    ActionSpec(
        "closeAllTabsAction",
        TABS,
        QT_TRANSLATE_NOOP("Actions", "Close &all tabs"),
        tip=QT_TRANSLATE_NOOP("Actions", "Close all tabs; unsaved text is asked about"),
    ),
    ActionSpec(
        "reopenTabAction",
        TABS,
        QT_TRANSLATE_NOOP("Actions", "Reopen &closed tab"),
        keys=("Ctrl+Shift+T",),
        tip=QT_TRANSLATE_NOOP("Actions", "Bring back the tab that was closed last, with its text"),
    ),
    ActionSpec(
        "renameTabAction",
        TABS,
        QT_TRANSLATE_NOOP("Actions", "Re&name…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Give the tab another name, and its file too"),
        separated=True,
    ),
    ActionSpec(
        "copyPathAction",
        TABS,
        QT_TRANSLATE_NOOP("Actions", "Copy &path"),
        tip=QT_TRANSLATE_NOOP("Actions", "Copy the path of the tab's file"),
    ),
    ActionSpec(
        "quitAction",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Quit"),
        keys=("Ctrl+Q",),
        tip=QT_TRANSLATE_NOOP("Actions", "Unsaved tabs come back at the next start"),
    ),
)
