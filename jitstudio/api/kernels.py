"""Kernels in the reports: typed values, with the names of the JSON."""

from __future__ import annotations

from dataclasses import dataclass, fields

from jitstudio.core.result import Resources


@dataclass(frozen=True, kw_only=True)
class BuiltKernel(Resources):
    """A kernel with the needs of a multiprocessor: see `Resources`.

    Attributes:
        name: Its lowered name.
        demangled: Its name in C++.
        module: The module it is in.
    """

    name: str
    demangled: str
    module: str


@dataclass(frozen=True)
class KernelFinding:
    """Something in machine code that may cost time.

    Attributes:
        severity: ``warning`` or ``info``, as `jitstudio inspect` has it.
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


@dataclass(frozen=True, kw_only=True)
class InspectedKernel(BuiltKernel):
    """A kernel, or a function that kernels call, as machine code.

    Attributes:
        target: What its code is for, such as ``sm_90a``.
        instructions: How many it has, without those that fill the last cache line.
        code_bytes: All of its code, with the instructions that fill the last cache line.
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


NEEDS = tuple(field.name for field in fields(Resources))
"""The figures of a `BuiltKernel`."""
