"""A cubin as comparisons see it: code, data, and the names that people have for functions."""

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
        code: The functions.
        data: The contents besides code; None where unknown.
        demangled: Names in C++, where known.
        is_listed: Whether the data are in the words of a listing.
    """

    code: Disassembly
    data: tuple[DataSection, ...] | None = ()
    demangled: Mapping[str, str] = field(default_factory=dict)
    is_listed: bool = False

    @cached_property
    def public(self) -> PublicNames:
        """The names in the code without the path of the source."""
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
        """Returns the name in the programmer's spelling, without arguments."""
        match = _BASE.search(self.demangled.get(function.name, function.name))
        return match[1] if match else function.name


def by_itself(function: SassFunction) -> SassFunction:
    """Returns a function with labels numbered as in a file without other functions.

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
    """Returns whether the data of both programs are known, in the same words."""
    are_known = left.data is not None and right.data is not None
    return are_known and left.is_listed == right.is_listed


_Key = tuple[str, int]
Partners = tuple[SassFunction | None, SassFunction | None]
"""The same function of two programs; None for a program without it."""


def partners(left: CubinProgram, right: CubinProgram) -> list[Partners]:
    """Pairs the functions of two programs, in the order of the first, then of the second.

    Functions of the same name go together, wherever their source lay; then those whose names
    without arguments are the same; then kernels, if each program has a single kernel left.
    """
    by_key: dict[_Key, SassFunction] = {}
    ours, rest = _keyed(left), _keyed(right)
    for key in ours:
        if key in rest:
            by_key[key] = rest.pop(key)
    unpaired = {key: function for key, function in ours.items() if key not in by_key}
    for key, function in unpaired.items():
        base = left.base_name(function)
        partner = next((name for name in rest if right.base_name(rest[name]) == base), None)
        if partner is not None:
            by_key[key] = rest.pop(partner)
    lonely = _only_kernel({key: ours[key] for key in unpaired if key not in by_key})
    partner = _only_kernel(rest)
    if lonely is not None and partner is not None:
        by_key[lonely] = rest.pop(partner)
    pairs: list[Partners] = [(function, by_key.get(key)) for key, function in ours.items()]
    return [*pairs, *((None, function) for function in rest.values())]


def _keyed(program: CubinProgram) -> dict[_Key, SassFunction]:
    """Returns the functions by name and count: unlinked modules may repeat a name."""
    counts: Counter[str] = Counter()
    keyed: dict[_Key, SassFunction] = {}
    for function in program.code.functions:
        name = program.public.within(function.name)
        keyed[name, counts[name]] = function
        counts[name] += 1
    return keyed


def _only_kernel(functions: Mapping[_Key, SassFunction]) -> _Key | None:
    kernels = [key for key, function in functions.items() if function.is_kernel]
    return kernels[0] if len(kernels) == 1 else None


# ---- The figures of both programs, kernel by kernel

_LIVE = "live_registers"


@dataclass(frozen=True)
class FigureDelta:
    """A figure of a function in two programs; None where unknown.

    Attributes:
        name: The function's lowered name in the first program that has the function.
        figure: The name of the figure, such as ``registers`` or ``instructions``; stable.
        left: The figure in the first program.
        right: The figure in the second program.
    """

    name: str
    figure: str
    left: int | None
    right: int | None

    @property
    def difference(self) -> int | None:
        """The increase from the first program to the second."""
        return self.right - self.left if self.left is not None and self.right is not None else None

    @property
    def changed(self) -> bool:
        """Whether the figures differ."""
        return self.left != self.right


Needs = Mapping[str, Resources]
"""The resources of each kernel, by lowered name."""


def report_deltas(
    left: CubinProgram, right: CubinProgram, left_needs: Needs, right_needs: Needs
) -> tuple[FigureDelta, ...]:
    """Returns the figures of all functions side by side, unless unknown in both programs."""
    return tuple(
        delta
        for ours, theirs in partners(left, right)
        for delta in _deltas(_report(ours, left_needs), _report(theirs, right_needs))
    )


def _report(function: SassFunction | None, needs: Needs) -> KernelReport | None:
    return report(function, needs.get(function.name)) if function else None


def _deltas(left: KernelReport | None, right: KernelReport | None) -> Iterator[FigureDelta]:
    name = next(kernel.name for kernel in (left, right) if kernel)
    for figure, read in FIGURES.items():
        ours, theirs = (read(kernel) if kernel else None for kernel in (left, right))
        count = (ours is not None) + (theirs is not None)
        # A function in only one of the programs has a figure there only.
        if count == 2 or (count and not (left and right)):
            yield FigureDelta(name, figure, ours, theirs)


def changed(deltas: Iterable[FigureDelta]) -> tuple[FigureDelta, ...]:
    """Returns the deltas whose figures differ."""
    return tuple(delta for delta in deltas if delta.changed)


def _resource(field: str) -> Callable[[KernelReport], int | None]:
    return lambda report: getattr(report.resources, field)


def _group(group: OpcodeGroup) -> Callable[[KernelReport], int | None]:
    return lambda report: report.groups[group]


FIGURES: dict[str, Callable[[KernelReport], int | None]] = {
    "instructions": lambda report: report.instructions,
    "code_bytes": lambda report: report.code_bytes,
    **{field.name: _resource(field.name) for field in fields(Resources)},
    _LIVE: lambda report: report.peak.gpr if report.peak else None,
    **{f"{group.value}_instructions": _group(group) for group in OpcodeGroup},
}
"""The reading of each figure from a report, in the order in which figures are shown."""
