"""Textures and surfaces: types and places of texels, and the sampling of textures.

Names and rules are those of CUDA: `cudaTextureDesc`, `cudaResourceDesc` and "Texture and Surface
Memory" of the CUDA C++ Programming Guide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from jitstudio.core.launch.c_types import HALF, named, struct_of
from jitstudio.core.launch.types import HandleKind, NumberKind, Scalar, Struct, Type


class AddressMode(Enum):
    """The value of a texture for coordinates outside."""

    CLAMP = "clamp"
    BORDER = "border"
    WRAP = "wrap"
    MIRROR = "mirror"

    @property
    def needs_normalized(self) -> bool:
        """Whether CUDA has the mode for normalized coordinates only."""
        return self in (AddressMode.WRAP, AddressMode.MIRROR)


class FilterMode(Enum):
    """Whether a texture gives the nearest texel or a mean of the neighbours."""

    POINT = "point"
    LINEAR = "linear"


class ReadMode(Enum):
    """Whether a texture gives integers as they are or as floats from -1 or 0 to 1."""

    ELEMENT = "elementType"
    NORMALIZED = "normalizedFloat"


_LARGEST_GATHER = 32_768


@dataclass(frozen=True)
class Sampling:
    """How a texture is read; at first as of a `cudaTextureDesc` of zeros.

    Attributes:
        address: For each axis.
        filter: Point or linear.
        read: What integers become.
        normalized: Whether coordinates go from 0 to 1 rather than to the extents.
    """

    address: tuple[AddressMode, ...] = ()
    filter: FilterMode = FilterMode.POINT
    read: ReadMode = ReadMode.ELEMENT
    normalized: bool = False

    def mode(self, axis: int) -> AddressMode:
        """Returns the address mode of an axis."""
        return self.address[axis] if axis < len(self.address) else AddressMode.CLAMP

    @property
    def driver_modes(self) -> tuple[str, ...]:
        """The driver's names of the address modes of three axes."""
        return tuple(f"CU_TR_ADDRESS_MODE_{self.mode(axis).name}" for axis in range(3))

    @property
    def driver_filter(self) -> str:
        """The driver's name of the filter."""
        return f"CU_TR_FILTER_MODE_{self.filter.name}"

    @property
    def driver_flags(self) -> tuple[str, ...]:
        """The driver's names of all unusual settings."""
        read = ("CU_TRSF_READ_AS_INTEGER",) if self.read is ReadMode.ELEMENT else ()
        return (*read, *(("CU_TRSF_NORMALIZED_COORDINATES",) if self.normalized else ()))


@dataclass(frozen=True)
class Texels:
    """The way by which a kernel reaches a buffer without an address.

    Attributes:
        kind: Whether by a texture or by a surface.
        shape: Width, height and depth in texels, as many as there are axes; x goes fastest.
        sampling: How a texture reads it.
        linear: Whether it lies in linear memory, for `tex1Dfetch`, rather than in a CUDA array.
    """

    kind: HandleKind
    shape: tuple[int, ...]
    sampling: Sampling = Sampling()
    linear: bool = False

    @property
    def count(self) -> int:
        """Texels in all."""
        return math.prod(self.shape)

    @property
    def is_surface(self) -> bool:
        """Whether the texels are a surface."""
        return self.kind is HandleKind.SURFACE

    @property
    def driver_flags(self) -> tuple[str, ...]:
        """The driver's names of the features that an array needs."""
        if self.is_surface:
            return ("CUDA_ARRAY3D_SURFACE_LDST",)
        gathers = len(self.shape) == 2 and max(self.shape) <= _LARGEST_GATHER
        return ("CUDA_ARRAY3D_TEXTURE_GATHER",) if gathers else ()

    @property
    def extent(self) -> tuple[int, int, int]:
        """Width, height and depth, 1 where there is no axis."""
        x, y, z = (*self.shape, 1, 1)[:3]
        return x, y, z


HALF4 = struct_of("half4", ((axis, HALF) for axis in "xyzw"), 8)
"""Four halves: a format of channels of CUDA's (`cudaCreateChannelDescHalf4`), but no type."""

CHANNEL_FORMATS = {
    "uint8": "CU_AD_FORMAT_UNSIGNED_INT8",
    "uint16": "CU_AD_FORMAT_UNSIGNED_INT16",
    "uint32": "CU_AD_FORMAT_UNSIGNED_INT32",
    "int8": "CU_AD_FORMAT_SIGNED_INT8",
    "int16": "CU_AD_FORMAT_SIGNED_INT16",
    "int32": "CU_AD_FORMAT_SIGNED_INT32",
    "float16": "CU_AD_FORMAT_HALF",
    "float32": "CU_AD_FORMAT_FLOAT",
}
"""What the driver calls the type of a channel."""

_CHANNELS = (1, 2, 4)
_LARGEST = {
    (HandleKind.TEXTURE, 1): (131_072,),
    (HandleKind.TEXTURE, 2): (131_072, 65_536),
    (HandleKind.TEXTURE, 3): (16_384, 16_384, 16_384),
    (HandleKind.SURFACE, 1): (32_768,),
    (HandleKind.SURFACE, 2): (131_072, 65_536),
    (HandleKind.SURFACE, 3): (16_384, 16_384, 16_384),
}
_LARGEST_LINEAR = (1 << 28,)


def largest(kind: HandleKind, axes: int, *, linear: bool) -> tuple[int, ...]:
    """Returns the most texels along each axis ("Technical Specifications" of the guide)."""
    return _LARGEST_LINEAR if linear else _LARGEST[kind, axes]


def texel_type(spelling: str) -> Type | None:
    """Returns the type of a texel by the name in CUDA C++, ``uchar4`` for instance, or None.

    ``uchar``, ``ushort`` and ``uint`` are taken for what their vectors are made of.
    """
    name = spelling.strip()
    if name == HALF4.name:
        return HALF4
    vector = named(f"{name}1")
    return named(name) or (vector.fields[0].type if isinstance(vector, Struct) else None)


def channels_of(element: Type) -> tuple[Scalar, int] | None:
    """Returns the number in each channel of a texel, and the count of channels.

    None for other types: a texel has 1, 2 or 4 channels of integers or floats of at most 32 bits.
    """
    parts = element.fields if isinstance(element, Struct) else None
    channel = parts[0].type if parts else element
    count = len(parts) if parts else 1
    if not isinstance(channel, Scalar) or channel.size > 4 or count not in _CHANNELS:
        return None
    if channel.kind is NumberKind.BOOLEAN or element.size != channel.size * count:
        return None
    is_float = channel.kind is NumberKind.FLOATING
    if is_float and channel.dtype not in ("float16", "float32"):
        return None
    if parts and any(part.type != channel for part in parts):
        return None
    return channel, count


@dataclass(frozen=True)
class TexelUse:
    """How the code of a kernel reaches the texels behind a parameter.

    Attributes:
        kind: As a texture or as a surface.
        axes: How many coordinates there are.
        element: The likely type of a texel in CUDA C++.
        linear: Whether they are read by an index, as by `tex1Dfetch`.
    """

    kind: HandleKind
    axes: int
    element: str
    linear: bool = False
