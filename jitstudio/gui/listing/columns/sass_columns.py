"""The columns next to the instructions of a SASS listing, and the user's choice of columns.

To add a column: a row here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any, Protocol

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.sass.model import BARRIERS, Control, Instruction
from jitstudio.core.launch.simulation import LineCounts
from jitstudio.core.wrapping import filled
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

CONTEXT = "SassColumns"
"""The context of all texts of the table for a translator."""

LIVE = "gpr"
"""The key of the column that is drawn as bars."""

NAMES = "names"
"""The key of the column that has signatures read."""

_TIP_WIDTH = 72
# Shown for a barrier or a slot that is not used, so that the others stay in place.
_UNUSED = "·"
_REUSE_SLOTS = 4
_ENCODING_DIGITS = 32
LEAST_CELLS, MOST_CELLS = 3, 120
"""How narrow and how wide a column may be."""
# `gpr:13`, or `-source:19` for one that is not shown; `@4` where it was chosen as the fourth.
_KEPT = re.compile(r"(-?)(\w+):(\d{1,3})(?:@(\d{1,4}))?\Z")


class CountedRow(Protocol):
    """A line of a listing of which a simulated launch may have counted something."""

    @property
    def counts(self) -> LineCounts | None:
        """The counts of the line; None without any."""
        ...


@dataclass(frozen=True)
class InstructionRow:
    """An instruction, taken apart once for all columns.

    Attributes:
        instruction: The instruction of the listing.
        counts: The counts of a simulated launch at the line of PTX; None without any.
        names: The names of its constants, as far as they are known.
    """

    instruction: Instruction
    counts: LineCounts | None = None
    names: str = ""

    @cached_property
    def control(self) -> Control | None:
        """The control bits for the scheduler; None where the listing has no encodings."""
        return self.instruction.control


@dataclass(frozen=True)
class ListingColumn:
    """A column.

    Attributes:
        key: The key under which the column is remembered.
        title: The text of the head.
        tip: The meaning.
        cells: How many characters wide it is until the user makes it wider.
        text: Returns the text of an instruction, by the row of the listing.
        about: The subject of a short title, in a word or two.
        is_number: Whether it is aligned to the right.
        is_shown: Whether it is there until the user chooses.
        least: How many characters it takes at least where there is little room; 0 for all.
    """

    key: str
    title: str
    tip: str
    cells: int
    text: Callable[[Any], str] = field(repr=False)
    about: str = ""
    is_number: bool = False
    is_shown: bool = False
    least: int = 0

    @property
    def name(self) -> str:
        """The title with the subject, for places with enough room."""
        title = translated(self.title)
        return f"{title}: {translated(self.about)}" if self.about else title

    @property
    def explanation(self) -> str:
        """The meaning of the column, in the user's language and in lines for a tooltip."""
        return filled(translated(self.tip), _TIP_WIDTH)


def translated(text: str) -> str:
    """Returns a text of the table in the language of the user."""
    return QCoreApplication.translate(CONTEXT, text)


def place_text(file: str, line: int) -> str:
    """Returns a line of a file in the few characters that a column has."""
    return f"{PurePath(file).name}:{line}"


def _opcode(row: InstructionRow) -> str:
    return " ".join(filter(None, (row.instruction.predicate, row.instruction.opcode)))


def _source(row: InstructionRow) -> str:
    places = row.instruction.places
    return place_text(*places[0]) if places else ""


def _encoding(row: InstructionRow) -> str:
    encoding = row.instruction.encoding
    return f"{encoding:0{_ENCODING_DIGITS}x}" if encoding else ""


def _live(field_name: str) -> Callable[[InstructionRow], str]:
    def text(row: InstructionRow) -> str:
        live = row.instruction.live
        return str(getattr(live, field_name)) if live is not None else ""

    return text


def _controlled(words: Callable[[Control], str]) -> Callable[[InstructionRow], str]:
    return lambda row: words(row.control) if row.control is not None else ""


def counted_by(
    value: Callable[[LineCounts], float], form: str = ","
) -> Callable[[CountedRow], str]:
    """Returns the text of a number that was counted; nothing for none and for 0."""

    def text(row: CountedRow) -> str:
        number = value(row.counts) if row.counts is not None else 0
        return format(number, form) if number else ""

    return text


def _barrier(number: int | None) -> str:
    return "" if number is None else str(number)


def _bits(mask: int, count: int, first: int) -> str:
    if not mask:
        return ""
    return "".join(str(first + n) if mask >> n & 1 else _UNUSED for n in range(count))


COLUMNS = (
    ListingColumn(
        "opcode",
        QT_TRANSLATE_NOOP("SassColumns", "Opcode"),
        QT_TRANSLATE_NOOP(
            "SassColumns", "The operation with its modifiers, and the predicate it depends on"
        ),
        21,
        _opcode,
    ),
    ListingColumn(
        "operands",
        QT_TRANSLATE_NOOP("SassColumns", "Operands"),
        QT_TRANSLATE_NOOP("SassColumns", "The result comes first, then what it is made of"),
        31,
        lambda row: row.instruction.operands,
        least=12,
    ),
    ListingColumn(
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
    ListingColumn(
        "ptx",
        QT_TRANSLATE_NOOP("SassColumns", "PTX"),
        QT_TRANSLATE_NOOP("SassColumns", "The line of the PTX that it was made of"),
        5,
        lambda row: str(row.instruction.ptx_line or ""),
        is_number=True,
    ),
    ListingColumn(
        LIVE,
        QT_TRANSLATE_NOOP("SassColumns", "Live"),
        QT_TRANSLATE_NOOP(
            "SassColumns",
            "Live registers: how many general registers (R) hold a value that is still needed. "
            "The bar is the share of the highest count of the function; a triangle marks a peak. "
            "Blue to green: all warps of a multiprocessor of the target have room for that many. "
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
    ListingColumn(
        "pred",
        QT_TRANSLATE_NOOP("SassColumns", "Pred"),
        QT_TRANSLATE_NOOP("SassColumns", "Live predicates: how many of P0 to P6 are still needed"),
        5,
        _live("pred"),
        about=QT_TRANSLATE_NOOP("SassColumns", "live predicates"),
        is_number=True,
    ),
    ListingColumn(
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
    ListingColumn(
        "upred",
        QT_TRANSLATE_NOOP("SassColumns", "UPred"),
        QT_TRANSLATE_NOOP("SassColumns", "Live uniform predicates (UP)"),
        6,
        _live("upred"),
        about=QT_TRANSLATE_NOOP("SassColumns", "live uniform predicates"),
        is_number=True,
    ),
    ListingColumn(
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
    ListingColumn(
        "yield",
        QT_TRANSLATE_NOOP("SassColumns", "Yield"),
        QT_TRANSLATE_NOOP("SassColumns", "Y: asks the scheduler to prefer another warp now"),
        6,
        _controlled(lambda control: "Y" if control.yields else ""),
        about=QT_TRANSLATE_NOOP("SassColumns", "to another warp"),
    ),
    ListingColumn(
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
    ListingColumn(
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
    ListingColumn(
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
    ListingColumn(
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
    ListingColumn(
        NAMES,
        QT_TRANSLATE_NOOP("SassColumns", "Names"),
        QT_TRANSLATE_NOOP(
            "SassColumns",
            "Parameters and variables that it reads from constant banks, such as c[0x0][0x210]; "
            "the tip on the operand says where a name comes from",
        ),
        16,
        lambda row: row.names,
        about=QT_TRANSLATE_NOOP("SassColumns", "parameters and constants"),
        least=8,
    ),
    ListingColumn(
        "encoding",
        QT_TRANSLATE_NOOP("SassColumns", "Encoding"),
        QT_TRANSLATE_NOOP("SassColumns", "All 128 bits in hexadecimal, the highest first"),
        _ENCODING_DIGITS + 2,
        _encoding,
        least=12,
    ),
    ListingColumn(
        "executed",
        QT_TRANSLATE_NOOP("SassColumns", "Exec"),
        QT_TRANSLATE_NOOP(
            "SassColumns",
            "How often warps came to its line of PTX in a simulated launch; by the line table",
        ),
        10,
        counted_by(lambda counts: counts.executions),
        about=QT_TRANSLATE_NOOP("SassColumns", "by warps, in the simulator"),
        is_number=True,
    ),
    ListingColumn(
        "sectors",
        QT_TRANSLATE_NOOP("SassColumns", "Sect"),
        QT_TRANSLATE_NOOP(
            "SassColumns",
            "Sectors of 32 bytes per request of a warp in a simulated launch, of the access on its "
            "line of PTX; by the line table",
        ),
        6,
        counted_by(lambda counts: counts.sectors_per_request, ".3g"),
        about=QT_TRANSLATE_NOOP("SassColumns", "per request, in the simulator"),
        is_number=True,
    ),
    ListingColumn(
        "conflicts",
        QT_TRANSLATE_NOOP("SassColumns", "Conf"),
        QT_TRANSLATE_NOOP(
            "SassColumns",
            "Bank conflicts in a simulated launch, of the access on its line of PTX; by the line "
            "table",
        ),
        9,
        counted_by(lambda counts: counts.bank_conflicts),
        about=QT_TRANSLATE_NOOP("SassColumns", "bank conflicts in the simulator"),
        is_number=True,
    ),
)

BY_KEY = {column.key: column for column in COLUMNS}


@dataclass(frozen=True)
class ColumnSetting:
    """A column with the user's settings.

    Attributes:
        column: Which one.
        cells: Its width.
        is_shown: Whether it is there.
        turn: When it was chosen: the last one has the highest number.
    """

    column: ListingColumn
    cells: int
    is_shown: bool
    turn: int = 0

    @property
    def key(self) -> str:
        """The key under which the column is remembered."""
        return self.column.key

    @property
    def kept(self) -> str:
        """The setting as remembered text."""
        turn = f"@{self.turn}" if self.turn else ""
        return f"{'' if self.is_shown else '-'}{self.key}:{self.cells}{turn}"


@dataclass(frozen=True)
class ColumnChoice:
    """All columns in their order, hidden columns too."""

    columns: tuple[ColumnSetting, ...]

    @classmethod
    def usual(cls, table: Sequence[ListingColumn] = COLUMNS) -> ColumnChoice:
        """Returns the choice at the first start."""
        return cls(tuple(ColumnSetting(column, column.cells, column.is_shown) for column in table))

    @classmethod
    def read(cls, words: Iterable[str], table: Sequence[ListingColumn] = COLUMNS) -> ColumnChoice:
        """Returns the remembered choice, put right: columns come and go with versions."""
        by_key = {column.key: column for column in table}
        settings: dict[str, ColumnSetting] = {}
        for word in words:
            match = _KEPT.match(word)
            if match and match[2] in by_key:
                cells = min(MOST_CELLS, max(LEAST_CELLS, int(match[3])))
                setting = ColumnSetting(by_key[match[2]], cells, not match[1], int(match[4] or 0))
                settings.setdefault(match[2], setting)
        is_first = not settings
        for setting in cls.usual(table).columns:
            settings.setdefault(
                setting.key, replace(setting, is_shown=setting.is_shown and is_first)
            )
        return cls(tuple(settings.values()))

    @property
    def kept(self) -> list[str]:
        """The choice as remembered texts."""
        return [setting.kept for setting in self.columns]

    @property
    def shown(self) -> tuple[ColumnSetting, ...]:
        """The shown columns, in their order."""
        return tuple(setting for setting in self.columns if setting.is_shown)

    def of(self, key: str) -> ColumnSetting:
        """Returns the setting of a column."""
        return next(setting for setting in self.columns if setting.key == key)

    def show(self, key: str, shown: bool) -> ColumnChoice:
        """Returns the choice with a column shown, as the last chosen, or hidden."""
        turn = 1 + max(setting.turn for setting in self.columns) if shown else 0
        return self._with(replace(self.of(key), is_shown=shown, turn=turn))

    def resize(self, key: str, cells: int) -> ColumnChoice:
        """Returns the choice with another width of a column, within limits."""
        return self._with(replace(self.of(key), cells=min(MOST_CELLS, max(LEAST_CELLS, cells))))

    def fit(self, room: int) -> ColumnChoice:
        """Returns the columns that fit: columns chosen last become narrower, or are left out.

        Args:
            room: In cells.
        """
        fitting = self
        for setting in sorted(self.shown, key=lambda setting: setting.turn):
            least = min(setting.cells, setting.column.least or setting.cells)
            cells = min(setting.cells, room) if least <= room else 0
            # Behind the first that is left out, all are: a narrow one chosen later stays out too.
            room = room - cells if cells else 0
            fitting = fitting._with(
                replace(setting, cells=cells or setting.cells, is_shown=bool(cells))
            )
        return fitting

    def move(self, key: str, place: int) -> ColumnChoice:
        """Returns the choice with a column at another place among all columns."""
        others = [setting for setting in self.columns if setting.key != key]
        others.insert(min(max(place, 0), len(others)), self.of(key))
        return ColumnChoice(tuple(others))

    def step(self, key: str, step: int) -> ColumnChoice:
        """Returns the choice with a column moved a place further, past hidden columns."""
        shown = [setting.key for setting in self.shown]
        at = shown.index(key) + step
        if not 0 <= at < len(shown):
            return self
        keys = [setting.key for setting in self.columns]
        return self.move(key, keys.index(shown[at]))

    def _with(self, changed: ColumnSetting) -> ColumnChoice:
        return ColumnChoice(
            tuple(changed if setting.key == changed.key else setting for setting in self.columns)
        )
