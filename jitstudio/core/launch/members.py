"""Parts of structs, arrays and buffers of pointers, by path: ``view.data``, ``rows[0]``.

Each pointer, texture and surface in a parameter or a module variable is a row of its own in a form,
below that it is inside of. Of a buffer of pointers one row, ``rows[]``, represents all elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from jitstudio.core.launch.request import FormParameter, KernelForm, ParameterSlot
from jitstudio.core.launch.types import REFERENCES, Array, Pointer, Struct, Type

EACH = "[]"
"""Stands for the index of any element in the name of a row."""

_MOST_REFERENCES = 256
_DEEPEST = 3
_ELEMENT = re.compile(r"\[\d*")
_STEP = re.compile(r"\.(?P<field>[^\W\d]\w*)|\[(?P<index>\d+)\]")


@dataclass(frozen=True)
class Part:
    """A part of a struct or array.

    Attributes:
        path: From the whole, such as ``.a.p`` or ``[1].x``; empty for the whole.
        type: The type of the part.
        offset: Bytes from the start of the whole.
    """

    path: str
    type: Type
    offset: int


def part_at(kind: Type, path: str) -> Part | None:
    """Returns the part of a type that a path leads to; None where there is none."""
    part, at = Part(path, kind, 0), 0
    while at < len(path):
        step = _STEP.match(path, at)
        inner = _step(part.type, step) if step else None
        if step is None or inner is None:
            return None
        part = Part(path, inner.type, part.offset + inner.offset)
        at = step.end()
    return part


def _step(kind: Type, step: re.Match[str]) -> Part | None:
    match kind:
        case Struct(fields=fields) if step["field"]:
            named = (Part("", f.type, f.offset) for f in fields if f.name == step["field"])
            return next(named, None)
        case Array(element=element, count=count) if step["index"] and int(step["index"]) < count:
            return Part("", element, int(step["index"]) * element.size)
    return None


@lru_cache(256)
def references_in(kind: Type) -> tuple[Part, ...]:
    """Returns the pointers and handles in a type, the first hundreds; of a pointer only itself."""
    return tuple(islice(_references(kind, "", 0), _MOST_REFERENCES))


def _references(kind: Type, path: str, offset: int) -> Iterator[Part]:
    match kind:
        case Struct(fields=fields):
            for field in fields:
                yield from _references(field.type, f"{path}.{field.name}", offset + field.offset)
        case Array(element=element, count=count) if references_in(element):
            for at in range(count):
                yield from _references(element, f"{path}[{at}]", offset + at * element.size)
        case _ if isinstance(kind, REFERENCES):
            yield Part(path, kind, offset)


def references_behind(kind: Type) -> tuple[Part, ...]:
    """Returns the pointers and handles in each of the elements that a pointer leads to."""
    if not isinstance(kind, Pointer) or kind.target is None:
        return ()
    return references_in(kind.target)


def form_rows(form: KernelForm, names: Iterable[str] = ()) -> tuple[FormParameter, ...]:
    """Returns the rows of a form: parameters, then module variables, each with the inner rows.

    Args:
        form: The kernel.
        names: What has texts: parts among them that have no row of their own get one, such as
            ``rows[1]`` beside ``rows[]``.
    """
    rows = [row for top in (*form.parameters, *form.variables) for row in (top, *inner_rows(top))]
    known = {row.name for row in rows}
    parts = (row_about(form, name) for name in names if name not in known)
    return (*rows, *(part for part in parts if part is not None))


def row_about(form: KernelForm, name: str) -> FormParameter | None:
    """Returns the row that a name means, under that name; None where the kernel has none."""
    for row in form_rows(form):
        if represents(row.name, name):
            return replace(row, name=name)
    for top in (*form.parameters, *form.variables):
        path = name.removeprefix(top.name)
        if path == name or not path.startswith((".", "[")):
            continue
        kind: Type | None = top.type
        if isinstance(top.type, Pointer):
            index, _, path = path.partition("]")
            kind = top.type.target if _ELEMENT.fullmatch(index) else None
        part = None if kind is None else part_at(kind, path)
        if part is not None:
            slot = ParameterSlot(part.offset, part.type.size, part.type.align)
            return FormParameter(name, part.type, slot, inside=top.name)
    return None


def inner_rows(row: FormParameter, depth: int = 0) -> Iterator[FormParameter]:
    """Yields the rows of the pointers and handles inside of the type of a row."""
    if depth == _DEEPEST:
        return
    is_buffer = isinstance(row.type, REFERENCES)
    start = row.name + (EACH if is_buffer else "")
    for part in references_behind(row.type) if is_buffer else references_in(row.type):
        slot = ParameterSlot(part.offset, part.type.size, part.type.align)
        inner = FormParameter(start + part.path, part.type, slot, inside=row.name)
        yield inner
        yield from inner_rows(inner, depth + 1)


def represents(row: str, name: str) -> bool:
    """Returns whether a row is about this part: ``rows[]`` is about ``rows[0]``."""
    if EACH not in row:
        return row == name
    return bool(re.fullmatch(re.escape(row).replace(r"\[\]", r"\[\d*\]"), name))
