"""How a buffer can be looked at as a picture.

Knows no NumPy: the widget for the choice is there before the import of NumPy.
"""

from __future__ import annotations

from enum import Enum
from math import isqrt

from PySide6.QtCore import QCoreApplication

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_USUAL_WIDTHS = (256, 512, 640, 1024, 1280, 1920, 2048, 3840, 4096)


class ImageColouring(Enum):
    """The mapping of numbers to colours; the value of the enumeration is the word."""

    GREY = QT_TRANSLATE_NOOP("ImageColouring", "Grey")
    COLOUR_MAP = QT_TRANSLATE_NOOP("ImageColouring", "Colour map")
    CHANNELS = QT_TRANSLATE_NOOP("ImageColouring", "Red, green, blue")

    @property
    def title(self) -> str:
        """The word in the user's language."""
        return QCoreApplication.translate("ImageColouring", self.value)


def proposed_width(length: int) -> int:
    """Returns the probable length of a row: of a square where possible, or a usual width."""
    root = isqrt(length)
    if root * root == length:
        return max(1, root)
    usual = [width for width in _USUAL_WIDTHS if length % width == 0 and width <= 4 * root]
    return min(usual, key=lambda width: abs(width - root), default=max(1, root))
