"""Machine code as the commands read and compare it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from jitstudio.analysis.control_flow import FlowGraph
from jitstudio.analysis.diff.model import Comparison
from jitstudio.analysis.diff.program import CubinProgram, FigureDelta, data_comparable
from jitstudio.analysis.findings.find import findings
from jitstudio.analysis.findings.model import Finding
from jitstudio.analysis.occupancy.calculate import (
    CurvePoint,
    Limits,
    Occupancy,
    Usage,
    filling_of,
    over_registers,
    over_shared,
    over_threads,
)
from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.report import KernelReport, report
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.model import Disassembly, SassFunction
from jitstudio.commands.inlined import makes_ptx
from jitstudio.commands.workers import Workers, borrowed
from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, Artifact, CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.events import Event, StageStarted
from jitstudio.core.file_names import FileNames, with_files
from jitstudio.core.kernel_resources import merge
from jitstudio.core.plan import with_idle_options
from jitstudio.core.prebuilt import cubins, ptx_of, target_shown
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import BuildResult, Kernel, Outcome, Resources, told_apart
from jitstudio.listing.functions import functions

if TYPE_CHECKING:
    # Few commands need them.
    from jitstudio.analysis.correlation.interleaved import InterleavedLine
    from jitstudio.core.launch.request import KernelForm


@dataclass(frozen=True, eq=False)
class Unit:
    """The machine code of a module, or of the link.

    Attributes:
        name: The module's, or `core.code.LINKED`.
        cubin: The file it is in.
        code: The functions of the cubin.
        resources: The resources of each kernel, by lowered name.
        ptx_sources: The module of each function that was written in PTX.
        titles: The title of each function of the cubin, by lowered name, the kernels first.
    """

    name: str
    cubin: Artifact
    code: Disassembly
    resources: dict[str, Resources]
    ptx_sources: dict[str, str]
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def functions(self) -> tuple[SassFunction, ...]:
        """The kernels, then the functions that others call."""
        return tuple(sorted(self.code.functions, key=lambda function: not function.is_kernel))

    def module_of(self, function: SassFunction) -> str:
        """Returns the PTX module that a function was written in, else the name of the unit."""
        return self.ptx_sources.get(function.name, self.name)

    def named(self, name: str | None) -> tuple[SassFunction, ...]:
        """Returns the functions of a name, lowered, demangled or a title; all for None."""
        known = (self.code.demangled, self.titles)
        return tuple(
            function
            for function in self.functions
            if name in (None, function.name, *(names.get(function.name) for names in known))
        )


def no_such_kernel(kernel: str, units: Sequence[Unit]) -> str:
    """Returns the message that a function is missing, with the names of all others."""
    names = [title for unit in units for title in unit.titles.values()]
    return f"There is no kernel '{kernel}'. There are: {', '.join(names) or 'none'}."


@dataclass(frozen=True, eq=False)
class MachineCode:
    """The result of a build whose machine code was to be read.

    Attributes:
        result: The build; it has failed if what it made cannot be read.
        units: In the order of the modules; empty if anything has failed.
    """

    result: BuildResult
    units: tuple[Unit, ...] = ()


def read_machine_code(
    request: BuildRequest,
    timeout: float,
    workers: Workers | None = None,
    *,
    with_calls: bool = False,
    function: str = "",
    on_unit: Callable[[Unit], None] | None = None,
) -> MachineCode:
    """Builds a request as far as machine code, and reads that.

    Args:
        request: The build; modules that are machine code already are only read.
        timeout: Seconds that the build may take, and each reading.
        workers: The workers of the caller; None for workers that end with the reading.
        with_calls: Whether to make PTX too, where that takes little: its line table alone has
            the calls through which all code was inlined.
        function: The name of the only function to read, lowered, demangled or a title; empty for
            all. Where nothing has it, the units have no code.
        on_unit: Called with each unit whose live registers are still counted.

    Raises:
        WorkerError: A worker itself failed.
    """
    more = {CodeKind.PTX} if with_calls and makes_ptx(request) else set()
    request = replace(request, emit=frozenset({CodeKind.CUBIN, *more}))
    with borrowed(workers) as workers:
        reader = workers.code_reader
        names = FileNames(request)
        result = with_files(_built(workers, request, timeout), names.shown)
        if not result.ok:
            return MachineCode(result)

        def read(function: str) -> MachineCode:
            units = []
            for cubin in cubins(request, result):
                ptx = ptx_of(request, result, cubin.name)
                reading = AnalysisRequest.of_build(
                    request, cubin.content, cubin.file_name, ptx, function
                )
                unit_of = partial(_unit, request, result, cubin, names)
                hear = None if on_unit is None else partial(_hand_over, on_unit, unit_of)
                code = reader.analyse(reading, timeout=timeout, on_code=hear)
                if isinstance(code, ReadingFailure):
                    return MachineCode(_failed(result, cubin, code))
                units.append(unit_of(code))
            return MachineCode(result, _titled(units))

        code = read(function)
        if function and not any(unit.functions for unit in code.units):
            # A title that names the module, too, which a cubin does not know.
            titles = (title for unit in code.units for title in unit.titles.items())
            lowered = next((name for name, title in titles if title == function), "")
            code = read(lowered) if lowered else code
        return code


def _hand_over(
    on_unit: Callable[[Unit], None], unit_of: Callable[[Disassembly], Unit], code: Disassembly
) -> None:
    """Calls back with the unit of a reading whose live registers are still counted."""
    on_unit(unit_of(code))


def _with_names(code: Disassembly, names: FileNames) -> Disassembly:
    """Returns machine code whose places are in files that are there."""
    functions = (replace(f, places=with_files(f.places, names.path)) for f in code.functions)
    return replace(code, functions=tuple(functions))


def _built(workers: Workers, request: BuildRequest, timeout: float) -> BuildResult:
    def hear(event: Event) -> None:
        # The reader loads its libraries while the compilers work. What is built already has been
        # read already.
        if isinstance(event, StageStarted):
            workers.code_reader.start()

    is_machine_code = all(source.kind is CodeKind.CUBIN for source in request.sources)
    if is_machine_code and request.link is LinkMode.NONE:
        return BuildResult(Outcome.BUILT, target_shown(request))
    return with_idle_options(
        request, workers.builder.build(request, timeout=timeout, on_event=hear)
    )


def _unit(
    request: BuildRequest, result: BuildResult, cubin: Artifact, names: FileNames, code: Disassembly
) -> Unit:
    code = _with_names(code, names)
    reported = {
        k.name: k.resources for k in result.kernels if k.module == cubin.name and k.resources
    }
    return Unit(
        cubin.name,
        cubin,
        code,
        merge(code.resources, reported),
        _written_in_ptx(request, cubin.name),
    )


def _titled(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """Returns the units with titles, which tell functions of the same name in two units apart."""
    functions = [
        Kernel(unit.name, name, words)
        for unit in units
        for name, words in unit.code.demangled.items()
    ]
    titles = told_apart(functions, lambda function: function.demangled)
    return tuple(
        replace(unit, titles={name: titles[unit.name, name] for name in _kernels_first(unit.code)})
        for unit in units
    )


def _kernels_first(code: Disassembly) -> list[str]:
    return sorted(code.demangled, key=lambda name: name not in code.resources)


def _written_in_ptx(request: BuildRequest, name: str) -> dict[str, str]:
    """Returns the PTX modules by function, without functions that several define."""
    modules: dict[str, str] = {}
    for source in request.sources:
        if source.kind is not CodeKind.PTX or name not in (source.name, LINKED):
            continue
        lines = source.content.decode("utf-8", "replace").splitlines()
        for function in functions(CodeKind.PTX, lines):
            if function.is_defined:
                # A second module with it makes the function nobody's.
                modules[function.name] = "" if function.name in modules else source.name
    return {function: module for function, module in modules.items() if module}


def _failed(result: BuildResult, cubin: Artifact, failure: ReadingFailure) -> BuildResult:
    """Returns a build as failed, because the machine code cannot be read."""
    error = Diagnostic(Severity.ERROR, cubin.name, None, None, failure.message)
    return replace(result, outcome=failure.outcome, diagnostics=(*result.diagnostics, error))


@dataclass(frozen=True, eq=False)
class KernelOccupancy:
    """How full a multiprocessor is with blocks of a kernel.

    Attributes:
        limits: The limits of the multiprocessor.
        usage: The needs of a block.
        occupancy: With both of them.
        what_if: The occupancy at other values, by the name of the value that changes.
    """

    limits: Limits
    usage: Usage
    occupancy: Occupancy
    what_if: Mapping[str, Sequence[CurvePoint]]


@dataclass(frozen=True, eq=False)
class Inspected:
    """A function with all results of reading.

    Attributes:
        unit: The unit with the function.
        function: Its code.
        report: Its numbers.
        graph: Its control flow.
        findings: The rules of the report that apply.
        filling: None for what is no kernel, and where a limit or the registers are not known.
        form: The kernel with its parameters; None where nobody asked, or nothing tells them.
        interleaved: Source, PTX and SASS in turn; empty where nobody asked.
    """

    unit: Unit
    function: SassFunction
    report: KernelReport
    graph: FlowGraph
    findings: tuple[Finding, ...]
    filling: KernelOccupancy | None
    form: KernelForm | None = None
    interleaved: Sequence[InterleavedLine] = ()

    @property
    def ptx_source(self) -> str:
        """The module of a function that was written in PTX; else empty."""
        return self.unit.ptx_sources.get(self.function.name, "")

    @property
    def title(self) -> str:
        """The name of the function among all that were read."""
        return self.unit.titles.get(self.function.name, self.demangled)

    @property
    def demangled(self) -> str:
        """The demangled name of the function."""
        return self.unit.code.demangled.get(self.function.name, self.function.name)


def findings_in(unit: Unit, function: SassFunction) -> tuple[Finding, ...]:
    """Returns the findings on a function, which need no live registers."""
    return findings(function, unit.resources.get(function.name), unit.module_of(function))


class EarlyFindings:
    """The findings on units whose live registers are still counted, by a thread of its own."""

    def __init__(self) -> None:
        self._findings: dict[tuple[str, str], Future[tuple[Finding, ...]]] = {}

    def begin(self, unit: Unit, functions: Sequence[SassFunction]) -> None:
        """Begins to look for the findings on these functions of a unit."""
        waiting = {(unit.name, f.name): (f, Future[tuple[Finding, ...]]()) for f in functions}
        self._findings |= {name: future for name, (_, future) in waiting.items()}
        # It ends with the program, also where nobody waits for it any more.
        Thread(target=self._find, args=(unit, waiting.values()), daemon=True).start()

    def of(self, unit: Unit, function: SassFunction) -> tuple[Finding, ...]:
        """Returns the findings on a function."""
        future = self._findings.get((unit.name, function.name))
        return findings_in(unit, function) if future is None else future.result()

    @staticmethod
    def _find(
        unit: Unit, waiting: Iterable[tuple[SassFunction, Future[tuple[Finding, ...]]]]
    ) -> None:
        for function, future in waiting:
            try:
                future.set_result(findings_in(unit, function))
            except Exception as error:  # whoever waits for it is to see it
                future.set_exception(error)


def inspection_of(
    unit: Unit,
    function: SassFunction,
    block: int | None,
    shared: int,
    find: Callable[[Unit, SassFunction], tuple[Finding, ...]] = findings_in,
) -> Inspected:
    """Returns a function with all results of reading.

    Args:
        unit: The unit with the function.
        function: Its code.
        block: Threads per block to calculate the occupancy with; None for a usual number.
        shared: Bytes of dynamic shared memory per block.
        find: Gives the findings.
    """
    resources = unit.resources.get(function.name)
    return Inspected(
        unit,
        function,
        report(function, resources),
        sass_graph(function),
        find(unit, function),
        _filling(unit.code.target, resources, block, shared) if resources else None,
    )


def _filling(
    target: str, resources: Resources, block: int | None, shared: int
) -> KernelOccupancy | None:
    filling = filling_of(Arch.parse(target), resources, block, shared) if target else None
    if filling is None:
        return None
    limits, usage, occupancy = filling
    what_if = {
        "threads": over_threads(limits, usage).points,
        "registers": over_registers(limits, usage).steps,
        "shared_bytes": over_shared(limits, usage).steps,
    }
    return KernelOccupancy(limits, usage, occupancy, what_if)


@dataclass(frozen=True, eq=False)
class ComparedInput:
    """A side of a comparison.

    Attributes:
        name: The file.
        result: The build; None where a text is taken as it is.
        lines: The compared text; unused where machine code is compared.
        is_kept: Whether they are PTX as machine code has kept it.
        program: The machine code; None where a text is compared, or nothing could be built.
        resources: The resources of each kernel.
        toolchain: The folder of the compilers that were chosen for it; empty for our own, None
            where none were.
    """

    name: str
    result: BuildResult | None = None
    lines: tuple[str, ...] = ()
    is_kept: bool = False
    program: CubinProgram | None = None
    resources: Mapping[str, Resources] = field(default_factory=dict)
    toolchain: str | None = None

    @property
    def title(self) -> str:
        """The file, with the tool that has compiled the file where tools differ."""
        if self.toolchain is None or self.result is None or not self.result.stages:
            return self.name
        first = self.result.stages[0]
        return f"{self.name} ({first.tool.value} {first.version})"


@dataclass(frozen=True, eq=False)
class CodeDifference:
    """The difference of two sides; `comparison` is None where a build has failed."""

    sides: tuple[ComparedInput, ComparedInput]
    comparison: Comparison | None = None
    deltas: tuple[FigureDelta, ...] = ()

    @property
    def data_compared(self) -> bool | None:
        """Whether more than code is compared; None where no machine code is."""
        left, right = (side.program for side in self.sides)
        if self.comparison is None or left is None or right is None:
            return None
        return data_comparable(left, right)
