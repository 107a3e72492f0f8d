"""Which texts an editor does not take, and what to tell the user then.

Laying out one very long line freezes the whole window for seconds; so does a very long text.
"""

from __future__ import annotations

from jitstudio.gui.limits import LARGEST_TEXT, LONGEST_LINE


def refusal(text: str) -> str | None:
    """Why an editor must not show this text, in words for the user, or None if it may."""
    if len(text) > LARGEST_TEXT:
        return (
            f"The text is too large to edit here: it has {len(text):,} characters, "
            f"and the editor takes {LARGEST_TEXT:,}. Nothing was changed."
        )
    # Most texts are short: this spares splitting them.
    if len(text) <= LONGEST_LINE:
        return None
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            return (
                f"Line {number:,} of the text is too long to edit here: it has {len(line):,} "
                f"characters, and the editor takes {LONGEST_LINE:,}. Nothing was changed."
            )
    return None
