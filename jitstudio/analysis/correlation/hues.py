"""How the colour of a line is given in a byte; apart from `line_hues`, as that loads NumPy."""

from __future__ import annotations

HUES = 8
"""The number of colours; neighbouring lines never share a colour."""

PLAIN = 0
"""The colour of a line that is no instruction, or has no counterpart."""

UNMAPPED = 255
"""The colour of an instruction that is in no line table."""
