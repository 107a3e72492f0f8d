"""The text of a buffer, ``LENGTH[@START][:FILL][:DIRECTION]`` or ``null``, and the first of a form.

``n``, ``n*2:random:in``, ``1<<20:constant(1.5):inout``, ``n:file(data.npz::x)``,
``n:expr(np.sin(i)):in``; of ``n+6@3`` the kernel gets the address of the fourth element; where the
source does not say what the elements are: ``float4[n]:zeros``. A pointer into another buffer is
``same(a+16)``: see `core.launch.shared`. What is in the parentheses of ``file`` and ``expr`` is
taken as it is, colons and all.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest

from jitstudio.core.launch.c_types import FLOAT
from jitstudio.core.launch.members import inner_rows, part_at, references_behind, references_in
from jitstudio.core.launch.problems import TextError, listing, parts
from jitstudio.core.launch.request import (
    Direction,
    Fill,
    FillKind,
    FormParameter,
    HostBuffer,
    KernelForm,
    ParameterSlot,
)
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.texels import TexelUse
from jitstudio.core.launch.types import (
    REFERENCES,
    Array,
    Field,
    Handle,
    HandleKind,
    NumberKind,
    Pointer,
    Scalar,
    Struct,
    Type,
)
from jitstudio.core.launch.values import Number, evaluate, example

NULL = "null"
"""The text of a null pointer."""

NULLS = frozenset({NULL, "nullptr", "NULL"})
"""All texts of one."""

_EXAMPLE = "Write something like n, n:random, n*2:zeros:out or 1024:range(0,2):inout."
_ELEMENT = re.compile(r"(?P<element>[^\W\d][\w ]*+)\s*+\[(?P<length>.+)\]")
_DIRECTIONS = {direction.value: direction for direction in Direction}


@dataclass(frozen=True)
class BufferText:
    """The text of a buffer, in parts.

    Attributes:
        length: How many elements, an expression over the integer arguments.
        fill: The content before the launch; None where the text does not say.
        direction: Whether the kernel reads or writes; None where the text does not say.
        element: The type of an element in C++; empty where the text does not say.
        start: The element whose address the kernel gets, an expression like `length`.
    """

    length: str
    fill: Fill | None = None
    direction: Direction | None = None
    element: str = ""
    start: str = "0"


def parse_buffer(text: str) -> BufferText | None:
    """Reads the text of a buffer; None for a null pointer.

    Raises:
        TextError: It is none.
    """
    stripped = text.strip()
    if stripped in NULLS:
        return None
    length, _, rest = stripped.partition(":")
    if not length.strip():
        raise TextError("A buffer needs its length.", _EXAMPLE)
    fill, direction = _fill_and_direction(rest)
    length, at, start = length.partition("@")
    if not length.strip() or (at and not start.strip()):
        raise TextError(f"'{stripped}' has no number on one side of @.", "Write such as n+6@3.")
    typed = _ELEMENT.fullmatch(length.strip())
    return BufferText(
        typed["length"].strip() if typed else length.strip(),
        fill,
        direction,
        typed["element"].strip() if typed else "",
        start.strip() or "0",
    )


def parse_variable(text: str) -> BufferText:
    """Reads the text of a module variable, ``[VALUE][:FILL][:DIRECTION]``.

    ``{1, 2, 1}``, ``0``, ``random(7)``, ``zeros:out``, ``out``. Its value is in the place of a
    buffer's length.

    Raises:
        TextError: It is none.
    """
    value, rest = variable_parts(text)
    fill, direction = _fill_and_direction(rest)
    typed = _ELEMENT.fullmatch(value)
    if typed:
        return BufferText(typed["length"].strip(), fill, direction, typed["element"].strip())
    return BufferText(value, fill, direction)


def variable_parts(text: str) -> tuple[str, str]:
    """Returns the value in the text of a module variable, and the rest: fill and direction."""
    stripped = text.strip()
    if not has_no_length(stripped):
        value, _, rest = stripped.partition(":")
        return value.strip(), rest.strip()
    if not stripped.startswith("{"):
        return "", stripped
    depth = 0
    for at, sign in enumerate(stripped):
        depth += (sign == "{") - (sign == "}")
        if not depth:
            return stripped[: at + 1], stripped[at + 1 :].strip().removeprefix(":").strip()
    return stripped, ""


def has_no_length(text: str) -> bool:
    """Returns whether a text begins with a value in braces, a fill or a direction.

    That is so of a module variable only, which has as many elements as it has.
    """
    word = re.match(r"\s*(\w*)", text)
    known = word is not None and (word[1] in _WORDS or word[1] in _DIRECTIONS)
    return known or text.lstrip().startswith("{")


def _fill_and_direction(text: str) -> tuple[Fill | None, Direction | None]:
    before, _, last = text.rpartition(":")
    direction = _DIRECTIONS.get(last.strip())
    fill = (before if direction else text).strip()
    return parse_fill(fill) if fill else None, direction


def parse_fill(text: str) -> Fill:
    """Reads the content of a buffer, such as ``random(7, -1, 1)``; paths stay unchanged.

    Raises:
        TextError: It is none.
    """
    word, opened, rest = (part.strip() for part in text.partition("("))
    if word not in _WORDS:
        raise _no_fill(text, word)
    if opened and not rest.endswith(")"):
        end = rest.rpartition(")")[2].lstrip(": ")
        if ")" in rest and end:
            raise TextError(
                f"'{end}' is not a direction.", "Write in, out or inout after the fill."
            )
        raise TextError(f"'{text}' has no closing parenthesis.", f"Write {_WORDS[word].example}.")
    inside = rest[:-1].strip()
    form = _WORDS[word]
    fill = (
        Fill(form.kind, text=_unquoted(inside, form))
        if form.verbatim
        else _of_numbers(form, inside)
    )
    if form.verbatim and not fill.text:
        raise TextError(f"{word} needs something in its parentheses.", f"Write {form.example}.")
    return fill


def absolute(fill: Fill, folder: str) -> Fill:
    """Returns the same with the path of a file from the root on.

    Args:
        fill: The fill to complete.
        folder: Where relative paths start; empty for the working directory.
    """
    if fill.kind is not FillKind.FILE:
        return fill
    path = os.path.abspath(os.path.join(folder, os.path.expanduser(fill.text)))
    return replace(fill, text=path)


@dataclass(frozen=True)
class _FillForm:
    """How a fill is written.

    Attributes:
        kind: The kind of fill.
        example: The fill written in full.
        counts: How many numbers there may be in its parentheses.
        check: The fault in these numbers, a sentence; empty where there is none.
        verbatim: Whether the parentheses hold a text that is taken unchanged.
    """

    kind: FillKind
    example: str
    counts: tuple[int, ...] = (0,)
    check: Callable[[tuple[Number, ...]], str] = lambda _: ""
    verbatim: bool = False


def _wrong_random(numbers: tuple[Number, ...]) -> str:
    if numbers and not (isinstance(numbers[0], int) and numbers[0] >= 0):
        return f"The seed {numbers[0]} is not a whole number from 0 on."
    if not all(map(math.isfinite, numbers)):
        return "Random numbers need finite bounds."
    if numbers[1:] and numbers[1] > numbers[2]:
        return f"The lowest random number {numbers[1]} is above the highest, {numbers[2]}."
    return ""


def _wrong_range(numbers: tuple[Number, ...]) -> str:
    return "" if all(map(math.isfinite, numbers)) else "A range needs finite numbers."


_FORMS = (
    _FillForm(FillKind.ZEROS, "zeros"),
    _FillForm(FillKind.CONSTANT, "constant(1.5) or constant(1+2j)", (1,)),
    _FillForm(FillKind.RANGE, "range or range(0,2)", (0, 2), _wrong_range),
    _FillForm(FillKind.RANDOM, "random, random(7) or random(7,-1,1)", (0, 1, 3), _wrong_random),
    _FillForm(FillKind.FILE, "file(data.npy) or file(data.npz::name)", verbatim=True),
    _FillForm(FillKind.EXPRESSION, "expr(np.sin(i))", verbatim=True),
    _FillForm(FillKind.UNFILLED, "unfilled"),
)
_WORDS = {form.kind.value: form for form in _FORMS}


def _no_fill(text: str, word: str) -> TextError:
    if word in _DIRECTIONS or word.partition(":")[0].strip() in _DIRECTIONS:
        return TextError(f"In '{text}' a direction stands before the end.", _EXAMPLE)
    first, _, rest = word.partition(":")
    if first.strip() in _WORDS:
        return TextError(f"'{rest.strip()}' is not a direction.", "Write in, out or inout there.")
    return TextError(f"'{word}' fills no buffer.", f"Write {listing(_WORDS)}, or a direction.")


_IMAGINARY = re.compile(r"[\d.][jJ]$")


def _of_numbers(form: _FillForm, inside: str) -> Fill:
    if form.kind is FillKind.CONSTANT and _IMAGINARY.search(inside):
        with suppress(ValueError):
            value = complex("".join(inside.split()).strip("()"))
            return Fill(form.kind, (value.real, value.imag))
        raise TextError(f"'{inside}' is not a complex number.", "Write one such as 1.5-2j.")
    numbers = tuple(evaluate(part) for part in parts(inside))
    if len(numbers) not in form.counts:
        wanted = " or ".join(map(str, form.counts))
        raise TextError(
            f"{form.kind.value} has {len(numbers)} numbers in its parentheses, not {wanted}.",
            f"Write {form.example}.",
        )
    if wrong := form.check(numbers):
        raise TextError(wrong, f"Write {form.example}.")
    return Fill(form.kind, numbers)


def _unquoted(text: str, form: _FillForm) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted and form.kind is FillKind.FILE else text


_SIZE = re.compile(r"n|size|count|total|len(gth)?|num\w*|n_?elem\w*|elements", re.IGNORECASE)
_EXTENT = re.compile(r"width|height|rows|cols|columns|[wh]|[mnk]|n[xy]", re.IGNORECASE)
_UNNAMED = re.compile(r"arg\d+")
_ELEMENTS = 1 << 20
_EXTENT_ELEMENTS = 1 << 10
_FEW = 1024
_FEW_POINTERS = 4
_USUAL_BLOCK = 256
_LEAST_SIDE = 16


def default_arguments(form: KernelForm) -> tuple[tuple[str, str], ...]:
    """Returns names and texts for all parameters of a kernel, from the host code where possible.

    Where the host code does not tell how many elements there are, its buffers are left out, too.
    """
    sizes = _sizes(form.parameters)
    length = "*".join(p.name for p in sizes[:2]) or str(_FEW)
    elements = _ELEMENTS if len(sizes) == 1 else _EXTENT_ELEMENTS
    texts = {p.name: str(min(elements, _largest(p.type))) for p in sizes}
    texts |= _texel_extents(form)
    texts |= host_texts(form)
    host = dict(form.host_launch.inside) if form.host_launch else {}
    arguments: list[tuple[str, str]] = []
    for at, p in enumerate(form.parameters):
        text = p.default or texts.get(p.name) or _default_of(p, p.length or length, form)
        start = f"{at}."
        of_host = {key.removeprefix(str(at)): v for key, v in host.items() if key.startswith(start)}
        if of_host and isinstance(p.type, Struct):
            text = _struct_text(p.type, of_host)
        inner = [
            (row.name, _inner_text(row, p, of_host) or _text(row, _inner_length(row, p) or length))
            for row in inner_rows(p)
        ]
        arguments += [(p.name, text), *inner]
    of_variables = _host_variables(form.variables, host)
    for variable in form.variables:
        arguments += _variable_texts(variable, of_variables.get(variable.name, {}))
    return tuple(arguments)


def host_texts(form: KernelForm) -> dict[str, str]:
    """Returns the texts that parameters have in the host code, by name.

    Unknown values are left out, and values that fit no parameter: a fraction for an integer.
    """
    values, texts = _host_values(form), {}
    known = all(isinstance(values.get(p.name), int) for p in _sizes(form.parameters))
    for parameter in form.parameters:
        match parameter.type, values.get(parameter.name):
            case _ if parameter.default:
                pass
            case Pointer(target=target), HostBuffer(size, ahead) if known and size > 0:
                elements = size // (target or FLOAT).size
                lasts = _by_names(elements, values) or str(elements)
                if 0 < ahead < size and ahead % (target or FLOAT).size == 0:
                    lasts = f"{lasts}@{ahead // (target or FLOAT).size}"
                holds = references_behind(parameter.type)
                texts[parameter.name] = lasts if holds else _text(parameter, lasts)
            case Pointer(), 0:
                texts[parameter.name] = NULL
            case Scalar(kind=NumberKind.FLOATING), int() | float() as number:
                texts[parameter.name] = str(float(number))
            case Scalar(), int() as number:
                texts[parameter.name] = str(number)
    return texts | dict(_shared_texts(form.parameters, values, texts))


def _shared_texts(
    parameters: Sequence[FormParameter],
    values: Mapping[str, Number | HostBuffer],
    texts: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """Yields the texts of pointers into memory that another pointer leads to, too.

    The owner is the pointer nearest to the start; of several the pointer that is written to.
    """
    pointers = [
        (memory.start, parameter.type.const, at, parameter.name, memory)
        for at, parameter in enumerate(parameters)
        if isinstance(parameter.type, Pointer) and parameter.name in texts
        if isinstance(memory := values.get(parameter.name), HostBuffer)
    ]
    sizes = {
        p.name: (p.type.target or FLOAT).size for p in parameters if isinstance(p.type, Pointer)
    }
    owners: list[tuple[str, HostBuffer]] = []
    for start, _, _, name, memory in sorted(pointers, key=lambda pointer: pointer[:3]):
        owner = next((pair for pair in owners if pair[1].is_same(memory)), None)
        if owner is None:
            owners.append((name, memory))
            continue
        elements, rest = divmod(start - owner[1].start, sizes[owner[0]])
        if rest == 0:
            yield name, f"same({owner[0]}{f'+{elements}' if elements else ''})"


def takes_host_grid(form: KernelForm) -> bool:
    """Returns whether the first launch has the host code's grid, as the grid fits the sizes."""
    host, texts = form.host_launch, host_texts(form)
    sizes = _sizes(form.parameters)
    return bool(
        host and host.grid and host.block and all(p.default or p.name in texts for p in sizes)
    )


_Known = Mapping[str, Number | HostBuffer | str]
# `a::view` of `a::view.data`, `a::hits` of `a::hits:out`.
_HOST_KEY = re.compile(r"[^.\[:]++(?>::[^.\[:]++)*+")


def _inner_text(row: FormParameter, whole: FormParameter, known: _Known) -> str:
    """Returns the host code's text of a pointer in a struct, by the path; empty for none."""
    return _host_text(row, known.get(row.name.removeprefix(whole.name)))


def _host_text(row: FormParameter, value: Number | HostBuffer | str | None) -> str:
    match row.type, value:
        case _, str() as text:
            return text
        case Pointer(target=target), HostBuffer(size) if size > 0:
            return _text(row, str(size // (target or FLOAT).size))
        case Scalar(kind=NumberKind.FLOATING), int() | float() as number:
            return str(float(number))
        case Scalar(), int() as number:
            return str(number)
    return ""


def host_variable(key: str) -> str:
    """Returns the module variable in a key of `HostLaunch.inside`, as written."""
    match = _HOST_KEY.match(key)
    return match[0] if match else ""


def _host_variables(rows: Sequence[FormParameter], host: _Known) -> dict[str, _Known]:
    """Returns the host code's values of each module variable, by the path in the variable.

    Without all of its namespaces, as after ``using``, a name is that of the only variable with it.
    """
    by_variable: dict[str, dict[str, Number | HostBuffer | str]] = {}
    for key, value in host.items():
        written = host_variable(key)
        names = {row.name: row.name.removeprefix("::") for row in rows}
        whole = [name for name, full in names.items() if full == written]
        named = whole or [n for n, full in names.items() if full.endswith(f"::{written}")]
        if len(named) == 1:
            by_variable.setdefault(named[0], {})[key.removeprefix(written)] = value
    return dict(by_variable)


def _variable_texts(row: FormParameter, known: _Known) -> list[tuple[str, str]]:
    """Returns the texts of a module variable and the pointers inside, by the host code's copies."""
    text = _host_text(row, known.get(""))
    if text == FillKind.RANDOM.value and not isinstance(row.type, Array):
        # A single number that nobody knows, as from the command line, is asked for.
        text = ""
    if not text and isinstance(row.type, Struct) and known.keys() - {":out"}:
        text = _struct_text(row.type, known, complete=False)
    if ":out" in known:
        text = f"{text}:out".removeprefix(":")
    return [(row.name, text), *((r.name, _inner_text(r, row, known)) for r in inner_rows(row))]


def unread_contents(
    form: KernelForm, arguments: Iterable[tuple[str, str]]
) -> Iterator[FormParameter]:
    """Yields the module variables that host code fills with values that only a run would tell.

    Args:
        form: The kernel.
        arguments: Names and texts; variables with others than `default_arguments` has are left out.
    """
    host = dict(form.host_launch.inside) if form.host_launch else {}
    texts, of_variables = dict(arguments), _host_variables(form.variables, host)
    for row in form.variables:
        known = of_variables.get(row.name, {})
        text = dict(_variable_texts(row, known)).get(row.name, "")
        if known.get("") == FillKind.RANDOM.value and texts.get(row.name, "") == text:
            yield row


def _inner_length(row: FormParameter, parameter: FormParameter) -> str:
    """Returns the number beside a pointer in a struct that says how many elements there are."""
    struct = row.name.rpartition(".")[0]
    around = part_at(parameter.type, struct.removeprefix(parameter.name)) if struct else None
    if around is None or not isinstance(around.type, Struct):
        return ""
    sizes = [f.name for f in around.type.fields if _largest(f.type) and _SIZE.fullmatch(f.name)]
    return f"{struct}.{sizes[0]}" if sizes else ""


def first_launch(form: KernelForm) -> LaunchSpec:
    """Returns the launch that a form begins with.

    The launch of the host code as far as that is known; else a launch that covers the first buffer
    with one thread for each element.
    """
    arguments = default_arguments(form)
    spec = LaunchSpec(
        kernel=form.title, arguments=arguments, cluster=",".join(map(str, form.cluster or ()))
    )
    host, values = form.host_launch, _host_values(form)
    block = str(form.block or min(form.block_hint or _USUAL_BLOCK, _USUAL_BLOCK))
    if host is not None:
        block = ",".join(map(str, host.block)) if host.block else block
        spec = replace(spec, shared=str(host.shared or 0), cooperative=host.cooperative)
        if host.grid and host.block and takes_host_grid(form):
            cover = _cover(host.grid, host.block, values)
            grid = "" if cover else ",".join(map(str, host.grid))
            return replace(spec, block=block, cover=cover, grid=grid)
    if form.block:
        # A block of such a kernel works on a tile: how many elements that has, nobody knows.
        return replace(spec, block=block, grid="1")
    texts = dict(arguments)
    surface = next((p for p in form.parameters if p.type == Handle(HandleKind.SURFACE)), None)
    if surface and not any(isinstance(p.type, Pointer) for p in form.parameters):
        extents = _extents(surface, form)
        if not form.block_hint and len(extents) > 1:
            block = "16,16"
        return replace(spec, block=block, cover=",".join(extents))
    rows = (row for p in form.parameters for row in (p, *inner_rows(p)))
    buffers = [
        r.name for r in rows if isinstance(r.type, Pointer) and not references_behind(r.type)
    ]
    cover = next((buffer.length for name in buffers if (buffer := parse_buffer(texts[name]))), "")
    return replace(spec, block=block, cover=cover, grid="" if cover else "1")


def _host_values(form: KernelForm) -> dict[str, Number | HostBuffer]:
    """Returns the host code's values of the parameters."""
    values = form.host_launch.arguments if form.host_launch else ()
    if len(values) != len(form.parameters):
        return {}
    pairs = zip(form.parameters, values, strict=True)
    return {parameter.name: value for parameter, value in pairs if value is not None}


def _by_names(number: int, values: Mapping[str, Number | HostBuffer]) -> str:
    """Returns arguments that come to a number, alone or as a product; empty where none do."""
    sizes = [(name, value) for name, value in values.items() if type(value) is int and value > 1]
    for count in (1, 2, 3):
        for some in combinations(sizes, count):
            if math.prod(value for _, value in some) == number:
                return "*".join(name for name, _ in some)
    # A square; of small numbers it may be by chance.
    squares = (name for name, value in sizes if value >= _LEAST_SIDE and value**2 == number)
    return "*".join([next(squares, "")] * 2).strip("*")


def _cover(
    grid: Sequence[int], block: Sequence[int], values: Mapping[str, Number | HostBuffer]
) -> str:
    """Returns the arguments that the threads cover, for each axis; empty where none fit."""
    names = []
    for blocks, threads in zip_longest(grid, block, fillvalue=1):
        if threads < 1:
            return ""
        covered = (
            name
            for name, value in values.items()
            if type(value) is int and value > 1 and -(-value // threads) == blocks
        )
        names.append("1" if blocks == threads == 1 else next(covered, ""))
    while names and names[-1] == "1":
        names.pop()
    return ",".join(names) if all(names) else ""


def default_text(form: KernelForm, name: str) -> str:
    """Returns the default text of a parameter."""
    return dict(default_arguments(form))[name]


def _sizes(parameters: Iterable[FormParameter]) -> list[FormParameter]:
    """Returns the parameters that are sizes: the extents of a matrix, or a single number."""
    integers = [p for p in parameters if _largest(p.type)]
    extents = [p for p in integers if _EXTENT.fullmatch(p.name)]
    if len(extents) > 1:
        return extents
    named = [p for p in integers if _SIZE.fullmatch(p.name)] or extents
    unnamed = [p for p in integers if _UNNAMED.fullmatch(p.name)]
    return named[:1] or (unnamed if len(unnamed) == 1 else [])


def _largest(kind: object) -> int:
    """Returns the largest number of an integer type; 0 for any other type."""
    match kind:
        case Scalar(size=size, kind=NumberKind.SIGNED):
            return int((1 << 8 * size - 1) - 1)
        case Scalar(size=size, kind=NumberKind.UNSIGNED):
            return int((1 << 8 * size) - 1)
    return 0


_EXTENT_NAMES = (
    re.compile(r"(\w*_)?(w|width|cols|columns|nx)", re.IGNORECASE),
    re.compile(r"(\w*_)?(h|height|rows|ny)", re.IGNORECASE),
    re.compile(r"(\w*_)?(d|depth|slices|nz)", re.IGNORECASE),
)
_USUAL_EXTENTS = {1: 1024, 2: 256, 3: 32}
_GIVEN_EXTENTS = {1: 1 << 14, 2: 1024, 3: 64}
_USUAL_USE = {
    HandleKind.TEXTURE: TexelUse(HandleKind.TEXTURE, 2, "float"),
    HandleKind.SURFACE: TexelUse(HandleKind.SURFACE, 2, "float"),
}


def _default_of(parameter: FormParameter, length: str, form: KernelForm) -> str:
    if not isinstance(parameter.type, Handle):
        return _text(parameter, length)
    use = parameter.texels or _USUAL_USE[parameter.type.kind]
    texels = f"{use.element}[{','.join(_extents(parameter, form))}]"
    if use.kind is HandleKind.TEXTURE:
        return f"{texels}:random{':linearMemory' if use.linear else ''}"
    access = parameter.access or Direction.INOUT
    return f"{texels}:{'zeros' if access is Direction.OUT else 'random'}:{access.value}"


def _texel_extents(form: KernelForm) -> dict[str, str]:
    """Returns texts for the integers that are extents of textures: there may not be a million."""
    least: dict[str, int] = {}
    integers = {p.name: _largest(p.type) for p in form.parameters if _largest(p.type)}
    for parameter in form.parameters:
        if isinstance(parameter.type, Handle):
            extents = _extents(parameter, form)
            for name in integers.keys() & set(extents):
                usual = min(_GIVEN_EXTENTS[len(extents)], integers[name])
                least[name] = min(least.get(name, usual), usual)
    return {name: str(extent) for name, extent in least.items()}


def _extents(parameter: FormParameter, form: KernelForm) -> list[str]:
    """Returns extents: the integers of the kernel with names of extents, or usual numbers."""
    assert isinstance(parameter.type, Handle)
    axes = (parameter.texels or _USUAL_USE[parameter.type.kind]).axes
    integers = [p.name for p in form.parameters if _largest(p.type)]
    sizes = [p.name for p in _sizes(form.parameters)]
    if axes == 1 and len(sizes) == 1:
        return sizes
    usual = str(_USUAL_EXTENTS[axes])
    patterns = _EXTENT_NAMES[:axes]
    named = [next(filter(pattern.fullmatch, integers), "") for pattern in patterns]
    return named if all(named) else [usual] * axes


def _text(parameter: FormParameter, length: str) -> str:
    match parameter.type:
        case Pointer() as pointer if references_behind(pointer):
            return str(_FEW_POINTERS)
        case Pointer(target=target, const=const):
            # Most kernels work on floats; bytes would make buffers that are too short.
            buffer = length if target else f"float[{length}]"
            return f"{buffer}:{_content(target or FLOAT, const, parameter.access)}"
        case Struct() as kind if references_in(kind):
            return _struct_text(kind)
        case Scalar(kind=NumberKind.FLOATING):
            return "1.0"
        case Scalar(kind=NumberKind.SIGNED | NumberKind.UNSIGNED):
            return "1"
    return example(parameter.type)


def _struct_text(
    kind: Struct, known: _Known | None = None, path: str = "", *, complete: bool = True
) -> str:
    """Returns the numbers of a struct; pointers have rows of their own.

    Args:
        kind: The struct.
        known: The host code's values of the members, by path.
        path: Of the struct itself.
        complete: Whether to say something of the others, too.
    """
    texts = []
    for field in kind.fields:
        inner, text = f"{path}.{field.name}", ""
        row = FormParameter(inner, field.type, ParameterSlot(0, 0, 1))
        if isinstance(field.type, Struct) and not isinstance(known and known.get(inner), str):
            text = _struct_text(field.type, known, inner, complete=complete)
        elif not isinstance(field.type, REFERENCES):
            text = _host_text(row, (known or {}).get(inner)) or _usual(field) * complete
        texts += [f"{field.name}={text}"] if text else []
    return f"{{{', '.join(texts)}}}"


def _usual(field: Field) -> str:
    """Returns the initial text of a member of a struct that also has pointers."""
    match field.type:
        case Scalar(kind=NumberKind.SIGNED | NumberKind.UNSIGNED) as number:
            is_size = _SIZE.fullmatch(field.name) or _EXTENT.fullmatch(field.name)
            return str(min(_FEW, _largest(number))) if is_size else "1"
        case Scalar(kind=NumberKind.FLOATING):
            return "1.0"
    return "" if references_in(field.type) else example(field.type)


def _content(target: Type, const: bool, access: Direction | None) -> str:
    """Returns the fill of a buffer and the direction."""
    if const:
        return "random"
    match access:
        case Direction.IN:
            return "random:in"
        case Direction.OUT:
            return "zeros:out"
    # Sums and counts begin at zero; of zeros alone, a kernel in floating point shows nothing.
    return "random:inout" if _is_floating(target) else "zeros:inout"


def _is_floating(kind: Type) -> bool:
    """Returns whether all numbers in a type are floating-point numbers."""
    match kind:
        case Scalar(kind=NumberKind.FLOATING):
            return True
        case Array(element=element):
            return _is_floating(element)
        case Struct(fields=fields):
            return all(_is_floating(field.type) for field in fields)
    return False
