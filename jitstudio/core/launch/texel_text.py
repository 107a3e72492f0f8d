"""The text of a texture, ``ELEMENT[WIDTH,HEIGHT,DEPTH][:FILL][:SAMPLING]``, and of a surface.

``float[w,h]``, ``uchar4[640,480]:file(photo.npy):linear,wrap,normalizedCoords,normalizedFloat``,
``float4[n]:random:linearMemory`` for `tex1Dfetch`; of a surface ``ELEMENT[…][:FILL][:DIRECTION]``,
such as ``uchar4[w,h]:zeros:out``; ``null`` for neither. The words of the sampling, with commas in
between, are those of `cudaTextureDesc`; the prefix of CUDA's enumerations may stand before them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from jitstudio.core.launch.arguments import NULLS, absolute, parse_fill
from jitstudio.core.launch.problems import TextError, listing, parts
from jitstudio.core.launch.request import Buffer, Direction, Fill, FillKind
from jitstudio.core.launch.texels import (
    AddressMode,
    FilterMode,
    ReadMode,
    Sampling,
    Texels,
    channels_of,
    largest,
    texel_type,
)
from jitstudio.core.launch.types import Handle, HandleKind, NumberKind, Scalar, Type
from jitstudio.core.launch.values import Number, integer

LINEAR_MEMORY = "linearMemory"
"""The word for texels in linear memory."""

NORMALIZED = "normalizedCoords"
"""The word for coordinates from 0 to 1."""

SAMPLING_WORDS = tuple(
    [mode.value for mode in (*AddressMode, *FilterMode, *ReadMode)] + [NORMALIZED, LINEAR_MEMORY]
)
"""All words of a sampling."""

_EXAMPLES = {
    HandleKind.TEXTURE: "Write something like float[w,h] or uchar4[640,480]:random:linear.",
    HandleKind.SURFACE: "Write something like float[w,h] or uchar4[640,480]:zeros:out.",
}
_AXES = 3
_HEAD = re.compile(r"(?P<element>[^\W\d][\w ]*+)\s*+\[(?P<extents>[^:]+)\]")
_PREFIX = re.compile(r"cuda(?:AddressMode|FilterMode|ReadMode)", re.IGNORECASE)
_BY_WORD = {word.lower(): word for word in SAMPLING_WORDS}
_DIRECTIONS = {direction.value: direction for direction in Direction}


@dataclass(frozen=True)
class TexelText:
    """The text of a texture or surface, in parts.

    Attributes:
        element: The type of a texel in CUDA C++.
        extents: Texels along each axis, expressions over the integer arguments.
        fill: Their content before the launch; None where the text does not say.
        words: The words of the sampling, as `SAMPLING_WORDS` has them.
        direction: Whether the kernel reads or writes a surface; None where the text does not say.
    """

    element: str
    extents: tuple[str, ...]
    fill: Fill | None = None
    words: tuple[str, ...] = ()
    direction: Direction | None = None


def split_texels(text: str) -> tuple[str, str, str]:
    """Returns the texels, the fill, and the sampling or direction of a text; empty for none.

    What is in the parentheses of a fill is left as it is, colons and all.
    """
    head, _, rest = text.strip().partition(":")
    before, _, last = rest.rpartition(":")
    is_last = last.strip() in _DIRECTIONS or _all_words(last)
    fill = (before if is_last else rest).strip()
    return head.strip(), fill, last.strip() if is_last else ""


def _all_words(text: str) -> bool:
    words = [_word(part) for part in text.split(",")]
    return all(word in _BY_WORD for word in words)


def _word(text: str) -> str:
    return _PREFIX.sub("", text.strip()).lower()


def parse_texels(text: str, kind: HandleKind) -> TexelText | None:
    """Reads the text of a texture or surface; None for a null handle.

    Raises:
        TextError: It is none.
    """
    if text.strip() in NULLS or text.strip() == "0":
        return None
    head, fill, last = split_texels(text)
    typed = _HEAD.fullmatch(head)
    if typed is None:
        what = f"'{head}' does not say what the texels are." if head else "There are no texels."
        raise TextError(f"{what} A {kind.value} needs type and extents.", _EXAMPLES[kind])
    extents = tuple(parts(typed["extents"]))
    if not 1 <= len(extents) <= _AXES:
        raise TextError(f"A {kind.value} has one to three extents.", _EXAMPLES[kind])
    direction = _DIRECTIONS.get(last)
    words = () if direction or not last else tuple(_BY_WORD[_word(p)] for p in last.split(","))
    if kind is HandleKind.TEXTURE and direction not in (None, Direction.IN):
        raise TextError(
            f"A texture is only read, so it cannot be {last}.",
            "Leave that out, or pass a cudaSurfaceObject_t to what writes.",
        )
    if kind is HandleKind.SURFACE and words:
        raise TextError(
            f"A surface is read as it is, without {listing(words)}.",
            "Leave that out, or write in, out or inout.",
        )
    if fill and (misplaced := [p for p in fill.split(":") if _all_words(p)]):
        raise TextError(
            f"'{misplaced[0]}' stands before the end of '{text.strip()}'.",
            "Write the words of the sampling after the fill, with commas: linear,clamp.",
        )
    if fill and fill.partition("(")[0].strip() not in {known.value for known in FillKind}:
        last_words = "of the sampling" if kind is HandleKind.TEXTURE else "of a direction"
        known = SAMPLING_WORDS if kind is HandleKind.TEXTURE else tuple(_DIRECTIONS)
        raise TextError(
            f"'{fill}' is neither a fill nor a word {last_words}.",
            f"Fills are {listing(f.value for f in FillKind)}; the words after are "
            f"{listing(known)}.",
        )
    content = parse_fill(fill) if fill else None
    return TexelText(typed["element"].strip(), extents, content, words, direction)


def texel_buffer(
    name: str, handle: Handle, offset: int, text: str, names: Mapping[str, Number], folder: str
) -> Buffer:
    """Returns the texels that a text describes.

    Args:
        name: The parameter's.
        handle: Its type.
        offset: See `Buffer`.
        text: The user's text.
        names: The arguments that may occur in extents.
        folder: Where relative paths start; empty for the working directory.

    Raises:
        TextError: It describes none, or none that CUDA has.
    """
    said = parse_texels(text, handle.kind)
    if said is None:
        empty = Texels(handle.kind, (0,))
        return Buffer(name, _BYTE, offset, 0, texels=empty)
    element = texel_type(said.element)
    channels = channels_of(element) if element is not None else None
    if element is None or channels is None:
        raise TextError(
            f"'{said.element}' is not a texel: that has 1, 2 or 4 channels of integers, half or "
            "float of at most 32 bits.",
            "Write a type such as float, uchar4, ushort2, int4 or half4.",
        )
    shape = tuple(integer(extent, names) for extent in said.extents)
    linear = LINEAR_MEMORY in said.words
    _check_shape(shape, handle.kind, linear=linear)
    is_surface = handle.kind is HandleKind.SURFACE
    sampling = Sampling() if is_surface else _sampling(said.words, len(shape), channels[0])
    texels = Texels(handle.kind, shape, sampling, linear)
    direction = (said.direction or Direction.INOUT) if is_surface else Direction.IN
    usual = FillKind.RANDOM if direction is Direction.IN else FillKind.ZEROS
    fill = absolute(said.fill or Fill(usual), folder)
    if fill.kind is FillKind.UNFILLED:
        raise TextError(
            f"A {handle.kind.value} cannot be left unfilled; buffers behind pointers can.",
            "Write zeros or random.",
        )
    return Buffer(name, element, offset, texels.count, fill, direction, texels)


_BYTE: Type = Scalar("unsigned char", "uint8", 1, NumberKind.UNSIGNED)


def _check_shape(shape: tuple[int, ...], kind: HandleKind, *, linear: bool) -> None:
    if min(shape) < 1:
        extents = " x ".join(f"{extent:,}" for extent in shape)
        raise TextError(
            f"A {kind.value} of {extents} texels makes no sense.", "Write null for none."
        )
    if linear and len(shape) > 1:
        raise TextError(
            f"Texels in linear memory have one axis, these have {len(shape)}.",
            f"Leave {LINEAR_MEMORY} out: tex2D and tex3D read CUDA arrays.",
        )
    most = largest(kind, len(shape), linear=linear)
    for axis, extent, limit in zip(("wide", "high", "deep"), shape, most, strict=False):
        if extent > limit:
            raise TextError(
                f"{extent:,} texels {axis} are more than the {limit:,} of a {len(shape)}D "
                f"{kind.value}."
            )


def _sampling(words: tuple[str, ...], axes: int, channel: Scalar) -> Sampling:
    """Returns how a texture is read.

    Raises:
        TextError: CUDA has no such texture.
    """
    modes = tuple(AddressMode(w) for w in words if w in {mode.value for mode in AddressMode})
    filters = [FilterMode(w) for w in words if w in {mode.value for mode in FilterMode}]
    reads = [ReadMode(w) for w in words if w in {mode.value for mode in ReadMode}]
    normalized = NORMALIZED in words
    if len(modes) > axes:
        raise TextError(
            f"These are {len(modes)} address modes, and the texture has "
            f"{axes} {'axis' if axes == 1 else 'axes'}.",
            "Write one for all axes, or one for each.",
        )
    if len(filters) > 1 or len(reads) > 1:
        both = filters if len(filters) > 1 else reads
        if len(set(both)) == 1:
            raise TextError(f"'{both[0].value}' is written twice.", "Write it once.")
        raise TextError(f"{listing(b.value for b in both)} exclude each other.", "Write one.")
    if len(modes) == 1:
        modes *= axes
    sampling = Sampling(
        modes,
        filters[0] if filters else FilterMode.POINT,
        reads[0] if reads else ReadMode.ELEMENT,
        normalized,
    )
    for mode in modes:
        if mode.needs_normalized and not normalized:
            raise TextError(
                f"{mode.value} works with normalized coordinates only: CUDA would clamp.",
                f"Add {NORMALIZED} and divide the coordinates by the extents, or write clamp or "
                "border.",
            )
    _check_read(sampling, channel)
    if LINEAR_MEMORY in words and (modes or normalized or sampling.filter is FilterMode.LINEAR):
        raise TextError(
            "tex1Dfetch reads linear memory by the index of a texel: there is no filter, no "
            f"address mode and no {NORMALIZED}.",
            f"Leave these out, or {LINEAR_MEMORY}.",
        )
    return sampling


def _check_read(sampling: Sampling, channel: Scalar) -> None:
    is_integer = channel.kind is not NumberKind.FLOATING
    promoted = sampling.read is ReadMode.NORMALIZED
    if promoted and not (is_integer and channel.size < 4):
        raise TextError(
            f"{ReadMode.NORMALIZED.value} is for integers of 8 and 16 bits, not for "
            f"{channel.name}.",
            "Leave it out.",
        )
    if sampling.filter is FilterMode.LINEAR and is_integer and not promoted:
        remedy = f"Add {ReadMode.NORMALIZED.value}, or write point."
        raise TextError(
            f"A linear filter works on floats, and this texture gives {channel.name}.",
            remedy if channel.size < 4 else "Write point, or use float.",
        )
