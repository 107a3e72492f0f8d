"""PTX to a cubin by the compiler inside the driver: what happens to PTX that a program loads."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cache
from typing import Any

from cuda.bindings import driver
from cuda.pathfinder import DynamicLibNotFoundError

from jitstudio.core.code import CodeKind
from jitstudio.core.job import Job
from jitstudio.core.options import find
from jitstudio.core.tools import Tool
from jitstudio.toolchain.errors import ToolMissing
from jitstudio.toolchain.report import Report, text_of

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


class _Refused(RuntimeError):
    """A call of the driver's failed."""


@cache
def version() -> str:
    """The newest CUDA version that the driver serves, such as ``13.0``.

    Raises:
        ToolMissing: There is no driver, or no GPU that it can use.
    """
    try:
        (number,) = _checked("cuDriverGetVersion", driver.cuDriverGetVersion())
        _context()
    except (DynamicLibNotFoundError, RuntimeError) as error:
        reason = str(error) if isinstance(error, _Refused) else "no NVIDIA driver is installed"
        raise ToolMissing(
            Tool.DRIVER, f"PTX cannot be assembled by the driver: {reason}. {_REMEDY}"
        ) from error
    return f"{number // 1000}.{number % 1000 // 10}"


def assemble(job: Job) -> Report:
    """Assemble one PTX module."""
    version()
    report = Report(options=tuple(_sent(job)))
    info, errors = bytearray(_LOG_SIZE), bytearray(_LOG_SIZE)
    settings: list[tuple[Any, Any]] = [
        (_J.CU_JIT_INFO_LOG_BUFFER, info),
        (_J.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, _LOG_SIZE),
        (_J.CU_JIT_ERROR_LOG_BUFFER, errors),
        (_J.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, _LOG_SIZE),
        *(setting for option in report.options or () if (setting := _setting(option))),
    ]
    try:
        with report.timed():
            report.made[CodeKind.CUBIN] = _link(job, settings)
        report.ok = True
    except _Refused as error:
        report.error_log = str(error)
    report.log = text_of(info.partition(b"\0")[0])
    report.error_log = text_of(errors.partition(b"\0")[0]) or report.error_log
    return report


def _link(job: Job, settings: list[tuple[Any, Any]]) -> bytes:
    _checked("cuCtxSetCurrent", driver.cuCtxSetCurrent(_context()))
    keys, values = [key for key, _ in settings], [value for _, value in settings]
    (state,) = _checked("cuLinkCreate", driver.cuLinkCreate(len(settings), keys, values))
    try:
        for ref, code in job.inputs:
            text = code.rstrip(b"\0") + b"\0"
            kind = driver.CUjitInputType.CU_JIT_INPUT_PTX
            name = ref.file_name.encode()
            answer = driver.cuLinkAddData(state, kind, text, len(text), name, 0, [], [])
            _checked("cuLinkAddData", answer)
        address, size = _checked("cuLinkComplete", driver.cuLinkComplete(state))
        # The driver's own memory, gone with the link.
        return ctypes.string_at(int(address), size)
    finally:
        driver.cuLinkDestroy(state)


def _sent(job: Job) -> Iterator[str]:
    """Those of nvJitLink's options that the driver has, too; it tells registers when asked."""
    yield from (option for option in job.options if _setting(option))
    if "-verbose" not in job.options:
        yield "-verbose"


def _setting(option: str) -> tuple[Any, int] | None:
    """How the driver calls an option; None where it has none of this kind."""
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
    """The first GPU's context, which a link needs though it runs nothing there."""
    _checked("cuInit", driver.cuInit(0))
    (device,) = _checked("cuDeviceGet", driver.cuDeviceGet(0))
    (context,) = _checked("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain(device))
    return context


def _checked(call: str, answer: tuple[Any, ...]) -> tuple[Any, ...]:
    status, *values = answer
    if status != driver.CUresult.CUDA_SUCCESS:
        name = getattr(status, "name", status)
        raise _Refused(f"{call} answered {name}")
    return tuple(values)
