"""Problems of a launch before anything runs, and the phrases for these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from jitstudio.core.alike import nearest
from jitstudio.core.diagnostics import Fix, Severity


@dataclass(frozen=True)
class SpecProblem:
    """A fault in the user's texts, or an effect that will surprise the user.

    Attributes:
        where: The field of `LaunchSpec` it is about, such as ``block``; ``arguments.n`` for the
            argument ``n``; ``code`` for the code to be loaded, ``device`` for the GPU.
        message: The fault, a sentence.
        remedy: The remedy, a sentence; empty where the message says as much.
        severity: An error forbids the launch, a warning does not.
        fix: The fix that the program offers, or None.
    """

    where: str
    message: str
    remedy: str = ""
    severity: Severity = Severity.ERROR
    fix: Fix | None = None


def argument_place(name: str) -> str:
    """Returns the place of problems with this argument: see `SpecProblem.where`."""
    return f"arguments.{name}"


class SpecError(ValueError):
    """Raised where a problem makes everything after meaningless.

    Attributes:
        problem: The fault.
    """

    def __init__(self, problem: SpecProblem) -> None:
        super().__init__(f"{problem.message} {problem.remedy}".rstrip())
        self.problem = problem


_OPENING, _CLOSING = "([{", ")]}"
_NAMED_AT_MOST = 12
_QUOTED = 60


class TextError(ValueError):
    """A text makes no sense.

    Attributes:
        message: The fault, a sentence.
        remedy: The text to write instead, a sentence; may be empty.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}".rstrip())
        self.message = message
        self.remedy = remedy

    def problem(self, where: str) -> SpecProblem:
        """Returns the same as a problem of this field."""
        return SpecProblem(where, self.message, self.remedy, Severity.ERROR)


def parts(text: str) -> list[str]:
    """Returns the texts between the commas outside brackets, without the space around.

    Empty for an empty text.

    Raises:
        TextError: A bracket has no other.
    """
    pieces, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth < 0:
            raise TextError(f"'{shortened(text)}' has a '{character}' that nothing opens.")
        if character == "," and not depth:
            pieces.append(text[start:at].strip())
            start = at + 1
    if depth:
        raise TextError(f"'{shortened(text)}' has a bracket that nothing closes.")
    last = text[start:].strip()
    return [*pieces, last] if pieces or last else []


def listing(names: Iterable[str], none: str = "none") -> str:
    """Returns names in a sentence: ``a, b and c``; many are cut short."""
    *most, last = list(names) or [none]
    if len(most) >= _NAMED_AT_MOST:
        most, last = most[:_NAMED_AT_MOST], f"{len(most) + 1 - _NAMED_AT_MOST} more"
    return f"{', '.join(most)} and {last}" if most else last


def unknown(name: str, names: Iterable[str]) -> str:
    """Returns the advice for an unknown name: the name that was meant, or all there are."""
    known = list(names)
    close = nearest(name, known)
    return f"Did you mean {close}?" if close else f"Known here: {listing(known)}."


def shortened(text: str) -> str:
    """Returns as much of a text as a sentence bears."""
    stripped = text.strip()
    return stripped if len(stripped) <= _QUOTED else f"{stripped[: _QUOTED - 3]}..."


def in_bytes(size: int) -> str:
    """Returns a size as people read sizes, such as ``1.5 GiB``."""
    for shift, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        # A byte less than 1 MiB is 1.0 MiB rather than 1,024.0 KiB.
        if round(size / (1 << shift) * 1024, 1) >= 1024:
            return f"{size / (1 << shift):,.1f} {unit}"
    return f"{size} bytes"
