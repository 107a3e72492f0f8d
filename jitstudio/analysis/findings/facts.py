"""A function as the rules of the report see it, with all that follows from the code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from jitstudio.analysis.control_flow import BasicBlock, FlowGraph
from jitstudio.analysis.findings.origins import ValueOrigins, is_of_library
from jitstudio.analysis.findings.warp import MemoryAccess, Warp, follow
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.liveness import Liveness, effects
from jitstudio.analysis.sass.model import SassFunction, SourceLocation
from jitstudio.analysis.sass.opcodes import stem
from jitstudio.analysis.sass.operands import (
    NONE,
    STACK_POINTER,
    DecodedOperands,
    Mask,
    decode,
    guard,
)
from jitstudio.core.result import Resources
from jitstudio.listing.lines import NOWHERE

# The folders of CUDA's own libraries, whose lines are not the author's.
_LIBRARIES = re.compile(
    r"/(?:cccl|cub|thrust|cuda/std|cuda/__\w+|cooperative_groups)/|/cooperative_groups\.h\Z"
)
# Up to here sinf and the like take away multiples of pi by three multiplications.
_LARGEST = "105615"
_ABOVE = frozenset(("GE", "GEU", "GT", "GTU"))
_BARRIERS = frozenset(("BAR", "UBAR", "WARPSYNC", "B2R"))
_CALLS = frozenset(("CALL", "RET", "BRX", "BRXU", "JMX", "JMXU"))


@dataclass(frozen=True, eq=False)
class FunctionFacts:
    """A function with all that follows from the code, each part computed when a rule first asks.

    Attributes:
        function: The code.
        resources: The resources that tools report; None where no tool does.
    """

    function: SassFunction
    resources: Resources | None

    @cached_property
    def graph(self) -> FlowGraph:
        """The blocks and loops of the code."""
        return sass_graph(self.function)

    @cached_property
    def forms(self) -> tuple[DecodedOperands, ...]:
        """The operands of each instruction."""
        return tuple(map(decode, self.function.opcodes, self.function.operands))

    @cached_property
    def warp(self) -> Warp:
        """The values of the code across a warp."""
        return follow(self.function, self.graph, self.forms)

    @cached_property
    def origins(self) -> ValueOrigins:
        """The origins of the values."""
        return ValueOrigins(self.function, self.graph, self.forms)

    def is_live_behind(self, index: int, register: int) -> bool:
        """Returns whether a register may be read behind an instruction before the next write."""
        return bool(self.live_behind(index) >> register & 1)

    def live_behind(self, index: int) -> Mask:
        """Returns the registers that are alive behind an instruction."""
        block = self.graph.block_at(index)
        if block is None:
            return 0
        if block.id not in self._live:
            self._live[block.id] = self._liveness.behind(block.id)
        return self._live[block.id][index - block.start]

    @cached_property
    def _live(self) -> dict[int, list[Mask]]:
        """The registers that may be read behind each instruction, per block asked for."""
        return {}

    @cached_property
    def _liveness(self) -> Liveness:
        count = self.function.code_length
        calls = (at for at in range(count) if stem(self.function.opcodes[at]) in _CALLS)
        ends = (block.end - 1 for block in self.graph.blocks if block.leads_away)
        # Callees, and code outside of the listing, may read any register.
        away = frozenset((*calls, *ends))
        return Liveness(self.graph, effects(self.function, count), behind=away)

    @cached_property
    def own(self) -> range | tuple[int, ...]:
        """The instructions that the author is to blame for."""
        library = [part for part in self.function.parts if is_of_library(part)]
        foreign = {index for part in library for index in range(part.start, part.end)}
        foreign |= self._reductions()
        theirs = {id_ for id_, chain in enumerate(self.function.places) if _is_theirs(chain[-1])}
        foreign.update(at for at, id_ in enumerate(self.function.place_ids) if id_ in theirs)
        code = range(self.function.code_length)
        return tuple(index for index in code if index not in foreign) if foreign else code

    def _reductions(self) -> set[int]:
        """Returns the code of sinf, cosf and tanf for large arguments."""
        reductions: set[int] = set()
        for block in self.graph.blocks:
            slow = self._slow_way(block)
            if slow is not None:
                for id_ in self.graph.only_by(block.id, slow):
                    reductions.update(
                        range(self.graph.blocks[id_].start, self.graph.blocks[id_].end)
                    )
        return reductions

    def _slow_way(self, block: BasicBlock) -> int | None:
        """Returns the successor of a block for large arguments; None if no argument is tested."""
        jump = self.function.predicates[block.end - 1]
        writers = self.origins.writers(block.end - 1, guard(jump)) if jump else ()
        answers = {self._asks_for_large(index) for index in writers}
        if answers not in ({True}, {False}):
            return None
        is_behind = ("!" not in jump) in answers
        ways = self.graph.successors[block.id]
        return next((way for way in ways if (way != block.id + 1) == is_behind), None)

    def _asks_for_large(self, index: int) -> bool | None:
        """Returns whether a comparison holds for large arguments; None for other instructions."""
        if index < 0 or _LARGEST not in self.function.operands[index].split(", "):
            return None
        opcode, *modifiers = self.function.opcodes[index].split(".")
        return not _ABOVE.isdisjoint(modifiers) if opcode == "FSETP" else None

    def last_writer(self, block: BasicBlock, end: int, register: int) -> int:
        """Returns the last writer of a register in a block, before `end`; or `NONE`."""
        for index in range(end - 1, block.start - 1, -1):
            if register in self.forms[index].written:
                return index
        return NONE

    def of_opcode(self, *stems: str) -> tuple[int, ...]:
        """Returns the author's instructions with any of these opcodes, whatever their modifiers."""
        opcodes = self.function.opcodes
        return tuple(index for index in self.own if stem(opcodes[index]) in stems)

    @cached_property
    def has_rows(self) -> bool:
        """Whether the threads are numbered in y, too."""
        return any("SR_TID.Y" in operands for operands in self.function.operands)

    @cached_property
    def written_here(self) -> tuple[int, ...]:
        """The author's instructions, without code inlined from libraries."""
        return tuple(index for index in self.own if not self.is_inlined(index))

    @cached_property
    def accesses(self) -> tuple[MemoryAccess, ...]:
        """The author's loads and stores of global memory."""
        own = set(self.own)
        return tuple(access for access in self.warp.accesses if access.index in own)

    @cached_property
    def access_at(self) -> dict[int, MemoryAccess]:
        """The author's accesses by the index of their instruction."""
        return {access.index: access for access in self.accesses}

    @cached_property
    def groups(self) -> tuple[tuple[MemoryAccess, ...], ...]:
        """Accesses that differ by their offsets only, sorted by offset; loads and stores apart."""
        by_base: dict[tuple[bool, tuple[int, int, int]], list[MemoryAccess]] = {}
        for access in self.accesses:
            by_base.setdefault((access.is_load, access.base), []).append(access)
        return tuple(tuple(sorted(group, key=_offset)) for group in by_base.values())

    @cached_property
    def passes_stack_addresses(self) -> bool:
        """Whether stack addresses are computed that are no operand of an access."""
        return any(
            STACK_POINTER not in self.forms[index].written
            and any(source.register == STACK_POINTER for source in self.forms[index].sources)
            for index in self.own
        )

    def has_barrier(self, start: int, end: int) -> bool:
        """Returns whether threads of a block or a warp wait for each other in a range."""
        return any(stem(opcode) in _BARRIERS for opcode in self.function.opcodes[start:end])

    def line(self, index: int) -> SourceLocation | None:
        """Returns the source line of an instruction; None where the line table does not say."""
        place = self.function.place_ids[index]
        return self.function.places[place][0] if place != NOWHERE else None

    def is_inlined(self, index: int) -> bool:
        """Returns whether an instruction comes from a library of CUDA, such as CUB."""
        place = self.line(index)
        return place is not None and _is_theirs(place)

    def by_line(self, indices: Iterable[int]) -> Iterator[tuple[int, ...]]:
        """Returns the instructions grouped by line, the lines in the order of the code."""
        lines: dict[SourceLocation | None, list[int]] = {}
        for index in indices:
            lines.setdefault(self.line(index), []).append(index)
        return map(tuple, lines.values())


def _is_theirs(place: SourceLocation) -> bool:
    return _LIBRARIES.search(place.file.replace("\\", "/")) is not None


def _offset(access: MemoryAccess) -> int:
    return access.offset
