"""Which operands an instruction writes, for certain and wholly.

Only such a write ends what a register has held. NVIDIA publishes no table: this one holds what is
certain. All else is taken to go on with the old value, whether it reads or writes: so two
programs may be called different that are not, and never the other way round.
"""

from __future__ import annotations

import re
from functools import cache

from jitstudio.analysis.diff.widths import widths_of
from jitstudio.analysis.names import names

# The first operand is a register, and the result.
_REGISTER_FIRST = names("""
    ATOM ATOMG ATOMS BMSK BREV CS2R DADD DFMA DMNMX DMUL F2F F2FP F2I FADD FADD2 FFMA FFMA2 FLO
    FMNMX FMUL FMUL2 FRND FSEL FSET FSWZADD HADD2 HFMA2 HMMA HMNMX2 HMUL2 HSET2 I2F I2FP IABS
    IADD IADD3 IDP IMAD IMNMX LD LDC LDCU LDG LDL LDS LDSM LEA LOP3 MATCH MOV MOV32I MUFU POPC
    PRMT R2UR REDUX S2R S2UR SEL SGXT SHF SHFL UBMSK UBREV UF2FP UFADD UFFMA UFLO UFMNMX UFMUL
    UFSEL UFSET UI2FP UIABS UIADD3 UIMAD ULDC ULEA ULOP3 UMOV UPOPC UPRMT USEL USGXT USHF
    UVIADD VABSDIFF VABSDIFF4 VIADD VIADDMNMX VIMNMX VIMNMX3 VOTE VOTEU
""")
# A predicate comes first, and is a result.
_PREDICATE_FIRST = names("""
    ATOM ATOMG DSETP FCHK FSETP HSETP2 ISETP LOP3 PLOP3 SHFL UFSETP UISETP ULOP3 UPLOP3 VOTE
""")
# Where a predicate comes first the second operand is a result, too: a predicate, or a register.
_TWO_PREDICATES = names("DSETP FSETP HSETP2 ISETP PLOP3 UFSETP UISETP UPLOP3")
_PREDICATE_AND_REGISTER = names("ATOM ATOMG LOP3 SHFL ULOP3")
# Behind their result come predicates for what is carried.
_CARRYING = names("IADD IADD3 IMAD LEA UIADD3 UIMAD ULEA")
# A predicate could say whether they load.
_LOADS = names("LD LDC LDCU LDG LDL LDS LDSM ULDC")
# Their results take as many registers as the widths say, which is the most elsewhere.
_EXACT = _LOADS | names("""
    ATOM ATOMG ATOMS CS2R DADD DFMA DMNMX DMUL F2F F2I FADD2 FFMA2 FMUL2 FRND HMMA I2F IADD IMAD
    MOV SEL UIADD3 UIMAD UMOV USEL
""")

_REGISTER = re.compile(r"U?R(?:\d+|Z)\Z")
_PREDICATE = re.compile(r"U?P(?:\d|T)\Z")
_ANY_PREDICATE = re.compile(r"!?U?P(?:\d|T|R)\Z")
_NONE = frozenset(("RZ", "URZ", "PT", "UPT"))


def written_registers(opcode: str, operands: str) -> int:
    """How many of the registers that an instruction takes, from the first, are surely its results.

    Registers are counted as in `Form.uses`. A guard is not looked at.
    """
    base = _stem(opcode)
    texts = operands.split(", ")
    first = texts[0]
    if _PREDICATE.match(first) and base in _PREDICATE_FIRST:
        return _is_named(first) + _second(base, opcode, texts)
    if not _REGISTER.match(first) or base not in _REGISTER_FIRST:
        return 0
    if base in _LOADS and any(map(_ANY_PREDICATE.match, texts[1:])):
        return 0
    width = _width(base, opcode)
    if not width:
        return _is_named(first)
    count = width * _is_named(first)
    for text in texts[1:-2] if base in _CARRYING else ():
        if not _PREDICATE.match(text):
            break
        count += _is_named(text)
    return count


def _second(base: str, opcode: str, texts: list[str]) -> int:
    if len(texts) < 2:
        return 0
    second = texts[1]
    if base in _TWO_PREDICATES and _PREDICATE.match(second):
        return _is_named(second)
    if base in _PREDICATE_AND_REGISTER and _REGISTER.match(second):
        return max(1, _width(base, opcode)) * _is_named(second)
    return 0


def _is_named(text: str) -> int:
    """1 for a register that has a name of its own, 0 for those that hold what they always hold."""
    return int(text not in _NONE)


@cache
def _width(base: str, opcode: str) -> int:
    """How many registers the result takes; 0 where only the first one is certain."""
    widths = widths_of(opcode)
    if widths is None:
        return 0
    count = widths.of(0)
    return count if count == 1 or base in _EXACT else 0


@cache
def _stem(opcode: str) -> str:
    return opcode.partition(".")[0]
