"""Which of several pieces of code a target takes: those in a fatbin, for one.

The rules are those of the CUDA C++ Programming Guide ("Binary Compatibility", "Application
Compatibility"): machine code runs on the same major compute capability with at least its minor one,
PTX is assembled for its own target and newer ones, and a letter binds both.
"""

from __future__ import annotations

from collections.abc import Iterable

from jitstudio.core.arch import Arch


def machine_code_for(wanted: Arch, there: Iterable[Arch]) -> Arch | None:
    """The target of the machine code to take; None where there is none that would run."""
    fit = [arch for arch in there if _runs(arch, wanted)]
    return max(fit, key=lambda arch: (arch == wanted, arch), default=None)


def ptx_for(wanted: Arch, there: Iterable[Arch]) -> Arch | None:
    """The target of the PTX to take; None where there is none that can be assembled."""
    fit = [arch for arch in there if _assembles(arch, wanted)]
    return max(fit, key=lambda arch: (arch == wanted, arch), default=None)


def _runs(code: Arch, on: Arch) -> bool:
    if code.suffix == "a":
        return code.number == on.number
    return code.number // 10 == on.number // 10 and code.number <= on.number


def _assembles(code: Arch, on: Arch) -> bool:
    return _runs(code, on) if code.suffix else code.number <= on.number
