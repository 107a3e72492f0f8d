"""The ends of a simulation before all blocks have run, with their sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from jitstudio.simulator.ptx.program import PtxInstruction, PtxProgram
from jitstudio.simulator.state.faults import ThreadFault, fault_of, file_name
from jitstudio.simulator.state.groups import GroupKey, Selection, numbers_of
from jitstudio.simulator.state.mbarriers import MbarrierWait
from jitstudio.simulator.state.model import (
    Fault,
    FaultKind,
    SimulationOutcome,
    StateSpace,
    Threads,
)
from jitstudio.simulator.state.wave import Wave
from jitstudio.simulator.state.wrapped import wrap_sentence


@dataclass(frozen=True)
class SimulationStop(Exception):
    """The end of a simulation before all blocks have run."""

    outcome: SimulationOutcome
    message: str
    fault: Fault | None = None


def deadlocked(
    wave: Wave, program: PtxProgram, blocks: int, *, spinning: bool, waited: int = 0
) -> SimulationStop:
    """Returns the end of a launch in which nobody can go on.

    Args:
        wave: The resident blocks.
        program: The PTX.
        blocks: Of the whole launch.
        spinning: Whether all threads go round in loops that change nothing.
        waited: Nanoseconds, or cycles, that have passed for loops that read a clock.
    """
    waiting, lack = [], []
    for at, threads in _waiting_places(wave, spinning):
        instruction = program.instructions[at]
        if (wait := wave.phases.of(threads)) is not None:
            instruction = wait.instruction
            lack.append(_mbarrier_text(wave, wait, threads))
        waiting.append((instruction, threads))
    lines = []
    # Four places say enough; a deadlock may have hundreds.
    for instruction, threads in waiting[:4]:
        count = len(threads)
        place = wave.layout.place(instruction, int(threads[0]))
        where = f"line {place.ptx_line} of the PTX"
        if place.line:
            where = f"line {place.line} of {file_name(place.file)}"
        others = f" and {count - 1:,} more" if count > 1 else ""
        lines.append(
            f"thread {place.thread} of block {place.block}{others} at {where} "
            f"({instruction.full_opcode})"
        )
    problem = "every thread that is left spins without an end"
    if waited:
        problem = f"every thread that is left waits, for {waited / 1e9:.0f} s by its clock so far"
    elif not spinning:
        problem = "no thread that is left can go on"
    resident = len(wave.layout.blocks)
    hint = ""
    if resident < blocks and spinning and not lack:
        hint = (
            f" {resident:,} of {blocks:,} blocks are resident. A block that waits "
            "for one that is not never ends: launch cooperatively, or fewer blocks."
        )
    message = f"Deadlock: {problem}. There wait {'; '.join(lines)}.{''.join(lack[:4])}{hint}"
    fault = None
    if waiting:
        places = [
            wave.layout.place(instruction, int(threads[0]), wave.clock)
            for instruction, threads in waiting[:2]
        ]
        second = places[1] if len(places) > 1 else None
        fault = Fault(FaultKind.DEADLOCK, message, places[0], second, len(waiting[0][1]))
    return SimulationStop(SimulationOutcome.DEADLOCKED, message, fault)


def _mbarrier_text(wave: Wave, wait: MbarrierWait, threads: Threads) -> str:
    """Returns a sentence about the mbarrier of the first waiting thread and its pending phase."""
    offset = int(wait.offsets[np.searchsorted(wait.threads, threads[0])])
    shared = wave.arenas[StateSpace.SHARED]
    address = offset % wave.layout.shared_stride
    assert wave.extents is not None
    extent = wave.extents.at(StateSpace.SHARED, address)
    name = f"{extent.name}, " if extent is not None else ""
    return (
        f" The mbarrier at 0x{address:x} ({name}shared memory) {wave.phases.lack(offset, shared)}."
    )


def faulted(wave: Wave, instruction: PtxInstruction, fault: ThreadFault) -> SimulationStop:
    """Returns the end of a launch by a fault of a thread at an instruction."""
    kind, step = fault.kind, wave.clock - 1
    report = fault_of(
        wave.layout, instruction, kind, fault.thread, fault.message, fault.count, True, step
    )
    if kind is FaultKind.OUT_OF_BOUNDS and wave.extents is not None:
        why = wrap_sentence(wave, wave.extents.program, fault.thread)
        report = replace(report, message=f"{report.message}{why}")
    trapped = kind in (FaultKind.TRAP, FaultKind.ASSERT)
    outcome = SimulationOutcome.TRAPPED if trapped else SimulationOutcome.FAULTED
    return SimulationStop(outcome, report.message, report)


def refused(instruction: PtxInstruction, why: str) -> SimulationStop:
    """Returns the end of a launch by an instruction that cannot be simulated."""
    message = f"Line {instruction.line} of the PTX, {instruction.full_opcode}: {why}."
    source = instruction.source
    if source.line:
        way = f", by way of line {source.line} of {file_name(source.file)}"
        outer = instruction.inlined_at[-1] if instruction.inlined_at else source
        message += f" It comes from line {outer.line} of {file_name(outer.file)}"
        message += (way if outer != source else "") + "."
    return SimulationStop(SimulationOutcome.REFUSED, message)


def _waiting_places(wave: Wave, spinning: bool) -> list[tuple[int, Threads]]:
    """Returns the instructions at which threads wait, with the threads."""
    groups: list[tuple[GroupKey, Selection]] = []
    if spinning:
        groups += wave.groups.items()
    for waiters in wave.barriers.values():
        groups += [((w.depth, w.at), w.threads) for w in waiters if not w.arrived]
    groups += wave.parked.items()
    return [(at, numbers_of(threads)) for (_, at), threads in groups]
