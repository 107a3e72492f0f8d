"""The instructions that a kernel may execute, each bound to what is done for it."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from jitstudio.simulator.instructions.rows import ROW_MODULES
from jitstudio.simulator.instructions.table import Binding, Flow, Step, row_of
from jitstudio.simulator.ptx.contraction import contractions
from jitstudio.simulator.ptx.program import PtxFunction, PtxInstruction, PtxProgram
from jitstudio.simulator.state.faults import UnsupportedInstruction
from jitstudio.simulator.state.frames import FrameLayout, ReturnLink
from jitstudio.simulator.state.image import Image
from jitstudio.simulator.state.wave import Meeting

assert ROW_MODULES

_SPINNING = frozenset(["atom", "nanosleep", "mbarrier", "call"])
_SPINNING_WORDS = frozenset(["volatile", "relaxed", "acquire", "mmio"])

NOT_AS_EXPECTED = (
    IndexError, KeyError, ValueError, TypeError, AttributeError, AssertionError, StopIteration,
    ArithmeticError, struct.error,
)  # fmt: skip
"""What a row meets whose instruction lacks an operand, or has one of another kind."""


@dataclass(frozen=True)
class Bound:
    """An instruction, ready to be executed.

    Attributes:
        instruction: Which.
        layout: The frames of its function.
        step: What it does; None for one that decides where threads go on.
        flow: Where threads go on; None for one that goes on.
        guard: The slot of its predicate, or None.
        negated: Whether it is executed where the predicate is false.
        spins: Whether it goes back over an instruction that may wait for other threads.
        problem: Why it cannot be executed; empty if it can.
    """

    instruction: PtxInstruction
    layout: FrameLayout
    step: Step | None = None
    flow: Flow | None = None
    guard: int | None = None
    negated: bool = False
    spins: bool = False
    problem: str = ""


def bound_code(
    program: PtxProgram,
    image: Image,
    layouts: dict[str, FrameLayout],
    links: dict[tuple[int, str], ReturnLink],
    meetings: dict[int, Meeting],
) -> tuple[dict[int, Bound], bool]:
    """Binds the instructions of a kernel and of all that it may call.

    Args:
        program: The PTX.
        image: Where variables are.
        layouts: The frames of these functions, which grow.
        links: What is done at returns, which is added to.
        meetings: Operations of warps, which are added to.

    Returns:
        The instructions by their numbers, and whether it is certain which `mul` and `add` ptxas
        contracts.
    """
    code: dict[int, Bound] = {}
    is_certain = True
    for function in image.functions.values():
        made = contractions(program, function)
        is_certain = is_certain and made.is_certain
        for instruction in program.instructions[function.start : function.end]:
            done = made.fused.get(instruction.number, instruction)
            binding = Binding(done, layouts, image, links, meetings)
            code[instruction.number] = _bound(program, instruction, binding)
    return code, is_certain


def _bound(program: PtxProgram, instruction: PtxInstruction, binding: Binding) -> Bound:
    """Binds an instruction to what is done for it, that of the binding."""
    layout = binding.layout
    try:
        row = row_of(binding.instruction)
        made = row.bind(binding)
        guard = instruction.guard
        slot, negated = (None, False) if guard is None else binding.predicate(guard)
    except UnsupportedInstruction as problem:
        return Bound(instruction, layout, problem=str(problem))
    except NOT_AS_EXPECTED:
        return Bound(
            instruction, layout, problem="its operands are not those of such an instruction"
        )
    if row.is_flow:
        spins = _spins(program, instruction, layout.function)
        return Bound(instruction, layout, None, made, slot, negated, spins)
    return Bound(instruction, layout, made, None, slot, negated)


def _spins(program: PtxProgram, instruction: PtxInstruction, function: PtxFunction) -> bool:
    if instruction.opcode != "bra" or not instruction.operands:
        return False
    target = function.labels.get(getattr(instruction.operands[0], "name", ""), 1 << 60)
    loop = program.instructions[target : instruction.number]
    return any(
        i.opcode in _SPINNING or (i.opcode == "ld" and not _SPINNING_WORDS.isdisjoint(i.modifiers))
        for i in loop
    )
