"""The forms of conditions: a row for each, with how a kernel's value is computed.

Each figure comes from where the report, `jitstudio inspect` and `jitstudio run` take it.

To add a thing that conditions can be about: a row here, with where its value comes from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, NamedTuple

from jitstudio.analysis.diff.program import FIGURES as REPORTED
from jitstudio.analysis.findings.find import RULES, findings
from jitstudio.analysis.findings.model import Finding
from jitstudio.analysis.occupancy.calculate import (
    Occupancy,
    limits_of,
    occupancy,
    usage_of,
)
from jitstudio.analysis.report import KernelReport, report
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.chains import independent
from jitstudio.analysis.sass.model import SassFunction, SourceLocation
from jitstudio.analysis.sass.opcodes import all_precisions, class_of, row_of
from jitstudio.core.arch import Arch
from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.figures import FIGURES
from jitstudio.core.launch.simulation import SECTOR_BYTES
from jitstudio.core.result import Resources

FINDING = "finding"
"""In front of the colon in ``finding:strided``."""
INDEPENDENT = "independent"
"""In front of the colon in ``independent:FADD``."""
REMARK = "remark"
"""In front of the colon in ``remark:C7510``."""
FINDING_ALIASES = {"uncoalesced": "strided"}
"""Other words for rules of findings."""


class FormValue(NamedTuple):
    """The value of a form for a kernel.

    Attributes:
        value: None where nothing says it.
        indices: The instructions that it comes from, if it comes from some.
        note: More on it: why it is unknown, or what it means; a sentence or more.
        place: The line of the source that it comes from, where no instruction says it.
        is_whole_note: Whether the note is the whole reason, as "There is no 'base.cubin'."
        fault: What stopped the kernel, a sentence or more; empty where nothing did.
    """

    value: float | None
    indices: tuple[int, ...] = ()
    note: str = ""
    place: SourceLocation | None = None
    is_whole_note: bool = False
    fault: str = ""


Json = Mapping[str, Any]
BaselineCheck = Callable[[str, bool], FormValue]
"""Compares a kernel with the kernel in this file: 1 where both are equal, 0 otherwise."""


@dataclass(frozen=True, eq=False)
class JudgedKernel:
    """A kernel of a build, from which all figures follow.

    Attributes:
        function: Its code.
        resources: Registers, memory and so on; None where no tool reports them.
        target: The target of the code, such as ``sm_90``; empty where not known.
        equals: Compares it with a baseline; the second argument is whether names of registers,
            labels and control bits are no difference.
        module: The module that it is of, or of a link the one that it was written in as PTX.
        launch: The JSON object of `jitstudio run --json`; None where nothing was launched.
        remarks: Warnings and remarks of the build that the code is of; None where that compiled
            nothing, but read what was built before.
    """

    function: SassFunction
    resources: Resources | None
    target: str
    equals: BaselineCheck
    module: str = ""
    launch: Json | None = None
    remarks: Sequence[Diagnostic] | None = None

    @cached_property
    def report(self) -> KernelReport:
        """The kernel in numbers."""
        return report(self.function, self.resources)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The findings on the kernel: rules of the report that apply."""
        return findings(self.function, self.resources, self.module)

    def occupancy(self, threads: int, shared: int) -> Occupancy | None:
        """Returns how full a multiprocessor is; None where limits or registers are unknown."""
        limits = limits_of(Arch.parse(self.target)) if self.target else None
        usage = usage_of(self.resources, threads, shared) if self.resources else None
        return occupancy(limits, usage) if limits and usage else None

    def places_of(self, passes: Callable[[str], bool]) -> tuple[int, ...]:
        """Returns the instructions whose opcodes pass a test, without padding."""
        # Behind the code, NOPs fill the last cache line; a condition on `NOP` is not about them.
        opcodes = self.function.opcodes[: self.function.code_length]
        return tuple(index for index, opcode in enumerate(opcodes) if passes(opcode))


class Form(NamedTuple):
    """A row: something that conditions are about.

    Attributes:
        word: The word in conditions.
        meaning: The thing counted or measured.
        value: Finds it for a kernel, by the arguments between the parentheses.
        arguments: The names of the arguments, in order.
        optional: How many of the last may be left out.
        is_relation: Whether it is a condition by itself, with nothing to compare.
        of_launch: Whether it needs a launch.
    """

    word: str
    meaning: str
    value: Callable[..., FormValue]
    arguments: tuple[str, ...] = ()
    optional: int = 0
    is_relation: bool = False
    of_launch: bool = False

    @property
    def usage(self) -> str:
        """The word with its arguments, such as ``occupancy(BLOCK, SHARED)``."""
        return f"{self.word}({', '.join(self.arguments)})" if self.arguments else self.word

    @property
    def is_share(self) -> bool:
        """Whether all values are from 0 to 1."""
        return _FROM_0_TO_1 in self.meaning

    @property
    def label(self) -> str:
        """The thing counted or measured, for a sentence with the value."""
        return self.meaning.removesuffix(_IN_SIMULATOR).partition(_FROM_0_TO_1)[0]


_IN_SIMULATOR = ", in the simulator"
_FROM_0_TO_1 = ", from 0 to 1"
_UNREPORTED = "No tool reports it for this code: ptxas does so while it compiles."
_UNREMARKED = "The code was built before, and no tool repeats them: check the source instead."
_NO_OCCUPANCY = "The registers of the kernel or the limits of the target are not known."


def _reported(name: str) -> Callable[[JudgedKernel], FormValue]:
    def value(facts: JudgedKernel) -> FormValue:
        figure = REPORTED[name](facts.report)
        note = _UNREPORTED if figure is None else ""
        return FormValue(figure, _causes(name, facts), note)

    return value


def _causes(name: str, facts: JudgedKernel) -> tuple[int, ...]:
    """Returns the instructions that a figure of the report comes from."""
    if name in ("registers", "live_registers"):
        return facts.report.peak_indices
    # `spill_stores` and `spill_loads`: the finding on spills has their instructions.
    if name.startswith("spill_"):
        return _first_of(facts, "spills")
    # No instruction allocates local memory: those that access it stand for its bytes.
    if name in ("local_bytes", "stack_bytes"):
        return _first_of(facts, "local")
    if name.endswith("_instructions"):
        group = name.removesuffix("_instructions")
        return facts.places_of(lambda opcode: class_of(opcode).group.value == group)
    return ()


def _first_of(facts: JudgedKernel, rule: str) -> tuple[int, ...]:
    return next((finding.indices for finding in facts.findings if finding.rule == rule), ())


def _spills(facts: JudgedKernel) -> FormValue:
    needs = facts.report.resources
    if needs.spill_stores is None or needs.spill_loads is None:
        return FormValue(None, (), _UNREPORTED)
    return FormValue(needs.spill_stores + needs.spill_loads, _first_of(facts, "spills"))


def _precision(name: str) -> Callable[[JudgedKernel], FormValue]:
    def value(facts: JudgedKernel) -> FormValue:
        count = sum(row.count for row in facts.report.counts if row.kind.precision == name)
        return FormValue(count, facts.places_of(lambda opcode: class_of(opcode).precision == name))

    return value


def _resident(read: Callable[[Occupancy], float]) -> Callable[..., FormValue]:
    def value(facts: JudgedKernel, block: int, shared: int = 0) -> FormValue:
        occupancy = facts.occupancy(block, shared)
        if occupancy is None:
            return FormValue(None, (), _NO_OCCUPANCY)
        # More threads than `__launch_bounds__` allows are refused by the driver.
        most = facts.report.resources.max_threads
        if most is not None and block > most:
            return FormValue(0, (), f"The kernel is bounded to {most} threads per block.")
        limits = " and ".join(
            limiter.resource.value for limiter in occupancy.limiters if limiter.limits
        )
        return FormValue(read(occupancy), (), f"Limited by {limits}." if limits else "")

    return value


def _loops(facts: JudgedKernel) -> FormValue:
    graph = sass_graph(facts.function)
    return FormValue(len(graph.loops), tuple(graph.blocks[loop.head].start for loop in graph.loops))


def _findings_of(rule: str | None) -> Callable[[JudgedKernel], FormValue]:
    def value(facts: JudgedKernel) -> FormValue:
        findings = [finding for finding in facts.findings if rule in (None, finding.rule)]
        note = f"{findings[0].title}: {findings[0].reason} {findings[0].remedy}" if findings else ""
        return FormValue(len(findings), findings[0].indices if findings else (), note)

    return value


_OF_KERNEL = re.compile(r"\bfunction '([^']+)'")


def remarks_of(pattern: str) -> Form:
    """Returns the form that counts remarks of the compilers by their numbers: ``C75*``."""

    def value(facts: JudgedKernel) -> FormValue:
        if facts.remarks is None:
            return FormValue(None, (), _UNREMARKED)
        remarks = [
            remark
            for remark in facts.remarks
            if fnmatchcase(remark.number, pattern)
            and facts.function.name in (_OF_KERNEL.findall(remark.message) or [facts.function.name])
        ]
        if not remarks:
            return FormValue(0)
        first = remarks[0]
        place = SourceLocation(first.file, first.line) if first.line else None
        return FormValue(len(remarks), (), f"{first.message} {first.explanation}".strip(), place)

    meaning = f"warnings and remarks of the compilers with the number {pattern}"
    return Form(f"{REMARK}:{pattern}", meaning, value)


def _equal_to(facts: JudgedKernel, file: str, normalised: bool = False) -> FormValue:
    return facts.equals(file, normalised)._replace(is_whole_note=True)


def _ended_by(launch: Json | None) -> FormValue | None:
    """Returns the value of all figures of a launch that a fault has stopped, or None."""
    simulation = launch and launch.get("simulation")
    reports = simulation["faults"] if simulation else ()
    fault = next((report for report in reports if report["fatal"]), None)
    if fault is None:
        return None
    message = fault["message"]
    place = _place_of(fault["first"]) if fault["first"] else None
    note = f"Not checked, as the kernel was stopped by this fault: {message}"
    return FormValue(None, (), note, place, is_whole_note=True, fault=message)


def _failed_checks(kernel: JudgedKernel) -> FormValue:
    launch = kernel.launch
    checks = launch["checks"] if launch is not None else []
    if launch is not None and not checks and not launch["ok"]:
        return _ended_by(launch) or FormValue(
            None, (), "The kernel was stopped before its result could be checked."
        )
    if not checks:
        return FormValue(
            None, (), "The launch checks nothing: say what it has to give by 'expect'."
        )
    failed = [check for check in checks if not check["ok"]]
    return FormValue(len(failed), (), _why(failed[0]) if failed else "", is_whole_note=bool(failed))


def _why(check: Json) -> str:
    if check["problem"]:
        return f"'{check['expression']}': {check['problem']}"
    first = check["mismatches"][0]
    at = ", ".join(map(str, first["index"]))
    return (
        f"{check['wrong']} of {check['count']} elements are not as '{check['expression']}' says, "
        f"such as element {at}: it is {first['got']} and should be {first['expected']}."
    )


def _measured(read: Callable[[Json], float | None]) -> Callable[[JudgedKernel], FormValue]:
    def value(facts: JudgedKernel) -> FormValue:
        if ended := _ended_by(facts.launch):
            return ended
        figure = read(facts.launch) if facts.launch is not None else None
        return FormValue(figure, (), "" if figure is not None else "The launch does not say it.")

    return value


def _simulated(
    read: Callable[[Sequence[Json]], float | None], worst: str
) -> Callable[..., FormValue]:
    """Returns a reader of simulated counts; the line with most of `worst` is the place."""

    def value(kernel: JudgedKernel) -> FormValue:
        simulation = kernel.launch and kernel.launch.get("simulation")
        if not simulation:
            return FormValue(None, (), _NOT_SIMULATED)
        if ended := _ended_by(kernel.launch):
            return ended
        lines = simulation["lines"]
        total = read(lines)
        # The line with most of the count is where to begin.
        place = max(lines, key=lambda line: line[worst], default=None)
        return FormValue(total, (), "", _place_of(place) if place and place[worst] else None)

    return value


def _reported_by_threads(name: str) -> Callable[[JudgedKernel], FormValue]:
    def value(kernel: JudgedKernel) -> FormValue:
        simulation = kernel.launch and kernel.launch.get("simulation")
        if not simulation:
            return FormValue(None, (), _NOT_SIMULATED)
        reports, ended = simulation[name], _ended_by(kernel.launch)
        if not reports:
            return ended or FormValue(0)
        first = next((report for report in reports if report.get("fatal")), reports[0])
        place = _place_of(first["first"]) if first["first"] else None
        more = f" {len(reports)} {name} are reported." if len(reports) > 1 else ""
        fault = first["message"] if first.get("fatal") else ""
        note = f"{first['message']}{more}"
        return FormValue(len(reports), (), note, place, is_whole_note=True, fault=fault)

    return value


def _place_of(line: Json) -> SourceLocation | None:
    return SourceLocation(line["file"], line["line"]) if line["file"] and line["line"] else None


def _total(name: str) -> Callable[[Sequence[Json]], int]:
    return lambda lines: sum(line[name] for line in lines)


def _share(part: str, whole: str, unit: int = 1) -> Callable[[Sequence[Json]], float | None]:
    """Returns a reader of the quotient of two counts; for `sectors`, of memory beyond the chip."""

    def read(lines: Sequence[Json]) -> float | None:
        # Lines without sectors access shared memory at most, whose bytes fill no sectors.
        counted = [line for line in lines if "sectors" not in (part, whole) or line["sectors"]]
        below = sum(line[whole] for line in counted) * unit
        return sum(line[part] for line in counted) / below if below else None

    return read


def _timed(launch: Json) -> float | None:
    timing: Json | None = launch["timing"]
    return timing["median_ms"] if timing else None


_NOT_SIMULATED = 'Only a launch with device = "sim" counts it.'
_BLOCK = ("BLOCK", "SHARED")
_MEANINGS = {name: figure.meaning for name, figure in FIGURES.items()}


def _rows() -> Iterator[Form]:
    for name in REPORTED:
        group = name.removesuffix("_instructions")
        meaning = _MEANINGS.get(name) or f"instructions of the group '{group}'"
        yield Form(name, meaning, _reported(name))
        # The ending can be left out of a group's name.
        if group != name:
            yield Form(group, meaning, _reported(name))
    for short, name in _SHORT.items():
        yield Form(short, _MEANINGS[name], _reported(name))
    yield Form("spills", "bytes per thread spilled and read back", _spills)
    for name in sorted(all_precisions()):
        yield Form(name, f"instructions that calculate in {name}", _precision(name))
    yield Form("double", "instructions that calculate in fp64", _precision("fp64"))
    yield Form("half", "instructions that calculate in fp16", _precision("fp16"))
    yield Form("loops", "loops in SASS", _loops)
    for word, meaning, read in _RESIDENT:
        yield Form(word, meaning, _resident(read), _BLOCK, optional=1)
    yield Form("findings", "all that may cost time", _findings_of(None))
    for rule in RULES:
        yield Form(f"{FINDING}:{rule}", f"findings of the rule '{rule}'", _findings_of(rule))
    for word, rule in FINDING_ALIASES.items():
        yield Form(f"{FINDING}:{word}", f"findings of the rule '{rule}'", _findings_of(rule))
    yield remarks_of("*")._replace(word="remarks", meaning="warnings and remarks of the compilers")
    # The only form that is a condition by itself, and compares with a file.
    equal = "whether the machine code is that of a cubin"
    yield Form("equal_to", equal, _equal_to, ("FILE", "normalised"), 1, is_relation=True)
    unmet = "expectations of the launch that are not met"
    yield Form("failed_checks", unmet, _failed_checks, of_launch=True)
    for word, meaning, measured in _LAUNCH:
        yield Form(word, meaning, _measured(measured), of_launch=True)
    for word, meaning, of_lines, worst in _SIMULATION:
        yield Form(word, meaning, _simulated(of_lines, worst), of_launch=True)
    for word, meaning in _OF_THREADS:
        yield Form(word, meaning, _reported_by_threads(word), of_launch=True)


_SHORT = {
    "shared": "shared_bytes",
    "local": "local_bytes",
    "constant": "constant_bytes",
    "stack": "stack_bytes",
}
_RESIDENT: tuple[tuple[str, str, Callable[[Occupancy], float]], ...] = (
    (
        "occupancy",
        "resident warps of those that could be, from 0 to 1; SHARED is dynamic shared memory",
        lambda filled: filled.fraction,
    ),
    (
        "resident_blocks",
        "blocks that a multiprocessor holds at once",
        lambda filled: filled.blocks,
    ),
    (
        "resident_warps",
        "warps that a multiprocessor holds at once",
        lambda filled: filled.warps,
    ),
)
_LAUNCH: tuple[tuple[str, str, Callable[[Json], float | None]], ...] = (
    (
        "strays",
        "writes out of the bounds of a buffer",
        lambda launch: sum(len(buffer["strays"]) for buffer in launch["buffers"]),
    ),
    (
        "unwritten",
        "elements of output buffers that were never written",
        lambda launch: sum(buffer["unwritten"] or 0 for buffer in launch["buffers"]),
    ),
    ("median_ms", "milliseconds of a launch, the median", _timed),
)

_SIMULATION: tuple[tuple[str, str, Callable[[Sequence[Json]], float | None], str], ...] = (
    (
        "executed",
        "instructions of PTX that warps have executed, in the simulator",
        _total("executions"),
        "executions",
    ),
    (
        "active_lanes",
        "threads of a warp that take part in an instruction, on average, in the simulator",
        _share("thread_executions", "executions"),
        "divergent",
    ),
    (
        "divergent",
        "branches that send the threads of a warp to different places, in the simulator",
        _total("divergent"),
        "divergent",
    ),
    (
        "sectors",
        "32-byte sectors of global and local memory that are touched, in the simulator",
        _total("sectors"),
        "sectors",
    ),
    (
        "sectors_per_request",
        "sectors that an access of a warp touches, on average, in the simulator",
        _share("sectors", "sector_requests"),
        "sectors",
    ),
    (
        "used_share",
        "bytes that threads ask for of those in the sectors moved, from 0 to 1, in the simulator",
        _share("bytes_used", "sectors", SECTOR_BYTES),
        "sectors",
    ),
    (
        "bank_conflicts",
        "bank conflicts, each a further pass through shared memory, in the simulator",
        _total("bank_conflicts"),
        "bank_conflicts",
    ),
    (
        "lanes_per_address",
        "most threads of a warp that meet at one address in an atomic operation, in the simulator",
        lambda lines: max((line["lanes_per_address"] for line in lines), default=0),
        "lanes_per_address",
    ),
    (
        "beside_copies",
        "loads of a warp from shared memory while copies to that are under way, in the simulator",
        _total("beside_copies"),
        "wavefronts",
    ),
)
_OF_THREADS = (
    ("races", "pairs of accesses to the same bytes that nothing orders, in the simulator"),
    ("faults", "what threads must not do, such as accesses out of bounds, in the simulator"),
)

FORMS: Mapping[str, Form] = {form.word: form for form in _rows()}
"""All forms but opcodes, by how they are written."""


@dataclass(frozen=True)
class OpcodeGlob:
    """Opcodes by their name and modifiers, such as ``LDG.128`` or ``LD?.*``.

    Attributes:
        word: As it is written.
        stem: The name, with ``*`` and ``?`` as in names of files.
        modifiers: Patterns that modifiers have to match, in any order.
    """

    word: str
    stem: str = field(init=False)
    modifiers: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        stem, *modifiers = self.word.split(".")
        # Computed once, though the value is frozen: each opcode of a kernel is compared with it.
        object.__setattr__(self, "stem", stem)
        # `LDG.*` asks for no modifier in particular.
        object.__setattr__(self, "modifiers", tuple(m for m in modifiers if m.strip("*")))

    def matches(self, opcode: str) -> bool:
        """Returns whether an opcode with its modifiers is meant."""
        stem, *modifiers = opcode.split(".")
        return fnmatchcase(stem, self.stem) and all(
            any(fnmatchcase(modifier, pattern) for modifier in modifiers)
            for pattern in self.modifiers
        )

    def form(self) -> Form:
        """Returns the form that counts these instructions."""

        def value(facts: JudgedKernel) -> FormValue:
            places = facts.places_of(self.matches)
            return FormValue(len(places), places)

        row = row_of(self.word)
        # The first sentence, up to what is for readers of PTX.
        does = re.split("[.;]", row.text)[0] if row else ""
        explained = f" ({does[:1].lower()}{does[1:]})" if does else " instructions"
        return Form(self.word, f"{self.word.removesuffix('.*')}{explained}", value)

    def independent(self) -> Form:
        """Returns the form that counts the instructions that wait for none of the others."""

        def value(facts: JudgedKernel) -> FormValue:
            places = independent(facts.function, facts.places_of(self.matches))
            return FormValue(len(places), places)

        meaning = f"{self.word} instructions of a block that wait for none of the others"
        return Form(f"{INDEPENDENT}:{self.word}", meaning, value)
