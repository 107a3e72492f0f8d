"""Looks for a layout of shared memory in which an access has no bank conflicts.

A suggestion is no guess: the costliest requests of all accesses of the run to shared memory are
counted anew at the addresses that they would have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import gcd

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.simulation import LINE_BYTES, AccessSample, StateSpace
from jitstudio.simulator.accesses import BANK_BYTES, shared_traffic

_OFFSET = (1 << 24) - 1
"""The bits of an address of shared memory that are its place in the block's."""

_Addresses = NDArray[np.int64]
_Layout = Callable[[_Addresses], _Addresses]


def with_suggestions(samples: Sequence[AccessSample]) -> tuple[AccessSample, ...]:
    """Returns the samples, those with bank conflicts with what would avoid them, if anything does.

    Args:
        samples: The costliest request of each access of a run.
    """
    shared = [sample for sample in samples if sample.space is StateSpace.SHARED]
    return tuple(
        replace(sample, suggestion=" ".join(_suggestions(sample, shared)))
        if sample in shared and sample.cost > 1
        else sample
        for sample in samples
    )


def _suggestions(sample: AccessSample, others: Sequence[AccessSample]) -> Iterator[str]:
    row = _row_bytes(sample)
    unit = max(sample.size, BANK_BYTES)
    if row % LINE_BYTES and LINE_BYTES % row:
        return
    before = sum(map(_wavefronts, others))
    padded, swizzled = _padded(row, unit), _swizzled(row, unit)
    if _conflicts(sample, padded) == 0 and _total(others, padded) < before:
        yield (
            f"With one element of {unit} bytes more in each row of {row:,} bytes, [{row // unit} + "
            f"1] in place of [{row // unit}], it takes {_wavefronts(sample, padded)} in place of "
            f"{_wavefronts(sample)}."
        )
    if (
        row >= LINE_BYTES
        and _conflicts(sample, swizzled) == 0
        and _total(others, swizzled) < before
    ):
        yield (
            f"So it does with [row][column ^ (row % {LINE_BYTES // unit})] wherever the array is "
            "accessed, which needs no more memory."
        )


def _row_bytes(sample: AccessSample) -> int:
    """Returns the distance that all addresses of a request are multiples of apart."""
    addresses = sorted({address for _, address in sample.lanes})
    apart = 0
    for address in addresses[1:]:
        apart = gcd(apart, address - addresses[0])
    return max(apart, BANK_BYTES)


def _padded(row: int, unit: int) -> _Layout:
    return lambda addresses: addresses + addresses // row * unit


def _swizzled(row: int, unit: int) -> _Layout:
    columns = LINE_BYTES // unit

    def place(addresses: _Addresses) -> _Addresses:
        turned = addresses // unit % columns ^ addresses // row % columns
        return addresses // LINE_BYTES * LINE_BYTES + turned * unit + addresses % unit

    return place


def _same(addresses: _Addresses) -> _Addresses:
    return addresses


def _wavefronts(sample: AccessSample, layout: _Layout = _same) -> int:
    return _cost(sample, layout)[0]


def _conflicts(sample: AccessSample, layout: _Layout) -> int:
    return _cost(sample, layout)[1]


def _total(samples: Sequence[AccessSample], layout: _Layout) -> int:
    return sum(_wavefronts(sample, layout) for sample in samples)


def _cost(sample: AccessSample, layout: _Layout) -> tuple[int, int]:
    lanes, addresses = (np.array(part, np.int64) for part in zip(*sample.lanes, strict=True))
    traffic = shared_traffic(lanes, layout(addresses & _OFFSET), sample.size)
    return traffic.wavefronts, traffic.conflicts
