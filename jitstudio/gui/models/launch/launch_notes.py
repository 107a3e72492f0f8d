"""What there is to say of a launch besides its figures, one note a row, the gravest first.

Diagnostics, checks and the driver's log are read in one list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.result import (
    LAUNCH_ENDINGS,
    CheckResult,
    LaunchOutcome,
    LaunchResult,
)
from jitstudio.gui.models.presentation import Column

_NEUTRAL = frozenset({LaunchOutcome.MISSING, LaunchOutcome.CANCELLED})
_JIT_MEANING = "The driver compiled the PTX and said:\n\n"


@dataclass(frozen=True)
class LaunchNote:
    """One thing to know about a launch.

    Attributes:
        mark: How grave it is: a field of `theme.MarkColors`.
        text: What it is, a sentence or a tool's own words.
        about: The buffer, kernel or tool it is about.
        explanation: What it means and what to do; may be empty.
        file: Of the source; empty where unknown.
        line: From 1, or 0.
        check: The check it tells of, or None.
    """

    mark: str
    text: str
    about: str = ""
    explanation: str = ""
    file: str = ""
    line: int = 0
    check: CheckResult | None = None

    @property
    def place(self) -> str:
        """The place as editors write it."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file


NOTE_COLUMNS: tuple[Column[LaunchNote], ...] = (
    Column("What", lambda n: n.text, mark=lambda n: n.mark),
    Column("About", lambda n: n.about),
    Column("Where", lambda n: n.place),
)


def notes_of(result: LaunchResult) -> tuple[LaunchNote, ...]:
    """All notes of a launch: those that say what went wrong before those that say what did not."""
    notes = (
        *(_of_check(check) for check in result.checks),
        *(_of_diagnostic(diagnostic) for diagnostic in result.diagnostics),
        *_of_jit_log(result.jit_log),
    )
    ranks = ("error", "warning", "info", "success")
    return tuple(sorted(notes, key=lambda note: ranks.index(note.mark)))


def headline_mark(result: LaunchResult) -> str:
    """The mark before the headline: green only where nothing is left to look at."""
    if result.outcome in _NEUTRAL:
        return "info"
    if not result.ok:
        return "error"
    marks = {note.mark for note in notes_of(result)}
    return next((mark for mark in ("error", "warning") if mark in marks), "success")


def headline(result: LaunchResult) -> str:
    """How the launch ended and what the checks said, a sentence or two."""
    if not result.ok:
        return result.reason
    ending = f"{LAUNCH_ENDINGS[result.outcome]}."
    grave = sum(note.mark in ("error", "warning") for note in notes_of(result))
    if grave:
        thing = "One thing" if grave == 1 else f"{grave} things"
        return f"{ending} {thing} below {'needs' if grave == 1 else 'need'} a look."
    count = len(result.checks)
    if not count:
        return f"{ending} Nothing was checked."
    return f"{ending} {'The check' if count == 1 else f'All {count} checks'} passed."


def check_figures(check: CheckResult) -> str:
    """How far a comparison is from right, in words."""
    if check.problem:
        return check.problem
    differences = (
        f"Largest difference {check.largest_absolute:.6g}, relative {check.largest_relative:.3g}."
    )
    if check.ok:
        return f"All {check.count:,} elements are within the tolerance. {differences}"
    share = f"{check.wrong / max(1, check.count) * 100:.2f} %"
    return f"{check.wrong:,} of {check.count:,} elements are wrong ({share}). {differences}"


def _of_diagnostic(diagnostic: Diagnostic) -> LaunchNote:
    tool = diagnostic.tool.value if diagnostic.tool else ""
    return LaunchNote(
        diagnostic.severity.value,
        diagnostic.message,
        tool,
        diagnostic.explanation,
        diagnostic.file,
        diagnostic.line or 0,
    )


def _of_check(check: CheckResult) -> LaunchNote:
    mark = "success" if check.ok else "error"
    if check.problem:
        verdict = "could not be checked"
    else:
        verdict = "as expected" if check.ok else f"{check.wrong:,} of {check.count:,} wrong"
    text = f"{check.buffer} = {check.expression}: {verdict}"
    return LaunchNote(mark, text, check.buffer, check_figures(check), check=check)


def _of_jit_log(log: str) -> Iterator[LaunchNote]:
    if log.strip():
        text = "The driver's compiler left a log"
        yield LaunchNote("info", text, "driver", _JIT_MEANING + log.strip())
