"""Reads what a cubin says about itself. A cubin is an ELF file; pyelftools reads those."""

from __future__ import annotations

from io import BytesIO

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

# Each kernel has a constant bank for its parameters; device functions have none.
# (pyelftools drops the bit of `st_other` that marks a kernel in the symbol table.)
_PARAMETER_BANK = ".nv.constant0."


def kernels(cubin: bytes) -> tuple[str, ...]:
    """Names of the kernels in a cubin, in the order of its sections.

    Empty for bytes that are no ELF file.
    """
    return tuple(
        name.removeprefix(_PARAMETER_BANK)
        for name in _sections(cubin)
        if name.startswith(_PARAMETER_BANK)
    )


def has_code(cubin: bytes) -> bool:
    """Whether there is any function in a cubin, kernel or not."""
    return any(name.startswith(".text.") for name in _sections(cubin))


def _sections(cubin: bytes) -> list[str]:
    try:
        return [section.name for section in ELFFile(BytesIO(cubin)).iter_sections()]
    except ELFError:
        return []
