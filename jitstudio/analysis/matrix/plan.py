"""A matrix: the same source built for several targets, with several option sets and links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.options import split_options
from jitstudio.core.request import BuildRequest, LinkMode

MOST_VARIANTS = 256
"""Beyond, nobody reads the table."""


class MatrixError(ValueError):
    """The plan makes no sense; the message is fit for a person."""


@dataclass(frozen=True)
class MatrixPlan:
    """What is varied, and what is built.

    Attributes:
        builds: One for each way of linking, before target and options are varied.
        archs: The targets.
        option_sets: What is added to the options of the builds, as the user wrote it; one that is
            empty leaves them as they are.
    """

    builds: tuple[BuildRequest, ...]
    archs: tuple[Arch, ...]
    option_sets: tuple[str, ...] = ("",)


@dataclass(frozen=True)
class Variant:
    """One row of the matrix.

    Attributes:
        index: Its place in the order of the plan, from 0.
        arch: The target.
        options: The option set, as the user wrote it.
        link: How the modules are linked.
        request: What to build.
    """

    index: int
    arch: Arch
    options: str
    link: LinkMode
    request: BuildRequest


def parse_targets(text: str) -> tuple[Arch, ...]:
    """Read ``sm_80, sm_90a``, each once.

    Raises:
        MatrixError: There is none, or one of them is no target.
    """
    words = text.replace(",", " ").split()
    if not words:
        raise MatrixError("There is no target. Write at least one, such as sm_90.")
    try:
        return tuple(dict.fromkeys(map(Arch.parse, words)))
    except ValueError as error:
        raise MatrixError(str(error)) from None


def parse_option_sets(lines: Iterable[str]) -> tuple[str, ...]:
    """One set a line, each once; nothing at all is one set without options."""
    sets = [line.strip() for line in lines]
    while len(sets) > 1 and not sets[-1]:
        sets.pop()
    return tuple(dict.fromkeys(sets)) or ("",)


def variants(plan: MatrixPlan) -> tuple[Variant, ...]:
    """All of them: each target with each option set and each link.

    Raises:
        MatrixError: Options cannot be read, or there are too many variants.
    """
    count = len(plan.builds) * len(plan.archs) * len(plan.option_sets)
    if count > MOST_VARIANTS:
        raise MatrixError(f"{count:,} variants are more than the {MOST_VARIANTS} of one table.")
    return tuple(_variants(plan))


def _variants(plan: MatrixPlan) -> Iterator[Variant]:
    points = product(plan.archs, plan.option_sets, plan.builds)
    for index, (arch, options, build) in enumerate(points):
        try:
            added = split_options(options)
        except ValueError as error:
            raise MatrixError(str(error)) from None
        request = replace(
            build,
            arch=arch,
            options=(*build.options, *added),
            # All figures are read from it.
            emit=frozenset({CodeKind.CUBIN}),
            # From the cache a build would take no time at all, and time is one of the figures.
            use_cache=False,
        )
        yield Variant(index, arch, options, build.link, request)
