"""Numbers that are taken where only a run of the host code would tell.

They come from the command line, from files or the driver. One is taken for each variable, when it
is first needed, and kept: ``n`` is the same in buffers, grids and arguments. What depends on it is
marked, and says on which.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import TypeVar, cast

from jitstudio.core.launch.device import SIMULATED_DEVICE
from jitstudio.core.launch.request import HostAssumption

_Value = TypeVar("_Value")
_LIMITS = SIMULATED_DEVICE.limits
_EXTENT = 512
_SIZE = 1024
_ONE_BLOCK = 256
# By names as people use them; the first that fits says what is taken.
_USUAL = (
    (
        r"(?:device|dev|gpu|stream|rank|seed|root|start|begin|first|offset|shift|verbose|debug)\w*",
        0,
    ),
    (r"(?:num|n|max|no)?_?(?:iter|step|epoch|rep|trial|run|loop|pass|warmup)\w*", 10),
    (r"(?:num|n)_?(?:streams?|gpus?|devices?|batch\w*|channels?)|batch\w*|channels?", 2),
    (r"warp\w*", _LIMITS.warp),
    (
        r"(?:num|n|max)?_?(?:sms?|multi_?processors?|mps?)_?(?:count|num|number)?",
        SIMULATED_DEVICE.multiprocessors,
    ),
    (r"(?:num|n|max)_?(?:blocks|grid)\w*|blocks|(?:grid|blocks)_?(?:size|dim|count)?_?[xyz]?", 4),
    (r"tile\w*|radius|(?:block|threads?)_?(?:size|dim)?_?[xyz]|b[xyz]|t[xyz]", 16),
    (r"(?:num|n)?_?(?:threads?|block|tpb|cta)\w*", _ONE_BLOCK),
    (r"bins|(?:num|n)_?bins", 256),
    (r"[wh]|[mnk]|n[xyz]|size_?[xyz]", _EXTENT),
)
_NUMBERS = tuple((re.compile(names, re.IGNORECASE), number) for names, number in _USUAL)
# Behind whatever they are the extents of.
_EXTENTS = re.compile(
    r"width|height|depth|rows?|cols?|columns?|lda|ldb|ldc|pitch|dim\w*|order", re.IGNORECASE
)
_PROPERTIES = {
    "multiProcessorCount": SIMULATED_DEVICE.multiprocessors,
    "warpSize": _LIMITS.warp,
    "maxThreadsPerBlock": _LIMITS.threads_per_block,
    "maxThreadsPerMultiProcessor": _LIMITS.threads_per_multiprocessor,
    "maxBlocksPerMultiProcessor": _LIMITS.blocks_per_multiprocessor,
    "sharedMemPerBlock": _LIMITS.shared_per_block,
    "sharedMemPerBlockOptin": _LIMITS.shared_per_block_optin,
    "sharedMemPerMultiprocessor": _LIMITS.shared_per_multiprocessor,
    "regsPerBlock": _LIMITS.registers_per_block,
    "regsPerMultiprocessor": _LIMITS.registers_per_multiprocessor,
    "totalGlobalMem": SIMULATED_DEVICE.memory,
    "major": SIMULATED_DEVICE.number // 10,
    "minor": SIMULATED_DEVICE.number % 10,
    "cooperativeLaunch": 1,
}
_ATTRIBUTES = {
    "MaxSharedMemoryPerBlock": _LIMITS.shared_per_block,
    "MaxSharedMemoryPerBlockOptin": _LIMITS.shared_per_block_optin,
    "MaxSharedMemoryPerMultiprocessor": _LIMITS.shared_per_multiprocessor,
    "MaxRegistersPerBlock": _LIMITS.registers_per_block,
    "ComputeCapabilityMajor": SIMULATED_DEVICE.number // 10,
    "ComputeCapabilityMinor": SIMULATED_DEVICE.number % 10,
}
_QUERIES = {
    "cudaGetDevice": (0,),
    "cudaGetDeviceCount": (1,),
    **{
        f"cudaOccupancyMaxPotentialBlockSize{ending}": (
            SIMULATED_DEVICE.multiprocessors,
            _ONE_BLOCK,
        )
        for ending in ("", "VariableSMem", "WithFlags", "VariableSMemWithFlags")
    },
    # So few that all blocks are resident at the same time.
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": (1,),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": (1,),
}


_SUCCESS = ("cudaSuccess", "CUDA_SUCCESS", "CUBLAS_STATUS_SUCCESS", "EXIT_SUCCESS")


class _Depends:
    """A number that depends on what is assumed.

    Attributes:
        by: On what.
    """

    by: frozenset[HostAssumption] = frozenset()


class AssumedInt(int, _Depends):
    """A whole number that depends on what is assumed."""


class AssumedFloat(float, _Depends):
    """A number that depends on what is assumed."""


def assumptions(values: Iterable[object]) -> frozenset[HostAssumption]:
    """Returns on what values depend, those in tuples, too."""
    assumed: frozenset[HostAssumption] = frozenset()
    for value in values:
        if isinstance(value, _Depends):
            assumed |= value.by
        elif isinstance(value, tuple):
            assumed |= assumptions(value)
    return assumed


def depending(value: _Value, on: Iterable[object]) -> _Value:
    """Returns a number that is calculated from others, and depends on what they do."""
    by = assumptions(on)
    if not by or not isinstance(value, int | float):
        return value
    number = AssumedInt(value) if isinstance(value, int) else AssumedFloat(value)
    number.by = by
    return cast("_Value", number)


def whole_number(value: float) -> int:
    """Returns a number without its fraction, and on what it depends."""
    return depending(int(value), (value,))


def usual_number(name: str) -> int:
    """Returns the number that is taken for a variable of this name."""
    if name in _SUCCESS:
        return 0
    last = name.rpartition(".")[2].rpartition("::")[2].partition("[")[0].strip("_")
    if last in _PROPERTIES:
        return _PROPERTIES[last]
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last)
    is_extent = _EXTENTS.fullmatch(plain.rpartition("_")[2])
    otherwise = _EXTENT if is_extent else _SIZE
    return next((number for names, number in _NUMBERS if names.fullmatch(plain)), otherwise)


def answers(call: str, arguments: list[str]) -> tuple[int, ...]:
    """Returns what a query of the driver is taken to give by its first arguments, if it is one."""
    # The driver's own functions are called as those of the runtime.
    call = re.sub(r"\Acu(?=[A-Z])", "cuda", call)
    if call == "cudaDeviceGetAttribute" and len(arguments) > 1:
        name = arguments[1].rpartition("::")[2]
        name = name.removeprefix("cudaDevAttr").removeprefix("CU_DEVICE_ATTRIBUTE_")
        return (_PLAIN_ATTRIBUTES.get(_plain(name), 1),)
    return _QUERIES.get(call, ())


def is_property(place: str) -> bool:
    """Returns whether a place has the name of a number that the driver tells of a GPU."""
    return place.rpartition(".")[2] in _PROPERTIES


def is_possible(
    *,
    grid: tuple[int, ...] | None = None,
    block: tuple[int, ...] | None = None,
    shared: float | None = None,
) -> bool:
    """Returns whether a GPU takes such a launch, as far as its sizes are known."""
    sizes = ((grid, _LIMITS.grid), (block, _LIMITS.block))
    fit = all(n <= most for of, limits in sizes for n, most in zip(of or (), limits, strict=False))
    is_block = math.prod(block or ()) <= _LIMITS.threads_per_block
    return fit and is_block and (shared or 0) <= _LIMITS.shared_per_block_optin


def _plain(name: str) -> str:
    """Returns the name of an attribute as it is in both spellings: ``warpsize``."""
    return name.replace("_", "").lower()


_PLAIN_ATTRIBUTES = {_plain(name): n for name, n in (_PROPERTIES | _ATTRIBUTES).items()}
