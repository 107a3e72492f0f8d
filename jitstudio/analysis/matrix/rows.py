"""What came of each variant of a matrix, in figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from jitstudio.analysis.matrix.plan import Variant
from jitstudio.analysis.report import KernelReport, report
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.code import CodeKind
from jitstudio.core.result import BuildResult, Resources


@dataclass(frozen=True)
class MatrixRow:
    """One variant, as far as it has come.

    Attributes:
        variant: Which one.
        result: What its build came to; None before it has ended.
        problem: Why there are figures missing; empty where there are none.
        reports: What has been read of each kernel, by its lowered name.
    """

    variant: Variant
    result: BuildResult | None = None
    problem: str = ""
    reports: Mapping[str, KernelReport] = field(default_factory=dict)

    @property
    def is_waiting(self) -> bool:
        """Whether it is still to be built."""
        return self.result is None and not self.problem

    @property
    def failed(self) -> bool:
        """Whether it was built and cannot be used."""
        return self.result is not None and not self.result.ok

    @property
    def cubin(self) -> bytes:
        """Its machine code; empty where there is none."""
        made = self.result.artifacts if self.result else ()
        return next((a.content for a in made if a.kind is CodeKind.CUBIN), b"")

    def resources(self, kernel: str) -> Resources | None:
        """What a kernel needs; None where the variant has no such kernel."""
        return self.result.resources_of(kernel) if self.result else None


def built(variant: Variant, result: BuildResult) -> MatrixRow:
    """The row of a variant whose build has ended."""
    return MatrixRow(variant, result, "" if result.ok else result.reason)


def reports_of(result: BuildResult, code: Disassembly) -> dict[str, KernelReport]:
    """What the machine code tells of each kernel."""
    return {
        function.name: report(function, result.resources_of(function.name))
        for function in code.kernels
    }


def kernels_in(rows: Iterable[MatrixRow]) -> dict[str, str]:
    """The kernels of all variants: lowered names with what they are in words of C++."""
    found = (kernel for row in rows if row.result for kernel in row.result.kernels)
    return {kernel.name: kernel.demangled for kernel in found}
