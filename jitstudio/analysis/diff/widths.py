"""How many registers, one behind the other, an operand of an instruction may take.

SASS names the first only, so renaming has to keep the others beside it. NVIDIA publishes no table:
this one holds what is certain. Where it says too many, two programs are called different that are
not; of an opcode that it does not know all registers are taken by their names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from jitstudio.analysis.names import names

_ONE = names("""
    BAR BMOV BMSK BRA BREAK BREV BSSY BSYNC CREDUX DEPBAR ERRBAR EXIT F2F F2FP F2I FADD FCHK
    FFMA FLO FMNMX FMUL FRND FSEL FSET FSETP FSWZADD HADD2 HFMA2 HMNMX2 HMUL2 HSET2 HSETP2
    I2F I2FP I2I IABS IADD IADD3 IDP IMAD IMNMX ISETP LEA LOP3 MATCH MEMBAR MOV MOV32I MOVM
    MUFU NANOSLEEP NOP P2R PLOP3 POPC PRMT R2P R2UR REDUX S2R S2UR SEL SGXT SHF SHFL UBMSK
    UBREV UF2FP UFADD UFFMA UFLO UFMNMX UFMUL UFSEL UFSET UFSETP UI2FP UIABS UIADD3 UIMAD
    UISETP ULEA ULOP3 UMOV UP2UR UPLOP3 UPOPC UPRMT USEL USGXT USHF UVIADD VABSDIFF VABSDIFF4
    VIADD VIADDMNMX VIMNMX VIMNMX3 VOTE VOTEU WARPSYNC YIELD
""")
_TWO = names("BRX CALL CS2R DADD DFMA DMNMX DMUL DSETP FADD2 FFMA2 FMUL2 JMP JMX LEPC RET")
# Their modifiers tell how they round or shift, and nothing of their operands.
_ALWAYS_ONE = names("MUFU SHF USHF")
_TWO_WORDS = names("64 F64 S64 U64")
# The result and what is added take two.
_WIDENING = "WIDE"
# What is added takes two.
_HIGH = "HI"
_PRODUCTS_OF_INTEGERS = names("IMAD UIMAD")
# Such a move goes past what is active of a warp.
_SPILLING = names("FILL SPILL")

# Which words make the result wide, and which the source.
_CONVERSIONS = {
    "I2F": (names("F64"), names("S64 U64")),
    "F2I": (names("S64 U64"), names("F64")),
    # The result's type stands first.
    "F2F": (names("F64"), names("F64")),
}
_FLOATS = names("BF16 F16 F32 F64 TF32")

_GLOBAL = names("ATOM ATOMG CCTL LD LDG LDGSTS RED REDG ST STG")
_NEAR = names("ATOMS LDC LDCU LDL LDS STL STS ULDC")
_MEMORY_ONE = names("""
    16 8 ADD AND BF16x2 BYPASS CAS CONSTANT CTA DEC E EF EL EN EXCH F16 F16x2 F32 FTZ GPU
    INC LTC128B LTC256B LTC64B LU MAX MIN MMIO NA OR POPC PRIV RN S16 S32 S8 SM STRONG SYS U
    U16 U32 U8 VC WEAK XOR
""")
_MEMORY_WORDS = {**dict.fromkeys(_MEMORY_ONE, 1), **dict.fromkeys(_TWO_WORDS, 2), "128": 4}
_MATRICES = names("LDSM STSM")
_MATRIX_WORDS = {"16": 1, "M88": 1, "MT88": 1, "2": 2, "4": 4}
# Of a product of matrices: the registers of A and B, for the sizes that are known.
_PRODUCTS = {
    ("16816",): (4, 2),
    ("16816", "BF16"): (4, 2),
    ("1688",): (2, 1),
    ("1688", "BF16"): (2, 1),
    ("1688", "TF32"): (4, 2),
}
_SUMS = {"F32": 4, "F16": 2}


@dataclass(frozen=True, slots=True)
class Widths:
    """Registers of each operand, predicates not counted.

    Attributes:
        address: Of one inside brackets.
        operands: Of the first, the second and so on; of any other the last.
    """

    address: int
    operands: tuple[int, ...]

    def of(self, position: int) -> int:
        """Of the operand at this place, counted from 0."""
        return self.operands[min(position, len(self.operands) - 1)]


@cache
def widths_of(opcode: str) -> Widths | None:
    """What the operands of an opcode with its modifiers take; None where that is not known."""
    name, *words = opcode.split(".")
    if name in _GLOBAL:
        return _moved(words, _MEMORY_WORDS, address=2)
    if name in _NEAR:
        return _moved(words, _MEMORY_WORDS, address=1)
    if name in _MATRICES:
        return _moved(words, _MATRIX_WORDS, address=1)
    if name == "HMMA":
        return _product(words)
    if name in _TWO:
        return Widths(2, (1 if words[:1] == ["32"] else 2,))
    if name not in _ONE or not _SPILLING.isdisjoint(words):
        return None
    if name in _PRODUCTS_OF_INTEGERS and _WIDENING in words:
        return Widths(1, (2, 1, 1, 2))
    if name in _PRODUCTS_OF_INTEGERS and _HIGH in words:
        return Widths(1, (1, 1, 1, 2))
    if name in _CONVERSIONS:
        return Widths(1, _converted(name, words))
    wide = name not in _ALWAYS_ONE and not _TWO_WORDS.isdisjoint(words)
    return Widths(1, (2 if wide else 1,))


def _moved(words: list[str], known: dict[str, int], address: int) -> Widths | None:
    if any(word not in known for word in words):
        return None
    return Widths(address, (max((known[word] for word in words), default=1),))


def _product(words: list[str]) -> Widths | None:
    if len(words) < 2 or words[1] not in _SUMS:
        return None
    size, kind, *more = words
    factors = _PRODUCTS.get((size, *more))
    if factors is None:
        return None
    return Widths(1, (_SUMS[kind], *factors, _SUMS[kind]))


def _converted(name: str, words: list[str]) -> tuple[int, int]:
    results, sources = _CONVERSIONS[name]
    types = [word for word in words if word in _FLOATS]
    told = ({types[0]}, {types[1]}) if name == "F2F" and len(types) == 2 else (words, words)
    return (
        1 if results.isdisjoint(told[0]) else 2,
        1 if sources.isdisjoint(told[1]) else 2,
    )
