"""Hints of panes while they have no code to show."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.command_keys import COMMAND_KEYS
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.outputs import Absence, Output

_ABSENCES = {
    Absence.NOTHING_BUILT: QT_TRANSLATE_NOOP(
        "Hints",
        "Nothing has been built yet.\n"
        "Open or write a kernel: what the compilers make of it appears here.",
    ),
    Absence.HELD: QT_TRANSLATE_NOOP(
        "Hints", "Opening a project runs nothing, not even a compiler.\nTo build: {keys}."
    ),
    Absence.RUN_BY_BUILD: QT_TRANSLATE_NOOP(
        "Hints",
        "A build runs this file, so it waits for you.\nIts kernels are compiled and not launched. "
        "To build: {keys}.",
    ),
    Absence.BEING_BUILT: QT_TRANSLATE_NOOP(
        "Hints", "Being built…\nWhat the compilers make of it appears here."
    ),
    Absence.FAILED: QT_TRANSLATE_NOOP("Hints", "{reason}\nThe Problems list says more."),
}
_NOT_MADE = {
    CodeKind.PTX: QT_TRANSLATE_NOOP(
        "Hints", "This build makes no PTX: the module is PTX already, or holds machine code."
    ),
    CodeKind.SASS: QT_TRANSLATE_NOOP("Hints", "This build makes no SASS."),
    CodeKind.TILEIR: QT_TRANSLATE_NOOP(
        "Hints",
        "This build makes no Tile IR: that is made of functions marked __tile_global__, with "
        "--enable-tile.",
    ),
}


def output_hint(kind: CodeKind, output: Output) -> str:
    """Returns why there is no listing of a kind."""
    text = QCoreApplication.translate("Hints", _ABSENCES.get(output.absence, _NOT_MADE[kind]))
    return text.format(keys=COMMAND_KEYS.words("buildAction"), reason=output.reason)


def disassembly_hint(disassembly: CurrentDisassembly) -> str:
    """Returns why there is no machine code that has been read."""
    if disassembly.is_reading:
        return QCoreApplication.translate("Hints", "Reading the SASS…")
    if (output := disassembly.lacking) is not None:
        return output_hint(CodeKind.SASS, output)
    return disassembly.problem or QCoreApplication.translate(
        "Hints",
        "No SASS is shown yet.\nBuild something that makes SASS: what it is made of appears here.",
    )


def disassembly_sentence(disassembly: CurrentDisassembly) -> str:
    """Returns the hint in a line, for commands that need the code now."""
    output = disassembly.lacking
    if disassembly.is_reading or (output and output.absence is Absence.BEING_BUILT):
        return disassembly_hint(disassembly).partition("\n")[0]
    return disassembly.problem or QCoreApplication.translate(
        "Hints", "No SASS has been read yet: build first"
    )
