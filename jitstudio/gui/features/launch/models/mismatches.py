"""The first elements of a buffer that are not as expected, as columns of a table."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from jitstudio.core.launch.result import Mismatch
from jitstudio.gui.kit.presentation import Column


def index_text(index: tuple[int, ...]) -> str:
    """An index as it is written in brackets, its lanes behind commas."""
    return ", ".join(f"{part:,}" if not n else str(part) for n, part in enumerate(index))


def mismatch_columns() -> tuple[Column[Mismatch], ...]:
    """Where they are, what is there, and what was expected."""
    translate = QCoreApplication.translate
    return (
        Column(
            translate("Mismatches", "Index"),
            lambda m: index_text(m.index),
            lambda m: m.index[0],
            number=True,
        ),
        Column(translate("Mismatches", "Got"), lambda m: m.got, number=True),
        Column(translate("Mismatches", "Expected"), lambda m: m.expected, number=True),
    )
