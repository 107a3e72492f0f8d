"""Products of warp groups that run by themselves, until they are waited for.

The simulator multiplies at once. That the sums are there, and that the matrices in shared memory
and registers are not needed any more, is known only behind ``wgmma.wait_group`` of a group that has
the product; and what the threads did to these registers before is known to it by ``wgmma.fence``
(PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions").
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
    """Which registers of products another instruction uses.

    Attributes:
        reads: Their names.
        writes: Likewise.
    """

    reads: frozenset[str]
    writes: frozenset[str]


def touches(program: PtxProgram, kernel: PtxFunction) -> dict[int, Touch]:
    """Returns which instructions of a kernel use registers of its products, by their numbers.

    Copies by `mov` are left out: compilers move registers between any two instructions, and
    `ptxas` sees to it that these are right.
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
    found = {}
    for instruction in body:
        if instruction.opcode not in ("wgmma", "mov"):
            writes = frozenset(result_names(instruction)) & of_products
            sources = source_operands(instruction)
            names = {name for operand in sources for name in register_names(operand)}
            if isinstance(instruction.guard, RegisterOperand):
                names.add(instruction.guard.name)
            reads = frozenset(names & of_products)
            if reads or writes:
                found[instruction.number] = Touch(reads, writes)
    return found


def is_product(instruction: PtxInstruction) -> bool:
    """Returns whether an instruction multiplies by warp groups."""
    return instruction.opcode == "wgmma" and "mma_async" in instruction.modifiers


@dataclass(frozen=True, eq=False)
class Product:
    """What one instruction multiplies, for all warps that do it together.

    Attributes:
        instruction: Which.
        step: Steps before it.
        sums: The names of the registers of the sums.
        fragments: Of those of A.
        warps: Which have not waited for it, by their numbers.
        groups: In which of its groups each of them has it.
        readers: The threads that read shared memory, each once for each of its pieces; of warp
            groups of which no warp has waited.
        offsets: Where these are in the arena.
        addresses: The same as the kernel sees them.
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
        """Returns which threads are of warps that have not waited for it."""
        return np.isin(threads // WARP, self.warps)


class PendingProducts:
    """The products that nobody has waited for, and what has become of their registers.

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
        """Returns the same ones, to be changed on their own."""
        other = PendingProducts(0, self._per_block, self.touching)
        other._groups, other._fences = self._groups.copy(), self._fences.copy()
        other._changed = {name: steps.copy() for name, steps in self._changed.items()}
        other._products = list(self._products)
        return other

    def first_warps(self, warps: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the first warp of the warp group of each warp."""
        return warps - warps % self._per_block % GROUP_WARPS

    def group_threads(self, product: Product) -> Threads:
        """Returns the numbers of the threads of all warp groups that read for a product."""
        firsts = np.unique(self.first_warps(product.readers // WARP))
        return (firsts[:, None] * WARP + np.arange(GROUP_WARPS * WARP)).reshape(-1)

    def fence(self, threads: Threads, step: int) -> None:
        """Takes note that threads have executed ``wgmma.fence``."""
        self._fences[threads] = step

    def change(self, names: Iterable[str], threads: Threads, step: int) -> None:
        """Takes note that threads have given registers new values."""
        for name in names:
            if name not in self._changed:
                self._changed[name] = np.full(len(self._fences), _NEVER, np.int64)
            self._changed[name][threads] = step

    def unfenced(self, names: Iterable[str], threads: Threads) -> tuple[str, NDArray[np.bool_]]:
        """Returns a register that threads have changed since their last fence, and which of them.

        The name is empty where they have never executed one.
        """
        fences = self._fences[threads]
        if (none := fences == _NEVER).any():
            return "", none
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
        """Takes note of a product; see `Product`."""
        warps = np.unique(threads // WARP)
        groups = self._groups[warps]
        product = Product(instruction, step, sums, fragments, warps, groups, *reads, size)
        self._products.append(product)

    def commit(self, threads: Threads) -> None:
        """Ends the group of products of each of the warps of these threads."""
        self._groups[np.unique(threads // WARP)] += 1

    def wait(self, threads: Threads, but: int) -> list[Product]:
        """Lets warps wait for products; returns what of these has read shared memory until now.

        Args:
            threads: Of these warps.
            but: How many of the last groups may go on.
        """
        last = np.full(len(self._groups), _NEVER)
        mine = np.unique(threads // WARP)
        last[mine] = self._groups[mine] - but
        read: list[Product] = []
        kept: list[Product] = []
        for product in self._products:
            done = product.groups < last[product.warps]
            if not done.any():
                kept.append(product)
                continue
            # Of a warp group all have read when the first of its warps knows it.
            ended = np.isin(
                self.first_warps(product.readers // WARP), self.first_warps(product.warps[done])
            )
            ends = np.isin(product.readers // WARP, product.warps[done])
            read.append(_reading(product, ended & ends))
            if not done.all():
                left = replace(product, warps=product.warps[~done], groups=product.groups[~done])
                kept.append(_reading(left, ~ended))
        self._products = kept
        return [product for product in read if product.readers.size]

    def with_registers(self, touch: Touch, threads: Threads) -> tuple[Product, str] | None:
        """Returns a product that threads have not waited for, and a register that they use."""
        for product in reversed(self._products):
            names = (touch.reads | touch.writes) & product.sums or touch.writes & product.fragments
            if names and product.waiting(threads).any():
                return product, min(names)
        return None

    def reading(self, offsets: Offsets, size: int) -> tuple[Product, int, int] | None:
        """Returns a product that may still read some of these bytes, by whom, and which access.

        Args:
            offsets: Of the accesses, in the arena of shared memory.
            size: Bytes of each.
        """
        for product in reversed(self._products):
            if not product.offsets.size:
                continue
            held = np.sort(product.offsets)
            before = np.searchsorted(held, offsets + size) - 1
            meets = (before >= 0) & (held[before] + product.size > offsets)
            if meets.any():
                index = int(np.argmax(meets))
                at = held[before[index]]
                return product, int(product.readers[np.argmax(product.offsets == at)]), index
        return None


def _reading(product: Product, chosen: NDArray[np.bool_]) -> Product:
    """Returns a product with some of what it reads."""
    return replace(
        product,
        readers=product.readers[chosen],
        offsets=product.offsets[chosen],
        addresses=product.addresses[chosen],
    )
