"""A word of a language, as offered by completion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Word(NamedTuple):
    """A word of a language.

    Attributes:
        text: The word.
        group: What kind of word it is, such as ``an instruction``.
        usage: How it is written with what belongs to it, or empty.
        help: One line on it, or empty.
    """

    text: str
    group: str
    usage: str = ""
    help: str = ""


class Vocabulary(NamedTuple):
    """The words of a language, and the headers that are always there."""

    words: Mapping[str, Word]
    headers: Mapping[str, Word]
