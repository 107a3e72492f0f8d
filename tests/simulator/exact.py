"""What arithmetic has to give, from Python's integers and fractions: the independent source."""

import math
from fractions import Fraction

import numpy as np

# Precision, least and largest exponent of normal numbers.
FORMATS = {
    "f16": (11, -14, 15),
    "bf16": (8, -126, 127),
    "tf32": (11, -126, 127),
    "f32": (24, -126, 127),
    "f64": (53, -1022, 1023),
    "e5m2": (3, -14, 15),
}
DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def rounded(exact, name, mode):
    """Returns an exact value as a format has it: a fraction or an infinity."""
    precision, emin, emax = FORMATS[name]
    if exact == 0:
        return Fraction(0)
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    quantum = Fraction(2) ** (max(exponent, emin) - precision + 1)
    whole, rest = divmod(size, quantum)
    up = {
        "rn": rest * 2 > quantum or (rest * 2 == quantum and whole % 2 == 1),
        "rz": False,
        "rp": rest > 0 and exact > 0,
        "rm": rest > 0 and exact < 0,
    }[mode]
    size = (whole + up) * quantum
    largest = (2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** emax
    if size > largest:
        away = mode == "rn" or mode == ("rp" if exact > 0 else "rm")
        size = math.inf if away else largest
    return -size if exact < 0 else size


def fractions(values):
    """Returns finite floats as fractions."""
    return [Fraction(float(x)) for x in values]


def differences(exact, results, name, mode):
    """Returns which results are not the exact values rounded once."""
    return [
        (i, float(got), want)
        for i, (got, want) in enumerate(zip(results, exact, strict=True))
        if float(got) != rounded(want, name, mode)
    ]


def hard_floats(name, count, seed):
    """Returns finite floats that make rounding hard: any bits, small integers, subnormals, ties.

    `count` of each kind, in an order that differs with the seed.
    """
    rng = np.random.default_rng(seed)
    dtype = DTYPES[name]
    info = np.finfo(dtype)
    bits = rng.integers(0, 1 << info.bits - 1, count, np.uint64, endpoint=True) * 2 + rng.integers(
        0, 2, count, np.uint64
    )
    whole = bits.astype(f"u{info.bits // 8}").view(dtype)
    scale = 1 << info.nmant + 1
    kinds = [
        np.where(np.isfinite(whole), whole, dtype(1)),
        rng.integers(-9, 9, count).astype(dtype),
        (rng.integers(-4, 5, count) * info.smallest_subnormal).astype(dtype),
        *(
            np.ldexp(rng.integers(-scale, scale, count).astype(dtype), exponents).astype(dtype)
            for exponents in (
                rng.integers(-5, 5, count) - info.nmant,
                rng.integers(-5, 5, count) + info.minexp // 2 - info.nmant,
                rng.integers(-5, 5, count) + max(info.minexp, info.minexp - info.nmant + 8),
            )
        ),
        np.ldexp(dtype(1), rng.integers(info.minexp - info.nmant, info.maxexp, count)),
    ]
    return rng.permutation(np.concatenate(kinds).astype(dtype))
