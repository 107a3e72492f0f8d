"""Where the matrices lie that `wgmma` reads from shared memory, by their 64-bit descriptors.

A matrix is made of pieces of 16 bytes. See "Asynchronous Warpgroup Level Matrix Shared Memory
Layout" of the PTX ISA; in its words a core matrix has 8 of these pieces. With w pieces in a row of
the swizzling mode (1 without one, 2, 4 or 8 for 32, 64 or 128 bytes):

* K-major: piece k of row r is ``r % 8`` rows of the mode, ``r // 8`` strides and k pieces on from
  the start; without swizzling k leading offsets.
* Transposed: piece i of column k is ``k % 8`` rows of the mode, ``k // 8`` strides, ``i % w``
  pieces and ``i // w`` leading offsets on; without swizzling k takes the leading offset and i the
  stride.

Then three, two or one of the bits of the address from bit 7 on, less those of the base offset, are
added to those from bit 4 on without a carry. An H100 reads the same bytes by random descriptors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

PIECE = 16
"""Bytes that lie together."""

_ADDRESS = (1 << 14) - 1
_WIDE = np.array([1, 8, 4, 2])
"""Pieces in a row of each swizzling mode."""


class Descriptor(NamedTuple):
    """What descriptors say, each field of shape (groups, 1, 1).

    Attributes:
        start: Address in shared memory.
        leading: Leading dimension byte offset.
        stride: Stride dimension byte offset.
        base: Rows of 128 bytes from where the pattern of the mode begins to a multiple of it.
        wide: Pieces in a row of the swizzling mode.
    """

    start: NDArray[np.int64]
    leading: NDArray[np.int64]
    stride: NDArray[np.int64]
    base: NDArray[np.int64]
    wide: NDArray[np.int64]

    @classmethod
    def of(cls, words: NDArray[np.uint64]) -> Descriptor:
        """Returns what 64-bit words say."""
        held = words.astype(np.uint64).reshape(-1, 1, 1)

        def field(first: int, mask: int) -> NDArray[Any]:
            return (held >> np.uint64(first) & np.uint64(mask)).astype(np.int64)

        start, leading, stride = (field(first, _ADDRESS) * PIECE for first in (0, 16, 32))
        return cls(start, leading, stride, field(49, 7), _WIDE[field(62, 3)])

    def pieces(self, rows: int) -> NDArray[np.int64]:
        """Returns the addresses of the two pieces of each row, of shape (groups, rows, 2)."""
        row, piece = np.arange(rows)[None, :, None], np.arange(2)[None, None, :]
        apart = np.where(self.wide == 1, self.leading, PIECE)
        at = row % 8 * PIECE * self.wide + row // 8 * self.stride + piece * apart
        return self._swizzled(self.start + at)

    def transposed_pieces(self, rows: int) -> NDArray[np.int64]:
        """Returns those of 8 rows each of the 16 columns, of shape (groups, rows / 8, 16)."""
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
