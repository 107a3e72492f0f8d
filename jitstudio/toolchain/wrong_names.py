"""Which name expressions are wrong: for one of them, NVRTC refuses them all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from jitstudio.core.diagnostics import Severity, diagnose
from jitstudio.core.request import NAME_MAP, expression_in
from jitstudio.core.tools import Tool
from jitstudio.toolchain.report import Report

_IN_NAME = re.compile(
    rf"^{NAME_MAP}\(\d+\): [a-z ]*error: (?P<message>[^\n]*)\n(?P<echo>[^\n]*)$", re.MULTILINE
)
_ELSEWHERE = re.compile(rf"^(?!{NAME_MAP}\()\S[^\n]*?\(\d+\): [a-z ]*error: ", re.MULTILINE)
_INSTANTIATION = "detected during"
# What follows in NVRTC's list is a part of the comment.
_COMMENT = "/*"


@dataclass
class Sorted:
    """Name expressions, right and wrong; those of a source that has other errors are in neither.

    Attributes:
        lowered: The lowered names of the right ones, in no order.
        refused: What NVRTC has against each of the wrong ones.
    """

    lowered: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def sort_out(
    name: str, expressions: Sequence[str], log: str, attempt: Callable[[Sequence[str]], Report]
) -> Sorted:
    """Compile with fewer expressions until each is known to be right or wrong.

    Args:
        name: The module.
        expressions: Those that it was compiled with.
        log: What NVRTC said then.
        attempt: Compiles with some of them only.
    """
    found = Sorted()
    if _ELSEWHERE.search(log):
        # A wrong argument shows in the body of its template only: in the source, like its errors.
        may_be_name = NAME_MAP in log or _INSTANTIATION in log
        if not may_be_name or not attempt(()).ok:
            return found
    elif NAME_MAP not in log:
        return found
    _sort(name, expressions, log, attempt, found)
    return found


def _sort(
    name: str,
    expressions: Sequence[str],
    log: str,
    attempt: Callable[[Sequence[str]], Report],
    found: Sorted,
) -> None:
    """Sort expressions of which at least one is wrong."""
    blamed = _blamed(log)
    if len(expressions) == 1:
        (only,) = expressions
        found.refused[only] = blamed.get(only.strip()) or _first_error(name, log)
        return
    for part in _parts(expressions, blamed, found):
        report = attempt(part)
        if report.ok:
            found.lowered |= dict(report.lowered)
        else:
            _sort(name, part, report.error_log, attempt, found)


def _parts(
    expressions: Sequence[str], blamed: Mapping[str, str], found: Sorted
) -> Iterator[Sequence[str]]:
    """What to try next, less what is known to be wrong."""
    if alone := [name for name in expressions if _COMMENT in name]:
        yield from ([name] for name in alone)
        rest = [name for name in expressions if name not in alone]
    elif wrong := {name: blamed[name.strip()] for name in expressions if name.strip() in blamed}:
        found.refused |= wrong
        rest = [name for name in expressions if name not in wrong]
    else:
        middle = len(expressions) // 2
        yield expressions[:middle]
        rest = list(expressions[middle:])
    if rest:
        yield rest


def _blamed(log: str) -> dict[str, str]:
    """The first error in each expression that NVRTC shows as wrong."""
    errors: dict[str, str] = {}
    for match in _IN_NAME.finditer(log):
        errors.setdefault(expression_in(match["echo"]), match["message"])
    return errors


def _first_error(name: str, log: str) -> str:
    told = diagnose(Tool.NVRTC, name, ok=False, log="", error_log=log)
    error = next(d for d in told if d.severity is Severity.ERROR)
    return f"line {error.line}: {error.message}" if error.line else error.message
