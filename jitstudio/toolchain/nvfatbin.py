"""Code for several targets into a fatbin by nvFatbin."""

from __future__ import annotations

import re
from functools import cache

from cuda.bindings import nvfatbin

from jitstudio.core.code import TILE_PART, CodeKind, target_in
from jitstudio.core.cubin import cubin_target
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.ptx.skimming import ptx_target
from jitstudio.toolchain import locate
from jitstudio.toolchain.result_words import meaning_of
from jitstudio.toolchain.tool_output import Report

# `sm_90a`, or `compute_90` of PTX.
_TARGET = re.compile(r"(?:sm|compute)_(\w+)")


class _Unknown(ValueError):
    """For which target a piece of code was made cannot be known."""


@cache
def version() -> str:
    """Returns the version of nvFatbin, as ``13.4``.

    Raises:
        ToolMissing: nvFatbin is not here.
    """
    locate.load(Tool.NVFATBIN)
    major, minor = nvfatbin.version()
    return f"{major}.{minor}"


def pack(job: Job) -> Report:
    """Packs cubins, PTX, LTO-IR and Tile IR into a fatbin."""
    locate.load(Tool.NVFATBIN)
    report = Report()
    options = list(job.options)
    at_work = "the options " + " ".join(options)
    handle = 0
    try:
        with report.timed():
            handle = nvfatbin.create(options, len(options))
        for ref, code in job.inputs:
            at_work = ref.file_name
            _add(handle, ref, code, report)
        at_work = job.name
        with report.timed():
            fatbin = bytearray(nvfatbin.size(handle))
            nvfatbin.get(handle, fatbin)
        report.code[CodeKind.FATBIN] = bytes(fatbin)
        report.ok = True
    except nvfatbin.nvFatbinError as error:
        report.error_log = f"{meaning_of(nvfatbin.Result(error.status))} ({at_work})"
    except _Unknown as error:
        report.error_log = str(error)
    finally:
        if handle:
            nvfatbin.destroy(handle)
    return report


def _add(handle: int, ref: Ref, code: bytes, report: Report) -> None:
    target = _target_of(ref, code)
    # A reader of the fatbin sees this name, which must be its own.
    part = TILE_PART if TILE_PART in ref.name else ""
    name = f"{ref.file_name}{part}@{target}"
    with report.timed():
        match ref.kind:
            case CodeKind.CUBIN:
                nvfatbin.add_cubin(handle, code, len(code), target, name)
            case CodeKind.PTX:
                # The text must end with a NUL, which counts.
                text = code.rstrip(b"\0") + b"\0"
                nvfatbin.add_ptx(handle, text, len(text), target, name, "")
            case CodeKind.LTOIR:
                nvfatbin.add_ltoir(handle, code, len(code), target, name, "")
            case CodeKind.TILE_BYTECODE:
                nvfatbin.add_tile_ir(handle, code, len(code), name, "")
            case _:
                raise _Unknown(f"A fatbin takes no {ref.kind.title}, as '{ref.name}' is.")


def _target_of(ref: Ref, code: bytes) -> str:
    """Returns the number of the target with the letter, as in ``90a``."""
    if TILE_PART in ref.name and (arch := cubin_target(code)):
        # It has a letter, whatever was asked for.
        return arch.sm.removeprefix("sm_")
    if match := _TARGET.fullmatch(target_in(ref.name)):
        return match[1]
    if ref.kind is CodeKind.PTX and (target := ptx_target(code.decode("latin-1"))):
        return target.removeprefix("sm_")
    raise _Unknown(f"For which target '{ref.name}' was made is not known.")
