"""Texts of megabytes as lines, and the kinds of lines that a view may leave out, or must not."""

from __future__ import annotations

from enum import IntEnum

NOWHERE = -1
"""Represents a line, an index or a count that there is none of."""

# Some milliseconds of work, in which no other thread of Python gets a turn.
_PIECE = 1 << 18


def split_at_newlines(text: str) -> list[str]:
    """Returns the lines of a text, by newlines alone, as `str.split`, but a piece at a time."""
    lines: list[str] = []
    start = 0
    while (end := text.find("\n", start + _PIECE)) >= 0:
        lines += text[start:end].split("\n")
        start = end + 1
    return [*lines, *text[start:].split("\n")] if lines else text.split("\n")


def split_lines(text: str) -> list[str]:
    """Returns the lines of a text, by the line ends that compilers count."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return split_at_newlines(text)


def shown_lines(text: str) -> list[str]:
    """Returns the lines of a file that is shown as is, without bytes that no font can show."""
    return split_lines(text.rstrip("\n").replace("\0", "\N{REPLACEMENT CHARACTER}"))


class LineClass(IntEnum):
    """Kinds of lines. A blank line is of the class of the line above."""

    CODE = 0
    COMMENT = 1
    DIRECTIVE = 2
    DEBUG = 3
    LABEL = 4
    """A label of nvdisasm that no instruction names."""
