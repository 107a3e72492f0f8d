"""What kind of work an opcode is: which unit does it, on which memory, in which precision.

The table is data, in `resources/analysis/opcodes.toml`; that file tells how it is written.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from typing import Any

from jitstudio.paths import resource

_DIFFERENT = 4096
_MATRIX_MOVES = frozenset({"LDSM", "STSM"})


class Group(Enum):
    """What an instruction is for; the value is the word to show."""

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
    """What kind of work an instruction is.

    Attributes:
        group: What it is for.
        space: The memory it works on; None where it works on none.
        bits: How wide an access is for one thread; None where the opcode does not tell.
        precision: Such as ``fp32``, ``bf16`` or ``int8``, of floating point and of matrices; of a
            matrix instruction that of what is multiplied. Empty elsewhere.
        is_load: Whether it reads memory.
        is_store: Whether it writes memory.
        is_atomic: Whether it does both at once.
    """

    group: Group
    space: Space | None = None
    bits: int | None = None
    precision: str = ""
    is_load: bool = False
    is_store: bool = False
    is_atomic: bool = False

    @property
    def title(self) -> str:
        """In words, such as ``global load, 128 bit``, ``fp32`` or ``integer``."""
        if self.space is not None:
            width = f", {self.bits} bit" if self.bits else ""
            return f"{self.space.value} {self._access}{width}"
        if self.group is Group.TENSOR:
            return f"tensor {self.precision}".rstrip()
        return self.precision or self.group.value

    @property
    def _access(self) -> str:
        if self.is_load and self.is_store:
            return "copy"
        told = ((self.is_load, "load"), (self.is_store, "store"), (self.is_atomic, "atomic"))
        return next((word for is_so, word in told if is_so), "upkeep")


_UNKNOWN = InstructionClass(Group.OTHER)


@lru_cache(_DIFFERENT)
def class_of(opcode: str) -> InstructionClass:
    """What kind of work an opcode is, with its modifiers; one that is not known is `OTHER`."""
    table = _table()
    exception = next((c for start, c in table.exceptions.items() if _begins(opcode, start)), None)
    if exception is not None:
        return exception
    stem, *modifiers = opcode.split(".")
    known = table.classes.get(stem, _UNKNOWN)
    if known.bits is not None:
        widths = table.matrices if stem in _MATRIX_MOVES else table.widths
        return replace(known, bits=_last(widths, modifiers, known.bits))
    if known.precision:
        told = (word for modifier, word in table.precisions.items() if modifier in modifiers)
        return replace(known, precision=next(told, known.precision))
    return known


def known_opcodes() -> frozenset[str]:
    """The first words of all opcodes that the table tells about."""
    return frozenset(_table().classes)


@dataclass(frozen=True)
class _Table:
    classes: Mapping[str, InstructionClass]
    exceptions: Mapping[str, InstructionClass]
    widths: Mapping[str, int]
    matrices: Mapping[str, int]
    precisions: Mapping[str, str]


@cache
def _table() -> _Table:
    content = tomllib.loads(resource("analysis/opcodes.toml").read_text("utf-8"))
    return _Table(
        {opcode: _read(row) for row in content["class"] for opcode in row["opcodes"]},
        {opcode: _read(row) for opcode, row in content["exceptions"].items()},
        content["widths"],
        content["matrices"],
        content["precisions"],
    )


def _read(row: Mapping[str, Any]) -> InstructionClass:
    access = row.get("access", ())
    return InstructionClass(
        Group(row["group"]),
        Space(row["space"]) if "space" in row else None,
        row.get("bits"),
        row.get("precision", ""),
        is_load="load" in access,
        is_store="store" in access,
        is_atomic="atomic" in access,
    )


def _begins(opcode: str, start: str) -> bool:
    return opcode.startswith(start) and opcode[len(start) :][:1] in ("", ".")


def _last(widths: Mapping[str, int], modifiers: Iterable[str], usual: int) -> int:
    """What the last modifier that tells a width says: one before may be of a cache line."""
    found = usual
    for modifier in modifiers:
        found = widths.get(modifier, found)
    return found
