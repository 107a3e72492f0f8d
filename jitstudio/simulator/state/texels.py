"""Textures and surfaces: texels in global memory by coordinates, with filters and conversions.

After "Texture Fetching" and "Surface Functions" of the CUDA C++ Programming Guide and `tex`,
`tld4`, `suld` and `sust` of the PTX ISA. Address modes work on the indices of texels, which is the
same as the guide's on coordinates. The weights of a linear filter have 8 bits of fraction, as the
guide says; how they and what they are multiplied with are rounded it does not say, and is as an
H100 does it (`is_proved` says where the bits are the same).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.texels import AddressMode, FilterMode, ReadMode, channels_of
from jitstudio.core.launch.types import NumberKind
from jitstudio.simulator.state.memory import Arena, Offsets

if TYPE_CHECKING:
    from jitstudio.simulator.state.model import BoundTexels

WEIGHT_STEPS = 256
"""Steps from one texel to the next that the weights of a linear filter can have."""

EDGE = 1 / 512
"""How close a coordinate has to be to the edge of a texel to be doubted."""

_FAR = float(1 << 30)
_Index = NDArray[np.int64]
_Values = NDArray[Any]


class TexelArray:
    """The texels of a texture or surface.

    Args:
        bound: The argument of the launch.
        arena: Global memory, which holds the texels, row behind row.

    Attributes:
        bound: The argument of the launch.
        texels: Extents, address modes, filter and read mode.
        dtype: The type of a channel.
        channels: Numbers in a texel.
        size: Bytes of a texel.
    """

    def __init__(self, bound: BoundTexels, arena: Arena) -> None:
        self.bound, self.texels = bound, bound.texels
        element_channels = channels_of(bound.element)
        assert element_channels is not None
        channel, self.channels = element_channels
        self.dtype = np.dtype(channel.dtype)
        self.is_float = channel.kind is NumberKind.FLOATING
        self.size = bound.element.size
        self._arena = arena
        self._start = arena.offset_of(bound.address)
        self.extent = self.texels.extent
        self.axes = len(self.texels.shape)
        bytes_ = self.texels.count * self.size
        self.region = arena.region_of(self._start, self._start, bytes_)

    @property
    def gives_floats(self) -> bool:
        """Whether reads give floats."""
        return self.is_float or self.texels.sampling.read is ReadMode.NORMALIZED

    @property
    def title(self) -> str:
        """Name, extents and element, for messages."""
        extents = " x ".join(f"{extent:,}" for extent in self.texels.shape)
        return f"'{self.bound.name}' ({extents} texels of {self.bound.element.name})"

    def place(self, offset: int) -> str:
        """Returns the texel at an offset in the arena, for messages; empty outside the array."""
        at = (offset - self._start) // self.size
        if not 0 <= at < self.texels.count:
            return ""
        width, height, _ = self.extent
        index = (at % width, at // width % height, at // (width * height))[: self.axes]
        return f"texel ({', '.join(map(str, index))}) of '{self.bound.name}'"

    def offsets(self, index: Sequence[_Index], bytes_in: _Index | int = 0) -> Offsets:
        """Returns offsets in the arena of texels inside the array, plus bytes."""
        width, height, _ = self.extent
        # Row-major: x runs fastest, then y, then z.
        x, y, z = (*index, *(np.zeros_like(index[0]) for _ in range(2)))[:3]
        offsets: Offsets = self._start + ((z * height + y) * width + x) * self.size + bytes_in
        return offsets

    def addresses(self, offsets: Offsets) -> NDArray[np.int64]:
        """Returns addresses in global memory of offsets in the arena."""
        return offsets + self._arena.base

    # Reading as a texture.

    def sample(
        self, coordinates: Sequence[_Values], shifts: Sequence[_Index | int], *, whole: bool
    ) -> list[_Values]:
        """Returns the channels that threads read at coordinates, one array for each channel.

        Args:
            coordinates: An array for each axis, of floats; of integers where they are `whole`.
            shifts: Texels to be added along each axis.
            whole: Whether coordinates are indices of texels.
        """
        sampling = self.texels.sampling
        if whole:
            index = [
                c.astype(np.int64) + shift for c, shift in zip(coordinates, shifts, strict=True)
            ]
            return self._fetched(index)
        places = self.positions(coordinates)
        if sampling.filter is FilterMode.POINT:
            floors = [np.floor(place).astype(np.int64) for place in places]
            return self._fetched([i + shift for i, shift in zip(floors, shifts, strict=True)])
        corners, weights = self.corner(places)
        corners = [i + shift for i, shift in zip(corners, shifts, strict=True)]
        total = [np.zeros(len(places[0]), np.float64) for _ in range(self.channels)]
        for steps, share in _shares(weights).items():
            texel = self._texels([i + step for i, step in zip(corners, steps, strict=True)])
            for channel, value in enumerate(texel):
                # A texel without weight takes no part: 0 * inf would be NaN.
                wide = self._widened(value)
                total[channel] += np.where(share != 0, share * wide, 0)
        return [self._narrowed(value / WEIGHT_STEPS) for value in total]

    def gather(
        self, coordinates: Sequence[_Values], shifts: Sequence[_Index | int], channel: int
    ) -> list[_Values]:
        """Returns one channel of the four texels around coordinates, from lower left on."""
        # PTX ISA, `tld4`: the four texels that bilinear interpolation would use.
        corners, _ = self.corner(self.positions(coordinates))
        x, y = (i + shift for i, shift in zip(corners, shifts, strict=True))
        # PTX ISA, `tld4`: counter-clockwise, from the lower left texel of the 2x2 footprint.
        around = ((0, 1), (1, 1), (1, 0), (0, 0))
        return [self._fetched([x + right, y + down])[channel] for right, down in around]

    def positions(self, coordinates: Sequence[_Values]) -> list[NDArray[np.float64]]:
        """Returns coordinates counted in texels, with NaN as 0."""
        places = []
        for axis, values in enumerate(coordinates):
            scaled = values.astype(np.float64)
            if self.texels.sampling.normalized:
                scaled = scaled * self.extent[axis]
            places.append(np.nan_to_num(scaled, nan=0.0, posinf=_FAR, neginf=-_FAR))
        return [np.clip(place, -_FAR, _FAR) for place in places]

    def corner(
        self, places: Sequence[NDArray[np.float64]]
    ) -> tuple[list[_Index], list[NDArray[np.float64]]]:
        """Returns the first texel around places, and the weight of the next one in 1/256."""
        corners, weights = [], []
        for place in places:
            # "Linear Filtering" of the guide: xB = x - 0.5, i = floor(xB), alpha = frac(xB).
            low = np.floor(place - 0.5)
            corners.append(low.astype(np.int64))
            weights.append(_rounded((place - 0.5 - low) * WEIGHT_STEPS))
        return corners, weights

    @property
    def is_proved(self) -> bool:
        """Whether a linear filter has given the bits of an H100 at all places compared.

        Not those of normalized coordinates, 1 of 4,096 of which took another weight; nor along
        three axes (183 of 4,096), of f16 along two (49) and of 8 bits with a sign (158).
        """
        if self.texels.sampling.normalized or self.axes > 2:
            return False
        return self.dtype != np.int8 and (self.dtype != np.float16 or self.axes == 1)

    def is_doubtful(self, places: Sequence[NDArray[np.float64]]) -> bool:
        """Returns whether a GPU may take another texel, a place being close to an edge.

        A place exactly on the edge between two texels is in the later one.
        """
        for axis, place in enumerate(places):
            edge = np.rint(place)
            near = (np.abs(place - edge) < EDGE) & (place != edge)
            if near.any():
                # At the rim both may be the same texel by the address mode: then there is no doubt.
                both = (edge[near].astype(np.int64) - side for side in (0, 1))
                later, earlier = (self._mapped(axis, index) for index in both)
                if (later != earlier).any():
                    return True
        return False

    def _mapped(self, axis: int, index: _Index) -> _Index:
        """Returns the indices of texels along an axis by the address mode; -1 for the border."""
        extent = self.extent[axis]
        match self.texels.sampling.mode(axis):
            case AddressMode.WRAP:
                # "Texture Memory" of the guide: wrap takes frac(x), mirror runs back and forth,
                # clamp takes the nearest texel, and border gives zero.
                return index % extent
            case AddressMode.MIRROR:
                index = index % (2 * extent)
                return np.where(index < extent, index, 2 * extent - 1 - index)
            case AddressMode.CLAMP if not self.texels.linear:
                return np.clip(index, 0, extent - 1)
        return np.where((index >= 0) & (index < extent), index, -1)

    def is_outside(self, index: _Index) -> bool:
        """Returns whether an index of texels in linear memory is outside."""
        return bool((index < 0).any() or (index >= self.extent[0]).any())

    def _fetched(self, index: Sequence[_Index]) -> list[_Values]:
        """Returns the channels of texels of any indices, as `tex` returns them."""
        return [self._promoted(channel) for channel in self._texels(index)]

    def _texels(self, index: Sequence[_Index]) -> list[_Values]:
        """Returns the channels of texels of any indices, as memory holds them."""
        mapped = [self._mapped(axis, i) for axis, i in enumerate(index)]
        inside = np.logical_and.reduce([i >= 0 for i in mapped])
        offsets = self.offsets([np.where(inside, i, 0) for i in mapped])
        channels = self._arena.gather(offsets, self.dtype, self.channels)
        return [np.where(inside, values, values.dtype.type(0)) for values in channels]

    def _widened(self, values: _Values) -> NDArray[np.float64]:
        """Returns channels as a linear filter takes them: integers have 16 bits, 15 with a sign."""
        if self.is_float:
            return values.astype(np.float64)
        info = np.iinfo(self.dtype)
        most = np.iinfo(np.int16 if info.min else np.uint16).max
        return np.maximum(values.astype(np.float64), -info.max) * (most / info.max)

    def _narrowed(self, values: NDArray[np.float64]) -> _Values:
        """Returns linear filter results: floats rounded half away from zero, integers half up."""
        if self.is_float:
            # Bits of a float64 below those of the result: 52 - 10 of a half, 52 - 23 of a float.
            dropped = np.uint64({2: 42, 4: 29}[self.dtype.itemsize])
            half, ones = np.uint64(1) << dropped - np.uint64(1), np.uint64((1 << 64) - 1)
            bits = values.view(np.uint64) + half & ones << dropped
            return np.where(np.isnan(values), values, bits.view(np.float64)).astype(np.float32)
        most = np.float32(np.iinfo(np.int16 if self.dtype.kind == "i" else np.uint16).max)
        quotients: _Values = _rounded(values).astype(np.float32) / most
        return quotients

    def _promoted(self, values: _Values) -> _Values:
        if self.is_float:
            return values.astype(np.float32)
        if self.texels.sampling.read is ReadMode.NORMALIZED:
            most = np.float32(np.iinfo(self.dtype).max)
            # "Texture Memory" of the guide: signed integers are read as [-1.0, 1.0], so -128 is -1.
            promoted: _Values = np.maximum(values.astype(np.float32) / most, np.float32(-1))
            return promoted
        signed = self.dtype.kind == "i"
        return values.astype(np.int32).view(np.uint32) if signed else values.astype(np.uint32)


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns whole numbers, halves up."""
    rounded: NDArray[np.float64] = np.floor(values + 0.5)
    return rounded


def _shares(weights: Sequence[NDArray[np.float64]]) -> dict[tuple[int, ...], NDArray[np.float64]]:
    """Returns the weights of the texels around places by the steps to them, in 1/256.

    The weight of the last texel is rounded, and the others are the remainders of the weights along
    each axis: their sum is 256.
    """
    shares: dict[tuple[int, ...], NDArray[np.float64]]
    x, *others = weights
    if not others:
        shares = {(1,): x}
    else:
        y, *third = others
        xy = _rounded(x * y / WEIGHT_STEPS)
        shares = {(1, 1): xy, (1, 0): x - xy, (0, 1): y - xy}
        if third:
            (z,) = third
            xz, yz = (_rounded(weight * z / WEIGHT_STEPS) for weight in (x, y))
            xyz = _rounded(xz * y / WEIGHT_STEPS)
            shares = {
                (1, 1, 1): xyz,
                (1, 1, 0): xy - xyz,
                (1, 0, 1): xz - xyz,
                (0, 1, 1): yz - xyz,
                (1, 0, 0): x - xy - xz + xyz,
                (0, 1, 0): y - xy - yz + xyz,
                (0, 0, 1): z - xz - yz + xyz,
            }
    none = (0,) * len(weights)
    return shares | {none: WEIGHT_STEPS - np.sum(list(shares.values()), axis=0)}
