"""The rows of the Build menu."""

from __future__ import annotations

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.commands.spec import BUILD, ActionSpec

BUILD_ROWS = (
    ActionSpec(
        "buildAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "&Build"),
        keys=(
            "Ctrl+B",
            "Ctrl+Shift+B",
            "F7",
        ),
        icon="build",
        tip=QT_TRANSLATE_NOOP("Actions", "Build now"),
    ),
    ActionSpec(
        "cancelAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "C&ancel"),
        keys=("Shift+F5",),
        icon="stop",
        tip=QT_TRANSLATE_NOOP("Actions", "Stop the build"),
    ),
    ActionSpec(
        "autoBuildAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "Build on &change"),
        icon="auto-build",
        tip=QT_TRANSLATE_NOOP("Actions", "Build automatically after a pause in typing"),
        checkable=True,
    ),
    ActionSpec(
        "optionsAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "Op&tions…"),
        keys=("Ctrl+Shift+O",),
        icon="settings",
        tip=QT_TRANSLATE_NOOP("Actions", "All options of the tools, with help"),
        separated=True,
        pane="options",
    ),
    ActionSpec(
        "linkNoneAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "Do not link"),
        tip=QT_TRANSLATE_NOOP("Actions", "Build each module separately"),
        checkable=True,
        separated=True,
    ),
    ActionSpec(
        "linkPtxAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "Link PTX"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Join the modules as PTX: a call to another module stays a call"
        ),
        checkable=True,
    ),
    ActionSpec(
        "linkLtoAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "Link LTO"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Join the modules as LTO-IR, and optimise across them: calls can be inlined"
        ),
        checkable=True,
    ),
    ActionSpec(
        "compareLinksAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "Co&mpare PTX link and LTO link…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Link the same modules both ways and show registers, instructions, bytes and time",
        ),
    ),
    ActionSpec(
        "copyCommandAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "Copy as c&ommand"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Copy the command 'jitstudio build …' that builds the same in a terminal"
        ),
    ),
    ActionSpec(
        "editPtxAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "Edit a copy of the PT&X"),
        icon="ptx",
        tip=QT_TRANSLATE_NOOP("Actions", "Open the PTX of the kernel that is shown as a tab"),
        separated=True,
    ),
    ActionSpec(
        "usePtxAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "Use this PTX in Python…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Show what to write for Triton, CuPy, Numba or cuda.core to load this tab"
        ),
    ),
    ActionSpec(
        "cacheAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "&Use the cache"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Take unchanged modules from the cache instead of compiling them again"
        ),
        checkable=True,
        separated=True,
    ),
    ActionSpec(
        "emptyCacheAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "&Empty the cache"),
        tip=QT_TRANSLATE_NOOP("Actions", "Delete all results on this machine"),
    ),
    ActionSpec(
        "precompileAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "Precompile &headers"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Let NVRTC keep large headers, such as CUB's, ready in the worker"
        ),
        checkable=True,
    ),
    ActionSpec(
        "nvccAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "CUDA C++: comp&ile with nvcc"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Let nvcc of a CUDA toolkit make PTX and machine code; it needs a host compiler",
        ),
        checkable=True,
        separated=True,
    ),
    ActionSpec(
        "hostCodeAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "CUDA C++: &keep host code"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Send functions for the host to NVRTC, too, which refuses them, instead of setting "
            "them aside",
        ),
        checkable=True,
    ),
    ActionSpec(
        "libdeviceAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "LLVM IR: use lib&device"),
        tip=QT_TRANSLATE_NOOP("Actions", "Let libNVVM take mathematical functions from libdevice"),
        checkable=True,
    ),
    ActionSpec(
        "libraryAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "LLVM IR: this tab is a librar&y"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Other LLVM IR takes the functions that it calls from this tab"
        ),
        checkable=True,
    ),
    ActionSpec(
        "joinIrAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "LLVM IR: &join the modules"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Compile all LLVM IR modules of a link as one libNVVM program"
        ),
        checkable=True,
    ),
    ActionSpec(
        "driverJitAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "PTX: assemble by the dri&ver"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Make machine code of PTX with the driver's own compiler instead of nvJitLink's",
        ),
        checkable=True,
    ),
    ActionSpec(
        "nextProblemAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "&Next problem"),
        keys=("F8",),
        separated=True,
    ),
    ActionSpec(
        "previousProblemAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "&Previous problem"),
        keys=("Shift+F8",),
    ),
    ActionSpec(
        # Not named "fix": users' own keys are kept by the id.
        "mendAllAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "Fix all p&roblems"),
        keys=("Ctrl+Shift+.",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Carry out all fixes that are offered; one step of undo for each text"
        ),
    ),
    ActionSpec(
        "showMessageAction",
        BUILD,
        QT_TRANSLATE_NOOP("Actions", "Sho&w the message here"),
        keys=("Ctrl+F1",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Show the compiler's message about the line with the cursor"
        ),
    ),
)
