"""The colours of lines of source, PTX and SASS that correspond, for all that are in sight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from jitstudio.analysis.correlation.hues import HUES, PLAIN, UNMAPPED
from jitstudio.analysis.correlation.index import Correlation, StageKey
from jitstudio.analysis.sass.model import InlineChain, SassFunction, SourceLocation
from jitstudio.listing.lines import NOWHERE


@dataclass(frozen=True, eq=False)
class LineHues:
    """A colour for each line with a counterpart: 1 to `HUES`; otherwise `PLAIN` or `UNMAPPED`.

    Attributes:
        sources: The colours of the lines of a file, counted from 1, by file.
        ptx: A byte for each line of PTX, by module.
        code: A byte for each instruction, by function.
        stages: A byte for each line of a representation, by representation.
    """

    sources: Mapping[str, Mapping[int, int]]
    ptx: Mapping[str, bytes]
    code: Mapping[SassFunction, bytes]
    stages: Mapping[StageKey, bytes] = field(default_factory=dict)


def line_hues(correlation: Correlation, is_open: Callable[[str], bool]) -> LineHues:
    """Returns colours by which lines that correspond are recognised.

    Args:
        correlation: The correspondence of lines.
        is_open: Whether a file of the line tables can be seen. Inlined code has the colour of its
            own line where that can be seen, else that of the innermost visible call.
    """
    return _Painter(correlation, is_open).line_hues()


# Lines of a colour are represented by a line of a source, or of PTX where no source is known.
_SOURCE, _PTX = 0, 1
_Key = tuple[int, SourceLocation]
_Numbers = NDArray[np.intp]


class _Painter:
    """Finds the line that represents each instruction, and a hue for each of these lines."""

    def __init__(self, correlation: Correlation, is_open: Callable[[str], bool]) -> None:
        self._correlation = correlation
        files = {place.file for place in correlation.places}
        self._open = {file for file in files if is_open(file)}
        self._keys: dict[_Key, int] = {}

    def line_hues(self) -> LineHues:
        correlation = self._correlation
        for place in correlation.places:
            if place.file in self._open:
                self._number((_SOURCE, place))
        code = {function: self._of_code(function) for function in correlation.code.functions}
        ptx = {name: self._of_ptx(name, code) for name in correlation.modules}
        stages = {
            key: self._of_places(stage.places, stage.place_ids[1:])
            for key, stage in correlation.stages.items()
        }
        hues = {key: n % HUES + 1 for n, key in enumerate(sorted(self._keys))}
        sources: dict[str, dict[int, int]] = {}
        for (kind, place), hue in hues.items():
            if kind == _SOURCE:
                sources.setdefault(place.file, {})[place.line] = hue

        def hues_of(numbers: _Numbers, default: int) -> bytes:
            # The last colour is for lines that nothing represents.
            return np.array([*map(hues.get, self._keys), default], np.uint8)[numbers].tobytes()

        return LineHues(
            sources,
            {name: hues_of(numbers, PLAIN) for name, numbers in ptx.items()},
            {f: _covered(hues_of(numbers, UNMAPPED), f) for f, numbers in code.items()},
            {key: hues_of(numbers, PLAIN) for key, numbers in stages.items()},
        )

    def _number(self, key: _Key | None) -> int:
        return NOWHERE if key is None else self._keys.setdefault(key, len(self._keys))

    def _of_places(self, places: Sequence[InlineChain], ids: NDArray[np.int32]) -> _Numbers:
        numbers = [self._number(self._stands_for(chain)) for chain in places]
        return np.array([*numbers, NOWHERE], np.intp)[ids]

    def _of_code(self, function: SassFunction) -> _Numbers:
        tied = self._correlation.tied(function)
        module = self._correlation.module_of(function)
        numbers = self._of_places(tied.places, tied.ids)
        # Of PTX without a source, the lines themselves are the source.
        rest = (numbers == NOWHERE) & (tied.starts > 0)
        lines, which = np.unique(tied.starts[rest], return_inverse=True)
        of_lines = [self._number((_PTX, SourceLocation(module, int(line)))) for line in lines]
        numbers[rest] = np.array(of_lines, np.intp)[which]
        return numbers

    def _of_ptx(self, name: str, code: Mapping[SassFunction, _Numbers]) -> _Numbers:
        """Returns the source line of each PTX line, or that of the line's first instruction."""
        lines = self._correlation.modules[name]
        numbers = self._of_places(lines.places, lines.place_ids)
        first = np.full(lines.count + 1, NOWHERE, np.intp)
        for function in reversed(self._correlation.functions_of(name)):
            starts, indices = np.unique(self._correlation.tied(function).starts, return_index=True)
            first[starts] = code[function][indices]
        first[0] = NOWHERE
        return np.where(numbers == NOWHERE, first[lines.starts], numbers)[1:]

    def _stands_for(self, places: InlineChain) -> _Key | None:
        visible = (place for place in places if place.file in self._open)
        place = next(visible, next(iter(places), None))
        return None if place is None else (_SOURCE, place)


def _covered(hues: bytes, function: SassFunction) -> bytes:
    """Removes the colours of the filling in the last cache line."""
    return hues[: function.code_length].ljust(len(function), bytes((PLAIN,)))
