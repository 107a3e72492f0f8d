"""The registers, addresses and constants that an instruction reads and writes, from its text.

The one decoder of SASS operands: live registers, findings and comparisons all go by it. Which
operands are results, and how many registers each takes, is in the table of opcodes; `decode` is
held against the marks of `nvdisasm -lrm narrow`, instruction by instruction.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from jitstudio.analysis.sass.opcodes import class_of, is_understood, row_of

NONE = -1
"""Represents a register, a bank or an offset that is absent."""

Mask = int
"""A set of registers: a bit for each register, by its number."""

GPR, UGPR, PRED, UPRED, BARRIER = 0, 256, 512, 528, 544
"""The numbers of R0, UR0, P0, UP0 and B0."""

STACK_POINTER = GPR + 1
"""R1, by the convention for calls."""

_FILES = {"R": (GPR, 255), "UR": (UGPR, 255), "P": (PRED, 7), "UP": (UPRED, 7), "B": (BARRIER, 16)}


def _file_mask(*kinds: str) -> Mask:
    return sum(((1 << size) - 1) << first for first, size in (_FILES[kind] for kind in kinds))


GENERAL: Mask = _file_mask("R")
PREDICATES: Mask = _file_mask("P")
UNIFORM_PREDICATES: Mask = _file_mask("UP")
BARRIERS: Mask = _file_mask("B")
UNIFORM: Mask = _file_mask("UR", "UP")
"""Registers that the threads of a warp share."""

ALL_REGISTERS: Mask = _file_mask(*_FILES)

_NUMBERS = {f"{kind}{n}": first + n for kind, (first, size) in _FILES.items() for n in range(size)}
# The name of the first register of a file, by the name of any register in it.
_FIRST = {name: f"{name.rstrip('0123456789')}0" for name in _NUMBERS}

# Behind a round bracket is a symbol, which may be called R4.
REGISTER = re.compile(
    r"(?<![\w$.(])(U?R(?:25[0-4]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])|U?P[0-6]|B(?:1[0-5]|[0-9]))"
    r"(?![\w$])"
)
_ANY_PREDICATE = re.compile(r"!?U?P(?:\d|[TR])\Z")
_RESULT_REGISTER = re.compile(r"(?:U?R(?:\d+|Z)|B\d+)(?P<part>\.\w+)?\Z")
_RESULT_PREDICATE = re.compile(r"U?P[0-9T]\Z")
_ALL_OF_A_KIND = {"PR": PREDICATES, "UPR": UNIFORM_PREDICATES}
_BRACKETS = re.compile(r"(?<![\w.])([\w.]*)\[([^\[\]]*)(?:\]|\Z)")


class RegisterUse(NamedTuple):
    """A register in the text of an instruction.

    Attributes:
        register: The number of the register.
        size: How many consecutive registers are used, this register being the first.
        is_result: Whether the registers are written, and not read.
        is_sure: Of a result, whether the registers are certainly written, and wholly.
    """

    register: int
    size: int
    is_result: bool
    is_sure: bool


class Operand(NamedTuple):
    """An operand of an instruction, read.

    Attributes:
        text: The operand as the listing has it.
        register: The register that the operand is, or the index register of its bank, or `NONE`.
        is_zero: Whether the operand is a register that always holds zero, or true.
        is_negative: Whether the register is negated.
        constant: The whole number that the operand is, or None.
        is_literal: Whether the operand is a number, whole or not.
        bank: The bank of constant memory that the operand is in, or `NONE`.
    """

    text: str
    register: int = NONE
    is_zero: bool = False
    is_negative: bool = False
    constant: int | None = None
    is_literal: bool = False
    bank: int = NONE


class MemoryAddress(NamedTuple):
    """The address of a memory access.

    Attributes:
        base: The register that holds the address, or `NONE`.
        more: Uniform register that is added, or `NONE`.
        offset: Bytes that are added.
        scale: The factor of the base register, as in ``[R6.X4+0x10]``.
    """

    base: int
    more: int
    offset: int
    scale: int = 1


class DecodedOperands:
    """The operands of an instruction, as results and sources, without the guard in front.

    Attributes:
        uses: The registers in the text, in their order.
        unnamed: Registers that are read or written without being named.
        reads: All registers that may be read.
        writes: All registers that may be written.
        sure: Registers among `writes` that are certainly written, and wholly.
        results: Registers that are written, the first of each operand.
        written: All registers that are written, the results first.
        is_known: Whether the table of opcodes has the form of the operands. If not, a register in
            front is taken for the result, and every operand for one register.
    """

    def __init__(
        self,
        shape: _Shape,
        uses: tuple[RegisterUse, ...],
        masks: tuple[Mask, Mask, Mask],
        text: str,
    ) -> None:
        self._shape, self._text = shape, text
        self.uses, self.unnamed = uses, shape.reads | shape.writes
        self.reads, self.writes, self.sure = masks
        self.is_known = shape.is_known
        self.results = tuple([use.register for use in uses if use.is_result])
        more = self.writes
        for register in self.results:
            more &= ~(1 << register)
        self.written = (*self.results, *numbers(more)) if more else self.results

    @cached_property
    def sources(self) -> tuple[Operand, ...]:
        """The operands that are read: all behind the results."""
        return tuple(map(operand, self._texts))

    @cached_property
    def address(self) -> MemoryAddress | None:
        """The address of the memory access, or None if no operand is an address."""
        return _address(self._texts)

    @property
    def _texts(self) -> list[str]:
        return _split(self._text)[self._shape.results :]


@lru_cache(maxsize=1 << 15)
def decode(opcode: str, operands: str) -> DecodedOperands:
    """Returns the operands of an instruction, with the registers read and written."""
    parts = REGISTER.split(operands)
    names = parts[1::2]
    parts[1::2] = [_FIRST[name] for name in names]
    # Instructions that differ only in register numbers share a shape.
    shape = _shape(opcode, "".join(parts))
    reads, writes, sure = shape.reads, shape.writes, 0
    uses = []
    for name, (size, is_result, is_sure, ones, limit) in zip(names, shape.slots, strict=True):
        number = _NUMBERS[name]
        mask = ones << number & limit
        if not is_result:
            reads |= mask
        else:
            writes |= mask
            if is_sure:
                sure |= mask
        uses.append(RegisterUse(number, size, is_result, is_sure))
    return DecodedOperands(shape, tuple(uses), (reads, writes, sure), operands)


@lru_cache(maxsize=1 << 14)
def operand(text: str) -> Operand:
    """Returns an operand read from its text."""
    text = text.removesuffix(".reuse")
    if plain := _PLAIN.fullmatch(text):
        negative = bool(plain["sign"].strip("|"))
        if plain["name"] in _ZEROES:
            return Operand(text, is_zero=True, is_negative=negative, constant=0)
        return Operand(text, register=register_number(plain["name"]), is_negative=negative)
    if bank := _BANK.match(text):
        number = int(bank[1], 16) if bank[1].startswith("0x") else _BANK_OF_REGISTER
        return Operand(text, register=register_number(bank[2] or ""), bank=number)
    return Operand(text, constant=integer(text), is_literal=_LITERAL.fullmatch(text) is not None)


@lru_cache(maxsize=1 << 10)
def guard(predicate: str) -> int:
    """Returns the register of a guard such as ``@!P0``, or `NONE` where there is none."""
    return _NUMBERS.get(predicate.lstrip("@!"), NONE)


def register_number(name: str) -> int:
    """Returns the number of a register by its name; `NONE` for RZ, PT and other words."""
    return _NUMBERS.get(name, NONE)


def file_of(register: int) -> tuple[int, int]:
    """Returns the first number of a register's file (R, UR, P, UP or B), and the end."""
    first = max(first for first, _ in _FILES.values() if first <= register)
    return first, first + next(size for start, size in _FILES.values() if start == first)


def is_predicate(register: int) -> bool:
    """Returns whether a register is a predicate."""
    return PRED <= register < BARRIER


def is_uniform(register: int) -> bool:
    """Returns whether the threads of a warp share a register."""
    return UGPR <= register < PRED or UPRED <= register < BARRIER


@lru_cache(1 << 12)
def numbers(mask: Mask) -> tuple[int, ...]:
    """Returns the registers of a set, ascending."""
    registers = []
    while mask:
        lowest = mask & -mask
        registers.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tuple(registers)


# ---- Which operands are results, and how many registers each takes


class _Slot(NamedTuple):
    """A `RegisterUse` without the number: the bits as those of R0, and all bits of the file."""

    size: int
    is_result: bool
    is_sure: bool
    ones: Mask
    limit: Mask


class _Shape(NamedTuple):
    """The registers of all instructions that differ in register numbers only.

    Attributes:
        slots: The registers in the text, in their order.
        results: How many operands are results.
        reads: Registers that are read without being named.
        writes: Registers that are written without being named.
        is_known: See `DecodedOperands`.
    """

    slots: tuple[_Slot, ...]
    results: int
    reads: Mask
    writes: Mask
    is_known: bool


class _Field(NamedTuple):
    """An operand of a form: name, whether in brackets, and the registers taken."""

    name: str
    in_brackets: bool
    width: str


class _Form(NamedTuple):
    results: tuple[_Field, ...]
    sources: tuple[_Field, ...]


_FIELD = re.compile(r"(?P<bracket>\[)?(?P<name>\w+)(?::(?P<width>\w+))?")
_TEXTURE = "t"
_UNKNOWN_FORM = _Form(
    tuple(_Field(name, in_brackets=False, width="") for name in ("p", "q", "d")),
    (_Field("a", in_brackets=False, width=""),),
)


@lru_cache(maxsize=1 << 14)
def _shape(opcode: str, text: str) -> _Shape:
    """Returns the shape of an instruction whose registers all have the number 0."""
    form, texts = _form(opcode), _split(text)
    widths = _Widths(opcode, texts)
    count = 0
    waiting = list(form.results)
    slots: list[_Slot] = []
    all_reads, all_writes, is_known = 0, 0, _is_known(opcode)
    # A predicate among the operands may keep a load from happening.
    may_skip = class_of(opcode).is_load and any(map(_ANY_PREDICATE.match, texts[1:]))
    for operand_text in texts:
        field = _take_result(operand_text, waiting)
        if field is None:
            break
        count += 1
        all_writes |= _unnamed(operand_text, texts)
        is_sure = REGISTER.fullmatch(operand_text) is not None and not may_skip
        slots += _slots(operand_text, widths, field, is_result=True, is_sure=is_sure and is_known)
    next_field = 0
    for operand_text in texts[count:]:
        all_reads |= _unnamed(operand_text, texts)
        if _ANY_PREDICATE.match(operand_text):
            slots += _slots(operand_text, widths, _UNKNOWN_FORM.sources[0])
            continue
        next_field = _field_of(operand_text, form.sources, next_field)
        field = form.sources[min(next_field, len(form.sources) - 1)]
        slots += _slots(operand_text, widths, field)
        next_field += 1
    return _Shape(tuple(slots), count, all_reads, all_writes, is_known)


def _unnamed(text: str, texts: Sequence[str]) -> Mask:
    """Returns the predicates of PR or UPR: those of the last operand, if that is a mask."""
    if text not in _ALL_OF_A_KIND:
        return 0
    mask = integer(texts[-1])
    first = PRED if text == "PR" else UPRED
    return _ALL_OF_A_KIND[text] & (mask << first if mask is not None and mask > 0 else -1)


def _take_result(text: str, waiting: list[_Field]) -> _Field | None:
    """Removes from `waiting` the result field that an operand fills, and returns that field."""
    if text in _ALL_OF_A_KIND:
        fits = {text}
    elif _RESULT_PREDICATE.match(text):
        fits = {"p", "q"}
    elif _RESULT_REGISTER.match(text):
        fits = {"d", "e"}
    else:
        return None
    field = next((field for field in waiting if field.name in fits), None)
    if field is not None:
        # A vector in front of another one may be left out, and so may predicates.
        waiting.remove(field)
    return field


def _field_of(text: str, fields: Sequence[_Field], at: int) -> int:
    """Returns the index of the field that a source fills.

    A source in brackets fills the next field in brackets, and a texture its own field: operands in
    front of these may be missing.
    """
    if text.endswith("]") and not _BANK.match(text):
        return next((n for n in range(at, len(fields)) if fields[n].in_brackets), at)
    if text.startswith("UR"):
        return next((n for n in range(at, len(fields)) if fields[n].name == _TEXTURE), at)
    return at


def _slots(
    text: str, widths: _Widths, field: _Field, *, is_result: bool = False, is_sure: bool = False
) -> Iterator[_Slot]:
    brackets = [(match.start(2), match.end(2), match) for match in _BRACKETS.finditer(text)]
    for match in REGISTER.finditer(text):
        first, size = _FILES[match[0][:-1]]
        inside = next((b for start, end, b in brackets if start <= match.start() < end), None)
        suffix = text[match.end() : match.end() + 4]
        if first not in (GPR, UGPR):
            width = 1
        elif inside is not None:
            width = widths.inside(inside[1], inside[2], suffix, field, is_uniform=first == UGPR)
        else:
            width = 2 if suffix.startswith(".64") else widths.plain(field)
        ones = (1 << width) - 1
        yield _Slot(width, is_result, is_sure, ones, ((1 << size) - 1) << first)


def _split(operands: str) -> list[str]:
    return operands.split(", ") if operands else []


@cache
def _form(opcode: str) -> _Form:
    row = row_of(opcode)
    if row is None:
        return _UNKNOWN_FORM
    fields = [
        _Field(match["name"], match["bracket"] is not None, match["width"] or "")
        for part in row.form.partition(" ")[2].replace("(", "").replace(")", "").split(", ")
        if (match := _FIELD.match(part.strip()))
    ]
    count = 0
    while count < len(fields) and _is_result(fields[count], count):
        count += 1
    return _Form(tuple(fields[:count]), tuple(fields[count:]) or _UNKNOWN_FORM.sources)


def _is_result(field: _Field, at: int) -> bool:
    return not field.in_brackets and (
        field.name in ("d", "e", "p", "q") or (field.name in _ALL_OF_A_KIND and at == 0)
    )


# These moves ignore which threads of a warp are active.
_SPILLING = frozenset(("FILL", "SPILL"))


@cache
def _is_known(opcode: str) -> bool:
    row = row_of(opcode)
    if row is None or not _SPILLING.isdisjoint(opcode.split(".")):
        return False
    # An unknown modifier may be a width.
    return ":m" not in row.form or is_understood(opcode)


class _Widths:
    """How many registers each operand of an instruction takes."""

    def __init__(self, opcode: str, texts: Sequence[str]) -> None:
        self._opcode, self._texts = opcode, texts
        self._base, *self._modifiers = opcode.split(".")

    def plain(self, field: _Field) -> int:
        """Returns the registers of a field that is not in brackets."""
        match field.width:
            case "":
                return 2 if "64" in self._modifiers else 1
            case "m":
                return max(1, (class_of(self._opcode).bits or 32) // 32)
            case "w":
                return 1 if _WIDE_INTEGERS.isdisjoint(self._modifiers) else 2
            case "to" | "from":
                return _converted(self._base, self._modifiers)[field.width == "from"]
            case "A" | "B" | "C":
                return _matrix(self._opcode)["ABC".index(field.width)]
            case "x":
                return self._of_vector(field)
            case "n":
                return _in_tensor_memory(self._modifiers)
            case "xy" | "xy1" | "xy2" as width:
                return self._coordinates() + int(width[2:] or 0)
            case number:
                return int(number)

    def inside(
        self, prefix: str, inside: str, suffix: str, field: _Field, *, is_uniform: bool
    ) -> int:
        """Returns the registers of a field between brackets.

        Args:
            prefix: The word in front of the brackets, such as ``desc``.
            inside: The text between the brackets.
            suffix: The text behind the register.
            field: The field of the form that the operand fills.
            is_uniform: Whether the register is uniform.
        """
        if suffix.startswith(".64") or prefix in _PAIRS_IN_FRONT:
            return 2
        if field.width:
            return self.plain(field)
        if prefix == _MATRIX_IN_MEMORY:
            return 2
        # In a long address, the uniform register of two has 64 bits, and so has a single register.
        is_long = "E" in self._modifiers and not suffix.startswith(".U32")
        return 2 if is_long and (is_uniform or "UR" not in inside) else 1

    def _coordinates(self) -> int:
        return next((_COORDINATES[m] for m in self._modifiers if m in _COORDINATES), 1)

    def _of_vector(self, field: _Field) -> int:
        """Returns the registers of a texture's vector: upper or lower components, coordinates."""
        place = ("d", "e", "a", "b").index(field.name)
        return _texture(self._base, self._modifiers, self._texts)[place]


# Behind these words of a listing is a descriptor in brackets, or an operand with a descriptor.
_PAIRS_IN_FRONT = frozenset(("desc", "cx"))
_MATRIX_IN_MEMORY = "gdesc"
_WIDE_INTEGERS = frozenset(("S64", "U64"))


def _converted(base: str, modifiers: Sequence[str]) -> tuple[int, int]:
    """Returns the registers of result and source, by the types in the opcode."""
    floats = [modifier for modifier in modifiers if modifier[:1] == "F" and modifier[1:].isdigit()]
    wide_integer = not _WIDE_INTEGERS.isdisjoint(modifiers)
    first, last = floats[:1] == ["F64"], floats[-1:] == ["F64"]
    result, source = {
        "I2F": (first, wide_integer),
        "F2I": (wide_integer, last),
        "I2I": (wide_integer, False),
    }.get(base, (first, last))
    return 1 + result, 1 + source


# `HMMA.16816.F32`, `DMMA.8x8x4`, `HGMMA.64x128x16.F32`.
_SHAPE = re.compile(r"\.(?:(8|16)(8|16)|(\d+)x(\d+)x)(\d+)\b")
# Bits of an element of the factors, and how many threads share a product.
_ELEMENTS = {"HMMA": 16, "DMMA": 64, "BMMA": 1, "HGMMA": 16, "BGMMA": 1}
_ELEMENTS |= dict.fromkeys(("IMMA", "QMMA", "OMMA", "IGMMA", "QGMMA"), 8)
_NARROW = {"TF32": 32, "U4": 4, "S4": 4}
_WARP, _WARPS = 32, 128


@cache
def _matrix(opcode: str) -> tuple[int, int, int]:
    """Returns the registers that a thread holds of the matrices A, B and C, each at least 1.

    A matrix lies in the registers of a warp, or of four warps for the GMMA opcodes.
    """
    shape = _SHAPE.search(opcode)
    base, *modifiers = opcode.split(".")
    if shape is None:
        return 1, 1, 1
    m, n, k = (int(size) for size in shape.groups() if size)
    is_half = "F16" in modifiers and "F32" not in modifiers
    factor = next((_NARROW[m] for m in modifiers if m in _NARROW), _ELEMENTS.get(base, 32))
    product = 64 if base == "DMMA" else 16 if is_half else 32
    bits = 32 * (_WARPS if base.endswith("GMMA") else _WARP)
    sizes = ((m * k, factor), (n * k, factor), (m * n, product))
    a, b, c = (max(1, size * width // bits) for size, width in sizes)
    return a, b, c


# `LDTM.16dp128bit.x4`: bits of a lane, of which 16 threads move 64 with a register each.
_LANES = re.compile(r"16dp(\d+)bit")


def _in_tensor_memory(modifiers: Sequence[str]) -> int:
    """Returns the registers that a thread moves to tensor memory or from there."""
    repeated = next((int(m[1:]) for m in modifiers if m[:1] == "x" and m[1:].isdigit()), 1)
    lanes = next((match for m in modifiers if (match := _LANES.fullmatch(m))), None)
    return repeated * max(1, int(lanes[1]) // 64) if lanes else repeated


# How many numbers address a place in a texture or a surface, by its shape.
_COORDINATES = {
    **dict.fromkeys(("1D", "1D_BUFFER"), 1),
    **dict.fromkeys(("2D", "1D_ARRAY", "ARRAY_1D"), 2),
    **dict.fromkeys(("3D", "CUBE", "2D_ARRAY", "ARRAY_2D"), 3),
    "ARRAY_CUBE": 4,
}
_COMPONENTS = 0xF
_MASK = re.compile("0x[0-9a-f]+")
# Each takes one number more: the texture itself, the level or its bias, the offset, the value
# compared with.
_MORE = frozenset(("LL", "LB", "B", "DC", "AOFFI"))
# All numbers are shared out among two vectors, of which each has two at most.
_SHARED = "SCR"
_GRADIENTS, _GATHERS = "TXD", "TLD4"
# Two components lie in one register.
_HALVES = "F16"


def _texture(
    base: str, modifiers: Sequence[str], texts: Sequence[str]
) -> tuple[int, int, int, int]:
    """Returns the upper components, the lower ones, and the two vectors that are read.

    Components that the mask leaves out are not written.
    """
    shape = next((text for text in texts if text in _COORDINATES), "1D")
    # Behind TLD4 such a letter says which component is gathered.
    more = sum(modifier in _MORE for modifier in modifiers if base != _GATHERS or modifier != "B")
    size = 2 if _HALVES in modifiers else 1
    count = _mask(texts).bit_count()
    upper, lower = (-(-part // size) for part in (max(count - 2, 0), min(count, 2)))
    place = _COORDINATES[shape]
    if base == _GRADIENTS:
        # There are two for each coordinate, and none for the layer.
        return upper, lower, place, 2 * (place - ("ARRAY" in shape))
    if _SHARED not in modifiers:
        return upper, lower, place, max(more, 1)
    first = 2 if place + more > 2 else 1
    return upper, lower, first, max(place + more - first, 1)


def _mask(texts: Sequence[str]) -> int:
    """Returns the mask of components: a last operand behind the shape or behind another number."""
    is_mask = (
        len(texts) > 1
        and _MASK.fullmatch(texts[-1])
        and (texts[-2] in _COORDINATES or _MASK.fullmatch(texts[-2]))
    )
    return int(texts[-1], 16) & _COMPONENTS if is_mask else _COMPONENTS


# ---- Constants and addresses

_ZEROES = {"RZ", "URZ", "PT", "UPT", "SRZ"}
_PLAIN = re.compile(
    r"(?P<sign>[-~!|]*)(?P<name>(?:UR|UP|R|P)\d{1,3}|U?RZ|SRZ|U?PT)(?:\.[\w.]+)?\|?"
)
_BANK = re.compile(r"[-|]*cx?\[(0x[0-9a-f]+|U?R\w+)\] ?\[(?:(R\d+)\b)?")
# A register holds the number of the bank.
_BANK_OF_REGISTER = 0xFF
_ADDRESS = re.compile(r"\[([^\[\]]*)\]\Z")
_INTEGER = re.compile(r"(-?)(0x[0-9a-f]+|\d+)")
_LITERAL = re.compile(r"[-+]?(?:0x[0-9a-f]+|\d+(?:\.\d*)?(?:e[-+]?\d+)?|INF|QNAN|SNAN)(?:\.\w+)?")
_HALF = struct.Struct("<e")


def integer(text: str) -> int | None:
    """Returns a whole number as SASS writes it, or None for any other text."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    value = int(match[2], 0)
    return -value if match[1] else value


def packed(high: Operand, low: Operand) -> int | None:
    """Returns the 32 bits of two operands of half precision; None if either is no half."""
    try:
        parts = [_HALF.pack(float(half.text)) for half in (low, high)]
    except (OverflowError, ValueError):
        return None
    return int.from_bytes(b"".join(parts), "little")


def _address(texts: Sequence[str]) -> MemoryAddress | None:
    """Returns the address among operands: the first that ends with brackets and is no constant."""
    text = next((text for text in texts if text.endswith("]") and not _BANK.match(text)), None)
    match = _ADDRESS.search(text) if text else None
    if match is None:
        return None
    base = more = NONE
    offset, scale = 0, 1
    for term in match[1].split("+"):
        number = integer(term)
        if number is not None:
            offset += number
            continue
        name, _, suffix = term.partition(".")
        register = operand(name).register
        if register != NONE and is_uniform(register) and base != NONE:
            more = register
        elif register != NONE:
            base = register
            scale = int(suffix[1:]) if suffix[:1] == "X" and suffix[1:].isdecimal() else 1
    return MemoryAddress(base, more, offset, scale)
