"""What an instruction makes of the values it reads; see `lanes`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from jitstudio.analysis.findings.lanes import (
    ANY,
    DATA,
    SAME,
    THREAD,
    Lane,
    literal,
    logic,
    mixed,
    product,
    shifted_left,
    shifted_right,
    total,
)
from jitstudio.analysis.findings.operands import Operand, packed, stem

Values = Sequence[Lane]
Rule = Callable[[str, Sequence[Operand], Values], Lane]

# Special registers that number the threads of a warp, and those that say something of each.
_NUMBERING = frozenset(("SR_TID.X", "SR_LANEID"))
_OF_EACH_THREAD = re.compile(r"SR_(?:\w+MASK|CLOCK\w*|TID)\Z")
# Wide integers do not fit into single precision: who makes them double may mean it.
_WIDENING = re.compile(r"F2F(?:\.FTZ)?\.F64\.F32|I2F\.F64(?!\.[SU]64)")
_WORD_BITS = 32

DOUBLES = frozenset(("DADD", "DMUL", "DFMA"))
"""Arithmetic of double precision."""


def result(opcode: str, sources: Sequence[Operand], values: Values, read: Lane) -> Lane:
    """What an instruction gives.

    Args:
        opcode: With its modifiers.
        sources: Its operands.
        values: What these are.
        read: What it reads from memory; `SAME` if it reads none.
    """
    base = stem(opcode)
    if base in DOUBLES:
        return _double(values)
    if is_widening(opcode):
        return mixed(*values)._replace(is_widened=True)
    rule = _RULES.get(base)
    if rule is not None and len(values) >= _LEAST[base]:
        return rule(opcode, sources, values)
    return mixed(read, *values)


def is_widening(opcode: str) -> bool:
    """Whether it makes double precision of what fits into it by far."""
    return _WIDENING.match(opcode) is not None


def loaded(address: Lane, *, is_own: bool = False) -> Lane:
    """What is read at an address; `is_own` for memory of which each thread has its own."""
    return SAME if address.is_same and not is_own else DATA


def _move(_opcode: str, _sources: Sequence[Operand], values: Values) -> Lane:
    return values[0]


def _special(_opcode: str, sources: Sequence[Operand], _values: Values) -> Lane:
    name = sources[0].text
    if name in _NUMBERING:
        return THREAD
    if name == "SRZ":
        return literal(0)
    return ANY if _OF_EACH_THREAD.match(name) else SAME


def _sum(opcode: str, _sources: Sequence[Operand], values: Values) -> Lane:
    # The upper half of a sum of 64 bits.
    return mixed(*values) if _has(opcode, "X") else total(*values[:3])


def _multiply_add(opcode: str, _sources: Sequence[Operand], values: Values) -> Lane:
    if _has(opcode, "HI") or _has(opcode, "X"):
        return mixed(*values)
    return total(product(values[0], values[1]), values[2])


def _scaled_sum(opcode: str, sources: Sequence[Operand], values: Values) -> Lane:
    if _has(opcode, "HI"):
        bits = values[3].constant if len(values) > 3 and not _has(opcode, "X") else None
        if bits is None or not sources[2].is_zero:
            return mixed(*values)
        # What is shifted out of a word, of which the upper one is zero.
        return total(shifted_right(values[0], literal(_WORD_BITS - bits)), values[1])
    by = values[3] if len(values) > 3 and _has(opcode, "X") else values[2]
    return total(shifted_left(values[0], by), values[1])


def _shift(opcode: str, sources: Sequence[Operand], values: Values) -> Lane:
    if _has(opcode, "L") and not _has(opcode, "HI"):
        return shifted_left(values[0], values[1])
    # Of two registers the upper one is shifted; of one it stands there alone.
    if _has(opcode, "R") and sources[0].is_zero:
        return shifted_right(values[2], values[1])
    return mixed(*values)


def _logic(_opcode: str, sources: Sequence[Operand], values: Values) -> Lane:
    return logic(sources[3].constant, *values[:3])


def _two_halves(_opcode: str, sources: Sequence[Operand], values: Values) -> Lane:
    """A constant in the clothes of arithmetic: zero times zero, and two halves of it."""
    if sources[0].is_zero and sources[1].is_zero:
        return literal(packed(sources[2], sources[3]))
    return mixed(*values)


def _double(values: Values) -> Lane:
    whole = mixed(*values)
    of_singles = all(value.is_widened or value.is_literal for value in values)
    if not of_singles:
        return whole
    widened = any(value.is_widened for value in values)
    return whole._replace(is_widened=widened, is_literal=not widened)


def _to_float(_opcode: str, _sources: Sequence[Operand], values: Values) -> Lane:
    return SAME if values[0].is_same else DATA


def _same(_opcode: str, _sources: Sequence[Operand], _values: Values) -> Lane:
    return SAME


@cache
def _has(opcode: str, modifier: str) -> bool:
    return modifier in opcode.split(".")[1:]


_TABLE: tuple[tuple[str, int, Rule], ...] = (
    ("MOV UMOV MOV32I", 1, _move),
    ("S2R CS2R S2UR", 1, _special),
    ("IADD IADD3 VIADD UIADD3 IADD32I", 2, _sum),
    ("IMAD UIMAD", 3, _multiply_add),
    ("LEA ULEA", 3, _scaled_sum),
    ("SHF USHF", 3, _shift),
    ("LOP3 ULOP3", 4, _logic),
    ("HFMA2", 4, _two_halves),
    ("I2F I2FP", 1, _to_float),
    # One answer for the whole warp.
    ("VOTE VOTEU REDUX CREDUX R2UR", 0, _same),
)
_RULES = {name: rule for names, _, rule in _TABLE for name in names.split()}
_LEAST = {name: least for names, least, _ in _TABLE for name in names.split()}
