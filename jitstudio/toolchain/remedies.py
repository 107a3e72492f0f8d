"""Remedies where NVRTC fails with a program, tried or looked for before being offered."""

from __future__ import annotations

import re
from collections.abc import Callable

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity, diagnose
from jitstudio.core.options import ALL_DEVICE
from jitstudio.core.tools import Tool
from jitstudio.listing.cuda.host_launches.macros import defined_macros
from jitstudio.listing.cuda.outline import code_alone
from jitstudio.listing.cuda.words import words_in
from jitstudio.toolchain import nvcc
from jitstudio.toolchain.device_part import DevicePart, words_on_calls
from jitstudio.toolchain.own_texts import text_at
from jitstudio.toolchain.tool_output import Report

# NVRTC's errors for functions and variables that nothing marks as the device's.
_UNMARKED = re.compile(
    r": error: A (?:function without execution|namespace scope variable without memory) space"
)
_ERROR = re.compile(r": (?:catastrophic )?error: ")
_TILE_IGNORED = "parsing for Tile constructs is not enabled"
_OF_TILE = "cuda_tile.h"
_CALLED = "calling a __host__ function"
_NOT_FOUND = re.compile(r'open source file "([^"\n]++)"')
# Macros of a compiler or of NVIDIA's headers: with nvcc they may be others. Some never are.
_MAY_DIFFER = re.compile(
    rb"(?!(?:__cplusplus|__CUDA_ARCH\w*|__CUDACC__|__CUDACC_VER_\w*)\Z)(?:_|CUD)\w*"
)


def unmarked_for_device(
    report: Report, options: tuple[str, ...], attempt: Callable[[tuple[str, ...]], Report]
) -> str:
    """Returns a sentence: the outcome of a compile with unmarked functions for the device.

    Empty where its errors are no fewer, or where there are none that this might mend.

    Args:
        report: Of the compile that has failed.
        options: What the user has sent.
        attempt: Compiles the text, host code and all, with options besides.
    """
    if not _UNMARKED.search(report.error_log) or any(option in ALL_DEVICE for option in options):
        return ""
    if _TILE_IGNORED in report.error_log:
        return ""  # a function that it would take for another kind than it is marked as
    trial = attempt(ALL_DEVICE[:1])
    before, after = (len(_ERROR.findall(r.error_log)) for r in (report, trial))
    if not trial.ok and after >= before:
        return ""
    errors = "error" if after == 1 else "errors"
    outcome = "compiles" if trial.ok else f"has {after} {errors} instead of {before}"
    return f"With {ALL_DEVICE[0]} it {outcome}."


def nvcc_offer(part: DevicePart, report: Report, folders: tuple[str, ...]) -> Diagnostic | None:
    """Returns the offer of nvcc for a program that NVRTC could not compile, and the first cause.

    None where nvcc is not here, where a build may not start it, where the program has nothing of
    the host, where a header is nowhere on this machine, or where nvcc stops, too: at device code
    that calls the host's functions, and at an ``#error`` that no macro of a compiler leads to.

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
    if not {CodeKind.PTX, CodeKind.CUBIN}.issuperset(job.makes) or not nvcc.path():
        return None
    if _OF_TILE in missing:
        return None
    if not all(map(nvcc.may_find, missing)):
        return None
    log = report.error_log
    diagnostics = diagnose(Tool.NVRTC, job.name, False, "", log, header_folders=folders)
    cause = next(
        (diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR), None
    )
    if cause is None or _stops_all(cause, part):
        return None
    where = f" (line {cause.line:,})" if cause.line and cause.file == job.name else ""
    message = (
        "nvcc is on this machine and may compile this program: --compiler nvcc. "
        f"NVRTC stops at: {cause.message.rstrip('.')}{where}."
    )
    return Diagnostic(Severity.INFO, job.name, None, None, message)


def _stops_all(cause: Diagnostic, part: DevicePart) -> bool:
    """Returns whether an error is an ``#error`` that is the same for all compilers."""
    if "#error directive" not in cause.message or not cause.line:
        return False
    text = part.texts.get(cause.file) or text_at(part.whole, cause.file) or b""
    asked = words_in(b" ".join(_conditions_around(text, cause.line)))
    # A guard of a header is its own.
    return not any(map(_MAY_DIFFER.fullmatch, asked - defined_macros(text).keys()))


def _conditions_around(text: bytes, line: int) -> list[bytes]:
    """Returns the directives of the conditions around a line, also of other branches."""
    at = 0
    for _ in range(line - 1):
        at = text.find(b"\n", at) + 1
    asked: list[bytes] = []
    for start, (end, word) in code_alone(text).directives.items():
        if start >= at:
            break
        if word.startswith(b"if"):
            asked.append(text[start:end])
        elif word.startswith(b"el") and asked:
            asked[-1] += text[start:end]
        elif word == b"endif" and asked:
            asked.pop()
    return asked
