"""Runs a job, a tool on the inputs, and reports the results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import starmap
from types import ModuleType

from jitstudio.core.code import Artifact, CodeKind, split_variant
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.disk import working_folder
from jitstudio.core.events import Event, Problem, StageFinished, StageStarted
from jitstudio.core.kernel_resources import has_code, kernels_of
from jitstudio.core.plan import UNKNOWN, Job, JobDependencies, Ref
from jitstudio.core.result import Kernel, LoweredName, Outcome, Resources, StageResult
from jitstudio.core.tile_ir import tile_kernels
from jitstudio.core.tools import CUDA_COMPILERS, TILE_TOOLS, Tool
from jitstudio.ptx.skimming import entries
from jitstudio.toolchain import locate
from jitstudio.toolchain.demangle import demangled
from jitstudio.toolchain.tool_files import identity
from jitstudio.toolchain.tool_output import Capture, Report, ToolMissing

Emit = Callable[[Event], None]

# `@E@error   : Multiple definition of 'f' in 'b.ptx'`
_SEVERITY = re.compile(r"^@[EW]@", re.MULTILINE)


_RUNNERS = {
    Tool.NVRTC: ("nvrtc", "compile_cuda"),
    Tool.NVCC: ("nvcc", "compile_cuda"),
    Tool.NVVM: ("nvvm", "compile_ir"),
    Tool.NVJITLINK: ("nvjitlink", "link"),
    Tool.NVFATBIN: ("nvfatbin", "pack"),
    Tool.DRIVER: ("driver_jit", "assemble"),
    Tool.NVDISASM: ("disassembly", "disassemble"),
    Tool.CUOBJDUMP: ("extraction", "extract"),
    Tool.TILEIRAS: ("tileiras", "assemble"),
    Tool.TILEIRDISASM: ("tileiras", "disassemble"),
    Tool.PYTHON: ("python_scripts", "run_script"),
}
"""The module of each tool, loaded with its first job, and the function that does a job."""


def _version(job: Job, module: ModuleType) -> str:
    """Returns the version of the job's tool.

    Raises:
        ToolMissing: It is not here.
    """
    if job.tool in (Tool.NVDISASM, Tool.CUOBJDUMP, *TILE_TOOLS):
        return locate.program_version(job.tool)
    version: str = module.version(job) if job.tool is Tool.PYTHON else module.version()
    return version


def run(job: Job, emit: Emit, capture: Capture) -> JobDependencies:
    """Does the job, reporting everything through `emit`; failures are reported, not raised."""
    name, function = _RUNNERS[job.tool]
    module = import_module(f"jitstudio.toolchain.{name}")
    try:
        version = _version(job, module)
    except ToolMissing as missing:
        message = str(missing)
        if job.tool in TILE_TOOLS and (names := tile_kernels(job.inputs[0][1])):
            message += f" The tile functions need it: {', '.join(demangled(names).values())}."
        diagnostic = Diagnostic(Severity.ERROR, "", None, None, message, missing.tool)
        emit(Problem(Outcome.MISSING, diagnostic))
        return UNKNOWN
    emit(StageStarted(job.tool, version, job.name, job.options))
    mark = capture.mark()
    report: Report = getattr(module, function)(job)
    stdout, stderr = capture.since(mark)
    # nvJitLink begins a line by its severity, for a reader that is not here.
    stderr = _SEVERITY.sub("", stderr)
    stage = StageResult(
        tool=job.tool,
        version=version,
        source=job.name,
        options=job.options if report.options is None else report.options,
        ok=report.ok,
        ms=report.ms,
        log="\n".join(filter(None, (*(s.sentence(job.tool) for s in report.supplied), report.log))),
        error_log=report.error_log,
        stdout=stdout,
        stderr=stderr,
        crash=report.crash,
        phases=report.phases,
        supplied=report.supplied,
        host_code=report.host_code,
        stand_ins=report.stand_ins,
        copies=report.copies,
        instances=report.instances,
        header_folders=report.header_folders,
    )
    emit(
        StageFinished(
            stage=stage,
            artifacts=tuple(_artifacts(job, report)),
            lowered_names=tuple(_lowered(job, report)),
            kernels=tuple(_kernels(job, report)),
            diagnostics=tuple(_noticed(job, report)),
        )
    )
    if not job.cacheable:
        return UNKNOWN
    # The parent reads the result meanwhile.
    return JobDependencies(identity(job.tool), report.searches, working_folder(), report.began_ns)


def _artifacts(job: Job, report: Report) -> Iterator[Artifact]:
    yield from (Artifact(kind, job.name, code) for kind, code in report.code.items())
    yield from (Artifact(CodeKind.CAPTURED, job.name, kernel) for kernel in report.captured)


def _lowered(job: Job, report: Report) -> Iterator[LoweredName]:
    known = dict(report.lowered)
    words = demangled(known.values())
    for expression in job.name_expressions:
        lowered = known.get(expression, "")
        refused = report.refused.get(expression, "")
        yield LoweredName(job.name, expression, lowered, words.get(lowered, lowered), refused)


def _kernels(job: Job, report: Report) -> Iterator[Kernel]:
    """Yields the kernels of the machine code where there is some, otherwise of the PTX."""
    if not job.final:
        return
    by_name: dict[str, Resources | None] = {}
    if (text := report.code.get(CodeKind.PTX)) is not None:
        by_name |= dict.fromkeys(entries(text.decode("utf-8", "replace")))
    codes = [report.code[CodeKind.CUBIN]] if CodeKind.CUBIN in report.code else []
    if job.tool in TILE_TOOLS:
        by_name |= dict.fromkeys(tile_kernels(job.inputs[0][1]) or ())
    if job.tool is Tool.NVDISASM and report.ok:
        # The only step of a cubin that was given.
        codes += [code for _, code in job.inputs]
    for code in codes:
        by_name |= kernels_of(code, report.log, report.spills)
    words = demangled(by_name)
    for name, resources in by_name.items():
        yield Kernel(job.name, name, words[name], resources)


def _noticed(job: Job, report: Report) -> Iterator[Diagnostic]:
    yield from report.diagnostics
    yield from _unheeded(job, report)
    if report.tile_kernels and CodeKind.TILE_BYTECODE not in job.makes:
        message = f"{_NO_TILE_CODE}: {', '.join(demangled(report.tile_kernels).values())}."
        yield Diagnostic(Severity.WARNING, split_variant(job.name)[0], None, None, message)
    if report.crash is not None:
        message = report.crash.message
        yield Diagnostic(Severity.ERROR, job.name, None, None, message, report.crash.tool)
    empty = _EMPTY.get(job.tool)
    kinds = {ref.kind for ref, _ in job.inputs}
    if job.tool is Tool.NVJITLINK and kinds & {CodeKind.PTX, CodeKind.LTOIR}:
        # It drops what is never called, as it should; of compiled PTX its compiler has said so.
        empty = _FUNCTIONS_ONLY if all(starmap(_is_ptx_of_functions, job.inputs)) else None
        empty = _LINKED_TO_NOTHING if kinds == {CodeKind.LTOIR} else empty
    if job.makes == (CodeKind.TILE_BYTECODE,):
        empty = _NO_TILE_FUNCTION
    if report.ok and job.final and empty and _lacks_kernel(job.tool, report):
        yield Diagnostic(Severity.WARNING, job.name, None, None, empty)


_MOST_REGISTERS = re.compile(r"(?P<option>--?maxrregcount)=(?P<count>\d+)")
# What ptxas makes of a lesser number, with a warning of its own.
_LEAST_REGISTERS = 24


def _unheeded(job: Job, report: Report) -> Iterator[Diagnostic]:
    """Yields a warning if kernels say themselves how many registers they may have.

    Measured with sm_75 to sm_120: `__launch_bounds__`, `__block_size__` and `__maxnreg__` win.
    """
    option = next(filter(None, map(_MOST_REGISTERS.fullmatch, reversed(job.options))), None)
    if option is None:
        return
    most = max(int(option["count"]), _LEAST_REGISTERS)
    kernels = [
        kernel.demangled
        for kernel in _kernels(job, report)
        if (needs := kernel.resources) is not None
        and (needs.max_threads is not None or (needs.registers or 0) > most)
    ]
    if kernels:
        message = f"'{option[0]}' has no effect on {', '.join(kernels[:_MOST_NAMES])}"
        more = len(kernels) - _MOST_NAMES
        message += f" and {more} more kernels." if more > 0 else "."
        yield Diagnostic(Severity.WARNING, job.name, None, None, message)


_MOST_NAMES = 3
_NO_TILE_CODE = (
    "Tile functions are left out, as no LTO-IR or OptiX IR is made of them (--emit tileir,ptx,sass)"
)
_FUNCTIONS_ONLY = "Assembled, but there is no kernel in the PTX, and so no code in the result."
_LINKED_TO_NOTHING = "Linked by LTO, but there is no code in the result."
_NO_TILE_FUNCTION = "There is no __tile_global__ function, and so no Tile IR."
# Why the compilers do so, and what to do, is explained by `core.explanations`.
_COMPILED_TO_NOTHING = "Compiled, but there is no kernel in the result."
_EMPTY = {
    Tool.NVRTC: _COMPILED_TO_NOTHING,
    Tool.NVCC: _COMPILED_TO_NOTHING,
    Tool.NVVM: _COMPILED_TO_NOTHING,
    Tool.NVJITLINK: "Linked, but there is no code in the result. nvJitLink leaves out machine code "
    "that is not relocatable: compile it with -rdc=true, or give it as PTX.",
}


def _is_ptx_of_functions(ref: Ref, content: bytes) -> bool:
    """Returns whether this is PTX that was given, without a kernel."""
    is_input = ref.kind is CodeKind.PTX and ref.file_name == ref.name
    return is_input and not entries(content.decode("utf-8", "replace"))


def _lacks_kernel(tool: Tool, report: Report) -> bool:
    if (text := report.code.get(CodeKind.PTX)) is not None:
        # NVRTC's user has asked for a device function; in LLVM IR it is what a kernel becomes
        # whose annotation is missing.
        wanted = (b".entry", b".func") if tool in CUDA_COMPILERS else (b".entry",)
        return not any(word in text for word in wanted)
    code = report.code.get(CodeKind.CUBIN)
    return not has_code(code) if code is not None else tool is Tool.NVRTC and not report.code
