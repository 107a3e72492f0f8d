"""Lines of expected contents of buffers after a launch: ``out[1:-1] = a[1:-1] * 2``."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from jitstudio.core.launch.expectation_text import check_expression, check_part
from jitstudio.core.launch.faults import SpecFaults
from jitstudio.core.launch.problems import TextError, listing, unknown
from jitstudio.core.launch.request import (
    Argument,
    Buffer,
    Direction,
    Expectation,
    KernelForm,
    SharedPointer,
    ValueArgument,
    is_slot,
)
from jitstudio.core.launch.shared import first_element, with_owners
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.types import REFERENCES
from jitstudio.core.launch.values import Number

_NAME = re.compile(r"(?>::)?+[^\W\d]\w*+(?>(?:::|\.)[^\W\d]\w*+|\[\d++\])*+")
_INDEX = re.compile(r"(?<![\w.])i(?!\w)")
_PART = re.compile(r"\s*+[.\[]")
_CHANGE = r"(?:\*\*|//|<<|>>|[-+*/%@&|^:])="
_MARK = re.compile(rf"{_CHANGE}|'[^']*+(?:'|\Z)|\"[^\"]*+(?:\"|\Z)|[=!<>]=|[()\[\]{{}}=]")


def expectations_of(
    spec: LaunchSpec, form: KernelForm, arguments: Sequence[Argument], faults: SpecFaults
) -> tuple[Expectation, ...]:
    """Reads the expectations of a launch.

    Args:
        spec: The user's texts.
        form: The kernel.
        arguments: The arguments of the kernel.
        faults: Takes what is wrong.
    """
    known = {a.name: a for a in arguments if isinstance(a, Buffer) and a.length}
    own = sum(is_slot(a) and not isinstance(a, ValueArgument) for a in arguments)
    read_all = own == sum(isinstance(p.type, REFERENCES) for p in form.parameters)
    lines = [line for line in spec.expectations if line.strip()]
    # With a buffer missing the rest is ambiguous, and that is a fault already.
    if not read_all:
        return ()
    reads = (partial(_expectation, line, known, arguments) for line in lines)
    expectations = (faults.attempt("expectations", read) for read in reads)
    return tuple(expectation for expectation in expectations if expectation)


def _expectation(
    line: str, buffers: Mapping[str, Buffer], arguments: Sequence[Argument]
) -> Expectation:
    written = [b.name for b in buffers.values() if b.direction is not Direction.IN]
    names = _known_names(arguments)
    target, expression = _about_owners(*_sides(line), arguments)
    if not expression:
        raise TextError(f"'{line.strip()}' expects nothing.", "Write something like out = a + b.")
    if not written:
        raise TextError("The kernel writes no buffer that could be checked.", "Mark one out.")
    check_expression(expression, names)
    if not target:
        if len(written) > 1:
            raise TextError(
                f"The kernel writes {listing(written)}; which one is '{line.strip()}'?",
                f"Write {written[0]} = {line.strip()}.",
            )
        return Expectation(written[0], expression)
    name = _name(target, buffers)
    if name not in buffers and target[len(name) :].lstrip().startswith("("):
        raise TextError(
            f"'{target}' is not part of a buffer, of which elements are compared.",
            f"Write what they shall be, as in {written[0]} = {expression}.",
        )
    if name not in buffers:
        raise TextError(f"There is no buffer '{name}'.", unknown(name, written))
    if name not in written:
        raise TextError(f"{name} is only read, so there is nothing to check.", "Mark it inout.")
    part = target[len(name) :].strip()
    check_part(buffers[name], part, names)
    return Expectation(name, expression, part)


def _known_names(arguments: Sequence[Argument]) -> dict[str, Number | None]:
    """Returns the names that an expectation may use, each with the number or None."""
    known: dict[str, Number | None] = {a.name: None for a in arguments}
    for argument in arguments:
        if isinstance(argument, ValueArgument):
            known |= dict(argument.members) | {argument.name: argument.number}
    return known


def _about_owners(target: str, expression: str, arguments: Sequence[Argument]) -> tuple[str, str]:
    """Returns both with the buffers whose memory pointers share in the place of these.

    The indices of what begins in the middle of a buffer are counted from there on.
    """
    pointers = {a.name: a for a in arguments if isinstance(a, SharedPointer)}
    first = first_element(_name(target, pointers), arguments) if target else 0
    if first and not any(a.name == "i" for a in arguments):
        target = _INDEX.sub(f"(i[{first}:] - {first})", target)
        expression = _INDEX.sub(f"(i - {first})", expression)
    return with_owners(target, arguments), with_owners(expression, arguments)


def _sides(line: str) -> tuple[str, str]:
    """Returns the two sides of the sign that stands in no brackets.

    Without a sign the whole line is the right side.
    """
    depth = 0
    for mark in _MARK.finditer(line):
        depth += (mark[0] in ("(", "[", "{")) - (mark[0] in (")", "]", "}"))
        if re.fullmatch(_CHANGE, mark[0]) and not depth:
            raise _changing(line, mark)
        if mark[0] == "=" and not depth:
            return line[: mark.start()].strip(), line[mark.end() :].strip()
    return "", line.strip()


def _changing(line: str, mark: re.Match[str]) -> TextError:
    target, value = line[: mark.start()].strip() or "out", line[mark.end() :].strip()
    sign = mark[0][:-1]
    if sign != ":":
        plain = re.fullmatch(r"[\w.]++", value) or re.fullmatch(r"\([^()]*+\)", value)
        value = f"{target} {sign} {value if plain else f'({value})'}"
    return TextError(
        f"'{line.strip()}' changes a value, but an expectation says what it shall be.",
        f"Write {target} = {value}: the right side takes what was there before the launch.",
    )


def _name(target: str, buffers: Collection[str]) -> str:
    """Returns the buffer of a target: the longest name, as ``rows[0]`` may stand beside ``rows``.

    Without a match, the first name in the target.
    """
    rest = {name: target[len(name) :] for name in buffers if target.startswith(name)}
    names = [name for name, behind in rest.items() if not behind.strip() or _PART.match(behind)]
    written = _NAME.match(target)
    return max(names, key=len, default=written[0] if written else target)
