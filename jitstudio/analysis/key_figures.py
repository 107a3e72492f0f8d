"""The key figures of a kernel: a line of the window and of the command line, with what has changed.

    128 regs (+8) · 0 spills · 50 → 25 % occupancy · 1,174 instr · 15,872 → 0 conflicts

To add a figure: a field of `KeyFigures`, and a row in `_WORDS` that says how it is written and when
it alarms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from jitstudio.analysis.occupancy.calculate import Filling, filling_of
from jitstudio.analysis.sass.reading import read_code
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, target_in
from jitstudio.core.figures import QT_TRANSLATE_NOOP
from jitstudio.core.result import BuildResult, Kernel, Resources

if TYPE_CHECKING:
    from jitstudio.core.launch.result import LaunchResult

SEPARATOR = " · "
_PERCENT = 100
_GREW, _FELL = "▲ ", "▼ "

Translate = Callable[[str], str]
"""Gives a text in the user's language; the command line's is English."""


class Figure(Enum):
    """The key figures, in their order."""

    REGISTERS = "registers"
    SPILLS = "spills"
    OCCUPANCY = "occupancy"
    INSTRUCTIONS = "instructions"
    CHECKS = "checks"
    CONFLICTS = "conflicts"
    SECTORS = "sectors"


class Alarm(Enum):
    """How a figure asks for a look; the value is a field of the colours of marks."""

    NONE = ""
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class KeyFigures:
    """The key figures of a kernel; None where a figure is not known.

    Attributes:
        registers: 32-bit registers per thread.
        spills: Bytes per thread that are written for want of registers, or only read back.
        filling: How blocks of the kernel fill a multiprocessor, with their size.
        instructions: Instructions of the machine code, without padding.
        checks: Checks of the last run.
        failed: How many of them have failed.
        conflicts: Passes that bank conflicts of shared memory have caused in a simulated run.
        sectors: Sectors of 32 bytes of global and local memory that it has moved.
    """

    registers: int | None = None
    spills: int | None = None
    filling: Filling | None = None
    instructions: int | None = None
    checks: int | None = None
    failed: int | None = None
    conflicts: int | None = None
    sectors: int | None = None

    @property
    def occupancy(self) -> int | None:
        """The share of the warps of a multiprocessor that are resident, in whole per cent."""
        return round(self.filling.occupancy.fraction * _PERCENT) if self.filling else None

    def value(self, figure: Figure) -> int | None:
        """Returns a figure as the number that is compared."""
        number: int | None = getattr(self, "failed" if figure is Figure.CHECKS else figure.value)
        return number

    def agrees(self, other: KeyFigures) -> bool:
        """Returns whether no figure is known to differ."""
        both = ((self.value(figure), other.value(figure)) for figure in Figure)
        return all(a == b or a is None or b is None for a, b in both)


def code_figures(
    needs: Resources | None,
    arch: Arch,
    instructions: int | None = None,
    *,
    threads: int | None = None,
    dynamic_shared: int = 0,
) -> KeyFigures:
    """Returns the figures of a build.

    Args:
        needs: The resources of the kernel; None where no tool has said.
        arch: The target.
        instructions: Of the machine code; None where it has not been read.
        threads: Threads of a block; None for those of `usual_block`.
        dynamic_shared: Bytes of shared memory that a launch adds to each block.
    """
    if needs is None:
        return KeyFigures(instructions=instructions)
    return KeyFigures(
        registers=needs.registers,
        spills=needs.spill_stores or needs.spill_loads or needs.spill_stores,
        filling=filling_of(arch, needs, threads, dynamic_shared),
        instructions=instructions,
    )


def build_figures(result: BuildResult) -> Iterator[tuple[Kernel, KeyFigures]]:
    """Yields the kernels of a build with their figures, without kernels of unknown figures.

    Instructions are those of the SASS among the artifacts.
    """
    codes = {a.name: read_code(a.text) for a in result.artifacts if a.kind is CodeKind.SASS}
    for kernel in result.kernels:
        code, target = codes.get(kernel.module), target_in(kernel.module)
        function = code.function(kernel.name) if code is not None else None
        instructions = function.code_length if function is not None else None
        arch = Arch.parse(target) if target else result.arch
        figures = code_figures(kernel.resources, arch, instructions)
        if figures != KeyFigures():
            yield kernel, figures


def run_figures(result: LaunchResult) -> KeyFigures:
    """Returns the figures of a run."""
    checks = len(result.checks) or None
    failed = sum(not check.ok for check in result.checks) if checks else None
    total = result.simulation.total if result.simulation is not None else None
    return KeyFigures(
        checks=checks,
        failed=failed,
        # Without an access to shared memory there is nothing that could collide.
        conflicts=total.bank_conflicts if total and total.wavefronts else None,
        sectors=(total.sectors or None) if total else None,
    )


class KeyFigure(NamedTuple):
    """A figure in words.

    Attributes:
        figure: The figure.
        text: The figure with its unit and change, such as ``128 regs (+8)``.
        meaning: What it says and what it is compared with, in sentences.
        alarm: How it asks for a look.
    """

    figure: Figure
    text: str
    meaning: str
    alarm: Alarm = Alarm.NONE


class Earlier(NamedTuple):
    """Figures to compare with: of the build or run before, or of the baseline.

    Attributes:
        figures: The figures.
        name: How sentences call them, such as ``the build before``.
        is_baseline: Whether they were pinned.
    """

    figures: KeyFigures
    name: str
    is_baseline: bool = False


class _Words(NamedTuple):
    """How a figure is written.

    Attributes:
        text: With ``{}`` for the number.
        meaning: The number as a sentence.
        single: The text where the number is 1.
        single_meaning: The sentence where the number is 1.
        is_difference: Whether a change is written as a difference; else as ``before → now``.
        alarm: What a change for the worse is.
        worse: 1 where more is worse, -1 where less is, 0 where neither is.
    """

    text: str
    meaning: str
    single: str = ""
    single_meaning: str = ""
    is_difference: bool = True
    alarm: Alarm = Alarm.NONE
    worse: int = 0


_WORDS = {
    Figure.REGISTERS: _Words(
        QT_TRANSLATE_NOOP("KeyFigures", "{} regs"),
        QT_TRANSLATE_NOOP("KeyFigures", "{} registers of 32 bits per thread."),
        QT_TRANSLATE_NOOP("KeyFigures", "{} reg"),
        QT_TRANSLATE_NOOP("KeyFigures", "{} register of 32 bits per thread."),
    ),
    Figure.SPILLS: _Words(
        QT_TRANSLATE_NOOP("KeyFigures", "{} B spilled"),
        QT_TRANSLATE_NOOP(
            "KeyFigures", "{} bytes per thread spilled to local memory for want of registers."
        ),
        single_meaning=QT_TRANSLATE_NOOP(
            "KeyFigures", "{} byte per thread spilled to local memory for want of registers."
        ),
        alarm=Alarm.ERROR,
        worse=1,
    ),
    Figure.OCCUPANCY: _Words(
        QT_TRANSLATE_NOOP("KeyFigures", "{} % occupancy"),
        "",
        is_difference=False,
        alarm=Alarm.WARNING,
        worse=-1,
    ),
    Figure.INSTRUCTIONS: _Words(
        QT_TRANSLATE_NOOP("KeyFigures", "{} instr"),
        QT_TRANSLATE_NOOP("KeyFigures", "{} instructions of SASS, without padding."),
        single_meaning=QT_TRANSLATE_NOOP("KeyFigures", "{} instruction of SASS, without padding."),
    ),
    Figure.CHECKS: _Words("", "", is_difference=False, alarm=Alarm.ERROR, worse=1),
    Figure.CONFLICTS: _Words(
        QT_TRANSLATE_NOOP("KeyFigures", "{} conflicts"),
        QT_TRANSLATE_NOOP(
            "KeyFigures", "{} passes of shared memory caused by bank conflicts in the last run."
        ),
        QT_TRANSLATE_NOOP("KeyFigures", "{} conflict"),
        QT_TRANSLATE_NOOP(
            "KeyFigures", "{} pass of shared memory caused by bank conflicts in the last run."
        ),
        is_difference=False,
        alarm=Alarm.WARNING,
        worse=1,
    ),
    Figure.SECTORS: _Words(
        QT_TRANSLATE_NOOP("KeyFigures", "{} sectors"),
        QT_TRANSLATE_NOOP(
            "KeyFigures",
            "{} sectors of 32 bytes of global and local memory moved in the last run.",
        ),
        QT_TRANSLATE_NOOP("KeyFigures", "{} sector"),
        QT_TRANSLATE_NOOP(
            "KeyFigures", "{} sector of 32 bytes of global and local memory moved in the last run."
        ),
        is_difference=False,
    ),
}
_NO_SPILLS = QT_TRANSLATE_NOOP("KeyFigures", "0 spills")
_IT_HOLDS = QT_TRANSLATE_NOOP("KeyFigures", "1 check holds")
_ALL_HOLD = QT_TRANSLATE_NOOP("KeyFigures", "{checks} checks hold")
_SOME_FAIL = QT_TRANSLATE_NOOP("KeyFigures", "{failed} of {checks} checks failed")
_IN_LAST_RUN = QT_TRANSLATE_NOOP("KeyFigures", "{text} in the last run.")
_FILLED = QT_TRANSLATE_NOOP(
    "KeyFigures",
    "{share} % occupancy: {warps} of {most} warps with {threads} threads per block.",
)
_FILLED_BY_ONE = QT_TRANSLATE_NOOP(
    "KeyFigures", "{share} % occupancy: {warps} of {most} warps with {threads} thread per block."
)
_LIMITED = QT_TRANSLATE_NOOP("KeyFigures", "Limited by {resources}.")
_BEFORE = QT_TRANSLATE_NOOP("KeyFigures", "{number} in {name}.")
_SINCE_BASELINE = QT_TRANSLATE_NOOP("KeyFigures", "{change} since baseline")
_FAILED_BEFORE = QT_TRANSLATE_NOOP("KeyFigures", "{number} failed in {name}.")


def in_words(
    now: KeyFigures, earlier: Iterable[Earlier] = (), translate: Translate = str
) -> tuple[KeyFigure, ...]:
    """Returns the known figures in words, in their order.

    Args:
        now: The figures.
        earlier: What they are compared with, the build or run before first.
        translate: Gives each text in the user's language.
    """
    writer = _Writer(now, tuple(earlier), translate)
    return tuple(writer.write(figure) for figure in Figure if now.value(figure) is not None)


def figures_line(name: str, figures: Iterable[KeyFigure]) -> str:
    """Returns a kernel with the figures, as a line."""
    return SEPARATOR.join((name, *(figure.text for figure in figures)))


class _Writer(NamedTuple):
    now: KeyFigures
    earlier: tuple[Earlier, ...]
    translate: Translate

    def write(self, figure: Figure) -> KeyFigure:
        value, words = self.now.value(figure), _WORDS[figure]
        assert value is not None
        changes = [
            (number, other)
            for other in self.earlier
            if (number := other.figures.value(figure)) is not None and number != value
        ]
        alarm, sign = Alarm.NONE, ""
        worse = [(value - number) * words.worse > 0 for number, _ in changes]
        if any(worse):
            alarm = words.alarm
            # The arrow of ``before → now`` is that of the one change that is written.
            if words.is_difference or worse[0]:
                sign = _GREW if words.worse > 0 else _FELL
        elif figure in (Figure.SPILLS, Figure.CHECKS) and value:
            alarm = Alarm.ERROR
        text = self._text(figure, value, changes)
        sentences = (self._meaning(figure, value), *self._changes(figure, changes))
        return KeyFigure(figure, sign + text, " ".join(filter(None, sentences)), alarm)

    def _text(self, figure: Figure, value: int, changes: list[tuple[int, Earlier]]) -> str:
        if figure is Figure.CHECKS:
            return self._checks()
        words = _WORDS[figure]
        text = words.single if value == 1 and words.single else words.text
        if figure is Figure.SPILLS and not value:
            text = _NO_SPILLS
        if words.is_difference:
            notes = ", ".join(
                self.translate(_SINCE_BASELINE).format(change=change) if is_baseline else change
                for change, is_baseline in self._differences(value, changes)
            )
            return self.translate(text).format(f"{value:,}") + (f" ({notes})" if notes else "")
        if not changes:
            return self.translate(text).format(f"{value:,}")
        before, other = changes[0]
        change = self.translate(text).format(f"{before:,} → {value:,}")
        since = self.translate(_SINCE_BASELINE)
        return since.format(change=change) if other.is_baseline else change

    def _differences(
        self, value: int, changes: list[tuple[int, Earlier]]
    ) -> Iterator[tuple[str, bool]]:
        # Where the build before is as the baseline is, one number says both.
        of_first = dict(reversed(changes))
        for number in dict.fromkeys(number for number, _ in changes):
            change = f"{value - number:+,}".replace("-", "\N{MINUS SIGN}")
            yield change, of_first[number].is_baseline

    def _checks(self) -> str:
        now = self.now
        text = _SOME_FAIL if now.failed else _IT_HOLDS if now.checks == 1 else _ALL_HOLD
        return self.translate(text).format(checks=now.checks, failed=now.failed)

    def _meaning(self, figure: Figure, value: int) -> str:
        if figure is Figure.CHECKS:
            return self.translate(_IN_LAST_RUN).format(text=self._checks())
        if figure is Figure.OCCUPANCY:
            return self._filled()
        words = _WORDS[figure]
        meaning = words.single_meaning if value == 1 else words.meaning
        return self.translate(meaning).format(f"{value:,}")

    def _filled(self) -> str:
        filling = self.now.filling
        assert filling is not None
        text = _FILLED_BY_ONE if filling.usage.threads == 1 else _FILLED
        said = self.translate(text).format(
            share=self.now.occupancy,
            warps=filling.occupancy.warps,
            most=filling.limits.warps,
            threads=f"{filling.usage.threads:,}",
        )
        if filling.is_full:
            return said
        resources = ", ".join(resource.value for resource in filling.occupancy.limiting)
        return f"{said} {self.translate(_LIMITED).format(resources=resources)}"

    def _changes(self, figure: Figure, changes: list[tuple[int, Earlier]]) -> Iterator[str]:
        text = _FAILED_BEFORE if figure is Figure.CHECKS else _BEFORE
        unit = " %" if figure is Figure.OCCUPANCY else ""
        for number, other in changes:
            yield self.translate(text).format(number=f"{number:,}{unit}", name=other.name)
