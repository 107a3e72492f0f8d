"""How the colour of a line is given in a byte; apart from `line_hues`, as that loads NumPy."""

from __future__ import annotations

HUES = 8
"""How many colours there are; neighbouring lines never share one."""

PLAIN = 0
"""Of a line that is no instruction, or has no counterpart."""

UNMAPPED = 255
"""Of an instruction of which the line tables say nothing at all."""
