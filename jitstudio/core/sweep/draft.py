"""A sweep as a form holds it: texts, complete or not, and what a fresh form begins with."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jitstudio.core.launch.request import KernelForm
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.sweep.plan import NAMED_KINDS, Axis, AxisKind, SweepError, parse_values

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_FIRST_ARGUMENT = re.compile(r"(?P<name>[^<>]+<)(?P<type>[^<>,]+)(?P<rest>[,>].*)", re.DOTALL)
_NUMBERS = (
    *("float", "double", "int", "unsigned int", "unsigned", "long long", "unsigned long long"),
    *("__half", "__nv_bfloat16", "short", "unsigned short", "char", "signed char"),
    *("unsigned char", "long", "unsigned long"),
)
"""The types for which others may stand just as well."""

_NAMED = {
    AxisKind.TEMPLATE: "template parameter",
    AxisKind.MACRO: "macro",
    AxisKind.ARGUMENT: "argument",
}
_USUAL_TYPES = ("float", "double")
_BLOCKS = (64, 128, 256, 512)
_FLAT_BLOCKS = "16,16; 32,8; 32,16; 32,32"


@dataclass(frozen=True)
class AxisText:
    """One axis as it is typed.

    Attributes:
        kind: What is varied.
        name: Of the macro, the placeholder or the argument; of no meaning for the other kinds.
        values: As behind the ``=`` of an axis on the command line.
    """

    kind: AxisKind = AxisKind.BLOCK
    name: str = ""
    values: str = ""

    @property
    def is_named(self) -> bool:
        """Whether the name means anything."""
        return self.kind in NAMED_KINDS

    def axis(self) -> Axis:
        """What the texts say.

        Raises:
            SweepError: The name is missing or none, or there are no values.
        """
        name = self.name.strip() if self.is_named else ""
        if self.is_named and not name:
            raise SweepError(f"Name the {_NAMED[self.kind]} that takes the values.")
        if self.is_named and not _IDENTIFIER.fullmatch(name):
            raise SweepError(f"'{name}' cannot be the name of any {_NAMED[self.kind]}.")
        values = parse_values(self.kind, self.values)
        if not values or values == ("",):
            raise SweepError(f"The axis '{name or self.kind.value}' has no values.")
        return Axis(self.kind, values, name)


@dataclass(frozen=True)
class SweepDraft:
    """A sweep as it is typed.

    Attributes:
        kernel: The kernel's name, with placeholders such as ``saxpy<{T}>``.
        axes: In order; the last varies fastest.
    """

    kernel: str
    axes: tuple[AxisText, ...]


def generic_name(title: str) -> str:
    """The kernel's name with ``{T}`` for a first template argument that is a type of numbers.

    ``saxpy<float>`` and ``saxpy<double>`` are both ``saxpy<{T}>``, as one sweep is about both.
    """
    found = _FIRST_ARGUMENT.fullmatch(title)
    if found is None or found["type"].strip() not in _NUMBERS:
        return title
    return f"{found['name']}{{T}}{found['rest']}"


def fresh_draft(form: KernelForm, spec: LaunchSpec) -> SweepDraft:
    """What a sweep of a kernel begins with: block sizes, and types where it is a template."""
    kernel = generic_name(form.title)
    axes = [AxisText(AxisKind.BLOCK, values=_blocks(form, spec))]
    found = _FIRST_ARGUMENT.fullmatch(form.title)
    if found is not None and kernel != form.title:
        own = found["type"].strip()
        types = _USUAL_TYPES if own in _USUAL_TYPES else (own, *_USUAL_TYPES)
        axes.append(AxisText(AxisKind.TEMPLATE, "T", ", ".join(types)))
    return SweepDraft(kernel, tuple(axes))


def _blocks(form: KernelForm, spec: LaunchSpec) -> str:
    if "," in spec.block:
        return _FLAT_BLOCKS
    most = form.block_hint or _BLOCKS[-1]
    return ", ".join(str(size) for size in _BLOCKS if size <= most) or str(most)
