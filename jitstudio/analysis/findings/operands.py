"""What instructions read and write: registers, constants and addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from jitstudio.analysis.findings.literals import halves, integer, is_number
from jitstudio.analysis.names import names
from jitstudio.analysis.sass.operands import access

NONE = -1
"""Stands for a register, a bank or an offset that there is none of."""

# All registers have one number each, so that a set of them is a number, too.
GPR, UGPR, PRED, UPRED = 0, 256, 512, 528
_FILES = {"R": GPR, "UR": UGPR, "P": PRED, "UP": UPRED}
_ZEROES = {"RZ", "URZ", "PT", "UPT", "SRZ"}

_PREDICATE = re.compile(r"\b(UP|P)(\d)\b")
_PLAIN = re.compile(
    r"(?P<sign>[-~!|]*)(?P<name>(?:UR|UP|R|P)\d{1,3}|U?RZ|SRZ|U?PT)(?:\.[\w.]+)?\|?"
)
_BANK = re.compile(r"[-|]*cx?\[(0x[0-9a-f]+|U?R\w+)\]\[(?:(R\d+)\b)?")
# Which bank it is stands in a register.
_BANK_OF_REGISTER = 0xFF
_ADDRESS = re.compile(r"\[([^\[\]]*)\]\Z")

# What has no result in a register. An opcode that is not known is taken to have one.
_SILENT = names("""
    ST STAS STG STL STS STSM STTM RED REDG REDS REDAS SUST SURED LDGSTS UBLKCP UBLKPF UBLKRED
    UTMALDG UTMAPF UTMAREDG UTMASTG UTMACMDFLUSH UTMACCTL CCTL CCTLL CCTLT MEMBAR ERRBAR FENCE
    DEPBAR LDGDEPBAR USTGDEPBAR BAR UCGABAR_ARV UCGABAR_WAIT ARRIVES SYNCS WARPSYNC WARPGROUP
    BMOV BSSY BSYNC BREAK YIELD NANOSLEEP BRA BRX BRXU JMP JMX JMXU CALL RET EXIT KILL BPT RTT
    NOP PREEXIT ACQBULK SETMAXREG USETMAXREG
""")
# Their results are two vectors.
_TEXTURES = names("TEX TLD TLD4 TXD")
# A predicate in front, and then another result.
_TWO_RESULTS = names("ATOM ATOMG ATOMS LOP3 PLOP3 SHFL ULOP3 UPLOP3")
# A result, and then predicates for what is carried.
_CARRYING = names("IADD IADD3 IMAD LEA UIADD3 UIMAD ULEA")
# Uniform registers that a result takes.
_WIDTHS = {"128": 4, "64": 2, "WIDE": 2}


class Operand(NamedTuple):
    """One operand.

    Attributes:
        text: As the listing has it.
        register: The register that it is, or that is the index in its bank, or `NONE`.
        is_zero: Whether it is a register that always holds zero, or true.
        is_negative: Whether the register is negated.
        constant: The whole number that it is, or None.
        is_literal: Whether it is a number, whole or not.
        bank: The bank of constant memory that it is in, or `NONE`.
    """

    text: str
    register: int = NONE
    is_zero: bool = False
    is_negative: bool = False
    constant: int | None = None
    is_literal: bool = False
    bank: int = NONE


class Address(NamedTuple):
    """The address of a memory access.

    Attributes:
        base: The register that holds it, or `NONE`.
        more: Uniform register that is added, or `NONE`.
        offset: Bytes that are added.
    """

    base: int
    more: int
    offset: int


class Form(NamedTuple):
    """The operands of an instruction by what becomes of them.

    Attributes:
        results: Registers that are written, the first of each.
        written: All registers that are written.
        sources: What is read, addresses apart.
        address: Where memory is accessed, if it is.
        reads: A bit for each general register and predicate that may be read.
    """

    results: tuple[int, ...]
    written: tuple[int, ...]
    sources: tuple[Operand, ...]
    address: Address | None
    reads: int


@cache
def stem(opcode: str) -> str:
    """An opcode without its modifiers."""
    return opcode.partition(".")[0]


@lru_cache(maxsize=1 << 15)
def form_of(opcode: str, operands: str) -> Form:
    """What an instruction reads and writes, its guard apart."""
    texts = operands.split(", ") if operands else []
    count = _results(stem(opcode), texts)
    results = tuple(found for text in texts[:count] if (found := operand(text).register) != NONE)
    rest = texts[count:]
    general = access(opcode, operands)
    reads = general.reads
    for text in rest:
        for file, number in _PREDICATE.findall(text):
            reads |= 1 << _FILES[file] + int(number)
    return Form(
        results,
        tuple(_written(opcode, results, general.writes)),
        tuple(map(operand, rest)),
        _address(rest),
        reads,
    )


@lru_cache(maxsize=1 << 14)
def operand(text: str) -> Operand:
    """One operand, read."""
    text = text.removesuffix(".reuse")
    if plain := _PLAIN.fullmatch(text):
        name = plain["name"]
        negative = bool(plain["sign"].strip("|"))
        if name in _ZEROES:
            return Operand(text, is_zero=True, is_negative=negative, constant=0)
        return Operand(text, register=_number(name), is_negative=negative)
    if bank := _BANK.match(text):
        number = int(bank[1], 16) if bank[1].startswith("0x") else _BANK_OF_REGISTER
        return Operand(text, register=_number(bank[2]) if bank[2] else NONE, bank=number)
    return Operand(text, constant=integer(text), is_literal=is_number(text))


def packed(high: Operand, low: Operand) -> int | None:
    """The 32 bits that two operands of half precision stand for."""
    return halves(high.text, low.text)


def guard(predicate: str) -> int:
    """The register of a guard such as ``@!P0``, or `NONE` where there is none."""
    return operand(predicate.lstrip("@")).register if predicate else NONE


def is_predicate(register: int) -> bool:
    """Whether a register is a predicate."""
    return register >= PRED


def is_uniform(register: int) -> bool:
    """Whether a register is one of the whole warp."""
    return UGPR <= register < PRED or register >= UPRED


def _results(base: str, texts: list[str]) -> int:
    """How many operands are written."""
    if not texts or base in _SILENT:
        return 0
    first = operand(texts[0])
    if is_predicate(first.register) or texts[0] in ("PT", "UPT"):
        return 2 if base.endswith("SETP") or base in _TWO_RESULTS else 1
    count = 2 if base in _TEXTURES else 1
    while base in _CARRYING and count < len(texts) - 2 and _is_predicate_text(texts[count]):
        count += 1
    return count


def _written(opcode: str, results: tuple[int, ...], general: int) -> Iterator[int]:
    for register in results:
        count = _uniform_width(opcode) if UGPR <= register < PRED else 1
        yield from range(register, register + count)
    yield from (n for n in range(general.bit_length()) if general >> n & 1 and n not in results)


@cache
def _uniform_width(opcode: str) -> int:
    return next((count for part, count in _WIDTHS.items() if part in opcode.split(".")), 1)


def _is_predicate_text(text: str) -> bool:
    return text in ("PT", "UPT") or is_predicate(operand(text).register)


def _number(name: str) -> int:
    file = name.rstrip("0123456789")
    return _FILES[file] + int(name.removeprefix(file))


def _address(texts: list[str]) -> Address | None:
    """The address among operands: what is in the last brackets and no constant."""
    text = next((text for text in texts if text.endswith("]") and not _BANK.match(text)), None)
    found = _ADDRESS.search(text) if text else None
    if found is None:
        return None
    base = more = NONE
    offset = 0
    for term in found[1].split("+"):
        number = integer(term)
        if number is not None:
            offset += number
            continue
        register = operand(term.partition(".")[0]).register
        if register != NONE and is_uniform(register) and base != NONE:
            more = register
        elif register != NONE:
            base = register
    return Address(base, more, offset)
