"""Conversions between types: `cvt`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from jitstudio.simulator.arithmetic import conversions
from jitstudio.simulator.instructions.table import Binding, Step, Values, computes, form
from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.ptx.types import TYPES
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.wave import Wave

Function = Callable[..., Values]

_INTEGERS = "u8 u16 u32 u64 s8 s16 s32 s64"
_FLOATS = "f16 bf16 f32 f64 tf32"
# PTX ISA, `cvt`: .irnd is rni, rzi, rmi or rpi, .frnd is rn, rz, rm, rp, rna or rs.
_ROUNDING = ("rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi", "rs")
_WORDS = " ".join((*_ROUNDING[:-1], "ftz", "sat", "relu", "satfinite"))


def _options(i: PtxInstruction, *names: str) -> dict[str, Any]:
    options: dict[str, Any] = {name: True for name in names if name in i.modifiers}
    if rounding := next((word for word in i.modifiers if word in _ROUNDING), ""):
        options["rounding"] = rounding
    return options


@computes("cvt", f"{_INTEGERS} {_FLOATS}", f"{_INTEGERS} {_FLOATS}", sources="u", words=_WORDS)
def cvt(i: PtxInstruction) -> Function:
    target, source = i.types
    if target == source and not i.modifiers:
        return _same
    if target.is_integer and source.is_integer and "sat" not in i.modifiers:
        dtype = target.dtype
        return lambda a: a.astype(dtype)
    options = _options(i, "ftz", "sat", "relu", "satfinite")
    return partial(conversions.convert, source=source.name, target=target.name, **options)


def _same(a: Values) -> Values:
    return a


@computes("cvt", "f16x2 bf16x2 e4m3x2 e5m2x2", "f32", sources="u u", words=_WORDS)
def cvt_pair(i: PtxInstruction) -> Function:
    return partial(
        conversions.convert_pair, target=i.types[0].name, **_options(i, "relu", "satfinite")
    )


@form("cvt", "u16 s16", "s32", needs="pack sat", count=3)
@form("cvt", "u8 s8", "s32", "b32", needs="pack sat", count=4)
def cvt_pack(b: Binding) -> Step:
    """Binds a packing of two saturated integers, the first one higher; a third fills the rest."""
    kind = b.type
    limits = np.iinfo(kind.dtype)
    target, *sources = b.instruction.operands
    place = b.target(target, TYPES["b32"])
    high, low = (b.source(operand, TYPES["s32"]) for operand in sources[:2])
    # PTX ISA, `cvt.pack`: c is shifted left past the two converted integers.
    above = b.source(sources[2], TYPES["b32"]) if len(sources) > 2 else None
    mask, width = np.uint32((1 << kind.bits) - 1), np.uint32(kind.bits)

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        x, y = (
            np.clip(f[slot][s], limits.min, limits.max).view(np.uint32) & mask
            for slot in (high, low)
        )
        result = x << width | y
        if above is not None:
            result |= f[above][s] << np.uint32(2) * width
        f[place][s] = result

    return step


_SMALL = "e4m3x2 e5m2x2"


@computes("cvt", f"f16x2 {_SMALL}", f"f16x2 {_SMALL}", sources="u", words=_WORDS)
def cvt_packed(i: PtxInstruction) -> Function:
    target, source = (kind.name for kind in i.types)
    return partial(
        conversions.convert_packed,
        source=source,
        target=target,
        **_options(i, "relu", "satfinite"),
    )
