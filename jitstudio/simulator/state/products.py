"""Products of warp groups that run asynchronously, until they are waited for.

The simulator multiplies at once. But only behind a ``wgmma.wait_group`` for the group of a product
are the sums there and the matrices in shared memory and registers free for other uses; and only a
``wgmma.fence`` lets a product see earlier writes of threads to its registers (PTX ISA,
"Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.program import (
    PtxFunction,
    PtxInstruction,
    PtxProgram,
    RegisterOperand,
    VectorOperand,
    register_names,
    result_names,
    source_operands,
)
from jitstudio.simulator.state.memory import Offsets
from jitstudio.simulator.state.model import WARP, Threads

GROUP_WARPS = 4
"""Warps of a warp group."""

_NEVER = -1


class Touch(NamedTuple):
    """Registers of products that another instruction uses.

    Attributes:
        reads: The names of registers that it reads.
        writes: The names of registers that it writes.
    """

    reads: frozenset[str]
    writes: frozenset[str]


def touches(program: PtxProgram, kernel: PtxFunction) -> dict[int, Touch]:
    """Returns the instructions of a kernel that use registers of its products, by number.

    Copies by `mov` are left out: compilers move registers between any two instructions, and
    `ptxas` keeps these copies right.
    """
    body = program.instructions[kernel.start : kernel.end]
    of_products: set[str] = set()
    for instruction in body:
        if is_product(instruction):
            for operand in instruction.operands[:2]:
                if isinstance(operand, VectorOperand):
                    of_products.update(register_names(operand))
    if not of_products:
        return {}
    by_number = {}
    for instruction in body:
        # Products check their own registers: see `check_fenced`.
        if instruction.opcode not in ("wgmma", "mov"):
            writes = frozenset(result_names(instruction)) & of_products
            sources = source_operands(instruction)
            names = {name for operand in sources for name in register_names(operand)}
            if isinstance(instruction.guard, RegisterOperand):
                names.add(instruction.guard.name)
            reads = frozenset(names & of_products)
            if reads or writes:
                by_number[instruction.number] = Touch(reads, writes)
    return by_number


def is_product(instruction: PtxInstruction) -> bool:
    """Returns whether an instruction multiplies by warp groups."""
    return instruction.opcode == "wgmma" and "mma_async" in instruction.modifiers


@dataclass(frozen=True, eq=False)
class Product:
    """A matrix product of one instruction, for all warps that execute it together.

    Attributes:
        instruction: The instruction.
        step: Steps before it.
        sums: The names of the registers of the sums.
        fragments: The names of the registers of A.
        warps: The numbers of the warps that have not waited for it.
        groups: For each of them, the number of its `wgmma` group with the product.
        readers: The threads that read shared memory, each once for each of its pieces; of warp
            groups of which no warp has waited.
        offsets: The offsets of the pieces in the arena.
        addresses: Their addresses as the kernel sees them.
        size: Bytes of a piece.
    """

    instruction: PtxInstruction
    step: int
    sums: frozenset[str]
    fragments: frozenset[str]
    warps: NDArray[np.int64]
    groups: NDArray[np.int64]
    readers: Threads
    offsets: Offsets
    addresses: NDArray[np.int64]
    size: int

    def waiting(self, threads: Threads) -> NDArray[np.bool_]:
        """Returns which threads are of warps that have not waited for the product."""
        return np.isin(threads // WARP, self.warps)


class PendingProducts:
    """Products that nobody has waited for, and changes of their registers.

    Args:
        threads: How many there are.
        per_block: Warps of a block.
        touching: See `touches`.
    """

    def __init__(self, threads: int, per_block: int, touching: Mapping[int, Touch]) -> None:
        self.touching = touching
        self._per_block = per_block
        self._groups = np.zeros(threads // WARP, np.int64)
        self._fences = np.full(threads, _NEVER, np.int64)
        self._changed: dict[str, NDArray[np.int64]] = {}
        self._products: list[Product] = []

    def __bool__(self) -> bool:
        return bool(self._products)

    def copy(self) -> PendingProducts:
        """Returns the same products, to be changed independently."""
        twin = PendingProducts(0, self._per_block, self.touching)
        twin._groups, twin._fences = self._groups.copy(), self._fences.copy()
        twin._changed = {name: steps.copy() for name, steps in self._changed.items()}
        twin._products = list(self._products)
        return twin

    def first_warps(self, warps: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the first warp of the warp group of each warp."""
        return warps - warps % self._per_block % GROUP_WARPS

    def group_threads(self, product: Product) -> Threads:
        """Returns the numbers of the threads of all warp groups that read for a product."""
        # A warp group is four contiguous warps, the first of which has a rank divisible by 4.
        firsts = np.unique(self.first_warps(product.readers // WARP))
        return (firsts[:, None] * WARP + np.arange(GROUP_WARPS * WARP)).reshape(-1)

    def fence(self, threads: Threads, step: int) -> None:
        """Notes that threads have executed ``wgmma.fence``."""
        self._fences[threads] = step

    def change(self, names: Iterable[str], threads: Threads, step: int) -> None:
        """Notes that threads have given registers new values."""
        for name in names:
            if name not in self._changed:
                self._changed[name] = np.full(len(self._fences), _NEVER, np.int64)
            self._changed[name][threads] = step

    def unfenced(self, names: Iterable[str], threads: Threads) -> tuple[str, NDArray[np.bool_]]:
        """Returns a register changed since the last fence, and the threads that changed it.

        The name is empty where threads have never executed a fence.
        """
        fences = self._fences[threads]
        if (never_fenced := fences == _NEVER).any():
            return "", never_fenced
        for name in sorted(names):
            if name in self._changed and (late := self._changed[name][threads] > fences).any():
                return name, late
        return "", np.zeros(len(threads), np.bool_)

    def add(
        self,
        instruction: PtxInstruction,
        step: int,
        sums: frozenset[str],
        fragments: frozenset[str],
        threads: Threads,
        reads: tuple[Threads, Offsets, NDArray[np.int64]],
        size: int,
    ) -> None:
        """Notes a product; see `Product`."""
        warps = np.unique(threads // WARP)
        groups = self._groups[warps]
        product = Product(instruction, step, sums, fragments, warps, groups, *reads, size)
        self._products.append(product)

    def commit(self, threads: Threads) -> None:
        """Ends the current `wgmma` group of the warps of some threads."""
        self._groups[np.unique(threads // WARP)] += 1

    def wait(self, threads: Threads, but: int) -> list[Product]:
        """Lets warps wait for products; returns the reads of shared memory that end by that.

        Args:
            threads: Threads of the warps.
            but: The number of latest groups that may go on.
        """
        last = np.full(len(self._groups), _NEVER)
        mine = np.unique(threads // WARP)
        last[mine] = self._groups[mine] - but
        read: list[Product] = []
        pending: list[Product] = []
        for product in self._products:
            done = product.groups < last[product.warps]
            if not done.any():
                pending.append(product)
                continue
            # All warps of a group have read once the first of them knows that the product is done.
            ended = np.isin(
                self.first_warps(product.readers // WARP), self.first_warps(product.warps[done])
            )
            ends = np.isin(product.readers // WARP, product.warps[done])
            read.append(_reading(product, ended & ends))
            if not done.all():
                remaining = replace(
                    product, warps=product.warps[~done], groups=product.groups[~done]
                )
                pending.append(_reading(remaining, ~ended))
        self._products = pending
        return [product for product in read if product.readers.size]

    def with_registers(self, touch: Touch, threads: Threads) -> tuple[Product, str] | None:
        """Returns a pending product and the register of the product that threads use."""
        for product in reversed(self._products):
            names = (touch.reads | touch.writes) & product.sums or touch.writes & product.fragments
            if names and product.waiting(threads).any():
                return product, min(names)
        return None

    def reading(self, offsets: Offsets, size: int) -> tuple[Product, int, int] | None:
        """Returns a product that may still read some bytes, the reading thread, and the access.

        Args:
            offsets: Of the accesses, in the arena of shared memory.
            size: Bytes of each.
        """
        for product in reversed(self._products):
            if not product.offsets.size:
                continue
            starts = np.sort(product.offsets)
            # All pieces are equally long, so the last one that begins before the end decides.
            before = np.searchsorted(starts, offsets + size) - 1
            meets = (before >= 0) & (starts[before] + product.size > offsets)
            if meets.any():
                index = int(np.argmax(meets))
                at = starts[before[index]]
                return product, int(product.readers[np.argmax(product.offsets == at)]), index
        return None


def _reading(product: Product, chosen: NDArray[np.bool_]) -> Product:
    """Returns a product with a part of its reads."""
    return replace(
        product,
        readers=product.readers[chosen],
        offsets=product.offsets[chosen],
        addresses=product.addresses[chosen],
    )
