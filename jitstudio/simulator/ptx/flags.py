"""Reads in races that are meant: of flags, and of guesses that a compare-and-swap verifies.

Some volatile reads of a kernel are of flags that are waited for or tried, some of data.

A flag decides where threads go. So does data that is compared, as in a reduction to the largest
value or a sorting network. A value is data if it is also stored or passed on, if it is compared
with other values than constants, and if nobody waits for it: no branch on it decides whether it is
read again, in a loop or by an unrolled one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    SymbolOperand,
    VectorOperand,
    register_names,
    result_names,
    source_operands,
)

_DEEPEST = 4
"""Functions around a compare-and-swap, one in the other, by which it is called."""


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
    bodies = [(f, program.instructions[f.start : f.end]) for f in functions]
    swapping = _swapping_functions(bodies)
    for _, body in bodies:
        swaps = list(_swaps(body, swapping))
        if not swaps:
            continue
        # The swap and the load may name the address by two registers, after a `cvta`.
        same = _same_values(body)
        compared: dict[PtxOperand, list[str]] = {}
        for address, registers in swaps:
            compared.setdefault(_place(address, same), []).extend(registers)
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


def _swaps(
    body: Iterable[PtxInstruction], swapping: Mapping[str, tuple[int, int]]
) -> Iterator[tuple[PtxOperand, list[str]]]:
    """Yields the address and the compared registers of each compare-and-swap, called ones too."""
    arguments: dict[str, PtxOperand] = {}
    for instruction in body:
        match instruction.opcode, instruction.operands:
            case "atom", operands if "cas" in instruction.modifiers:
                yield operands[1], register_names(operands[2])
            case "st", (AddressOperand(SymbolOperand(name)), value):
                arguments[name] = value
            case "call", (_, SymbolOperand(name), VectorOperand(parts)) if name in swapping:
                values = [arguments.get(p.name) for p in parts if isinstance(p, SymbolOperand)]
                at, compared = (values[n] if n < len(values) else None for n in swapping[name])
                if isinstance(at, RegisterOperand) and isinstance(compared, RegisterOperand):
                    yield AddressOperand(at, 0), [compared.name]


def _swapping_functions(
    bodies: Iterable[tuple[PtxFunction, Sequence[PtxInstruction]]],
) -> dict[str, tuple[int, int]]:
    """Returns which parameters of functions are address and compared value of a swap.

    Without optimisation `atomicCAS` is a function, which calls another one.
    """
    swapping: dict[str, tuple[int, int]] = {}
    for _ in range(_DEEPEST):
        for function, body in bodies:
            swaps = [] if function.is_kernel else list(_swaps(body, swapping))
            if swaps and function.name not in swapping:
                swapping.update(_by_parameters(function, body, swaps))
    return swapping


def _by_parameters(
    function: PtxFunction,
    body: Iterable[PtxInstruction],
    swaps: Iterable[tuple[PtxOperand, list[str]]],
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yields a function whose parameters are address and compared value of a swap."""
    numbers = {parameter.name: number for number, parameter in enumerate(function.parameters)}
    loaded: dict[str, int] = {}
    for instruction in body:
        match instruction.opcode, instruction.operands:
            case "ld", (RegisterOperand(register), AddressOperand(SymbolOperand(name))):
                if name in numbers:
                    loaded[register] = numbers[name]
    same = _same_values(body)
    for address, compared in swaps:
        match _place(address, same):
            case AddressOperand(RegisterOperand(base)) if base in loaded:
                sources = (_source(name, same) for name in compared)
                values = (loaded[name] for name in sources if name in loaded)
                yield from ((function.name, (loaded[base], value)) for value in values)


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
    """Returns an address with its base replaced by the register that the base is a copy of."""
    if isinstance(operand, AddressOperand) and isinstance(operand.base, RegisterOperand):
        name = _source(operand.base.name, same)
        return AddressOperand(RegisterOperand(name), operand.offset)
    return operand


def _source(name: str, same: dict[str, str]) -> str:
    """Returns the register that a register is a copy of, by way of others, or itself.

    In a circle of copies any of them is taken. `same` leads straight to the register afterwards.
    """
    passed = []
    while (source := same.pop(name, None)) is not None:
        passed.append(name)
        name = source
    same.update(dict.fromkeys(passed, name))
    return name


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
