"""The user's wishes for a launch, as texts, and the form in a project file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any


class LoadMode(Enum):
    """Which code is loaded onto the GPU."""

    CUBIN = "cubin"
    DRIVER_JIT = "driver-jit"


class Sanitizer(Enum):
    """The tools of compute-sanitizer."""

    MEMCHECK = "memcheck"
    RACECHECK = "racecheck"
    INITCHECK = "initcheck"
    SYNCCHECK = "synccheck"


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """How a launch is carried out, whatever the kernel.

    Attributes:
        warmup: Launches before those that are timed.
        repeats: Launches that are timed; 0 for one launch without timing.
        flush_l2: Whether the L2 cache is overwritten before each timed launch.
        relative: Relative tolerance of floating-point buffers, as `numpy.isclose` takes it.
        absolute: Absolute tolerance of the same.
        integer_tolerance: How far integers may be apart: they are compared exactly otherwise.
        poison: Whether output buffers are filled with a pattern first, to find what is never
            written.
        guards: Whether zones around each buffer are watched for writes out of bounds.
        sanitizer: The compute-sanitizer tool to run under; None for none.
        timeout: Seconds after which a launch is ended.
        blocks: Blocks that the simulator runs, from the first; 0 for all.
        seed: Shuffles the order of blocks and warps in the simulator; 0 for the natural one.
        seeds: In how many orders it runs the kernel, by this seed and those that follow it.
        both: Whether a GPU and the simulator run it, and what they leave is compared.
    """

    warmup: int = 1
    repeats: int = 10
    flush_l2: bool = False
    relative: float = 1e-5
    absolute: float = 1e-8
    integer_tolerance: int = 0
    poison: bool = True
    guards: bool = True
    sanitizer: Sanitizer | None = None
    timeout: float = 30.0
    blocks: int = 0
    seed: int = 0
    seeds: int = 1
    both: bool = False


@dataclass(frozen=True)
class LaunchSpec(RunSettings):
    """A kernel to launch with the user's texts.

    Attributes:
        kernel: A kernel's lowered name, its name in C++, or its name expression; empty for the
            only one.
        arguments: Name and text of each parameter, of pointers in structs (``view.data``) and of
            module variables: see `core.launch.arguments`.
        grid: Blocks as ``x``, ``x,y`` or ``x,y,z``; empty where `cover` says it.
        cover: How many elements the grid shall cover with one thread each, as an expression over
            the integer arguments such as ``n``, one for each axis; empty for none.
        block: Threads per block, like `grid`.
        cluster: Blocks per cluster, like `grid`; empty for none.
        shared: Bytes of dynamic shared memory per block, an expression.
        cooperative: Whether all blocks are resident at the same time, for a grid-wide barrier.
        load: Which code is loaded.
        expectations: Lines such as ``out = a * x + y``; ``name =`` may be left out where the
            kernel writes one buffer only.
    """

    kernel: str = ""
    arguments: tuple[tuple[str, str], ...] = ()
    grid: str = ""
    cover: str = ""
    block: str = "256"
    cluster: str = ""
    shared: str = "0"
    cooperative: bool = False
    load: LoadMode = LoadMode.CUBIN
    expectations: tuple[str, ...] = ()


_Read = Callable[[Any], Any]


def spec_object(spec: LaunchSpec) -> dict[str, Any]:
    """Returns a launch as an object of JSON."""
    content: dict[str, Any] = {f.name: getattr(spec, f.name) for f in fields(LaunchSpec)}
    return content | {
        "arguments": dict(spec.arguments),
        "load": spec.load.value,
        "sanitizer": spec.sanitizer and spec.sanitizer.value,
        "expectations": list(spec.expectations),
    }


def spec_from(saved: Mapping[str, Any]) -> LaunchSpec:
    """Returns a launch from an object by `spec_object`; missing settings are as at first.

    Raises:
        ValueError, TypeError, AttributeError: It is damaged.
    """
    return LaunchSpec(
        **{name: _READ[name](value) for name, value in saved.items() if name in _READ}
    )


def _exactly(*kinds: type) -> _Read:
    def read(value: Any) -> Any:
        # Not `isinstance`, to which True is a number.
        if type(value) not in kinds:
            raise TypeError(
                f"{value!r} where {' or '.join(kind.__name__ for kind in kinds)} belongs"
            )
        return value

    return read


_TEXT = _exactly(str)


def _arguments(value: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((_TEXT(name), _TEXT(text)) for name, text in value.items())


def _sanitizer(value: Any) -> Sanitizer | None:
    return None if value is None else Sanitizer(value)


def _expectations(value: Any) -> tuple[str, ...]:
    return tuple(map(_TEXT, _exactly(list)(value)))


_PLAIN: dict[type, _Read] = {
    str: _TEXT,
    bool: _exactly(bool),
    int: _exactly(int),
    float: _exactly(float, int),
}
_SPECIAL: dict[str, _Read] = {
    "arguments": _arguments,
    "load": LoadMode,
    "sanitizer": _sanitizer,
    "expectations": _expectations,
}
_READ: dict[str, _Read] = {
    f.name: _SPECIAL.get(f.name) or _PLAIN[type(f.default)] for f in fields(LaunchSpec)
}
