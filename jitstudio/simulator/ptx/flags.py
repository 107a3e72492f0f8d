"""Reads in races that are meant: of flags, and of guesses that a compare-and-swap verifies.

Some volatile reads of a kernel are of flags that are waited for or tried, some of data.

A flag decides where threads go. So does data that is compared, as in a reduction to the largest
value or a sorting network. A value is data if it is also stored or passed on, if it is compared
with other values than constants, and if nobody waits for it: no branch on it decides whether it is
read again, in a loop or by an unrolled one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jitstudio.ptx.opcodes import COMPARISONS, PASSING_ON, SAME_ADDRESS, SAME_VALUE
from jitstudio.simulator.ptx.flow import PtxFlow
from jitstudio.simulator.ptx.program import (
    AddressOperand,
    ImmediateOperand,
    PtxFunction,
    PtxInstruction,
    PtxOperand,
    PtxProgram,
    RegisterOperand,
    register_names,
    result_names,
    source_operands,
)


def reads_of_data(program: PtxProgram, function: PtxFunction) -> frozenset[int]:
    """Returns the numbers of the volatile loads of a function that are of data."""
    body = program.instructions[function.start : function.end]
    loads = [i for i in body if i.opcode == "ld" and "volatile" in i.modifiers]
    deciding = _deciding_registers(body)
    return frozenset(
        load.number
        for load in loads
        if deciding.isdisjoint(result_names(load)) or _is_data(program, function, load, loads)
    )


def guesses(program: PtxProgram, functions: Iterable[PtxFunction]) -> frozenset[int]:
    """Returns the numbers of loads whose values a compare-and-swap at the address verifies.

    An atomic operation that is built on `atomicCAS`, such as `atomicAdd(double)` in "Atomic
    Functions" of the CUDA C++ Programming Guide, begins with an ordinary read: if another thread
    comes first, the swap fails and the loop goes round again.
    """
    verified: set[int] = set()
    for function in functions:
        body = program.instructions[function.start : function.end]
        swaps = [i for i in body if i.opcode == "atom" and "cas" in i.modifiers]
        if not swaps:
            continue
        # The swap and the load may name the address by two registers, after a `cvta`.
        same = _same_values(body)
        compared: dict[PtxOperand, list[str]] = {}
        for swap in swaps:
            place = _place(swap.operands[1], same)
            compared.setdefault(place, []).extend(register_names(swap.operands[2]))
        handed = _sources(i for i in body if i.opcode in SAME_VALUE)
        values = {place: _closure(names, handed) for place, names in compared.items()}
        verified |= {
            load.number
            for load in body
            if load.opcode == "ld"
            and len(load.operands) > 1
            and not values.get(_place(load.operands[1], same), set()).isdisjoint(result_names(load))
        }
    return frozenset(verified)


def _same_values(body: Iterable[PtxInstruction]) -> dict[str, str]:
    """Returns for each copied register the register that the copy is of."""
    # A register with several writers is no copy: its value depends on the way taken.
    writers: dict[str, list[PtxInstruction]] = {}
    for instruction in body:
        for name in result_names(instruction):
            writers.setdefault(name, []).append(instruction)
    return {
        name: source.name
        for name, (first, *more) in writers.items()
        if not more
        and first.opcode in SAME_ADDRESS
        and isinstance(source := first.operands[1], RegisterOperand)
    }


def _place(operand: PtxOperand, same: dict[str, str]) -> PtxOperand:
    """Returns an address with its base replaced by the register that the base is a copy of.

    In a circle of copies any of them is taken. `same` leads straight to the register afterwards.
    """
    if isinstance(operand, AddressOperand) and isinstance(operand.base, RegisterOperand):
        name, passed = operand.base.name, []
        while (source := same.pop(name, None)) is not None:
            passed.append(name)
            name = source
        same.update(dict.fromkeys(passed, name))
        return AddressOperand(RegisterOperand(name), operand.offset)
    return operand


def _is_data(
    program: PtxProgram, function: PtxFunction, load: PtxInstruction, loads: list[PtxInstruction]
) -> bool:
    """Returns whether a value that decides a branch is data, not a flag."""
    body = program.instructions[function.start : function.end]
    values = _made_of([i for i in body if i.opcode not in COMPARISONS], result_names(load))
    is_stored = any(
        i.opcode in PASSING_ON and not values.isdisjoint(_names(i.operands[1:])) for i in body
    )
    if not is_stored:
        return False
    compared = [i for i in body if i.opcode in COMPARISONS and values & {*_names(i.operands[1:])}]
    constants = _constants(body)
    if any(_has_constant(i.operands[1:], constants - values) for i in compared):
        return False
    truths = [name for i in compared for name in result_names(i)]
    predicates = _made_of(body, truths)
    branches = [i.number for i in body if i.guard and i.guard.name in predicates]
    # A loop that is unrolled has several loads for one line of the source.
    twins = [i.number for i in loads if i.source.line and i.source == load.source]
    places = [load.number, *(at for at in twins if at != load.number)]
    # A branch that decides whether the value is read again waits for it: a flag.
    graph = PtxFlow(program, function, branches)
    branching = (at for at in branches if program.instructions[at].opcode == "bra")
    return not any(graph.leaves_others_out(at, places) for at in branching)


def _made_of(body: Iterable[PtxInstruction], names: Iterable[str]) -> set[str]:
    """Returns some registers and all computed from them in any order; not through memory."""
    results_of: dict[str, list[str]] = {}
    for instruction in body:
        results = result_names(instruction)
        for name in _names(instruction.operands[1:]) if results else ():
            results_of.setdefault(name, []).extend(results)
    return _closure(names, results_of)


def _deciding_registers(body: Sequence[PtxInstruction]) -> set[str]:
    """Returns the registers that decide where threads go, or whether they do something.

    These are the guards, and the registers that guards are computed from in any order; not through
    memory.
    """
    guards = [i.guard.name for i in body if i.guard is not None]
    return _closure(guards, _sources(body))


def _sources(body: Iterable[PtxInstruction]) -> dict[str, list[str]]:
    """Returns the registers that each register is computed from; not through memory."""
    sources: dict[str, list[str]] = {}
    for instruction in body:
        for name in result_names(instruction):
            sources.setdefault(name, []).extend(_names(source_operands(instruction)))
    return sources


def _closure(names: Iterable[str], leads: dict[str, list[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += leads.get(name, ())
    return reached


def _constants(body: Iterable[PtxInstruction]) -> set[str]:
    """Returns the registers that hold only constants and parameters of the kernel."""
    is_constant_so_far: dict[str, bool] = {}
    for instruction in body:
        names = _names(instruction.operands[1:])
        is_constant = "param" in instruction.modifiers or (
            instruction.opcode in SAME_VALUE
            and all(is_constant_so_far.get(name, False) for name in names)
        )
        for name in result_names(instruction):
            is_constant_so_far[name] = is_constant_so_far.get(name, True) and is_constant
    return {name for name, is_constant in is_constant_so_far.items() if is_constant}


def _has_constant(operands: tuple[PtxOperand, ...], constants: set[str]) -> bool:
    """Returns whether a comparison has a constant operand."""
    return any(
        operand.name in constants
        if isinstance(operand, RegisterOperand)
        else isinstance(operand, ImmediateOperand)
        for operand in operands[:2]
    )


def _names(operands: Iterable[PtxOperand]) -> list[str]:
    return [name for operand in operands for name in register_names(operand)]
