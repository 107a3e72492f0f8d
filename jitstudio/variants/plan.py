"""Variants of a build or launch: each value of each axis with each value of the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from jitstudio.core.arch import Arch
from jitstudio.core.axes import Axis, AxisKind, VariantError, placeholders_of
from jitstudio.core.launch.choice import build_for_launch
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.options import split_options
from jitstudio.core.request import BuildRequest, LinkMode, with_name_expressions

MOST_VARIANTS = 4096
"""More variants are taken for a mistyped axis."""
MOST_COMPARED_TARGETS = 256
"""The most variants of ``--compare-targets``."""


@dataclass(frozen=True)
class VariantPlan:
    """The axes of variants, and the build and launch that they vary.

    Attributes:
        axes: In order; the last varies fastest.
        build: The build of all variants before an axis changes it.
        spec: The launch of all variants before an axis changes it.
        launches: Whether each variant is launched; otherwise each is only built, and the launch
            gives the kernel's name and the block for calculating the occupancy.
        by_link: The builds that a link axis puts in the place of `build`, where the modules that
            take part depend on the link; all other links only change the link of `build`.
        toolchains: The folders of the values of a toolchain axis (`BuildRequest.toolchain`). A
            project names no folder by a path: its values are names of toolchains that the user has
            added.
    """

    axes: tuple[Axis, ...]
    build: BuildRequest
    spec: LaunchSpec = field(default_factory=LaunchSpec)
    launches: bool = True
    by_link: Mapping[LinkMode, BuildRequest] = field(default_factory=dict)
    toolchains: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_block(self) -> bool:
        """Whether the launch determines the block of each variant."""
        return self.launches or any(axis.kind.is_of_launch for axis in self.axes)

    @property
    def has_kernel(self) -> bool:
        """Whether the figures are those of a single kernel."""
        return self.has_block or bool(self.spec.kernel)


@dataclass(frozen=True)
class Variant:
    """A point of a plan.

    Attributes:
        index: The place in the order of the plan, from 0.
        values: The value of each axis.
        label: The values in words, such as ``block=64 T=float``.
        build: The build of the variant; variants that differ only in their launch have equal
            builds.
        spec: The launch of the variant.
    """

    index: int
    values: tuple[str, ...]
    label: str
    build: BuildRequest
    spec: LaunchSpec


@dataclass(frozen=True)
class PlanSize:
    """The amount of work of a plan.

    Attributes:
        variants: The number of variants.
        builds: The number of different builds among them.
    """

    variants: int
    builds: int


def parse_targets(text: str) -> Axis:
    """Reads ``sm_80, sm_90a`` as an axis.

    Raises:
        VariantError: There is no target, or an unknown target.
    """
    words = text.replace(",", " ").split()
    if not words:
        raise VariantError("There is no target. Write at least one, such as sm_90.")
    return Axis(AxisKind.TARGET, tuple(dict.fromkeys(str(_arch(word)) for word in words)))


def parse_option_sets(lines: Iterable[str]) -> Axis:
    """Reads an option set from each line as an axis; no lines give a single empty set."""
    sets = [line.strip() for line in lines]
    while len(sets) > 1 and not sets[-1]:
        sets.pop()
    return Axis(AxisKind.OPTIONS, tuple(dict.fromkeys(sets)) or ("",))


def expand(plan: VariantPlan, most: int = MOST_VARIANTS) -> tuple[Variant, ...]:
    """Returns all variants of a plan.

    Args:
        plan: The plan.
        most: The most variants allowed.

    Raises:
        VariantError: Two axes vary the same, a placeholder has no axis, a value makes no sense, or
            there are too many variants.
    """
    _check(plan, most)
    variants = []
    for index, values in enumerate(product(*(axis.values for axis in plan.axes))):
        chosen = tuple(zip(plan.axes, values, strict=True))
        label = " ".join(f"{axis.title}={value}" for axis, value in chosen)
        build, spec = _point(plan, chosen)
        variants.append(Variant(index, values, label, build, spec))
    return tuple(variants)


def extent(plan: VariantPlan) -> PlanSize:
    """Returns the amount of work of a plan from its axes alone: quick for any number of variants.

    Raises:
        VariantError: See `expand`.
    """
    _check(plan, MOST_VARIANTS)
    builds = 1
    for axis in plan.axes:
        builds *= len({_point(plan, ((axis, value),))[0] for value in axis.values})
    return PlanSize(math.prod(len(axis.values) for axis in plan.axes), builds)


def _check(plan: VariantPlan, most: int) -> None:
    titles = [(axis.kind, axis.name) for axis in plan.axes]
    for axis in plan.axes:
        if titles.count((axis.kind, axis.name)) > 1:
            raise VariantError(f"Two axes vary '{axis.title}'. Write all its values into one.")
    expressions = [e for source in plan.build.sources for e in source.name_expressions]
    placeholders = placeholders_of([plan.spec.kernel, *expressions])
    axis_names = {axis.name for axis in plan.axes if axis.kind is AxisKind.TEMPLATE}
    for name in sorted(placeholders - axis_names):
        raise VariantError(
            f"No axis gives values for {{{name}}}. Add one, such as {name}=float,int."
        )
    for name in sorted(axis_names - placeholders):
        raise VariantError(f"The kernel's name has no {{{name}}} that this axis could vary.")
    count = math.prod(len(axis.values) for axis in plan.axes)
    if count > most:
        kind = "sweep" if most == MOST_VARIANTS else "table"
        raise VariantError(f"{count:,} variants are more than the {most:,} of one {kind}.")


@dataclass(frozen=True)
class _Point:
    build: BuildRequest
    spec: LaunchSpec
    by_link: Mapping[LinkMode, BuildRequest]
    toolchains: Mapping[str, str]


_Put = Callable[[_Point, Axis, str], _Point]


def _point(
    plan: VariantPlan, chosen: tuple[tuple[Axis, str], ...]
) -> tuple[BuildRequest, LaunchSpec]:
    """Returns the build and the launch with these values."""
    point = _Point(plan.build, plan.spec, plan.by_link, plan.toolchains)
    # A link can replace the whole build, so this axis comes before the others.
    for axis, value in sorted(chosen, key=lambda pair: pair[0].kind is not AxisKind.LINK):
        point = _PUT[axis.kind](point, axis, value)
    kernel = point.spec.kernel
    if plan.launches:
        return build_for_launch(point.build, kernel), point.spec
    expressions = (kernel,) if "<" in kernel else ()
    sources = with_name_expressions(point.build.sources, expressions)
    return replace(point.build, sources=sources), point.spec


def _put_field(point: _Point, axis: Axis, value: str) -> _Point:
    changed: dict[str, Any] = {axis.kind.value: value}
    return replace(point, spec=replace(point.spec, **changed))


def _put_argument(point: _Point, axis: Axis, value: str) -> _Point:
    arguments = dict(point.spec.arguments) | {axis.name: value}
    return replace(point, spec=replace(point.spec, arguments=tuple(arguments.items())))


def _put_target(point: _Point, _axis: Axis, value: str) -> _Point:
    return replace(point, build=replace(point.build, arch=_arch(value)))


def _put_link(point: _Point, _axis: Axis, value: str) -> _Point:
    try:
        mode = LinkMode(value)
    except ValueError:
        ways = ", ".join(mode.value for mode in LinkMode)
        raise VariantError(f"'{value}' is no way to link. Write some of {ways}.") from None
    build = point.by_link.get(mode) or replace(point.build, link=mode)
    return replace(point, build=build)


def _put_toolchain(point: _Point, _axis: Axis, value: str) -> _Point:
    folder = point.toolchains.get(value)
    if folder is None:
        names = ", ".join(point.toolchains) or "none"
        raise VariantError(
            f"'{value}' is not a toolchain that was added in the settings. Known: {names}."
        )
    return replace(point, build=replace(point.build, toolchain=folder))


def _with_options(point: _Point, *words: str) -> _Point:
    return replace(point, build=point.build.with_options(lambda options: (*options, *words)))


def _put_options(point: _Point, _axis: Axis, value: str) -> _Point:
    try:
        return _with_options(point, *split_options(value))
    except ValueError as error:
        raise VariantError(str(error)) from None


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
    return replace(point, build=replace(point.build, sources=sources), spec=spec)


def _arch(text: str) -> Arch:
    try:
        return Arch.parse(text)
    except ValueError as error:
        raise VariantError(str(error)) from None


_PUT: dict[AxisKind, _Put] = {
    AxisKind.BLOCK: _put_field,
    AxisKind.GRID: _put_field,
    AxisKind.COVER: _put_field,
    AxisKind.CLUSTER: _put_field,
    AxisKind.SHARED: _put_field,
    AxisKind.TARGET: _put_target,
    AxisKind.OPTIONS: _put_options,
    AxisKind.LINK: _put_link,
    AxisKind.TOOLCHAIN: _put_toolchain,
    AxisKind.MACRO: _put_macro,
    AxisKind.TEMPLATE: _put_template,
    AxisKind.ARGUMENT: _put_argument,
}
