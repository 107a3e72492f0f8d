"""The rows of the Launch menu."""

from __future__ import annotations

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.commands.spec import LAUNCH, ActionSpec

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
        tip=QT_TRANSLATE_NOOP("Actions", "Launch it on the GPU"),
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
)
