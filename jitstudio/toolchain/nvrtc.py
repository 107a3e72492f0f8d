"""CUDA C++ to PTX, cubin, LTO-IR and OptiX IR by NVRTC.

Through `cuda.bindings`, not `cuda.core`: the latter's compiler needs a driver.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from cuda.bindings import nvrtc

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Header, split_variant
from jitstudio.core.diagnostics import Severity, diagnose, in_folders, ptx_file, who_asks
from jitstudio.core.kernel_resources import has_code
from jitstudio.core.options import leave_traces
from jitstudio.core.plan import Job
from jitstudio.core.request import NAME_MAP, expression_in
from jitstudio.core.result import MARK, Phase, Supplied
from jitstudio.core.tile_ir import tile_kernels
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.assembly_errors import AssembledPtx, has_places, with_sources
from jitstudio.toolchain.device_part import (
    DevicePart,
    asking_for_calls,
    device_part,
    host_calls,
    host_mistakes,
    without_idle_warnings,
    words_on_calls,
    words_on_host_code,
)
from jitstudio.toolchain.headers import (
    TRACE,
    header_folders,
    header_options,
    header_problem,
    library_folders,
    replaced_header,
    searches_of,
    stand_ins,
    stray_file,
    stray_include,
)
from jitstudio.toolchain.host_integers import host_integers
from jitstudio.toolchain.own_texts import forget_headers
from jitstudio.toolchain.precompile import PRECOMPILED, Prefix, prefix_of, without_messages
from jitstudio.toolchain.ptxas_figures import figures_option, take_spills
from jitstudio.toolchain.result_words import meaning_of
from jitstudio.toolchain.time_trace import header_phases
from jitstudio.toolchain.tool_output import Report, text_of

_OUTPUTS: dict[CodeKind, tuple[Callable[..., Any], Callable[..., Any]]] = {
    CodeKind.PTX: (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX),
    CodeKind.CUBIN: (nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN),
    CodeKind.LTOIR: (nvrtc.nvrtcGetLTOIRSize, nvrtc.nvrtcGetLTOIR),
    CodeKind.OPTIXIR: (nvrtc.nvrtcGetOptiXIRSize, nvrtc.nvrtcGetOptiXIR),
    CodeKind.TILE_BYTECODE: (nvrtc.nvrtcGetTileIRSize, nvrtc.nvrtcGetTileIR),
}
# `cannot open source file "missing.h"`
_NOT_FOUND = "open source file"
_TIME = ("--time", "-time")
# With `-` for a file the table of phases is a part of the log: see `split_phases`.
_TIMES_IN_LOG = "--time=-"
# Such a compile ends behind the front end and makes no code, so that an attempt is quick.
_SYNTAX_ONLY = ("--fdevice-syntax-only", "-fdevice-syntax-only")
# Each knows more of what NVRTC refuses; who has more errors than that has others, too.
_MOST_ROUNDS = 8
_NO_CACHE = ("--no-cache", "-no-cache")
_TILE = ("--enable-tile", "-enable-tile", "--tile-only", "-tile-only")
_PRECOMPILING = "--create-pch=headers.pch"
_UNHEARD_OF = "--jitstudio-asks"
_OK = nvrtc.nvrtcResult.NVRTC_SUCCESS


_HOLDS_CODE: dict[CodeKind, Callable[[bytes], bool]] = {
    CodeKind.PTX: lambda ptx: b".entry" in ptx or b".func" in ptx,
    CodeKind.CUBIN: has_code,
}


class NvrtcError(RuntimeError):
    """A call of NVRTC's that cannot fail on good arguments did."""


@cache
def version() -> str:
    """Returns the version of NVRTC, as ``13.4``.

    Raises:
        ToolMissing: NVRTC is not here.
    """
    locate.load(Tool.NVRTC)
    major, minor = _checked(nvrtc.nvrtcVersion())
    return f"{major}.{minor}"


def supported_archs() -> tuple[Arch, ...]:
    """Returns the architectures that NVRTC compiles for, oldest first."""
    locate.load(Tool.NVRTC)
    (numbers,) = _checked(nvrtc.nvrtcGetSupportedArchs())
    return tuple(Arch(number) for number in sorted(numbers))


@cache
def takes(option: str) -> bool:
    """Returns whether this NVRTC knows an option, by NVRTC's own word.

    Options are looked at in order, and before the text: behind the one that is asked about there is
    one that no version knows, so that nothing is compiled.
    """
    locate.load(Tool.NVRTC)
    (program,) = _checked(nvrtc.nvrtcCreateProgram(b"", b"", 0, [], []))
    try:
        nvrtc.nvrtcCompileProgram(program, 2, [option.encode(), _UNHEARD_OF.encode()])
        log = text_of(_fetch(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog))
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    return f"unrecognized option {option} found" not in log


def compile_cuda(job: Job) -> Report:
    """Compiles the CUDA C++ module of the job."""
    forget_headers()
    original = job
    job, supplied = _without_marks(job)
    part = device_part(job)
    job = part.job
    options = (*job.options, *_own_options(job))
    folders = (*header_folders(version()), *library_folders(job))
    if stray := stray_include(job, folders):
        return Report(options=options, error_log=stray)
    part = _with_host_integers(part, folders)
    job = part.job
    report = Report(supplied=supplied, host_code=part.host_code)
    # What an option from outside the table does is unknown: it may list files by itself.
    plain = not leave_traces(job.options)
    precompiles = job.precompile and plain and takes(_PRECOMPILING)
    prefix = prefix_of(job, options, folders) if precompiles else None
    precompiled = PRECOMPILED.option(prefix, job.headers) if prefix else ""
    report.options = sent = (*options, precompiled) if precompiled else options
    TRACE.begin()
    traced = (*sent, *TRACE.options) if plain else sent
    basis = job
    try:
        _compile(job, traced, job.makes, report)
        judges = plain and not job.keep_host_code

        def attempt(part: DevicePart) -> DevicePart:
            _compile(part.job, (*(report.options or ()), *traced[len(sent) :]), job.makes, report)
            return _further_rounds(part, folders, report) if judges else part

        if judges:
            part = _further_rounds(part, folders, report)
        if not report.ok and part.launched:
            # Some of what host code launches may have been misread.
            part = _with_right_names(part, report, attempt)
        if replace(part.job, name_expressions=job.name_expressions) != job:
            prefix, sent, options = None, report.options, report.options
        more = part.whole.headers[len(job.headers) :]
        basis = replace(part.job, inputs=job.inputs, headers=(*job.headers, *more))
        job = part.job
        _look_for_host_calls(part, options, report)
    except NvrtcError as error:
        report.ok, report.error_log = False, str(error)
    report.copies, report.instances = _changed(original, job)
    opened = TRACE.opened() if plain else None
    if opened and (
        refusal := stray_file(job, opened, folders) or replaced_header(job, opened, folders)
    ):
        return Report(options=sent, error_log=refusal)
    report.stand_ins = stand_ins(opened or ())
    opened = opened if report.ok else None
    if opened is not None and prefix and precompiled:
        opened |= PRECOMPILED.opened(prefix)
        report.stand_ins = stand_ins(opened)
    report.find_searches = partial(searches_of, basis, options, folders, opened, folders)
    if not report.ok and "ptxas" in report.error_log:
        _rescue_ptx(job, options, report)
    if report.ok and has_places(report.log):
        _place_remarks(job, options, report)
    if not report.ok and job.name_expressions and not report.lowered:
        _sort_out_names(job, sent, report)
    if prefix:
        _report_use(prefix, bool(precompiled), report)
    if not report.ok and _NOT_FOUND in report.error_log and (problem := header_problem(version())):
        report.error_log = f"{report.error_log.rstrip()}\n{problem}"
    if not report.ok:
        _look_for_remedies(part, folders, report)
    report.phases += header_phases(job.inputs[0][1], sent, report.began_ns)
    _complete_logs(report, part, folders)
    return report


def compile_as_sent(job: Job) -> Report:
    """Compiles the texts of the job with its options and no others, to PTX."""
    report = Report()
    try:
        _compile(job, job.options, job.makes, report)
    except NvrtcError as error:
        report.ok, report.error_log = False, str(error)
    return report


def _with_host_integers(part: DevicePart, folders: Sequence[str]) -> DevicePart:
    """Returns the compile of a program with the integers of the host in NVIDIA's headers."""
    more = host_integers(part.job, folders) if part.host_code else ()
    if not more:
        return part
    job, whole = (replace(j, headers=(*j.headers, *more)) for j in (part.job, part.whole))
    return replace(part, job=job, whole=whole)


def _look_for_remedies(part: DevicePart, folders: tuple[str, ...], report: Report) -> None:
    """Adds further remedies to a report, as far as present here or tried."""
    # It loads what reads host code, and most compiles succeed.
    from jitstudio.toolchain.remedies import nvcc_offer, unmarked_for_device  # noqa: PLC0415

    def attempt(more: tuple[str, ...]) -> Report:
        trial, job = Report(), part.whole
        own = tuple(_own_options(job))
        quick = _SYNTAX_ONLY[:1] if takes(_SYNTAX_ONLY[0]) else ()
        _compile(replace(job, name_expressions=()), (*job.options, *own, *more, *quick), (), trial)
        report.ms += trial.ms
        return trial

    with suppress(NvrtcError):
        if remaining := unmarked_for_device(report, part.whole.options, attempt):
            report.log = f"{report.log}\n{remaining}".lstrip()
    if offer := nvcc_offer(part, report, folders):
        report.diagnostics.append(offer)


def _complete_logs(report: Report, part: DevicePart, folders: tuple[str, ...]) -> None:
    """Leaves useless parts out of the logs, and adds facts that NVRTC does not say."""
    report.header_folders = folders
    take_spills(part.job, report)
    report.log = tidy(report.log, folders)
    report.error_log, more = authors_first(tidy(report.error_log, folders), folders)
    if part.host_code:
        report.log = without_idle_warnings(report.log, part)
    sentences = [*words_on_host_code(part, folders)]
    if more:
        sentences.append(f"More errors inside NVIDIA's own headers, left out: {more}.")
    if report.stand_ins:
        sentences.append(f"Stood in for headers of the host: {', '.join(report.stand_ins)}.")
    sentences += host_mistakes(part)
    report.log = "\n".join((*sentences, report.log)).rstrip()
    if calls := words_on_calls(part, report.error_log):
        report.error_log = f"{report.error_log.rstrip()}\n{calls}"


def _further_rounds(part: DevicePart, folders: Sequence[str], report: Report) -> DevicePart:
    """Compiles again without the parts that NVRTC has refused, as long as that gains something.

    Returns:
        What was compiled last.
    """
    if report.ok:
        return part
    # See `_look_for_remedies`.
    from jitstudio.toolchain.rounds import NextRound  # noqa: PLC0415

    rounds = NextRound(part, folders)
    for _ in range(_MOST_ROUNDS):
        again = None if report.ok else rounds.part(report.error_log, TRACE.opened() or ())
        if again is None:
            break
        part = again
        report.host_code, report.error_log = part.host_code, ""
        report.options = (*part.job.options, *_own_options(part.job))
        _compile(part.job, (*report.options, *TRACE.options), part.job.makes, report)
    return part


def _changed(original: Job, sent: Job) -> tuple[tuple[Header, ...], tuple[str, ...]]:
    """Returns the texts and the name expressions of a compile that were not given so."""
    texts = [
        {ref.name: text for ref, text in job.inputs} | {h.name: h.content for h in job.headers}
        for job in (original, sent)
    ]
    copies = (
        Header(*named_text) for named_text in texts[1].items() if named_text not in texts[0].items()
    )
    more = (name for name in sent.name_expressions if name not in original.name_expressions)
    return tuple(copies), tuple(more)


def _own_options(job: Job) -> Iterator[str]:
    """Yields options that are always worth asking for, and named among those sent."""
    yield from header_options(job, version())
    if CodeKind.CUBIN in job.makes:
        yield f"--ptxas-options={figures_option(job)}"
        # Next to a driver NVRTC keeps cubins in a cache of its own, and says nothing of those.
        if not set(job.options) & set(_NO_CACHE) and takes(_NO_CACHE[0]):
            yield _NO_CACHE[0]
    if not any(option.startswith(_TIME) for option in job.options) and takes(_TIMES_IN_LOG):
        yield _TIMES_IN_LOG


def _report_use(prefix: Prefix, precompiled: bool, report: Report) -> None:
    front_end = next((phase.ms for phase in report.phases if "Frontend" in phase.name), 0.0)
    if precompiled:
        used = PRECOMPILED.used(prefix, report.log or report.error_log)
    else:
        used = PRECOMPILED.compiled(prefix, front_end)
    if used and report.ok:
        report.log = f"{report.log.rstrip()}\n{used}".lstrip()


def _look_for_host_calls(part: DevicePart, options: tuple[str, ...], report: Report) -> None:
    """Fails with the place of each call in device code of a constructor that is the host's."""
    ptx = text_of(report.code.get(CodeKind.PTX, b""))
    asking = asking_for_calls(options, f"{ptx}\n{report.error_log}")
    if not asking:
        return
    answer = Report()
    _compile(part.job, _for_ptx(asking), (CodeKind.PTX,), answer)
    report.ms += answer.ms
    if errors := host_calls(part, answer.log, text_of(answer.code.get(CodeKind.PTX, b""))):
        report.ok, report.error_log = False, errors


def _for_ptx(options: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the options for a virtual architecture."""
    return tuple(o.replace("sm_", "compute_") if o.startswith("-arch=") else o for o in options)


def _rescue_ptx(job: Job, options: tuple[str, ...], report: Report) -> None:
    """Makes the PTX where the C++ was fine and ptxas was not, to read ptxas's complaint there."""
    if CodeKind.PTX not in job.makes and not has_places(report.error_log):
        return
    rescue = Report()
    _compile(job, _for_ptx(options), (CodeKind.PTX,), rescue)
    report.ms += rescue.ms
    ptx = rescue.code.get(CodeKind.PTX, b"")
    report.error_log = with_sources(report.error_log, _assembled(job, ptx))
    if CodeKind.PTX in job.makes:
        report.code, report.lowered = rescue.code, rescue.lowered


def _place_remarks(job: Job, options: tuple[str, ...], report: Report) -> None:
    """Adds the lines of the source to remarks of ptxas, which name lines of the PTX only."""
    ptx = report.code.get(CodeKind.PTX)
    if ptx is None:
        again = Report()
        _compile(job, _for_ptx(options), (CodeKind.PTX,), again)
        report.ms += again.ms
        ptx = again.code.get(CodeKind.PTX, b"")
    report.log = with_sources(report.log, _assembled(job, ptx))


def _assembled(job: Job, ptx: bytes) -> AssembledPtx:
    """Returns the PTX of a compile with the texts of the line table."""
    name = split_variant(job.name)[0]
    sources = (name, *(header.name for header in job.headers))
    return AssembledPtx(ptx_file(name), text_of(ptx), sources)


def _with_right_names(
    part: DevicePart, report: Report, attempt: Callable[[DevicePart], DevicePart]
) -> DevicePart:
    """Compiles without the name expressions of host code that NVRTC refuses.

    Returns:
        What was compiled last.
    """
    right = _without_wrong_names(part, report)
    if right is None:
        # The text has other errors: nobody knows of the names before these are mended.
        names = tuple(name for name in part.job.name_expressions if name not in part.launched)
        bare = attempt(replace(part, job=replace(part.job, name_expressions=names)))
        if not report.ok:
            return bare
        names = (*bare.job.name_expressions, *part.launched)
        part = attempt(
            replace(bare, job=replace(bare.job, name_expressions=names), launched=part.launched)
        )
        right = None if report.ok else _without_wrong_names(part, report)
    return part if right is None else attempt(right)


def _without_wrong_names(part: DevicePart, report: Report) -> DevicePart | None:
    """Returns the compile without the name expressions of host code that NVRTC refuses.

    None where that cannot be known.
    """
    _sort_out_names(part.job, report.options or (), report)
    refused = {name: why for name, why in report.refused.items() if name in part.launched}
    report.lowered, report.refused, report.error_log = [], {}, ""
    if not refused:
        return None
    names = tuple(name for name in part.job.name_expressions if name not in refused)
    sentences = (*part.supplied, *(_words_on_name(part, *refusal) for refusal in refused.items()))
    return replace(part, job=replace(part.job, name_expressions=names), supplied=sentences)


def _words_on_name(part: DevicePart, name: str, why: str) -> str:
    """Returns the log's words on a name expression that was read from host code in vain."""
    text, line = part.launched[name]
    where = "" if text == split_variant(part.job.name)[0] else f"'{text}': "
    return (
        f"{where}Line {line:,}: NVRTC takes no '{name}', as the launch was read, so that this "
        f"instance is missing: {why.rstrip('.')}. Add a name expression for it."
    )


def _sort_out_names(job: Job, options: tuple[str, ...], report: Report) -> None:
    """Lowers all name expressions but the wrong ones that the compile was refused for."""

    def attempt(expressions: Sequence[str]) -> Report:
        trial = Report()
        _compile(replace(job, name_expressions=tuple(expressions)), options, (), trial)
        report.ms += trial.ms
        return trial

    if not set(options) & set(_SYNTAX_ONLY) and takes(_SYNTAX_ONLY[0]):
        options = (*options, _SYNTAX_ONLY[0])
    try:
        sorted_names = sort_out(job.name, job.name_expressions, report.error_log, attempt)
    except NvrtcError:
        return
    report.lowered, report.refused = list(sorted_names.lowered.items()), sorted_names.refused


def _without_marks(job: Job) -> tuple[Job, tuple[Supplied, ...]]:
    """Takes the byte-order marks away, which NVRTC holds for code."""
    texts = [(ref.name, text) for ref, text in job.inputs]
    texts += [(header.name, header.content) for header in job.headers]
    marked = tuple(Supplied(name, MARK, "") for name, text in texts if text.startswith(BOM_UTF8))
    if not marked:
        return job, ()
    inputs = tuple((ref, text.removeprefix(BOM_UTF8)) for ref, text in job.inputs)
    headers = (replace(h, content=h.content.removeprefix(BOM_UTF8)) for h in job.headers)
    return replace(job, inputs=inputs, headers=tuple(headers)), marked


def _compile(
    job: Job, options: tuple[str, ...], makes: tuple[CodeKind, ...], report: Report
) -> None:
    ((_, text),) = job.inputs
    contents = [header.content for header in job.headers]
    names = [os.fsencode(header.name) for header in job.headers]
    # A folder may have a name that is no UTF-8.
    sent = [option.encode("utf-8", "surrogateescape") for option in options]
    name, _, _ = split_variant(job.name)
    with report.timed():
        (program,) = _checked(
            nvrtc.nvrtcCreateProgram(text, name.encode(), len(names), contents, names)
        )
    try:
        for expression in job.name_expressions:
            _checked(nvrtc.nvrtcAddNameExpression(program, expression.encode()))
        with report.timed():
            (status,) = nvrtc.nvrtcCompileProgram(program, len(sent), sent)
        log = text_of(_fetch(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog))
        log, report.phases = split_phases(log)
        report.ok = status == _OK
        if not report.ok:
            report.error_log = log or meaning_of(status)
            return
        report.log = log
        with report.timed():
            for kind in makes:
                report.code[kind] = _fetch(program, *_OUTPUTS[kind])
            if makes and any(option.startswith(_TILE) for option in options):
                _take_tile_code(program, report)
        for expression in job.name_expressions:
            (lowered,) = _checked(nvrtc.nvrtcGetLoweredName(program, expression.encode()))
            report.lowered.append((expression, lowered.decode()))
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    if CodeKind.PTX in report.code:
        # NVRTC counts the NUL at the end of the text.
        report.code[CodeKind.PTX] = report.code[CodeKind.PTX].rstrip(b"\0")


def _take_tile_code(program: Any, report: Report) -> None:
    """Takes note of the kernels in Tile IR, and leaves out code in which there is nothing."""
    try:
        bytecode = _fetch(program, *_OUTPUTS[CodeKind.TILE_BYTECODE])
    except RuntimeError as error:  # of the bindings: the library lacks the function
        if isinstance(error, NvrtcError):
            raise
        raise NvrtcError(
            f"NVRTC {version()} compiles tile functions and gives nobody their Tile IR: that takes "
            "NVRTC 13.3 or newer."
        ) from error
    names = tile_kernels(bytecode)
    report.tile_kernels = names or ()
    if names == ():
        report.code.pop(CodeKind.TILE_BYTECODE, None)
    elif CodeKind.TILE_BYTECODE in report.code:
        for kind, holds_code in _HOLDS_CODE.items():
            if kind in report.code and not holds_code(report.code[kind]):
                del report.code[kind]


def _fetch(program: Any, size_of: Callable[..., Any], copy: Callable[..., Any]) -> bytes:
    size: int
    (size,) = _checked(size_of(program))
    # The binding writes into this object. One of a single byte, as for an empty log, would be
    # shared with all of Python: there is only one b" ".
    buffer = bytes(size + 1)
    _checked(copy(program, buffer))
    return buffer[:size]


def _checked(answer: tuple[Any, ...]) -> tuple[Any, ...]:
    status, *values = answer
    if status != _OK:
        raise NvrtcError(meaning_of(status))
    return tuple(values)


# `kernel.cu, CUDA C++ Frontend, 18, ms` is a row of the table.
_TIMES = re.compile(
    r"^File name, phase name, metric, unit\n(?P<rows>(?>[^\n]*, [\d.]+, ms(?:\n|\Z))*+)",
    re.MULTILINE,
)
_ROW = re.compile(r", (?P<name>[^,\n]+), (?P<ms>\d+(?:\.\d+)?), ms$", re.MULTILINE)
# A warning, the lines of source below it, and the remark that follows the first one.
_WARNING = (
    r"^(?:{folders})/[^\n]*\(\d+\): warning [^\n]*\n(?:[ \t]+[^\n]*(?:\n|\Z))*\n?"
    r"(?:Remark: The warnings can be suppressed with [^\n]*\n*)?"
)


def split_phases(log: str) -> tuple[str, tuple[Phase, ...]]:
    """Returns the log without the table of `--time=-`, and that table."""
    match = _TIMES.search(log)
    if match is None:
        return log, ()
    rows = _ROW.finditer(match["rows"])
    phases = tuple(Phase(row["name"], float(row["ms"])) for row in rows)
    return (log[: match.start()].rstrip() + log[match.end() :]).rstrip(), phases


def tidy(log: str, folders: tuple[str, ...]) -> str:
    """Returns the log without the parts that the user can do nothing about.

    That is NVRTC's own words on precompiled headers, and warnings inside NVIDIA's headers, of
    which the number is known.
    """
    log = without_messages(log)
    if not log or not folders:
        return log
    names = "|".join(map(re.escape, folders))
    log, count = re.subn(_WARNING.format(folders=names), "", log, flags=re.MULTILINE)
    if count:
        log = f"{log.rstrip()}\nWarnings inside NVIDIA's own headers left out: {count}.".lstrip()
    return log


_MOST_IN_HEADERS = 5
# `kernel.cu(3): error: ...` or `kernel.cu(3): catastrophic error: ...`
_ERROR = re.compile(r"[^\n]*\(\d+\): [a-z ]*error\b")
# `2 errors detected in the compilation of "kernel.cu".`
_COUNT = re.compile(r"\d+ errors? detected|Error limit reached")


def authors_first(log: str, folders: tuple[str, ...]) -> tuple[str, int]:
    """Returns errors: first in the author's texts, then in NVIDIA's headers.

    An error in a header is the author's where the instance is asked for in a text of his. Of the
    others the first few stay; how many do not is the second value. Warnings in headers come last.
    """
    paragraphs = log.rstrip().split("\n\n")
    own, theirs, rest = list[str](), list[str](), list[str]()
    for paragraph in paragraphs:
        in_header = in_folders(paragraph, folders)
        is_own = not in_header or who_asks(paragraph.split("\n"), folders)
        is_idle = _COUNT.match(paragraph) or not (is_own or _ERROR.match(paragraph))
        (rest if is_idle else own if is_own else theirs).append(paragraph)
    shown = theirs[:_MOST_IN_HEADERS]
    return "\n\n".join((*own, *shown, *rest)), len(theirs) - len(shown)


# NVRTC reads `#pragma nv_mangled_name foo<int>` for a name expression, in a text of this name.
_IN_NAME = re.compile(
    rf"^{NAME_MAP}\(\d+\): [a-z ]*error: (?P<message>[^\n]*)\n(?P<echo>[^\n]*)$", re.MULTILINE
)
_ELSEWHERE = re.compile(rf"^(?!{NAME_MAP}\()\S[^\n]*?\(\d+\): [a-z ]*error: ", re.MULTILINE)
_INSTANTIATION = "detected during"
# What follows in NVRTC's list is a part of the comment.
_COMMENT = "/*"


@dataclass
class SortedExpressions:
    """Name expressions, right and wrong; for a source with other errors, both are empty.

    Attributes:
        lowered: The lowered names of the right ones, in no order.
        refused: What NVRTC has against each of the wrong ones.
    """

    lowered: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def sort_out(
    name: str, expressions: Sequence[str], log: str, attempt: Callable[[Sequence[str]], Report]
) -> SortedExpressions:
    """Compiles with fewer expressions until each is known to be right or wrong.

    Args:
        name: The module.
        expressions: Those that it was compiled with.
        log: What NVRTC said then.
        attempt: Compiles with some of them only.
    """
    sorted_names = SortedExpressions()
    if _ELSEWHERE.search(log):
        # A wrong argument shows in the body of its template only: in the source, like its errors.
        may_be_name = NAME_MAP in log or _INSTANTIATION in log
        if not may_be_name or not attempt(()).ok:
            return sorted_names
    elif NAME_MAP not in log:
        return sorted_names
    _sort(name, expressions, log, attempt, sorted_names)
    return sorted_names


def _sort(
    name: str,
    expressions: Sequence[str],
    log: str,
    attempt: Callable[[Sequence[str]], Report],
    sorted_names: SortedExpressions,
) -> None:
    """Sorts expressions, at least a wrong expression among them."""
    blamed = _blamed(log)
    if len(expressions) == 1:
        (only,) = expressions
        sorted_names.refused[only] = blamed.get(only.strip()) or _first_error(name, log)
        return
    for part in _parts(expressions, blamed, sorted_names):
        report = attempt(part)
        if report.ok:
            sorted_names.lowered |= dict(report.lowered)
        else:
            _sort(name, part, report.error_log, attempt, sorted_names)


def _parts(
    expressions: Sequence[str], blamed: Mapping[str, str], sorted_names: SortedExpressions
) -> Iterator[Sequence[str]]:
    """Yields the expressions to try next, without any known to be wrong."""
    if alone := [name for name in expressions if _COMMENT in name]:
        yield from ([name] for name in alone)
        rest = [name for name in expressions if name not in alone]
    elif wrong := {name: blamed[name.strip()] for name in expressions if name.strip() in blamed}:
        sorted_names.refused |= wrong
        rest = [name for name in expressions if name not in wrong]
    else:
        middle = len(expressions) // 2
        yield expressions[:middle]
        rest = list(expressions[middle:])
    if rest:
        yield rest


def _blamed(log: str) -> dict[str, str]:
    """Returns the first error in each expression that NVRTC shows as wrong."""
    errors: dict[str, str] = {}
    for match in _IN_NAME.finditer(log):
        errors.setdefault(expression_in(match["echo"]), match["message"])
    return errors


def _first_error(name: str, log: str) -> str:
    diagnostics = diagnose(Tool.NVRTC, name, ok=False, log="", error_log=log)
    error = next(d for d in diagnostics if d.severity is Severity.ERROR)
    return f"line {error.line}: {error.message}" if error.line else error.message
