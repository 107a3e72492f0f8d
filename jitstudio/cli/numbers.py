"""Numbers on the command line, refused in words."""

from __future__ import annotations

import argparse
from typing import TypeVar

_Number = TypeVar("_Number", int, float)


def seconds(text: str) -> float:
    """A time limit."""
    value = _number(float, text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("must be more than 0 seconds")
    return value


def count(text: str) -> int:
    """How often, once at least."""
    return _at_least(1, text)


def count_or_none(text: str) -> int:
    """How often, or which one counted from 0."""
    return _at_least(0, text)


def tolerance(text: str) -> float:
    """How far off a number may be."""
    value = _number(float, text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError("must be 0 or more")
    return value


def counts(text: str) -> tuple[int, ...]:
    """Several numbers, such as ``0,1``."""
    return tuple(count_or_none(word.strip()) for word in text.split(","))


def _at_least(least: int, text: str) -> int:
    value = _number(int, text)
    if value < least:
        raise argparse.ArgumentTypeError(f"must be at least {least}")
    return value


def _number(kind: type[_Number], text: str) -> _Number:
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no number") from None
