"""Products of matrices by warp groups of four warps: `wgmma`.

A warp group multiplies when all of its warps have come to the instruction, as early as a GPU may.
Uses of sums, fragments or shared memory before a wait for the product are reported; see `products`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.instructions.descriptors import PIECE, Descriptor
from jitstudio.simulator.instructions.matrix import (
    USUAL,
    Precision,
    accumulator,
    computed_as,
    decoded,
    gathered,
    left_of,
    multiplied,
    note_inexact,
    spread,
)
from jitstudio.simulator.instructions.table import Binding, Flow, form, is_one_of
from jitstudio.simulator.instructions.warp import ALL_LANES, Lanes, Operation, meet
from jitstudio.simulator.ptx.program import (
    ImmediateOperand,
    PtxOperand,
    VectorOperand,
    register_names,
)
from jitstudio.simulator.ptx.types import TYPES
from jitstudio.simulator.state.faults import ThreadFault, UnsupportedInstruction
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.loads_stores import checked_offsets, take
from jitstudio.simulator.state.model import WARP, FaultKind, StateSpace, SyncScope
from jitstudio.simulator.state.product_checks import (
    Reads,
    check_fenced,
    check_touch,
    ended,
    multiplying,
)
from jitstudio.simulator.state.products import GROUP_WARPS, Touch
from jitstudio.simulator.state.wave import Wave

_SHAPE = re.compile(r"m64n(\d+)k(\d+)")
_GROUP = GROUP_WARPS * WARP
_ROWS = 64
_ROW_BYTES = 32
"""Bytes of a row of A, or of a column of B, in an instruction of any type."""

_EIGHTS = Precision(13, 14)
"""Precision of sums of products of fp8, which is less than of all other types."""


@form("wgmma.fence", needs="sync", words="aligned", flow=True, count=[0])
def wgmma_fence(b: Binding) -> Flow:
    def takes(wave: Wave, _f: Frame, s: Selection, _lanes: Lanes) -> None:
        wave.products.fence(wave.numbers[s], wave.clock)

    return meet(b, ALL_LANES, Operation(None, takes))


@form("wgmma.commit_group", needs="sync", words="aligned", flow=True, count=[0])
def wgmma_commit_group(b: Binding) -> Flow:
    def takes(wave: Wave, _f: Frame, s: Selection, _lanes: Lanes) -> None:
        wave.products.commit(wave.numbers[s])

    return meet(b, ALL_LANES, Operation(None, takes))


@form("wgmma.wait_group", needs="sync", words="aligned", flow=True, count=1)
def wgmma_wait_group(b: Binding) -> Flow:
    (number,) = b.instruction.operands
    if not isinstance(number, ImmediateOperand):
        raise UnsupportedInstruction("the number of groups is not a constant")
    but = int(number.value)

    def takes(wave: Wave, _f: Frame, s: Selection, _lanes: Lanes) -> None:
        if wave.products:
            ended(wave, wave.products.wait(wave.numbers[s], but))

    return meet(b, ALL_LANES, Operation(None, takes))


def _shapes(depth: int, widths: Iterable[int]) -> str:
    return "/".join(f"m64n{n}k{depth}" for n in widths)


# PTX ISA, "Asynchronous Warpgroup Level Matrix Shape": 64 rows, and columns by steps of 8, of
# integers by 16 from 32 on.
_ALL, _OF_INTEGERS = range(8, 257, 8), (8, 16, 24, *range(32, 257, 16))
_MULTIPLIED = (
    (("f32 f16", "f16", "f16"), _shapes(16, _ALL), ""),
    (("f32", "bf16", "bf16"), _shapes(16, _ALL), ""),
    (("f32", "tf32", "tf32"), _shapes(8, _ALL), ""),
    (("f32 f16", "e4m3 e5m2", "e4m3 e5m2"), _shapes(32, _ALL), ""),
    (("s32", "s8 u8", "s8 u8"), _shapes(32, _OF_INTEGERS), "satfinite"),
    (("s32",), f"b1 b1 and popc {_shapes(256, _OF_INTEGERS)}", ""),
)


def _multiplies(bind: Callable[[Binding], Flow]) -> Callable[[Binding], Flow]:
    for types, shapes, words in _MULTIPLIED:
        needs, words = f"sync {shapes}", f"aligned {words}"
        form("wgmma.mma_async", *types, needs=needs, words=words, flow=True)(bind)
    return bind


@_multiplies
def wgmma_mma_async(b: Binding) -> Flow:
    """Multiplies and adds matrices: D = A B + D."""
    shape = next(filter(None, map(_SHAPE.fullmatch, b.instruction.modifiers)))
    n, k = (int(x) for x in shape.groups())
    words = b.instruction.full_opcode.split(".")
    if "b1" in words and words[-4:] != ["b1", "b1", "and", "popc"]:
        raise UnsupportedInstruction("of bits it ends with .s32.b1.b1.and.popc")
    d_type, *factors = (kind.name for kind in b.instruction.types)
    a_type, b_type = factors or ("b1", "b1")
    d, a, right, scale, *numbers = b.instruction.operands
    sums, holder = b.parts(d), accumulator(d_type)
    if len(sums) * (2 if d_type == "f16" else 1) * _GROUP != _ROWS * n:
        raise UnsupportedInstruction("its registers do not hold sums of this shape")
    sources, targets = ([place(x, holder) for x in sums] for place in (b.source, b.target))
    # A is in registers or in shared memory, B always in shared memory.
    in_registers = isinstance(a, VectorOperand)
    fragments = [b.source(part, TYPES["b32"]) for part in b.parts(a)] if in_registers else []
    if in_registers and len(fragments) != 4:
        raise UnsupportedInstruction("A has 4 registers")
    descriptors = [b.source(x, TYPES["u64"]) for x in ((right,) if in_registers else (a, right))]
    adds, negated = b.predicate(scale)
    if isinstance(scale, ImmediateOperand) and scale.value not in (0, 1):
        raise UnsupportedInstruction(f"{scale.spelling} does not say whether sums are added")
    signs = _immediates(numbers[:2], 2, (1, -1))
    turns = _immediates(numbers[2:], 2 - in_registers, (0, 1))
    # imm-scale-a and imm-scale-b are 1 or -1; imm-trans-a and imm-trans-b transpose (f16, bf16).
    sign_a, sign_b = signs or (1, 1)
    turn_b = bool(turns and turns[-1])
    turn_a = bool(turns and turns[0]) and not in_registers
    precision = _EIGHTS if a_type in ("e4m3", "e5m2") else USUAL
    name = f"wgmma.{shape[0]}.{a_type}"
    names = frozenset(register_names(d))
    a_names = frozenset(register_names(a) if in_registers else ())
    is_followed = b.function.is_kernel

    def takes(wave: Wave, f: Frame, s: Selection, _lanes: Lanes) -> None:
        groups = _whole_groups(wave, s)
        warps = groups * GROUP_WARPS
        matrices = [Descriptor.of(_common(wave, f[slot][s], s)) for slot in descriptors]
        if is_followed:
            check_fenced(wave, names | a_names, wave.numbers[s])
            check_touch(wave, Touch(a_names, frozenset()), s)
        reads: list[Reads] = []
        if in_registers:
            words = [f[slot][s] for slot in fragments]
            left = left_of(words, a_type, warps, WARP // 2, k).reshape(groups, _ROWS, k)
        else:
            left = _read(wave, s, matrices[0], _ROWS, a_type, turn_a, reads, GROUP_WARPS)
        columns = _read(wave, s, matrices[-1], n, b_type, turn_b, reads)
        # Each of the four warps has 16 of the 64 rows of D.
        total = np.zeros((warps, WARP // 2, n), computed_as(d_type))
        # PTX ISA, `wgmma.mma_async`: with scale-d false the result is A * B.
        is_added = (f[adds][s] ^ negated).reshape(groups, _GROUP)[:, 0]
        if is_added.any():
            total = gathered([f[slot][s] for slot in sources], d_type, warps, WARP // 2, n)
            total[~np.repeat(is_added, GROUP_WARPS)] = 0
        note_inexact(wave, name, a_type)
        result = multiplied(
            left if sign_a == 1 else -left,
            (columns if sign_b == 1 else -columns).swapaxes(1, 2),
            total.reshape(groups, _ROWS, n),
            d_type,
            b.has("satfinite"),
            precision,
        )
        result = result.reshape(warps, WARP // 2, n)
        for slot, values in zip(targets, spread(result, d_type), strict=True):
            f[slot][s] = values
        multiplying(
            wave,
            names if is_followed else frozenset(),
            a_names if is_followed else frozenset(),
            wave.numbers[s],
            reads,
            PIECE,
        )
        if wave.on_synchronised:
            # No warp of the group goes on before all have come.
            wave.synchronised(wave.numbers[s], SyncScope.BLOCK)

    return meet(b, ALL_LANES, Operation(None, takes), GROUP_WARPS)


def _immediates(operands: list[PtxOperand], count: int, known: tuple[int, int]) -> list[int]:
    """Returns the values of constant operands; an empty list where they are left out."""
    if operands and len(operands) != count:
        raise UnsupportedInstruction("it has too few or too many operands")
    values = []
    for operand in operands:
        if not isinstance(operand, ImmediateOperand) or not is_one_of(operand, known):
            raise UnsupportedInstruction(f"a sign or a transposition is none of {known}")
        values.append(int(operand.value))
    return values


def _whole_groups(wave: Wave, s: Selection) -> int:
    """Returns the number of whole warp groups that threads form.

    Raises:
        ThreadFault: If a warp group is not whole.
    """
    numbers = wave.numbers[s]
    groups = wave.products.first_warps(numbers // WARP)
    short = np.bincount(groups)[groups] < _GROUP
    if short.any():
        raise ThreadFault(
            FaultKind.BARRIER,
            int(numbers[np.argmax(short)]),
            "multiplies matrices with a warp group of which not all threads are there. It needs "
            "128 successive threads of a block, from a multiple of 128 on",
        )
    return len(numbers) // _GROUP


def _common(wave: Wave, values: NDArray[Any], s: Selection) -> NDArray[Any]:
    """Returns the descriptor of each warp group, which all threads must have in common."""
    rows = values.reshape(-1, _GROUP)
    other = (rows != rows[:, :1]).reshape(-1)
    if other.any():
        wave.tell(
            FaultKind.BARRIER,
            wave.numbers[s][other],
            "has another matrix descriptor than the first thread of its warp group. All of them "
            "must have the same one, or the product is undefined",
        )
    return rows[:, 0]


def _read(
    wave: Wave,
    s: Selection,
    descriptor: Descriptor,
    rows: int,
    name: str,
    transposed: bool,
    reads: list[Reads],
    parts: int = 1,
) -> NDArray[Any]:
    """Returns the rows of A or columns of B, of shape (groups, rows, elements of 32 bytes).

    Args:
        wave: The resident blocks with their memory.
        s: The threads.
        descriptor: Of each warp group.
        rows: Rows of A; columns of B.
        name: The type of the elements.
        transposed: Whether the elements of a row do not lie together.
        reads: The list to which the read pieces are added.
        parts: The parts into which the warps share the rows; 1 if each warp reads all of them.
    """
    places = descriptor.transposed_pieces(rows) if transposed else descriptor.pieces(rows)
    groups = len(places)
    firsts = wave.numbers[s][::_GROUP]
    lanes = np.arange(GROUP_WARPS) * WARP
    # The first lane of each warp stands for the warp.
    flat = places.reshape(groups, parts, -1)
    at = np.broadcast_to(flat, (groups, GROUP_WARPS, flat.shape[2])).reshape(-1)
    threads = np.repeat((firsts[:, None] + lanes).reshape(-1), flat.shape[2])
    space = StateSpace.SHARED
    offsets, region = checked_offsets(wave, space, at, threads, PIECE)
    reads.append((threads, offsets, at))
    words = take(wave, space, offsets, region, at, np.dtype("u8"), PIECE // 8, threads)
    raw = np.stack(words, axis=1).reshape(groups, GROUP_WARPS, -1, PIECE // 8)
    pieces = raw if parts > 1 else raw[:, :1]
    values = decoded(pieces, name)
    if transposed:
        return values.reshape(groups, rows // 8, 16, 8).swapaxes(2, 3).reshape(groups, rows, 16)
    return values.reshape(groups, rows, -1)
