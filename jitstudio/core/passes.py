"""The passes of libNVVM's optimiser as a film: the PTX made where it stops behind each.

LLVM numbers the passes that it may leave out; `-opt-bisect-limit=N` leaves out all behind the N-th.
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
        every_pass: Whether to stop behind each pass, also between two that leave the same PTX.
    """

    job: Job
    every_pass: bool = False


@dataclass(frozen=True)
class OptimiserPass:
    """A pass, as LLVM names it.

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
    """The code behind a pass of the back end, as libNVVM prints it.

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
        ptx: The PTX behind the last.
        remarks: What the passes say of the source.
        back_end: The code behind each pass of the back end, where libNVVM prints that.
        has_mid_end: Whether the passes of the mid-end are among those that can be left out.
    """

    passes: tuple[OptimiserPass, ...]
    ptx: bytes
    remarks: tuple[Diagnostic, ...] = ()
    back_end: tuple[IrText, ...] = ()
    has_mid_end: bool = True


@dataclass(frozen=True)
class LimitedRun:
    """A run that ended its passes early.

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
        before, after: The PTX in front of them, and behind.
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


@dataclass(frozen=True)
class Film:
    """The passes of a run, and the PTX behind those that were tried.

    Attributes:
        name: The module, or `core.code.LINKED`.
        tool: The compiler.
        version: Its version.
        pass_list: The passes; None where the run gave none.
        ptx: The PTX by limit, as far as known.
        errors: Why a limit has no PTX.
        problem: Why the film is not whole, a sentence; empty if it is.
    """

    name: str
    tool: Tool
    version: str = ""
    pass_list: PassList | None = None
    ptx: Mapping[int, str] = field(default_factory=dict)
    errors: Mapping[int, str] = field(default_factory=dict)
    problem: str = ""

    @property
    def passes(self) -> tuple[OptimiserPass, ...]:
        """All passes of the run."""
        return self.pass_list.passes if self.pass_list else ()

    @property
    def is_whole(self) -> bool:
        """Whether the PTX behind each pass is known, and not only taken for the same."""
        return len(self.ptx) + len(self.errors) == len(self.passes) + 1

    @cached_property
    def steps(self) -> tuple[FilmStep, ...]:
        """The changes, in the order of the passes."""
        return tuple(
            FilmStep(self.passes[first:last], self.ptx[first], self.ptx[last])
            for first, last in pairwise(sorted(self.ptx))
            if self.ptx[first] != self.ptx[last]
        )
