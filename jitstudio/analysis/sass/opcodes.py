"""The table of all SASS opcodes: the class of work and the form of the operands of each.

It is data, in `resources/reference/sass.toml`; that file says how its rows are written. The help
on opcodes, the decoder of operands and all counts of instructions read the same rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from typing import Any, NamedTuple

from jitstudio.analysis.word_table import WordTable, read_table, rows

_DIFFERENT = 4096
_MATRIX_MOVES = frozenset({"LDSM", "STSM"})


class OpcodeGroup(Enum):
    """The purpose of an instruction; the value is the word to show."""

    MEMORY = "memory"
    FLOAT = "float"
    INTEGER = "integer"
    TENSOR = "tensor"
    CONVERSION = "conversion"
    MOVE = "move"
    CONTROL = "control"
    OTHER = "other"


class Space(Enum):
    """Which memory is read or written. `TENSOR` is that of the tensor cores, from sm_100 on."""

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"
    CONSTANT = "constant"
    GENERIC = "generic"
    TEXTURE = "texture"
    SURFACE = "surface"
    DISTRIBUTED = "distributed"
    TENSOR = "tensor memory"


@dataclass(frozen=True)
class InstructionClass:
    """The kind of work that an instruction does.

    Attributes:
        group: The purpose of the instruction.
        space: The memory that is accessed, or None.
        bits: The width of an access of one thread; None where the opcode does not say.
        precision: Such as ``fp32``, ``bf16`` or ``int8``, of floating point and of matrices; of a
            matrix instruction that of the factors. Empty elsewhere.
        is_load: Whether the instruction reads memory.
        is_store: Whether the instruction writes memory.
        is_atomic: Whether the instruction reads and writes memory as one access.
    """

    group: OpcodeGroup
    space: Space | None = None
    bits: int | None = None
    precision: str = ""
    is_load: bool = False
    is_store: bool = False
    is_atomic: bool = False

    @property
    def title(self) -> str:
        """The text to show, such as ``global load, 128 bit``, ``fp32`` or ``integer``."""
        if self.space is not None:
            width = f", {self.bits} bit" if self.bits else ""
            return f"{self.space.value} {self._access}{width}"
        if self.group is OpcodeGroup.TENSOR:
            return f"tensor {self.precision}".rstrip()
        return self.precision or self.group.value

    @property
    def _access(self) -> str:
        if self.is_load and self.is_store:
            return "copy"
        words = ((self.is_load, "load"), (self.is_store, "store"), (self.is_atomic, "atomic"))
        return next((word for is_so, word in words if is_so), "upkeep")


class Opcode(NamedTuple):
    """A row of the table.

    Attributes:
        name: The opcode, with the modifiers by which it differs from another row.
        kind: The class of work; of memory the width unless a modifier gives another.
        form: The operands in the order of a listing, with how many registers each takes.
        text: The effect of the opcode, in a sentence or two.
        operands: The meaning of the names in the form.
        target: The first target with the opcode; empty where unknown.
    """

    name: str
    kind: InstructionClass
    form: str
    text: str
    operands: str
    target: str = ""

    @property
    def shown_form(self) -> str:
        """The form for readers: without the registers, and without operands that are seldom."""
        return _HIDDEN.sub("", self.form)


_HIDDEN = re.compile(r":\w+|\([^()]*\) ?")
_UNKNOWN = InstructionClass(OpcodeGroup.OTHER)


class _Table(NamedTuple):
    opcodes: WordTable[Opcode]
    modifiers: frozenset[str]
    widths: Mapping[str, int]
    matrices: Mapping[str, int]
    precisions: Mapping[str, str]


@cache
def stem(opcode: str) -> str:
    """Returns an opcode without its modifiers."""
    return opcode.partition(".")[0]


@lru_cache(_DIFFERENT)
def row_of(opcode: str) -> Opcode | None:
    """Returns the row with the most modifiers of an opcode, or None for an unknown opcode."""
    matches = _table().opcodes.find(opcode)
    return matches[0] if matches else None


@lru_cache(_DIFFERENT)
def class_of(opcode: str) -> InstructionClass:
    """Returns the class of an opcode with its modifiers; an unknown opcode is `OTHER`."""
    row = row_of(opcode)
    if row is None:
        return _UNKNOWN
    table, kind = _table(), row.kind
    base, *modifiers = opcode.split(".")
    if kind.bits is not None:
        widths = table.matrices if base in _MATRIX_MOVES else table.widths
        return replace(kind, bits=_last(widths, modifiers, kind.bits))
    if kind.precision:
        precisions = (word for modifier, word in table.precisions.items() if modifier in modifiers)
        return replace(kind, precision=next(precisions, kind.precision))
    return kind


def is_understood(opcode: str) -> bool:
    """Returns whether the opcode and all modifiers are in the table."""
    row, table = row_of(opcode), _table()
    return row is not None and all(
        part in table.modifiers or part in table.widths
        for part in opcode.split(".")[1:]
        if part not in row.name.split(".")
    )


def all_opcodes() -> tuple[Opcode, ...]:
    """Returns all rows, in the order of the table."""
    return tuple(_table().opcodes.values())


def all_precisions() -> frozenset[str]:
    """Returns all values of `InstructionClass.precision` but the empty text."""
    table = _table()
    named = (row.kind.precision for row in all_opcodes())
    return frozenset((*named, *table.precisions.values())) - {""}


def all_modifiers() -> frozenset[str]:
    """Returns all modifiers that may follow the points of an opcode."""
    table = _table()
    parts = (part for row in all_opcodes() for part in row.name.split(".")[1:])
    return table.modifiers.union(table.widths, table.matrices, parts)


@cache
def _table() -> _Table:
    content = read_table("sass")
    return _Table(
        WordTable(
            (name, Opcode(name, kind, *fields))
            for class_row in content["class"]
            for kind in (_kind(class_row),)
            for name, fields in rows(class_row["instruction"])
        ),
        frozenset(name.removeprefix(".") for name, _ in rows(content["modifier"])),
        content["widths"],
        content["matrices"],
        content["precisions"],
    )


def _kind(row: Mapping[str, Any]) -> InstructionClass:
    access = row.get("access", ())
    return InstructionClass(
        OpcodeGroup(row["group"]),
        Space(row["space"]) if "space" in row else None,
        row.get("bits"),
        row.get("precision", ""),
        is_load="load" in access,
        is_store="store" in access,
        is_atomic="atomic" in access,
    )


def _last(widths: Mapping[str, int], modifiers: Iterable[str], usual: int) -> int:
    """Returns the width by the last modifier with a width: others may be of a cache line."""
    width = usual
    for modifier in modifiers:
        width = widths.get(modifier, width)
    return width
