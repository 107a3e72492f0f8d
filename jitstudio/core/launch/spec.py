"""A launch as the user writes it: texts, which the form, the command line and projects share.

What the texts mean is found out by `core.launch.resolving.resolve`, once the kernel is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


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
class RunOptions:
    """How a launch is carried out, whatever the kernel.

    Attributes:
        warmup: Launches before those that are timed.
        repeats: Launches that are timed; 0 for one launch without timing.
        flush_l2: Whether the L2 cache is overwritten before each timed launch.
        relative: Relative tolerance of the comparison, as `numpy.isclose` takes it.
        absolute: Absolute tolerance.
        poison: Whether output buffers are filled with a pattern first, to find what is never
            written.
        guards: Whether zones around each buffer are watched for writes out of bounds.
        sanitizer: The compute-sanitizer tool to run under; None for none.
        timeout: Seconds after which a launch is ended.
    """

    warmup: int = 1
    repeats: int = 10
    flush_l2: bool = False
    relative: float = 1e-5
    absolute: float = 1e-8
    poison: bool = True
    guards: bool = True
    sanitizer: Sanitizer | None = None
    timeout: float = 30.0


@dataclass(frozen=True)
class LaunchSpec(RunOptions):
    """What to launch and how.

    Attributes:
        kernel: A kernel's lowered name, its name in C++, or its name expression; empty for the
            only one.
        arguments: Parameter name and text: see `core.launch.texts.argument_text`.
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
