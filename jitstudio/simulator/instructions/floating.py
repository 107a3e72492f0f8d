"""Floating-point arithmetic: f16, bf16, f32, f64 and packed forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from jitstudio.simulator.arithmetic import approximate, floating
from jitstudio.simulator.arithmetic.approximate import APPROXIMATE
from jitstudio.simulator.instructions.table import Binding, Step, Values, computes, form
from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.wave import Wave

Function = Callable[..., Values]

_WIDE = "f32 f64"
_HALVES = "f16 bf16"
_PACKED = "f16x2 bf16x2 f32x2"
_ROUNDING = ("rn", "rz", "rm", "rp")
_ROUNDED = "rn/rz/rm/rp"


def _rounding(i: PtxInstruction) -> Any:
    return next((word for word in i.modifiers if word in _ROUNDING), "rn")


def _options(i: PtxInstruction, *names: str) -> dict[str, bool]:
    """Returns the options for functions of arithmetic, by the words of an instruction."""
    words = {"ftz": "ftz", "sat": "sat", "relu": "relu", "nan": "NaN"}
    return {name: True for name in names if words[name] in i.modifiers}


def _rounded(function: Function, *options: str) -> Callable[[PtxInstruction], Function]:
    """Returns a maker of a rounded operation, from a function that takes the name of the type."""

    def make(i: PtxInstruction) -> Function:
        name, asked = i.types[0].name, {"rounding": _rounding(i), **_options(i, *options)}
        if name.endswith("x2"):
            return lambda *operands: floating.packed(function, name, *operands, **asked)
        return partial(function, name, **asked)

    return make


def _plain(function: Function, *options: str) -> Callable[[PtxInstruction], Function]:
    """Returns a maker of an operation without rounding; see `_rounded`."""

    def make(i: PtxInstruction) -> Function:
        name, asked = i.types[0].name, _options(i, *options)
        if name.endswith("x2"):
            return lambda *operands: floating.packed(function, name, *operands, **asked)
        return partial(function, name, **asked)

    return make


_ARITHMETIC = f"{_WIDE} {_HALVES} {_PACKED}"
_function: Function
for _opcode, _function in (("add", floating.add), ("sub", floating.sub), ("mul", floating.mul)):
    for _types, _words in (
        ("f32", f"{_ROUNDED} ftz sat"),
        ("f32x2", f"{_ROUNDED} ftz"),
        ("f64", _ROUNDED),
        ("f16 f16x2", "rn ftz sat"),
        ("bf16 bf16x2", "rn"),
    ):
        computes(_opcode, _types, words=_words)(_rounded(_function, "ftz", "sat"))
for _types, _needs, _words in (
    ("f32", _ROUNDED, "ftz sat"),
    ("f32x2", _ROUNDED, "ftz"),
    ("f64", _ROUNDED, ""),
    ("f16 f16x2", "rn", "ftz sat/relu"),
    ("bf16 bf16x2", "rn", "relu"),
):
    computes("fma", _types, sources="t t t", needs=_needs, words=_words)(
        _rounded(floating.fma, "ftz", "sat", "relu")
    )


def _with_product(i: PtxInstruction) -> Function:
    """Returns the addition of an unrounded product: see `simulator.ptx.contraction`."""
    fma, minus = _rounded(floating.fma, "ftz", "sat")(i), _plain(floating.negate)(i)
    match i.opcode:
        case "mul-add":
            return lambda x, y, z: fma(x, y, minus(z))
        case "-mul+add":
            return lambda x, y, z: fma(minus(x), y, z)
        case _:
            return fma


for _opcode in ("mul+add", "mul-add", "-mul+add"):
    computes(_opcode, _ARITHMETIC, sources="t t t", words="ftz sat")(_with_product)
# PTX ISA, `mad`: on sm_20 and later mad.f32 and mad.f64 are the same as fma.
computes("mad", "f32", sources="t t t", needs=_ROUNDED, words="ftz sat")(
    _rounded(floating.fma, "ftz", "sat")
)
computes("mad", "f64", sources="t t t", needs=_ROUNDED)(_rounded(floating.fma))
for _opcode, _function, _sources in (
    ("div", floating.div, "t t"),
    ("sqrt", floating.sqrt, "t"),
    ("rcp", floating.rcp, "t"),
):
    computes(_opcode, "f32", sources=_sources, needs=_ROUNDED, words="ftz")(
        _rounded(_function, "ftz")
    )
    computes(_opcode, "f64", sources=_sources, needs=_ROUNDED)(_rounded(_function))
for _opcode, _function in (("abs", floating.absolute), ("neg", floating.negate)):
    computes(_opcode, "f32 f16 f16x2", sources="t", words="ftz")(_plain(_function, "ftz"))
    computes(_opcode, "f64 bf16 bf16x2", sources="t")(_plain(_function))


@computes("copysign", _WIDE)
def copysign(_: PtxInstruction) -> Function:
    return floating.copysign


@computes("testp", _WIDE, result="pred", sources="t",
          needs="finite/infinite/number/notanumber/normal/subnormal")  # fmt: skip
def testp(i: PtxInstruction) -> Function:
    return partial(floating.testp, i.modifiers[0])


def _chosen(function: Function) -> Callable[[PtxInstruction], Function]:
    """Returns a maker of `min` or `max`, of two operands."""

    def make(i: PtxInstruction) -> Function:
        name = i.types[0].name
        asked: dict[str, Any] = _options(i, "ftz", "nan")
        if "xorsign" in i.modifiers:
            asked["xorsign_abs"] = True
        if name.endswith("x2"):
            return lambda *operands: floating.packed(function, name, *operands, **asked)
        return partial(function, name, **asked)

    return make


def _chosen_of_three(function: Function) -> Callable[[PtxInstruction], Function]:
    def make(i: PtxInstruction) -> Function:
        name, asked = i.types[0].name, _options(i, "ftz", "nan")
        magnitude = "abs" in i.modifiers

        def of_three(*operands: Values) -> Values:
            if magnitude:
                operands = tuple(np.abs(x) for x in operands)
            a, b, c = operands
            return function(name, function(name, a, b, **asked), c, **asked)

        return of_three

    return make


for _opcode, _choice in (("min", floating.minimum), ("max", floating.maximum)):
    computes(_opcode, "f64")(_chosen(_choice))
    for _needs in ("", "xorsign abs"):
        computes(_opcode, "f32 f16 f16x2", needs=_needs, words="ftz NaN")(_chosen(_choice))
        computes(_opcode, "bf16 bf16x2", needs=_needs, words="NaN")(_chosen(_choice))
    computes(_opcode, "f32", sources="t t t", words="ftz NaN abs")(_chosen_of_three(_choice))


# Approximate functions.


def _approximate(function: Callable[..., Values], *, takes_name: bool) -> Callable[[Binding], Step]:
    """Returns a function that binds an approximate function of one operand."""

    def bind(b: Binding) -> Step:
        i, kind = b.instruction, b.type
        element = kind.name.removesuffix("x2")
        # Halves flush neither operands nor results: their subnormal numbers are normal ones of f32.
        asked = {"ftz": True} if b.has("ftz") and element in ("f32", "f64") else {}
        key = f"{i.opcode}.approx.{element}"
        place, source = b.target(i.operands[0], kind), b.source(i.operands[1], kind)
        exactness = APPROXIMATE[key]
        packed = kind.name.endswith("x2")

        def step(wave: Wave, f: Frame, s: Selection) -> None:
            if not exactness.exact:
                wave.inexact[key] = f"{key} (within {exactness.ulp:g} ulp)"
            values = f[source][s]
            if packed:
                result = floating.packed(function, kind.name, values)
            elif takes_name:
                result = function(kind.name, values, **asked)
            else:
                result = function(values, **asked)
            f[place][s] = result

        return step

    return bind


for _opcode, _types, _needs, _words, _approximation, _takes_name in (
    ("rcp", "f32", "", "ftz", approximate.rcp, True),
    ("rcp", "f64", "ftz", "", approximate.rcp, True),
    ("rsqrt", "f32 f64", "", "ftz", approximate.rsqrt, True),
    ("sqrt", "f32", "", "ftz", approximate.sqrt, False),
    ("ex2", "f32", "", "ftz", approximate.ex2, True),
    ("ex2", "f16 f16x2", "", "", approximate.ex2, True),
    ("ex2", "bf16 bf16x2", "ftz", "", approximate.ex2, True),
    ("lg2", "f32", "", "ftz", approximate.lg2, False),
    ("sin", "f32", "", "ftz", approximate.sin, False),
    ("cos", "f32", "", "ftz", approximate.cos, False),
    ("tanh", "f32 f16 bf16 f16x2 bf16x2", "", "", approximate.tanh, True),
):
    form(_opcode, _types, needs=f"approx {_needs}", words=_words, count=2)(
        _approximate(_approximation, takes_name=_takes_name)
    )


@form("div", "f32", words="ftz", needs="approx", count=3)
@form("div.full", "f32", words="ftz", count=3)
def div_approximate(b: Binding) -> Step:
    key = f"div.{'full' if b.has('full') else 'approx'}.f32"
    target, first, second = b.instruction.operands
    place, x, y = b.target(target, b.type), b.source(first, b.type), b.source(second, b.type)
    asked = {"ftz": b.has("ftz"), "full": b.has("full")}
    exactness = APPROXIMATE[key]

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        if not exactness.exact:
            wave.inexact[key] = f"{key} (within {exactness.ulp:g} ulp)"
        f[place][s] = approximate.div(f[x][s], f[y][s], **asked)

    return step
