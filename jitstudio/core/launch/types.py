"""The types of a kernel's parameters: scalars, pointers, arrays and structs, with their layout.

Sizes and alignments are those of CUDA C++ on 64-bit hosts (CUDA C++ Programming Guide, "Built-in
Vector Types", and the Itanium C++ ABI's rules for structs of plain data).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class NumberKind(Enum):
    """The meaning of the bits of a scalar."""

    BOOLEAN = "boolean"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    FLOATING = "floating"


@dataclass(frozen=True)
class Scalar:
    """A number.

    Attributes:
        name: As CUDA C++ writes it, such as ``unsigned int`` or ``__half``.
        dtype: NumPy's name of it, or that of `ml_dtypes` for what NumPy lacks (``bfloat16``).
        size: Bytes, which are also its alignment.
        kind: The meaning of the bits.
    """

    name: str
    dtype: str
    size: int
    kind: NumberKind

    @property
    def align(self) -> int:
        """Bytes."""
        return self.size


class _Address:
    """A type of 64 bits that is an address or a handle."""

    @property
    def size(self) -> int:
        """Bytes."""
        return 8

    @property
    def align(self) -> int:
        """Bytes."""
        return 8


@dataclass(frozen=True)
class Pointer(_Address):
    """An address in global memory.

    Attributes:
        target: What it points at; None for ``void`` and for what nobody knows.
        const: Whether what it points at is only read.
    """

    target: Type | None
    const: bool = False

    @property
    def name(self) -> str:
        """The spelling in CUDA C++."""
        return f"{'const ' if self.const else ''}{self.target.name if self.target else 'void'}*"


@dataclass(frozen=True)
class Array:
    """So many elements in a row, as a member of a struct."""

    element: Type
    count: int

    @property
    def name(self) -> str:
        """The spelling in CUDA C++."""
        return f"{self.element.name}[{self.count}]"

    @property
    def size(self) -> int:
        """Bytes."""
        return self.element.size * self.count

    @property
    def align(self) -> int:
        """Bytes."""
        return self.element.align


@dataclass(frozen=True)
class Field:
    """A member of a struct, `offset` bytes from the start."""

    name: str
    type: Type
    offset: int


@dataclass(frozen=True)
class Struct:
    """Plain data with named members; also the built-in vectors, for instance ``float4``.

    Attributes:
        name: Such as ``Params`` or ``float4``.
        fields: In order.
        size: Bytes, padding included.
        align: Bytes.
    """

    name: str
    fields: tuple[Field, ...]
    size: int
    align: int


@dataclass(frozen=True)
class Opaque:
    """Bytes of unknown meaning: given as hexadecimal digits, or left zero."""

    name: str
    size: int
    align: int


class HandleKind(Enum):
    """The kind of object by which texels are reached."""

    TEXTURE = "texture"
    SURFACE = "surface"


@dataclass(frozen=True)
class Handle(_Address):
    """A texture object or a surface object: a handle of texels that have no address."""

    kind: HandleKind

    @property
    def name(self) -> str:
        """The spelling in CUDA C++."""
        return f"cuda{self.kind.value.title()}Object_t"


Type = Scalar | Pointer | Array | Struct | Opaque | Handle

_COMPLEX = {"float32": "complex64", "float64": "complex128"}


def complex_name(kind: Type) -> str:
    """Returns NumPy's name of a complex number; empty for other types, and a complex of halves."""
    if not isinstance(kind, Struct) or [field.name for field in kind.fields] != ["real", "imag"]:
        return ""
    real, imaginary = (field.type for field in kind.fields)
    if not isinstance(real, Scalar) or real != imaginary or kind.size != 2 * real.size:
        return ""
    return _COMPLEX.get(real.dtype, "")


REFERENCES = (Pointer, Handle)
"""What stands for elements that a launch makes: see `core.launch.request.Buffer`."""
