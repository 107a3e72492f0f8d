"""Kernels as the reports give them: typed values, with the names of the JSON."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.figures import FIGURES


@dataclass(frozen=True)
class BuiltKernel:
    """What a kernel needs of a multiprocessor; None where no tool has said.

    Attributes:
        name: Its lowered name.
        demangled: Its name in C++.
        module: The module it is in.
        registers: 32-bit registers per thread.
        spill_stores: Bytes per thread written to local memory for want of registers.
        spill_loads: Bytes per thread read back from there.
        stack_bytes: Stack frame per thread.
        shared_bytes: Static shared memory per block.
        constant_bytes: Constant bank of the kernel, its parameters included.
        local_bytes: Local memory per thread.
        barriers: Named barriers per block.
        max_threads: Most threads a block may have.
    """

    name: str
    demangled: str
    module: str
    registers: int | None = None
    spill_stores: int | None = None
    spill_loads: int | None = None
    stack_bytes: int | None = None
    shared_bytes: int | None = None
    constant_bytes: int | None = None
    local_bytes: int | None = None
    barriers: int | None = None
    max_threads: int | None = None


@dataclass(frozen=True)
class KernelFinding:
    """Something in machine code that may cost time.

    Attributes:
        severity: ``high``, ``medium`` or ``low``, as `jitstudio inspect` has it.
        title: What it is.
        reason: Why it may cost time.
        remedy: What may be done.
        file, line: The source line, where the line table has it.
    """

    severity: str
    title: str
    reason: str
    remedy: str
    file: str | None
    line: int | None


@dataclass(frozen=True)
class InspectedKernel(BuiltKernel):
    """A kernel, or a function that kernels call, as machine code.

    Attributes:
        target: What its code is for, such as ``sm_90a``.
        instructions: How many it has, without those that fill the last cache line.
        code_bytes: All of its code.
        occupancy: Resident warps of a multiprocessor over the most there can be; None where that
            is not known.
        findings: What may cost time.
        sass: Its instructions with their addresses, a line each.
    """

    target: str = ""
    instructions: int = 0
    code_bytes: int = 0
    occupancy: float | None = None
    findings: tuple[KernelFinding, ...] = ()
    sass: str = ""


NEEDS = tuple(name for name in BuiltKernel.__dataclass_fields__ if name in FIGURES)
"""The figures of a `BuiltKernel`."""
