"""Looks for a layout of memory in which an access takes less.

A suggestion is no guess: the costliest requests of all accesses of the run to shared memory are
counted anew at the addresses that they would have, and none of them may lie where it cannot be
read any more. Where ptxas may make one wide access of several of the PTX, the counts are none of
the GPU's: that is said with the suggestion, which holds if ptxas has made none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.simulation import LINE_BYTES, AccessSample, StateSpace
from jitstudio.simulator.observers.accesses import (
    BANK_BYTES,
    Traffic,
    global_traffic,
    shared_traffic,
)
from jitstudio.simulator.observers.serving import Serving, serving_of
from jitstudio.simulator.ptx.program import AddressOperand, PtxInstruction, RegisterOperand
from jitstudio.simulator.state.model import WARP

_OFFSET = (1 << 24) - 1
"""The bits of an address of shared memory that are its place in the block's."""

_MATRIX_ROW = 16
"""Bytes of a row of a matrix that `ldmatrix` and `stmatrix` take, and what divides its address."""

_MORE = (1, 2, 4, 8)
"""Units of padding that are tried for each row."""

_MOST_ROWS = 3
_WIDEST = 16
_MISALIGNED = 1 << 60
_USUAL = 0.75
"""Of the lanes of an access, those that are the usual number of bytes behind the one before."""

_Addresses = NDArray[np.int64]
_Layout = Callable[[_Addresses], _Addresses]
_Form = Callable[[int, int], _Layout]


def with_suggestions(
    samples: Sequence[AccessSample], instructions: Sequence[PtxInstruction]
) -> tuple[AccessSample, ...]:
    """Returns the samples, costly ones with what would avoid that, if anything does.

    Args:
        samples: The costliest request of each access of a run.
        instructions: What makes each of them.
    """
    both = list(zip(samples, instructions, strict=True))
    merged = _merged(instructions)
    requests = _Requests([way for way in both if way[0].space is StateSpace.SHARED], merged)
    made = []
    for sample, instruction in both:
        text, may_merge = "", False
        if sample.space is StateSpace.SHARED and sample.cost > 1:
            may_merge = instruction.number in merged
            text = " ".join(_suggestions(sample, instruction, requests))
        elif sample.space is StateSpace.GLOBAL and sample.cost > 1:
            text = _coalesced(sample)
        made.append(replace(sample, suggestion=text, may_merge=may_merge))
    return tuple(made)


class _Choice(NamedTuple):
    """A layout without conflicts: what all accesses take in it, and the one that it is for.

    Attributes:
        total: Passes of all.
        more: Units more in each row.
        row: Bytes of a row.
        wavefronts: Passes of the one.
    """

    total: int
    more: int
    row: int
    wavefronts: int


class _Requests:
    """Requests to shared memory, counted together: all of one size and kind are one count.

    Args:
        samples: Each with its instruction.
        merged: The numbers of instructions that ptxas may merge, which it can no more once the
            address of the first of them is not divisible by the bytes of all.
    """

    def __init__(
        self, samples: Sequence[tuple[AccessSample, PtxInstruction]], merged: set[int]
    ) -> None:
        groups: dict[tuple[int, int, Serving], list[AccessSample]] = {}
        for sample, instruction in samples:
            unit = _WIDEST if instruction.number in merged else _aligned_to(sample, instruction)
            key = sample.size, unit, serving_of(instruction, sample.kind)
            groups.setdefault(key, []).append(sample)
        self._groups = {key: _as_warps(group) for key, group in groups.items()}
        self._totals: dict[tuple[_Form, int, int], int] = {}
        self.wavefronts = self._total(lambda addresses: addresses)

    def total(self, form: _Form, row: int, unit: int) -> int:
        """Returns what all of them together take in another layout."""
        key = (form, row, unit)
        if key not in self._totals:
            self._totals[key] = self._total(form(row, unit))
        return self._totals[key]

    def widest_in(self, start: int, end: int) -> int:
        """Returns by what the addresses of all accesses between two are divisible.

        The costliest request of an access is one of many: others of it are in other rows.
        """
        return max(
            (
                unit
                for (_, unit, *_), (_, addresses) in self._groups.items()
                if ((addresses >= start) & (addresses < end)).any()
            ),
            default=1,
        )

    def _total(self, layout: _Layout) -> int:
        total = 0
        for (size, unit, serving), (threads, addresses) in self._groups.items():
            # The parts of what is accessed at once stay together.
            starts = addresses // unit * unit
            moved = layout(starts)
            if (moved % unit).any():
                return _MISALIGNED
            there = moved + addresses - starts
            total += shared_traffic(threads, there, size, serving).wavefronts
        return total


def _as_warps(samples: Sequence[AccessSample]) -> tuple[_Addresses, _Addresses]:
    """Returns the threads and addresses of requests, each as that of a warp of its own."""
    lanes = [(n * WARP + lane, at) for n, one in enumerate(samples) for lane, at in one.lanes]
    threads, addresses = (np.array(part, np.int64) for part in zip(*lanes, strict=True))
    return threads, addresses & _OFFSET


def _aligned_to(sample: AccessSample, instruction: PtxInstruction) -> int:
    """Returns by what the addresses of an access have to be divisible."""
    return _MATRIX_ROW if instruction.opcode in ("ldmatrix", "stmatrix") else sample.size


def _merged(instructions: Sequence[PtxInstruction]) -> set[int]:
    """Returns the accesses next to which another one of their line goes on, from the same base."""
    places: dict[object, int] = {}
    for instruction in instructions:
        if (place := _place_of(instruction)) is not None:
            places[place] = instruction.number
    merged = set()
    for instruction in instructions:
        place = _place_of(instruction)
        if place is None:
            continue
        *same, offset, size = place
        for other in (offset - size, offset + size):
            if (number := places.get((*same, other, size))) is not None:
                merged |= {number, instruction.number}
    return merged


def _place_of(instruction: PtxInstruction) -> tuple[str, str, object, str, int, int] | None:
    """Returns what tells accesses that may be merged apart; the last two are offset and bytes."""
    address = next((o for o in instruction.operands if isinstance(o, AddressOperand)), None)
    if instruction.opcode not in ("ld", "st") or address is None or not instruction.types:
        return None
    if not isinstance(address.base, RegisterOperand):
        return None
    size = instruction.types[-1].size * (2 if "v2" in instruction.modifiers else 1)
    if size >= _WIDEST or "v4" in instruction.modifiers or "volatile" in instruction.modifiers:
        return None
    line = instruction.source if instruction.source.line else 0
    base = address.base.name
    return instruction.opcode, instruction.function, line, base, address.offset, size


def _suggestions(
    sample: AccessSample, instruction: PtxInstruction, requests: _Requests
) -> Iterator[str]:
    unit = max(_aligned_to(sample, instruction), BANK_BYTES)
    threads, addresses = _as_warps([sample])
    starts = addresses // unit * unit
    serving = serving_of(instruction, sample.kind)

    def taken(layout: _Layout) -> Traffic:
        there = layout(starts) + addresses - starts
        return shared_traffic(threads, there, sample.size, serving)

    def best(form: _Form, rows: Sequence[int], more: Sequence[int]) -> _Choice | None:
        """Returns the layout that leaves no conflict, of those that take the least in all."""
        choices = [
            _Choice(requests.total(form, row, count * unit), count, row, passes.wavefronts)
            for row in rows
            for count in more
            if count * unit % widest == 0
            and (passes := taken(form(row, count * unit))).conflicts == 0
        ]
        return min((c for c in choices if c.total < requests.wavefronts), default=None)

    widest = requests.widest_in(int(starts.min()), int(starts.max()) + 1)
    now, conflicts = taken(lambda same: same)[4:6]
    if not conflicts:
        return
    is_matrix = unit > max(sample.size, BANK_BYTES)
    rows = _rows_of(starts, unit)
    columns = max(unit, widest)
    if (choice := best(_padded, rows, _MORE)) is not None:
        more, row, takes = choice.more, choice.row, f"{choice.wavefronts} in place of {now}."
        if is_matrix:
            yield (
                f"With {more * unit} bytes more in each row of {row:,} bytes each matrix of 8 rows "
                f"takes {takes} Its rows must begin at multiples of {unit} bytes."
            )
        else:
            elements = "one element" if more == 1 else f"{more} elements"
            yield (
                f"With {elements} of {unit} bytes more in each row of {row:,} bytes, "
                f"[{row // unit} + {more}] in place of [{row // unit}], it takes {takes}"
            )
    lines = [row for row in rows if row % LINE_BYTES == 0]
    if (choice := best(_swizzled, lines, (columns // unit,))) is not None:
        yield (
            f"With [row][column ^ (row % {LINE_BYTES // columns})] wherever the array is accessed"
            f"{f', in columns of {columns} bytes' if columns > sample.size else ''}, it takes "
            f"{choice.wavefronts} in place of {now}, and needs no more memory."
        )


def _coalesced(sample: AccessSample) -> str:
    """Returns what an access to global memory takes if neighbouring lanes access neighbours.

    That is told where most are the same number of bytes apart; else it is not known what would
    help.
    """
    threads, addresses = (np.array(part, np.int64) for part in zip(*sample.lanes, strict=True))
    apart = np.diff(addresses)[np.diff(threads) == 1]
    if not apart.size:
        return ""
    kinds, counts = np.unique(apart, return_counts=True)
    usual = int(kinds[counts.argmax()])
    if abs(usual) <= sample.size or counts.max() < _USUAL * len(threads):
        return ""
    # Where another row begins, they are another number of bytes apart.
    begins = np.concatenate(([True], np.diff(addresses) != usual))
    starts = np.maximum.accumulate(np.where(begins, np.arange(len(threads)), 0))
    near = addresses[starts] + sample.size * (np.arange(len(threads)) - starts)
    sectors = global_traffic(threads, near, sample.size).sectors
    if sectors >= sample.cost:
        return ""
    way = "swap the indices, or bring a tile into shared memory first"
    if abs(usual) < LINE_BYTES:
        way = "swap the indices, or store each field in an array of its own"
    return (
        f"Neighbouring threads access what is {abs(usual):,} bytes apart; next to each other it "
        f"takes {sectors} sectors in place of {sample.cost}: {way}."
    )


def _rows_of(starts: _Addresses, unit: int) -> list[int]:
    """Returns how many bytes the rows of an array may have: what neighbouring lanes are apart."""
    apart = np.abs(np.diff(starts))
    kinds, counts = np.unique(apart[apart > unit], return_counts=True)
    most = kinds[np.argsort(-counts, kind="stable")][:_MOST_ROWS].tolist()
    whole = int(np.gcd.reduce(np.diff(np.unique(starts)), initial=0))
    return sorted({*most, whole} - {0, unit})


def _padded(row: int, unit: int) -> _Layout:
    return lambda addresses: addresses + addresses // row * unit


def _swizzled(row: int, unit: int) -> _Layout:
    columns = LINE_BYTES // unit

    def place(addresses: _Addresses) -> _Addresses:
        turned = addresses // unit % columns ^ addresses // row % columns
        return addresses // LINE_BYTES * LINE_BYTES + turned * unit + addresses % unit

    return place
