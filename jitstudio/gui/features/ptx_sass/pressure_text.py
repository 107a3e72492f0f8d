"""What a bar next to a source line says."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.sass.pressure import LinePressure
from jitstudio.gui.kit.translating import counted


def pressure_text(number: int, line: LinePressure, held: int = 0) -> str:
    """Returns the live registers of a source line.

    Args:
        number: The line, from 1.
        line: What its instructions need.
        held: How many registers at the peak that is looked at were written here.
    """
    translate = QCoreApplication.translate
    said = counted(
        line.instructions,
        translate("PressureBars", "Line {number}, 1 instruction: {highest} live registers"),
        translate(
            "PressureBars",
            "Line {number}, {count:,} instructions: at most {highest} live registers, "
            "{total:,} in all",
        ),
        number=number,
        highest=line.highest,
        total=line.total,
    )
    if not held:
        return said
    more = counted(
        held,
        translate("PressureBars", "At the peak it holds 1 register"),
        translate("PressureBars", "At the peak it holds {count} registers"),
    )
    return f"{said}\n{more}"
