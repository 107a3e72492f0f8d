"""The figures of each build and run that are kept, to say what has changed. No widgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import WeakKeyDictionary, WeakSet

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.key_figures import (
    Earlier,
    Figure,
    KeyFigure,
    KeyFigures,
    code_figures,
    figures_line,
    in_words,
)
from jitstudio.core.arch import Arch
from jitstudio.core.code import target_in
from jitstudio.core.launch.request import LaunchConfig
from jitstudio.core.result import Kernel, Resources
from jitstudio.gui.state.outputs import Built

KernelKey = tuple[str, str]
"""The module and the lowered name of a kernel."""

OF_RUN = frozenset({Figure.CHECKS, Figure.CONFLICTS, Figure.SECTORS})


class MeasuredKernel(NamedTuple):
    """A kernel of a build, as far as it is measured.

    Attributes:
        needs: The resources that tools report.
        arch: The target.
        instructions: Of the machine code; None until it is read.
    """

    needs: Resources | None
    arch: Arch
    instructions: int | None

    def figures(self, config: LaunchConfig | None) -> KeyFigures:
        """Returns the figures in a launch; None for a block of the usual size."""
        return code_figures(
            self.needs,
            self.arch,
            self.instructions,
            threads=config.threads_per_block if config is not None else None,
            dynamic_shared=config.shared if config is not None else 0,
        )

    def agrees(self, other: MeasuredKernel) -> bool:
        """Returns whether nothing is known to differ."""
        both = (self.instructions, other.instructions)
        return self[:2] == other[:2] and (None in both or both[0] == both[1])


class InstructionCounts:
    """How many instructions the kernels of builds have, as far as their machine code was read."""

    def __init__(self) -> None:
        self._counts: WeakKeyDictionary[Built, dict[KernelKey, int]] = WeakKeyDictionary()

    def take(self, built: Built, counts: dict[KernelKey, int]) -> None:
        """Adds the counts of a reading."""
        self._counts.setdefault(built, {}).update(counts)

    def measured(self, built: Built, kernel: Kernel) -> MeasuredKernel:
        """Returns a kernel of a build."""
        target = target_in(kernel.module)
        count = self._counts.get(built, {}).get((kernel.module, kernel.name))
        arch = Arch.parse(target) if target else built.result.arch
        return MeasuredKernel(kernel.resources, arch, count)


class _Run(NamedTuple):
    """The figures of a run, and the build that ran."""

    figures: KeyFigures
    built: Built


@dataclass
class _Trail:
    """The builds and runs of a subject.

    Attributes:
        builds: All builds, as long as anybody has them: a run may be of any.
        newest: The newest build.
        last: Each kernel as the build before has it.
        before: As it was before it last changed by then: the difference that an edit has made is
            there until the next one makes another, whatever is typed into comments.
        runs: The last two runs that differ, by the title of the kernel, the newest last.
    """

    builds: WeakSet[Built] = field(default_factory=WeakSet)
    newest: Built | None = None
    last: dict[KernelKey, MeasuredKernel] = field(default_factory=dict)
    before: dict[KernelKey, MeasuredKernel] = field(default_factory=dict)
    runs: dict[str, list[_Run]] = field(default_factory=dict)


class FigureHistory:
    """The figures of builds and runs, by the document or link that they are of.

    Attributes:
        counts: The instructions of the kernels.
    """

    def __init__(self) -> None:
        self.counts = InstructionCounts()
        self._trails: dict[object, _Trail] = {}

    def take_build(self, subject: object, built: Built) -> None:
        """Adds the newest good build of a subject."""
        trail = self._trails.setdefault(subject, _Trail())
        last, trail.newest = trail.newest, built
        trail.builds.add(built)
        if last is None or last is built:
            return
        for kernel in last.result.kernels:
            key, measured = (kernel.module, kernel.name), self.counts.measured(last, kernel)
            earlier = trail.last.get(key)
            has_changed = earlier is not None and not earlier.agrees(measured)
            if earlier is not None and has_changed:
                trail.before[key] = earlier
            # One that was built again before anybody has counted adds nothing.
            if earlier is None or has_changed or measured.instructions is not None:
                trail.last[key] = measured

    def take_run(self, built: Built, title: str, figures: KeyFigures) -> None:
        """Adds a run of a build to those of its subject, unless the subject is gone."""
        trail = next((trail for trail in self._trails.values() if built in trail.builds), None)
        if trail is None:
            return
        runs = trail.runs.setdefault(title, [])
        if runs and runs[-1].figures == figures:
            runs.pop()
        runs.append(_Run(figures, built))
        # The one that is shown, and the one before.
        del runs[:-2]

    def forget(self, subject: object) -> None:
        """Drops all of a subject that is gone."""
        self._trails.pop(subject, None)

    def last(self, subject: object, key: KernelKey) -> MeasuredKernel | None:
        """Returns a kernel as the build before the newest has it."""
        trail = self._trails.get(subject)
        return trail.last.get(key) if trail is not None else None

    def before(self, subject: object, key: KernelKey, now: MeasuredKernel) -> MeasuredKernel | None:
        """Returns a kernel as it was before it last changed; None where it has not."""
        trail = self._trails.get(subject)
        if trail is None:
            return None
        last = trail.last.get(key)
        return last if last is not None and not last.agrees(now) else trail.before.get(key)

    def runs(self, subject: object, title: str) -> tuple[KeyFigures, ...]:
        """Returns the last runs of a kernel that differ, the newest last; at most two."""
        trail = self._trails.get(subject)
        runs = trail.runs.get(title, ()) if trail is not None else ()
        return tuple(run.figures for run in runs)

    def is_run_old(self, subject: object, title: str) -> bool:
        """Returns whether the last run of a kernel is of other code than the newest build."""
        trail = self._trails.get(subject)
        if trail is None or trail.newest is None or not (runs := trail.runs.get(title)):
            return False
        return not runs[-1].built.has_code_of(trail.newest)


class ShownFigure(NamedTuple):
    """A figure as the strip shows it.

    Attributes:
        words: The figure in words.
        is_old: Whether it is of older code: of the last good build, or of a run before an edit.
    """

    words: KeyFigure
    is_old: bool = False


class KernelEntry(NamedTuple):
    """A kernel of the list.

    Attributes:
        key: Its module and lowered name.
        title: Its name in C++, without parameters.
        line: The name and the figures.
    """

    key: KernelKey
    title: str
    line: str


class StripContent(NamedTuple):
    """All that a strip shows.

    Attributes:
        title: The kernel; empty for none.
        key: Its module and lowered name.
        figures: Its figures.
        kernels: How many kernels the build has.
        note: Why the figures are old, in a few words; empty where they are not.
        reason: The same as a sentence.
        hint: Why there are none.
    """

    title: str = ""
    key: KernelKey = ("", "")
    figures: tuple[ShownFigure, ...] = ()
    kernels: int = 0
    note: str = ""
    reason: str = ""
    hint: str = ""


def translate(text: str) -> str:
    """Returns the words of a figure in the language of the user."""
    return QCoreApplication.translate("KeyFigures", text)


def kernel_entry(key: KernelKey, title: str, figures: KeyFigures) -> KernelEntry:
    """Returns a kernel for the list."""
    return KernelEntry(key, title, figures_line(title, in_words(figures, (), translate)))


def shown_figures(
    now: KeyFigures,
    earlier: tuple[Earlier, ...],
    runs: tuple[KeyFigures, ...],
    *,
    is_old: bool,
    is_run_old: bool,
    is_count_old: bool,
) -> Iterator[ShownFigure]:
    """Yields the figures of a build and then those of its last run.

    Args:
        now: The figures of the build.
        earlier: What they are compared with.
        runs: The last two runs that differ, the newest last.
        is_old: Whether the text has changed since the build and does not build.
        is_run_old: Whether the code has changed since the run.
        is_count_old: Whether the instructions are those of the build before, and are being counted.
    """
    for words in in_words(now, earlier, translate):
        is_count = words.figure is Figure.INSTRUCTIONS
        yield ShownFigure(words, is_old or (is_count and is_count_old))
    if runs:
        name = QCoreApplication.translate("KeyFigures", "the run before")
        before = tuple(Earlier(run, name) for run in runs[:-1])
        for words in in_words(runs[-1], before, translate):
            yield ShownFigure(words, is_old or is_run_old)


def with_count(measured: MeasuredKernel, count: int | None) -> MeasuredKernel:
    """Returns a kernel with the instructions of the build before in place of unknown ones."""
    if measured.instructions is not None or count is None:
        return measured
    return measured._replace(instructions=count)
