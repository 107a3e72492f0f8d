"""The largest size with which the buffers of a launch fit into a memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from jitstudio.core.diagnostics import Fix, FixKind
from jitstudio.core.launch.values import Number

_STEPS = (256, 32, 1)
_LEAST = 2


class Fitting(NamedTuple):
    """A size with which all buffers fit.

    Attributes:
        words: That size, and how to give it: a sentence.
        fix: What sets it.
    """

    words: str
    fix: Fix


def largest_fitting(
    names: Mapping[str, Number], fits: Callable[[str, int], bool]
) -> Fitting | None:
    """Returns the largest value of an argument with which the buffers fit; None for none.

    For a power of two the value is another power of two, which the user may need. For any other
    number the value is a multiple of 256, or of 32 where that is too much.

    Args:
        names: The arguments that buffers may depend on.
        fits: Whether the buffers fit where an argument has another value.
    """
    sizes = [(name, number) for name, number in names.items() if type(number) is int]
    for name, number in sorted(sizes, key=lambda pair: -pair[1]):
        if number > _LEAST and fits(name, 1):
            value, what = _largest(name, number, fits)
            label = f"Set {name} to {value:,}"
            words = f"{label}, the largest {what} that fits (--arg {name}={value})."
            fix = Fix(label, FixKind.SET_ARGUMENT, str(value), replaces=name)
            return Fitting(words, fix)
    return None


def _largest(name: str, number: int, fits: Callable[[str, int], bool]) -> tuple[int, str]:
    low, high = 1, number
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(name, middle) else (low, middle)
    if number & (number - 1) == 0:
        return 1 << (low.bit_length() - 1), "power of two"
    step = next(step for step in _STEPS if step <= low)
    return low // step * step, f"multiple of {step}" if step > 1 else "number"
