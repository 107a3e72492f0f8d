"""What can stand beside the instructions of a SASS listing, column by column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from textwrap import fill

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.sass.model import BARRIERS, Control, Instruction
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

CONTEXT = "SassColumns"
"""The context of all texts of the table for a translator."""

LIVE = "gpr"
"""The key of the column that is drawn as bars."""

_TIP_WIDTH = 72
# What stands for a barrier or a slot that is not used, so that the others stay in place.
_UNUSED = "·"
_REUSE_SLOTS = 4
_ENCODING_DIGITS = 32


@dataclass(frozen=True)
class Row:
    """An instruction, taken apart once for all columns."""

    instruction: Instruction

    @cached_property
    def control(self) -> Control | None:
        """What it tells the scheduler; None where the listing has no encodings."""
        return self.instruction.control


@dataclass(frozen=True)
class Column:
    """A column.

    Attributes:
        key: What it is kept by.
        title: What its head says.
        tip: What it means.
        cells: How many characters wide it is until somebody makes it wider.
        text: What it says of an instruction.
        about: What a short title is about, in a word or two.
        is_number: Whether it stands at the right.
        is_shown: Whether it is there until somebody chooses.
        least: How many characters it takes at least where there is little room; 0 for all.
    """

    key: str
    title: str
    tip: str
    cells: int
    text: Callable[[Row], str] = field(repr=False)
    about: str = ""
    is_number: bool = False
    is_shown: bool = False
    least: int = 0

    @property
    def name(self) -> str:
        """The title, and what it is about, where there is room for that."""
        title = translated(self.title)
        return f"{title}: {translated(self.about)}" if self.about else title

    @property
    def explanation(self) -> str:
        """What it means, in the user's language and in lines for a tooltip."""
        return fill(translated(self.tip), _TIP_WIDTH)


def translated(text: str) -> str:
    """A text of the table in the language of the user."""
    return QCoreApplication.translate(CONTEXT, text)


def place_words(file: str, line: int) -> str:
    """A line of a file in the few characters that a column has."""
    return f"{PurePath(file).name}:{line}"


def _opcode(row: Row) -> str:
    return " ".join(filter(None, (row.instruction.predicate, row.instruction.opcode)))


def _source(row: Row) -> str:
    places = row.instruction.places
    return place_words(*places[0]) if places else ""


def _encoding(row: Row) -> str:
    encoding = row.instruction.encoding
    return f"{encoding:0{_ENCODING_DIGITS}x}" if encoding else ""


def _live(field_name: str) -> Callable[[Row], str]:
    def text(row: Row) -> str:
        live = row.instruction.live
        return str(getattr(live, field_name)) if live is not None else ""

    return text


def _controlled(words: Callable[[Control], str]) -> Callable[[Row], str]:
    return lambda row: words(row.control) if row.control is not None else ""


def _barrier(number: int | None) -> str:
    return "" if number is None else str(number)


def _bits(mask: int, count: int, first: int) -> str:
    if not mask:
        return ""
    return "".join(str(first + n) if mask >> n & 1 else _UNUSED for n in range(count))


COLUMNS = (
    Column(
        "opcode",
        QT_TRANSLATE_NOOP("SassColumns", "Opcode"),
        QT_TRANSLATE_NOOP(
            "SassColumns", "The operation with its modifiers, and the predicate it depends on"
        ),
        21,
        _opcode,
    ),
    Column(
        "operands",
        QT_TRANSLATE_NOOP("SassColumns", "Operands"),
        QT_TRANSLATE_NOOP("SassColumns", "The result comes first, then what it is made of"),
        31,
        lambda row: row.instruction.operands,
        least=12,
    ),
    Column(
        "source",
        QT_TRANSLATE_NOOP("SassColumns", "Source"),
        QT_TRANSLATE_NOOP(
            "SassColumns",
            "File and line that it was made of; of inlined code the line of the inlined function",
        ),
        19,
        _source,
        least=10,
    ),
    Column(
        "ptx",
        QT_TRANSLATE_NOOP("SassColumns", "PTX"),
        QT_TRANSLATE_NOOP("SassColumns", "The line of the PTX that it was made of"),
        5,
        lambda row: str(row.instruction.ptx_line or ""),
        is_number=True,
    ),
    Column(
        LIVE,
        QT_TRANSLATE_NOOP("SassColumns", "Live"),
        QT_TRANSLATE_NOOP(
            "SassColumns",
            "Live registers: how many general registers (R) hold a value that is still needed. "
            "The bar is the share of the highest count of the function; a triangle marks a peak. "
            "Blue to green: all warps of a multiprocessor of the target have room for so many. "
            "Yellow to red: fewer and fewer warps fit, or registers are spilled (an estimate by "
            "the register file in the CUDA Programming Guide)",
        ),
        13,
        _live("gpr"),
        about=QT_TRANSLATE_NOOP("SassColumns", "live registers"),
        is_number=True,
        is_shown=True,
        least=5,
    ),
    Column(
        "pred",
        QT_TRANSLATE_NOOP("SassColumns", "Pred"),
        QT_TRANSLATE_NOOP("SassColumns", "Live predicates: how many of P0 to P6 are still needed"),
        5,
        _live("pred"),
        about=QT_TRANSLATE_NOOP("SassColumns", "live predicates"),
        is_number=True,
    ),
    Column(
        "ugpr",
        QT_TRANSLATE_NOOP("SassColumns", "Unif"),
        QT_TRANSLATE_NOOP(
            "SassColumns", "Live uniform registers (UR), which a warp has once for all its threads"
        ),
        5,
        _live("ugpr"),
        about=QT_TRANSLATE_NOOP("SassColumns", "live uniform registers"),
        is_number=True,
    ),
    Column(
        "upred",
        QT_TRANSLATE_NOOP("SassColumns", "UPred"),
        QT_TRANSLATE_NOOP("SassColumns", "Live uniform predicates (UP)"),
        6,
        _live("upred"),
        about=QT_TRANSLATE_NOOP("SassColumns", "live uniform predicates"),
        is_number=True,
    ),
    Column(
        "stall",
        QT_TRANSLATE_NOOP("SassColumns", "Stall"),
        QT_TRANSLATE_NOOP(
            "SassColumns", "Cycles until the warp may issue its next instruction, at least"
        ),
        6,
        _controlled(lambda control: str(control.stall)),
        about=QT_TRANSLATE_NOOP("SassColumns", "cycles to the next instruction"),
        is_number=True,
        is_shown=True,
    ),
    Column(
        "yield",
        QT_TRANSLATE_NOOP("SassColumns", "Yield"),
        QT_TRANSLATE_NOOP("SassColumns", "Y: the scheduler is told to prefer another warp now"),
        6,
        _controlled(lambda control: "Y" if control.yields else ""),
        about=QT_TRANSLATE_NOOP("SassColumns", "to another warp"),
    ),
    Column(
        "write",
        QT_TRANSLATE_NOOP("SassColumns", "Write"),
        QT_TRANSLATE_NOOP(
            "SassColumns",
            "The barrier (0 to 5) that is set until the result is written: "
            "who needs the result waits for it",
        ),
        6,
        _controlled(lambda control: _barrier(control.write_barrier)),
        about=QT_TRANSLATE_NOOP("SassColumns", "the barrier of the result"),
    ),
    Column(
        "read",
        QT_TRANSLATE_NOOP("SassColumns", "Read"),
        QT_TRANSLATE_NOOP(
            "SassColumns",
            "The barrier (0 to 5) that is set until the operands are read: "
            "who overwrites one of them waits for it",
        ),
        6,
        _controlled(lambda control: _barrier(control.read_barrier)),
        about=QT_TRANSLATE_NOOP("SassColumns", "the barrier of the operands"),
    ),
    Column(
        "wait",
        QT_TRANSLATE_NOOP("SassColumns", "Wait"),
        QT_TRANSLATE_NOOP(
            "SassColumns", "The barriers (0 to 5) that it waits for before it issues"
        ),
        8,
        _controlled(lambda control: _bits(control.wait_mask, BARRIERS, 0)),
        about=QT_TRANSLATE_NOOP("SassColumns", "the barriers waited for"),
        is_shown=True,
    ),
    Column(
        "reuse",
        QT_TRANSLATE_NOOP("SassColumns", "Reuse"),
        QT_TRANSLATE_NOOP(
            "SassColumns",
            "The operand slots (1 to 4) whose register stays in the reuse cache "
            "for the next instruction",
        ),
        6,
        _controlled(lambda control: _bits(control.reuse, _REUSE_SLOTS, 1)),
        about=QT_TRANSLATE_NOOP("SassColumns", "operands kept for the next one"),
    ),
    Column(
        "encoding",
        QT_TRANSLATE_NOOP("SassColumns", "Encoding"),
        QT_TRANSLATE_NOOP("SassColumns", "All 128 bits in hexadecimal, the highest first"),
        _ENCODING_DIGITS + 2,
        _encoding,
        least=12,
    ),
)

BY_KEY = {column.key: column for column in COLUMNS}
