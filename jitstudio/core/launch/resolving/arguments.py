"""The arguments of a launch: values with their bytes, buffers with their content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from jitstudio.core.launch.problems import SpecProblem, argument_place
from jitstudio.core.launch.request import Buffer, Direction, Fill, FillKind, Value
from jitstudio.core.launch.resolving.faults import Faults
from jitstudio.core.launch.signature import FormParameter, KernelForm
from jitstudio.core.launch.texts.argument_text import BufferText, absolute, parse_buffer
from jitstudio.core.launch.texts.arithmetic import Number, UnknownNameError, integer
from jitstudio.core.launch.texts.c_types import named
from jitstudio.core.launch.texts.defaults import default_text
from jitstudio.core.launch.texts.phrases import TextError, unknown
from jitstudio.core.launch.texts.values import encode
from jitstudio.core.launch.types import NumberKind, Pointer, Scalar, Type
from jitstudio.core.severity import Severity

_BYTE = Scalar("unsigned char", "uint8", 1, NumberKind.UNSIGNED)


@dataclass(frozen=True)
class Arguments:
    """What a kernel is given.

    Attributes:
        found: In order of the parameters; those that came to nothing are left out.
        names: What those that are numbers stand for in expressions.
    """

    found: tuple[Value | Buffer, ...]
    names: Mapping[str, Number]


def arguments_of(
    form: KernelForm, given: tuple[tuple[str, str], ...], folder: str, faults: Faults
) -> Arguments:
    """Read the arguments of a kernel.

    Args:
        form: The kernel.
        given: Names and texts.
        folder: Where relative paths start.
        faults: Takes what is wrong.
    """
    texts = _texts(form, given, faults)
    present = [p for p in form.parameters if p.name in texts]
    values = _values([p for p in present if not isinstance(p.type, Pointer)], texts, faults)
    names = {name: v.number for name, v in values.items() if v.number is not None}
    found: dict[str, Value | Buffer] = {**values}
    for parameter in present:
        if isinstance(parameter.type, Pointer):
            read = partial(_buffer, parameter, parameter.type, texts, names, folder)
            buffer = faults.attempt(argument_place(parameter.name), read)
            if buffer is not None:
                found[parameter.name] = buffer
                faults.add(*_doubts(parameter.type, buffer))
    ordered = (found[p.name] for p in form.parameters if p.name in found)
    return Arguments(tuple(ordered), names)


def _texts(form: KernelForm, given: tuple[tuple[str, str], ...], faults: Faults) -> dict[str, str]:
    """The texts by parameter; those without one are faulty."""
    texts: dict[str, str] = {}
    known = [parameter.name for parameter in form.parameters]
    for name, text in given:
        if name not in known:
            message = f"{form.title} has no parameter '{name}'."
            faults.add(SpecProblem(argument_place(name), message, unknown(name, known)))
        elif name in texts:
            faults.add(
                SpecProblem(argument_place(name), f"'{name}' is given twice.", "Remove one.")
            )
        else:
            texts[name] = text
    for name in known:
        if name not in texts:
            faults.faulty.add(name)
            advice = f"Give it a text such as {name}={default_text(form, name)}."
            faults.add(
                SpecProblem(argument_place(name), f"The argument '{name}' is missing.", advice)
            )
    return texts


def _values(
    parameters: list[FormParameter], texts: Mapping[str, str], faults: Faults
) -> dict[str, Value]:
    """The values by name; one may need another, whatever their order."""
    made: dict[str, Value] = {}
    names: dict[str, Number] = {}
    waiting, progress = parameters, True
    while waiting and progress:
        still = []
        for parameter in waiting:
            try:
                value = _value(parameter, texts[parameter.name], names)
            except UnknownNameError:
                still.append(parameter)
            except TextError as error:
                faults.faulty.add(parameter.name)
                faults.add(error.problem(argument_place(parameter.name)))
            else:
                made[value.name] = value
                if value.number is not None:
                    names[value.name] = value.number
        waiting, progress = still, len(still) < len(waiting)
    for parameter in waiting:
        read = partial(_value, parameter, texts[parameter.name], names)
        faults.attempt(argument_place(parameter.name), read)
    faults.faulty.update(parameter.name for parameter in waiting)
    return made


def _value(parameter: FormParameter, text: str, names: Mapping[str, Number]) -> Value:
    slot, kind = parameter.slot, parameter.type
    if kind.size != slot.size:
        raise TextError(
            f"{kind.name} has {kind.size} bytes, but the code expects {slot.size} here.",
            "Build again, so that source and code agree.",
        )
    encoded = encode(kind, text, names)
    return Value(parameter.name, kind, slot.offset, encoded.data, encoded.number)


def _buffer(
    parameter: FormParameter,
    pointer: Pointer,
    texts: Mapping[str, str],
    names: Mapping[str, Number],
    folder: str,
) -> Buffer:
    text = parse_buffer(texts[parameter.name])
    offset = parameter.slot.offset
    if text is None:
        return Buffer(parameter.name, pointer.target or _BYTE, offset, 0)
    length = integer(text.length, names)
    if length < 1:
        raise TextError(
            f"A buffer of {length:,} elements makes no sense.", "Write null for a null pointer."
        )
    direction = text.direction or (Direction.IN if pointer.const else Direction.INOUT)
    usual = FillKind.RANDOM if direction is Direction.IN else FillKind.ZEROS
    fill = absolute(text.fill or Fill(usual), folder)
    return Buffer(parameter.name, _element(text, pointer), offset, length, fill, direction)


def _element(text: BufferText, pointer: Pointer) -> Type:
    if not text.element:
        return pointer.target or _BYTE
    found = named(text.element)
    if found is None:
        raise TextError(
            f"'{text.element}' is no type that is known here.",
            "Write a number or a vector, as in float[n] or float4[n].",
        )
    return found


def _doubts(pointer: Pointer, buffer: Buffer) -> tuple[SpecProblem, ...]:
    if not pointer.const or not buffer.length or buffer.direction is Direction.IN:
        return ()
    message = f"{buffer.name} is const, so the kernel will not write to it."
    return (SpecProblem(argument_place(buffer.name), message, "Mark it in.", Severity.WARNING),)
