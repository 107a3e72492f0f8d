"""LLVM IR to PTX and LTO-IR by libNVVM."""

from __future__ import annotations

from functools import cache

from cuda.bindings import nvvm

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.job import Job
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.report import Report, text_of


@cache
def version() -> str:
    """The NVVM IR version's library version, such as ``2.0``.

    Raises:
        ToolMissing: libNVVM is not here.
    """
    locate.load(Tool.NVVM)
    major, minor = nvvm.version()
    return f"{major}.{minor}"


def llvm_dialect(arch: Arch) -> int | None:
    """Major version of the LLVM text that libNVVM reads for this target.

    None where this libNVVM cannot tell (that of CUDA 13.0 has no `nvvmLLVMVersion` yet) or does
    not know the target.
    """
    locate.load(Tool.NVVM)
    try:
        return int(nvvm.llvm_version(arch.compute))
    except (nvvm.nvvmError, RuntimeError, AttributeError):
        return None


def compile_ir(job: Job) -> Report:
    """Verify and compile one LLVM IR module, text or bitcode."""
    locate.load(Tool.NVVM)
    report = Report()
    ((_, module),) = job.inputs
    options = list(job.options)
    with report.timed():
        program = nvvm.create_program()
    try:
        with report.timed():
            nvvm.add_module_to_program(program, module, len(module), job.name)
            # A module that does not verify can crash the compiler: verify first, stop if it fails.
            nvvm.verify_program(program, len(options), options)
            nvvm.compile_program(program, len(options), options)
            result = bytearray(nvvm.get_compiled_result_size(program))
            nvvm.get_compiled_result(program, result)
        report.ok = True
        (kind,) = job.makes
        text = kind is CodeKind.PTX
        report.made[kind] = bytes(result).rstrip(b"\0") if text else bytes(result)
        report.log = _log(program)
    except nvvm.nvvmError as error:
        report.error_log = _log(program) or f"{error}: libNVVM gave no log."
    finally:
        nvvm.destroy_program(program)
    return report


def _log(program: int) -> str:
    log = bytearray(nvvm.get_program_log_size(program))
    nvvm.get_program_log(program, log)
    return text_of(log)
