"""The rows of the Launch menu."""

from __future__ import annotations

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.commands.spec import LAUNCH, STEP, ActionSpec, KeyScope

LAUNCH_ROWS = (
    ActionSpec(
        "runAction",
        LAUNCH,
        QT_TRANSLATE_NOOP("Actions", "&Run the kernel"),
        keys=(
            "Ctrl+R",
            "F5",
        ),
        icon="run",
        tip=QT_TRANSLATE_NOOP("Actions", "Launch it on the GPU, or in the simulator"),
    ),
    ActionSpec(
        "simulateAction",
        LAUNCH,
        QT_TRANSLATE_NOOP("Actions", "Si&mulate the kernel"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Choose the simulator, which needs no GPU, and run the kernel there"
        ),
    ),
    ActionSpec(
        "stopRunAction",
        LAUNCH,
        QT_TRANSLATE_NOOP("Actions", "&Stop"),
        keys=("Ctrl+Shift+R",),
        icon="stop",
        tip=QT_TRANSLATE_NOOP("Actions", "End the launch that runs"),
    ),
    ActionSpec(
        "sweepAction",
        LAUNCH,
        QT_TRANSLATE_NOOP("Actions", "S&weep…"),
        keys=("Ctrl+Shift+E",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Build and launch the kernel in many variants, and see which is the fastest"
        ),
        separated=True,
    ),
    ActionSpec(
        "copyRunCommandAction",
        LAUNCH,
        QT_TRANSLATE_NOOP("Actions", "Copy launch as &command"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Copy the command 'jitstudio run …' that launches the same in a terminal"
        ),
        separated=True,
    ),
    ActionSpec(
        "copySweepCommandAction",
        LAUNCH,
        QT_TRANSLATE_NOOP("Actions", "Copy sweep as c&ommand"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Copy the command 'jitstudio sweep …' that runs the same variants in a terminal",
        ),
    ),
    ActionSpec(
        "listDevicesAction",
        LAUNCH,
        QT_TRANSLATE_NOOP("Actions", "Look for &GPUs"),
        tip=QT_TRANSLATE_NOOP("Actions", "List the GPUs with their free memory again"),
        separated=True,
    ),
    ActionSpec(
        "stepAction",
        STEP,
        QT_TRANSLATE_NOOP("Actions", "&Begin"),
        keys=("Ctrl+F5",),
        icon="step-begin",
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Run the kernel of the Launch panel in the simulator, which needs no GPU, and stop "
            "before its first instruction",
        ),
    ),
    *(
        ActionSpec(name, STEP, text, keys, icon, tip, where=KeyScope.STEPPING, separated=separated)
        for name, text, keys, icon, separated, tip in (
            (
                "endSteppingAction",
                QT_TRANSLATE_NOOP("Actions", "&End"),
                ("Alt+Shift+F5",),
                "stop",
                False,
                QT_TRANSLATE_NOOP("Actions", "End the simulated run; breakpoints stay"),
            ),
            (
                "continueAction",
                QT_TRANSLATE_NOOP("Actions", "&Continue"),
                ("F5",),
                "run",
                True,
                QT_TRANSLATE_NOOP("Actions", "Run to the next breakpoint, or to the end"),
            ),
            (
                "continueBackAction",
                QT_TRANSLATE_NOOP("Actions", "Continue bac&k"),
                ("Shift+F5",),
                "run-back",
                False,
                QT_TRANSLATE_NOOP("Actions", "Run back to the breakpoint before, or to the start"),
            ),
            (
                "pauseSteppingAction",
                QT_TRANSLATE_NOOP("Actions", "&Pause"),
                ("Ctrl+Shift+F5",),
                "pause",
                False,
                QT_TRANSLATE_NOOP("Actions", "Stop where the simulation is now"),
            ),
            (
                "stepLineAction",
                QT_TRANSLATE_NOOP("Actions", "Step &line"),
                ("F10",),
                "step-line",
                True,
                QT_TRANSLATE_NOOP(
                    "Actions", "Run until the thread comes to another line of the source"
                ),
            ),
            (
                "stepLineBackAction",
                QT_TRANSLATE_NOOP("Actions", "Step line b&ack"),
                ("Shift+F10",),
                "step-line-back",
                False,
                QT_TRANSLATE_NOOP(
                    "Actions",
                    "Run back to where the thread came to this line, or to the one before",
                ),
            ),
            (
                "stepInstructionAction",
                QT_TRANSLATE_NOOP("Actions", "Step &instruction"),
                ("F11",),
                "step",
                False,
                QT_TRANSLATE_NOOP("Actions", "Let the thread execute one instruction of the PTX"),
            ),
            (
                "stepInstructionBackAction",
                QT_TRANSLATE_NOOP("Actions", "Step i&nstruction back"),
                ("Shift+F11",),
                "step-back",
                False,
                QT_TRANSLATE_NOOP("Actions", "Take back what the thread has executed last"),
            ),
            (
                "stepOutAction",
                QT_TRANSLATE_NOOP("Actions", "Step &out"),
                ("Alt+F11",),
                "",
                False,
                QT_TRANSLATE_NOOP("Actions", "Run until the thread leaves this function"),
            ),
            (
                "runToCursorAction",
                QT_TRANSLATE_NOOP("Actions", "Run to the c&ursor"),
                ("Ctrl+F11",),
                "",
                True,
                QT_TRANSLATE_NOOP(
                    "Actions",
                    "Run until a thread comes to the line of the cursor, in source or PTX",
                ),
            ),
            (
                "runToAccessAction",
                QT_TRANSLATE_NOOP("Actions", "Ne&xt access"),
                ("Ctrl+F12",),
                "step-access",
                True,
                QT_TRANSLATE_NOOP("Actions", "Run until the thread is about to access memory"),
            ),
            (
                "runToAccessBackAction",
                QT_TRANSLATE_NOOP("Actions", "Access be&fore"),
                ("Ctrl+Shift+F12",),
                "step-access-back",
                False,
                QT_TRANSLATE_NOOP("Actions", "Run back to the last access of the thread to memory"),
            ),
            (
                "runToBarrierAction",
                QT_TRANSLATE_NOOP("Actions", "Next ba&rrier"),
                ("Alt+F12",),
                "step-barrier",
                False,
                QT_TRANSLATE_NOOP("Actions", "Run until the thread comes to a barrier"),
            ),
            (
                "runToBarrierBackAction",
                QT_TRANSLATE_NOOP("Actions", "Barrier before"),
                ("Alt+Shift+F12",),
                "step-barrier-back",
                False,
                QT_TRANSLATE_NOOP("Actions", "Run back to the last barrier of the thread"),
            ),
            (
                "runToDivergenceAction",
                QT_TRANSLATE_NOOP("Actions", "Run to the next &divergence"),
                (),
                "",
                False,
                QT_TRANSLATE_NOOP(
                    "Actions", "Run until lanes of the warp diverge: they go to different places"
                ),
            ),
            (
                "runToChangeAction",
                QT_TRANSLATE_NOOP("Actions", "Run until the register chan&ges"),
                (),
                "",
                False,
                QT_TRANSLATE_NOOP(
                    "Actions",
                    "Run until the register that is selected in the Step pane has another value",
                ),
            ),
        )
    ),
    ActionSpec(
        "breakpointAction",
        STEP,
        QT_TRANSLATE_NOOP("Actions", "Set or re&move a breakpoint"),
        keys=("F9",),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Stop a simulated run at the line here; a click left of the line numbers does, too",
        ),
        separated=True,
    ),
    ActionSpec(
        "breakpointConditionAction",
        STEP,
        QT_TRANSLATE_NOOP("Actions", "Breakpoint with a condi&tion…"),
        keys=("Ctrl+F9",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Stop at the line of the cursor only for threads of which this is true"
        ),
    ),
    ActionSpec(
        "recordStepAction",
        STEP,
        QT_TRANSLATE_NOOP("Actions", "Keep this step in the pro&ject"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Save the step, the thread and the breakpoints with the project"
        ),
        separated=True,
    ),
    ActionSpec(
        "recordedStepAction",
        STEP,
        QT_TRANSLATE_NOOP("Actions", "Go to the kept &step"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Run the kernel in the simulator up to the step that the project keeps"
        ),
    ),
    ActionSpec(
        "recordRunAction",
        STEP,
        QT_TRANSLATE_NOOP("Actions", "Sa&ve a recording"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Save what the block of this thread does before and after this step with the project, "
            "to be shown without running",
        ),
        separated=True,
    ),
    ActionSpec(
        "showRecordingAction",
        STEP,
        QT_TRANSLATE_NOOP("Actions", "S&how the recording"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Step through the recording that the project holds; nothing is built or run"
        ),
    ),
    ActionSpec(
        "removeRecordingAction",
        STEP,
        QT_TRANSLATE_NOOP("Actions", "Remove the recording"),
        tip=QT_TRANSLATE_NOOP("Actions", "Remove the recording from the project"),
    ),
)
