"""Products of matrices as tensor cores sum them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.arithmetic import floating
from jitstudio.simulator.arithmetic.rounding import canonical32, round_to

_KEPT = 25
"""Binary digits that a tensor core keeps below the first one of the largest summand."""
_NOTHING = -500
"""Stands for the exponent of 0."""


def is_aligned(element: str, result: str) -> bool:
    """Returns whether it is known how an H100 sums products: see `multiplied`."""
    return element in ("f16", "bf16", "tf32") and result == "f32"


def multiplied(
    left: NDArray[Any],
    right: NDArray[Any],
    total: NDArray[Any],
    name: str,
    saturates: bool,
    *,
    aligned: bool = False,
) -> NDArray[Any]:
    """Returns ``left @ right + total`` in a type, all of shape (warps, rows, columns).

    Args:
        left: The matrices A, float64 or int64.
        right: The matrices B.
        total: The matrices C.
        name: The type of the result.
        saturates: Whether integers are cut to their range (`.satfinite`).
        aligned: Whether it is summed as on an H100, to f32; else in float64 and rounded once.
    """
    if aligned:
        return _aligned_sum(left, right, total)
    if name == "s32":
        exact = left @ right + total
        if saturates:
            exact = np.clip(exact, -(1 << 31), (1 << 31) - 1)
        narrowed: NDArray[np.int32] = exact.astype(np.int32)
        return narrowed
    if name == "f64":
        shape = total.shape
        for k in range(left.shape[2]):
            x = np.broadcast_to(left[:, :, k, None], shape).reshape(-1)
            y = np.broadcast_to(right[:, None, k, :], shape).reshape(-1)
            total = floating.fma("f64", x, y, total.reshape(-1)).reshape(shape)
        return total
    rounded = round_to((left @ right + total).reshape(-1), name, "rn")
    return rounded.reshape(total.shape)


def _aligned_sum(
    left: NDArray[Any], right: NDArray[Any], total: NDArray[Any]
) -> NDArray[np.float32]:
    """Returns ``left @ right + total`` as the tensor cores of an H100 sum to f32.

    All summands are cut off 25 binary digits below the largest exponent, where that of a product
    is the sum of those of its factors, and the sum is cut off to f32. Found by, and equal to, the
    1,792 results of an H100 in tests/simulator/launches.py.
    """
    with np.errstate(all="ignore"):
        exponents = [
            np.where(x == 0, _NOTHING, np.frexp(x)[1] - 1).astype(np.int32)
            for x in (left, right, total)
        ]
        top = exponents[2]
        for k in range(left.shape[2]):
            top = np.maximum(top, exponents[0][:, :, k, None] + exponents[1][:, None, k, :])
        scale = np.ldexp(1.0, _KEPT - np.maximum(top, _NOTHING))
        kept = np.trunc(total * scale)
        for k in range(left.shape[2]):
            product = left[:, :, k, None] * scale
            product *= right[:, None, k, :]
            kept += np.trunc(product, out=product)
        kept /= scale
        cut: NDArray[np.float32] = kept.astype(np.float32)
        over = np.abs(cut) > np.abs(kept)
        cut = np.where(over & np.isfinite(cut), np.nextafter(cut, np.float32(0)), cut)
        plain = left @ right + total
        special = round_to(plain.reshape(-1), "f32", "rn").reshape(plain.shape)
        return canonical32(np.where(np.isfinite(plain), cut, special).astype(np.float32))
