"""What else may help where NVRTC fails with a program, tried or looked for before it is said."""

from __future__ import annotations

import re
from collections.abc import Callable

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity, diagnose
from jitstudio.core.options import ALL_DEVICE
from jitstudio.core.tools import Tool
from jitstudio.toolchain import nvcc
from jitstudio.toolchain.device_part import DevicePart, words_on_calls
from jitstudio.toolchain.tool_output import Report

_UNMARKED = re.compile(
    r": error: A (?:function without execution|namespace scope variable without memory) space"
)
_ERROR = re.compile(r": (?:catastrophic )?error: ")
_CALLED = "calling a __host__ function"
_NOT_FOUND = re.compile(r'open source file "([^"\n]++)"')


def unmarked_for_device(
    report: Report, options: tuple[str, ...], attempt: Callable[[tuple[str, ...]], Report]
) -> str:
    """Returns what becomes of a compile if unmarked functions are for the device: a sentence.

    Empty where its errors are no fewer, or where there are none that this might mend.

    Args:
        report: Of the compile that has failed.
        options: What the user has sent.
        attempt: Compiles the text, host code and all, with options besides.
    """
    if not _UNMARKED.search(report.error_log) or any(option in ALL_DEVICE for option in options):
        return ""
    tried = attempt(ALL_DEVICE[:1])
    before, after = (len(_ERROR.findall(r.error_log)) for r in (report, tried))
    if not tried.ok and after >= before:
        return ""
    errors = "error" if after == 1 else "errors"
    outcome = "compiles" if tried.ok else f"has {after} {errors} in place of {before}"
    return f"With {ALL_DEVICE[0]} it {outcome}."


def nvcc_offer(part: DevicePart, report: Report, folders: tuple[str, ...]) -> Diagnostic | None:
    """Returns that nvcc is here and may compile what NVRTC could not, and the first cause.

    None where it is not, where a build may not start it, where nothing of the host is in it, where
    a header is nowhere on this machine, or where device code calls the host's functions, which
    nvcc refuses, too.

    Args:
        part: What NVRTC could not compile.
        report: What it said.
        folders: Where NVIDIA's headers lie: an error there is told where the author's text leads.
    """
    job = part.whole
    missing = _NOT_FOUND.findall(report.error_log)
    is_of_host = bool(part.host_code) or bool(missing)
    calls = words_on_calls(part, report.error_log) or _CALLED in report.error_log
    if not is_of_host or calls or job.confined_to is not None:
        return None
    if not {CodeKind.PTX, CodeKind.CUBIN}.issuperset(job.makes) or not nvcc.found():
        return None
    if not all(map(nvcc.may_find, missing)):
        return None
    log = report.error_log
    said = diagnose(Tool.NVRTC, job.name, False, "", log, header_folders=folders)
    cause = next((each for each in said if each.severity is Severity.ERROR), None)
    if cause is None:
        return None
    where = f" (line {cause.line:,})" if cause.line and cause.file == job.name else ""
    message = (
        f"NVRTC stops at: {cause.message.rstrip('.')}{where}. nvcc is on this machine and may "
        "compile this program: --compiler nvcc."
    )
    return Diagnostic(Severity.INFO, job.name, None, None, message)
