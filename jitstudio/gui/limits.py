"""What Qt's text editor can lay out without freezing the window; more is shown read-only."""

from __future__ import annotations

LONGEST_LINE = 20_000
"""Characters of a line."""

LARGEST_TEXT = 1_000_000
"""Characters of a text."""
