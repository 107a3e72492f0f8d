"""Branches, calls, returns and barriers of blocks, which decide where threads go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.instructions.builtins import BUILTINS
from jitstudio.simulator.instructions.table import AddsRows, Binding, Flow, Move, Moves, form
from jitstudio.simulator.ptx.program import (
    ImmediateOperand,
    PtxFunction,
    PtxInstruction,
    PtxOperand,
    PtxVariable,
    RegisterOperand,
    SymbolOperand,
    VectorOperand,
)
from jitstudio.simulator.ptx.types import TYPES
from jitstudio.simulator.state.barriers import arrive, look_again
from jitstudio.simulator.state.faults import ThreadFault, UnsupportedInstruction, refuse_where
from jitstudio.simulator.state.frames import Frame, Passed, ReturnLink, SlotKind
from jitstudio.simulator.state.groups import Selection, numbers_of, size_of, subset
from jitstudio.simulator.state.image import GRID_WORKSPACE
from jitstudio.simulator.state.model import WARP, FaultKind, SyncScope
from jitstudio.simulator.state.wave import Waiting, Wave


def _onward(depth: int, at: int, rest: Selection | None) -> list[Move]:
    """Returns the move of the threads whose guard is false, behind the instruction."""
    return [] if rest is None else [Move(depth, at + 1, rest)]


# Branches.


def label_of(b: Binding, operand: PtxOperand) -> int:
    """Returns the instruction behind a label."""
    if isinstance(operand, SymbolOperand):
        if (at := b.function.labels.get(operand.name)) is not None:
            return at
        raise UnsupportedInstruction(f"there is no label {operand.name}")
    raise UnsupportedInstruction("it has no label")


@form("bra", words="uni", flow=True, count=1)
def bra(b: Binding) -> Flow:
    target, at = label_of(b, b.instruction.operands[0]), b.instruction.number

    def flow(
        _wave: Wave, _f: Frame, depth: int, active: Selection, rest: Selection | None
    ) -> Moves:
        return [*_onward(depth, at, rest), Move(depth, target, active)]

    return flow


@form("brx.idx", words="uni", flow=True, count=2)
def brx(b: Binding) -> Flow:
    index, table = b.instruction.operands
    names = b.function.tables.get(table.name) if isinstance(table, SymbolOperand) else None
    if names is None:
        raise UnsupportedInstruction("it has no table of labels")
    targets = [label_of(b, SymbolOperand(name)) for name in names]
    slot, at, instruction = b.source(index, TYPES["u32"]), b.instruction.number, b.instruction

    def flow(wave: Wave, f: Frame, depth: int, active: Selection, rest: Selection | None) -> Moves:
        choice = f[slot][active]
        refuse_where(
            choice >= len(targets),
            wave.numbers[active],
            FaultKind.OUT_OF_BOUNDS,
            lambda first: f"leaps to entry {int(choice[first])} of a table of {len(targets)}",
        )
        moves = _onward(depth, at, rest)
        for value in np.unique(choice):
            chosen = subset(active, choice == value)
            moves.append(Move(depth, targets[int(value)], chosen))
            for observer in wave.on_branched:
                observer.branched(instruction, wave.numbers[active], numbers_of(chosen))
        return moves

    return flow


# The end.


def _ended(wave: Wave, active: Selection) -> None:
    wave.end(active)
    look_again(wave)


@form("exit", flow=True, count=[0])
def exit_(b: Binding) -> Flow:
    at = b.instruction.number

    def flow(wave: Wave, _f: Frame, depth: int, active: Selection, rest: Selection | None) -> Moves:
        _ended(wave, active)
        return _onward(depth, at, rest)

    return flow


_GRID_BARRIER = (
    "reaches a barrier of the whole grid, and grid.sync() needs a cooperative launch "
    "(--cooperative; cudaLaunchCooperativeKernel in host code): without, NVIDIA's header ends it"
)


def _asks_for_grid(b: Binding) -> bool:
    """Returns whether a function asks in vain for the workspace of a cooperative launch."""
    body = b.image.program.instructions[b.function.start : b.function.end]
    # cooperative_groups reads the address of the workspace from %envreg1 and %envreg2.
    return GRID_WORKSPACE not in b.image.addresses and any("%envreg" in i.text for i in body)


@form("trap", flow=True, count=[0])
def trap(b: Binding) -> Flow:
    message = "executes a trap"
    if b.instruction.is_of_cooperative_groups and _asks_for_grid(b):
        message = _GRID_BARRIER

    def flow(
        wave: Wave, _f: Frame, _depth: int, active: Selection, _rest: Selection | None
    ) -> Moves:
        raise ThreadFault(FaultKind.TRAP, int(wave.numbers[active][0]), message, size_of(active))

    return flow


@form("brkpt", flow=True, count=[0])
def brkpt(b: Binding) -> Flow:
    at = b.instruction.number

    def flow(
        _wave: Wave, _f: Frame, depth: int, active: Selection, rest: Selection | None
    ) -> Moves:
        return [*_onward(depth, at, rest), Move(depth, at + 1, active)]

    return flow


# Calls.


@form("ret", words="uni", flow=True, count=[0])
def ret(b: Binding) -> Flow:
    instruction, at = b.instruction, b.instruction.number

    def flow(wave: Wave, f: Frame, depth: int, active: Selection, rest: Selection | None) -> Moves:
        moves = _onward(depth, at, rest)
        if depth == 0:
            _ended(wave, active)
            return moves
        back = wave.returns[depth][active]
        first = int(back[0])
        # Nearly always all threads return to one call.
        if (back == first).all():
            return [*moves, _returned(wave, f, depth, instruction, first, active)]
        for value in np.unique(back):
            chosen = subset(active, back == value)
            moves.append(_returned(wave, f, depth, instruction, int(value), chosen))
        return moves

    return flow


def _returned(
    wave: Wave, f: Frame, depth: int, instruction: PtxInstruction, at: int, threads: Selection
) -> Move:
    callee_key = depth, instruction.function
    link = wave.links[at - 1, instruction.function]
    caller = wave.frame(depth - 1, link.layout)
    for result in link.results:
        _copy(caller[result.caller], f[result.callee], threads)
    if wave.undefined:
        back = depth - 1, link.layout.function.name
        return_and_step = instruction, wave.clock - 1
        wave.undefined.pass_on(
            callee_key, back, link.names, threads, wave.bases[back], return_and_step
        )
        wave.undefined.end(callee_key, threads)
    return Move(depth - 1, at, threads)


def _copy(target: NDArray[Any], source: NDArray[Any], threads: Selection) -> None:
    if target.ndim == 2:
        width = min(target.shape[1], source.shape[1])
        target[threads, :width] = source[threads, :width]
    else:
        target[threads] = source[threads]


@form("call", words="uni", flow=True)
def call(b: Binding) -> Flow:
    results, target, arguments, *prototype = b.instruction.operands
    assert isinstance(results, VectorOperand)
    assert isinstance(arguments, VectorOperand)
    labels = {*b.function.prototypes, *b.function.tables}
    known = [isinstance(label, SymbolOperand) and label.name in labels for label in prototype]
    if known != ([True] if isinstance(target, RegisterOperand) else []):
        raise UnsupportedInstruction("a call by a register ends with a prototype, others do not")
    if isinstance(target, SymbolOperand):
        if target.name in b.image.functions:
            return _call_of(b, target.name, results.parts, arguments.parts)
        if target.name in BUILTINS:
            return _call_of_builtin(b, target.name, results.parts, arguments.parts)
        raise UnsupportedInstruction(
            f"{target.name} is declared and not defined. Link the module that defines it"
        )
    # A function pointer: `call (%r1), %rd1, (%r2), prototype_0;`.
    if isinstance(target, RegisterOperand):
        return _call_through(b, target, results.parts, arguments.parts)
    raise UnsupportedInstruction("it names no function")


def _passed(b: Binding, callee: PtxFunction, formal: PtxVariable, actual: PtxOperand) -> Passed:
    layout = b.layouts[callee.name]
    if isinstance(actual, SymbolOperand):
        variable = b.function.variables.get(actual.name)
        if variable is None or variable.space != "param":
            raise UnsupportedInstruction(
                f"{actual.name} is neither a register nor a variable of {b.function.name} in "
                "parameter space. Declare it with .param"
            )
        if variable.size != formal.size:
            raise UnsupportedInstruction(
                f"{actual.name} has {variable.size} bytes, and {formal.name} of {callee.name} has "
                f"{formal.size}"
            )
        if formal.space != "reg":
            caller_slot = b.layout.slot(SlotKind(actual.name, np.dtype("u1"), "whole param"))
            slot = layout.slot(SlotKind(formal.name, np.dtype("u1"), "whole param"))
            return Passed(slot, caller_slot)
        kind = TYPES[formal.type.removeprefix(".")]
        caller_slot = b.layout.slot(SlotKind(actual.name, kind.dtype, "param"))
        return Passed(layout.slot(SlotKind(formal.name, kind.dtype, "register")), caller_slot)
    kind = TYPES.get(formal.type.removeprefix("."), TYPES["b32"])
    source = "register" if formal.space == "reg" else "param"
    name = formal.name
    return Passed(layout.slot(SlotKind(name, kind.dtype, source)), b.source(actual, kind))


def _named(
    formal: Sequence[PtxVariable], actual: Sequence[PtxOperand]
) -> tuple[tuple[str, str], ...]:
    """Returns the registers or parameters of a call, in the callee and the caller; no numbers."""
    return tuple(
        (variable.name, operand.name)
        for variable, operand in zip(formal, actual, strict=True)
        if isinstance(operand, (RegisterOperand, SymbolOperand))
    )


def _call_of(
    b: Binding, name: str, results: tuple[PtxOperand, ...], arguments: tuple[PtxOperand, ...]
) -> Flow:
    callee = b.image.functions[name]
    if len(arguments) != len(callee.parameters) or len(results) != len(callee.results):
        raise UnsupportedInstruction(
            f"{name} takes {len(callee.parameters)} arguments and gives {len(callee.results)} "
            f"results, and the call has {len(arguments)} and {len(results)}"
        )
    passed, returned = (
        tuple(_passed(b, callee, v, a) for v, a in zip(formal, actual, strict=True))
        for formal, actual in ((callee.parameters, arguments), (callee.results, results))
    )
    at, layout = b.instruction.number, b.layouts[name]
    own_layout, instruction = b.layout, b.instruction
    argument_names = _named(callee.parameters, arguments)
    handed = tuple((here, there) for there, here in _named(callee.results, results))
    b.links[at, name] = ReturnLink(b.layout, returned, handed)
    step = b.image.frame_bytes[b.function.name]
    # The frame of the callee begins behind the caller's.
    needed, start = b.image.frame_bytes[name], callee.start

    def flow(wave: Wave, f: Frame, depth: int, active: Selection, rest: Selection | None) -> Moves:
        # Each depth of calls takes registers for all threads.
        if depth + 1 >= wave.deepest or wave.frame_bytes > wave.most_bytes:
            raise ThreadFault(
                FaultKind.STACK_OVERFLOW,
                int(wave.numbers[active][0]),
                f"calls {name} at a depth of {depth + 1} calls, which is more than the simulator "
                "keeps. The recursion may have no end",
                size_of(active),
            )
        g = wave.frame(depth + 1, layout)
        if wave.written is not None:
            wave.written.begin_call(depth + 1, callee, active)
        wave.note_results(depth, own_layout, instruction, active)
        bases = wave.stacks[depth][active] + step
        if int(bases.max()) + needed > wave.local_stride:
            wave.grow_stacks(int(bases.max()) + needed, int(wave.numbers[active][0]), name)
        wave.stacks[depth + 1][active] = bases
        wave.returns[depth + 1][active] = at + 1
        if wave.passed_barriers is not None:
            wave.passed_barriers.enter(depth + 1, at, active)
        for argument in passed:
            _copy(g[argument.callee], f[argument.caller], active)
        called = depth + 1, name
        wave.undefined.begin(called, active)
        if wave.undefined:
            values, here = wave.bases[called], (depth, instruction.function)
            wave.undefined.pass_on(
                here, called, argument_names, active, values, (instruction, wave.clock - 1)
            )
        return [*_onward(depth, at, rest), Move(depth + 1, start, active)]

    return flow


def _call_through(
    b: Binding,
    target: RegisterOperand,
    results: tuple[PtxOperand, ...],
    arguments: tuple[PtxOperand, ...],
) -> Flow:
    """Binds a call through a pointer: to each function with matching arguments."""
    slot, at, instruction = b.source(target, TYPES["u64"]), b.instruction.number, b.instruction
    flows: dict[int, Flow] = {}
    problems: dict[int, str] = {}
    # The target is known only when the call is executed: each function gets its own flow.
    for name, code in b.image.codes.items():
        if not b.image.functions[name].is_kernel:
            try:
                flows[code] = _call_of(b, name, results, arguments)
            except UnsupportedInstruction as problem:
                problems[code] = str(problem)

    def flow(wave: Wave, f: Frame, depth: int, active: Selection, rest: Selection | None) -> Moves:
        codes = f[slot][active]
        moves = _onward(depth, at, rest)
        for code in np.unique(codes):
            chosen = subset(active, codes == code)
            inner = flows.get(int(code))
            if inner is None:
                why = problems.get(int(code), "where no function begins")
                raise ThreadFault(
                    FaultKind.OUT_OF_BOUNDS,
                    int(wave.numbers[chosen][0]),
                    f"calls 0x{int(code):x}, {why}",
                    size_of(chosen),
                )
            for observer in wave.on_branched:
                observer.branched(instruction, wave.numbers[active], numbers_of(chosen))
            moves += inner(wave, f, depth, chosen, None)
        return moves

    return flow


def _call_of_builtin(
    b: Binding, name: str, results: tuple[PtxOperand, ...], arguments: tuple[PtxOperand, ...]
) -> Flow:
    builtin, at = BUILTINS[name], b.instruction.number
    if len(arguments) != len(builtin.arguments):
        raise UnsupportedInstruction(f"{name} takes {len(builtin.arguments)} arguments")

    def place(operand: PtxOperand, kind: str) -> int:
        if isinstance(operand, SymbolOperand):
            return b.layout.slot(SlotKind(operand.name, TYPES[kind].dtype, "param"))
        return b.source(operand, TYPES[kind])

    layout, instruction = b.layout, b.instruction
    slots = [place(o, kind) for o, kind in zip(arguments, builtin.arguments, strict=True)]
    result = place(results[0], builtin.result) if results and builtin.result else None

    def flow(wave: Wave, f: Frame, depth: int, active: Selection, rest: Selection | None) -> Moves:
        value = builtin.function(wave, active, *(f[slot][active] for slot in slots))
        if result is not None and value is not None:
            f[result][active] = value
            wave.note_results(depth, layout, instruction, active)
        return [*_onward(depth, at, rest), Move(depth, at + 1, active)]

    return flow


# Barriers of a block.

# By the numbers of true predicates and of the threads in the block that took part.
_REDUCTIONS: dict[str, Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]] = {
    "popc": lambda true, all_: true,
    "and": lambda true, all_: true == all_,
    "or": lambda true, all_: true > 0,
}


def _of_block(action: str, *types: str, count: Sequence[int]) -> AddsRows:
    """Adds the rows of `bar`, which is aligned, and of `barrier`, which may be."""
    verb, *needs = action.split()

    def add(bind: Callable[[Binding], Flow]) -> Callable[[Binding], Flow]:
        for cta in ("", ".cta"):
            needed = " ".join(needs)
            form(f"bar{cta}.{verb}", *types, needs=needed, flow=True, count=count)(bind)
            # ptxas takes `barrier.aligned.sync`, too.
            name, needed = (cta, action) if verb == "sync" else (f"{cta}.{verb}", needed)
            form(f"barrier{name}", *types, needs=needed, words="aligned", flow=True, count=count)(
                bind
            )
        return bind

    return add


@_of_block("sync", count=(1, 2))
def bar_sync(b: Binding) -> Flow:
    return _barrier(b, b.instruction.operands[0], b.instruction.operands[1:2])


@_of_block("arrive", count=[2])
def bar_arrive(b: Binding) -> Flow:
    return _barrier(b, b.instruction.operands[0], b.instruction.operands[1:2], arrives=True)


@_of_block("red popc", "u32", count=(3, 4))
@_of_block("red and/or", "pred", count=(3, 4))
def bar_red(b: Binding) -> Flow:
    target, name, *middle, predicate = b.instruction.operands
    place = b.target(target, b.type)
    source = b.predicate(predicate)
    reduce = next(_REDUCTIONS[w] for w in b.instruction.modifiers if w in _REDUCTIONS)
    return _barrier(b, name, tuple(middle), reduction=(place, source, reduce))


_BARRIERS = 16
"""The number of barriers of a block."""

_NUMBERED = f"barriers have numbers from 0 to {_BARRIERS - 1}"


def _barrier(
    b: Binding,
    name: PtxOperand,
    count: tuple[PtxOperand, ...],
    *,
    arrives: bool = False,
    reduction: tuple[int, tuple[int, bool], Callable[..., NDArray[Any]]] | None = None,
) -> Flow:
    instruction, at, layout = b.instruction, b.instruction.number, b.layout
    is_constant = isinstance(name, ImmediateOperand)
    if isinstance(name, ImmediateOperand) and name.value not in range(_BARRIERS):
        raise UnsupportedInstruction(_NUMBERED)
    # Without `.aligned` the threads are told of at run time.
    is_aligned = instruction.opcode == "bar" or b.has("aligned")
    for threads in count:
        if isinstance(threads, ImmediateOperand) and is_aligned and int(threads.value) % WARP:
            raise UnsupportedInstruction(f"{threads.spelling} threads are not whole warps")
    number = b.source(name, TYPES["u32"])
    expected = b.source(count[0], TYPES["u32"]) if count else None

    def flow(wave: Wave, f: Frame, depth: int, active: Selection, rest: Selection | None) -> Moves:
        resume = None
        if reduction is not None:
            place, (source, negated), reduce = reduction
            wave.votes[active] = f[source][active] ^ negated

            def resume(
                wave: Wave, threads: Selection, true: NDArray[Any], all_: NDArray[Any]
            ) -> None:
                wave.frame(depth, layout)[place][threads] = reduce(true, all_)[wave.slots[threads]]
                wave.note_results(depth, layout, instruction, threads)

        barriers = f[number][active]
        if not is_constant:
            refuse_where(
                barriers >= _BARRIERS,
                wave.numbers[active],
                FaultKind.BARRIER,
                lambda first: f"comes to barrier {int(barriers[first])}, and {_NUMBERED}",
            )
        same = (barriers == barriers[0]).all()
        for value in barriers[:1] if same else np.unique(barriers):
            chosen = active if same else subset(active, barriers == value)
            counts = None if expected is None else f[expected][chosen]
            arrive(
                wave,
                (SyncScope.BLOCK, int(value)),
                Waiting(depth, instruction, chosen, counts, resume, arrives, wave.clock - 1),
            )
        moves = _onward(depth, at, rest)
        if arrives:
            moves.append(Move(depth, at + 1, active))
        return moves

    return flow


@form("barrier.cluster.arrive", words="aligned relaxed/release", flow=True, count=[0])
def cluster_arrive(b: Binding) -> Flow:
    return _cluster_barrier(b, arrives=True)


@form("barrier.cluster.wait", words="aligned acquire", flow=True, count=[0])
def cluster_wait(b: Binding) -> Flow:
    return _cluster_barrier(b, arrives=False)


def _cluster_barrier(b: Binding, *, arrives: bool) -> Flow:
    """Binds one half of the barrier of a cluster.

    `arrive` counts the threads that have arrived; `wait` ends once all of the cluster have.
    """
    instruction, at = b.instruction, b.instruction.number

    def flow(wave: Wave, _f: Frame, depth: int, active: Selection, rest: Selection | None) -> Moves:
        moves = _onward(depth, at, rest)
        if arrives:
            wave.cluster_arrivals[active] += 1
            look_again(wave)
            moves.append(Move(depth, at + 1, active))
        else:
            name = (SyncScope.CLUSTER, 0)
            arrive(wave, name, Waiting(depth, instruction, active, since=wave.clock - 1))
        return moves

    return flow
