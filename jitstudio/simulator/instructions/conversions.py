"""Conversions between types: `cvt`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from jitstudio.simulator.arithmetic import conversions
from jitstudio.simulator.instructions.table import Binding, Step, Values, computes, form
from jitstudio.simulator.ptx.program import ImmediateOperand, PtxInstruction
from jitstudio.simulator.ptx.types import TYPES
from jitstudio.simulator.state.faults import UnsupportedInstruction
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.wave import Wave

Function = Callable[..., Values]

_INTEGERS = "u8 u16 u32 u64 s8 s16 s32 s64"
_FLOATS = "f16 bf16 f32 f64 tf32"
# PTX ISA, `cvt`: .irnd is rni, rzi, rmi or rpi, .frnd is rn, rz, rm, rp, rna or rs.
_ROUNDING = ("rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi", "rs")
_TO_FLOAT, _TO_INTEGER = "rn/rz/rm/rp", "rni/rzi/rmi/rpi"


def _options(i: PtxInstruction, *names: str) -> dict[str, Any]:
    options: dict[str, Any] = {name: True for name in names if name in i.modifiers}
    if rounding := next((word for word in i.modifiers if word in _ROUNDING), ""):
        options["rounding"] = rounding
    return options


# Types of result and source, the modifiers that are needed, those that may stand. PTX ISA, `cvt`:
# conversions that lose nothing are not rounded, those to integers by .rni and the like.
_CONVERTED = (
    (_INTEGERS, _INTEGERS, "", "sat"),
    ("f16 f32 f64", _INTEGERS, _TO_FLOAT, "sat"),
    ("bf16", _INTEGERS, _TO_FLOAT, ""),
    (_INTEGERS, "f32", _TO_INTEGER, "ftz sat"),
    (_INTEGERS, "f16 f64", _TO_INTEGER, "sat"),
    (_INTEGERS, "bf16", _TO_INTEGER, ""),
    ("f32", "f32", "", f"{_TO_INTEGER} ftz sat"),
    ("f64", "f64", "", f"{_TO_INTEGER} sat"),
    ("f16", "f16", "", f"{_TO_INTEGER} ftz sat"),
    ("bf16", "bf16", "", _TO_INTEGER),
    ("f64", "f32", "", "ftz sat"),
    ("f32", "f64", _TO_FLOAT, "ftz sat"),
    ("f64", "f16", "", "sat"),
    ("f64", "bf16", "", _TO_FLOAT),
    ("f32", "f16", "", "ftz sat"),
    ("f32", "bf16", "", f"{_TO_FLOAT} ftz sat"),
    ("f16", "f64", _TO_FLOAT, "sat"),
    ("bf16", "f64", _TO_FLOAT, ""),
    ("f16", "f32", _TO_FLOAT, "ftz sat"),
    ("f16 bf16", "f32", "rn/rz satfinite", ""),
    ("f16", "f32", "rn/rz relu", "satfinite"),
    ("bf16", "f32", _TO_FLOAT, ""),
    ("bf16", "f32", "rn/rz relu", "satfinite"),
    ("f16", "bf16", _TO_FLOAT, ""),
    ("bf16", "f16", _TO_FLOAT, ""),
    ("tf32", "f32", "rna", ""),
)


def _converts(make: Callable[[PtxInstruction], Function]) -> Callable[[PtxInstruction], Function]:
    for target, source, needs, words in _CONVERTED:
        # Registers for bf16 and tf32 have their bits, all others may have more.
        wider = not {"bf16", "tf32"}.intersection((*target.split(), *source.split()))
        computes("cvt", target, source, sources="u", needs=needs, words=words, wider=wider)(make)
    return make


@_converts
def cvt(i: PtxInstruction) -> Function:
    target, source = i.types
    if target.name == "tf32" and isinstance(i.operands[1], ImmediateOperand):
        raise UnsupportedInstruction("to .tf32 it converts registers only")
    if "sat" in i.modifiers and source.is_integer and target.is_integer:
        most, least = np.iinfo(target.dtype), np.iinfo(source.dtype)
        if most.min <= least.min and least.max <= most.max:
            raise UnsupportedInstruction(f".sat has nothing to limit: .{target.name} holds all")
    if target == source and not i.modifiers:
        return _same
    if target.is_integer and source.is_integer and "sat" not in i.modifiers:
        dtype = target.dtype
        return lambda a: a.astype(dtype)
    options = _options(i, "ftz", "sat", "relu", "satfinite")
    return partial(conversions.convert, source=source.name, target=target.name, **options)


def _same(a: Values) -> Values:
    return a


@computes("cvt", "f16x2 bf16x2", "f32", sources="u u", needs="rn/rz", words="relu satfinite")
@computes("cvt", "e4m3x2 e5m2x2", "f32", sources="u u", needs="rn satfinite", words="relu")
def cvt_pair(i: PtxInstruction) -> Function:
    return partial(
        conversions.convert_pair, target=i.types[0].name, **_options(i, "relu", "satfinite")
    )


@form("cvt.pack", "u16 s16", "s32", needs="sat", count=3)
@form("cvt.pack", "u8 s8", "s32", "b32", needs="sat", count=4)
def cvt_pack(b: Binding) -> Step:
    """Binds a packing of two saturated integers, the first one higher; a third fills the rest."""
    kind = b.type
    limits = np.iinfo(kind.dtype)
    target, *sources = b.instruction.operands
    place = b.target(target, TYPES["u32"])
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


@computes("cvt", "f16x2", _SMALL, sources="u", needs="rn", words="relu")
@computes("cvt", _SMALL, "f16x2", sources="u", needs="rn satfinite", words="relu")
def cvt_packed(i: PtxInstruction) -> Function:
    target, source = (kind.name for kind in i.types)
    return partial(
        conversions.convert_packed,
        source=source,
        target=target,
        **_options(i, "relu", "satfinite"),
    )
