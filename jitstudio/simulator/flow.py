"""Control flow within a function: what is behind a barrier, and what decides where threads go."""

from __future__ import annotations

from heapq import heappop, heappush

from jitstudio.simulator.program import (
    WITHOUT_RESULT,
    PtxFunction,
    PtxInstruction,
    PtxProgram,
    SymbolOperand,
    register_names,
)

_ENDS = frozenset(["ret", "exit", "trap"])


def first_behind(program: PtxProgram, function: PtxFunction, barrier: int) -> int:
    """Returns the first instruction that all come to from a barrier and from which none comes back.

    Who is there without having waited has left the barrier out for good, and goes on with what
    those do that wait. A `ret` or a branch is none: threads may return early. One of another source
    line than the barrier is preferred.

    Args:
        program: The PTX.
        function: The kernel.
        barrier: The number of the barrier instruction.

    Returns:
        Its number; -1 if there is none.
    """
    following = _following_all(program, function)
    guarded = program.instructions[barrier].guard is not None
    around = _reached(function.start, following | {barrier: following[barrier] * guarded})
    returning = _reached(barrier, _before(following))
    # Ways from the barrier go on at the lowest place; where only one place is left, all meet.
    seen, ways, first = set(following[barrier]), list(following[barrier]), -1
    while ways:
        at = heappop(ways)
        if at not in following or program.instructions[at].opcode in _ENDS:
            return first
        if not ways and at in around and at not in returning:
            instruction = program.instructions[at]
            # What compilers make one of the work of several lines has line 0.
            of_one_line = instruction.source.line or not instruction.source.file
            if of_one_line and instruction.opcode != "bra":
                first = at if first < 0 else first
                if instruction.source != program.instructions[barrier].source:
                    return at
        for target in following[at]:
            if target not in seen:
                seen.add(target)
                heappush(ways, target)
    return first


def deciding_registers(program: PtxProgram, function: PtxFunction) -> frozenset[str]:
    """Returns the registers on which depends where threads go, or whether they do something.

    These are the guards, and what these are made of, whatever the order; not through memory.
    """
    sources: dict[str, list[str]] = {}
    waiting: list[str] = []
    for instruction in program.instructions[function.start : function.end]:
        if instruction.guard is not None:
            waiting.append(instruction.guard.name)
        if instruction.opcode not in WITHOUT_RESULT and instruction.operands:
            first, *others = instruction.operands
            names = [name for operand in others for name in register_names(operand)]
            for name in register_names(first):
                sources.setdefault(name, []).extend(names)
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += sources.get(name, ())
    return frozenset(found)


def _following_all(program: PtxProgram, function: PtxFunction) -> dict[int, list[int]]:
    return {
        at: _following(program.instructions[at], function)
        for at in range(function.start, function.end)
    }


def _before(following: dict[int, list[int]]) -> dict[int, list[int]]:
    """Returns from where each instruction is come to."""
    before: dict[int, list[int]] = {}
    for number, targets in following.items():
        for target in targets:
            before.setdefault(target, []).append(number)
    return before


def _reached(start: int, following: dict[int, list[int]]) -> set[int]:
    """Returns all places that are reached from one, and itself."""
    found, waiting = {start}, [start]
    while waiting:
        fresh = [at for at in following.get(waiting.pop(), ()) if at not in found]
        found.update(fresh)
        waiting += fresh
    return found


def _following(instruction: PtxInstruction, function: PtxFunction) -> list[int]:
    """Returns where threads may go on in the function behind an instruction."""
    match instruction.opcode:
        case "bra" | "brx":
            names = [o.name for o in instruction.operands if isinstance(o, SymbolOperand)]
            names = [n for name in names for n in function.tables.get(name, (name,))]
            targets = [function.labels[name] for name in names if name in function.labels]
        case opcode if opcode in _ENDS:
            targets = []
        case _:
            return [instruction.number + 1]
    return [*targets, instruction.number + 1] if instruction.guard is not None else targets
