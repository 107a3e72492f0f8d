"""Carries out the plan of a build, step by step, and tells what happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jitstudio.core.code import LINKED, TEXT_KINDS, Artifact, CodeKind, Source
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.events import Event, Problem, StageFinished, StageStarted
from jitstudio.core.job import Job
from jitstudio.core.plan import PlanError, Ref, Step, plan
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import Kernel, LoweredName, Outcome, StageResult
from jitstudio.core.tools import Tool
from jitstudio.listing.ptx import entries
from jitstudio.toolchain import cubin, locate, nvdisasm, nvjitlink, nvrtc, nvvm
from jitstudio.toolchain.capture import Capture
from jitstudio.toolchain.demangle import demangle
from jitstudio.toolchain.errors import ToolMissing
from jitstudio.toolchain.report import Report

Emit = Callable[[Event], None]


@dataclass(frozen=True)
class _Runner:
    version: Callable[[], str]
    run: Callable[[Job], Report]


_RUNNERS = {
    Tool.NVRTC: _Runner(nvrtc.version, nvrtc.compile_cuda),
    Tool.NVVM: _Runner(nvvm.version, nvvm.compile_ir),
    Tool.NVJITLINK: _Runner(nvjitlink.version, nvjitlink.link),
    Tool.NVDISASM: _Runner(locate.nvdisasm_version, nvdisasm.disassemble),
}
_KERNELS_IN: dict[CodeKind, Callable[[bytes], tuple[str, ...]]] = {
    CodeKind.PTX: lambda text: entries(text.decode("utf-8", "replace")),
    CodeKind.CUBIN: cubin.kernels,
}
_BITCODE = b"BC\xc0\xde"


def build(request: BuildRequest, emit: Emit, capture: Capture) -> None:
    """Build, telling everything through `emit`; what fails is told, not raised."""
    try:
        steps = plan(request)
    except PlanError as error:
        emit(_problem(Outcome.REFUSED, str(error)))
        return
    unreadable = list(_unreadable(request))
    if unreadable:
        for problem in unreadable:
            emit(problem)
        return
    made = {Ref(source.kind, source.name): source.content for source in request.sources}
    for number, step in enumerate(steps, 1):
        if any(ref not in made for ref in step.inputs):
            continue  # what it needs has failed, and that has been told
        try:
            version = _RUNNERS[step.tool].version()
        except ToolMissing as missing:
            emit(_problem(Outcome.MISSING, str(missing), step.name, missing.tool))
            continue
        emit(StageStarted(step.tool, version, step.name, step.options, number, len(steps)))
        finished = _run(request, step, version, made, capture)
        made.update({Ref(a.kind, a.name): a.content for a in finished.artifacts})
        emit(finished)


def _run(
    request: BuildRequest, step: Step, version: str, made: dict[Ref, bytes], capture: Capture
) -> StageFinished:
    source = next((s for s in request.sources if s.name == step.name), None)
    compiles = step.tool is Tool.NVRTC and source is not None
    job = Job(
        tool=step.tool,
        name=step.name,
        inputs=tuple((ref, made[ref]) for ref in step.inputs),
        makes=step.makes,
        options=step.options,
        headers=request.headers if compiles else (),
        name_expressions=source.name_expressions if source and compiles else (),
    )
    mark = capture.mark()
    report = _RUNNERS[step.tool].run(job)
    stdout, stderr = capture.since(mark)
    stage = StageResult(
        tool=step.tool,
        version=version,
        source=step.name,
        options=step.options,
        ok=report.ok,
        ms=report.ms,
        log=report.log,
        error_log=report.error_log,
        stdout=stdout,
        stderr=stderr,
        crash=report.crash,
    )
    return StageFinished(
        stage=stage,
        artifacts=tuple(Artifact(kind, step.name, code) for kind, code in report.made.items()),
        lowered_names=tuple(_lowered(job, report)),
        kernels=tuple(_kernels(request, step, report)),
        diagnostics=tuple(_noticed(request, step, report)),
    )


def _lowered(job: Job, report: Report) -> Iterator[LoweredName]:
    known = dict(report.lowered)
    for expression in job.name_expressions:
        lowered = known.get(expression, "")
        yield LoweredName(job.name, expression, lowered, demangle(lowered))


def _kernels(request: BuildRequest, step: Step, report: Report) -> Iterator[Kernel]:
    """The kernels of what was made last: of the link where there is one."""
    if request.link is not LinkMode.NONE and step.name != LINKED:
        return
    for kind, names_in in _KERNELS_IN.items():
        if kind in report.made:
            for name in names_in(report.made[kind]):
                yield Kernel(step.name, name, demangle(name))


def _noticed(request: BuildRequest, step: Step, report: Report) -> Iterator[Diagnostic]:
    if report.crash is not None:
        yield Diagnostic(
            Severity.ERROR, step.name, None, None, report.crash.message, report.crash.tool
        )
    hint = _NO_KERNEL.get(step.tool)
    alone = request.link is LinkMode.NONE
    if report.ok and hint and alone and _lacks_kernel(step.tool, report):
        told = f"Compiled, but there is no kernel in the result. {hint}"
        yield Diagnostic(Severity.WARNING, step.name, None, None, told)


_NO_KERNEL = {
    Tool.NVRTC: "Mark a function __global__; a template appears only with a name expression, "
    "such as saxpy<float>.",
    Tool.NVVM: 'Name the function in !nvvm.annotations, with "kernel" and i32 1.',
}


def _lacks_kernel(tool: Tool, report: Report) -> bool:
    if (text := report.made.get(CodeKind.PTX)) is not None:
        # NVRTC's user has asked for a device function; in LLVM IR it is what a kernel becomes
        # whose annotation is missing.
        wanted = (b".entry", b".func") if tool is Tool.NVRTC else (b".entry",)
        return not any(word in text for word in wanted)
    code = report.made.get(CodeKind.CUBIN)
    return code is not None and not cubin.has_code(code)


def _unreadable(request: BuildRequest) -> Iterator[Problem]:
    for source in request.sources:
        if not source.content.strip():
            yield _problem(
                Outcome.FAILED,
                f"'{source.name}' is empty: there is nothing to compile.",
                source.name,
            )
        elif _is_text(source):
            yield from _not_utf8(source.name, source.content)
    for header in request.headers:
        yield from _not_utf8(header.name, header.content)


def _is_text(source: Source) -> bool:
    return source.kind in TEXT_KINDS and not source.content.startswith(_BITCODE)


def _not_utf8(name: str, content: bytes) -> Iterator[Problem]:
    """The compilers take any bytes, stop at a NUL and blame lines; tell the true cause first."""
    try:
        content.decode()
        at = content.index(b"\0")
        found = "a NUL character"
    except UnicodeDecodeError as error:
        at = error.start
        found = f"the byte 0x{content[at]:02x}, which is not UTF-8"
    except ValueError:
        return
    line = content.count(b"\n", 0, at) + 1
    column = len(content[content.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", "replace")) + 1
    told = f"'{name}' holds {found}. Save the file as UTF-8 text and build again."
    yield Problem(Outcome.FAILED, Diagnostic(Severity.ERROR, name, line, column, told))


def _problem(outcome: Outcome, message: str, file: str = "", tool: Tool | None = None) -> Problem:
    return Problem(outcome, Diagnostic(Severity.ERROR, file, None, None, message, tool))
