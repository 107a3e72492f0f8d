"""Texts that a fresh form starts with: a launch that runs, to be changed from there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jitstudio.core.launch.request import Direction
from jitstudio.core.launch.signature import FormParameter, KernelForm
from jitstudio.core.launch.texts.c_types import FLOAT
from jitstudio.core.launch.texts.values import example
from jitstudio.core.launch.types import Array, NumberKind, Pointer, Scalar, Struct, Type

_SIZE = re.compile(r"n|size|count|total|len(gth)?|num\w*|n_?elem\w*|elements", re.IGNORECASE)
_EXTENT = re.compile(r"width|height|rows|cols|columns|[wh]|[mnk]|n[xy]", re.IGNORECASE)
_UNNAMED = re.compile(r"arg\d+")
_ELEMENTS = 1 << 20
_EXTENT_ELEMENTS = 1 << 10
_FEW = 1024


def default_arguments(form: KernelForm) -> tuple[tuple[str, str], ...]:
    """Names and texts for all parameters of a kernel."""
    sizes = _sizes(form.parameters)
    length = "*".join(p.name for p in sizes[:2]) or str(_FEW)
    each = _ELEMENTS if len(sizes) == 1 else _EXTENT_ELEMENTS
    elements = {p.name: str(min(each, _largest(p.type))) for p in sizes}
    return tuple((p.name, elements.get(p.name) or _text(p, length)) for p in form.parameters)


def default_text(form: KernelForm, name: str) -> str:
    """The text for one of them."""
    return dict(default_arguments(form))[name]


def _sizes(parameters: Iterable[FormParameter]) -> list[FormParameter]:
    """Those that say how many elements there are: the extents of a matrix, or one number."""
    integers = [p for p in parameters if _largest(p.type)]
    extents = [p for p in integers if _EXTENT.fullmatch(p.name)]
    if len(extents) > 1:
        return extents
    named = [p for p in integers if _SIZE.fullmatch(p.name)] or extents
    unnamed = [p for p in integers if _UNNAMED.fullmatch(p.name)]
    return named[:1] or (unnamed if len(unnamed) == 1 else [])


def _largest(kind: object) -> int:
    """The largest number of an integer type; 0 for any other type."""
    match kind:
        case Scalar(size=size, kind=NumberKind.SIGNED):
            return int((1 << 8 * size - 1) - 1)
        case Scalar(size=size, kind=NumberKind.UNSIGNED):
            return int((1 << 8 * size) - 1)
    return 0


def _text(parameter: FormParameter, length: str) -> str:
    match parameter.type:
        case Pointer(target=Pointer()):
            return f"{length}:zeros"
        case Pointer(target=target, const=const):
            # Most kernels work on floats; bytes would make buffers that are too short.
            buffer = length if target else f"float[{length}]"
            return f"{buffer}:{_content(target or FLOAT, const, parameter.access)}"
        case Scalar(kind=NumberKind.FLOATING):
            return "1.0"
        case Scalar(kind=NumberKind.SIGNED | NumberKind.UNSIGNED):
            return "1"
    return example(parameter.type)


def _content(target: Type, const: bool, access: Direction | None) -> str:
    """The fill of a buffer and its direction."""
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
    """Whether all numbers in it are floating-point numbers."""
    match kind:
        case Scalar(kind=NumberKind.FLOATING):
            return True
        case Array(element=element):
            return _is_floating(element)
        case Struct(fields=fields):
            return all(_is_floating(field.type) for field in fields)
    return False
