"""What goes wrong with numbers that users ask for."""

from __future__ import annotations


class NumericsError(ValueError):
    """What was asked for cannot be had; the message is fit for a person."""
