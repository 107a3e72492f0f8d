"""The instructions of a kernel by what they do, as rows of a table and as bars of a plot."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.gui.features.report.reading import Reading
from jitstudio.gui.kit.presentation import Column
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_MOST_OPCODES = 12


@dataclass(frozen=True)
class ClassRow:
    """Instructions of one class.

    Attributes:
        group: What they are for, such as ``memory``.
        title: What they are, such as ``global load, 32 bit``.
        count: How many there are.
        share: Of all instructions, from 0 to 1.
    """

    group: str
    title: str
    count: int
    share: float


@dataclass(frozen=True)
class Mix:
    """What the plots show: names with counts.

    Attributes:
        groups: What instructions are for, those that are there.
        opcodes: The most frequent ones.
    """

    groups: tuple[tuple[str, int], ...]
    opcodes: tuple[tuple[str, int], ...]


def class_rows(reading: Reading) -> tuple[ClassRow, ...]:
    """All classes that there are, group by group."""
    total = max(1, reading.report.instructions)
    return tuple(
        ClassRow(each.kind.group.value, each.kind.title, each.count, each.count / total)
        for each in reading.report.counts
    )


def mix(reading: Reading) -> Mix:
    """What the plots show of a kernel."""
    groups = ((group.value, count) for group, count in reading.report.groups.items() if count)
    return Mix(tuple(groups), reading.opcodes[:_MOST_OPCODES])


CLASS_COLUMNS: tuple[Column[ClassRow], ...] = (
    Column(QT_TRANSLATE_NOOP("Columns", "Group"), lambda row: row.group),
    Column(QT_TRANSLATE_NOOP("Columns", "Instructions"), lambda row: row.title),
    Column(
        QT_TRANSLATE_NOOP("Columns", "Count"),
        lambda row: f"{row.count:,}",
        sort_key=lambda row: row.count,
        number=True,
    ),
    Column(
        QT_TRANSLATE_NOOP("Columns", "Share"),
        lambda row: f"{row.share:.1%}",
        sort_key=lambda row: row.share,
        number=True,
    ),
)
