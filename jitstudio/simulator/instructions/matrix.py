"""Matrices that the lanes of a warp hold together: `ldmatrix stmatrix movmatrix mma`.

The layout of fragments in registers is from "Matrix Fragments for mma" of the PTX ISA. With
``g = lane // 4`` and ``t = lane % 4``, and p elements in a register: register i of A has row
``g + 8 * (i % 2)`` and columns from ``p * t + 4 * p * (i // 2)`` on; register i of B has column g
and rows from ``p * t + 4 * p * i`` on; elements 2 i and 2 i + 1 of C have row ``g + 8 * i`` and
columns from ``2 * t`` on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.arithmetic import floating
from jitstudio.simulator.arithmetic.rounding import round_to, to_doubles, to_elements
from jitstudio.simulator.instructions.table import AddsRows, Binding, Flow, form
from jitstudio.simulator.instructions.warp import ALL_LANES, Lanes, Operation, meet
from jitstudio.simulator.ptx.program import PtxOperand, VectorOperand
from jitstudio.simulator.ptx.types import TYPES, PtxType
from jitstudio.simulator.state.faults import ThreadFault, UnsupportedInstruction, refuse_where
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.loads_stores import load, store
from jitstudio.simulator.state.model import WARP, FaultKind
from jitstudio.simulator.state.wave import Wave

_LANES = np.arange(WARP)
G, T = _LANES // 4, _LANES % 4
"""The group of four that each lane is in, and the place in there."""


def whole_warps(wave: Wave, s: Selection) -> NDArray[np.int64]:
    """Returns the numbers of threads that form whole warps, of shape (warps, 32).

    Raises:
        ThreadFault: If they form no whole warps.
    """
    numbers = wave.numbers[s]
    if len(numbers) % WARP or (numbers[::WARP] % WARP).any():
        raise ThreadFault(
            FaultKind.BARRIER,
            int(numbers[0]),
            "works on a matrix with a warp of which not all lanes are there",
        )
    return numbers.reshape(-1, WARP)


# Loads and stores of matrices of 8 by 8.

_COUNTS = {"x1": 1, "x2": 2, "x4": 4}
_ROW_BYTES = 16


def _eight_by_eight(b: Binding) -> tuple[int, bool]:
    """Returns the number of matrices, and whether they are transposed."""
    count = next(_COUNTS[w] for w in b.instruction.modifiers if w in _COUNTS)
    return count, b.has("trans")


def _of_rows(opcode: str) -> AddsRows:
    needs, words = "sync aligned m8n8 x1/x2/x4", "trans shared/shared::cta"
    return form(opcode, "b16", needs=needs, words=words, count=2, flow=True)


@_of_rows("ldmatrix")
def ldmatrix(b: Binding) -> Flow:
    target, address = b.instruction.operands
    count, transposed = _eight_by_eight(b)
    find, space = b.address(address), b.space
    places = [b.target(part, TYPES["b32"]) for part in vector_of(target, count)]
    word = np.dtype("u4")

    def takes(wave: Wave, f: Frame, s: Selection, _lanes: Lanes) -> None:
        # PTX ISA, `ldmatrix`: lanes 8 i to 8 i + 7 hold the addresses of the rows of matrix i, and
        # lane l gets elements 2 (l % 4) and 2 (l % 4) + 1 of row l // 4.
        rows = _addresses_of_rows(wave, s, count, "reads")
        warps = len(rows)
        for index in range(count):
            at = rows[:, 8 * index + G] + 4 * T
            (words,) = load(wave, space, at.reshape(-1), word, 1, s)
            f[places[index]][s] = _turned(words, warps) if transposed else words

    return meet(b, ALL_LANES, Operation(_gives_addresses(find), takes))


@_of_rows("stmatrix")
def stmatrix(b: Binding) -> Flow:
    address, source = b.instruction.operands
    count, transposed = _eight_by_eight(b)
    find, space = b.address(address), b.space
    places = [b.source(part, TYPES["b32"]) for part in vector_of(source, count)]

    def takes(wave: Wave, f: Frame, s: Selection, _lanes: Lanes) -> None:
        rows = _addresses_of_rows(wave, s, count, "writes")
        warps = len(rows)
        for index in range(count):
            at = rows[:, 8 * index + G] + 4 * T
            words = f[places[index]][s]
            words = _turned(words, warps) if transposed else words
            store(wave, space, at.reshape(-1), [words], s)

    return meet(b, ALL_LANES, Operation(_gives_addresses(find), takes))


@form("movmatrix", "b16", needs="sync aligned m8n8 trans", flow=True, count=2)
def movmatrix(b: Binding) -> Flow:
    target, source = b.instruction.operands
    place, words = b.target(target, TYPES["b32"]), b.source(source, TYPES["b32"])

    def gives(wave: Wave, f: Frame, s: Selection) -> None:
        """Gives nothing: results are computed from the registers of all lanes."""

    def takes(wave: Wave, f: Frame, s: Selection, _lanes: Lanes) -> None:
        f[place][s] = _turned(f[words][s], len(whole_warps(wave, s)))

    return meet(b, ALL_LANES, Operation(gives, takes))


def _gives_addresses(
    find: Callable[[Frame, Selection], NDArray[np.int64]],
) -> Callable[[Wave, Frame, Selection], None]:
    def gives(wave: Wave, f: Frame, s: Selection) -> None:
        wave.exchange[s] = find(f, s)

    return gives


def _addresses_of_rows(wave: Wave, s: Selection, count: int, verb: str) -> NDArray[np.int64]:
    """Returns the addresses of all lanes, of shape (warps, 32); the first ones are of rows.

    Args:
        wave: The threads.
        s: The threads, of whole warps.
        count: Matrices, of 8 rows each.
        verb: Of the threads, for messages.

    Raises:
        ThreadFault: If a row is not aligned to its 16 bytes, or a lane is missing.
    """
    numbers = whole_warps(wave, s)
    addresses = wave.exchange.view(np.int64)[numbers]
    wrong = addresses % _ROW_BYTES != 0
    # Addresses of further lanes are not read.
    wrong[:, 8 * count :] = False
    refuse_where(
        wrong.reshape(-1),
        numbers.reshape(-1),
        FaultKind.MISALIGNED,
        lambda first: (
            f"{verb} a row of a matrix, {_ROW_BYTES} bytes, at 0x{addresses.reshape(-1)[first]:x}, "
            f"which is not divisible by {_ROW_BYTES}"
        ),
    )
    return addresses


def _turned(words: NDArray[np.uint32], warps: int) -> NDArray[np.uint32]:
    """Returns the words of matrices of 8 by 8 halves after transposing them."""
    halves = np.ascontiguousarray(words).view(np.uint16).reshape(warps, 8, 8)
    return np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(-1).view(np.uint32)


# Multiplication.

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_INTEGER = {"s8": (8, True), "u8": (8, False), "s4": (4, True), "u4": (4, False)}
_FLOATS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "e4m3": 8, "e5m2": 8}


# PTX ISA, `mma`: the types of sums and of factors, shapes, and other modifiers.
_MULTIPLIED = (
    ("f16 f32", "f16", "m16n8k8/m16n8k16", ""),
    ("f32", "bf16", "m16n8k8/m16n8k16", ""),
    ("f32", "tf32", "m16n8k4/m16n8k8", ""),
    ("f16", "e4m3 e5m2", "m16n8k16/m16n8k32", "kind::f8f6f4"),
    ("f32", "e4m3 e5m2", "m16n8k16/m16n8k32", "kind::f8f6f4"),
    ("f64", "f64", "m8n8k4/m16n8k4/m16n8k8/m16n8k16", "rn/rz/rm/rp"),
    ("s32", "s8 u8", "m8n8k16/m16n8k16/m16n8k32", "satfinite"),
)
_TOGETHER = "sync aligned row col"


def _multiplies(bind: Callable[[Binding], Flow]) -> Callable[[Binding], Flow]:
    for sums, factors, shapes, words in _MULTIPLIED:
        kinds, needs = (sums, factors, factors, sums), f"{_TOGETHER} {shapes}"
        form("mma", *kinds, needs=needs, words=words, flow=True, count=4)(bind)
    return bind


@_multiplies
def mma(b: Binding) -> Flow:
    """Multiplies and adds matrices: D = A B + C."""
    shapes = (_SHAPE.fullmatch(word) for word in b.instruction.modifiers)
    shape = next(filter(None, shapes))
    m, n, k = (int(x) for x in shape.groups())
    words = b.instruction.modifiers
    if words.index("row") > words.index("col"):
        raise UnsupportedInstruction("A is laid out in rows, and B in columns: .row.col")
    d_type, a_type, b_type, c_type = b.instruction.types
    d, a, b_, c = (vector_of(operand) for operand in b.instruction.operands)
    element = a_type.bits
    holder = TYPES["b64" if element == 64 else "b32"]
    a_slots = [b.source(part, holder) for part in a]
    b_slots = [b.source(part, holder) for part in b_]
    c_holder, d_holder = accumulator(c_type.name), accumulator(d_type.name)
    c_slots = [b.source(part, c_holder) for part in c]
    d_slots = [b.target(part, d_holder) for part in d]
    # Such as two halves or four bytes in a register of 32 bits.
    per_register = max(holder.bits // element, 1)
    held = zip((d, a, b_, c), (d_type, a_type, b_type, c_type), strict=True)
    elements = [len(parts) * max(32 // kind.bits, 1) * WARP for parts, kind in held]
    if elements != [m * n, m * k, n * k, m * n]:
        raise UnsupportedInstruction("its registers do not hold matrices of this shape")
    name = f"mma.{shape[0]}.{a_type.name}"

    def takes(wave: Wave, f: Frame, s: Selection, _lanes: Lanes) -> None:
        warps = len(whole_warps(wave, s))
        left = left_of([f[slot][s] for slot in a_slots], a_type.name, warps, m, k)
        right = np.zeros((warps, k, n), computed_as(b_type.name))
        for i, slot in enumerate(b_slots):
            values = elements_of(f[slot][s], b_type.name, warps)
            row = per_register * T + 4 * per_register * i
            for j in range(per_register):
                right[:, row + j, G] = values[:, :, j]
        total = gathered([f[slot][s] for slot in c_slots], c_type.name, warps, m, n)
        note_inexact(wave, name, a_type.name)
        if element == 8 and a_type.name in _FLOATS:
            result = _multiplied_in_halves(left, right, total, d_type.name)
        else:
            result = multiplied(left, right, total, d_type.name, b.has("satfinite"))
        for slot, values in zip(d_slots, spread(result, d_type.name), strict=True):
            f[slot][s] = values

    return meet(b, ALL_LANES, Operation(None, takes))


def vector_of(operand: PtxOperand, count: int = 0) -> tuple[PtxOperand, ...]:
    """Returns the registers of a fragment, which stand in braces: so many, or 0 for any number."""
    if not isinstance(operand, VectorOperand) or count not in (0, len(operand.parts)):
        raise UnsupportedInstruction("its registers do not hold a matrix of this shape")
    return operand.parts


def accumulator(name: str) -> PtxType:
    """Returns the type as which registers of sums are read."""
    return {
        "f16": TYPES["b32"],
        "f32": TYPES["f32"],
        "f64": TYPES["f64"],
        "s32": TYPES["s32"],
    }[name]


def note_inexact(wave: Wave, name: str, element: str) -> None:
    """Notes a product of matrices that other GPUs may round in another way."""
    if element in _FLOATS and element != "f64":
        wave.inexact[name] = f"{name} (added up as an H100 does; other GPUs keep other bits)"


def computed_as(name: str) -> type[np.generic]:
    """Returns the NumPy type in which elements of a type are computed."""
    return np.int64 if name in _INTEGER or name in ("s32", "b1") else np.float64


def elements_of(values: NDArray[Any], name: str, warps: int) -> NDArray[Any]:
    """Returns the elements in registers, of shape (warps, 32, elements of a register)."""
    return decoded(values, name).reshape(warps, WARP, -1)


def decoded(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Returns the elements in words or bytes, in order, as exact numbers."""
    values = np.ascontiguousarray(values).reshape(-1)
    if name == "b1":
        return np.unpackbits(values.view(np.uint8), bitorder="little").astype(np.int64)
    if name in _INTEGER:
        signed = _INTEGER[name][1]
        return values.view(np.int8 if signed else np.uint8).astype(np.int64)
    if name == "s32":
        return values.view(np.int32).astype(np.int64)
    if name in ("f32", "f64"):
        return values.view(np.float32 if name == "f32" else np.float64).astype(np.float64)
    if name == "tf32":
        # 1 + 8 + 10 bits: the hardware reads the upper 19 bits.
        words = values.view(np.uint32) & np.uint32(0xFFFFE000)
        return words.view(np.float32).astype(np.float64)
    dtype = {"f16": np.float16, "bf16": np.uint16}.get(name, np.uint8)
    return to_doubles(values.view(dtype), name)


def left_of(
    registers: list[NDArray[Any]], name: str, warps: int, rows: int, columns: int
) -> NDArray[Any]:
    """Returns the matrix A in registers, of shape (warps, rows, columns)."""
    left = np.zeros((warps, rows, columns), computed_as(name))
    for i, words in enumerate(registers):
        values = elements_of(words, name, warps)
        packed = values.shape[2]
        row = G + 8 * (i % (rows // 8))
        column = packed * T + 4 * packed * (i // (rows // 8))
        for j in range(packed):
            left[:, row, column + j] = values[:, :, j]
    return left


def gathered(
    registers: list[NDArray[Any]], name: str, warps: int, rows: int, columns: int
) -> NDArray[Any]:
    """Returns the matrix in accumulators, of shape (warps, rows, columns)."""
    total = np.zeros((warps, rows, columns), computed_as(name))
    for (row, column), values in zip(_places(name, rows, columns), registers, strict=True):
        elements = elements_of(values, name, warps)
        for j in range(elements.shape[2]):
            total[:, row, column + j] = elements[:, :, j]
    return total


def spread(total: NDArray[Any], name: str) -> list[NDArray[Any]]:
    """Returns the registers for a matrix of shape (warps, rows, columns)."""
    registers = []
    for row, column in _places(name, *total.shape[1:]):
        if name == "f16":
            pair = [as_accumulator(total[:, row, column + j].reshape(-1), name) for j in range(2)]
            halves = np.ascontiguousarray(np.stack(pair, axis=1))
            registers.append(halves.view(np.uint32).reshape(-1))
        else:
            registers.append(total[:, row, column].reshape(-1))
    return registers


def _places(
    name: str, rows: int, columns: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yields row and first column of each accumulator register, for all lanes."""
    for start in range(0, columns, 8):
        for row in range(0, rows, 8):
            for part in (0,) if name == "f16" else (0, 1):
                yield G + row, start + 2 * T + part


def as_accumulator(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Returns the elements of a product as values of the type of the accumulators."""
    if name == "f16":
        return to_elements(values.reshape(-1), name).reshape(values.shape)
    return values.astype({"f32": np.float32, "f64": np.float64, "s32": np.int32}[name])


class Precision(NamedTuple):
    """Precision of sums in tensor cores.

    Attributes:
        aligned: Bits behind the point of the largest term that are added up.
        result: Bits of the significand that an f32 keeps of the sum.
    """

    aligned: int
    result: int


USUAL = Precision(25, 24)


def multiplied(
    left: NDArray[Any],
    right: NDArray[Any],
    total: NDArray[Any],
    name: str,
    saturates: bool,
    precision: Precision = USUAL,
) -> NDArray[Any]:
    """Returns ``left @ right + total`` in a type, of shape (warps, rows, columns)."""
    if name == "s32":
        exact = left @ right + total
        if saturates:
            exact = np.clip(exact, -(1 << 31), (1 << 31) - 1)
        narrowed: NDArray[np.int32] = exact.astype(np.int32)
        return narrowed
    if name == "f64":
        shape = total.shape
        for k in range(left.shape[2]):
            x = np.broadcast_to(left[:, :, k, None], shape).reshape(-1)
            y = np.broadcast_to(right[:, None, k, :], shape).reshape(-1)
            # As fused multiply-adds in the order of k, rounded once each.
            total = floating.fma("f64", x, y, total.reshape(-1)).reshape(shape)
        return total
    with np.errstate(all="ignore"):
        least = _LEAST_F16 if name == "f16" else _LEAST_F32
        summed = _cut_sum(left, right, total, precision.aligned, least)
        return _cut_to_f32(summed, precision.result) if name == "f32" else _as_f16(summed)


def _multiplied_in_halves(
    left: NDArray[Any], right: NDArray[Any], total: NDArray[Any], name: str
) -> NDArray[Any]:
    """Returns a product of 8-bit matrices, as ptxas composes it of f16 products for sm_90.

    The SASS adds up the products of the lower two elements of each register from 0 on, then those
    of the upper two (`HMMA` twice), and adds C to the sum, rounded once.
    """
    lower = np.arange(left.shape[2]) % 4 < 2
    halves_sum = np.zeros_like(total)
    for half in (lower, ~lower):
        halves_sum = multiplied(left[:, :, half], right[:, half], halves_sum, name, False)
    with np.errstate(all="ignore"):
        summed = halves_sum.astype(np.float64) + total
        return _as_f32(summed) if name == "f32" else _as_f16(summed)


_LEAST_F16, _LEAST_F32 = -14, -126
"""The least exponent of the alignment of a sum, which is that of subnormal numbers."""


def _cut_sum(
    left: NDArray[Any], right: NDArray[Any], total: NDArray[Any], aligned_bits: int, least: int
) -> NDArray[np.float64]:
    """Returns ``left @ right + total`` as the tensor cores of an H100 add the terms up.

    All products of a row and the sum before are aligned to the largest exponent, the exponent of a
    product being the sum of those of its factors, and cut off some bits behind the point. The total
    is cut off to an f32, or rounded to an f16. These numbers of bits give the results of an H100
    bit for bit: 25, or 13 in products of fp8 by `wgmma`; see `test_on_gpu`.
    """
    products = left[:, :, None, :] * right.swapaxes(1, 2)[:, None, :, :]
    terms = np.concatenate([products, total[..., None]], axis=-1)
    exponents = np.frexp(left)[1][:, :, None, :] + np.frexp(right)[1].swapaxes(1, 2)[:, None, :, :]
    total_exponents = np.maximum(np.frexp(total)[1], least + 1)
    exponents = np.concatenate([exponents - 1, total_exponents[..., None]], axis=-1) - 1
    highest = np.where(terms == 0, -1100, exponents).max(axis=-1)
    scaled = np.trunc(np.ldexp(terms, aligned_bits - highest[..., None])).sum(axis=-1)
    summed = np.ldexp(scaled, highest - aligned_bits)
    sums: NDArray[np.float64] = np.where(np.isfinite(summed), summed, terms.sum(axis=-1))
    return sums


def _cut_to_f32(values: NDArray[np.float64], bits: int) -> NDArray[np.float32]:
    scaled, exponent = np.frexp(values)
    return _as_f32(np.ldexp(np.trunc(np.ldexp(scaled, bits)), exponent - bits))


def _as_f16(values: NDArray[np.float64]) -> NDArray[np.float64]:
    # Results that round to zero are positive: -0.0 + 0.0 is 0.0.
    return round_to(values.reshape(-1), "f16", "rn").reshape(values.shape) + 0.0


def _as_f32(values: NDArray[np.float64]) -> NDArray[np.float32]:
    result = values.astype(np.float32)
    # The NaN that tensor cores return.
    result.view(np.uint32)[np.isnan(result)] = 0x7FFFFFFF
    return result
