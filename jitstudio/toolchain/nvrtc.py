"""CUDA C++ to PTX, cubin and LTO-IR by NVRTC.

Through `cuda.bindings`, not `cuda.core`: the latter's compiler needs a driver.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from cuda.bindings import nvrtc

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.job import Job
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.report import Report, text_of

_OUTPUTS: dict[CodeKind, tuple[Callable[..., Any], Callable[..., Any]]] = {
    CodeKind.PTX: (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX),
    CodeKind.CUBIN: (nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN),
    CodeKind.LTOIR: (nvrtc.nvrtcGetLTOIRSize, nvrtc.nvrtcGetLTOIR),
}
_OK = nvrtc.nvrtcResult.NVRTC_SUCCESS


class NvrtcError(RuntimeError):
    """A call of NVRTC's that cannot fail on good arguments did."""


@cache
def version() -> str:
    """Such as ``13.4``.

    Raises:
        ToolMissing: NVRTC is not here.
    """
    locate.load(Tool.NVRTC)
    major, minor = _checked(nvrtc.nvrtcVersion())
    return f"{major}.{minor}"


def supported_archs() -> tuple[Arch, ...]:
    """The architectures this NVRTC compiles for (`nvrtcGetSupportedArchs`), oldest first."""
    locate.load(Tool.NVRTC)
    (numbers,) = _checked(nvrtc.nvrtcGetSupportedArchs())
    return tuple(Arch(number) for number in sorted(numbers))


def compile_cuda(job: Job) -> Report:
    """Compile one CUDA C++ module."""
    locate.load(Tool.NVRTC)
    report = Report()
    try:
        _compile(job, job.options, job.makes, report)
    except NvrtcError as error:
        report.ok, report.error_log = False, str(error)
    if not report.ok and "ptxas" in report.error_log and CodeKind.PTX in job.makes:
        _rescue_ptx(job, report)
    return report


def _rescue_ptx(job: Job, report: Report) -> None:
    """The C++ was fine and ptxas was not: make the PTX, so that its complaint can be read there."""
    arch = next((o for o in job.options if o.startswith("-arch=")), "")
    options = tuple(arch.replace("sm_", "compute_") if o is arch else o for o in job.options)
    rescue = Report()
    _compile(job, options, (CodeKind.PTX,), rescue)
    report.ms += rescue.ms
    report.made, report.lowered = rescue.made, rescue.lowered


def _compile(
    job: Job, options: tuple[str, ...], makes: tuple[CodeKind, ...], report: Report
) -> None:
    ((_, text),) = job.inputs
    contents = [header.content for header in job.headers]
    names = [header.name.encode() for header in job.headers]
    # A folder may have a name that is no UTF-8.
    sent = [option.encode("utf-8", "surrogateescape") for option in options]
    with report.timed():
        (program,) = _checked(
            nvrtc.nvrtcCreateProgram(text, job.name.encode(), len(names), contents, names)
        )
    try:
        for expression in job.name_expressions:
            _checked(nvrtc.nvrtcAddNameExpression(program, expression.encode()))
        with report.timed():
            (status,) = nvrtc.nvrtcCompileProgram(program, len(sent), sent)
        log = text_of(_fetch(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog))
        report.ok = status == _OK
        if not report.ok:
            report.error_log = log or f"{status.name}: NVRTC gave no log."
            return
        report.log = log
        with report.timed():
            for kind in makes:
                report.made[kind] = _fetch(program, *_OUTPUTS[kind])
        for expression in job.name_expressions:
            (lowered,) = _checked(nvrtc.nvrtcGetLoweredName(program, expression.encode()))
            report.lowered.append((expression, lowered.decode()))
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    if CodeKind.PTX in report.made:
        # NVRTC counts the NUL at the end of the text.
        report.made[CodeKind.PTX] = report.made[CodeKind.PTX].rstrip(b"\0")


def _fetch(program: Any, size_of: Callable[..., Any], copy: Callable[..., Any]) -> bytes:
    size: int
    (size,) = _checked(size_of(program))
    # The binding writes into this object; it must not share memory with any other.
    buffer = b" " * size
    _checked(copy(program, buffer))
    return buffer


def _checked(answer: tuple[Any, ...]) -> tuple[Any, ...]:
    status, *values = answer
    if status != _OK:
        raise NvrtcError(f"NVRTC answered {status.name}.")
    return tuple(values)
