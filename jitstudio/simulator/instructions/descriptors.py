"""The places in shared memory of the matrices of `wgmma`, by 64-bit descriptors.

A matrix is made of pieces of 16 bytes. See "Asynchronous Warpgroup Level Matrix Shared Memory
Layout" of the PTX ISA; in its words a core matrix has 8 of these pieces. With w pieces in a row of
the swizzling mode (1 without one, 2, 4 or 8 for 32, 64 or 128 bytes):

* K-major: piece k of row r is ``r % 8`` rows of the mode, ``r // 8`` strides and k pieces on from
  the start; without swizzling k leading offsets.
* Transposed: piece i of column k is ``k % 8`` rows of the mode, ``k // 8`` strides, ``i % w``
  pieces and ``i // w`` leading offsets on; without swizzling k takes the leading offset and i the
  stride.

Then three, two or one of the bits of the address from bit 7 on, less those of the base offset, are
added to the bits from bit 4 on without a carry. An H100 reads the same bytes by random descriptors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

PIECE = 16
"""Bytes of a piece, which lie together."""

_ADDRESS = (1 << 14) - 1
# PTX ISA, "Matrix Descriptor Format": 0 is no swizzling, 1 of 128 bytes, 2 of 64, 3 of 32.
_WIDE = np.array([1, 8, 4, 2])
"""Pieces in a row of each swizzling mode."""


class Descriptor(NamedTuple):
    """The fields of matrix descriptors, each of shape (groups, 1, 1).

    Attributes:
        start: Address in shared memory.
        leading: Leading dimension byte offset.
        stride: Stride dimension byte offset.
        base: Rows of 128 bytes from the start of the mode's pattern to a multiple of its size.
        wide: Pieces in a row of the swizzling mode.
    """

    start: NDArray[np.int64]
    leading: NDArray[np.int64]
    stride: NDArray[np.int64]
    base: NDArray[np.int64]
    wide: NDArray[np.int64]

    @classmethod
    def of(cls, words: NDArray[np.uint64]) -> Descriptor:
        """Returns the fields of 64-bit words."""
        bits = words.astype(np.uint64).reshape(-1, 1, 1)

        def field(first: int, mask: int) -> NDArray[Any]:
            return (bits >> np.uint64(first) & np.uint64(mask)).astype(np.int64)

        # PTX ISA, "Matrix Descriptor Format": bits 0-13, 16-29 and 32-45 without their lowest four
        # bits, 49-51 the base offset, 62-63 the swizzling mode.
        start, leading, stride = (field(first, _ADDRESS) * PIECE for first in (0, 16, 32))
        return cls(start, leading, stride, field(49, 7), _WIDE[field(62, 3)])

    def pieces(self, rows: int) -> NDArray[np.int64]:
        """Returns the addresses of the two pieces of each row, of shape (groups, rows, 2)."""
        row, piece = np.arange(rows)[None, :, None], np.arange(2)[None, None, :]
        apart = np.where(self.wide == 1, self.leading, PIECE)
        at = row % 8 * PIECE * self.wide + row // 8 * self.stride + piece * apart
        return self._swizzled(self.start + at)

    def transposed_pieces(self, rows: int) -> NDArray[np.int64]:
        """Returns the addresses of pieces of 8 rows, of shape (groups, rows / 8, 16 columns)."""
        piece, column = np.arange(rows // 8)[None, :, None], np.arange(16)[None, None, :]
        plain = self.wide == 1
        across = np.where(plain, self.stride, self.leading)
        down = np.where(plain, self.leading, self.stride)
        at = piece % self.wide * PIECE + piece // self.wide * across
        at = at + column % 8 * PIECE * self.wide + column // 8 * down
        return self._swizzled(self.start + at)

    def _swizzled(self, addresses: NDArray[np.int64]) -> NDArray[np.int64]:
        turned = (addresses >> 7) - self.base & self.wide - 1
        return addresses ^ turned << 4
