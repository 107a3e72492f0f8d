"""The passes of libNVVM's optimiser as a film: the PTX at a stop after each pass.

LLVM numbers the passes that it may leave out; `-opt-bisect-limit=N` leaves out all after the N-th.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.plan import Job
from jitstudio.core.tools import Tool

MOST_PASSES = 100_000


@dataclass(frozen=True)
class PassesRequest:
    """A run of a compiler to be filmed.

    Attributes:
        job: The run that makes PTX, with texts and options as a build has sent these.
        every_pass: Whether to stop after each pass, also between two that leave the same PTX.
        number: The pass that is asked for, before and after which is stopped first; None for none.
    """

    job: Job
    every_pass: bool = False
    number: int | None = None


@dataclass(frozen=True)
class OptimiserPass:
    """A pass by the words of LLVM.

    Attributes:
        number: Its number in the run, from 1.
        name: Such as ``Unroll loops``.
        unit: The part of the program, such as ``function (saxpy)``.
    """

    number: int
    name: str
    unit: str

    @property
    def title(self) -> str:
        """The pass and the part of the program."""
        return f"{self.name} on {self.unit}"


@dataclass(frozen=True)
class IrText:
    """The code after a pass of the back end, as printed by libNVVM.

    Attributes:
        name: The pass.
        unit: The function or module.
        text: The code; empty where the pass has changed nothing.
    """

    name: str
    unit: str
    text: str


@dataclass(frozen=True)
class PassList:
    """The passes of the whole run, before any limit is tried.

    Attributes:
        passes: In order.
        ptx: The PTX after the last.
        remarks: What the passes say of the source.
        back_end: The code after each pass of the back end, where libNVVM prints that.
        has_mid_end: Whether the passes of the mid-end are among those that can be left out.
    """

    passes: tuple[OptimiserPass, ...]
    ptx: bytes
    remarks: tuple[Diagnostic, ...] = ()
    back_end: tuple[IrText, ...] = ()
    has_mid_end: bool = True


@dataclass(frozen=True)
class LimitedRun:
    """A run with no pass after a limit.

    Attributes:
        limit: The number of the last pass.
        ptx: What it has made; empty where that is known from another limit, or where it failed.
        same_as: The limit with the same PTX.
        error: Why it has made nothing.
    """

    limit: int
    ptx: bytes = b""
    same_as: int | None = None
    error: str = ""


@dataclass(frozen=True)
class PassesEnd:
    """The end of a film.

    Attributes:
        problem: Why there is none, a sentence; empty if there is.
    """

    problem: str = ""


@dataclass(frozen=True)
class FilmStep:
    """A change of the PTX.

    Attributes:
        passes: The pass that makes it; several where none was tried between them.
        before, after: The PTX before them, and after.
    """

    passes: tuple[OptimiserPass, ...]
    before: str
    after: str

    @property
    def title(self) -> str:
        """The pass; of several the first and the last."""
        first, last = self.passes[0], self.passes[-1]
        if first is last:
            return f"{first.number} {first.title}"
        return f"{first.number} to {last.number}: {first.name} to {last.name}"


_BACK_END_ONLY = (
    "From sm_100 on libNVVM lets only passes of its back end be left out: those before them, such "
    "as inlining and the unrolling of loops, cannot be distinguished."
)
_MOST_ERRORS = 3
_NOT_EVERY = (
    "{tried:,} of {count:,} limits were tried: where the PTX at two limits is the same, the passes "
    "between them are taken to change nothing. --every-pass, or Every pass in the window, tries "
    "all."
)


@dataclass(frozen=True)
class Film:
    """The passes of a run, and the PTX after the limits that were tried.

    Attributes:
        name: The module, or `core.code.LINKED`.
        tool: The compiler.
        pass_list: The passes; None where the run gave none.
        ptx: The PTX by limit, as far as known.
        errors: Why a limit has no PTX.
        problem: Why the film is not whole, a sentence; empty if it is.
    """

    name: str
    tool: Tool
    pass_list: PassList | None = None
    ptx: Mapping[int, str] = field(default_factory=dict)
    errors: Mapping[int, str] = field(default_factory=dict)
    problem: str = ""

    @property
    def passes(self) -> tuple[OptimiserPass, ...]:
        """All passes of the run."""
        return self.pass_list.passes if self.pass_list else ()

    @property
    def tried(self) -> int:
        """How many limits were tried."""
        return len(self.ptx) + len(self.errors)

    @property
    def limits(self) -> int:
        """How many limits there are: none of the passes, up to all."""
        return len(self.passes) + 1

    @property
    def is_whole(self) -> bool:
        """Whether the PTX after each pass is known, and not only taken for the same."""
        return self.tried == self.limits

    @property
    def notes(self) -> tuple[str, ...]:
        """The limits of the film with the reasons, a sentence each."""
        notes = [self.problem] if self.problem else []
        if self.pass_list and not self.pass_list.has_mid_end:
            notes.append(_BACK_END_ONLY)
        if self.passes and not self.problem and not self.is_whole:
            notes.append(_NOT_EVERY.format(tried=self.tried, count=self.limits))
        errors = sorted(self.errors.items())
        notes += (f"After pass {limit:,}: {why}" for limit, why in errors[:_MOST_ERRORS])
        if (more := len(errors) - _MOST_ERRORS) > 0:
            notes.append(f"The compiler failed at {more:,} more limits.")
        return tuple(notes)

    @cached_property
    def steps(self) -> tuple[FilmStep, ...]:
        """The changes, in the order of the passes."""
        return tuple(
            FilmStep(self.passes[first:last], self.ptx[first], self.ptx[last])
            for first, last in pairwise(sorted(self.ptx))
            if self.ptx[first] != self.ptx[last]
        )
