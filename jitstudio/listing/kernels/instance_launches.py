"""The launches of a kernel in host code, told from launches of the template's other instances.

Host code writes the arguments of templates in its own words: what is surely meant is compared, and
of launches that may be of several instances only what all have in common is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from jitstudio.core.launch.c_types import named
from jitstudio.core.launch.problems import TextError
from jitstudio.core.launch.request import HostLaunch
from jitstudio.core.launch.types import Scalar
from jitstudio.core.launch.values import integer
from jitstudio.listing.cuda.outline import CACHED
from jitstudio.listing.kernel_names import KernelName, read_name

_QUALIFIER = re.compile(r"\b[A-Za-z_]\w*::")
# `(unsigned int)16`, as demanglers write numbers of some types.
_CAST = re.compile(r"\(\w[\w ]*\)(?=-?\d)")
_TRUTH = {"false": "0", "true": "1"}
# `pair<int, float *>` and `pair<int,float*>` are alike.
_AROUND_SIGNS = re.compile(r"(?<!\s)\s*+([<>,*&()])\s*+")


@dataclass(frozen=True)
class LaunchedInstance:
    """A kernel, for comparisons with launches.

    Attributes:
        name: Its name.
        parameters: How many it has; None where that is not known.
        expressions: The name expressions by which it was asked for.
    """

    name: KernelName
    parameters: int | None
    expressions: Set[str] = field(default_factory=frozenset)

    def fits(self, launch: HostLaunch) -> bool:
        """Returns whether a launch may be of this kernel, as far as the text says."""
        return (
            launch.kernel.rpartition("::")[2] == self.name.path.rpartition("::")[2]
            and self.parameters in (None, len(launch.arguments))
            and not _differ(_arguments(launch), _plain(self.name.arguments))
            and not _is_overload(launch.types, self.name.parameters or ())
        )

    def likeness(self, launch: HostLaunch) -> int:
        """Returns the likeness of the template arguments and the arguments of a launch that fits.

        Zero is nothing, an odd number all of them. Defaults, and those that nobody could deduce,
        are not written.
        """
        listed = _arguments(launch)
        written = [_plain(self.name.arguments)]
        written += [_plain(read_name(text).arguments) for text in self.expressions]
        are_equal = any(row[: len(listed)] == listed for row in written)
        return 2 * len(listed) * are_equal + (listed in written)


def launch_of(
    kernel: LaunchedInstance,
    launches: Sequence[HostLaunch],
    others: Iterable[LaunchedInstance] = (),
) -> HostLaunch | None:
    """Returns the launch of a kernel of which most is known; None where there is none.

    Args:
        kernel: The kernel.
        launches: What host code launches.
        others: The other kernels of its build.
    """
    fitting = [launch for launch in launches if kernel.fits(launch)]
    others = [other for other in others if other.name != kernel.name]
    own = [
        launch
        for launch in fitting
        if not any(x.fits(launch) and x.likeness(launch) > kernel.likeness(launch) for x in others)
    ]
    most = max(map(kernel.likeness, own), default=0)
    own = [launch for launch in own if kernel.likeness(launch) == most]
    own.sort(key=_known, reverse=True)
    for other in others if len(own) > 1 else ():
        alike = [other.likeness(launch) for launch in launches if other.fits(launch)]
        if max(alike, default=0) <= most and any(map(other.fits, own)):
            return _common(own)
    return next(iter(own), None)


def _known(launch: HostLaunch) -> int:
    """Returns how much is known of a launch."""
    known = (launch.grid, launch.block, launch.shared, *launch.arguments)
    return sum(value is not None for value in known)


def _common(launches: Sequence[HostLaunch]) -> HostLaunch:
    """Returns a launch with the values that launches have in common; the rest is not known."""
    first, *more = launches

    def same(name: str) -> Any:
        value = getattr(first, name)
        return value if all(getattr(launch, name) == value for launch in more) else None

    arguments = zip(*(launch.arguments for launch in launches), strict=True)
    return replace(
        first,
        grid=same("grid"),
        block=same("block"),
        shared=same("shared"),
        arguments=tuple(of[0] if len(set(of)) == 1 else None for of in arguments),
        inside=tuple(x for x in first.inside if all(x in launch.inside for launch in more)),
        assumed=tuple(sorted({x for launch in launches for x in launch.assumed})),
    )


def _arguments(launch: HostLaunch) -> list[str]:
    return _written(launch.template)


@lru_cache(CACHED)
def _written(template: str) -> list[str]:
    return _plain(read_name(f"k<{template}>").arguments)


def _plain(arguments: Iterable[str]) -> list[str]:
    return [_plain_argument(text) for text in arguments]


@lru_cache(CACHED)
def _plain_argument(text: str) -> str:
    """Returns an argument of a template in the spelling for comparisons."""
    plain = _CAST.sub("", _QUALIFIER.sub("", " ".join(text.split())))
    if plain in _TRUTH:
        return _TRUTH[plain]
    if kind := named(plain):
        return kind.name
    with suppress(TextError, ZeroDivisionError):
        return str(integer(plain))
    return _AROUND_SIGNS.sub(r"\1", plain)


def _is_overload(passed: Sequence[str], parameters: Sequence[str]) -> bool:
    """Returns whether pointers that a launch passes are surely none that a kernel takes."""
    for some, other in zip(passed, parameters, strict=False):
        of, by = (_plain_argument(text.replace("const", "").rstrip("* ")) for text in (some, other))
        are_pointers = some.endswith("*") and other.endswith("*")
        if are_pointers and "void" not in (of, by) and _are_other_types(of, by):
            return True
    return False


def _are_other_types(some: str, other: str) -> bool:
    """Returns whether two names are of surely different types; a `long` has two names."""
    kinds = named(some), named(other)
    match kinds:
        case (Scalar() as one, Scalar() as two):
            return (one.size, one.kind) != (two.size, two.kind)
    return some != other and None not in kinds


def _differ(some: Sequence[str], others: Sequence[str]) -> bool:
    """Returns whether two lists of plain arguments are surely of two instances.

    Types may have other names, and the last arguments may be defaults; numbers are what they are.
    """
    return any(
        (a != b and a.removeprefix("-").isdecimal() and b.removeprefix("-").isdecimal())
        or _are_other_types(a, b)
        for a, b in zip(some, others, strict=False)
    )
