"""Printing to a terminal, a file or a pipe whose reader may leave early; tables.

Texts of sources, tools and files may hold sequences that have a terminal change its title, write
to the clipboard or show other words than there are. None reaches one: see `shown`.
"""

from __future__ import annotations

import io
import os
import re
import sys
import traceback
import unicodedata
from collections.abc import Sequence
from enum import Enum, auto
from types import TracebackType
from typing import TextIO

_PLAIN = re.compile(r"[^\n\t -~]")
_CLEARED = "\r\x1b[K"


class _LastLine(Enum):
    """The content of the terminal's last line, as far as known here."""

    NOTHING = auto()
    TEXT = auto()
    PROGRESS = auto()


_last_line = _LastLine.NOTHING


def prepare() -> None:
    """Lets both streams take any character, whatever the locale."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.excepthook = _print_exception


def shown(text: str) -> str:
    r"""Returns the text with control codes and invisible characters in Python's escapes.

    Newlines and tabs stay. Written out are the other control characters of C0 and C1, DEL, and what
    changes the direction of text or has no width, such as ``\x1b`` and ``\u202e``.
    """
    return _PLAIN.sub(_visible, text.replace("\r\n", "\n"))


def say(text: str) -> None:
    """Prints to stdout, which is for results: unchanged, unless stdout is a terminal."""
    _print(text, sys.stdout)


def pass_on(text: str) -> None:
    """Prints a piece of a longer text to stdout, with no ends of lines but the piece's own."""
    _print(text, sys.stdout, end="")


def print_error(text: str) -> None:
    """Prints to stderr, which is for all that is no result."""
    _print(shown(text), sys.stderr)


def print_progress(text: str) -> None:
    """Shows the present activity on a terminal, until the next text; nothing elsewhere."""
    global _last_line
    if sys.stderr.isatty() and _last_line is not _LastLine.TEXT:
        _write(_CLEARED + shown(text), sys.stderr, "")
        _last_line = _LastLine.PROGRESS


def _visible(character: re.Match[str]) -> str:
    is_seen = character[0].isprintable() or unicodedata.category(character[0]) == "Zs"
    return character[0] if is_seen else ascii(character[0])[1:-1]


def _print_exception(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    print_error("".join(traceback.format_exception(kind, error, trace)).rstrip())


def _print(text: str, stream: TextIO, end: str = "\n") -> None:
    global _last_line
    if _last_line is _LastLine.PROGRESS:
        _write(_CLEARED, sys.stderr, "")
    ends = (text + end).endswith("\n")
    _last_line = _LastLine.NOTHING if ends else _LastLine.TEXT
    _write(shown(text) if stream.isatty() else text, stream, end)


def _write(text: str, stream: TextIO, end: str) -> None:
    try:
        print(text, file=stream, end=end, flush=True)
    except OSError as error:
        # What is left in the buffer goes nowhere: Python writes it again at its end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        # A reader such as `head` has had enough, which is no error.
        if not isinstance(error, BrokenPipeError):
            raise


def table_lines(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Returns the rows with their columns in line.

    Args:
        rows: The headings and the rows, all of the same length.
        left: How many columns are aligned left; the others are numbers.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_cells(row, widths, left)).rstrip() for row in rows]


def _cells(row: Sequence[str], widths: list[int], left: int) -> list[str]:
    return [
        text.ljust(width) if place < left else text.rjust(width)
        for place, (text, width) in enumerate(zip(row, widths, strict=True))
    ]
