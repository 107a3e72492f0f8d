"""The operands and results of an instruction that is about to be executed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.ptx.opcodes import CALCULATIONS, PLAIN_LOADS
from jitstudio.simulator.ptx.program import (
    AddressOperand,
    PtxInstruction,
    PtxProgram,
    RegisterOperand,
    SymbolOperand,
    register_names,
    result_names,
    source_operands,
)
from jitstudio.simulator.running.binding import NOT_AS_EXPECTED, Bound
from jitstudio.simulator.state.faults import ThreadFault, UnsupportedInstruction
from jitstudio.simulator.state.frames import CARRY, CARRY_FROM
from jitstudio.simulator.state.model import WARP, Threads
from jitstudio.simulator.state.wave import Wave
from jitstudio.simulator.stepping.requests import RegisterRow
from jitstudio.simulator.stepping.run import SteppedRun, ThreadWhereabouts

_NOTHING_KNOWN = (1 << WARP) - 1
# They give registers values and do nothing else, so they can be executed for a look ahead.
_QUIET = CALCULATIONS | PLAIN_LOADS


def read_rows(
    run: SteppedRun, instruction: PtxInstruction, first: int, registers: Mapping[str, RegisterRow]
) -> tuple[RegisterRow, ...]:
    """Returns the operands that an instruction reads: guard, registers, special registers.

    Args:
        run: The run.
        instruction: The instruction.
        first: The first thread of the warp.
        registers: The registers of the function by their names.
    """
    guard = [instruction.guard.name] if instruction.guard is not None else []
    operands = source_operands(instruction)
    names = dict.fromkeys((*guard, *(n for operand in operands for n in register_names(operand))))
    rows = []
    for name in names:
        if name in registers:
            rows.append(registers[name])
        elif (values := run.wave().special.get(name)) is not None:
            every = np.broadcast_to(values, (run.wave().layout.threads,))[first : first + WARP]
            rows.append(RegisterRow(name, f"u{8 * every.itemsize}", every.tobytes()))
    return tuple(rows)


def result_rows(
    run: SteppedRun, place: ThreadWhereabouts, first: int, members: Threads
) -> tuple[RegisterRow, ...]:
    """Returns the registers that an instruction gives values, with the values it will give.

    Calculations and plain loads are executed for these threads alone, and taken back. Where that is
    not possible, as for a shuffle, in a recording or before a fault, no lane has a value.

    Args:
        run: The run.
        place: The place of the threads.
        first: The first thread of the warp.
        members: The threads of the warp at this place whose guard is true.
    """
    instruction, wave = run.instruction(place.at), run.wave()
    function = run.program.functions[instruction.function]
    names = [name for name in result_names(instruction) if name in function.registers]
    bases = wave.bases.get((place.depth, function.name), {})
    after = None
    if names and isinstance(wave, Wave) and len(members):
        after = _executed(wave, run.history.machine.code.get(place.at), place.depth, members, names)
    absent, every = _NOTHING_KNOWN, slice(first, first + WARP)
    if after is not None:
        absent &= ~sum(1 << int(member) - first for member in members)
    return tuple(
        RegisterRow(
            name,
            function.registers[name].name,
            (bases[name] if after is None else after[name])[every].tobytes(),
            absent=absent,
        )
        for name in names
        if name in bases
    )


def _executed(
    wave: Wave, bound: Bound | None, depth: int, members: Threads, names: list[str]
) -> dict[str, NDArray[Any]] | None:
    """Returns registers as an instruction would leave them; None where that is not known."""
    if bound is None or bound.step is None or bound.instruction.opcode not in _QUIET:
        return None
    frame, bases = wave.frame(depth, bound.layout), wave.bases[depth, bound.layout.function.name]
    changing = [name for name in (*names, CARRY, CARRY_FROM) if name in bases]
    before = {name: bases[name].copy() for name in changing}
    state = wave.copied_state()
    wave.current, wave.depth, wave.clock = bound.instruction, depth, wave.clock + 1
    try:
        with np.errstate(all="ignore"):
            bound.step(wave, frame, members)
        return {name: bases[name].copy() for name in names}
    except (ThreadFault, UnsupportedInstruction, *NOT_AS_EXPECTED):
        return None
    finally:
        for name, values in before.items():
            bases[name][:] = values
        wave.restore(state)


def shared_types(program: PtxProgram) -> dict[str, str]:
    """Returns the types (``f32``) that most accesses to each shared array have.

    PTX declares shared arrays as bytes. Addresses are followed from the name of the array through
    registers; an access of plain bits counts only where no other tells.
    """
    votes: dict[str, Counter[str]] = {}
    for function in program.functions.values():
        arrays: dict[str, str] = {}
        for instruction in program.instructions[function.start : function.end]:
            named = [
                arrays.get(base.name) if isinstance(base, RegisterOperand) else base.name
                for operand in source_operands(instruction)
                for base in _bases(operand)
            ]
            array = next((name for name in named if name in program.variables), None)
            if instruction.opcode in CALCULATIONS:
                for name in result_names(instruction):
                    if array is not None:
                        arrays[name] = array
                    else:
                        arrays.pop(name, None)
            elif array is not None and "shared" in instruction.modifiers and instruction.types:
                votes.setdefault(array, Counter())[instruction.types[-1].name] += 1
    types = {}
    for array, counts in votes.items():
        told = {name: n for name, n in counts.items() if not name.startswith("b")} or counts
        types[array] = max(told, key=told.__getitem__)
    return types


def _bases(operand: object) -> list[RegisterOperand | SymbolOperand]:
    match operand:
        case AddressOperand(RegisterOperand() | SymbolOperand() as base):
            return [base]
        case RegisterOperand() | SymbolOperand():
            return [operand]
    return []
