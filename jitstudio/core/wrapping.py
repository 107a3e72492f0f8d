"""Prose in lines of a width, without cutting words to be copied: commands, paths, names."""

from __future__ import annotations

import textwrap


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Returns the lines of a text; they break at spaces only, so a long path may stand out.

    Args:
        text: The text.
        width: The characters of a line.
        indent: Before each line but the first.
    """
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def filled(text: str, width: int) -> str:
    """Returns the lines of a text as a single text."""
    return "\n".join(wrapped(text, width))
