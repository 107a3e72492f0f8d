"""PTX to a cubin by the compiler inside the driver, as for PTX that a program loads."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from cuda.bindings import driver
from cuda.pathfinder import DynamicLibNotFoundError

from jitstudio.core.code import CodeKind
from jitstudio.core.options import find
from jitstudio.core.plan import Job
from jitstudio.core.tools import Tool
from jitstudio.toolchain.driver import DriverError, checked
from jitstudio.toolchain.tool_output import Report, ToolMissing, text_of

_J = driver.CUjit_option
_LOG_SIZE = 1 << 18
_FLAGS: dict[str, tuple[Any, int]] = {
    "-lineinfo": (_J.CU_JIT_GENERATE_LINE_INFO, 1),
    "-g": (_J.CU_JIT_GENERATE_DEBUG_INFO, 1),
    "-verbose": (_J.CU_JIT_LOG_VERBOSE, 1),
}
_NUMBERS: dict[str, Any] = {
    "-maxrregcount": _J.CU_JIT_MAX_REGISTERS,
    "-O": _J.CU_JIT_OPTIMIZATION_LEVEL,
}
_ARCH = "-arch=sm_"
_REMEDY = "nvJitLink makes the same of PTX without a driver: choose it as the assembler."


@cache
def version() -> str:
    """Returns the newest CUDA version that the driver serves, such as ``13.0``.

    Raises:
        ToolMissing: There is no driver, or no GPU that it can use.
    """
    try:
        (number,) = checked("cuDriverGetVersion", driver.cuDriverGetVersion())
        _context()
    except (DynamicLibNotFoundError, RuntimeError) as error:
        reason = str(error) if isinstance(error, DriverError) else "no NVIDIA driver is installed"
        raise ToolMissing(
            Tool.DRIVER, f"PTX cannot be assembled by the driver: {reason}. {_REMEDY}"
        ) from error
    return f"{number // 1000}.{number % 1000 // 10}"


@dataclass(frozen=True)
class DriverCubin:
    """The driver's result for PTX.

    Attributes:
        cubin: None where it refused.
        error: The driver's name of the refusal; empty where there was none.
        log: What it said.
        error_log: What it said of errors; the refused call where it said nothing.
    """

    cubin: bytes | None
    error: str
    log: str
    error_log: str


def assemble(job: Job) -> Report:
    """Assembles the PTX module of the job for the target among the options."""
    version()
    report = Report(options=tuple(_sent(job)))
    with report.timed():
        checked("cuCtxSetCurrent", driver.cuCtxSetCurrent(_context()))
        named = [(ref.file_name, code) for ref, code in job.inputs]
        result = assemble_here(named, report.options or ())
    if result.cubin is not None:
        report.code[CodeKind.CUBIN] = result.cubin
    report.ok = result.cubin is not None
    report.log, report.error_log = result.log, result.error_log
    return report


def assemble_here(modules: Iterable[tuple[str, bytes]], options: Iterable[str] = ()) -> DriverCubin:
    """Assembles PTX in the current context, for the GPU there unless the options name a target.

    Args:
        modules: Names and texts.
        options: In nvJitLink's spelling; those are left out that the driver does not have.
    """
    info, errors = bytearray(_LOG_SIZE), bytearray(_LOG_SIZE)
    settings: list[tuple[Any, Any]] = [
        (_J.CU_JIT_INFO_LOG_BUFFER, info),
        (_J.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, _LOG_SIZE),
        (_J.CU_JIT_ERROR_LOG_BUFFER, errors),
        (_J.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, _LOG_SIZE),
        *(setting for option in options if (setting := _setting(option))),
    ]
    cubin, error, refusal = None, "", ""
    try:
        cubin = _link(modules, settings)
    except DriverError as refused:
        error, refusal = refused.error, str(refused)
    log, error_log = (text_of(bytes(words).partition(b"\0")[0]) for words in (info, errors))
    return DriverCubin(cubin, error, log, error_log or refusal)


def _link(modules: Iterable[tuple[str, bytes]], settings: list[tuple[Any, Any]]) -> bytes:
    keys, values = [key for key, _ in settings], [value for _, value in settings]
    (state,) = checked("cuLinkCreate", driver.cuLinkCreate(len(settings), keys, values))
    try:
        for name, code in modules:
            # PTX has to end with a NUL: CUDA Driver API, "cuLinkAddData".
            text = code.rstrip(b"\0") + b"\0"
            kind = driver.CUjitInputType.CU_JIT_INPUT_PTX
            answer = driver.cuLinkAddData(state, kind, text, len(text), name.encode(), 0, [], [])
            checked("cuLinkAddData", answer)
        address, size = checked("cuLinkComplete", driver.cuLinkComplete(state))
        # The driver's own memory, gone with the link.
        return ctypes.string_at(int(address), size)
    finally:
        driver.cuLinkDestroy(state)


def _sent(job: Job) -> Iterator[str]:
    """Yields those of nvJitLink's options that the driver has, and `-verbose` for registers."""
    yield from (option for option in job.options if _setting(option))
    if "-verbose" not in job.options:
        yield "-verbose"


def _setting(option: str) -> tuple[Any, int] | None:
    """Returns the driver's option and value for `option`; None where the driver has none."""
    if option in _FLAGS:
        return _FLAGS[option]
    if option.startswith(_ARCH):
        name = f"CU_TARGET_COMPUTE_{option.removeprefix(_ARCH).upper()}"
        target = getattr(driver.CUjit_target, name, None)
        return None if target is None else (_J.CU_JIT_TARGET, target)
    row, value = find(option)
    flag = row.spellings.get(Tool.NVJITLINK, "") if row else ""
    if flag in _NUMBERS and value and value.isdigit():
        return _NUMBERS[flag], int(value)
    return None


@cache
def _context() -> Any:
    """Returns the first GPU's context, which a link needs though nothing runs there."""
    checked("cuInit", driver.cuInit(0))
    (device,) = checked("cuDeviceGet", driver.cuDeviceGet(0))
    (context,) = checked("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain(device))
    return context
