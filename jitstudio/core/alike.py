"""The known word that somebody who mistyped a name has meant."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """Returns the known word that is spelt most like a word; empty where none is alike."""
    import difflib  # noqa: PLC0415 - the window starts without it

    names = {name.casefold(): name for name in known}
    matches = difflib.get_close_matches(word.casefold(), names, 1)
    return names[matches[0]] if matches else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns a question with the known word most like a word, behind a space; or empty."""
    name = nearest(word, known)
    return f" Did you mean '{name}'?" if name else ""
