"""Finds what is imported only when it is needed, by its place: a module and a name in it."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def at_place(place: str) -> Any:
    """What is at a place such as ``difflib:SequenceMatcher``; its module is loaded now.

    `pkgutil` has the same, and takes longer to load than most of what is asked for here.
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
