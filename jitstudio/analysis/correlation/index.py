"""Lines of source, IR and PTX and the instructions made of these, found from either side.

All is looked up in tables laid out once, fast enough to follow a cursor. Nothing is guessed: lines
outside of the line tables stay without a counterpart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from jitstudio.analysis.correlation.chains import modules_of, ptx_lines_of
from jitstudio.analysis.correlation.ir_lines import StageLines
from jitstudio.analysis.correlation.ptx_lines import PtxLines
from jitstudio.analysis.sass.model import Disassembly, InlineChain, SassFunction, SourceLocation
from jitstudio.core.captured import KernelLanguage
from jitstudio.listing.lines import NOWHERE

Numbers = Sequence[int] | NDArray[np.intp]
"""Lines or indices, ascending."""

StageKey = tuple[str, KernelLanguage]
"""The module of a captured kernel, and the language of a representation."""


@dataclass(frozen=True)
class Matches:
    """Lines and instructions that correspond.

    Attributes:
        places: Lines of sources: the line itself first, then the calls it was inlined through.
        ptx: Lines of PTX, counted from 1, by module.
        code: Indices of instructions, by function.
        stages: Lines of intermediate representations, counted from 1.
    """

    places: tuple[SourceLocation, ...] = ()
    ptx: Mapping[str, Numbers] = field(default_factory=dict)
    code: Mapping[SassFunction, Numbers] = field(default_factory=dict)
    stages: Mapping[StageKey, Numbers] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.places or self.ptx or self.code or self.stages)


@dataclass(frozen=True, eq=False)
class InstructionOrigins:
    """The places and PTX lines from which the instructions of a function come.

    Attributes:
        ids: Per instruction, an index into `places`, or `NOWHERE`.
        places: The different places.
        starts: Per instruction, the first PTX line of its statement; 0 where unknown.
    """

    ids: NDArray[np.int32]
    places: Sequence[InlineChain]
    starts: NDArray[np.int32]

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self.starts, kind="stable")

    @cached_property
    def _sorted_starts(self) -> NDArray[np.int32]:
        return self.starts[self._order]

    def made_of(self, start: int) -> NDArray[np.intp]:
        """Returns the instructions that were made of a statement of PTX, in their order."""
        first, last = np.searchsorted(self._sorted_starts, (start, start + 1))
        return self._order[first:last]


class Correlation:
    """Ties the machine code of a cubin to the PTX, and both to the sources.

    Args:
        code: The machine code, with the calls that it was inlined through; see `chains.corrected`.
        modules: The lines of each PTX text, by a name; see `modules.ptx_of`.
        stages: The lines of each intermediate representation.

    Attributes:
        code: The machine code.
        modules: The PTX texts.
        stages: The intermediate representations.
    """

    def __init__(
        self,
        code: Disassembly,
        modules: Mapping[str, PtxLines],
        stages: Mapping[StageKey, StageLines] = MappingProxyType({}),
    ) -> None:
        self.code = code
        self.modules = dict(modules)
        self.stages = dict(stages)
        self._module_of = modules_of(code.functions, self.modules)
        self._tied = {function: self._tie(function) for function in code.functions}
        self._code_by_place: dict[SourceLocation, dict[SassFunction, NDArray[np.intp]]] = {}
        self._ptx_by_place: dict[SourceLocation, dict[str, NDArray[np.intp]]] = {}
        self._stages_by_place: dict[SourceLocation, dict[StageKey, NDArray[np.intp]]] = {}
        for function, tied in self._tied.items():
            for place, indices in _by_place(tied.ids, tied.places):
                self._code_by_place.setdefault(place, {})[function] = indices
        for name, lines in self.modules.items():
            for place, lines_at in _by_place(lines.place_ids, lines.places):
                self._ptx_by_place.setdefault(place, {})[name] = lines_at
        for key, stage in self.stages.items():
            for place, lines_at in _by_place(stage.place_ids, stage.places):
                self._stages_by_place.setdefault(place, {})[key] = lines_at

    @property
    def places(self) -> Iterator[SourceLocation]:
        """All lines of sources from which any code comes."""
        tables = (self._code_by_place, self._ptx_by_place, self._stages_by_place)
        return iter(dict.fromkeys(chain.from_iterable(tables)))

    def module_of(self, function: SassFunction) -> str:
        """Returns the PTX of a function; empty where unknown."""
        return self._module_of.get(function, "")

    def functions_of(self, module: str) -> tuple[SassFunction, ...]:
        """Returns the functions that were made of a PTX text."""
        return tuple(f for f in self.code.functions if self.module_of(f) == module)

    def tied(self, function: SassFunction) -> InstructionOrigins:
        """Returns the origins of the instructions of a function of this code."""
        return self._tied[function]

    def of_place(self, place: SourceLocation) -> Matches:
        """Returns the code of a source line, in place or inlined through a call on the line."""
        code, ptx = self._code_by_place.get(place, {}), self._ptx_by_place.get(place, {})
        stages = self._stages_by_place.get(place, {})
        return Matches((place,) if code or ptx or stages else (), ptx, code, stages)

    def of_ptx(self, module: str, line: int) -> Matches:
        """Returns the source of a line of PTX, and the machine code made of the line."""
        lines = self.modules.get(module)
        if lines is None or not 0 < line <= lines.count:
            return Matches()
        statement = lines.statement(line)
        places = lines.places_of(line)
        indices_of = {f: self._tied[f].made_of(statement.start) for f in self.functions_of(module)}
        code = {function: indices for function, indices in indices_of.items() if len(indices)}
        matches = Matches(places, {module: statement}, code, self._of_stages(places))
        return matches if places or code else Matches()

    def of_code(self, function: SassFunction, index: int) -> Matches:
        """Returns the source and the PTX of an instruction."""
        tied = self._tied[function]
        place, start = int(tied.ids[index]), int(tied.starts[index])
        places: InlineChain = () if place == NOWHERE else tied.places[place]
        module = self.module_of(function)
        ptx = {module: self.modules[module].statement(start)} if start else {}
        matches = Matches(places, ptx, {function: (index,)}, self._of_stages(places))
        return matches if places or ptx else Matches()

    def of_stage(self, key: StageKey, line: int) -> Matches:
        """Returns the source of a line of a representation, and all code from the same calls."""
        stage = self.stages.get(key)
        places = stage.places_of(line) if stage is not None else ()
        if not places:
            return Matches()
        ptx = {name: _of_chain(x.place_ids, x.places, places) for name, x in self.modules.items()}
        code = {f: _of_chain(x.ids, x.places, places) for f, x in self._tied.items()}
        stages = {**self._of_stages(places), key: (line,)}
        return Matches(places, _filled(ptx), _filled(code), stages)

    def _of_stages(self, places: InlineChain) -> Mapping[StageKey, Numbers]:
        """Returns the lines of all representations that come from a place by the same calls."""
        lines_of = {k: _of_chain(x.place_ids, x.places, places) for k, x in self.stages.items()}
        return _filled(lines_of)

    def callee(self, places: InlineChain) -> str:
        """Returns the lowered name of the function that was inlined; empty where no table says."""
        tellers = (lines.callees for lines in self.modules.values())
        return next((callees[places] for callees in tellers if places in callees), "")

    def _tie(self, function: SassFunction) -> InstructionOrigins:
        ids = np.frombuffer(function.place_ids, np.int32)
        module = self.modules.get(self.module_of(function))
        if module is None:
            return InstructionOrigins(ids, function.places, np.zeros(len(ids), np.int32))
        starts = module.starts[ptx_lines_of(function, module)]
        return InstructionOrigins(ids, function.places, starts)


_Key = TypeVar("_Key")


def _filled(numbers_of: Mapping[_Key, NDArray[np.intp]]) -> dict[_Key, Numbers]:
    return {key: numbers for key, numbers in numbers_of.items() if len(numbers)}


def _of_chain(
    ids: NDArray[np.int32], places: Sequence[InlineChain], target: InlineChain
) -> NDArray[np.intp]:
    """Returns the indices of code that comes from a place by the same calls.

    Not every table has all calls: where no code has the same ones, all code of the place counts.
    """
    same = [number for number, place_chain in enumerate(places) if place_chain == target]
    alike = same or [
        number for number, place_chain in enumerate(places) if place_chain[:1] == target[:1]
    ]
    return np.flatnonzero(np.isin(ids, alike)) if target else np.zeros(0, np.intp)


def _by_place(
    ids: NDArray[np.int32], places: Sequence[InlineChain]
) -> Iterator[tuple[SourceLocation, NDArray[np.intp]]]:
    """Yields each source line with the indices of all code whose chain has the line."""
    order = np.argsort(ids, kind="stable")
    firsts = np.searchsorted(ids[order], np.arange(len(places) + 1))
    runs: dict[SourceLocation, list[NDArray[np.intp]]] = {}
    for number, of_one in enumerate(places):
        run = order[firsts[number] : firsts[number + 1]]
        # A recursive call may be in a chain twice.
        for place in dict.fromkeys(of_one) if len(run) else ():
            runs.setdefault(place, []).append(run)
    for place, parts in runs.items():
        yield place, parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))
