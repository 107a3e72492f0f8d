"""What is compared of a cubin: its code, its data, and how people call its functions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from jitstudio.analysis.diff.data import DataSection
from jitstudio.analysis.diff.names import PublicNames
from jitstudio.analysis.sass.model import Disassembly, SassFunction

# `void lib::scale<float>(float*, int)`: the last name in front of arguments of either kind.
_BASE = re.compile(r"(?:^|[\s:])([A-Za-z_$][\w$]*)(?=[<(]|\Z)")
_LABEL = re.compile(r"\.L_\w+")


@dataclass(frozen=True, eq=False)
class CubinProgram:
    """A cubin, read.

    Attributes:
        code: Its functions.
        data: What is in it besides code; None where that is not known.
        demangled: Names in C++, where they are known.
        is_listed: Whether the data are in the words of a listing.
    """

    code: Disassembly
    data: tuple[DataSection, ...] | None = ()
    demangled: Mapping[str, str] = field(default_factory=dict)
    is_listed: bool = False

    @cached_property
    def public(self) -> PublicNames:
        """The names in its code without the path of the source."""
        functions = self.code.functions
        return PublicNames(
            text
            for function in functions
            for text in (
                function.name,
                *(part.name for part in function.parts),
                *set(function.operands),
            )
        )

    def base_name(self, function: SassFunction) -> str:
        """Returns the name as the programmer wrote it, without what it takes."""
        found = _BASE.search(self.demangled.get(function.name, function.name))
        return found[1] if found else function.name


def by_itself(function: SassFunction) -> SassFunction:
    """Returns a function with its labels numbered as in a file that holds nothing else.

    nvdisasm numbers the labels of all functions of a file one after another.
    """
    names = {label.name: f".L_x_{number}" for number, label in enumerate(function.labels)}

    def renamed(label: re.Match[str]) -> str:
        return names.get(label[0], label[0])

    return replace(
        function,
        operands=tuple(_LABEL.sub(renamed, operands) for operands in function.operands),
        labels=tuple(replace(label, name=names[label.name]) for label in function.labels),
    )


def data_comparable(left: CubinProgram, right: CubinProgram) -> bool:
    """Returns whether the data of both are known, in the same words."""
    known = left.data is not None and right.data is not None
    return known and left.is_listed == right.is_listed


_Key = tuple[str, int]
Partners = tuple[SassFunction | None, SassFunction | None]
"""The same function of two programs; one is None where a program does not have it."""


def partners(left: CubinProgram, right: CubinProgram) -> list[Partners]:
    """Which functions belong together, in the order of the first program, then of the second.

    Those of one name, wherever their source lay; then those whose names without their arguments
    are the same; then kernels, if each program has just one left.
    """
    found: dict[_Key, SassFunction] = {}
    ours, rest = _keyed(left), _keyed(right)
    for key in ours:
        if key in rest:
            found[key] = rest.pop(key)
    open_ones = {key: function for key, function in ours.items() if key not in found}
    for key, function in open_ones.items():
        base = left.base_name(function)
        other = next((one for one in rest if right.base_name(rest[one]) == base), None)
        if other is not None:
            found[key] = rest.pop(other)
    lonely = _only_kernel({key: one for key, one in open_ones.items() if key not in found})
    other = _only_kernel(rest)
    if lonely is not None and other is not None:
        found[lonely] = rest.pop(other)
    pairs: list[Partners] = [(one, found.get(key)) for key, one in ours.items()]
    return [*pairs, *((None, one) for one in rest.values())]


def _keyed(program: CubinProgram) -> dict[_Key, SassFunction]:
    """Modules that are not linked may have functions of the same name."""
    seen: Counter[str] = Counter()
    keyed: dict[_Key, SassFunction] = {}
    for function in program.code.functions:
        name = program.public.within(function.name)
        keyed[name, seen[name]] = function
        seen[name] += 1
    return keyed


def _only_kernel(functions: Mapping[_Key, SassFunction]) -> _Key | None:
    kernels = [key for key, function in functions.items() if function.is_kernel]
    return kernels[0] if len(kernels) == 1 else None
