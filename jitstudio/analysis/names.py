"""How tables of opcodes and modifiers stand in the source."""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    """The names in a text, between blanks."""
    return frozenset(text.split())
