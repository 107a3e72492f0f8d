"""Matrices in fragments whose layout the PTX ISA leaves open: `wmma.load wmma.store wmma.mma`.

The ISA ("Matrix Fragments for WMMA") gives only the number of registers of a fragment. Here element
e of lane l is element ``(l * n + e) % size`` of the matrix in row-major order, n being the elements
of a lane: larger fragments hold some elements twice, as on a GPU.

Memory is accessed as by the SASS that ptxas 13.0 makes of `wmma` for sm_75 to sm_120, whatever the
layout here, so that sectors and bank conflicts are those of a GPU.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.instructions.matrix import (
    G,
    T,
    as_accumulator,
    computed_as,
    elements_of,
    multiplied,
    note_inexact,
    vector_of,
    whole_warps,
)
from jitstudio.simulator.instructions.table import AddsRows, Binding, Flow, form
from jitstudio.simulator.instructions.warp import ALL_LANES, Lanes, Operation, meet
from jitstudio.simulator.ptx.program import ImmediateOperand
from jitstudio.simulator.ptx.types import TYPES, PtxType
from jitstudio.simulator.state.faults import UnsupportedInstruction
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.loads_stores import load, store
from jitstudio.simulator.state.model import WARP
from jitstudio.simulator.state.wave import Wave

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
# PTX ISA, `wmma.load`: the types of elements and the shapes that they have.
_SQUARE = "m16n16k16/m8n32k16/m32n8k16"
_FACTORS = (("f16 bf16 s8 u8", _SQUARE), ("tf32", "m16n16k8"), ("f64", "m8n8k4"))
_SUMS = (("f16 s32", _SQUARE), ("f32", f"{_SQUARE}/m16n16k8"), ("f64", "m8n8k4"))
# The product of a narrow A is computed as its transpose.
_TRANSPOSED = (8, 32, 16)
_SPACES = "global/shared/shared::cta"


class _Fragment(NamedTuple):
    """The layout of a matrix in registers.

    Attributes:
        rows: Of the matrix.
        columns: Of the matrix.
        registers: The registers of each lane.
        packed: Elements in a register.
    """

    rows: int
    columns: int
    registers: int
    packed: int

    def place(self, register: int, part: int) -> NDArray[np.int64]:
        """Returns the index in row-major order of an element, for each lane."""
        per_lane = self.registers * self.packed
        flat = np.arange(WARP) * per_lane + register * self.packed + part
        return flat % (self.rows * self.columns)


def _shape(b: Binding) -> tuple[int, int, int]:
    match = next(filter(None, map(_SHAPE.fullmatch, b.instruction.modifiers)))
    m, n, k = (int(x) for x in match.groups())
    return m, n, k


def _fragment(letter: str, shape: tuple[int, int, int], registers: int, kind: PtxType) -> _Fragment:
    m, n, k = shape
    rows, columns = {"a": (m, k), "b": (k, n)}.get(letter, (m, n))
    fragment = _Fragment(rows, columns, registers, max(32 // kind.bits, 1))
    # Matrices of halves are held twice, in 8 registers of each lane.
    elements = registers * fragment.packed * WARP
    is_whole = (
        registers == 8 if kind.name == "f16" and letter in "ab" else elements == rows * columns
    )
    if not is_whole:
        raise UnsupportedInstruction("its registers do not hold a matrix of this shape")
    return fragment


def _register_type(kind: PtxType) -> PtxType:
    """Returns the type as which registers of a fragment are read."""
    return TYPES["f64"] if kind.bits == 64 else TYPES["b32"]


class _Part(NamedTuple):
    """The elements of a matrix in memory that an instruction of SASS accesses.

    Attributes:
        outer: The line of the matrix in memory, for each lane: a row in `.row`.
        inner: The first element in that line, for each lane.
        width: How many successive elements each lane accesses.
    """

    outer: NDArray[np.int64]
    inner: NDArray[np.int64]
    width: int


def _parts(
    letter: str, fragment: _Fragment, kind: PtxType, *, is_row: bool, is_transposed: bool
) -> tuple[_Part, ...]:
    """Returns the accesses by which a matrix is loaded or stored.

    With ``g = lane // 4`` and ``t = lane % 4``, a lane holds n elements from ``n * t`` on of line g
    of a block with 8 lines. Lines are along k in A and B. The elements are one access where they
    are successive in memory, too; those of 16 bits always are: `LDSM` or `MOVM` turns blocks.
    """
    is_along = {"a": is_row, "b": not is_row}.get(letter, is_row is not is_transposed)
    rows, columns = fragment.rows, fragment.columns
    lines, length = (rows, columns) if is_row else (columns, rows)
    held = max(4 // kind.size, 2 if letter in "cd" else 1)
    if is_along or kind.bits == 16:
        spans, count, height, width = [(G, held * T)], held, 8, 4 * held
    else:
        spans, count, height, width = [(held * T + e, G) for e in range(held)], 1, 4 * held, 8
    blocks = itertools.product(range(0, lines, height), range(0, length, width))
    return tuple(
        _Part(outer + first, inner + start, count)
        for first, start in blocks
        for outer, inner in spans
    )


def _moving(b: Binding, *, loads: bool) -> Flow:
    first, second, *strides = b.instruction.operands
    registers, address = (first, second) if loads else (second, first)
    slots, kind, is_row = vector_of(registers), b.type, b.has("row")
    letter = next(w for w in b.instruction.modifiers if w in ("a", "b", "c", "d"))
    shape = _shape(b)
    fragment = _fragment(letter, shape, len(slots), kind)
    parts = _parts(letter, fragment, kind, is_row=is_row, is_transposed=shape == _TRANSPOSED)
    find, space, element = b.address(address), b.space, np.dtype(f"u{kind.size}")
    # PTX ISA, `wmma.load`: stride is the distance of rows in `.row`, and of columns in `.col`.
    length = fragment.columns if is_row else fragment.rows
    apart = b.source(strides[0] if strides else ImmediateOperand(length), TYPES["s32"])
    word = _register_type(kind)
    place = b.target if loads else b.source
    # Registers of any type of 32 bits hold halves and bytes, and integers those of s32.
    held = TYPES["u32" if kind.name == "s32" else f"b{word.bits}"]
    places = [place(slot, held) for slot in slots]

    def accesses(f: Frame, s: Selection, warps: int) -> Iterator[tuple[Any, Any, _Part]]:
        """Yields the addresses of each access, and the indices of the elements in the matrix."""
        base, stride = find(f, s), f[apart][s].astype(np.int64)
        for part in parts:
            outer, inner = (np.tile(x, warps) for x in (part.outer, part.inner))
            row, column = (part.outer, part.inner) if is_row else (part.inner, part.outer)
            flat = row * fragment.columns + column
            step = 1 if is_row else fragment.columns
            yield base + (outer * stride + inner) * kind.size, (flat, step), part

    def load_matrix(wave: Wave, f: Frame, s: Selection) -> None:
        warps = len(whole_warps(wave, s))
        matrix = np.zeros((warps, fragment.rows * fragment.columns), element)
        for at, (flat, step), part in accesses(f, s, warps):
            for e, values in enumerate(load(wave, space, at, element, part.width, s)):
                matrix[:, flat + e * step] = values.reshape(warps, WARP)
        for register, slot in enumerate(places):
            # Elements of 8 and 16 bits are packed into registers of 32, the first one lowest.
            packed = [matrix[:, fragment.place(register, e)] for e in range(fragment.packed)]
            f[slot][s] = np.stack(packed, axis=2).view(word.bits_dtype).reshape(-1)

    def store_matrix(wave: Wave, f: Frame, s: Selection) -> None:
        warps = len(whole_warps(wave, s))
        matrix = np.zeros((warps, fragment.rows * fragment.columns), element)
        for register, slot in enumerate(places):
            values = (
                np.ascontiguousarray(f[slot][s]).view(element).reshape(warps, WARP, fragment.packed)
            )
            for e in range(fragment.packed):
                matrix[:, fragment.place(register, e)] = values[:, :, e]
        for at, (flat, step), part in accesses(f, s, warps):
            elements = [matrix[:, flat + e * step].reshape(-1) for e in range(part.width)]
            store(wave, space, at, elements, s)

    def takes(wave: Wave, f: Frame, s: Selection, _lanes: Lanes) -> None:
        (load_matrix if loads else store_matrix)(wave, f, s)

    return meet(b, ALL_LANES, Operation(None, takes))


def _moved(action: str, forms: tuple[tuple[str, str], ...]) -> AddsRows:
    """Adds rows of loads or stores."""

    def add(bind: Callable[[Binding], Flow]) -> Callable[[Binding], Flow]:
        for types, shapes in forms:
            needs = f"sync aligned row/col {shapes}"
            form(f"wmma.{action}", types, needs=needs, words=_SPACES, flow=True, count=(2, 3))(bind)
        return bind

    return add


@_moved("load.a/b", _FACTORS)
@_moved("load.c", _SUMS)
def wmma_load(b: Binding) -> Flow:
    return _moving(b, loads=True)


@_moved("store.d", _SUMS)
def wmma_store(b: Binding) -> Flow:
    return _moving(b, loads=False)


# PTX ISA, `wmma.mma`: types, shapes, and other modifiers.
_MULTIPLIED = (
    (("f16 f32", "f16 f32"), _SQUARE, "satfinite"),
    (("f32", "bf16", "bf16", "f32"), _SQUARE, ""),
    (("f32", "tf32", "tf32", "f32"), "m16n16k8", ""),
    (("s32", "s8", "s8", "s32"), _SQUARE, "satfinite"),
    (("s32", "u8", "u8", "s32"), _SQUARE, "satfinite"),
    (("f64", "f64", "f64", "f64"), "m8n8k4", "rn/rz/rm/rp"),
)


def _multiplies(bind: Callable[[Binding], Flow]) -> Callable[[Binding], Flow]:
    for types, shapes, words in _MULTIPLIED:
        needs = f"sync aligned row/col row/col {shapes}"
        form("wmma.mma", *types, needs=needs, words=words, flow=True, count=4)(bind)
    return bind


@_multiplies
def wmma_mma(b: Binding) -> Flow:
    """Multiplies and adds matrices: D = A B + C."""
    types = b.instruction.types
    d_type, c_type = types[0], types[-1]
    a_type, b_type = (types[1], types[2]) if len(types) == 4 else (TYPES["f16"], TYPES["f16"])
    shape = _shape(b)
    kinds = dict(zip("dabc", (d_type, a_type, b_type, c_type), strict=True))
    operands = dict(zip("dabc", map(vector_of, b.instruction.operands), strict=True))
    fragments = {x: _fragment(x, shape, len(operands[x]), kinds[x]) for x in "dabc"}
    slots = {
        x: [b.source(part, TYPES[f"b{_register_type(kinds[x]).bits}"]) for part in operands[x]]
        for x in "abc"
    }
    targets = [b.target(part, TYPES[f"b{_register_type(d_type).bits}"]) for part in operands["d"]]
    name = f"wmma.mma.{a_type.name}"

    def matrix(f: Frame, s: Selection, letter: str, warps: int) -> NDArray[Any]:
        fragment, kind = fragments[letter], kinds[letter]
        elements = np.zeros((warps, fragment.rows * fragment.columns), computed_as(kind.name))
        for register, slot in enumerate(slots[letter]):
            values = elements_of(f[slot][s], kind.name, warps)
            for part in range(fragment.packed):
                elements[:, fragment.place(register, part)] = values[:, :, part]
        return elements.reshape(warps, fragment.rows, fragment.columns)

    def takes(wave: Wave, f: Frame, s: Selection, _lanes: Lanes) -> None:
        warps = len(whole_warps(wave, s))
        note_inexact(wave, name, a_type.name)
        a, b_, c = (matrix(f, s, letter, warps) for letter in "abc")
        result = multiplied(a, b_, c, d_type.name, b.has("satfinite"))
        flat = as_accumulator(result.reshape(warps, -1), d_type.name)
        fragment = fragments["d"]
        for register, target in enumerate(targets):
            parts = [flat[:, fragment.place(register, p)] for p in range(fragment.packed)]
            words = np.stack(parts, axis=2).reshape(warps * WARP, -1)
            f[target][s] = np.ascontiguousarray(words).view(f[target].dtype).reshape(-1)

    return meet(b, ALL_LANES, Operation(None, takes))
