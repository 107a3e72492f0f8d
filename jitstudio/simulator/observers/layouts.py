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
from jitstudio.simulator.observers.accesses import BANK_BYTES, Traffic, shared_traffic
from jitstudio.simulator.state.model import WARP

_OFFSET = (1 << 24) - 1
"""The bits of an address of shared memory that are its place in the block's."""

_Addresses = NDArray[np.int64]
_Layout = Callable[[_Addresses], _Addresses]
_Form = Callable[[int, int], _Layout]


def with_suggestions(samples: Sequence[AccessSample]) -> tuple[AccessSample, ...]:
    """Returns the samples, those with bank conflicts with what would avoid them, if anything does.

    Args:
        samples: The costliest request of each access of a run.
    """
    requests = _Requests([sample for sample in samples if sample.space is StateSpace.SHARED])
    return tuple(
        replace(sample, suggestion=" ".join(_suggestions(sample, requests)))
        if sample.space is StateSpace.SHARED and sample.cost > 1
        else sample
        for sample in samples
    )


class _Requests:
    """Requests to shared memory, counted together: all of one size are rows of one count."""

    def __init__(self, samples: Sequence[AccessSample]) -> None:
        self._by_size = {
            size: _as_warps([sample for sample in samples if sample.size == size])
            for size in {sample.size for sample in samples}
        }
        self._totals: dict[tuple[_Form, int, int], int] = {}
        self.wavefronts = self._total(lambda addresses: addresses)

    def improves(self, form: _Form, row: int, unit: int) -> bool:
        """Returns whether all of them together take less in another layout."""
        key = (form, row, unit)
        if key not in self._totals:
            self._totals[key] = self._total(form(row, unit))
        return self._totals[key] < self.wavefronts

    def _total(self, layout: _Layout) -> int:
        return sum(
            shared_traffic(threads, layout(addresses), size).wavefronts
            for size, (threads, addresses) in self._by_size.items()
        )


def _as_warps(samples: Sequence[AccessSample]) -> tuple[_Addresses, _Addresses]:
    """Returns the threads and addresses of requests, each as that of a warp of its own."""
    lanes = [(n * WARP + lane, at) for n, one in enumerate(samples) for lane, at in one.lanes]
    threads, addresses = (np.array(part, np.int64) for part in zip(*lanes, strict=True))
    return threads, addresses & _OFFSET


def _suggestions(sample: AccessSample, requests: _Requests) -> Iterator[str]:
    row = _row_bytes(sample)
    unit = max(sample.size, BANK_BYTES)
    if row % LINE_BYTES and LINE_BYTES % row:
        return
    threads, addresses = _as_warps([sample])

    def taken(layout: _Layout) -> Traffic:
        return shared_traffic(threads, layout(addresses), sample.size)

    padded = taken(_padded(row, unit))
    if padded.conflicts == 0 and requests.improves(_padded, row, unit):
        now = taken(lambda same: same).wavefronts
        yield (
            f"With one element of {unit} bytes more in each row of {row:,} bytes, [{row // unit} + "
            f"1] in place of [{row // unit}], it takes {padded.wavefronts} in place of {now}."
        )
    if (
        row >= LINE_BYTES
        and taken(_swizzled(row, unit)).conflicts == 0
        and requests.improves(_swizzled, row, unit)
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
