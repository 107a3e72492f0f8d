"""The calls through which code was inlined: the listing of nvdisasm, corrected.

nvdisasm prints a line anew when it is another one, but not when it is the same line that was
inlined through other calls: then the calls printed before are those of other code. PTX has the
calls of each instruction. Without PTX, only those calls are kept that are certain. Lines that count
inline assembly as lines of the source are corrected, too: see `PtxLines.is_recounted`.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jitstudio.analysis.correlation.ptx_lines import PtxLines
from jitstudio.analysis.sass.model import Disassembly, InlineChain, SassFunction
from jitstudio.listing.lines import NOWHERE

_Ids = NDArray[np.int32]


def corrected(code: Disassembly, modules: Mapping[str, PtxLines]) -> Disassembly:
    """Returns the code with the calls through which each instruction was inlined.

    Args:
        code: The code as nvdisasm lists it.
        modules: The lines of each PTX text; empty where there is none.
    """
    module_of = modules_of(code.functions, modules)
    wrong = {f.name for lines in modules.values() if lines.is_recounted for f in lines.functions}
    made_of = (modules.get(module_of.get(function, "")) for function in code.functions)
    pairs = zip(code.functions, made_of, strict=True)
    functions = (
        _recounted(function, ptx) if function.name in wrong else _corrected(function, ptx)
        for function, ptx in pairs
    )
    return replace(code, functions=tuple(functions))


def modules_of(
    functions: Iterable[SassFunction], modules: Mapping[str, PtxLines]
) -> dict[SassFunction, str]:
    """Returns the PTX of each function: the text that defines the function.

    Where several do, as with a static function, the text counts whose table the function has.
    """
    defining: dict[str, list[str]] = {}
    for name, lines in modules.items():
        for function in lines.functions:
            defining.setdefault(function.name, []).append(name)
    with_table = {f: defining[f.name] for f in functions if f.ptx_name and f.name in defining}
    by_table = {f.ptx_name: names[0] for f, names in with_table.items() if len(names) == 1}
    module_of = {
        function: names[0] if len(names) == 1 else by_table.get(function.ptx_name, "")
        for function, names in with_table.items()
    }
    return {function: name for function, name in module_of.items() if name}


def ptx_lines_of(function: SassFunction, ptx: PtxLines) -> _Ids:
    """Returns the PTX line of each instruction; 0 where the text lacks the line."""
    lines = np.frombuffer(function.ptx_lines, np.int32)
    return np.where((lines >= 0) & (lines <= ptx.count), lines, 0)


def _recounted(function: SassFunction, ptx: PtxLines | None) -> SassFunction:
    """Takes the places from the PTX alone, as the line table of the cubin is wrong."""
    if ptx is None:
        ids = np.full(len(function), NOWHERE, np.int32)
        return replace(function, place_ids=array("i", ids.tobytes()))
    ids = ptx.place_ids[ptx_lines_of(function, ptx)]
    return replace(function, place_ids=array("i", ids.tobytes()), places=ptx.places)


def _corrected(function: SassFunction, ptx: PtxLines | None) -> SassFunction:
    if not any(len(places) > 1 for places in function.places) and ptx is None:
        return function
    ids = np.frombuffer(function.place_ids, np.int32)
    chains = _Chains(function.places)
    corrected_ids = chains.certain(ids, np.frombuffer(function.ptx_lines, np.int32))
    if ptx is not None:
        place_ids = ptx.place_ids[ptx_lines_of(function, ptx)]
        corrected_ids = chains.from_ptx(corrected_ids, place_ids, ptx.places)
    return replace(function, place_ids=array("i", corrected_ids.tobytes()), places=chains.places)


class _Chains:
    """The different places of a function, with places from the PTX added."""

    def __init__(self, places: Iterable[InlineChain]) -> None:
        self._ids = {place: number for number, place in enumerate(places)}
        self._whole_places = tuple(self._ids)

    @property
    def places(self) -> tuple[InlineChain, ...]:
        return tuple(self._ids)

    def certain(self, ids: _Ids, lines: _Ids) -> _Ids:
        """Returns the places without calls that may belong to other code.

        Calls are certain where they have just been printed, and in code of the same PTX statement:
        where no line is missing between two lines, no `.loc` is between them.

        Args:
            ids: The places as they were printed.
            lines: The lines of PTX, 0 where unknown.
        """
        is_new = np.diff(ids, prepend=np.int32(NOWHERE - 1)) != 0
        different, which = np.unique(lines, return_inverse=True)
        stretches = np.cumsum(np.diff(different, prepend=np.int32(NOWHERE)) > 1)[which]
        both = ids * np.int64(len(different) + 1) + stretches
        is_same = np.isin(both, both[is_new & (lines > 0)]) & (lines > 0)
        # The last entry is for instructions without a place.
        alone = np.array(
            [*(self._id(place[:1]) for place in self._whole_places), NOWHERE], np.int32
        )
        return np.where(is_new | is_same, ids, alone[ids])

    def from_ptx(self, ids: _Ids, ptx_ids: _Ids, of_ptx: Sequence[InlineChain]) -> _Ids:
        """Returns the places with the calls that the PTX has for the same line.

        Args:
            ids: The known places of the instructions.
            ptx_ids: The places by the PTX, as indices into `of_ptx`, or `NOWHERE`.
            of_ptx: The places in the PTX.
        """
        known_places = self.places
        # Both numbers, from -1 on, packed into one.
        base = len(of_ptx) + 1
        both, which = np.unique((ids + 1) * np.int64(base) + ptx_ids + 1, return_inverse=True)

        def chosen(place: int, ptx_place: int) -> int:
            if NOWHERE in (place, ptx_place) or known_places[place][:1] != of_ptx[ptx_place][:1]:
                return place
            return self._id(of_ptx[ptx_place])

        pairs = ((int(number) // base - 1, int(number) % base - 1) for number in both)
        return np.array([chosen(*pair) for pair in pairs], np.int32)[which]

    def _id(self, places: InlineChain) -> int:
        return self._ids.setdefault(places, len(self._ids))
