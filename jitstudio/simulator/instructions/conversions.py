"""Conversions between types: `cvt`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from jitstudio.simulator.arithmetic import conversions
from jitstudio.simulator.instructions.table import Values, computes
from jitstudio.simulator.program import PtxInstruction

Function = Callable[..., Values]

_INTEGERS = "u8 u16 u32 u64 s8 s16 s32 s64"
_FLOATS = "f16 bf16 f32 f64 tf32"
_ROUNDING = ("rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi", "rs")
_WORDS = " ".join((*_ROUNDING[:-1], "ftz", "sat", "relu", "satfinite"))


def _options(i: PtxInstruction, *names: str) -> dict[str, Any]:
    asked: dict[str, Any] = {name: True for name in names if name in i.modifiers}
    if rounding := next((word for word in i.modifiers if word in _ROUNDING), ""):
        asked["rounding"] = rounding
    return asked


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
