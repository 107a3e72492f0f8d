"""The debug information of PTX: the variables of the source, and where they are kept.

A build with ``-G`` writes DWARF of version 2 to 4 as numbers into ``.section`` blocks, one set for
each module. A register is one whose "number" is its name: the bytes of ``%r5`` as a big-endian
integer in LEB128. The frame of a function is the local array ``__local_depot``. Section numbers
below are those of the DWARF 4 standard. What cannot be read is left out.

Not pyelftools 0.33: it reads bytes, and here labels and names stand for addresses. Of 7.5 MB of PTX
it takes 0.60 s for the entries alone, which are a fifth of this file; here entries, types, scopes
and places take 0.51 s. A test compares names, lines and places with those that it reads.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from jitstudio.simulator.ptx.debug_bytes import DebugBytes
from jitstudio.simulator.ptx.debug_files import DebugFiles
from jitstudio.simulator.ptx.linking import own_suffix

LARGEST = 32 << 20
"""Characters of all sections of a module that are read."""

MOST_VALUES = 2_000_000
"""Attributes of all entries of a text that are read: some take no bytes, and many share bytes."""

# A damaged text may lead in circles: types of types, origins of origins.
_DEEPEST = 16
_LONGEST = 16_384
_SCALARS = (1, 2, 4, 8, 16)
_SECTION = re.compile(r"^[^\S\n]*\.section[^\S\n]++(\.debug_\w++)\s*+\{", re.MULTILINE)
_LABEL = re.compile(r"([\w$]+):")
_DATA = re.compile(r"\.b(8|16|32|64)\s+(.*)")
_SYMBOL = re.compile(r"([.\w$]+)\s*(?:\+\s*(\d+))?")
# Bytes of the forms of attributes (7.5.4): data1 to data8, ref1 to ref8, sec_offset and flag.
_FIXED = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x11: 1, 0x12: 2, 0x13: 4, 0x14: 8, 0x17: 4, 0x0C: 1}
# Bytes of the length in front of a block: block1, block2, block4.
_LENGTHS = {0x0A: 1, 0x03: 2, 0x04: 4}
# addr, string, strp, sdata, udata, ref_udata; ref_addr, block and exprloc, flag_present.
_ADDRESS, _STRING, _STRING_AT, _SDATA, _UDATA, _REF_UDATA = 0x01, 0x08, 0x0E, 0x0D, 0x0F, 0x15
_REF_ADDRESS, _BLOCKS, _PRESENT = 0x10, (0x09, 0x18), 0x19
# Attributes (7.5.4).
_LOCATION, _NAME, _BYTES, _LOW, _HIGH, _BOUND = 0x02, 0x03, 0x0B, 0x11, 0x12, 0x2F
_ORIGIN, _COUNT, _OFFSET, _LINE, _ENCODING, _TYPE = 0x31, 0x37, 0x38, 0x3B, 0x3E, 0x49
# DW_AT_stmt_list and DW_AT_decl_file.
_STATEMENTS, _FILE = 0x10, 0x3A
_LINES = ".debug_line"
# 0x2007 is DW_AT_MIPS_linkage_name, which compilers wrote before DWARF 4.
_LINKAGE, _OLD_LINKAGE, _BIT_SIZE = 0x6E, 0x2007, 0x0D
# Operations (7.7.1).
# DW_OP_addr, DW_OP_plus_uconst and DW_OP_regx.
_OP_ADDRESS, _OP_PLUS, _OP_REGISTER = 0x03, 0x23, 0x90


class _Tag:
    """Kinds of entries (7.5.4)."""

    ARRAY, CLASS, ENUM, PARAMETER, BLOCK, MEMBER = 0x01, 0x02, 0x04, 0x05, 0x0B, 0x0D
    POINTER, REFERENCE, STRUCT, TYPEDEF, UNION, INLINED = 0x0F, 0x10, 0x13, 0x16, 0x17, 0x1D
    RANGE, BASE, CONST, FUNCTION, VARIABLE, VOLATILE = 0x21, 0x24, 0x26, 0x2E, 0x34, 0x35
    RVALUE = 0x42


class DataKind(Enum):
    """The kind of a value's bytes, with the letter of NumPy's types."""

    SIGNED = "i"
    UNSIGNED = "u"
    FLOAT = "f"
    TRUTH = "b"
    POINTER = "p"
    OTHER = ""


class DataType(NamedTuple):
    """A type of the source.

    Attributes:
        name: About as the source spells the type.
        size: Bytes; 0 where that is not known.
        kind: Of a scalar, the kind of its bytes.
        fields: Of a structure: name, offset and type.
        element: Of an array.
        length: How many elements it has.
    """

    name: str
    size: int = 0
    kind: DataKind = DataKind.OTHER
    fields: tuple[tuple[str, int, DataType], ...] = ()
    element: DataType | None = None
    length: int = 0

    def leaves(self, name: str, offset: int = 0, depth: int = 0) -> Iterator[DataLeaf]:
        """Yields the scalars in a value of this type, and its parts without parts of their own."""
        is_split = False
        if depth < _DEEPEST:
            for part, at, kind in self.fields:
                is_split = True
                inner = f"{name}.{part}" if part else name
                yield from kind.leaves(inner, offset + at, depth + 1)
            if self.element is not None and self.element.size:
                for index in range(self.length):
                    is_split = True
                    at = offset + index * self.element.size
                    yield from self.element.leaves(f"{name}[{index}]", at, depth + 1)
        if not is_split:
            yield DataLeaf(name, offset, self)

    def array_at(self, name: str, at: int, start: int = 0, depth: int = 0) -> DataLeaf | None:
        """Returns the array in a value that holds a byte, the outermost if there are several.

        Args:
            name: Of the value.
            at: The byte, from the start of the value.
            start: Where this type begins in the value.
            depth: Of members in members.
        """
        if self.element is not None:
            return DataLeaf(name, start, self)
        holding = [f for f in self.fields if 0 <= at - start - f[1] < f[2].size]
        # The members of a union lie in one place.
        if len(holding) != 1 or depth > _DEEPEST:
            return None
        part, inner, kind = holding[0]
        named = f"{name}.{part}" if part else name
        return kind.array_at(named, at, start + inner, depth + 1)

    @property
    def step(self) -> int:
        """The bytes of a scalar of an array; 0 for others."""
        if self.element is None:
            return 0 if self.fields else self.size
        return self.element.step


class DataLeaf(NamedTuple):
    """A part of a value: name, offset of its first byte, and type."""

    name: str
    offset: int
    type: DataType


class DataPlace(NamedTuple):
    """The place of a variable, in a register or in memory.

    Attributes:
        register: Its name with ``%``; empty for memory.
        symbol: The variable of the PTX that holds it.
        offset: Bytes from the start of the symbol.
        begin: The label from which the place holds; empty for everywhere.
        end: The label up to which it holds.
    """

    register: str = ""
    symbol: str = ""
    offset: int = 0
    begin: str = ""
    end: str = ""


class DebugVariable(NamedTuple):
    """A variable of the source.

    Attributes:
        name: Its name.
        type: Its type.
        line: Where it is declared; 0 for unknown.
        is_parameter: Whether it is a parameter of a function.
        places: Where it is kept; empty where it was optimised away.
        file: The path of the file of that line; empty where no line table is at hand, as in PTX.
    """

    name: str
    type: DataType
    line: int
    is_parameter: bool
    places: tuple[DataPlace, ...]
    file: str = ""


@dataclass
class DebugScope:
    """Code with its variables: a function or a block in a function.

    Attributes:
        begin: The label at which it begins; empty for a scope without code of its own.
        end: The label behind it.
        variables: The variables declared in it.
        inner: The blocks in it.
    """

    begin: str = ""
    end: str = ""
    variables: list[DebugVariable] = field(default_factory=list)
    inner: list[DebugScope] = field(default_factory=list)

    def all_variables(self) -> Iterator[DebugVariable]:
        """Yields the variables of the scope and of all in it."""
        yield from self.variables
        for scope in self.inner:
            yield from scope.all_variables()


@dataclass
class DebugInfo:
    """The variables of a PTX text.

    Attributes:
        functions: By their names in the PTX.
        variables: The variables outside of functions.
    """

    functions: dict[str, DebugScope] = field(default_factory=dict)
    variables: list[DebugVariable] = field(default_factory=list)


def read_debug_info(text: str) -> DebugInfo:
    """Returns the variables that the debug information of a PTX text describes, if any."""
    info, budget = DebugInfo(), _Budget(MOST_VALUES)
    modules: list[dict[str, str]] = []
    end = 0
    while (match := _SECTION.search(text, end)) and (end := text.find("}", match.end())) >= 0:
        # Linked texts stand one behind the other: a second .debug_info begins the next module.
        if not modules or match[1] in modules[-1]:
            modules.append({})
        modules[-1][match[1]] = text[match.end() : end]
    for number, texts in enumerate(modules):
        if sum(map(len, texts.values())) <= LARGEST and ".debug_info" in texts:
            try:
                sections = {name: _Section.read(body) for name, body in texts.items()}
                _Module(sections, budget).add_to(info, number)
            except (struct.error, LookupError, TypeError, ValueError, OverflowError):
                continue
    return info


class SectionBytes(NamedTuple):
    """A section of a binary.

    Attributes:
        content: Its bytes.
        labels: The labels that stand for addresses in it, by where they are.
    """

    content: bytes
    labels: Mapping[int, str]


def read_debug_sections(parts: Mapping[str, SectionBytes]) -> DebugInfo:
    """Returns the variables that the debug sections of a binary describe, if any."""
    info = DebugInfo()
    if sum(len(part.content) for part in parts.values()) > LARGEST:
        return info
    sections = {
        name: _Section(part.content, {at: (label, 0) for at, label in part.labels.items()})
        for name, part in parts.items()
    }
    with suppress(struct.error, LookupError, TypeError, ValueError, OverflowError):
        _Module(sections, _Budget(MOST_VALUES)).add_to(info, 0)
    return info


@dataclass
class _Section:
    """Bytes of a section, with the symbols that stand for addresses in it."""

    data: bytes = b""
    symbols: dict[int, tuple[str, int]] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, body: str) -> _Section:
        data, section = bytearray(), cls()
        for line in body.splitlines():
            line = line.partition("//")[0].strip().rstrip(";")
            if match := _DATA.fullmatch(line):
                size = int(match[1]) // 8
                for item in match[2].split(","):
                    item = item.strip()
                    if item.lstrip("-").isdigit():
                        value = int(item) & ((1 << 8 * size) - 1)
                        data += value.to_bytes(size, "little")
                    elif symbol := _SYMBOL.match(item):
                        section.symbols[len(data)] = symbol[1], int(symbol[2] or 0)
                        data += bytes(size)
            elif match := _LABEL.fullmatch(line):
                section.labels[match[1]] = len(data)
        section.data = bytes(data)
        return section


@dataclass
class _Budget:
    """A limit on the values that are still read."""

    left: int

    def spend(self, values: int, characters: int = 0) -> None:
        """Takes values off the budget, and text by its length.

        Raises:
            ValueError: Too much has been read.
        """
        self.left -= values + characters // 64
        if self.left < 0:
            raise ValueError("there is too much of it")


class _Entry(NamedTuple):
    """An entry with its attributes, and the offsets of its children."""

    tag: int
    attributes: dict[int, object]
    children: list[int]

    def text(self, attribute: int) -> str:
        """Returns an attribute that is text; empty for others and for none."""
        return _text(self.attributes.get(attribute))

    def number(self, attribute: int) -> int | None:
        """Returns an attribute that is a number; None for others and for none."""
        return _number(self.attributes.get(attribute))


class _Address(NamedTuple):
    """A symbol and an offset, as an attribute."""

    symbol: str
    offset: int


class _Expression(NamedTuple):
    """A block of bytes, by its bounds in a section."""

    section: _Section
    start: int
    end: int


class _Reader(DebugBytes):
    """Goes through the bytes of a section."""

    def __init__(self, section: _Section, at: int = 0) -> None:
        super().__init__(section.data, at)
        self.section = section


class _Module:
    """The sections of a module, read into entries."""

    def __init__(self, sections: dict[str, _Section], budget: _Budget) -> None:
        self._sections, self._budget = sections, budget
        self._labels = {name: at for part in sections.values() for name, at in part.labels.items()}
        self._entries: dict[int, _Entry] = {}
        self._tops: list[int] = []
        self._types: dict[int, DataType] = {}
        info = _Reader(sections[".debug_info"])
        while info.at + 11 <= len(info.data):
            self._unit(info)

    def add_to(self, info: DebugInfo, number: int) -> None:
        """Adds all functions and variables, functions also by the names that a link gives them."""
        for top in self._tops:
            entry = self._entries[top]
            if entry.tag == _Tag.FUNCTION:
                if entry.attributes.get(_LOW) is not None:
                    # PTX has the mangled name; functions with C linkage have no other name.
                    name = entry.text(_LINKAGE) or entry.text(_OLD_LINKAGE)
                    name = name or _text(self._named(entry, _NAME))
                    scope = self._scope(entry)
                    info.functions.setdefault(name, scope)
                    info.functions[f"{name}{own_suffix(number)}"] = scope
            elif entry.tag == _Tag.VARIABLE and (variable := self._variable(entry)):
                info.variables.append(variable)

    # Entries.

    def _unit(self, info: _Reader) -> None:
        start = info.at
        end = start + 4 + info.number(4)
        version, at = info.number(2), info.at
        abbreviations_at = self._offset(info.section, at, info.number(4))
        width = info.number(1)
        if not 2 <= version <= 4:
            info.at = end
            return
        codes = _codes(_Reader(self._sections[".debug_abbrev"], abbreviations_at))
        self._budget.spend(1 + sum(1 + len(forms) for _tag, _children, forms in codes.values()))
        open_ones: list[list[int]] = []
        files: DebugFiles | None = None
        while info.at < min(end, len(info.data)):
            at = info.at
            code = info.leb()
            if not code:
                if open_ones:
                    open_ones.pop()
                if not open_ones:
                    break
                continue
            tag, has_children, forms = codes[code]
            self._budget.spend(1 + len(forms))
            attributes = {name: self._value(info, form, width, start) for name, form in forms}
            if _STATEMENTS in attributes:
                files = self._files(_number(attributes[_STATEMENTS]) or 0)
            if _FILE in attributes:
                number = _number(attributes[_FILE]) or 0
                attributes[_FILE] = files.name(number) if files is not None else ""
            entry = self._entries[at] = _Entry(tag, attributes, [])
            if open_ones:
                open_ones[-1].append(at)
            if len(open_ones) == 1:
                self._tops.append(at)
            if has_children:
                open_ones.append(entry.children)
            elif not open_ones:
                break
        info.at = end

    def _files(self, start: int) -> DebugFiles | None:
        if (table := self._sections.get(_LINES)) is None:
            return None
        with suppress(ValueError, IndexError):
            files = DebugFiles(table.data, start)
            self._budget.spend(0, files.length)
            return files
        return None

    def _offset(self, section: _Section, at: int, plain: int) -> int:
        """Returns an offset in a section, resolving the symbol that may stand there."""
        if at not in section.symbols:
            return plain
        symbol, offset = section.symbols[at]
        return self._labels.get(symbol, 0) + offset

    def _value(self, info: _Reader, form: int, width: int, unit: int) -> object:
        """Returns the value of an attribute (7.5.5)."""
        section, at = info.section, info.at
        if form == _ADDRESS:
            plain = info.number(width)
            return _Address(*section.symbols[at]) if at in section.symbols else plain
        if form == _STRING:
            return self._read_text(info)
        if form == _STRING_AT:
            start = self._offset(section, at, info.number(4))
            return self._read_text(_Reader(self._sections[".debug_str"], start))
        if form in _LENGTHS or form in _BLOCKS:
            size = info.number(_LENGTHS[form]) if form in _LENGTHS else info.leb()
            start, info.at = info.at, info.at + size
            return _Expression(section, start, info.at)
        if form in (_UDATA, _SDATA):
            return info.leb(signed=form == _SDATA)
        if form == _PRESENT:
            return 1
        if form == _REF_UDATA:
            return unit + info.leb()
        if form == _REF_ADDRESS:
            return self._offset(section, at, info.number(4))
        value = self._offset(section, at, info.number(_FIXED[form]))
        return value + unit if 0x11 <= form <= 0x14 else value

    def _read_text(self, reader: _Reader) -> str:
        start, text = reader.at, reader.text()
        self._budget.spend(0, reader.at - start)
        return text

    def _named(self, entry: _Entry, attribute: int) -> object:
        """Returns an attribute of an entry or of its abstract origin; None for none."""
        for _ in range(_DEEPEST):
            if attribute in entry.attributes:
                return entry.attributes[attribute]
            # An inlined copy of a variable has name and type at its DW_AT_abstract_origin.
            origin = self._entries.get(entry.number(_ORIGIN) or -1)
            if origin is None:
                return None
            entry = origin
        return None

    # Scopes and variables.

    def _scope(self, entry: _Entry, depth: int = 0) -> DebugScope:
        low, high = entry.attributes.get(_LOW), entry.attributes.get(_HIGH)
        scope = DebugScope()
        if isinstance(low, _Address) and isinstance(high, _Address):
            scope.begin, scope.end = low.symbol, high.symbol
        for at in entry.children:
            child = self._entries[at]
            if child.tag in (_Tag.VARIABLE, _Tag.PARAMETER):
                if (variable := self._variable(child)) is not None:
                    scope.variables.append(variable)
            elif child.tag in (_Tag.BLOCK, _Tag.INLINED) and depth < 4 * _DEEPEST:
                scope.inner.append(self._scope(child, depth + 1))
        return scope

    def _variable(self, entry: _Entry) -> DebugVariable | None:
        name, kind = _text(self._named(entry, _NAME)), _number(self._named(entry, _TYPE))
        if not name or kind is None:
            return None
        location = entry.attributes.get(_LOCATION)
        places: tuple[DataPlace, ...] = ()
        if isinstance(location, _Expression):
            places = tuple(filter(None, [_place(location)]))
        elif isinstance(location, int):
            places = tuple(self._listed(location))
        line = _number(self._named(entry, _LINE)) or 0
        is_parameter, file = entry.tag == _Tag.PARAMETER, _text(self._named(entry, _FILE))
        return DebugVariable(name, self._type(kind), line, is_parameter, places, file)

    def _listed(self, start: int) -> Iterator[DataPlace]:
        """Yields the places of a location list (7.7.3)."""
        reader = _Reader(self._sections[".debug_loc"], start)
        while True:
            begin = reader.section.symbols.get(reader.at)
            reader.number(8)
            end = reader.section.symbols.get(reader.at)
            reader.number(8)
            # A pair of zeros ends the list.
            if begin is None or end is None:
                return
            size = reader.number(2)
            self._budget.spend(1)
            place = _place(_Expression(reader.section, reader.at, reader.at + size))
            reader.at += size
            if place is not None:
                yield place._replace(begin=begin[0], end=end[0])

    # Types.

    def _type(self, at: int | None, depth: int = 0) -> DataType:
        if at is None or depth > _DEEPEST or at not in self._entries:
            return DataType("void" if at is None else "?")
        if at not in self._types:
            # `struct Node { Node* next; }`: while it is read, the type itself has no parts.
            self._types[at] = DataType(self._type_name(at))
            self._types[at] = self._read_type(self._entries[at], depth)
        return self._types[at]

    def _read_type(self, entry: _Entry, depth: int) -> DataType:
        tag, name, size = entry.tag, entry.text(_NAME), entry.number(_BYTES) or 0
        target = entry.number(_TYPE)
        match tag:
            case _Tag.BASE:
                return _scalar(name, size, _KINDS.get(entry.number(_ENCODING), DataKind.OTHER))
            case _Tag.POINTER | _Tag.REFERENCE | _Tag.RVALUE:
                mark = {_Tag.POINTER: "*", _Tag.REFERENCE: "&", _Tag.RVALUE: "&&"}[tag]
                return _scalar(f"{self._type_name(target)}{mark}", size or 8, DataKind.POINTER)
            case _Tag.CONST | _Tag.VOLATILE | _Tag.TYPEDEF:
                kind = self._type(target, depth + 1)
                return kind._replace(name=name or self._word(tag, kind.name))
            case _Tag.ENUM:
                return _scalar(name or "enum", size, DataKind.SIGNED)
            case _Tag.STRUCT | _Tag.CLASS | _Tag.UNION:
                children = (self._entries[at] for at in entry.children)
                members = [child for child in children if child.tag == _Tag.MEMBER]
                return DataType(
                    name or "struct",
                    size,
                    fields=tuple(self._member(child, depth) for child in members),
                )
            case _Tag.ARRAY:
                kind = self._type(target, depth + 1)
                plain = kind.name
                counts = [
                    self._count(self._entries[at])
                    for at in entry.children
                    if self._entries[at].tag == _Tag.RANGE
                ][:_DEEPEST]
                # `int a[2][3]` is an array of 2 arrays of 3: from the last extent out.
                for number in range(len(counts) - 1, -1, -1):
                    extents = "".join(f"[{count}]" for count in counts[number:])
                    kind = DataType(
                        f"{plain}{extents}",
                        kind.size * counts[number],
                        element=kind,
                        length=counts[number],
                    )
                return kind
        return DataType(name or "?", size)

    def _member(self, entry: _Entry, depth: int) -> tuple[str, int, DataType]:
        kind = self._type(entry.number(_TYPE), depth + 1)
        if (bits := entry.number(_BIT_SIZE)) is not None:
            # A bit field is shown without a value: its bytes hold its neighbours, too.
            kind = DataType(f"{kind.name}:{bits}")
        offset = entry.attributes.get(_OFFSET)
        if isinstance(offset, _Expression):
            # DWARF 2 and 3: DW_OP_plus_uconst in a block in place of a constant.
            offset = _Reader(offset.section, offset.start + 1).leb()
        return entry.text(_NAME), _number(offset) or 0, kind

    def _type_name(self, at: int | None, depth: int = 0) -> str:
        """Returns the name of a type without its parts, which may point to the type itself."""
        entry = self._entries.get(at) if at is not None else None
        if entry is None or depth > _DEEPEST:
            return "void"
        if name := entry.text(_NAME):
            self._budget.spend(1, len(name))
            return name
        inner = self._type_name(entry.number(_TYPE), depth + 1)
        marks = {_Tag.POINTER: "*", _Tag.REFERENCE: "&", _Tag.RVALUE: "&&", _Tag.ARRAY: "[]"}
        return f"{inner}{marks[entry.tag]}" if entry.tag in marks else self._word(entry.tag, inner)

    @staticmethod
    def _word(tag: int, name: str) -> str:
        word = {_Tag.CONST: "const", _Tag.VOLATILE: "volatile"}.get(tag, "")
        return f"{name} {word}" if word and name.endswith("*") else f"{word} {name}".strip()

    @staticmethod
    def _count(entry: _Entry) -> int:
        count, bound = entry.number(_COUNT), entry.number(_BOUND)
        if count is None:
            count = 0 if bound is None else bound + 1
        return count if 0 <= count < 1 << 32 else 0


def _text(value: object) -> str:
    """Returns a value that is text; empty for others."""
    return value[:_LONGEST] if isinstance(value, str) else ""


def _number(value: object) -> int | None:
    """Returns a value that is a number of at most 64 bits; None for others."""
    return value if isinstance(value, int) and abs(value) < 1 << 64 else None


def _scalar(name: str, size: int, kind: DataKind) -> DataType:
    """Returns a type without parts; its bytes mean nothing where no number is so long."""
    sizes = _SCALARS[1:] if kind is DataKind.FLOAT else _SCALARS
    return DataType(name, size, kind if size in sizes else DataKind.OTHER)


_KINDS: dict[int | None, DataKind] = {
    0x02: DataKind.TRUTH,
    0x04: DataKind.FLOAT,
    0x05: DataKind.SIGNED,
    0x06: DataKind.SIGNED,
    0x07: DataKind.UNSIGNED,
    0x08: DataKind.UNSIGNED,
}


def _codes(reader: _Reader) -> dict[int, tuple[int, bool, list[tuple[int, int]]]]:
    """Returns tag, whether there are children, and attributes with forms, by code (7.5.3)."""
    codes = {}
    while reader.at < len(reader.data) and (code := reader.leb()):
        tag, has_children = reader.leb(), bool(reader.number(1))
        forms = []
        while True:
            name, form = reader.leb(), reader.leb()
            if not name and not form:
                break
            forms.append((name, form))
        codes[code] = tag, has_children, forms
    return codes


def _place(expression: _Expression) -> DataPlace | None:
    """Returns the place that an expression describes; None for expressions of other forms."""
    section, start, end = expression
    reader = _Reader(section, start)
    operation = reader.number(1)
    if operation == _OP_REGISTER:
        code = reader.leb()
        # Register 0x257235 is "%r5".
        name = code.to_bytes(-(-code.bit_length() // 8), "big").decode("ascii", "replace")
        return DataPlace(register=name) if reader.at == end else None
    if operation == _OP_ADDRESS and reader.at in section.symbols:
        symbol, offset = section.symbols[reader.at]
        reader.number(8)
        if reader.at < end and reader.number(1) == _OP_PLUS:
            offset += reader.leb()
        return DataPlace(symbol=symbol, offset=offset) if reader.at == end else None
    return None
