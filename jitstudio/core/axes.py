"""Axes of variation between variants of a build or a launch, as texts and as values.

A project keeps them, a form and the command line write them; `jitstudio.variants` carries them out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.request import LinkMode

if TYPE_CHECKING:
    # The window loads this at its start, and no launch.
    from jitstudio.core.launch.request import KernelForm

PLACEHOLDER = re.compile(r"\{(\w+)\}")
"""Where a kernel's name takes the value of a template axis, as in ``saxpy<{T}>``."""

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_FIRST_ARGUMENT = re.compile(r"(?P<name>[^<>]+<)(?P<type>[^<>,]+)(?P<rest>[,>].*)", re.DOTALL)
_NUMBERS = (
    *("float", "double", "int", "unsigned int", "unsigned", "long long", "unsigned long long"),
    *("__half", "__nv_bfloat16", "short", "unsigned short", "char", "signed char"),
    *("unsigned char", "long", "unsigned long"),
)
"""The types that others can take the place of."""
_USUAL_TYPES = ("float", "double")
_BLOCKS = (64, 128, 256, 512)
_FLAT_BLOCKS = "16,16; 32,8; 32,16; 32,32"
_LINKS = frozenset(mode.value for mode in LinkMode)


class VariantError(ValueError):
    """The axes or the plan make no sense; the message is for the user."""


class AxisKind(Enum):
    """The settings that the values of an axis go to; the value is the word of the command line."""

    BLOCK = "block"
    GRID = "grid"
    COVER = "cover"
    CLUSTER = "cluster"
    SHARED = "shared"
    TARGET = "target"
    OPTIONS = "options"
    LINK = "link"
    TOOLCHAIN = "toolchain"
    MACRO = "macro"
    TEMPLATE = "template"
    ARGUMENT = "argument"

    @property
    def is_named(self) -> bool:
        """Whether there can be several axes of this kind, distinguished by their names."""
        return self in _NAMED

    @property
    def is_of_launch(self) -> bool:
        """Whether the values change a launch, and no build."""
        return self in _OF_LAUNCH


_NAMED = {
    AxisKind.TEMPLATE: "template parameter",
    AxisKind.MACRO: "macro",
    AxisKind.ARGUMENT: "argument",
}
_OF_LAUNCH = frozenset(
    {
        *(AxisKind.BLOCK, AxisKind.GRID, AxisKind.COVER, AxisKind.CLUSTER, AxisKind.SHARED),
        AxisKind.ARGUMENT,
    }
)
_WORDS = {kind.value: kind for kind in AxisKind if kind not in _NAMED}


@dataclass(frozen=True)
class Axis:
    """An axis of variation.

    Attributes:
        kind: The setting that the values go to.
        values: As the user wrote them.
        name: The macro, the placeholder or the argument; empty for the other kinds.
    """

    kind: AxisKind
    values: tuple[str, ...]
    name: str = ""

    @property
    def title(self) -> str:
        """The heading of the axis' column."""
        return self.name or self.kind.value


@dataclass(frozen=True)
class AxisText:
    """An axis as the user types the parts.

    Attributes:
        kind: The setting that is varied.
        name: Of the macro, the placeholder or the argument; without meaning for the other kinds.
        values: As behind the ``=`` of an axis on the command line.
    """

    kind: AxisKind = AxisKind.BLOCK
    name: str = ""
    values: str = ""

    @property
    def is_named(self) -> bool:
        """Whether the name means anything."""
        return self.kind.is_named

    def axis(self) -> Axis:
        """Returns the axis that the texts describe.

        Raises:
            VariantError: The name is missing or none, or there are no values.
        """
        name = self.name.strip() if self.is_named else ""
        if self.is_named and not name:
            raise VariantError(f"Name the {_NAMED[self.kind]} that takes the values.")
        if self.is_named and not _IDENTIFIER.fullmatch(name):
            raise VariantError(f"'{name}' cannot be the name of any {_NAMED[self.kind]}.")
        values = parse_values(self.kind, self.values)
        if not values or (values == ("",) and self.kind is not AxisKind.OPTIONS):
            raise VariantError(f"The axis '{name or self.kind.value}' has no values.")
        return Axis(self.kind, values, name)


@dataclass(frozen=True)
class VariantDraft:
    """The variants of a kernel as the user types the axes, complete or not; kept by a project.

    Attributes:
        kernel: The kernel's name, with placeholders such as ``saxpy<{T}>``.
        axes: In order; the last varies fastest.
    """

    kernel: str
    axes: tuple[AxisText, ...]


def parse_axis(text: str, placeholders: Collection[str] = ()) -> Axis:
    """Reads ``block=64,128``, ``-DUNROLL=1,2``, ``T=float,double`` or ``options=-O1;-O3``.

    Values are separated by semicolons where there is one, else by commas; sets of options by
    semicolons only. A name that is no other kind is a placeholder if it is one of those given,
    else an argument; so is ``link`` with values that are no way of linking.

    Raises:
        VariantError: The text is none of these.
    """
    name, equals, rest = (part.strip() for part in text.partition("="))
    if not (name and equals):
        raise VariantError(f"An axis is written NAME=VALUE,VALUE, not '{text}'.")
    kind, name = _kind(name, placeholders)
    values = parse_values(kind, rest)
    if not values:
        raise VariantError(f"The axis '{text}' has no values.")
    if kind is AxisKind.LINK and not _LINKS.issuperset(values):
        return Axis(AxisKind.ARGUMENT, values, kind.value)
    return Axis(kind, values, name)


def parse_values(kind: AxisKind, text: str) -> tuple[str, ...]:
    """Reads the text behind the ``=`` of an axis; each value is returned once."""
    by_semicolon = ";" in text or kind is AxisKind.OPTIONS
    values = tuple(value.strip() for value in text.split(";" if by_semicolon else ","))
    if kind is not AxisKind.OPTIONS:  # no option at all is a set of them, too
        values = tuple(filter(None, values))
    return tuple(dict.fromkeys(values))


def placeholders_of(texts: Iterable[str]) -> frozenset[str]:
    """Returns the names in braces of a kernel's name and of name expressions."""
    return frozenset(name for text in texts for name in PLACEHOLDER.findall(text))


def generic_name(title: str) -> str:
    """Returns a kernel's name with ``{T}`` for a first template argument that is a number type.

    ``saxpy<float>`` and ``saxpy<double>`` are both ``saxpy<{T}>``, as one draft is about both.
    """
    match = _FIRST_ARGUMENT.fullmatch(title)
    if match is None or match["type"].strip() not in _NUMBERS:
        return title
    return f"{match['name']}{{T}}{match['rest']}"


def fresh_draft(form: KernelForm, spec: LaunchSpec) -> VariantDraft:
    """Returns a form's proposal for a kernel: block sizes, and types of a template."""
    kernel = generic_name(form.title)
    axes = [AxisText(AxisKind.BLOCK, values=_blocks(form, spec))]
    match = _FIRST_ARGUMENT.fullmatch(form.title)
    if match is not None and kernel != form.title:
        own = match["type"].strip()
        types = _USUAL_TYPES if own in _USUAL_TYPES else (own, *_USUAL_TYPES)
        axes.append(AxisText(AxisKind.TEMPLATE, "T", ", ".join(types)))
    return VariantDraft(kernel, tuple(axes))


def _kind(name: str, placeholders: Collection[str]) -> tuple[AxisKind, str]:
    if name.startswith("-D"):
        return AxisKind.MACRO, name.removeprefix("-D").strip()
    if name in placeholders:
        return AxisKind.TEMPLATE, name
    kind = _WORDS.get(name)
    return (kind, "") if kind else (AxisKind.ARGUMENT, name)


def _blocks(form: KernelForm, spec: LaunchSpec) -> str:
    if "," in spec.block:
        return _FLAT_BLOCKS
    most = form.block_hint or _BLOCKS[-1]
    return ", ".join(str(size) for size in _BLOCKS if size <= most) or str(most)
