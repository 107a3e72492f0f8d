"""PTX, LTO-IR, cubins, fatbins, objects and libraries to one cubin, or to PTX, by nvJitLink."""

from __future__ import annotations

import re
from functools import cache

from cuda.bindings import nvjitlink

from jitstudio.core.code import CodeKind
from jitstudio.core.job import Job
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.report import Report, text_of

_INPUT_TYPES = {
    CodeKind.PTX: nvjitlink.InputType.PTX,
    CodeKind.CUBIN: nvjitlink.InputType.CUBIN,
    CodeKind.LTOIR: nvjitlink.InputType.LTOIR,
    CodeKind.FATBIN: nvjitlink.InputType.FATBIN,
    CodeKind.OBJECT: nvjitlink.InputType.OBJECT,
    CodeKind.LIBRARY: nvjitlink.InputType.LIBRARY,
}
# Lengths count the NUL of a text.
_OUTPUTS = {
    CodeKind.CUBIN: (nvjitlink.get_linked_cubin_size, nvjitlink.get_linked_cubin),
    CodeKind.PTX: (nvjitlink.get_linked_ptx_size, nvjitlink.get_linked_ptx),
}

_ERROR_LINE = re.compile(r"^(?:ptxas )?(?:error|fatal)\s*: ", re.MULTILINE)


@cache
def version() -> str:
    """Such as ``13.5``.

    Raises:
        ToolMissing: nvJitLink is not here.
    """
    locate.load(Tool.NVJITLINK)
    major, minor = nvjitlink.version()
    return f"{major}.{minor}"


def link(job: Job) -> Report:
    """Assemble one module, or link several."""
    locate.load(Tool.NVJITLINK)
    report = Report()
    options = list(job.options)
    try:
        with report.timed():
            handle = nvjitlink.create(len(options), options)
    except nvjitlink.nvJitLinkError as error:
        # There is no handle yet and so no log: the options are all there is to show.
        report.error_log = f"{error}: nvJitLink refused one of the options {' '.join(options)}"
        return report
    try:
        with report.timed():
            for ref, content in job.inputs:
                nvjitlink.add_data(
                    handle, _INPUT_TYPES[ref.kind], content, len(content), ref.file_name
                )
            nvjitlink.complete(handle)
            (kind,) = job.makes
            size_of, copy = _OUTPUTS[kind]
            made = bytearray(size_of(handle))
            copy(handle, made)
        report.made[kind] = bytes(made).rstrip(b"\0") if kind is CodeKind.PTX else bytes(made)
        report.ok = True
    except nvjitlink.nvJitLinkError as error:
        report.error_log = str(error)
    finally:
        report.log = _info_log(handle)
        report.error_log = _error_log(handle) or report.error_log
        nvjitlink.destroy(handle)
    if report.ok and _ERROR_LINE.search(report.error_log):
        # Once a link has met a PTX version that is too new, later ones in the same process
        # answer "success" to unresolved references; only their logs still tell.
        report.ok = False
        report.made.clear()
    return report


def _info_log(handle: int) -> str:
    log = bytearray(nvjitlink.get_info_log_size(handle))
    nvjitlink.get_info_log(handle, log)
    return text_of(log)


def _error_log(handle: int) -> str:
    log = bytearray(nvjitlink.get_error_log_size(handle))
    nvjitlink.get_error_log(handle, log)
    return text_of(log)
