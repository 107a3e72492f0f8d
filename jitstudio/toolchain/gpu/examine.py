"""Finds what a kernel has left out: elements of an output that it never wrote."""

from __future__ import annotations

from typing import Any

import numpy as np

_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def poisoned(content: np.ndarray[Any, Any], size: int, poison: int) -> np.ndarray[Any, Any]:
    """Indices of the elements that still hold the poison in all of their bytes.

    Args:
        content: Bytes.
        size: Bytes of an element.
        poison: The byte.
    """
    word = _WORDS.get(size)
    if word is not None:
        pattern = word(int.from_bytes(bytes([poison]) * size, "little"))
        return np.flatnonzero(content.view(word) == pattern)
    return np.flatnonzero((content.reshape(-1, size) == poison).all(axis=1))
