"""Launches as a form reads them in host code, compared with the launches of the program."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import ml_dtypes  # noqa: F401 - the numbers that NumPy has no names for
import numpy as np

from jitstudio.core.launch.request import HostBuffer, HostLaunch, KernelForm
from jitstudio.core.launch.types import Array, Pointer, Scalar, Struct, Type
from tests.program_kernels import without_path


@dataclass
class Match:
    """How the launch of a form compares with a launch of the program.

    Attributes:
        wrong: What is said and is not so: the form's word and the program's.
        unknown: What nothing is said of.
    """

    wrong: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def compare(self, what: str, said: Any, real: Any) -> None:
        """Notes a value that is unknown or another one than the program's."""
        if said is None:
            self.unknown.append(what)
        elif said != real:
            self.wrong.append(f"{what}: {said}, not {real}")


def best_match(form: KernelForm, lines: list[dict]) -> Match | None:
    """The form's launch against the most similar of its kernel's; None where it is not launched.

    A form begins with one launch of several: which one is for it to choose.
    """
    name = without_path(form.lowered)
    launches = [line for line in lines if without_path(line.get("launch", "")) == name]
    if not launches:
        return None
    if form.host_launch is None:
        return Match(unknown=["launch"])
    matches = [match(form, form.host_launch, line) for line in launches]
    return min(matches, key=lambda each: (len(each.wrong), len(each.unknown)))


def match(form: KernelForm, read: HostLaunch, line: dict) -> Match:
    """How a launch compares with a line of the recording runtime."""
    result = Match()
    result.compare("grid", three(read.grid), line["grid"])
    result.compare("block", three(read.block), line["block"])
    result.compare("shared", read.shared, line["shared"])
    result.compare("cooperative", read.cooperative, line["cooperative"])
    for name, said, real in arguments(form, read, line):
        result.compare(name, said, real)
    for names, is_said, is_real in shared(form, read, line):
        result.compare(f"memory of {names}", is_said or (None if is_real else False), is_real)
    return result


def shared(form: KernelForm, read: HostLaunch, line: dict) -> Iterator[tuple[str, bool, bool]]:
    """Yields whether two arguments lead to one allocation: what is said and what is."""
    pointers = [
        (parameter.name, said, argument["pointers"]["0"][0])
        for parameter, said, argument in zip(
            form.parameters, read.arguments, line["arguments"] or (), strict=False
        )
        if isinstance(said, HostBuffer) and "0" in argument["pointers"]
    ]
    for (one, said, real), (other, also, really) in combinations(pointers, 2):
        yield f"{one} and {other}", said.is_same(also), real == really


def copied(form: KernelForm, read: HostLaunch, lines: list[dict]) -> Match:
    """How the numbers that a form has of module variables compare with those copied to them.

    Only what is copied before the first launch counts.
    """
    result, content = Match(), {}
    for line in lines:
        if line.get("launch"):
            break
        if line.get("copy") == "to":
            whole = content.setdefault(line["variable"], bytearray())
            whole[line["offset"] : line["offset"] + line["size"]] = bytes.fromhex(line["bytes"])
    inside = dict(read.inside)
    for variable in form.variables:
        for path, type_, at in leaves(variable.type):
            said = inside.get(f"{variable.name}{path}")
            if isinstance(said, int | float) and variable.name in content:
                name, known = f"{variable.name}{path}", bytes(content[variable.name][at:])
                result.compare(name, *spelled(said, type_, known, None))
    return result


def three(sizes: tuple[int, ...] | None) -> list[int] | None:
    """Sizes along three axes."""
    return None if sizes is None else [*sizes, 1, 1][:3]


def arguments(form: KernelForm, read: HostLaunch, line: dict) -> Iterator[tuple[str, Any, Any]]:
    """Yields the arguments, and the members of those that are structs: what is said and what is."""
    inside = dict(read.inside)
    for i, (parameter, argument) in enumerate(
        zip(form.parameters, line["arguments"] or (), strict=False)
    ):
        said = read.arguments[i] if i < len(read.arguments) else None
        values = {"": said} | {
            name.removeprefix(f"{i}"): value
            for name, value in inside.items()
            if name.startswith((f"{i}.", f"{i}["))
        }
        content = bytes.fromhex(argument["bytes"])
        pointers = {int(at): place for at, place in argument["pointers"].items()}
        for path, type_, at in leaves(parameter.type):
            name, said = f"{parameter.name}{path}", values.get(path)
            yield name, *spelled(said, type_, content[at:], pointers.get(at))


def leaves(type_: Type, path: str = "", at: int = 0) -> Iterator[tuple[str, Type, int]]:
    """Yields what a value is made of: the path to each number or pointer, and where it lies."""
    if isinstance(type_, Struct):
        for member in type_.fields:
            yield from leaves(member.type, f"{path}.{member.name}", at + member.offset)
    elif isinstance(type_, Array):
        for i in range(type_.count):
            yield from leaves(type_.element, f"{path}[{i}]", at + i * type_.element.size)
    else:
        yield path, type_, at


def spelled(said: Any, type_: Type, content: bytes, place: list[int] | None) -> tuple[Any, Any]:
    """What is said of a number or a pointer, and what it is, spelled alike."""
    if isinstance(type_, Pointer):
        is_null = place is None and not any(content[: type_.size])
        real = 0 if is_null else None if place is None else place[2] - place[1]
        # What a kernel reaches is behind the pointer.
        return said.bytes - said.start if isinstance(said, HostBuffer) else said, real
    if not isinstance(type_, Scalar):
        return said, content[: type_.size].hex()
    dtype = np.dtype(type_.dtype)
    real = np.frombuffer(content[: type_.size], dtype)[0]
    if isinstance(said, int | float):
        with np.errstate(all="ignore"):
            said = np.array(said).astype(dtype).item()
    return said, real.item()
