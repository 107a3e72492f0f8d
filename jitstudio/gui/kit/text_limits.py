"""The limits of Qt's text editor against freezes; larger texts are shown read-only.

On one core, Qt takes 3 µs for each line of a text that is set, pasted or brought back by undo, and
0.3 µs for each character of the lines in sight: each limit keeps that at about 100 ms.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

LONGEST_LINE = 20_000
"""Characters of a line."""

LARGEST_TEXT = 1_000_000
"""Characters of a text."""

MOST_LINES = 30_000
"""Lines of a text."""

MOST_IN_LONG_LINES = 200_000
"""Characters in all lines of more than `LONG_LINE`: they may be in sight together."""

LONG_LINE = 2_000
"""Characters from which a line counts as long."""

ROOM_TO_TYPE = 1.25
"""How far beyond the limits a text may have grown by typing, and can still be edited."""


def excess(text: str, room: float = 1.0) -> str | None:
    """Returns why a text is too large for the editor, a sentence; None where all is well.

    Args:
        text: All of it.
        room: How many times the limits are allowed.
    """
    if len(text) > LARGEST_TEXT * room:
        return too_many_characters(len(text))
    # Most texts are short: this spares splitting them.
    if len(text) <= LONGEST_LINE:
        return None
    lines = text.split("\n")
    if len(lines) > MOST_LINES * room:
        message = QCoreApplication.translate(
            "Limits",
            "The text is too large to edit here: it has {count:,} lines, "
            "and the editor takes {most:,}.",
        )
        return message.format(count=len(lines), most=MOST_LINES)
    in_long = 0
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE * room:
            message = QCoreApplication.translate(
                "Limits",
                "Line {number:,} of the text is too long to edit here: it has {count:,} "
                "characters, and the editor takes {most:,}.",
            )
            return message.format(number=number, count=len(line), most=LONGEST_LINE)
        in_long += len(line) if len(line) > LONG_LINE else 0
    if in_long > MOST_IN_LONG_LINES * room:
        message = QCoreApplication.translate(
            "Limits",
            "The text is too large to edit here: its lines of more than {long:,} characters have "
            "{count:,} characters together, and the editor takes {most:,}.",
        )
        return message.format(long=LONG_LINE, count=in_long, most=MOST_IN_LONG_LINES)
    return None


def too_many_characters(count: int) -> str:
    """Returns why a text of so many characters cannot be edited, a sentence."""
    message = QCoreApplication.translate(
        "Limits",
        "The text is too large to edit here: it has {count:,} characters, "
        "and the editor takes {most:,}.",
    )
    return message.format(count=count, most=LARGEST_TEXT)
