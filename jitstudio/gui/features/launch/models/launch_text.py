"""Words about a launch: the launch itself, the device, and notes on the result.

A note is a row, the gravest first. Diagnostics, checks and the driver's log are read in one list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.findings.measured import measured
from jitstudio.analysis.findings.model import Finding
from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.device import Device, Dim3
from jitstudio.core.launch.problems import in_bytes
from jitstudio.core.launch.request import LaunchConfig
from jitstudio.core.launch.result import (
    LAUNCH_ENDINGS,
    CheckResult,
    LaunchOutcome,
    LaunchResult,
    Mismatch,
)
from jitstudio.core.launch.simulation import Fault, Race, ThreadPlace
from jitstudio.core.launch.spec import LoadMode, Sanitizer
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP, counted


def index_text(index: tuple[int, ...]) -> str:
    """Returns an index as written in brackets, with lanes behind commas."""
    return ", ".join(f"{part:,}" if not n else str(part) for n, part in enumerate(index))


def mismatch_columns() -> tuple[TableColumn[Mismatch], ...]:
    """Returns the columns of mismatches: place, actual value and expected value."""
    translate = QCoreApplication.translate
    return (
        TableColumn(
            translate("Mismatches", "Index"),
            lambda m: index_text(m.index),
            lambda m: m.index[0],
            number=True,
        ),
        TableColumn(translate("Mismatches", "Got"), lambda m: m.got, number=True),
        TableColumn(translate("Mismatches", "Expected"), lambda m: m.expected, number=True),
    )


_NEUTRAL = frozenset({LaunchOutcome.MISSING, LaunchOutcome.CANCELLED})


@dataclass(frozen=True)
class LaunchNote:
    """A note on a launch.

    Attributes:
        mark: How grave it is: a field of `theme.MarkColors`.
        text: The note, a sentence or a tool's own words.
        about: The buffer, kernel or tool it is about.
        explanation: The meaning and a remedy; may be empty.
        file: Of the source; empty where unknown.
        line: From 1, or 0.
        check: The check it is about, or None.
        thread: Where a thread of a simulated launch did it, or None.
    """

    mark: str
    text: str
    about: str = ""
    explanation: str = ""
    file: str = ""
    line: int = 0
    check: CheckResult | None = None
    thread: ThreadPlace | None = None

    @property
    def place(self) -> str:
        """The place in the form of editors, file and line."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file


def note_columns() -> tuple[TableColumn[LaunchNote], ...]:
    """Returns the columns of notes: text, subject, and place in the source."""
    translate = QCoreApplication.translate
    return (
        TableColumn(translate("LaunchNotes", "What"), lambda n: n.text, mark=lambda n: n.mark),
        TableColumn(translate("LaunchNotes", "About"), lambda n: n.about),
        TableColumn(
            translate("LaunchNotes", "Where"),
            lambda n: PurePath(n.place).name,
            tooltip=lambda n: n.place,
        ),
    )


def notes_of(result: LaunchResult) -> tuple[LaunchNote, ...]:
    """Returns all notes of a launch: problems first."""
    run = result.simulation
    events: tuple[Fault | Race, ...] = (*run.faults, *run.races) if run else ()
    # Step runs the order of the form, in which what only others have does not happen.
    threads = [(event.message, event.second or event.first) for event in events if not event.seeds]
    notes = (
        *(_of_check(check) for check in result.checks),
        *(_of_diagnostic(diagnostic, threads) for diagnostic in result.diagnostics),
        *(_of_measured(finding) for finding in (measured(run) if run else ())),
        *_of_jit_log(result.jit_log),
    )
    ranks = ("error", "warning", "info", "success")
    return tuple(sorted(notes, key=lambda note: ranks.index(note.mark)))


def headline_mark(result: LaunchResult) -> str:
    """Returns the mark before the headline: green only where nothing is left to look at."""
    if result.outcome in _NEUTRAL:
        return "info"
    if not result.ok:
        return "error"
    marks = {note.mark for note in notes_of(result)}
    return next((mark for mark in ("error", "warning") if mark in marks), "success")


def headline(result: LaunchResult) -> str:
    """Returns how the launch ended and the results of the checks, a sentence or two."""
    if not result.ok:
        return result.reason
    grave = sum(note.mark in ("error", "warning") for note in notes_of(result))
    return f"{LAUNCH_ENDINGS[result.outcome]}. {_outlook(grave, len(result.checks))}"


def _outlook(grave: int, checks: int) -> str:
    """Returns the words for the notes left to look at after a launch that ran."""
    translate = QCoreApplication.translate
    if grave:
        return counted(
            grave,
            translate("LaunchNotes", "One thing below needs a look."),
            translate("LaunchNotes", "{count} things below need a look."),
        )
    if not checks:
        return translate("LaunchNotes", "Nothing was checked.")
    return counted(
        checks,
        translate("LaunchNotes", "The check passed."),
        translate("LaunchNotes", "All {count} checks passed."),
    )


def check_figures(check: CheckResult) -> str:
    """Returns how far a comparison is from right."""
    if check.problem:
        return check.problem
    translate = QCoreApplication.translate
    differences = translate(
        "LaunchNotes", "Largest difference {absolute:.6g}, relative {relative:.3g}."
    ).format(absolute=check.largest_absolute, relative=check.largest_relative)
    if check.ok:
        message = translate("LaunchNotes", "All {count:,} elements are as expected.")
        if check.nans:
            message = translate(
                "LaunchNotes", "All {count:,} elements are as expected, {nans:,} of them NaN."
            )
    else:
        message = translate(
            "LaunchNotes", "{wrong:,} of {count:,} elements are wrong ({share:.2f} %)."
        )
    share = check.wrong / max(1, check.count) * 100
    figures = message.format(wrong=check.wrong, count=check.count, share=share, nans=check.nans)
    if check.left_out:
        others = translate("LaunchNotes", "{count:,} others of '{buffer}' were not compared.")
        figures = f"{figures} {others.format(count=check.left_out, buffer=check.buffer)}"
    return f"{figures} {differences}"


def _of_diagnostic(
    diagnostic: Diagnostic, threads: Sequence[tuple[str, ThreadPlace | None]]
) -> LaunchNote:
    """Returns a diagnostic as a note, with the thread in the findings of the simulator.

    Args:
        diagnostic: The diagnostic.
        threads: Message and place of all that the simulator has found.
    """
    places = (place for words, place in threads if diagnostic.message.startswith(words.rstrip(".")))
    tool = diagnostic.tool.value if diagnostic.tool else ""
    return LaunchNote(
        diagnostic.severity.value,
        diagnostic.message,
        tool,
        diagnostic.explanation,
        diagnostic.file,
        diagnostic.line or 0,
        thread=next(places, None),
    )


def _of_check(check: CheckResult) -> LaunchNote:
    mark = "success" if check.ok else "error"
    translate = QCoreApplication.translate
    if check.problem:
        verdict = translate("LaunchNotes", "could not be checked")
    elif check.ok:
        verdict = translate("LaunchNotes", "as expected")
    else:
        message = translate("LaunchNotes", "{wrong:,} of {count:,} wrong")
        verdict = message.format(wrong=check.wrong, count=check.count)
    text = f"{check.target} = {check.expression}: {verdict}"
    return LaunchNote(mark, text, check.buffer, check_figures(check), check=check)


def _of_measured(finding: Finding) -> LaunchNote:
    """Returns a hint of a simulated launch on performance as a note; nothing is wrong there."""
    file, line = finding.places[0] if finding.places else ("", 0)
    explanation = f"{finding.reason} {finding.remedy}".strip()
    return LaunchNote("info", finding.title, explanation=explanation, file=file, line=line)


def _of_jit_log(log: str) -> Iterator[LaunchNote]:
    if log.strip():
        translate = QCoreApplication.translate
        text = translate("LaunchNotes", "The driver's compiler left a log")
        about = translate("LaunchNotes", "driver")
        meaning = translate("LaunchNotes", "The driver compiled the PTX and said:")
        yield LaunchNote("info", text, about, f"{meaning}\n\n{log.strip()}")


# ---- What is launched and where

LOAD_MODES = {
    LoadMode.CUBIN: QT_TRANSLATE_NOOP("LaunchWords", "Cubin"),
    LoadMode.DRIVER_JIT: QT_TRANSLATE_NOOP("LaunchWords", "PTX, by the driver's JIT"),
}
"""The form's names of the kinds of code."""

SANITIZERS: dict[Sanitizer | None, str] = {
    None: QT_TRANSLATE_NOOP("LaunchWords", "None"),
    Sanitizer.MEMCHECK: QT_TRANSLATE_NOOP("LaunchWords", "memcheck: wrong addresses"),
    Sanitizer.RACECHECK: QT_TRANSLATE_NOOP("LaunchWords", "racecheck: races in shared memory"),
    Sanitizer.INITCHECK: QT_TRANSLATE_NOOP(
        "LaunchWords", "initcheck: reads of what was never written"
    ),
    Sanitizer.SYNCCHECK: QT_TRANSLATE_NOOP("LaunchWords", "synccheck: wrong barriers"),
}
"""The form's names of the tools of compute-sanitizer, with the errors that each finds."""


_TIMES = "\N{MULTIPLICATION SIGN}"


def words_of(choice: LoadMode | Sanitizer | None) -> str:
    """Returns the form's words for a kind of code, or for a tool of compute-sanitizer."""
    words = LOAD_MODES[choice] if isinstance(choice, LoadMode) else SANITIZERS[choice]
    return QCoreApplication.translate("LaunchWords", words)


def device_text(device: Device) -> str:
    """Returns a GPU in a line, or the name of the simulator."""
    if device.is_simulated:
        return device.name
    memory, free = in_bytes(device.memory), device.memory_free
    if free is not None:
        message = QCoreApplication.translate("LaunchWords", "{free} free of {total}")
        memory = message.format(free=in_bytes(free), total=memory)
    return f"{device.ordinal}: {device.name}, {device.capability}, {memory}"


def config_text(config: LaunchConfig) -> str:
    """Returns the number of threads, and the shared memory."""
    translate = QCoreApplication.translate
    blocks, threads = config.blocks, config.threads_per_block
    grid = counted(
        blocks,
        translate("LaunchWords", "{size} block"),
        translate("LaunchWords", "{size} blocks"),
        size=_extent(config.grid),
    )
    per_block = _threads(threads, _extent(config.block))
    in_all = _threads(blocks * threads, f"{blocks * threads:,}")
    parts = [f"{grid} {_TIMES} {per_block} = {in_all}"]
    if config.cluster:
        clusters = translate("LaunchWords", "clusters of {size} blocks")
        parts.append(clusters.format(size=_extent(config.cluster)))
    if config.shared:
        shared = translate("LaunchWords", "{count:,} bytes of dynamic shared memory per block")
        parts.append(shared.format(count=config.shared))
    return ", ".join(parts)


def _threads(count: int, size: str) -> str:
    return counted(
        count,
        QCoreApplication.translate("LaunchWords", "{size} thread"),
        QCoreApplication.translate("LaunchWords", "{size} threads"),
        size=size,
    )


def _extent(size: Dim3) -> str:
    """Returns ``256`` for a single axis, ``(16, 16)`` for two and more."""
    axes = len(size)
    while axes > 1 and size[axes - 1] == 1:
        axes -= 1
    numbers = [f"{n:,}" for n in size[:axes]]
    return numbers[0] if axes == 1 else f"({', '.join(numbers)})"
