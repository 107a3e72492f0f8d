"""Searches for a layout of memory in which an access takes less.

A suggestion is no guess: the costliest requests of all accesses of the run to shared memory are
counted anew at the addresses that they would have, and all of them must still be aligned. Where
ptxas may merge several accesses of the PTX into a wide one, these counts are not those of a GPU:
the suggestion says so, and holds if ptxas has merged none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.simulation import LINE_BYTES, AccessSample, StateSpace
from jitstudio.ptx.opcodes import MATRIX_ACCESSES, PLAIN_ACCESSES
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
    """Returns the samples, costly ones with a cheaper layout or access, if there is any.

    Args:
        samples: The costliest request of each access of a run.
        instructions: The instruction of each.
    """
    pairs = list(zip(samples, instructions, strict=True))
    merged = _merged(instructions)
    requests = _Requests([pair for pair in pairs if pair[0].space is StateSpace.SHARED], merged)
    suggested = []
    for sample, instruction in pairs:
        text, may_merge = "", False
        if sample.space is StateSpace.SHARED and sample.cost > 1:
            may_merge = instruction.number in merged
            text = " ".join(_suggestions(sample, instruction, requests))
        elif sample.space is StateSpace.GLOBAL and sample.cost > 1:
            text = _coalesced(sample)
        suggested.append(replace(sample, suggestion=text, may_merge=may_merge))
    return tuple(suggested)


class _Choice(NamedTuple):
    """A layout that leaves an access without conflicts, with its cost for all accesses.

    Attributes:
        total: Passes of all accesses.
        more: Units more in each row.
        row: Bytes of a row.
        wavefronts: Passes of the access.
    """

    total: int
    more: int
    row: int
    wavefronts: int


class _Requests:
    """Requests to shared memory, counted together: a count for each size and kind.

    Args:
        samples: Each with its instruction.
        merged: The numbers of instructions that ptxas may merge, as long as the address of the
            first is divisible by the bytes of all.
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
        """Returns the passes of all requests together in another layout."""
        key = (form, row, unit)
        if key not in self._totals:
            self._totals[key] = self._total(form(row, unit))
        return self._totals[key]

    def widest_in(self, start: int, end: int) -> int:
        """Returns the greatest alignment of accesses between two addresses.

        The costliest request of an access is one of many, which access other rows.
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
            # The bytes of an access stay next to each other.
            starts = addresses // unit * unit
            moved = layout(starts)
            if (moved % unit).any():
                return _MISALIGNED
            moved_addresses = moved + addresses - starts
            total += shared_traffic(threads, moved_addresses, size, serving).wavefronts
        return total


def _as_warps(samples: Sequence[AccessSample]) -> tuple[_Addresses, _Addresses]:
    """Returns the threads and addresses of requests, a warp for each."""
    lanes = [(n * WARP + lane, at) for n, x in enumerate(samples) for lane, at in x.lanes]
    threads, addresses = (np.array(part, np.int64) for part in zip(*lanes, strict=True))
    return threads, addresses & _OFFSET


def _aligned_to(sample: AccessSample, instruction: PtxInstruction) -> int:
    """Returns the alignment that the addresses of an access need."""
    return _MATRIX_ROW if instruction.opcode in MATRIX_ACCESSES else sample.size


def _merged(instructions: Sequence[PtxInstruction]) -> set[int]:
    """Returns the accesses that another access of the same line and base continues."""
    places: dict[object, int] = {}
    for instruction in instructions:
        if (place := _place_of(instruction)) is not None:
            places[place] = instruction.number
    # `ld.shared.f32` at [%r1] and [%r1+4] on one line: ptxas may make an LDS.64 of them.
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
    """Returns opcode, function, line, base, offset and bytes of an access that may be merged."""
    address = next((o for o in instruction.operands if isinstance(o, AddressOperand)), None)
    if instruction.opcode not in PLAIN_ACCESSES or address is None or not instruction.types:
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
    widest = requests.widest_in(int(starts.min()), int(starts.max()) + 1)

    def taken(layout: _Layout) -> Traffic:
        there = layout(starts) + addresses - starts
        return shared_traffic(threads, there, sample.size, serving)

    def best(form: _Form, rows: Sequence[int], more: Sequence[int]) -> _Choice | None:
        """Returns the layout without conflicts whose total is least, if below the present one."""
        choices = [
            _Choice(requests.total(form, row, count * unit), count, row, passes.wavefronts)
            for row in rows
            for count in more
            if count * unit % widest == 0
            and (passes := taken(form(row, count * unit))).conflicts == 0
        ]
        return min((c for c in choices if c.total < requests.wavefronts), default=None)

    present = taken(lambda addresses: addresses)
    if not present.conflicts:
        return
    now = present.wavefronts
    is_matrix = unit > max(sample.size, BANK_BYTES)
    rows = _rows_of(starts, unit)
    # A swizzle moves whole columns, so each must hold the widest access to the array.
    columns = max(unit, widest)
    if (choice := best(_padded, rows, _MORE)) is not None:
        more, row, takes = choice.more, choice.row, f"{choice.wavefronts} instead of {now}."
        if is_matrix:
            yield (
                f"With {more * unit} bytes more in each row of {row:,} bytes each matrix of 8 rows "
                f"takes {takes} Its rows must begin at multiples of {unit} bytes."
            )
        else:
            elements = "one element" if more == 1 else f"{more} elements"
            yield (
                f"With {elements} of {unit} bytes more in each row of {row:,} bytes, "
                f"[{row // unit} + {more}] instead of [{row // unit}], it takes {takes}"
            )
    lines = [row for row in rows if row % LINE_BYTES == 0]
    if (choice := best(_swizzled, lines, (columns // unit,))) is not None:
        yield (
            f"With [row][column ^ (row % {LINE_BYTES // columns})] wherever the array is accessed"
            f"{f', in columns of {columns} bytes' if columns > sample.size else ''}, it takes "
            f"{choice.wavefronts} instead of {now}, and needs no more memory."
        )


def _coalesced(sample: AccessSample) -> str:
    """Returns the cost of an access to global memory if neighbouring lanes access neighbours.

    The text is empty unless most lanes are the same number of bytes apart: otherwise nobody knows
    which change would help.
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
    # A whole line or more apart: a[column][row]. Less: fields of an array of structs.
    way = "swap the indices, or bring a tile into shared memory first"
    if abs(usual) < LINE_BYTES:
        way = "swap the indices, or store each field in an array of its own"
    return (
        f"Neighbouring threads access what is {abs(usual):,} bytes apart; next to each other it "
        f"takes {sectors} sectors instead of {sample.cost}: {way}."
    )


def _rows_of(starts: _Addresses, unit: int) -> list[int]:
    """Returns possible bytes of a row of the array, by the distances of neighbouring lanes."""
    apart = np.abs(np.diff(starts))
    kinds, counts = np.unique(apart[apart > unit], return_counts=True)
    # Lanes that walk down a column are one row apart.
    most = kinds[np.argsort(-counts, kind="stable")][:_MOST_ROWS].tolist()
    whole = int(np.gcd.reduce(np.diff(np.unique(starts)), initial=0))
    return sorted({*most, whole} - {0, unit})


def _padded(row: int, unit: int) -> _Layout:
    return lambda addresses: addresses + addresses // row * unit


def _swizzled(row: int, unit: int) -> _Layout:
    columns = LINE_BYTES // unit

    def place(addresses: _Addresses) -> _Addresses:
        # Exclusive or maps the columns of a row one to one, so it costs no memory.
        turned = addresses // unit % columns ^ addresses // row % columns
        return addresses // LINE_BYTES * LINE_BYTES + turned * unit + addresses % unit

    return place
