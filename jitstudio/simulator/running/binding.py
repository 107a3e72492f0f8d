"""The instructions that a kernel may execute, each bound to its step or flow."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from jitstudio.ptx.opcodes import WAITING
from jitstudio.simulator.instructions.memory import CLOCKS
from jitstudio.simulator.instructions.rows import ROW_MODULES
from jitstudio.simulator.instructions.table import Binding, Flow, Step, row_of
from jitstudio.simulator.ptx.contraction import contractions
from jitstudio.simulator.ptx.program import PtxFunction, PtxInstruction, PtxProgram
from jitstudio.simulator.state.faults import UnsupportedInstruction
from jitstudio.simulator.state.frames import FrameLayout, ReturnLink
from jitstudio.simulator.state.image import Image
from jitstudio.simulator.state.wave import Meeting

assert ROW_MODULES

# A loop with any of these, or of `WAITING`, has to let other threads go on.
_SPINNING_WORDS = frozenset(["volatile", "relaxed", "acquire", "mmio"])

NOT_AS_EXPECTED = (
    IndexError, KeyError, ValueError, TypeError, AttributeError, AssertionError, StopIteration,
    ArithmeticError, struct.error,
)  # fmt: skip
"""Errors of a row whose instruction lacks an operand, or has an operand of another kind."""


@dataclass(frozen=True)
class Bound:
    """An instruction, ready to be executed.

    Attributes:
        instruction: The instruction.
        layout: The frames of its function.
        step: Executes it; None for a flow.
        flow: Executes it and returns where threads go on; None for a step.
        guard: The slot of its predicate, or None.
        negated: Whether it is executed where the predicate is false.
        spins: Whether it goes back over an instruction that may wait for other threads.
        problem: Why it cannot be executed; empty for all that can be.
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
    """Binds the instructions of a kernel and of all functions that it may call.

    Args:
        program: The PTX.
        image: The addresses of variables.
        layouts: The frames of these functions, to which slots are added.
        links: The results to hand over at returns, to which calls are added.
        meetings: Operations of warps, to which instructions are added.

    Returns:
        The instructions by their numbers, and whether it is certain which `mul` and `add` ptxas
        contracts.
    """
    code: dict[int, Bound] = {}
    is_certain = True
    for function in image.functions.values():
        contracted = contractions(program, function)
        is_certain = is_certain and contracted.is_certain
        for instruction in program.instructions[function.start : function.end]:
            # Only the addition is replaced; the product is executed for a register nobody reads.
            done = contracted.fused.get(instruction.number, instruction)
            binding = Binding(done, layouts, image, links, meetings)
            code[instruction.number] = _bound(program, instruction, binding)
    return code, is_certain


def _bound(program: PtxProgram, instruction: PtxInstruction, binding: Binding) -> Bound:
    """Binds an instruction to the step or flow of a binding."""
    layout = binding.layout
    try:
        row = row_of(binding.instruction)
        step_or_flow = row.bind(binding)
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
        return Bound(instruction, layout, None, step_or_flow, slot, negated, spins)
    return Bound(instruction, layout, step_or_flow, None, slot, negated)


def _spins(program: PtxProgram, instruction: PtxInstruction, function: PtxFunction) -> bool:
    if instruction.opcode != "bra" or not instruction.operands:
        return False
    # A branch forward has an empty loop.
    target = function.labels.get(getattr(instruction.operands[0], "name", ""), 1 << 60)
    loop = program.instructions[target : instruction.number]
    return any(
        i.opcode in WAITING
        or (i.opcode == "ld" and not _SPINNING_WORDS.isdisjoint(i.modifiers))
        or (i.opcode == "mov" and getattr(i.operands[1], "name", "") in CLOCKS)
        for i in loop
    )
