"""How many registers the operands of a texture instruction take.

Where a texture is read, four components come in two vectors of two, of which those that the mask
leaves out are not written; coordinates and what else is told lie in two vectors as well. Found by
holding what is alive against nvdisasm's counts, from sm_75 to sm_90.
"""

from __future__ import annotations

import re

from jitstudio.analysis.names import names

TEXTURES = names("TEX TLD TLD4 TXD")
"""What has such vectors."""

COORDINATES = {
    **dict.fromkeys(("1D", "1D_BUFFER"), 1),
    **dict.fromkeys(("2D", "1D_ARRAY", "ARRAY_1D"), 2),
    **dict.fromkeys(("3D", "CUBE", "2D_ARRAY", "ARRAY_2D"), 3),
    "ARRAY_CUBE": 4,
}
"""How many numbers tell a place, by the shape."""

_ALL = 0xF
_NUMBER = re.compile("0x[0-9a-f]+")
# Each takes one number more: the texture itself, the level or its bias, the offset, what is
# compared with.
_MORE = names("LL LB B DC AOFFI")
# All numbers are shared out among two vectors, of which each has two at most.
_SHARED = "SCR"
_GRADIENTS = "TXD"
# Two components lie in one register.
_HALVES = "F16"


def texture_widths(opcode: str, operands: list[str]) -> tuple[int, int, int, int]:
    """Registers of the vectors: the upper components, the lower ones, and the two that are read."""
    base, *modifiers = opcode.split(".")
    shape = next((text for text in operands if text in COORDINATES), "1D")
    more = sum(modifier in _MORE for modifier in modifiers)
    size = 2 if _HALVES in modifiers else 1
    count = _mask(operands).bit_count()
    upper, lower = (-(-part // size) for part in (max(count - 2, 0), min(count, 2)))
    return upper, lower, *_sources(base, shape, more, _SHARED in modifiers)


def _sources(base: str, shape: str, more: int, shared: bool) -> tuple[int, int]:
    place = COORDINATES[shape]
    if base == _GRADIENTS:
        # There are two for each coordinate, and none for the layer.
        return place, 2 * (place - ("ARRAY" in shape))
    if not shared:
        return place, max(more, 1)
    first = 2 if place + more > 2 else 1
    return first, max(place + more - first, 1)


def _mask(operands: list[str]) -> int:
    """The last operand, if it stands behind the shape."""
    *before, last = operands
    is_mask = before and before[-1] in COORDINATES and _NUMBER.fullmatch(last)
    return int(last, 16) & _ALL if is_mask else _ALL
