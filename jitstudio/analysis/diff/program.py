"""What is compared of a cubin: its code, its data, and how people call its functions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

from jitstudio.analysis.diff.data import DataSection
from jitstudio.analysis.diff.names import PublicNames
from jitstudio.analysis.report import KernelReport, report
from jitstudio.analysis.sass.model import Disassembly, SassFunction
from jitstudio.analysis.sass.opcodes import OpcodeGroup
from jitstudio.core.result import Resources

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


# ---- What both programs need, kernel by kernel

_LIVE = "live_registers"


@dataclass(frozen=True)
class FigureDelta:
    """One figure of a function in two programs; None where it is not known.

    Attributes:
        name: The function's lowered name in the first program that has it.
        figure: Such as ``registers`` or ``instructions``; stable.
        left: Of the first program.
        right: Of the second program.
    """

    name: str
    figure: str
    left: int | None
    right: int | None

    @property
    def difference(self) -> int | None:
        """How much more it is in the second program."""
        return self.right - self.left if self.left is not None and self.right is not None else None

    @property
    def changed(self) -> bool:
        """Whether the figures differ."""
        return self.left != self.right


Needs = Mapping[str, Resources]
"""What each kernel needs, by its lowered name."""


def report_deltas(
    left: CubinProgram, right: CubinProgram, left_needs: Needs, right_needs: Needs
) -> tuple[FigureDelta, ...]:
    """The reports of all functions side by side; a figure that is not known of both is left out."""
    return tuple(
        delta
        for one, other in partners(left, right)
        for delta in _deltas(_report(one, left_needs), _report(other, right_needs))
    )


def _report(function: SassFunction | None, needs: Needs) -> KernelReport | None:
    return report(function, needs.get(function.name)) if function else None


def _deltas(left: KernelReport | None, right: KernelReport | None) -> Iterator[FigureDelta]:
    name = next(told.name for told in (left, right) if told)
    for figure, read in FIGURES.items():
        one, other = (read(told) if told else None for told in (left, right))
        known = (one is not None) + (other is not None)
        # Of a function that only one program has, the other has no figure.
        if known == 2 or (known and not (left and right)):
            yield FigureDelta(name, figure, one, other)


def changed(deltas: Iterable[FigureDelta]) -> tuple[FigureDelta, ...]:
    """Returns those that differ."""
    return tuple(delta for delta in deltas if delta.changed)


def _resource(field: str) -> Callable[[KernelReport], int | None]:
    return lambda told: getattr(told.resources, field)


def _group(group: OpcodeGroup) -> Callable[[KernelReport], int | None]:
    return lambda told: told.groups[group]


FIGURES: dict[str, Callable[[KernelReport], int | None]] = {
    "instructions": lambda told: told.instructions,
    "code_bytes": lambda told: told.code_bytes,
    **{field.name: _resource(field.name) for field in fields(Resources)},
    _LIVE: lambda told: told.peak.gpr if told.peak else None,
    **{f"{group.value}_instructions": _group(group) for group in OpcodeGroup},
}
"""How each figure is read off a report, in the order in which they are shown."""
