"""Lines of source, IR and PTX and instructions that belong together, found from each of them.

All is looked up in what was laid out once, so that it can follow a cursor. Nothing is guessed: what
is not in the line tables stays without a counterpart.
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
"""The module of a captured kernel, and one of its representations."""


@dataclass(frozen=True)
class Matches:
    """What belongs together.

    Attributes:
        places: Lines of sources: the line itself first, then the calls it was inlined through.
        ptx: Lines of PTX, counted from 1, by the module.
        code: Indices of instructions by the function.
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
    """Where the instructions of a function come from.

    Attributes:
        ids: Per instruction, an index into `places`, or `NOWHERE`.
        places: The different places.
        starts: Per instruction, the line of PTX where the statement begins; 0 where unknown.
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
    """Ties the machine code of a cubin to the PTX that it was made of, and both to the sources.

    Args:
        code: The machine code, with the calls that it was inlined through; see `chains.corrected`.
        modules: What each PTX text says about its lines, by a name; see `modules.ptx_of`.
        stages: What each intermediate representation says about its own.

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
            for place, found in _by_place(lines.place_ids, lines.places):
                self._ptx_by_place.setdefault(place, {})[name] = found
        for key, stage in self.stages.items():
            for place, found in _by_place(stage.place_ids, stage.places):
                self._stages_by_place.setdefault(place, {})[key] = found

    @property
    def places(self) -> Iterator[SourceLocation]:
        """Every line of a source that something was made of."""
        tables = (self._code_by_place, self._ptx_by_place, self._stages_by_place)
        return iter(dict.fromkeys(chain.from_iterable(tables)))

    def module_of(self, function: SassFunction) -> str:
        """Returns the PTX that a function was made of; empty where that is not known."""
        return self._module_of.get(function, "")

    def functions_of(self, module: str) -> tuple[SassFunction, ...]:
        """Returns the functions that were made of a PTX text."""
        return tuple(f for f in self.code.functions if self.module_of(f) == module)

    def tied(self, function: SassFunction) -> InstructionOrigins:
        """Returns where the instructions of a function of this code come from."""
        return self._tied[function]

    def of_place(self, place: SourceLocation) -> Matches:
        """Returns what was made of a line of a source, there or inlined through a call on it."""
        code, ptx = self._code_by_place.get(place, {}), self._ptx_by_place.get(place, {})
        stages = self._stages_by_place.get(place, {})
        return Matches((place,) if code or ptx or stages else (), ptx, code, stages)

    def of_ptx(self, module: str, line: int) -> Matches:
        """Returns where a line of PTX comes from, and what was made of it."""
        lines = self.modules.get(module)
        if lines is None or not 0 < line <= lines.count:
            return Matches()
        statement = lines.statement(line)
        places = lines.places_of(line)
        made = {f: self._tied[f].made_of(statement.start) for f in self.functions_of(module)}
        code = {function: indices for function, indices in made.items() if len(indices)}
        found = Matches(places, {module: statement}, code, self._of_stages(places))
        return found if places or code else Matches()

    def of_code(self, function: SassFunction, index: int) -> Matches:
        """Returns where an instruction comes from, by way of which PTX."""
        tied = self._tied[function]
        place, start = int(tied.ids[index]), int(tied.starts[index])
        places: InlineChain = () if place == NOWHERE else tied.places[place]
        module = self.module_of(function)
        ptx = {module: self.modules[module].statement(start)} if start else {}
        found = Matches(places, ptx, {function: (index,)}, self._of_stages(places))
        return found if places or ptx else Matches()

    def of_stage(self, key: StageKey, line: int) -> Matches:
        """Returns where a line of a representation comes from, and what else does, by all calls."""
        stage = self.stages.get(key)
        places = stage.places_of(line) if stage is not None else ()
        if not places:
            return Matches()
        ptx = {name: _of_chain(x.place_ids, x.places, places) for name, x in self.modules.items()}
        code = {f: _of_chain(x.ids, x.places, places) for f, x in self._tied.items()}
        stages = {**self._of_stages(places), key: (line,)}
        return Matches(places, _filled(ptx), _filled(code), stages)

    def _of_stages(self, places: InlineChain) -> Mapping[StageKey, Numbers]:
        """The lines of all representations that come from a place by the same calls."""
        found = {k: _of_chain(x.place_ids, x.places, places) for k, x in self.stages.items()}
        return _filled(found)

    def callee(self, places: InlineChain) -> str:
        """The lowered name of the function that inlined code is of; empty where none says."""
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


def _filled(found: Mapping[_Key, NDArray[np.intp]]) -> dict[_Key, Numbers]:
    return {key: numbers for key, numbers in found.items() if len(numbers)}


def _of_chain(
    ids: NDArray[np.int32], places: Sequence[InlineChain], wanted: InlineChain
) -> NDArray[np.intp]:
    """The indices of what comes from a place by the same calls.

    Not every table has all calls: where none has these, of what comes from the place at all.
    """
    same = [number for number, one in enumerate(places) if one == wanted]
    alike = same or [number for number, one in enumerate(places) if one[:1] == wanted[:1]]
    return np.flatnonzero(np.isin(ids, alike)) if wanted else np.zeros(0, np.intp)


def _by_place(
    ids: NDArray[np.int32], places: Sequence[InlineChain]
) -> Iterator[tuple[SourceLocation, NDArray[np.intp]]]:
    """Yields for each line of a source, the indices of all that has it in its chain."""
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
