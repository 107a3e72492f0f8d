"""A sweep: one launch in many variants, along axes such as block size, data type and macro."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from itertools import product
from typing import Any

from jitstudio.core.arch import Arch
from jitstudio.core.launch.choice import build_for_launch
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.options import split_options
from jitstudio.core.request import BuildRequest

MOST_VARIANTS = 4096
"""Beyond, somebody has mistyped an axis."""

PLACEHOLDER = re.compile(r"\{(\w+)\}")
"""Where a kernel's name takes the value of a template axis, as in ``saxpy<{T}>``."""


class AxisKind(Enum):
    """What the values of an axis are put into; the value is the word of the command line."""

    BLOCK = "block"
    GRID = "grid"
    COVER = "cover"
    CLUSTER = "cluster"
    SHARED = "shared"
    TARGET = "target"
    OPTIONS = "options"
    MACRO = "macro"
    TEMPLATE = "template"
    ARGUMENT = "argument"


NAMED_KINDS = frozenset({AxisKind.MACRO, AxisKind.TEMPLATE, AxisKind.ARGUMENT})
"""The kinds of which there can be several axes, told apart by their names."""


@dataclass(frozen=True)
class Axis:
    """One thing that is varied.

    Attributes:
        kind: What the values are put into: a field of `LaunchSpec`, the target, a set of options,
            a macro, a placeholder of the kernel's name, an argument.
        values: As the user wrote them.
        name: The macro, the placeholder or the argument; empty for the other kinds.
    """

    kind: AxisKind
    values: tuple[str, ...]
    name: str = ""

    @property
    def title(self) -> str:
        """What to call it in a table."""
        return self.name or self.kind.value


@dataclass(frozen=True)
class SweepPlan:
    """What is varied, and what stays.

    Attributes:
        axes: In order; the last varies fastest.
        build: The build of all variants before an axis changes it.
        spec: The launch of all variants before an axis changes it.
    """

    axes: tuple[Axis, ...]
    build: BuildRequest
    spec: LaunchSpec


@dataclass(frozen=True)
class Variant:
    """One point of a sweep.

    Attributes:
        index: Its place in the order of the plan, from 0.
        values: One per axis.
        label: Such as ``block=64 T=float``.
        build: What to build for it; variants that differ in their launch only have equal ones.
        spec: How to launch it.
    """

    index: int
    values: tuple[str, ...]
    label: str
    build: BuildRequest
    spec: LaunchSpec


@dataclass(frozen=True)
class Extent:
    """How much work a sweep is.

    Attributes:
        variants: How many there are.
        builds: How many of them differ in more than their launch.
    """

    variants: int
    builds: int


class SweepError(ValueError):
    """The plan makes no sense; the message is fit for a person."""


def parse_axis(text: str, placeholders: Collection[str] = ()) -> Axis:
    """Read ``block=64,128``, ``-DUNROLL=1,2``, ``T=float,double`` or ``options=-O1;-O3``.

    Values are parted by semicolons where there is one, else by commas; sets of options by
    semicolons only. A name that is no other kind is a placeholder if it is one of those given,
    else an argument.

    Raises:
        SweepError: The text is none of these.
    """
    name, equals, rest = (part.strip() for part in text.partition("="))
    if not (name and equals):
        raise SweepError(f"An axis is written NAME=VALUE,VALUE, not '{text}'.")
    kind, name = _kind(name, placeholders)
    values = parse_values(kind, rest)
    if not values:
        raise SweepError(f"The axis '{text}' has no values.")
    return Axis(kind, values, name)


def parse_values(kind: AxisKind, text: str) -> tuple[str, ...]:
    """Read what stands behind the ``=`` of an axis; each value is there once."""
    by_semicolon = ";" in text or kind is AxisKind.OPTIONS
    values = tuple(value.strip() for value in text.split(";" if by_semicolon else ","))
    if kind is not AxisKind.OPTIONS:  # no option at all is a set of them, too
        values = tuple(filter(None, values))
    return tuple(dict.fromkeys(values))


def _kind(name: str, placeholders: Collection[str]) -> tuple[AxisKind, str]:
    if name.startswith("-D"):
        return AxisKind.MACRO, name.removeprefix("-D").strip()
    if name in placeholders:
        return AxisKind.TEMPLATE, name
    words = {kind.value: kind for kind in AxisKind if kind not in NAMED_KINDS}
    kind = words.get(name)
    return (kind, "") if kind else (AxisKind.ARGUMENT, name)


def placeholders_of(texts: Iterable[str]) -> frozenset[str]:
    """The names in braces of a kernel's name and of name expressions."""
    return frozenset(name for text in texts for name in PLACEHOLDER.findall(text))


def expand(plan: SweepPlan) -> tuple[Variant, ...]:
    """All variants: each value of each axis with each of the others.

    Raises:
        SweepError: Two axes vary the same, a placeholder has no axis, a target is none, or there
            are too many variants.
    """
    _check(plan)
    variants = []
    for index, values in enumerate(product(*(axis.values for axis in plan.axes))):
        point = _Point(plan.build, plan.spec)
        for axis, value in zip(plan.axes, values, strict=True):
            point = _PUT[axis.kind](point, axis, value)
        words = (f"{a.title}={v}" for a, v in zip(plan.axes, values, strict=True))
        build = build_for_launch(point.build, point.spec.kernel)
        variants.append(Variant(index, values, " ".join(words), build, point.spec))
    return tuple(variants)


def extent(plan: SweepPlan) -> Extent:
    """How much a sweep is, found out by its axes alone: quick, however many variants there are.

    Raises:
        SweepError: See `expand`.
    """
    _check(plan)
    start = _Point(plan.build, plan.spec)
    builds = 1
    for axis in plan.axes:
        points = [_PUT[axis.kind](start, axis, value) for value in axis.values]
        builds *= len({build_for_launch(point.build, point.spec.kernel) for point in points})
    return Extent(math.prod(len(axis.values) for axis in plan.axes), builds)


def _check(plan: SweepPlan) -> None:
    titles = [(axis.kind, axis.name) for axis in plan.axes]
    for axis in plan.axes:
        if titles.count((axis.kind, axis.name)) > 1:
            raise SweepError(f"Two axes vary '{axis.title}'. Write all its values into one.")
    expressions = [e for source in plan.build.sources for e in source.name_expressions]
    wanted = placeholders_of([plan.spec.kernel, *expressions])
    given = {axis.name for axis in plan.axes if axis.kind is AxisKind.TEMPLATE}
    for name in sorted(wanted - given):
        raise SweepError(f"No axis gives values for {{{name}}}. Add one, such as {name}=float,int.")
    for name in sorted(given - wanted):
        raise SweepError(f"The kernel's name has no {{{name}}} that this axis could vary.")
    count = math.prod(len(axis.values) for axis in plan.axes)
    if count > MOST_VARIANTS:
        raise SweepError(f"{count:,} variants are more than the {MOST_VARIANTS:,} of one sweep.")


@dataclass(frozen=True)
class _Point:
    build: BuildRequest
    spec: LaunchSpec


_Put = Callable[[_Point, Axis, str], _Point]


def _put_field(point: _Point, axis: Axis, value: str) -> _Point:
    changed: dict[str, Any] = {axis.kind.value: value}
    return replace(point, spec=replace(point.spec, **changed))


def _put_argument(point: _Point, axis: Axis, value: str) -> _Point:
    arguments = dict(point.spec.arguments) | {axis.name: value}
    return replace(point, spec=replace(point.spec, arguments=tuple(arguments.items())))


def _put_target(point: _Point, _axis: Axis, value: str) -> _Point:
    try:
        return replace(point, build=replace(point.build, arch=Arch.parse(value)))
    except ValueError as error:
        raise SweepError(str(error)) from None


def _with_options(point: _Point, *words: str) -> _Point:
    return replace(point, build=replace(point.build, options=(*point.build.options, *words)))


def _put_options(point: _Point, _axis: Axis, value: str) -> _Point:
    try:
        return _with_options(point, *split_options(value))
    except ValueError as error:
        raise SweepError(str(error)) from None


def _put_macro(point: _Point, axis: Axis, value: str) -> _Point:
    return _with_options(point, f"-D{axis.name}={value}")


def _put_template(point: _Point, axis: Axis, value: str) -> _Point:
    def filled(text: str) -> str:
        return text.replace(f"{{{axis.name}}}", value)

    sources = tuple(
        replace(source, name_expressions=tuple(map(filled, source.name_expressions)))
        for source in point.build.sources
    )
    spec = replace(point.spec, kernel=filled(point.spec.kernel))
    return _Point(replace(point.build, sources=sources), spec)


_PUT: dict[AxisKind, _Put] = {
    AxisKind.BLOCK: _put_field,
    AxisKind.GRID: _put_field,
    AxisKind.COVER: _put_field,
    AxisKind.CLUSTER: _put_field,
    AxisKind.SHARED: _put_field,
    AxisKind.TARGET: _put_target,
    AxisKind.OPTIONS: _put_options,
    AxisKind.MACRO: _put_macro,
    AxisKind.TEMPLATE: _put_template,
    AxisKind.ARGUMENT: _put_argument,
}
