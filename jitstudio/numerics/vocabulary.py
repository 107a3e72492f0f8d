"""The words of expressions: NumPy's names that neither read nor write anything but numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _erf(values: Any) -> Any:
    """The error function, which NumPy lacks, in double precision."""
    array = np.asarray(values, np.float64)
    numbers = np.fromiter(map(math.erf, array.flat), np.float64, array.size)
    return numbers.reshape(array.shape)


_FUNCTIONS = _words(
    """
    abs absolute fabs sign sqrt cbrt square reciprocal exp exp2 expm1 log log2 log10 log1p power pow
    sin cos tan arcsin arccos arctan arctan2 asin acos atan atan2 sinh cosh tanh arcsinh arccosh
    arctanh asinh acosh atanh hypot deg2rad rad2deg floor ceil trunc rint round around
    add subtract multiply divide floor_divide mod remainder fmod negative gcd lcm
    minimum maximum fmin fmax clip where select isnan isinf isfinite isclose nan_to_num copysign
    nextafter ldexp heaviside logical_and logical_or logical_not logical_xor
    bitwise_and bitwise_or bitwise_xor bitwise_not invert left_shift right_shift bitwise_count
    arange linspace zeros ones full zeros_like ones_like full_like eye identity array asarray
    concatenate stack hstack vstack tile repeat broadcast_to reshape ravel transpose swapaxes
    squeeze expand_dims roll flip take pad diag tril triu diff gradient
    sum prod mean median var std min max amin amax ptp argmin argmax any all nansum count_nonzero
    cumsum cumprod sort argsort unique searchsorted bincount histogram digitize interp convolve
    correlate dot matmul inner outer cross trace
    """
)

_TYPES = _words("int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool_")

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in _FUNCTIONS},
    "erf": _erf,
}
"""What may be called."""

TYPES: dict[str, Any] = {
    **{name: getattr(np, name) for name in _TYPES},
    "bool": np.bool_,
    "int": np.int64,
    "float": np.float64,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}
"""What numbers may be made: ``float32(x)`` and ``x.astype(float32)``."""

CONSTANTS: dict[str, float] = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
"""What is always known."""

ATTRIBUTES = _words("T shape size ndim dtype real imag")
"""What may be read of an array."""

METHODS = _words(
    """
    astype view reshape ravel flatten transpose swapaxes squeeze copy clip round repeat take dot
    sum prod mean var std min max argmin argmax argsort any all cumsum cumprod
    """
)
"""What may be called of an array."""

KEYWORDS = _words(
    """
    axis dtype shape keepdims decimals num endpoint bins range density weights minlength side shift
    repeats a_min a_max min max k n start stop step initial ddof mode constant_values equal_nan
    rtol atol right left
    """
)
"""Names of arguments; not `out`, which writes, nor `like`, which calls what it is given."""

WORDS = TYPES.keys() | _words("left right constant edge wrap reflect symmetric same valid full")
"""The strings that NumPy takes as arguments."""
