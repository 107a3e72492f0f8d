"""LLVM IR to PTX and LTO-IR by libNVVM."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from cuda.bindings import nvvm
from cuda.pathfinder import BitcodeLibNotFoundError, find_bitcode_lib

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Header, is_bitcode
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.ir_functions import typed_pointer_line, without_comments
from jitstudio.core.plan import Job
from jitstudio.core.source_facts import split_at_commas
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.ir_lines import with_lines
from jitstudio.toolchain.result_words import meaning_of
from jitstudio.toolchain.supplied_copy import (
    IrCopy,
    has_foreign_layout,
    supplied_copy,
    supply_layout,
    targets_of,
)
from jitstudio.toolchain.tool_output import Report, ToolMissing, text_of

_LIBDEVICE = "libdevice"
# LLVM's "Opaque Pointers", "Version Support": LLVM 15 has them by default.
_OPAQUE_SINCE = 15
_UNOPTIMISED = "-opt=0"
_LTO = "-gen-lto"
_NO_TABLE = "There is no line table: libNVVM compiles the LLVM IR as it is, but not with one."
_UNOPTIMISED_NO_TABLE = (
    "There is no line table: at -opt=0 libNVVM makes other code with one, as it then loads a "
    "constant again for each line that uses it."
)

# Its reading of the text: all that comes before what a module may lack.
_PARSE_ERROR = re.compile(r"^\S[^\n]*? \(\d+, \d+\): parse ", re.MULTILINE)
# `datalayout` as the text has the word, `data layout` as messages write it.
_LAYOUT_REFUSED = re.compile(r"(?i)data ?layout")

_NO_LOG = "libNVVM gave no log."
# `call void bitcast (void (i32)* @llvm.name to void (i64)*)(i64 1)`
_CAST_INTRINSIC = re.compile(r"@(?P<name>llvm\.[\w.]++) to ")
# `declare float @llvm.fma.f32(float, float, float)`
_DECLARED_INTRINSIC = re.compile(
    r"^[ \t]*+declare[ \t]++(?P<type>[^\s@]++)[ \t]++@(?P<name>llvm\.[\w.]++)"
    r"\((?P<parameters>(?>[^()\n]|\([^()\n]*+\))*+)\)",
    re.MULTILINE,
)

_Module = tuple[str, bytes]


@cache
def version() -> str:
    """Returns the version of libNVVM, as ``2.0``.

    Raises:
        ToolMissing: libNVVM is not here.
    """
    locate.load(Tool.NVVM)
    major, minor = nvvm.version()
    return f"{major}.{minor}"


def _dialect(options: list[str]) -> Iterator[str]:
    """Yields the LLVM that is read for each target: refused text may be right for another."""
    for target in _targets(options):
        if llvm := llvm_dialect(target):
            pointers = "typed" if llvm < _OPAQUE_SINCE else "opaque"
            yield f"For {target.compute} this libNVVM reads LLVM {llvm} with {pointers} pointers."


def _typed_notes(options: list[str], modules: list[_Module]) -> Iterator[str]:
    """Yields notes on typed pointers, taken for `ptr` where the target's LLVM has no types."""
    for target in _targets(options):
        llvm = llvm_dialect(target) or 0
        if llvm < _OPAQUE_SINCE:
            continue
        for name, code in modules:
            line = 0 if is_bitcode(code) else typed_pointer_line(code.decode("latin-1"))
            if line:
                yield (
                    f"{name} has typed pointers (line {line}): for {target.compute} this libNVVM "
                    f"reads LLVM {llvm} with opaque pointers, and has taken them for ptr."
                )


def llvm_dialect(arch: Arch) -> int | None:
    """Returns the major version of the LLVM text that libNVVM reads for a target.

    None where this libNVVM does not say (that of CUDA 13.0 has no `nvvmLLVMVersion` yet) or does
    not know the target.
    """
    locate.load(Tool.NVVM)
    try:
        return int(nvvm.llvm_version(arch.compute))
    except (nvvm.nvvmError, RuntimeError, AttributeError):
        return None


def compile_ir(job: Job) -> Report:
    """Verifies and compiles LLVM IR modules, text or bitcode, as a single program.

    What they lack is supplied, see `supplied_copy`, and what has no debug metadata is compiled with
    a line table, see `ir_lines`. Errors of the text are about the user's own lines and columns.
    """
    locate.load(Tool.NVVM)
    try:
        libdevice = [(_LIBDEVICE, _libdevice())] if job.libdevice else []
    except ToolMissing as missing:
        return Report(error_log=str(missing))
    modules = [[(ref.name, code) for ref, code in part] for part in (job.inputs, job.libraries)]
    modules[1] += libdevice
    copies = [[_copied(*module, job) for module in part] for part in modules]
    texts = [copy for part in copies for copy in part if isinstance(copy, IrCopy)]
    report = _with_tables(job, copies)
    foreign = [copy for copy in texts if has_foreign_layout(copy)]
    if foreign and _refuses_layout(job, copies, report):
        refused = report
        for copy in foreign:
            supply_layout(copy)
        report = _with_tables(job, copies)
        report.ms += refused.ms
    report.supplied = tuple(fact for copy in texts for fact in copy.supplied)
    marked = f"Nothing marks @{job.entry} as a kernel: the copy for libNVVM does."
    report.diagnostics += [
        Diagnostic(Severity.INFO, copy.name, copy.kernel_line, None, marked, Tool.NVVM)
        for copy in texts
        if copy.kernel_line
    ]
    if _NO_LOG in report.error_log:
        causes = [line for copy in texts for line in _intrinsics_refused(job, copy)]
        report.error_log = "\n".join(causes) or report.error_log
    if report.supplied and _PARSE_ERROR.search(report.error_log):
        return _program(job, *modules)
    return report


def compile_as_sent(job: Job) -> Report:
    """Compiles modules as they are, without any supply."""
    locate.load(Tool.NVVM)
    modules, libraries = (
        [(ref.name, code) for ref, code in part] for part in (job.inputs, job.libraries)
    )
    libdevice = [(_LIBDEVICE, _libdevice())] if job.libdevice else []
    return _program(job, modules, [*libraries, *libdevice])


def _intrinsics_refused(job: Job, copy: IrCopy) -> Iterator[str]:
    """Yields errors for intrinsics with another type than LLVM's, which libNVVM refuses silently.

    Each declaration is tried alone, with a call of it. What is called through a bitcast is declared
    as it should be.
    """
    code = without_comments(copy.text)
    for cast in _CAST_INTRINSIC.finditer(code):
        if "bitcast (" not in code[code.rfind("\n", 0, cast.start()) + 1 : cast.start()]:
            continue
        place = _place(copy, cast.start("name"))
        yield f"{place}: @{cast['name']} is an intrinsic, and is not called through a bitcast"
    head = "".join(f'target {what} = "{value}"\n' for what, value in targets_of(copy))
    for declared in _DECLARED_INTRINSIC.finditer(code):
        name, type_ = declared["name"], declared["type"]
        values = ", ".join(
            f"{parameter} undef" for parameter in split_at_commas(declared["parameters"])
        )
        caller = (
            f"define void @caller() {{\n  %1 = call {type_} @{name}({values})\n  ret void\n}}\n"
        )
        caller = caller.replace("%1 = call void", "call void")
        alone = supplied_copy(
            copy.name, f"{head}{declared[0]}\n{caller}".encode("latin-1"), nvvm.ir_version()
        )
        if _NO_LOG in _program(job, [_sent(alone)], []).error_log:
            place = _place(copy, declared.start("name"))
            yield f"{place}: @{name} is an intrinsic with another type than this one"


def _place(copy: IrCopy, at: int) -> str:
    """Returns a place as written by libNVVM: the column counted from 0."""
    line = copy.text.count("\n", 0, at) + 1
    return f"{copy.name} ({line}, {at - copy.text.rfind(chr(10), 0, at) - 1})"


def _refuses_layout(job: Job, copies: list[list[IrCopy | _Module]], report: Report) -> bool:
    """Returns whether the data layout alone keeps the modules from machine code."""
    if report.ok and CodeKind.LTOIR in job.makes:
        # Of LTO-IR the link would say so, which has only that.
        options = tuple(option for option in job.options if option != _LTO)
        as_ptx = replace(job, makes=(CodeKind.PTX,), options=options)
        trial = _program(as_ptx, *([_sent(copy) for copy in part] for part in copies))
        report.ms += trial.ms
        report = trial
    return not report.ok and bool(_LAYOUT_REFUSED.search(report.error_log))


def _copied(name: str, module: bytes, job: Job) -> IrCopy | _Module:
    if is_bitcode(module):
        return name, module
    opaque = any((llvm_dialect(arch) or 0) >= _OPAQUE_SINCE for arch in _targets(job.options))
    return supplied_copy(name, module, nvvm.ir_version(), job.entry, reads_opaque=opaque)


def _targets(options: Iterable[str]) -> Iterator[Arch]:
    named = (o.partition("=")[2] for o in options if o.startswith("-arch=compute_"))
    return map(Arch.parse, named)


def _with_tables(job: Job, copies: list[list[IrCopy | _Module]]) -> Report:
    """Compiles with line tables; should libNVVM refuse the tables, modules without any decide."""
    bare = [[_sent(copy) for copy in part] for part in copies]
    tables = [[_sent(_tabled(copy)) for copy in part] for part in copies]
    if tables == bare:
        return _program(job, *bare)
    trial = Report()
    if _UNOPTIMISED not in job.options:
        trial = _program(job, *tables)
        if trial.ok:
            return trial
    report = _program(job, *bare)
    report.ms += trial.ms
    if report.ok:
        message = _UNOPTIMISED_NO_TABLE if _UNOPTIMISED in job.options else _NO_TABLE
        report.log = "\n".join(filter(None, (report.log, message)))
    return report


def _sent(copy: IrCopy | _Module) -> _Module:
    return (copy.name, copy.code) if isinstance(copy, IrCopy) else copy


def _tabled(copy: IrCopy | _Module) -> IrCopy | _Module:
    _, _, *debug_version = nvvm.ir_version()
    return copy if isinstance(copy, tuple) else with_lines(copy, *debug_version) or copy


def _program(job: Job, modules: list[_Module], libraries: list[_Module]) -> Report:
    report = Report()
    originals = {ref.name: code for ref, code in (*job.inputs, *job.libraries)}
    sent = dict((*modules, *libraries))
    report.copies = tuple(Header(n, sent[n]) for n, code in originals.items() if sent[n] != code)
    notes: list[str] = []
    with report.timed():
        program = nvvm.create_program()
    try:
        for name, code in modules:
            with report.timed():
                nvvm.add_module_to_program(program, code, len(code), name)
        for name, code in libraries:
            lazily = is_bitcode(code)
            add = nvvm.lazy_add_module_to_program if lazily else nvvm.add_module_to_program
            with report.timed():
                add(program, code, len(code), name)
            if not lazily:
                notes.append(
                    f"{name} is text: all of it was added, as libNVVM picks out of bitcode only."
                )
        _compile(program, job, report, notes, [*modules, *libraries])
    except nvvm.nvvmError as error:
        # No log comes before the modules are in.
        report.error_log = report.error_log or _reason(program, error)
    finally:
        nvvm.destroy_program(program)
    report.log = "\n".join(filter(None, (report.log, *notes)))
    return report


def _compile(
    program: int, job: Job, report: Report, notes: list[str], modules: list[_Module]
) -> None:
    options = list(job.options)
    (kind,) = job.makes
    try:
        # A module that does not verify can crash the compiler: verify first, stop if it fails.
        with report.timed():
            nvvm.verify_program(program, len(options), options)
    except nvvm.nvvmError as error:
        report.error_log = _reason(program, error)
        notes.append("The verifier refused it, so it was not compiled.")
        notes += _dialect(options)
        return
    if log := _log(program):
        notes.append(f"The verifier said:\n{log}")
    with report.timed():
        nvvm.compile_program(program, len(options), options)
        result = bytearray(nvvm.get_compiled_result_size(program))
        nvvm.get_compiled_result(program, result)
    report.code[kind] = bytes(result).rstrip(b"\0") if kind is CodeKind.PTX else bytes(result)
    report.ok = True
    report.log = _log(program)
    notes += _typed_notes(options, modules)


@cache
def libdevice_file() -> tuple[str, ...]:
    """Returns the file of NVIDIA's library of mathematical functions; empty if missing."""
    if other := locate.other():
        return (other.libdevice,) if other.libdevice else ()
    try:
        return (find_bitcode_lib("device"),)
    except BitcodeLibNotFoundError:
        return ()


def _libdevice() -> bytes:
    """Returns NVIDIA's library of mathematical functions.

    Raises:
        ToolMissing: It is not here.
    """
    reason = "no such file"
    for file in libdevice_file():
        try:
            return Path(file).read_bytes()
        except OSError as error:
            reason = str(error)
    raise ToolMissing(
        Tool.NVVM,
        f"libdevice cannot be read ({reason}). Install it with: "
        f"python3 -m pip install {locate.WHEELS[Tool.NVVM]}",
    )


def _reason(program: int, error: nvvm.nvvmError) -> str:
    return _log(program) or f"{meaning_of(nvvm.Result(error.status))} {_NO_LOG}"


def _log(program: int) -> str:
    log = bytearray(nvvm.get_program_log_size(program))
    nvvm.get_program_log(program, log)
    return text_of(log)
