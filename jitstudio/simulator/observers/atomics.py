"""The sectors that atomic operations on global memory take, by the lanes of a warp.

L1 sends them on in rounds, as a packet for each sector. It has four slots, each for a line at a
time, and bits of the address say which one serves a line. In a round the first lane at each word
of a slot is a candidate, whatever its line; the slot takes the line of its first candidate, with
all candidates in that line, and all other lanes wait for the next round. So a sector is sent again
for lanes at one word, and for a lane that had to wait for the same word of another line. For
compare-and-swaps there are eight slots of half a line.

An H100 takes as many for the patterns of lanes in `h100_atomics.json` of the tests.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.simulation import LINE_BYTES, SECTOR_BYTES

_SLOT_BITS = (0x2F7BD5A80, 0x35D6AED00)
"""The bits of an address of which the parities are the number of its slot. Those from 2**34 on are
not known: within 16 GiB they are the same for all lanes, but for a carry."""
_WORD_BYTES = 4

_Numbers = NDArray[np.int64]


def sectors_of_atomics(
    rows: _Numbers, addresses: NDArray[Any], size: int, *, is_swap: bool
) -> _Numbers:
    """Returns the sectors that each warp takes, shape (warps,).

    Args:
        rows: The number of the warp of each active lane, from 0 on, sorted; lanes in order.
        addresses: The address of each, a multiple of `size`.
        size: Bytes of each operation.
        is_swap: Whether it is a compare-and-swap.
    """
    slot_bytes = LINE_BYTES // 2 if is_swap else LINE_BYTES
    slots = rows
    for bits in _SLOT_BITS:
        slots = slots * 2 + (np.bitwise_count(addresses.astype(np.uint64) & np.uint64(bits)) & 1)
    # Addresses begin at 0x7f00…; without the common part row and address fit one int64 as a key.
    offsets = (addresses - addresses.min() // LINE_BYTES * LINE_BYTES).astype(np.int64)
    word = max(size, _WORD_BYTES)
    offsets -= offsets % word
    slots = slots * (LINE_BYTES // slot_bytes) + offsets % LINE_BYTES // slot_bytes
    sectors, needs_rounds = _sent_in_turns(rows, offsets, slots, slot_bytes)
    if needs_rounds.any():
        lanes = needs_rounds[rows]
        sent = _sent_in_rounds(rows[lanes], offsets[lanes], slots[lanes], slot_bytes, word)
        sectors += np.bincount(sent, minlength=len(sectors))
    return sectors


def _sent_in_turns(
    rows: _Numbers, offsets: _Numbers, slots: _Numbers, slot_bytes: int
) -> tuple[_Numbers, NDArray[np.bool_]]:
    """Returns the sectors of the warps of which lanes wait only for others at their own word.

    Returns:
        For each warp, the sectors, each as often as lanes meet at one of its words; and whether it
        is another one, with 0 sectors: a slot serves two lines, and a sector has two words in use.
    """
    count = int(rows[-1]) + 1
    span = int(offsets.max()) // LINE_BYTES * LINE_BYTES + LINE_BYTES
    places, first, lanes = np.unique(rows * span + offsets, return_index=True, return_counts=True)
    sectors = _starts(places // SECTOR_BYTES)
    _, used = np.unique(slots[first], return_index=True)
    places_of, sectors_of, lines_of, slots_of = (
        np.bincount(places[part] // span, minlength=count)
        for part in (slice(None), sectors, _starts(places // slot_bytes), used)
    )
    needs_rounds = (places_of > sectors_of) & (lines_of > slots_of)
    turns = np.maximum.reduceat(lanes, sectors)
    sent = np.bincount(places[sectors] // span, turns, count).astype(np.int64)
    return np.where(needs_rounds, 0, sent), needs_rounds


def _sent_in_rounds(
    rows: _Numbers, offsets: _Numbers, slots: _Numbers, slot_bytes: int, word: int
) -> _Numbers:
    """Returns the warp of each sector that is sent."""
    lines = offsets // slot_bytes
    words = slots * slot_bytes + offsets % slot_bytes // word
    sent = []
    waiting = np.arange(len(rows))
    while waiting.size:
        _, first = np.unique(words[waiting], return_index=True)
        candidates = waiting[np.sort(first)]
        _, first, slot = np.unique(slots[candidates], return_index=True, return_inverse=True)
        served = candidates[lines[candidates] == lines[candidates[first]][slot]]
        # A slot serves one line, so that slot and sector of the line tell packets apart.
        packets = slots[served] * slot_bytes + offsets[served] % slot_bytes // SECTOR_BYTES
        _, first = np.unique(packets, return_index=True)
        sent.append(rows[served[first]])
        waiting = np.setdiff1d(waiting, served, assume_unique=True)
    return np.concatenate(sent)


def _starts(values: _Numbers) -> _Numbers:
    """Returns the places of the first of each run of equal values."""
    return np.flatnonzero(np.diff(values, prepend=values[0] - 1))
