"""Reads the arguments of a kernel: parameters, buffers behind their pointers, module variables.

A pointer inside of a struct, of an array or of a buffer of pointers is a buffer of its own, whose
address the launch puts to where the struct or buffer has it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.arguments import (
    NULL,
    BufferText,
    absolute,
    default_text,
    parse_buffer,
    parse_variable,
)
from jitstudio.core.launch.c_types import named
from jitstudio.core.launch.faults import SpecFaults
from jitstudio.core.launch.members import (
    EACH,
    form_rows,
    inner_rows,
    part_at,
    references_behind,
    references_in,
    row_about,
)
from jitstudio.core.launch.problems import SpecProblem, TextError, argument_place, unknown
from jitstudio.core.launch.request import (
    Argument,
    Buffer,
    Direction,
    Fill,
    FillKind,
    FormParameter,
    KernelForm,
    ModuleVariable,
    SharedPointer,
    ValueArgument,
)
from jitstudio.core.launch.shared import (
    SharedText,
    owner_of,
    parse_shared,
    restrict_problems,
    with_owners,
)
from jitstudio.core.launch.texel_text import texel_buffer
from jitstudio.core.launch.types import (
    REFERENCES,
    Array,
    Handle,
    NumberKind,
    Pointer,
    Scalar,
    Struct,
    Type,
)
from jitstudio.core.launch.values import (
    EncodedValue,
    Number,
    UnknownNameError,
    encode,
    example,
    integer,
)

_BYTE = Scalar("unsigned char", "uint8", 1, NumberKind.UNSIGNED)
_FILE = re.compile(r"\bfile\s*\(")
_MOST_POINTERS = 1024
"""Buffers that one buffer of pointers may lead to."""


@dataclass(frozen=True)
class Arguments:
    """The arguments of a kernel.

    Attributes:
        values: The arguments in order of the parameters, without faulty ones; then the pointers and
            handles inside, and the module variables.
        names: The numbers that expressions may use, by name.
    """

    values: tuple[Argument, ...]
    names: Mapping[str, Number]


def arguments_of(
    form: KernelForm, named_texts: tuple[tuple[str, str], ...], folder: str, faults: SpecFaults
) -> Arguments:
    """Reads the arguments of a kernel.

    Args:
        form: The kernel.
        named_texts: Names and texts.
        folder: Where relative paths start.
        faults: Collects the problems.
    """
    texts = _texts(form, named_texts, faults)
    present = [p for p in form.parameters if p.name in texts]
    values = _values([p for p in present if not isinstance(p.type, REFERENCES)], texts, faults)
    names: dict[str, Number] = {}
    for value_read in values.values():
        names |= value_read.numbers
    reader = _References(form, texts, names, folder, faults)
    own: list[Argument] = []
    for row in present:
        if (value := values.get(row.name)) is not None:
            own.append(value.argument)
            reader.read_inside(row, value)
        elif isinstance(row.type, REFERENCES):
            argument = reader.read(row, row.name, row.slot.offset, texts[row.name])
            own += [] if argument is None else [argument]
    for row in form.variables:
        reader.read_variable(row)
    faults.add(*reader.without_effect(own))
    return Arguments(reader.completed((*own, *reader.inner, *reader.variables)), names)


def _texts(
    form: KernelForm, named_texts: tuple[tuple[str, str], ...], faults: SpecFaults
) -> dict[str, str]:
    """Returns the texts by the name of the row; parameters without a text are faulty."""
    texts: dict[str, str] = {}
    rows = [row.name for row in form_rows(form)]
    for name, text in named_texts:
        if name not in rows and row_about(form, name) is None:
            message = f"{form.title} has no parameter '{name}'."
            if form.variables:
                message = f"{form.title} has no parameter and uses no module variable '{name}'."
            faults.add(SpecProblem(argument_place(name), message, unknown(name, rows)))
        elif name in texts:
            faults.add(
                SpecProblem(argument_place(name), f"'{name}' is given twice.", "Remove one.")
            )
        else:
            texts[name] = text
    for row in form.parameters:
        if row.name in texts:
            continue
        if isinstance(row.type, Struct | Array) and any(_path(row.name, name) for name in texts):
            # Its parts are given each by itself.
            texts[row.name] = "{}"
            continue
        faults.faulty.add(row.name)
        faults.add(_missing(form, row.name))
    return texts


def _missing(form: KernelForm, name: str) -> SpecProblem:
    advice = f"Give it a text such as {name}={default_text(form, name)}."
    return SpecProblem(argument_place(name), f"The argument '{name}' is missing.", advice)


def _path(whole: str, name: str) -> str:
    """Returns the path from a struct or array to the named part; empty for no part of the whole."""
    rest = name.removeprefix(whole)
    return rest if rest != name and rest.startswith((".", "[")) else ""


@dataclass(frozen=True)
class _Value:
    """An argument by value, and the texts of the pointers and handles inside, by name."""

    argument: ValueArgument
    references: Mapping[str, str]

    @property
    def numbers(self) -> dict[str, Number]:
        """The numbers in the argument, by name."""
        argument = self.argument
        own = {} if argument.number is None else {argument.name: argument.number}
        return dict(argument.members) | own


def _values(
    parameters: list[FormParameter], texts: Mapping[str, str], faults: SpecFaults
) -> dict[str, _Value]:
    """Returns the values by name; a value may need another, whatever the order."""
    values: dict[str, _Value] = {}
    names: dict[str, Number] = {}
    waiting, progress = parameters, True
    while waiting and progress:
        still = []
        for parameter in waiting:
            try:
                value = _value(parameter, texts, names)
            except UnknownNameError:
                still.append(parameter)
            except TextError as error:
                faults.faulty.add(parameter.name)
                faults.add(error.problem(argument_place(parameter.name)))
            else:
                values[parameter.name] = value
                names |= value.numbers
        waiting, progress = still, len(still) < len(waiting)
    for parameter in waiting:
        read = partial(_value, parameter, texts, names)
        faults.attempt(argument_place(parameter.name), read)
    faults.faulty.update(parameter.name for parameter in waiting)
    return values


def _value(row: FormParameter, texts: Mapping[str, str], names: Mapping[str, Number]) -> _Value:
    slot, kind = row.slot, row.type
    if kind.size != slot.size:
        raise TextError(
            f"{kind.name} has {kind.size} bytes, but the code expects {slot.size} here.",
            "Build again, so that source and code agree.",
        )
    parts = {path: text for name, text in texts.items() if (path := _path(row.name, name))}
    encoded = _with_parts(kind, encode(kind, texts[row.name], names), parts, names)
    members = tuple((row.name + path, number) for path, number in encoded.members.items())
    references = {row.name + path: text for path, text in encoded.references.items()}
    argument = ValueArgument(row.name, kind, slot.offset, encoded.data, encoded.number, members)
    return _Value(argument, references)


def _with_parts(
    kind: Type, whole: EncodedValue, texts: Mapping[str, str], names: Mapping[str, Number]
) -> EncodedValue:
    """Returns a value with the parts, by path, that have texts of their own.

    Pointers in it are no numbers, and left out.
    """
    data, members, references = bytearray(whole.data), {**whole.members}, {**whole.references}
    for path, text in texts.items():
        part = part_at(kind, path)
        if part is None or isinstance(part.type, REFERENCES):
            continue
        encoded = encode(part.type, text, names)
        data[part.offset : part.offset + part.type.size] = encoded.data
        members |= {path + inner: number for inner, number in encoded.members.items()}
        members |= {} if encoded.number is None else {path: encoded.number}
        references |= {path + inner: text for inner, text in encoded.references.items()}
    return EncodedValue(bytes(data), whole.number, members, references)


class _References:
    """Reads buffers, textures and surfaces, wherever their addresses are.

    Attributes:
        inner: The buffers inside of others.
        variables: The module variables.
    """

    def __init__(
        self,
        form: KernelForm,
        texts: Mapping[str, str],
        names: Mapping[str, Number],
        folder: str,
        faults: SpecFaults,
    ) -> None:
        self._form = form
        self._texts, self._names, self._folder, self._faults = texts, names, folder, faults
        self.inner: list[Buffer | SharedPointer] = []
        self.variables: list[Buffer] = []
        self._used: set[str] = set()
        self._by_element: set[str] = set()
        self._rows: dict[str, FormParameter] = {}
        self._shared: dict[str, SharedText] = {}
        self._usual: set[str] = set()

    def read(
        self, row: FormParameter, name: str, offset: int, text: str, inside: str = ""
    ) -> Buffer | SharedPointer | None:
        """Returns the buffer behind a pointer or handle; None where the text makes no sense.

        Args:
            row: The row of the form for the pointer.
            name: The name of the pointer.
            offset: See `Buffer.offset`.
            text: The text of the pointer.
            inside: The name of the holder, which puts the pointer into `inner`; empty for a
                parameter.
        """
        place = argument_place(row.name)
        self._used.add(name)
        argument = self._faults.attempt(place, lambda: self._pointer(row, name, offset, text))
        if argument is None:
            self._faults.faulty.add(name)
            return None
        self._rows[name] = row
        argument = replace(argument, inside=inside)
        self.inner += [argument] if inside else []
        if isinstance(argument, Buffer):
            self._read_elements(row, argument)
        return argument

    def completed(self, arguments: Sequence[Argument]) -> tuple[Argument, ...]:
        """Returns all arguments; pointers into other buffers come with the place in there."""
        by_name = {argument.name: argument for argument in arguments}
        written: set[str] = set()
        for name in self._shared:
            unplaced, row = by_name[name], self._rows[name]
            assert isinstance(unplaced, SharedPointer)
            read = partial(owner_of, unplaced, self._shared, by_name, self._names)
            if (pointer := self._faults.attempt(argument_place(row.name), read)) is None:
                del by_name[name]
                self._faults.faulty.add(name)
                continue
            by_name[name] = pointer
            if isinstance(row.type, Pointer) and not row.type.const:
                written.add(pointer.buffer)
        for name in written:
            owner = by_name[name]
            assert isinstance(owner, Buffer)
            if name in self._usual and owner.direction is Direction.IN:
                by_name[name] = replace(owner, direction=Direction.INOUT)
        for name, row in self._rows.items():
            buffer = by_name.get(name)
            if isinstance(buffer, Buffer) and name not in written:
                self._faults.add(*_doubts(row, buffer))
        complete = tuple(by_name[a.name] for a in arguments if a.name in by_name)
        self._faults.add(*restrict_problems(complete, self._rows))
        return tuple(self._in_terms_of_owners(a, complete) for a in complete)

    def _in_terms_of_owners(self, argument: Argument, arguments: Sequence[Argument]) -> Argument:
        """Returns a buffer whose expression names the owners of shared memory."""
        if not isinstance(argument, Buffer) or argument.fill.kind is not FillKind.EXPRESSION:
            return argument
        text = self._faults.attempt(
            argument_place(argument.name), lambda: with_owners(argument.fill.text, arguments)
        )
        fill = replace(argument.fill, text=text or argument.fill.text)
        return replace(argument, fill=fill)

    def read_inside(self, row: FormParameter, value: _Value) -> None:
        """Reads the pointers and handles of a struct or an array that is passed by value."""
        rows = {inner.name: inner for inner in inner_rows(row)}
        for part in references_in(row.type):
            name = row.name + part.path
            read = partial(_in_struct, name, value.references.get(name))
            text = self._texts.get(name, "") or self._faults.attempt(argument_place(name), read)
            if text is None:
                continue
            if text:
                offset = value.argument.offset + part.offset
                self.read(rows[name], name, offset, text, row.name)
            else:
                self._faults.add(_missing(self._form, name))

    def read_variable(self, row: FormParameter) -> None:
        """Reads a module variable; a variable without a text keeps the initial value."""
        variable, text = row.variable, self._texts.get(row.name, "").strip()
        assert variable is not None
        inner = [name for name in self._texts if _path(row.name, name) and self._texts[name]]
        if not text and not inner:
            self._faults.add(*_unfilled(row, variable))
        elif isinstance(row.type, REFERENCES):
            holder = Buffer(
                f"&{row.name}", row.type, 0, 1, _initial(variable), symbol=variable.symbol
            )
            self.variables.append(holder)
            self.read(row, row.name, 0, text, holder.name)
        else:
            place = argument_place(row.name)
            buffer = self._faults.attempt(place, lambda: self._variable(row, variable, text))
            self.variables += [] if buffer is None else [buffer]

    def _variable(self, row: FormParameter, variable: ModuleVariable, text: str) -> Buffer:
        parsed = parse_variable(text)
        kind = _as_said(parsed, row) if parsed.element else row.type
        element, count = (kind.element, kind.count) if isinstance(kind, Array) else (kind, 1)
        fill, value = parsed.fill, parsed.length
        if fill is not None and fill.kind is FillKind.UNFILLED:
            fill = None
        parts = {p: t for name, t in self._texts.items() if t and (p := _path(row.name, name))}
        if value and parsed.fill is not None:
            if integer(value, self._names) != count:
                raise TextError(
                    f"{row.name} has {count:,} elements, which a launch cannot change.",
                    f"Write the fill alone, such as {row.name}=zeros.",
                )
            value = ""
        references: Mapping[str, str] = {}
        keeps = not value and fill is None
        is_known = bool(variable.initial) or not variable.is_initialised
        if keeps and parts and not is_known and not _is_whole(kind, "", parts):
            raise TextError(
                f"What {row.name} holds besides is not known here, as addresses are among it.",
                f"Give all of it, such as {row.name}={example(kind)}.",
            )
        if not (value or parts or fill):
            self._faults.add(*_unfilled(row, variable))
        if value or (parts and fill is None):
            whole = EncodedValue(variable.initial.ljust(kind.size, b"\0"))
            if value:
                whole = _variable_value(row, kind, value, self._names)
            self._used.update(row.name + path for path in parts)
            encoded = _with_parts(kind, whole, parts, self._names)
            references = encoded.references
            fill = Fill(FillKind.VALUES, data=encoded.data)
        is_constant = variable.space == "__constant__"
        direction = parsed.direction
        if direction is None:
            # What the kernel may change is as it was before each launch.
            direction = Direction.IN if is_constant or not variable.writes else Direction.INOUT
        elif direction is Direction.OUT:
            # It holds what it is filled with, or what it holds by itself: counts begin there.
            direction = Direction.INOUT
        if direction is not Direction.IN and is_constant:
            message = f"{row.name} is __constant__, so the kernel will not write to it."
            place = argument_place(row.name)
            self._faults.add(SpecProblem(place, message, "Mark it in.", Severity.WARNING))
        rows = {inner.name: inner for inner in inner_rows(row)}
        for part in references_in(row.type):
            name = row.name + part.path
            inside = self._texts.get(name, "") or _in_struct(name, references.get(part.path))
            # An address that nothing is said of stays where the rest does.
            if inside or not keeps:
                self.read(rows[name], name, part.offset, inside or NULL, row.name)
        content = absolute(fill, self._folder) if fill else _initial(variable)
        return Buffer(row.name, element, 0, count, content, direction, symbol=variable.symbol)

    def _pointer(
        self, row: FormParameter, name: str, offset: int, text: str
    ) -> Buffer | SharedPointer:
        shared = parse_shared(text)
        if shared is None:
            return self._buffer(row, name, offset, text)
        if not isinstance(row.type, Pointer):
            raise TextError(f"{name} is a texture or surface, which shares no memory.")
        self._shared[name] = shared
        return SharedPointer(name, row.type.target or _BYTE, offset)

    def _buffer(self, row: FormParameter, name: str, offset: int, text: str) -> Buffer:
        pointer = row.type
        if isinstance(pointer, Handle):
            return texel_buffer(name, pointer, offset, text, self._names, self._folder)
        assert isinstance(pointer, Pointer)
        parsed = parse_buffer(text)
        if parsed is None:
            return Buffer(name, pointer.target or _BYTE, offset, 0)
        length = integer(parsed.length, self._names)
        if length < 1:
            raise TextError(
                f"A buffer of {length:,} elements makes no sense.", "Write null for a null pointer."
            )
        start = integer(parsed.start, self._names)
        if not 0 <= start < length:
            raise TextError(f"A buffer of {length:,} elements has none at {start:,}.")
        direction = parsed.direction or (Direction.IN if pointer.const else Direction.INOUT)
        self._usual |= set() if parsed.direction else {name}
        usual = FillKind.RANDOM if direction is Direction.IN else FillKind.ZEROS
        fill = absolute(parsed.fill or Fill(usual), self._folder)
        if not parsed.element and references_behind(pointer):
            return self._holder(row, name, offset, length, parsed)
        element = _element(parsed, pointer)
        return Buffer(name, element, offset, length, fill, direction, start=start)

    def _holder(
        self, row: FormParameter, name: str, offset: int, length: int, text: BufferText
    ) -> Buffer:
        """Returns a buffer of pointers, or of structs with pointers; these are filled in later."""
        assert isinstance(row.type, Pointer)
        assert row.type.target is not None
        if text.fill is not None and text.fill.kind is not FillKind.ZEROS:
            raise TextError(
                f"{name} holds addresses, which are not filled by {text.fill.kind.value}.",
                f"Write its length alone, and what they lead to: {row.name}{EACH}=n:random.",
            )
        if length > _MOST_POINTERS:
            raise TextError(
                f"{name} would lead to {length:,} buffers; the most is {_MOST_POINTERS:,}."
            )
        element = row.type.target
        data = b"".join(self._element_data(row, name, at, element) for at in range(length))
        fill = Fill(FillKind.VALUES, data=data) if any(data) else Fill()
        is_read = text.direction in (None, Direction.IN)
        direction = Direction.IN if is_read else Direction.INOUT
        return Buffer(name, element, offset, length, fill, direction)

    def _element_data(self, row: FormParameter, name: str, at: int, element: Type) -> bytes:
        """Returns the bytes of a struct besides the pointers."""
        whole = EncodedValue(bytes(element.size))
        for start in (f"{row.name}{EACH}", f"{name}[{at}]"):
            texts = {
                n.removeprefix(start): t for n, t in self._texts.items() if n.startswith(start)
            }
            if isinstance(element, REFERENCES):
                continue
            if texts.get(""):
                whole = encode(element, texts[""], self._names)
            self._used.update(start + path for path in texts if not _is_reference(element, path))
            whole = _with_parts(element, whole, {p: t for p, t in texts.items() if p}, self._names)
        return whole.data

    def without_effect(self, own: Sequence[Argument]) -> Iterator[SpecProblem]:
        """Yields why parts that have texts are not in the arguments that were read.

        Args:
            own: The parameters; what is no part of anything is told of already.
        """
        buffers = {b.name: b for b in (*own, *self.inner, *self.variables) if isinstance(b, Buffer)}
        rows = {row.name for row in form_rows(self._form)}
        for name, text in self._texts.items():
            if not text or name in rows or name in self._used:
                continue
            holders = [b for b in buffers.values() if _path(b.name, name)]
            holder = max(holders, key=lambda b: len(b.name), default=None)
            if holder is not None:
                by_element = holder.name in self._by_element
                message, remedy = _no_effect(holder, name, by_element=by_element)
                yield SpecProblem(argument_place(name), message, remedy)

    def _read_elements(self, row: FormParameter, holder: Buffer) -> None:
        """Reads the buffers behind the pointers in a buffer."""
        parts = references_behind(row.type)
        if not parts or not isinstance(row.type, Pointer) or holder.element != row.type.target:
            return
        self._by_element.add(holder.name)
        rows = {inner.name: inner for inner in inner_rows(row)}
        for at in range(holder.length):
            for part in parts:
                key, name = f"{row.name}{EACH}{part.path}", f"{holder.name}[{at}]{part.path}"
                if (inner := rows.get(key)) is None:
                    continue
                text = self._texts.get(name, "") or self._texts.get(key, "")
                if text:
                    self._used.add(key)
                    offset = at * holder.element.size + part.offset
                    self.read(inner, name, offset, text, holder.name)
                else:
                    self._faults.add(_missing(self._form, key))
                    return


def _no_effect(holder: Buffer, name: str, *, by_element: bool) -> tuple[str, str]:
    """Returns why a text about a part of a buffer has no effect, and the remedy.

    Args:
        holder: The buffer, texture, surface or module variable.
        name: The part.
        by_element: Whether elements of it may have texts.
    """
    if not holder.length:
        return f"{holder.name} is null, so that there is no {name}.", "Give it a length."
    if by_element:
        last = f"{holder.name}[{holder.length - 1}]"
        remedy = f"Write a larger length, such as {holder.name}={holder.length + 1}."
        return f"{holder.name} ends at {last}, so that there is no {name}.", remedy
    message = f"{holder.name} is filled as a whole, so that {name} has no effect."
    if holder.symbol:
        return message, f"Write {holder.name}={{…}} with its values instead of the fill."
    return message, f"Say what it holds by its fill, such as {holder.name}={holder.length}:random."


def _in_struct(name: str, text: str | None) -> str:
    """Returns the text of a pointer in the text of a struct as that of a buffer; empty for none.

    Raises:
        TextError: A file fills it: whose it is, and where, is asked of the texts of buffers only.
    """
    if text is not None and _FILE.search(text):
        raise TextError(
            f"A file fills no buffer that is written in a struct, as that of '{name}' is.",
            f"Leave it out there, and write {name}=LENGTH:file(PATH) as a text of its own.",
        )
    return NULL if text is not None and text.strip() == "0" else text or ""


def _is_reference(kind: Type, path: str) -> bool:
    """Returns whether a pointer or handle is at a path."""
    part = part_at(kind, path)
    return part is not None and isinstance(part.type, REFERENCES)


def _variable_value(
    row: FormParameter, kind: Type, value: str, names: Mapping[str, Number]
) -> EncodedValue:
    """Returns the value in the text of a module variable."""
    if isinstance(kind, Array) and not value.startswith("{"):
        raise TextError(
            f"'{value}' is not of type {kind.name}: its values stand in braces.",
            f"Write {row.name}=constant({value}) for all {kind.count:,} elements, or "
            f"{row.name}={{{value}, …}}.",
        )
    return encode(kind, value, names)


def _is_whole(kind: Type, path: str, parts: Collection[str]) -> bool:
    """Returns whether these parts, by their paths, are together all that is at a path."""
    if path in parts:
        return True
    match kind:
        case Struct(fields=fields):
            return all(_is_whole(f.type, f"{path}.{f.name}", parts) for f in fields)
        case Array(element=element, count=count):
            return all(_is_whole(element, f"{path}[{at}]", parts) for at in range(count))
    return False


def _initial(variable: ModuleVariable) -> Fill:
    return Fill(FillKind.INITIAL, data=variable.initial)


def _unfilled(row: FormParameter, variable: ModuleVariable) -> Sequence[SpecProblem]:
    """Returns the warning about a variable that holds zeros because nobody has filled it."""
    if variable.is_initialised or variable.writes or not variable.reads:
        return ()
    where = f" at {variable.read_at}" if variable.read_at else ""
    message = (
        f"The kernel reads the {variable.space} variable '{row.name}'{where}, which has no "
        "initialiser and which this launch does not fill: it holds zeros."
    )
    match row.type:
        case Array():
            value = "{1, 2, 3}"
        case Pointer():
            value = "1024:random"
        case Handle():
            value = "float[1024]:random"
        case other:
            value = example(other)
    assignment = f"{row.name}={value}"
    remedy = f"Fill it as the host code would: --set '{assignment}', or its row in the form."
    return (SpecProblem(argument_place(row.name), message, remedy, Severity.WARNING),)


def _as_said(text: BufferText, row: FormParameter) -> Array:
    """Returns a module variable as elements of the type that the text names."""
    element = _element(text, Pointer(None))
    if row.type.size % element.size:
        raise TextError(
            f"{row.name} has {row.type.size:,} bytes, which is not a whole {text.element}."
        )
    return Array(element, row.type.size // element.size)


def _element(text: BufferText, pointer: Pointer) -> Type:
    if not text.element:
        return pointer.target or _BYTE
    element = named(text.element)
    if element is None:
        raise TextError(
            f"'{text.element}' is not a type that is known here.",
            "Write a number or a vector, as in float[n] or float4[n].",
        )
    return element


def _doubts(row: FormParameter, buffer: Buffer) -> tuple[SpecProblem, ...]:
    if (
        not isinstance(row.type, Pointer)
        or not row.type.const
        or not buffer.length
        or buffer.direction is Direction.IN
    ):
        return ()
    message = f"{buffer.name} is const, so the kernel will not write to it."
    return (SpecProblem(argument_place(row.name), message, "Mark it in.", Severity.WARNING),)
