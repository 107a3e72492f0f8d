"""Follows the values of a function across a warp, through all blocks.

Nothing is run: a value that comes to a block by several ways is known as far as all ways agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from jitstudio.analysis.control_flow import BasicBlock, FlowGraph
from jitstudio.analysis.findings.lanes import (
    ANY,
    DOUBLES,
    SAME,
    Lane,
    literal,
    loaded,
    merge,
    mixed,
    negated,
    parameter,
    product,
    result,
    total,
)
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.analysis.sass.opcodes import Space, class_of, stem
from jitstudio.analysis.sass.operands import (
    NONE,
    DecodedOperands,
    MemoryAddress,
    Operand,
    guard,
    is_predicate,
    is_uniform,
)

LITERAL_BANKS = (2, 4)
"""The banks in which compilers keep the constants of the code."""

_PARAMETERS = 0
"""The bank of the kernel's parameters."""

_State = dict[int, Lane]
_JUMPS = frozenset(("BRA", "BRX", "EXIT", "JMP", "RET"))
_SHARED_BY_ALL = (Space.GLOBAL, Space.GENERIC)
_TRUTHS = ("PT", "UPT")
_DOUBLES = DOUBLES | {"DSETP"}
_SEEN = _JUMPS | _DOUBLES | {"ISETP"}


@dataclass(frozen=True)
class MemoryAccess:
    """An access to global or shared memory.

    Attributes:
        index: The instruction.
        lane: The address across a warp.
        base: The register that holds the address, and the instruction in this block that wrote the
            register, or the block if none: accesses with the same base differ by their offsets
            only.
        offset: Bytes from the base.
        bytes: Bytes that a thread accesses.
        is_load: Whether the access reads.
    """

    index: int
    lane: Lane
    base: tuple[int, int, int]
    offset: int
    bytes: int
    is_load: bool


@dataclass
class Warp:
    """The accesses, conditions and comparisons of a function, with their values across a warp.

    Attributes:
        accesses: Loads and stores of global memory, in the order of the code.
        shared: Loads and stores of shared memory.
        atomics: Atomic accesses, in whatever memory.
        conditions: The lane of the condition of a jump, by instruction.
        compared: The difference between the operands of a comparison of whole numbers, by
            instruction.
        accidents: Arithmetic of double precision on single precision and literals only.
    """

    accesses: list[MemoryAccess] = field(default_factory=list)
    shared: list[MemoryAccess] = field(default_factory=list)
    atomics: list[MemoryAccess] = field(default_factory=list)
    conditions: dict[int, Lane] = field(default_factory=dict)
    compared: dict[int, Lane] = field(default_factory=dict)
    accidents: list[int] = field(default_factory=list)


def follow(function: SassFunction, graph: FlowGraph, forms: Sequence[DecodedOperands]) -> Warp:
    """Follows the values of a function until nothing changes; returns the last observations."""
    return _Run(function, graph, forms).settle()


class _Run:
    def __init__(
        self, function: SassFunction, graph: FlowGraph, forms: Sequence[DecodedOperands]
    ) -> None:
        self._function = function
        self._graph = graph
        self._forms = forms
        self._stems = [stem(opcode) for opcode in function.opcodes]
        self._guards = [guard(predicate) for predicate in function.predicates]
        self._entries: dict[int, _State] = {}
        self._clobbered = {
            part.name: {
                register for form in self._forms[part.start : part.end] for register in form.written
            }
            for part in function.parts
        }

    def settle(self) -> Warp:
        """Follows the states of blocks until they settle; returns the observations."""
        # In the order of the code an inner loop settles before the code behind it.
        waiting = [block.id for block in self._graph.blocks if block.is_entry]
        self._entries = {block: {} for block in waiting}
        queued = set(waiting)
        observed: dict[int, Warp] = {}
        while waiting:
            block = heappop(waiting)
            queued.discard(block)
            state = dict(self._entries[block])
            observed[block] = self._look(self._graph.blocks[block], state)
            for target in self._graph.successors[block]:
                if self._learn(target, state) and target not in queued:
                    queued.add(target)
                    heappush(waiting, target)
        whole = Warp()
        for basic_block in self._graph.blocks:
            # Blocks that nothing leads to are included.
            warp = observed.get(basic_block.id) or self._look(basic_block, {})
            whole.accesses += warp.accesses
            whole.shared += warp.shared
            whole.atomics += warp.atomics
            whole.conditions |= warp.conditions
            whole.compared |= warp.compared
            whole.accidents += warp.accidents
        return whole

    def _look(self, block: BasicBlock, state: _State) -> Warp:
        """Returns the observations in a block; `state` then has the values at the end."""
        observed = Warp()
        # The writer of each register in the block; a negative number for values from elsewhere.
        written: dict[int, int] = {}
        for index in range(block.start, block.end):
            form, base = self._forms[index], self._stems[index]
            if base in _SEEN:
                self._see(index, form, state, observed)
            if form.address is not None:
                origin = written.get(form.address.base, -1 - block.id)
                self._see_access(index, form.address, state, origin, observed)
            if form.written:
                self._write(index, form, state)
                for register in form.written:
                    written[register] = index
            elif base == "CALL":
                self._call(index, state)
        return observed

    def _learn(self, target: int, state: _State) -> bool:
        """Merges a state into that at the start of a block; returns whether that changes."""
        entry = self._entries.get(target)
        if entry is None:
            self._entries[target] = dict(state)
            return True
        news = False
        for register, lane in state.items():
            old = entry.get(register)
            new = lane if old is None else merge(old, lane)
            if new != old:
                entry[register] = new
                news = True
        return news

    def _write(self, index: int, form: DecodedOperands, state: _State) -> None:
        opcode, sources, guarded = self._function.opcodes[index], form.sources, self._guards[index]
        values = [value_of(source, state) for source in sources]
        read = SAME if form.address is None else _read(opcode, form.address, state)
        lane = result(opcode, sources, values, read)
        condition = None if guarded == NONE else _lane(guarded, state)
        for register in form.written:
            new = _lane_written(register, lane, is_first=register in form.results)
            if condition is not None:
                new = _perhaps(state.get(register), new, condition)
            state[register] = new

    def _call(self, index: int, state: _State) -> None:
        name = self._function.operands[index].strip("`() ")
        changed = self._clobbered.get(name, state)
        for register in list(changed):
            state[register] = SAME if is_uniform(register) else ANY

    def _see(self, index: int, form: DecodedOperands, state: _State, observed: Warp) -> None:
        base = self._stems[index]
        if base in _JUMPS:
            registers = [self._guards[index], *(source.register for source in form.sources)]
            lanes = [_lane(r, state) for r in registers if r != NONE and is_predicate(r)]
            observed.conditions[index] = mixed(*lanes)
        elif base == "ISETP" and len(form.sources) > 2:
            left, right = (value_of(source, state) for source in form.sources[:2])
            observed.compared[index] = total(left, negated(right))
        elif base in _DOUBLES and _is_accident(base, form, state):
            observed.accidents.append(index)

    def _see_access(
        self, index: int, address: MemoryAddress, state: _State, origin: int, observed: Warp
    ) -> None:
        instruction_class = class_of(self._function.opcodes[index])
        if instruction_class.is_atomic:
            kind = observed.atomics
        elif instruction_class.space in _SHARED_BY_ALL:
            kind = observed.accesses
        elif instruction_class.space is Space.SHARED:
            kind = observed.shared
        else:
            return
        if not instruction_class.bits:
            return
        kind.append(
            MemoryAccess(
                index,
                _place(address, state),
                (address.base, address.more, origin),
                address.offset,
                instruction_class.bits // 8,
                instruction_class.is_load,
            )
        )


def _lane(register: int, state: Mapping[int, Lane]) -> Lane:
    lane = state.get(register)
    if lane is not None:
        return lane
    return SAME if is_uniform(register) else ANY


def value_of(source: Operand, state: Mapping[int, Lane]) -> Lane:
    """Returns the lane of an operand, by the lanes of registers."""
    register = source.register
    if source.bank == NONE and register != NONE:
        lane = _lane(register, state)
        return negated(lane) if source.is_negative else lane
    if source.bank == _PARAMETERS and register == NONE:
        return parameter(source.text.lstrip("-"))
    if source.bank != NONE:
        index = SAME if register == NONE else _lane(register, state)
        return literal(None) if source.bank in LITERAL_BANKS else loaded(index)
    if source.is_literal or source.is_zero:
        return literal(source.constant)
    return SAME


def _read(opcode: str, address: MemoryAddress, state: _State) -> Lane:
    """Returns the lane read from memory."""
    instruction_class = class_of(opcode)
    own = instruction_class.space is Space.LOCAL or instruction_class.is_atomic
    return loaded(_place(address, state), is_own=own)


def _place(address: MemoryAddress, state: _State) -> Lane:
    if address.base == NONE:
        return SAME
    lane = product(_lane(address.base, state), literal(address.scale))
    return lane if address.more == NONE else total(lane, _lane(address.more, state))


def _lane_written(register: int, lane: Lane, *, is_first: bool) -> Lane:
    """Returns the lane of a register that an instruction writes."""
    if is_uniform(register):
        constant = lane.constant if is_first else None
        return Lane(SAME.shape, 0, constant, lane.is_literal, terms=lane.terms)
    # Only the first of several registers holds the computed value, and a predicate never does.
    return lane if is_first and not is_predicate(register) else mixed(lane)


def _perhaps(old: Lane | None, new: Lane, condition: Lane) -> Lane:
    """Returns the lane of a register that only some threads write."""
    if old is None or old == new:
        return new
    both = merge(old, new)
    if condition.is_same:
        return both
    return mixed(both, condition)._replace(distance=both.distance)


def _is_accident(base: str, form: DecodedOperands, state: _State) -> bool:
    values = [
        value_of(source, state)
        for source in form.sources
        if not is_predicate(source.register) and source.text not in _TRUTHS
    ]
    return (
        all(value.is_widened or value.is_literal for value in values)
        and any(value.is_widened for value in values)
        and (any(value.is_literal for value in values) or (base == "DADD" and _is_twice(form)))
    )


def _is_twice(form: DecodedOperands) -> bool:
    """Returns whether a number is added to itself: compilers double by that."""
    return len(form.sources) == 2 and form.sources[0].register == form.sources[1].register
