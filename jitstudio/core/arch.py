"""Target architectures, such as `sm_90`, `compute_100` and `sm_90a`, and the code for each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_SPELLING = re.compile(r"(?:sm_|compute_|lto_)?(\d{2,3})([af]?)", re.ASCII)


@dataclass(frozen=True, order=True)
class Arch:
    """A target architecture.

    Attributes:
        number: Ten times the major plus the minor compute capability, such as 90 or 121.
        suffix: Empty, ``a`` (this very chip) or ``f`` (its family).
    """

    number: int
    suffix: str = ""

    @classmethod
    def parse(cls, text: str) -> Arch:
        """Reads `sm_90`, `compute_90`, `90` and their `a` and `f` forms.

        Raises:
            ValueError: The text is none of these; the message is fit for a person.
        """
        match = _SPELLING.fullmatch(text.strip().lower())
        if match is None:
            raise ValueError(
                f"'{text}' is not a target architecture. Write it like sm_90, sm_90a or sm_100f."
            )
        return cls(int(match[1]), match[2])

    @property
    def sm(self) -> str:
        """The name of the real machine, for cubins."""
        return f"sm_{self.number}{self.suffix}"

    @property
    def compute(self) -> str:
        """The name of the virtual machine, for PTX and LLVM IR."""
        return f"compute_{self.number}{self.suffix}"

    @property
    def capability(self) -> str:
        """The compute capability as people write it, such as ``9.0``."""
        return f"{self.number // 10}.{self.number % 10}"

    def runs_on(self, gpu: int) -> bool:
        """Returns whether machine code for this target runs on a GPU.

        By the CUDA C++ Programming Guide ("Binary Compatibility"): on the same major compute
        capability with at least its minor one, and with the letter ``a`` on exactly that one.

        Args:
            gpu: Ten times the compute capability of the GPU.
        """
        if self.suffix == "a":
            return self.number == gpu
        return self.number // 10 == gpu // 10 and self.number <= gpu

    def assembles_for(self, gpu: int) -> bool:
        """Returns whether PTX for this target can be assembled for a GPU.

        By the CUDA C++ Programming Guide ("Application Compatibility"): for its own target and
        newer ones, and with a letter only where machine code for the target runs.

        Args:
            gpu: Ten times the compute capability of the GPU.
        """
        return self.runs_on(gpu) if self.suffix else self.number <= gpu

    def __str__(self) -> str:
        return self.sm


DEFAULT_ARCH = Arch(90)
"""What a first build targets: present in every supported NVRTC, and a cubin most clusters run."""


def machine_code_for(wanted: Arch, there: Iterable[Arch]) -> Arch | None:
    """Returns the target of the machine code to take, as from a fatbin; None if none would run."""
    fit = [arch for arch in there if arch.runs_on(wanted.number)]
    return max(fit, key=lambda arch: (arch == wanted, arch), default=None)


def ptx_for(wanted: Arch, there: Iterable[Arch]) -> Arch | None:
    """Returns the target of the PTX to take; None where there is none that can be assembled."""
    fit = [arch for arch in there if arch.assembles_for(wanted.number)]
    return max(fit, key=lambda arch: (arch == wanted, arch), default=None)
