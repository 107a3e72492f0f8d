"""A buffer as a picture: rows of so many elements, in grey, in false colours, or as colours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication

from jitstudio.gui.features.launch.models.buffer_data import BufferData, Values, as_numbers
from jitstudio.gui.features.launch.models.image_choice import ImageColouring

# Dark to light, even to the eye, and distinguished by the colour-blind.
_RAMP = bytes.fromhex("440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725")
_NO_NUMBER = (255, 0, 255)
_CHANNELS = 3
# What images of bytes mean by black and white, whatever is in them.
_BYTE_RANGE = (0.0, 255.0)


@dataclass(frozen=True, eq=False)
class Picture:
    """An image with the source values.

    Attributes:
        pixels: Rows, columns, and red, green, blue and opacity, a byte each.
        low, high: The values that are drawn darkest and brightest; None without finite values.
        width, height: Elements a row, and rows.
        step: Every so many-th row and column is in it.
    """

    pixels: Values
    low: float | None
    high: float | None
    width: int
    height: int
    step: int

    @property
    def text(self) -> str:
        """A description of the picture, in a line."""
        translate = QCoreApplication.translate
        if self.step > 1:
            size = translate(
                "Picture", "{height:,} rows of {width:,}, every {step}th row and column"
            )
        else:
            size = translate("Picture", "{height:,} rows of {width:,}")
        size = size.format(height=self.height, width=self.width, step=self.step)
        if self.low is None or self.high is None:
            values = translate("Picture", "no finite value")
        else:
            values = translate("Picture", "darkest {low:.6g}, brightest {high:.6g}")
            values = values.format(low=self.low, high=self.high)
        return f"{size} · {values}"


def picture(
    data: BufferData, leaf: int, width: int, colouring: ImageColouring, largest: int
) -> Picture:
    """Draws a column of a buffer, or the first three columns as colours.

    Args:
        data: The buffer.
        leaf: Which column.
        width: Elements a row.
        colouring: How a number becomes a colour.
        largest: Most rows and columns of the picture; larger ones are thinned out.
    """
    width = max(1, min(width, data.length))
    height = -(-data.length // width)
    step = max(1, -(-max(width, height) // largest))
    chosen = range(_CHANNELS) if colouring is ImageColouring.CHANNELS else range(leaf, leaf + 1)
    planes = [_plane(data.leaves[n].values, width, height, step) for n in chosen]
    inside = _inside(data.length, width, height, step)
    is_bytes = data.leaves[leaf].values.dtype == np.uint8
    low, high = _BYTE_RANGE if is_bytes else _range(planes, inside)
    shares = [_share(plane, low, high) for plane in planes]
    good = np.logical_and.reduce([np.isfinite(plane) for plane in planes])
    pixels = np.zeros((*inside.shape, 4), np.uint8)
    pixels[..., :3] = _COLOURINGS[colouring](shares)
    pixels[~good, :3] = _NO_NUMBER
    pixels[..., 3] = np.where(inside, 255, 0)
    return Picture(pixels, low, high, width, height, step)


def _plane(values: Values, width: int, height: int, step: int) -> Values:
    """Returns every `step`-th row and column as floating point; missing values are zero."""
    whole = len(values) // width
    rows = as_numbers(values[: whole * width].reshape(whole, width)[::step, ::step])
    plane = np.zeros((-(-height // step), -(-width // step)), np.float64)
    plane[: len(rows)] = rows
    if whole < height and whole % step == 0:
        rest = as_numbers(values[whole * width :: step])
        plane[-1, : len(rest)] = rest
    return plane


def _inside(length: int, width: int, height: int, step: int) -> Values:
    rows, columns = np.arange(0, height, step), np.arange(0, width, step)
    inside: Values = rows[:, None] * width + columns[None, :] < length
    return inside


def _range(planes: list[Values], inside: Values) -> tuple[float | None, float | None]:
    finite = [plane[inside & np.isfinite(plane)] for plane in planes]
    finite = [values for values in finite if values.size]
    if not finite:
        return None, None
    return (
        float(min(values.min() for values in finite)),
        float(max(values.max() for values in finite)),
    )


def _share(plane: Values, low: float | None, high: float | None) -> Values:
    """Returns shares from 0 for the lowest to 1 for the highest; a single value is 0.5."""
    if low is None or high is None or low == high:
        return np.full(plane.shape, 0.5)
    # Halved, as the difference of two large numbers may be none.
    share = (plane / 2 - low / 2) / (high / 2 - low / 2)
    return np.nan_to_num(share, nan=0.0, posinf=1.0, neginf=0.0)


def _grey(shares: list[Values]) -> Values:
    return np.repeat(_byte(shares[0])[..., None], _CHANNELS, axis=2)


def _false_colours(shares: list[Values]) -> Values:
    colors = np.frombuffer(_RAMP, np.uint8).reshape(-1, _CHANNELS)
    at = np.linspace(0, 1, len(colors))
    table = np.stack([np.interp(np.arange(256) / 255, at, colors[:, c]) for c in range(3)], axis=1)
    return table.round().astype(np.uint8)[_byte(shares[0])]


def _channels(shares: list[Values]) -> Values:
    return np.stack([_byte(share) for share in shares], axis=2)


def _byte(share: Values) -> Values:
    return (share.clip(0, 1) * 255).round().astype(np.uint8)


_COLOURINGS = {
    ImageColouring.GREY: _grey,
    ImageColouring.COLOUR_MAP: _false_colours,
    ImageColouring.CHANNELS: _channels,
}
