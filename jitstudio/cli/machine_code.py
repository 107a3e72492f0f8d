"""Builds what the command line names, or takes it as it is, and has its machine code read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from jitstudio.analysis.correlation.modules import ptx_of
from jitstudio.analysis.model import Disassembly, SassFunction
from jitstudio.analysis.request import AnalysisRequest, Unreadable
from jitstudio.cache.store import Store
from jitstudio.core.code import LINKED, Artifact, CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.plan import with_idle_options
from jitstudio.core.request import BuildRequest, DemangleRequest, LinkMode
from jitstudio.core.resources import merge
from jitstudio.core.result import BuildResult, Outcome, Resources, machine_code, target_shown
from jitstudio.listing.functions import functions
from jitstudio.worker.builder import Builder
from jitstudio.worker.disassembly_reader import DisassemblyReader

# On the way from these to machine code there is PTX. Of these alone LTO makes it too.
_COMPILED = frozenset({CodeKind.CUDA, CodeKind.LLVM_IR})
_WITH_PTX = {
    LinkMode.NONE: _COMPILED | {CodeKind.PTX},
    LinkMode.PTX: _COMPILED | {CodeKind.PTX},
    LinkMode.LTO: _COMPILED,
}


@dataclass(frozen=True, eq=False)
class Unit:
    """The machine code of one module, or of the link.

    Attributes:
        name: The module's, or `core.code.LINKED`.
        cubin: The file it is in.
        code: What is in it.
        resources: What each kernel needs, by its lowered name.
        demangled: The names of its functions in words of C++.
        ptx_sources: The module of each function that was written in PTX.
    """

    name: str
    cubin: Artifact
    code: Disassembly
    resources: dict[str, Resources]
    demangled: dict[str, str]
    ptx_sources: dict[str, str]

    @property
    def functions(self) -> tuple[SassFunction, ...]:
        """The kernels, then the functions that others call."""
        return tuple(sorted(self.code.functions, key=lambda function: not function.is_kernel))


@dataclass(frozen=True, eq=False)
class MachineCode:
    """What became of a build whose machine code was to be read.

    Attributes:
        result: The build; it has failed if what it made cannot be read.
        units: In the order of the modules; empty if anything has failed.
    """

    result: BuildResult
    units: tuple[Unit, ...] = ()


def read_machine_code(
    request: BuildRequest, timeout: float, *, with_calls: bool = False
) -> MachineCode:
    """Build what is asked for as far as machine code, and read it.

    Args:
        request: What to build; what is machine code already is only read.
        timeout: Seconds that the build may take, and each reading.
        with_calls: Whether to make PTX too, where that takes little: it alone tells for all code
            through which calls it was inlined.

    Raises:
        WorkerError: A worker itself failed.
    """
    more = {CodeKind.PTX} if with_calls and makes_ptx(request) else set()
    request = replace(request, emit=frozenset({CodeKind.CUBIN, *more}))
    builder, reader = Builder(store=Store()), DisassemblyReader()
    try:
        result = _built(builder, request, timeout)
        if not result.ok:
            return MachineCode(result)
        units = []
        for cubin in _cubins(request, result):
            asked = AnalysisRequest(
                cubin.content,
                cubin.file_name,
                ptx_of(request, result, cubin.name),
                request.confined_to,
            )
            code = reader.analyse(asked, timeout=timeout)
            if isinstance(code, Unreadable):
                return MachineCode(_failed(result, cubin, code))
            units.append(_unit(builder, request, result, cubin, code))
        return MachineCode(result, tuple(units))
    finally:
        reader.close()
        builder.close()


def makes_ptx(request: BuildRequest) -> bool:
    """Whether there is PTX on the way to the machine code, or a link that makes it too."""
    return _WITH_PTX[request.link].issuperset(source.kind for source in request.sources)


def _built(builder: Builder, request: BuildRequest, timeout: float) -> BuildResult:
    is_machine_code = all(source.kind is CodeKind.CUBIN for source in request.sources)
    if is_machine_code and request.link is LinkMode.NONE:
        return BuildResult(Outcome.BUILT, target_shown(request))
    return with_idle_options(request, builder.build(request, timeout=timeout))


def _cubins(request: BuildRequest, result: BuildResult) -> Iterator[Artifact]:
    """What was given and what was made, in the order of the modules."""
    made = [a.name for a in result.artifacts if a.kind is CodeKind.CUBIN]
    given = [source.name for source in request.sources]
    for name in sorted(
        dict.fromkeys((*made, *given)),
        key=lambda name: given.index(name) if name in given else len(given),
    ):
        if cubin := machine_code(request, result, name):
            yield cubin


def _unit(
    builder: Builder,
    request: BuildRequest,
    result: BuildResult,
    cubin: Artifact,
    code: Disassembly,
) -> Unit:
    told = {k.name: k.resources for k in result.kernels if k.module == cubin.name and k.resources}
    names = tuple(function.name for function in code.functions)
    return Unit(
        cubin.name,
        cubin,
        code,
        merge(code.resources, told),
        builder.demangle(DemangleRequest(names)),
        _written_in_ptx(request, cubin.name),
    )


def _written_in_ptx(request: BuildRequest, name: str) -> dict[str, str]:
    """By the function; one that several modules define is left out."""
    found: dict[str, str] = {}
    for source in request.sources:
        if source.kind is not CodeKind.PTX or name not in (source.name, LINKED):
            continue
        lines = source.content.decode("utf-8", "replace").splitlines()
        for function in functions(CodeKind.PTX, lines):
            if function.is_defined:
                found[function.name] = "" if function.name in found else source.name
    return {function: module for function, module in found.items() if module}


def _failed(result: BuildResult, cubin: Artifact, code: Unreadable) -> BuildResult:
    told = Diagnostic(Severity.ERROR, cubin.name, None, None, code.words)
    return replace(result, outcome=code.outcome, diagnostics=(*result.diagnostics, told))
