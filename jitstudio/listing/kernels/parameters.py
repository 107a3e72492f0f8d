"""The parameters of a kernel: names and types of the source, in the layout of the PTX.

Where source and PTX disagree, PTX is right, for it is what runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jitstudio.core.launch.c_types import PTX_SCALARS, struct_of
from jitstudio.core.launch.request import (
    FormParameter,
    Parameter,
    ParameterSlot,
)
from jitstudio.core.launch.types import Opaque, Pointer, Type
from jitstudio.listing.ptx import (
    PtxParameter,
)

_GENERATED = re.compile(r"_param_\d+")
_NO_PTX = (
    "There is no PTX of this kernel, so the layout of its parameters is computed from their types."
)
_NO_SOURCE = (
    "No source declares this kernel, so its parameters are only what its PTX and its name tell."
)
_NOTHING = "Neither a source nor PTX tells the parameters of this kernel: build PTX, too."


@dataclass(frozen=True)
class KernelParameters:
    """The parameters of a kernel with notes; see `KernelForm`."""

    parameters: tuple[FormParameter, ...]
    notes: tuple[str, ...] = ()
    complete: bool = True


def merged(
    kernel: str,
    parameters: Sequence[Parameter] | None,
    slots: Sequence[PtxParameter] | None,
    *,
    declared: bool,
) -> KernelParameters:
    """Returns the parameters of a kernel.

    Args:
        kernel: Its lowered name.
        parameters: What the source says, or else its name in C++; None where neither says.
        slots: What PTX says; None for no PTX.
        declared: Whether a source declares the kernel, which may be in PTX itself.
    """
    notes = () if declared else (_NO_SOURCE,)
    if slots is None:
        if parameters is None:
            return KernelParameters((), (_NOTHING,), complete=False)
        return _by_types(parameters, notes)
    by_ptx = [Parameter(_slot_name(slot, kernel), "", slot.guess) for slot in slots]
    if parameters is None:
        return KernelParameters(_placed(by_ptx, slots), notes)
    if len(parameters) != len(slots):
        said = f"The source declares {len(parameters)} parameters, the PTX {len(slots)}"
        return KernelParameters(_placed(by_ptx, slots), (*notes, f"{said}: the PTX is right."))
    named = [
        replace(p, name=p.name or by_hand.name)
        for p, by_hand in zip(parameters, by_ptx, strict=True)
    ]
    pairs = list(zip(named, slots, strict=True))
    fitting = [replace(p, type=_parameter_type(p, slot)) for p, slot in pairs]
    return KernelParameters(_placed(fitting, slots), (*notes, *_notes(pairs)))


def expanded(parameters: Sequence[Parameter], count: int | None) -> tuple[Parameter, ...]:
    """Returns the parameters with a pack among them expanded to `count` in all, if known."""
    packs = [p for p in parameters if p.spelling.endswith("...")]
    if len(packs) != 1 or count is None:
        return tuple(parameters)
    at = parameters.index(packs[0])
    spelling = packs[0].spelling.removesuffix("...").rstrip()
    members = (
        Parameter(f"{packs[0].name}{i}" if packs[0].name else "", spelling, None)
        for i in range(max(count - len(parameters) + 1, 0))
    )
    return (*parameters[:at], *members, *parameters[at + 1 :])


def _by_types(parameters: Sequence[Parameter], notes: tuple[str, ...]) -> KernelParameters:
    """Returns the layout that the rules of the ABI give."""
    unknown = dict.fromkeys(p.spelling for p in parameters if p.type is None)
    if unknown:
        note = f"The source does not say how large {', '.join(unknown)} is: build PTX, too."
        return KernelParameters((), (*notes, note), complete=False)
    fields = struct_of("", [("", p.type) for p in parameters if p.type is not None]).fields
    placed = tuple(
        FormParameter(
            name,
            f.type,
            ParameterSlot(f.offset, f.type.size, f.type.align),
            p.spelling,
            default=p.default,
            length=p.length,
        )
        for name, p, f in zip(_names(parameters), parameters, fields, strict=True)
    )
    return KernelParameters(placed, (*notes, _NO_PTX))


def _placed(
    parameters: Sequence[Parameter], slots: Sequence[PtxParameter]
) -> tuple[FormParameter, ...]:
    return tuple(
        FormParameter(
            name,
            p.type or slot.guess,
            slot.slot,
            p.spelling,
            default=p.default,
            length=p.length,
        )
        for name, p, slot in zip(_names(parameters), parameters, slots, strict=True)
    )


def _slot_name(slot: PtxParameter, kernel: str) -> str:
    """Returns the name in the PTX; empty without any."""
    return _GENERATED.sub("", slot.name.removeprefix(kernel))


def _names(parameters: Sequence[Parameter]) -> Iterator[str]:
    """Yields a name for each that no other has."""
    taken = {p.name for p in parameters}
    seen: set[str] = set()
    for number, parameter in enumerate(parameters):
        name = parameter.name
        while not name or name in seen:
            name = f"arg{number}" if not name and f"arg{number}" not in taken else f"{name}_"
        seen.add(name)
        yield name


def _parameter_type(parameter: Parameter, slot: PtxParameter) -> Type:
    """Returns the type of the source where that fits, otherwise a type of so many bytes."""
    known = parameter.type
    if known is not None and known.size == slot.slot.size:
        return known
    guess = slot.guess
    if isinstance(guess, Opaque) and parameter.spelling:
        return replace(guess, name=parameter.spelling)
    if isinstance(guess, Pointer) and "*" not in parameter.spelling and not slot.pointer:
        return PTX_SCALARS["u64"]
    return guess


def _notes(pairs: Sequence[tuple[Parameter, PtxParameter]]) -> Iterator[str]:
    for number, (parameter, slot) in enumerate(pairs):
        name, size = parameter.name or f"arg{number}", slot.slot.size
        if parameter.type is None:
            yield f"What {parameter.spelling} of {name} is made of is not known: {size} bytes."
        elif parameter.type.size != size:
            yield (
                f"{name} of type {parameter.spelling} has {parameter.type.size} bytes in the "
                f"source and {size} in the PTX: the PTX is right."
            )
