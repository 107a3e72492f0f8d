"""Faults around products of warp groups: uses of registers and memory before a wait or a fence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.state.faults import line_of
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.memory import Offsets
from jitstudio.simulator.state.model import (
    Access,
    AccessKind,
    FaultKind,
    StateSpace,
    SyncScope,
    Threads,
)
from jitstudio.simulator.state.products import Product, Touch
from jitstudio.simulator.state.wave import Wave

Reads = tuple[Threads, Offsets, NDArray[np.int64]]
"""Threads, and the offsets and addresses that they read."""


def multiplying(
    wave: Wave,
    sums: frozenset[str],
    fragments: frozenset[str],
    threads: Threads,
    reads: Sequence[Reads],
    size: int,
) -> None:
    """Notes a product of warp groups that has to be waited for.

    Args:
        wave: The resident blocks.
        sums: The names of the registers that the product changes.
        fragments: The names of the registers that it reads.
        threads: Of the warp groups.
        reads: The reads of shared memory.
        size: Bytes of each read.
    """
    assert wave.current is not None
    readers, offsets, addresses = (np.concatenate(x) for x in zip(*reads, strict=True))
    places = readers, offsets, addresses
    wave.products.add(wave.current, wave.clock - 1, sums, fragments, threads, places, size)


def ended(wave: Wave, products: list[Product]) -> None:
    """Notes that products have been waited for, whose reads of memory end here."""
    # The read is shown again at the wait: writes before it race with the product.
    for product in products if wave.on_copied else ():
        access = Access(
            product.instruction,
            product.readers,
            StateSpace.SHARED,
            AccessKind.READ,
            product.offsets,
            product.addresses.view(np.uint64),
            product.size,
            step=product.step,
        )
        for observer in wave.on_copied:
            observer.copied(access)
        if wave.on_synchronised:
            # A product that has ended for one warp of the group has ended for all of them.
            wave.synchronised(wave.products.group_threads(product), SyncScope.BLOCK)


def check_fenced(wave: Wave, names: Iterable[str], threads: Threads) -> None:
    """Notes threads whose changes of registers no ``wgmma.fence`` has shown to a product."""
    name, late = wave.products.unfenced(names, threads)
    if not late.any():
        return
    if name:
        message = f"multiplies with {name}, which it has changed after the last wgmma.fence"
    else:
        message = "multiplies in a warp group without wgmma.fence before the first product"
        # As if they had executed the fence, so that it is reported only once.
        wave.products.fence(threads, 0)
    wave.tell(FaultKind.NOT_FENCED, threads[late], message)


def check_touch(wave: Wave, touch: Touch, threads: Selection) -> None:
    """Notes threads that use registers of a pending product."""
    numbers = wave.numbers[threads]
    pending = wave.products.with_registers(touch, numbers)
    if pending is not None and not wave.is_repeated(pending[0].instruction, FaultKind.PRODUCT):
        product, name = pending
        chosen = numbers[product.waiting(numbers)]
        place = wave.layout.place(product.instruction, int(chosen[0]), product.step)
        verb = "changes" if name in touch.writes else "reads"
        of = "a sum" if name in product.sums else "a part of A"
        wave.tell(
            FaultKind.PRODUCT,
            chosen,
            f"{verb} {name}, {of} of a product that was not waited for",
            other=place,
            more=f"The warp group multiplies at {line_of(place)}. Each of its warps must wait "
            "(wgmma.commit_group, wgmma.wait_group) before it uses these registers.",
        )
    wave.products.change(touch.writes, numbers, wave.clock)


def check_not_read(
    wave: Wave, offsets: Offsets, addresses: NDArray[np.int64], threads: Selection, size: int
) -> None:
    """Notes threads that write bytes that a product may still read."""
    if (pending_read := wave.products.reading(offsets, size)) is None:
        return
    product, thread, index = pending_read
    place = wave.layout.place(product.instruction, thread, product.step)
    wave.tell(
        FaultKind.PRODUCT,
        wave.numbers[threads][index : index + 1],
        f"writes {size} bytes of shared memory at 0x{int(addresses[index]):x} that a product "
        "which was not waited for may still read",
        other=place,
        more=f"The warp group multiplies at {line_of(place)}. It must wait "
        "(wgmma.commit_group, wgmma.wait_group) before anyone writes there, and other threads "
        "need a barrier after that.",
    )
