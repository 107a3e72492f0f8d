"""The kinds of lines that a view of PTX or SASS may leave out, or must not."""

from __future__ import annotations

from enum import IntEnum


class LineClass(IntEnum):
    """What a line holds. A blank line is of the class of the line above it."""

    CODE = 0
    COMMENT = 1
    DIRECTIVE = 2
    DEBUG = 3
