"""Target architectures: `sm_90`, `compute_100`, `sm_90a`, `sm_100f`."""

from __future__ import annotations

import re
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
        """Read `sm_90`, `compute_90`, `90` and their `a` and `f` forms.

        Raises:
            ValueError: The text is none of these; the message is fit for a person.
        """
        match = _SPELLING.fullmatch(text.strip().lower())
        if match is None:
            raise ValueError(
                f"'{text}' is no target architecture. Write it like sm_90, sm_90a or sm_100f."
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

    def __str__(self) -> str:
        return self.sm


DEFAULT_ARCH = Arch(90)
"""What a first build targets: present in every supported NVRTC, and a cubin most clusters run."""
