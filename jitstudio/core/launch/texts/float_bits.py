"""Rounds numbers to the floating-point types of GPUs, to the nearest and ties to even."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class FloatFormat:
    """A floating-point type.

    Attributes:
        exponent: Bits of the exponent.
        fraction: Bits of the fraction, without the implied one.
        infinite: Whether there are infinities; without, only one pattern is no number.
    """

    exponent: int
    fraction: int
    infinite: bool = True

    @property
    def bias(self) -> int:
        """What is added to an exponent before it is stored."""
        return (1 << (self.exponent - 1)) - 1

    @property
    def infinity(self) -> int:
        """The bits of infinity, or of NaN where there is none."""
        ones = (1 << self.exponent) - 1
        return ones << self.fraction if self.infinite else (ones + 1 << self.fraction) - 1

    @property
    def nan(self) -> int:
        """The bits of a quiet NaN."""
        return self.infinity | (1 << (self.fraction - 1))

    @property
    def largest(self) -> float:
        """The largest finite number."""
        steps = self.infinity - 1
        fraction = steps & ((1 << self.fraction) - 1) | 1 << self.fraction
        return math.ldexp(fraction, (steps >> self.fraction) - self.bias - self.fraction)


FORMATS = {
    "float64": FloatFormat(11, 52),
    "float32": FloatFormat(8, 23),
    "float16": FloatFormat(5, 10),
    "bfloat16": FloatFormat(8, 7),
    "float8_e5m2": FloatFormat(5, 2),
    "float8_e4m3fn": FloatFormat(4, 3, infinite=False),
}
"""By the name that NumPy and `ml_dtypes` have for them."""


def rounded(value: float, to: FloatFormat) -> tuple[int, float]:
    """The bits of the nearest number of this type, and that number.

    Raises:
        OverflowError: There is none: it is too large, or infinite in a type without infinities.
    """
    sign = int(math.copysign(1, value) < 0) << (to.exponent + to.fraction)
    if math.isnan(value):
        return sign | to.nan, value
    if math.isinf(value) and to.infinite:
        return sign | to.infinity, value
    if math.isinf(value):
        raise OverflowError
    if not value:
        return sign, value
    # Below the smallest normal number the steps stay as they are there.
    exponent = max(math.frexp(value)[1] - 1, 1 - to.bias)
    steps = round(math.ldexp(abs(value), to.fraction - exponent))
    # The implied one of a normal number adds the last unit to its exponent, as does a carry.
    bits = steps + ((exponent + to.bias - 1) << to.fraction)
    if bits >= to.infinity:
        raise OverflowError
    return sign | bits, math.copysign(math.ldexp(steps, exponent - to.fraction), value)
