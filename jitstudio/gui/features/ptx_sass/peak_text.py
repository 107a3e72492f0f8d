"""A peak of live registers as text: how high it is, and which lines hold it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.sass.model import SassFunction, SourceLocation
from jitstudio.analysis.sass.pressure import highest, live_gprs
from jitstudio.analysis.sass.register_definitions import Definition
from jitstudio.gui.kit.translating import counted
from jitstudio.gui.listing.columns.sass_columns import place_text

# The lines that hold most of it are enough for one line of words.
_MOST_NAMED = 4


@dataclass(frozen=True)
class PeakText:
    """The text about a peak.

    Attributes:
        function: Where it is.
        index: At which instruction.
        number: Which one it is, from 1.
        count: Of how many.
    """

    function: SassFunction
    index: int
    number: int
    count: int

    @property
    def plain(self) -> str:
        """Number and height."""
        translate = QCoreApplication.translate
        said = counted(
            live_gprs(self.function)[self.index],
            translate("PeakText", "Peak {number} of {peaks}: 1 register"),
            translate("PeakText", "Peak {number} of {peaks}: {count} registers"),
            number=self.number,
            peaks=self.count,
        )
        is_top = self.index == highest(self.function)
        return said + (translate("PeakText", ", the highest") if is_top else "")

    def with_definitions(self, definitions: Sequence[Definition]) -> str:
        """Returns the same with the lines that have written most of what is alive there."""
        named = [definition for definition in definitions if definition.places][:_MOST_NAMED]
        if not named:
            return self.plain
        files = {definition.places[0].file for definition in named}
        lines = ", ".join(
            f"{_location_text(definition.places[0], len(files) > 1)} ({len(definition.registers)})"
            for definition in named
        )
        translate = QCoreApplication.translate
        of_one_file = translate("PeakText", "{peak}; most held by lines {lines}")
        of_several = translate("PeakText", "{peak}; most held by {lines}")
        said = of_several if len(files) > 1 else of_one_file
        return said.format(peak=self.plain, lines=lines)


def _location_text(place: SourceLocation, with_file: bool) -> str:
    return place_text(*place) if with_file else str(place.line)
