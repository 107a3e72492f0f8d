"""Verdicts of a check: for each condition and kernel, with the line of the source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from jitstudio.analysis.sass.model import SassFunction, SourceLocation
from jitstudio.checks.budgets import Budget
from jitstudio.checks.conditions import Condition
from jitstudio.checks.forms import JudgedKernel
from jitstudio.core.diagnostics import Diagnostic, diagnostic_line
from jitstudio.core.file_names import from_root, root_of, with_files
from jitstudio.core.launch.entry import base_name


@dataclass(frozen=True)
class Verdict:
    """Whether a kernel keeps a condition.

    Attributes:
        condition: The condition.
        kernel: Its lowered name.
        demangled: Its name in C++.
        holds: False also where a value is not known.
        value: Of what the condition is about; None where it is not known.
        bound: The limit; None where that is not known.
        reason: The value or why there is none, and the demand if not met: a sentence or more.
        place: The line of the source that it comes from, or else that of the kernel; None where
            the line table does not say.
        fault: What stopped the kernel that was launched, where that matters here; else empty.
    """

    condition: Condition
    kernel: str
    demangled: str
    holds: bool
    value: float | None
    bound: float | None
    reason: str
    place: SourceLocation | None
    fault: str = ""

    @property
    def failure(self) -> str:
        """The condition, and the reason why a kernel fails."""
        return f"{self.condition.text}: {self.reason}"


@dataclass(frozen=True)
class BudgetReport:
    """The result of checking a budget for a target.

    Attributes:
        budget: The budget.
        target: The target, such as ``sm_90``.
        files: The modules or the project, by paths from the current folder.
        status: The exit status of `jitstudio build` or `jitstudio run` for it; 0 where all is
            built.
        outcome: The word for that, such as ``built``.
        verdicts: For each kernel all conditions, in their order.
        diagnostics: The messages of the tools.
        problem: Why nothing could be judged, a sentence; empty where it could.
        written: Files of baselines that were written.
        skipped: Why it was left out, a sentence; empty where it was not.
        conditions_file: The file that it is in.
        settings_file: The file that says how it is built and launched: that one, or a project.
    """

    budget: Budget
    target: str
    files: tuple[str, ...]
    status: int
    outcome: str
    verdicts: tuple[Verdict, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    problem: str = ""
    written: tuple[str, ...] = ()
    skipped: str = ""
    conditions_file: str = ""
    settings_file: str = ""

    @property
    def title(self) -> str:
        """The name of the budget, with the target."""
        return f"{self.budget.name} ({self.target})" if self.target else self.budget.name

    @property
    def ok(self) -> bool:
        """Whether all could be judged, and holds."""
        return not (self.status or self.problem) and all(verdict.holds for verdict in self.verdicts)


def from_repository(reports: Sequence[BudgetReport]) -> tuple[Path, tuple[BudgetReport, ...]]:
    """Returns the repository of the first budget, and reports that name files as from there."""
    root = root_of(reports[0].conditions_file if reports else "")
    name = partial(from_root, root)
    renamed = (
        replace(
            with_files(report, name),
            files=tuple(map(name, report.files)),
            written=tuple(map(name, report.written)),
            conditions_file=name(report.conditions_file),
            settings_file=name(report.settings_file),
        )
        for report in reports
    )
    return root, tuple(renamed)


def is_meant(pattern: str, lowered: str, demangled: str) -> bool:
    """Returns whether a pattern names a kernel: by any of its names, with ``*`` and ``?``."""
    names = (lowered, demangled, base_name(demangled))
    # Equality is asked, too: brackets in a name, as of `f<a[2]>`, are a set in a pattern.
    return any(name == pattern or fnmatchcase(name, pattern) for name in names)


def verdicts(
    conditions: Iterable[Condition],
    facts: JudgedKernel,
    demangled: str,
    sources: Collection[str],
    called: Callable[[str], str],
    ptx_source: str = "",
) -> Iterator[Verdict]:
    """Yields the verdict on each condition for a kernel.

    Args:
        conditions: The conditions.
        facts: The kernel.
        demangled: Its name in C++.
        sources: The paths of the modules; a line of a module is shown rather than of a header.
        called: Returns the name by which users know a path.
        ptx_source: The path of the module if it was written in PTX.
    """
    function = facts.function
    for condition in conditions:
        judgement = condition.judge(facts)
        place = (
            judgement.place
            or _place(function, judgement.indices, sources, ptx_source)
            or _beginning(function, ptx_source)
        )
        yield Verdict(
            condition,
            function.name,
            demangled,
            judgement.holds,
            judgement.value,
            judgement.bound,
            judgement.reason,
            place and place._replace(file=called(place.file)),
            judgement.fault,
        )


def _place(
    function: SassFunction, indices: Iterable[int], sources: Collection[str], ptx_source: str
) -> SourceLocation | None:
    for index in indices:
        instruction = function[index]
        if places := instruction.places:
            # Of code inlined from a header, the line of the module that called it is shown.
            return next((at for at in places if at.file in sources), places[0])
        if ptx_source and instruction.ptx_line:
            return SourceLocation(ptx_source, instruction.ptx_line)
    return None


def _beginning(function: SassFunction, ptx_source: str) -> SourceLocation | None:
    """Returns the first line of a function: that of its head, where the line table has it."""
    # The last of a chain lies in the function itself, those before were inlined into it.
    outer = [places[-1] for places in function.places if places]
    if outer:
        return min(at for at in outer if at.file == outer[0].file)
    # 0 stands for an instruction without a line of PTX.
    lines = set(function.ptx_lines) - {0} if ptx_source else ()
    return SourceLocation(ptx_source, min(lines)) if lines else None


def failures(reports: Iterable[BudgetReport]) -> Iterator[str]:
    """Yields lines of failed conditions and failed builds, as compilers report their errors."""
    for report in reports:
        if report.status:
            yield from map(diagnostic_line, report.diagnostics)
            yield f"{report.title}: {report.problem or report.outcome}"
        for verdict in report.verdicts:
            if not verdict.holds:
                where = f"{verdict.place.file}:{verdict.place.line}: " if verdict.place else ""
                yield f"{where}error: {verdict.demangled} ({report.target}): {verdict.failure}"


def tally(reports: Sequence[BudgetReport]) -> str:
    """Returns how many conditions hold, and how many budgets could not be checked."""
    holds = [verdict.holds for report in reports for verdict in report.verdicts]
    unbuilt = sum(bool(report.status) for report in reports)
    texts = [f"{sum(holds)} of {len(holds)} conditions hold."]
    texts += [f"{unbuilt} of {len(reports)} budgets could not be checked."] if unbuilt else []
    return " ".join(texts)
