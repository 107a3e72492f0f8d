"""Every command of the window as one row: menus, toolbar and shortcuts are made from this table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ActionSpec:
    """One command.

    Attributes:
        id: The name of the action object, such as `buildAction`.
        menu: The menu it is in.
        text: What the menu says, with its mnemonic.
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


FILE, EDIT, BUILD, LAUNCH = "&File", "&Edit", "&Build", "&Launch"
VIEW, HELP = "&View", "&Help"
MENUS = (FILE, EDIT, BUILD, LAUNCH, VIEW, HELP)

_A = ActionSpec
ACTIONS: tuple[ActionSpec, ...] = (
    _A("newCudaAction", FILE, "New &CUDA C++ tab", ("Ctrl+N",), "cuda", "Write a new kernel"),
    _A("newLlvmAction", FILE, "New &LLVM IR tab", icon="llvm", tip="Write LLVM IR for libNVVM"),
    _A("newPtxAction", FILE, "New &PTX tab", icon="ptx", tip="Write PTX by hand"),
    _A("newHeaderAction", FILE, "New &header tab", icon="header", tip="An in-memory header"),
    _A(
        "openAction",
        FILE,
        "&Open…",
        ("Ctrl+O",),
        "open",
        "Open source or binary files",
        False,
        True,
    ),
    _A("saveAction", FILE, "&Save", ("Ctrl+S",), "save", "Save the current tab", False, True),
    _A("saveAsAction", FILE, "Save &as…", ("Ctrl+Shift+S",), tip="Save under another name"),
    _A("saveOutputsAction", FILE, "Save &results…", tip="Save PTX, SASS and cubin to a folder"),
    _A("exportAction", FILE, "&Build and save…", tip="Make other kinds of output, or a fatbin"),
    _A("closeTabAction", FILE, "Close &tab", ("Ctrl+W",), "close", "", False, True),
    _A("quitAction", FILE, "&Quit", ("Ctrl+Q",), tip="Unsaved tabs come back at the next start"),
    _A("undoAction", EDIT, "&Undo", ("Ctrl+Z",)),
    _A("redoAction", EDIT, "&Redo", ("Ctrl+Shift+Z", "Ctrl+Y")),
    _A("findAction", EDIT, "&Find…", ("Ctrl+F",), "search", "Find in this view", False, True),
    _A("replaceAction", EDIT, "R&eplace…", ("Ctrl+H",), tip="Find and replace in this tab"),
    _A("findNextAction", EDIT, "Find &next", ("F3",)),
    _A("findPreviousAction", EDIT, "Find &previous", ("Shift+F3",)),
    _A(
        "goToLineAction",
        EDIT,
        "&Go to line…",
        ("Ctrl+G", "Ctrl+L"),
        tip="Jump to a line",
        separated=True,
    ),
    _A("commentAction", EDIT, "Toggle &comment", ("Ctrl+/",), tip="Comment the selected lines"),
    _A("buildAction", BUILD, "&Build", ("Ctrl+B", "Ctrl+Shift+B", "F7"), "build", "Build now"),
    _A("cancelAction", BUILD, "C&ancel", ("Shift+F5", "Ctrl+Shift+T"), "stop", "Stop the build"),
    _A(
        "autoBuildAction",
        BUILD,
        "Build on &change",
        (),
        "auto-build",
        "Build by itself after a pause in typing",
        True,
    ),
    _A(
        "optionsAction",
        BUILD,
        "&Options…",
        ("Ctrl+Shift+O",),
        "settings",
        "All options of the tools, with help",
        separated=True,
    ),
    _A(
        "compareLinksAction",
        BUILD,
        "Co&mpare PTX link and LTO link…",
        tip="Link the same modules both ways and show registers, instructions, bytes and time",
    ),
    _A(
        "cacheAction",
        BUILD,
        "&Use the cache",
        tip="Take unchanged modules from the cache instead of compiling them again",
        checkable=True,
        separated=True,
    ),
    _A("emptyCacheAction", BUILD, "&Empty the cache", tip="Forget all results on this machine"),
    _A(
        "precompileAction",
        BUILD,
        "Precompile &headers",
        tip="Let NVRTC keep large headers, such as CUB's, ready in the worker",
        checkable=True,
    ),
    _A(
        "libdeviceAction",
        BUILD,
        "LLVM IR: use lib&device",
        tip="Let libNVVM take mathematical functions from libdevice",
        checkable=True,
        separated=True,
    ),
    _A(
        "libraryAction",
        BUILD,
        "LLVM IR: this tab is a librar&y",
        tip="Other LLVM IR takes the functions that it calls from this tab",
        checkable=True,
    ),
    _A(
        "joinIrAction",
        BUILD,
        "LLVM IR: &join the modules",
        tip="Compile all LLVM IR modules of a link as one libNVVM program",
        checkable=True,
    ),
    _A(
        "driverJitAction",
        BUILD,
        "PTX: assemble by the dri&ver",
        tip="Make machine code of PTX with the driver's own compiler instead of nvJitLink's",
        checkable=True,
    ),
    _A("nextProblemAction", BUILD, "&Next problem", ("F8",), separated=True),
    _A("previousProblemAction", BUILD, "&Previous problem", ("Shift+F8",)),
    _A("runAction", LAUNCH, "&Run the kernel", ("Ctrl+R", "F5"), "run", "Launch it on the GPU"),
    _A("stopRunAction", LAUNCH, "&Stop", ("Ctrl+Shift+R",), "stop", "End the launch that runs"),
    _A(
        "sweepAction",
        LAUNCH,
        "S&weep…",
        ("Ctrl+Shift+E",),
        tip="Build and launch the kernel in many variants, and see which is the fastest",
        separated=True,
    ),
    _A(
        "listDevicesAction",
        LAUNCH,
        "Look for &GPUs",
        tip="List the GPUs with their free memory again",
        separated=True,
    ),
    _A("zoomInAction", VIEW, "Zoom &in", ("Ctrl+=", "Ctrl++"), separated=True),
    _A("zoomOutAction", VIEW, "Zoom &out", ("Ctrl+-",)),
    _A("zoomResetAction", VIEW, "&Usual size", ("Ctrl+0",)),
    _A("focusEditorAction", VIEW, "Go to &editor", ("Ctrl+1",), separated=True),
    _A("focusPtxAction", VIEW, "Go to &PTX", ("Ctrl+2",)),
    _A("focusSassAction", VIEW, "Go to &SASS", ("Ctrl+3",)),
    _A("focusKernelsAction", VIEW, "Go to &kernels", ("Ctrl+4",)),
    _A("focusNamesAction", VIEW, "Go to lowered &names", ("Ctrl+5",)),
    _A("focusLinkAction", VIEW, "Go to &link", ("Ctrl+6",)),
    _A("focusLaunchAction", VIEW, "Go to launc&h", ("Ctrl+9",)),
    _A("focusProblemsAction", VIEW, "Go to p&roblems", ("Ctrl+7", "Ctrl+Shift+M")),
    _A("focusLogAction", VIEW, "Go to lo&g", ("Ctrl+8",)),
    _A(
        "resetLayoutAction",
        VIEW,
        "Reset la&yout",
        tip="Put all panes back in place",
        separated=True,
    ),
    _A("toolchainAction", HELP, "&Toolchain…", ("F1",), "info", "Versions of all tools"),
    _A("shortcutsAction", HELP, "&Keyboard shortcuts…", tip="All commands and their keys"),
    _A("aboutAction", HELP, "&About jitstudio…"),
)
