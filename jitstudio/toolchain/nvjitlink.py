"""PTX, LTO-IR, cubins, fatbins, objects and libraries to a cubin, PTX or LTO-IR by nvJitLink."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from cuda.bindings import nvjitlink

from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.code import LINKED, CodeKind, Header
from jitstudio.core.fatbin import unpacked_size
from jitstudio.core.plain_files import LARGEST
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.assembly_errors import (
    AssembledPtx,
    has_places,
    with_modules,
    with_sources,
)
from jitstudio.toolchain.ptxas_figures import figures_option, take_spills
from jitstudio.toolchain.result_words import meaning_of
from jitstudio.toolchain.supplied_copy import supply_ptx
from jitstudio.toolchain.tool_output import Report, ToolMissing, text_of

# Name, kind and content.
_Input = tuple[str, CodeKind, bytes]
_INPUT_TYPES = {
    CodeKind.PTX: nvjitlink.InputType.PTX,
    CodeKind.CUBIN: nvjitlink.InputType.CUBIN,
    CodeKind.LTOIR: nvjitlink.InputType.LTOIR,
    CodeKind.FATBIN: nvjitlink.InputType.FATBIN,
    # Not `OBJECT`: that takes a relocatable cubin for an object without code, and says nothing.
    CodeKind.OBJECT: nvjitlink.InputType.ANY,
    CodeKind.LIBRARY: nvjitlink.InputType.LIBRARY,
}
# Looked up when asked for: older bindings do not have them all. Lengths count the NUL of a text.
_OUTPUTS: dict[CodeKind, Callable[[], tuple[Callable[..., Any], Callable[..., Any]]]] = {
    CodeKind.CUBIN: lambda: (nvjitlink.get_linked_cubin_size, nvjitlink.get_linked_cubin),
    CodeKind.PTX: lambda: (nvjitlink.get_linked_ptx_size, nvjitlink.get_linked_ptx),
    CodeKind.LTOIR: lambda: (nvjitlink.get_linked_ltoir_size, nvjitlink.get_linked_ltoir),
}

# They hold compressed code.
_PACKED = frozenset({CodeKind.FATBIN, CodeKind.OBJECT, CodeKind.LIBRARY})
# Times as large as the file; what compilers make is some five times as large.
_MOST_UNPACKED = 32

_ERROR_LINE = re.compile(r"^(?:ptxas )?(?:error|fatal)\s*: ", re.MULTILINE)


class _NotThere(RuntimeError):
    """The library is older than the kind of code asked for; the message says so."""


_TOO_OLD = (
    "This nvJitLink is older than that of CUDA 12.3, and cannot be called from here. Ask for PTX, "
    "compile CUDA C++ without a link, or choose a newer toolchain."
)


@cache
def version() -> str:
    """Returns the version of nvJitLink, as ``13.5``.

    Raises:
        ToolMissing: nvJitLink is not here, or one that cannot be called.
    """
    locate.load(Tool.NVJITLINK)
    try:
        major, minor = nvjitlink.version()
    except RuntimeError:
        # Those of CUDA 12.0 to 12.2 have other functions than the bindings call.
        raise ToolMissing(Tool.NVJITLINK, _TOO_OLD) from None
    return f"{major}.{minor}"


def too_large(ref: Ref, content: bytes) -> str:
    """Returns why a file is not unpacked, by the sizes in the headers; empty if allowed."""
    size = unpacked_size(content) if ref.kind in _PACKED else 0
    if size <= max(LARGEST, _MOST_UNPACKED * len(content)):
        return ""
    return (
        f"'{ref.file_name}' has {len(content):,} bytes and says that it unpacks to {size:,}: it is "
        "damaged, or made to fill the memory. Pack it again, without compression."
    )


def link(job: Job) -> Report:
    """Assembles a module, or links several."""
    if refused := next(filter(None, (too_large(*input_) for input_ in job.inputs)), ""):
        return Report(options=job.options, error_log=refused)
    locate.load(Tool.NVJITLINK)
    own = (f"-Xptxas={figures_option(job)}",) if CodeKind.CUBIN in job.makes else ()
    report = Report(options=(*job.options, *own))
    options = list(report.options or ())
    inputs = list(_inputs(job, report))
    try:
        with report.timed():
            handle = nvjitlink.create(len(options), options)
    except nvjitlink.nvJitLinkError as error:
        # There is no handle yet and so no log: the options are all there is to show.
        meaning = meaning_of(nvjitlink.Result(error.status))
        report.error_log = f"{meaning} nvJitLink was sent: {' '.join(options) or 'none'}"
        return report
    try:
        with report.timed():
            for name, kind, content in inputs:
                nvjitlink.add_data(handle, _INPUT_TYPES[kind], content, len(content), name)
            nvjitlink.complete(handle)
            for kind in job.makes:
                report.code[kind] = _output(handle, kind)
        report.ok = True
    except nvjitlink.nvJitLinkError as error:
        report.code.clear()
        report.error_log = meaning_of(nvjitlink.Result(error.status))
    except _NotThere as error:
        report.code.clear()
        report.error_log = str(error)
    finally:
        report.log = _info_log(handle)
        report.error_log = _error_log(handle) or report.error_log
        nvjitlink.destroy(handle)
    if report.ok and _ERROR_LINE.search(report.error_log):
        # Once a link has met a PTX version that is too new, later ones in the same process
        # answer "success" to unresolved references; only their logs still say.
        report.ok = False
        report.code.clear()
    take_spills(job, report)
    report.log = _with_modules(report.log, job, inputs)
    if not report.ok and has_places(report.error_log):
        report.error_log = _with_sources(report.error_log, job, inputs)
    return report


# `ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (module.ptx)`
_ASSEMBLED = re.compile(
    r"^ERROR NVJITLINK_ERROR_PTX_COMPILE: .*\((?P<name>[^()]+)\)$", re.MULTILINE
)


def _with_sources(errors: str, job: Job, inputs: list[_Input]) -> str:
    """Returns the errors of ptxas with places in sources, where the PTX behind is known."""
    if "-lto" in job.options:
        return with_sources(errors, _ptx_by_lto(job, inputs))
    named = _ASSEMBLED.search(errors)
    modules = list(_ptx_modules(job))
    is_alone = len(job.inputs) == 1
    return next(
        (
            with_sources(errors, module)
            for module in modules
            if is_alone or (named is not None and named["name"] == module.file)
        ),
        errors,
    )


def _with_modules(log: str, job: Job, inputs: list[_Input]) -> str:
    """Returns the remarks of ptxas with places in modules, and in their sources where known."""
    if "-lto" in job.options:
        return with_sources(log, _ptx_by_lto(job, inputs)) if has_places(log) else log
    modules = list(_ptx_modules(job))
    if len(job.inputs) == 1:
        return with_sources(log, modules[0]) if modules else log
    return with_modules(log, modules)


def _ptx_modules(job: Job) -> Iterator[AssembledPtx]:
    """Yields the inputs that are PTX."""
    for ref, content in job.inputs:
        if ref.kind is CodeKind.PTX:
            sources = (ref.name,) if is_made(ref) else ()
            yield AssembledPtx(ref.file_name, text_of(content), sources)


def _ptx_by_lto(job: Job, inputs: list[_Input]) -> AssembledPtx:
    """Returns the PTX that a link by LTO hands to ptxas, without text where there is none."""
    file, sources = f"{LINKED}{CodeKind.PTX.ending}", tuple(ref.name for ref, _ in job.inputs)
    return AssembledPtx(file, _text_by_lto(job, inputs), sources)


def _text_by_lto(job: Job, inputs: list[_Input]) -> str:
    try:
        handle = nvjitlink.create(len(job.options) + 1, [*job.options, "-ptx"])
    except nvjitlink.nvJitLinkError:
        return ""
    try:
        for name, kind, content in inputs:
            nvjitlink.add_data(handle, _INPUT_TYPES[kind], content, len(content), name)
        nvjitlink.complete(handle)
        return text_of(_output(handle, CodeKind.PTX))
    except (nvjitlink.nvJitLinkError, _NotThere):
        return ""
    finally:
        nvjitlink.destroy(handle)


def is_made(ref: Ref) -> bool:
    """Returns whether this PTX was made of a module of another kind."""
    return ref.file_name != ref.name


def _inputs(job: Job, report: Report) -> Iterator[_Input]:
    """Yields name, kind and content of the inputs, PTX with a complete head."""
    sent = (option.removeprefix("-arch=") for option in job.options if option.startswith("-arch="))
    arch = Arch.parse(next(sent, DEFAULT_ARCH.sm))
    for ref, content in job.inputs:
        if ref.kind is CodeKind.PTX:
            original = content
            content, supplied = supply_ptx(ref.file_name, original, arch)
            if content != original:
                report.copies += (Header(ref.name, content),)
            report.supplied += supplied
        yield ref.file_name, ref.kind, content


def _output(handle: int, kind: CodeKind) -> bytes:
    try:
        size_of, copy = _OUTPUTS[kind]()
        code = bytearray(size_of(handle))
    except (AttributeError, RuntimeError) as error:
        # Linked LTO-IR came with nvJitLink 13.4, and with the bindings of that time.
        raise _NotThere(
            f"This nvJitLink ({version()}) does not hand out {kind.title}; one from CUDA 13.4 on "
            "does, with cuda-bindings as new. Update both, or leave that kind out."
        ) from error
    copy(handle, code)
    return bytes(code).rstrip(b"\0") if kind is CodeKind.PTX else bytes(code)


def _info_log(handle: int) -> str:
    log = bytearray(nvjitlink.get_info_log_size(handle))
    nvjitlink.get_info_log(handle, log)
    return text_of(log)


def _error_log(handle: int) -> str:
    log = bytearray(nvjitlink.get_error_log_size(handle))
    nvjitlink.get_error_log(handle, log)
    return text_of(log)
