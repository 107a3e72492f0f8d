"""Forms of the instructions whose result depends on their sources only, with inputs at the edges.

A form is what ptxas takes for sm_90a: an opcode with its modifiers and types. The simulator gives
the bits of an H100 for each one: see `test_forms` and `test_on_gpu`. Approximate functions are
not among them (see `test_approximate`), nor quotients of integers by 0, which the ISA leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tests.simulator.running import BITS, HEAD, elementwise, run

_INTEGERS = "u16 u32 u64 s16 s32 s64"
_MODES = "{.rn,.rz,.rm,.rp}"
_WHOLE = "{.rni,.rzi,.rmi,.rpi}"
_COMPARE = "{.eq,.ne,.lt,.le,.gt,.ge}"
_COMPARE_FLOATS = "{.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan}"

FAMILIES = f"""
{{add,sub}}.T : T T T : {_INTEGERS}
add.T : T T T : u16x2 s16x2
{{add,sub}}.sat.s32 : s32 s32 s32
mul{{.lo,.hi}}.T : T T T : {_INTEGERS}
mul.wide.T : W T T : u16 u32 s16 s32
mad{{.lo,.hi}}.T : T T T T : {_INTEGERS}
mad.wide.T : W T T W : u16 u32 s16 s32
mad.hi.sat.s32 : s32 s32 s32 s32
mul24{{.lo,.hi}}.T : T T T : u32 s32
mad24{{.lo,.hi}}.T : T T T T : u32 s32
mad24.hi.sat.s32 : s32 s32 s32 s32
{{div,rem}}.T : T T nonzero-T : {_INTEGERS}
{{abs,neg}}.T : T T : s16 s32 s64
{{min,max}}.T : T T T : {_INTEGERS} u16x2 s16x2
{{min,max}}.relu.T : T T T : s32 s16x2
sad.T : T T T T : {_INTEGERS}
dp4a{{.u32,.s32}}{{.u32,.s32}} : b32 b32 b32 b32
dp2a{{.lo,.hi}}{{.u32,.s32}}{{.u32,.s32}} : b32 b32 b32 b32
{{and,or,xor}}.T : T T T : b16 b32 b64 pred
{{not,cnot}}.T : T T : b16 b32 b64
not.pred : pred pred
shl.T : T T u32 : b16 b32 b64
shr.T : T T u32 : b16 b32 b64 {_INTEGERS}
shf{{.l,.r}}{{.clamp,.wrap}}.b32 : b32 b32 b32 u32
bfe.T : T T u32 u32 : u32 s32 u64 s64
bfi.T : T T T u32 u32 : b32 b64
bmsk{{.clamp,.wrap}}.b32 : b32 small-u32 small-u32
szext{{.clamp,.wrap}}.T : T T small-u32 : u32 s32
bfind{{,.shiftamt}}.T : u32 T : u32 s32 u64 s64
fns.b32 : b32 b32 lane-u32 lane-u32
{{popc,clz}}.T : u32 T : b32 b64
brev.T : T T : b32 b64
prmt.b32{{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}} : b32 b32 b32 b32
selp.T : T T T pred : b16 b32 b64 f32 f64
slct.T.s32 : T T T s32 : b16 b32 b64 f32 f64
slct{{,.ftz}}.T.f32 : T T T f32 : b32 b64 f32
setp{_COMPARE}.T : pred T T : s16 s32 s64
setp{{.eq,.ne,.lo,.ls,.hi,.hs}}.T : pred T T : u16 u32 u64
setp{_COMPARE_FLOATS}.T : pred T T : f32 f64 f16 bf16
setp{_COMPARE_FLOATS}.ftz.T : pred T T : f32 f16
setp.lt{{.and,.or,.xor}}.T : pred T T pred : s32 f32
set{_COMPARE}.u32.T : u32 T T : s32 u64 f32 f64
set{{.lt,.geu,.nan}}{{,.ftz}}.f32.f32 : f32 f32 f32
set{{.lt,.geu,.num}}.f16.T : f16 T T : f16 f32
{{add,sub,mul}}{_MODES}{{,.ftz}}{{,.sat}}.f32 : f32 f32 f32
{{add,sub,mul}}{_MODES}.f64 : f64 f64 f64
{{add,sub,mul}}.rn{{,.ftz}}{{,.sat}}.T : T T T : f16 f16x2
{{add,sub,mul}}.rn.T : T T T : bf16 bf16x2
fma{_MODES}{{,.ftz}}{{,.sat}}.f32 : f32 f32 f32 f32
fma{_MODES}.f64 : f64 f64 f64 f64
fma.rn{{,.ftz}}{{,.sat,.relu}}.T : T T T T : f16 f16x2
fma.rn{{,.relu}}.T : T T T T : bf16 bf16x2
div{_MODES}{{,.ftz}}.f32 : f32 f32 f32
div{_MODES}.f64 : f64 f64 f64
{{sqrt,rcp}}{_MODES}{{,.ftz}}.f32 : f32 f32
{{sqrt,rcp}}{_MODES}.f64 : f64 f64
{{min,max}}{{,.ftz}}{{,.NaN}}{{,.xorsign.abs}}.f32 : f32 f32 f32
{{min,max}}.f64 : f64 f64 f64
{{min,max}}{{,.ftz}}{{,.NaN}}{{,.xorsign.abs}}.T : T T T : f16 f16x2
{{min,max}}{{,.NaN}}{{,.xorsign.abs}}.T : T T T : bf16 bf16x2
{{abs,neg}}{{,.ftz}}.f32 : f32 f32
abs.f64 : f64 f64
{{abs,neg}}{{,.ftz}}.T : T T : f16 f16x2
{{abs,neg}}.T : T T : bf16 bf16x2
copysign.T : T T T : f32 f64
testp{{.finite,.infinite,.number,.notanumber,.normal,.subnormal}}.T : pred T : f32 f64
cvt.u64.T : u64 T : u16 u32 s16 s32
cvt.s64.T : s64 T : u16 u32 s16 s32
cvt.T.s64 : T s64 : u8 s8 u16 u32 s16 s32
cvt.sat.T.s64 : T s64 : u8 s8 u16 u32 s16 s32
cvt.sat.T.u32 : T u32 : u8 s8 u16 s16 s32
cvt{_MODES}.f32.T : f32 T : u8 s8 {_INTEGERS}
cvt{_MODES}.f64.T : f64 T : u8 s8 {_INTEGERS}
cvt{_MODES}{{,.sat}}.f16.T : f16 T : u8 s8 {_INTEGERS}
cvt{_MODES}.bf16.T : bf16 T : {_INTEGERS}
cvt{_WHOLE}{{,.ftz}}.T.f32 : T f32 : u8 s8 {_INTEGERS}
cvt{_WHOLE}.T.f64 : T f64 : u8 s8 {_INTEGERS}
cvt{_WHOLE}.T.f16 : T f16 : u8 s8 {_INTEGERS}
cvt{_WHOLE}.T.bf16 : T bf16 : {_INTEGERS}
cvt{_WHOLE}{{,.ftz}}{{,.sat}}.f32.f32 : f32 f32
cvt{_WHOLE}.f64.f64 : f64 f64
cvt{_WHOLE}.f16.f16 : f16 f16
cvt{{,.ftz}}.sat.f32.f32 : f32 f32
cvt{{,.ftz}}.f64.f32 : f64 f32
cvt.f64.T : f64 T : f16 bf16
cvt{{,.ftz}}.f32.T : f32 T : f16 bf16
cvt{_MODES}{{,.ftz}}{{,.sat}}.f32.f64 : f32 f64
cvt{_MODES}.T.f64 : T f64 : f16 bf16
cvt{_MODES}{{,.sat}}.f16.f32 : f16 f32
cvt{_MODES}.bf16.f32 : bf16 f32
cvt{{.rn,.rz}}{{,.relu}}.T.f32 : T f32 : f16 bf16
cvt.rna.tf32.f32 : b32 f32
cvt{{.rn,.rz}}{{,.relu}}.T.f32 : T f32 f32 : f16x2 bf16x2
cvt.rn.satfinite{{,.relu}}.T.f32 : b16 f32 f32 : e4m3x2 e5m2x2
cvt.rn.satfinite{{,.relu}}.T.f16x2 : b16 f16x2 : e4m3x2 e5m2x2
cvt.rn{{,.relu}}.f16x2.T : f16x2 b16 : e4m3x2 e5m2x2
cvt.pack.sat.T.s32 : b32 s32 s32 : u16 s16
cvt.pack.sat.T.s32.b32 : b32 s32 s32 b32 : u8 s8
"""

_EDGES = {
    "f32": (0, 1, 0x7FFFFF, 0x800000, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x4B000000, 0x4B7FFFFF,
            0x4EFFFFFF, 0x4F000000, 0x5F000000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7FFFFFFF,
            0x7F800001, 0x3F000000, 0x33800000, 0x40490FDB, 0x477FF000, 0x33000001),
    "f64": (0, 1, 0xFFFFFFFFFFFFF, 1 << 52, 0x3FF << 52, (0x3FF << 52) + 1, 0x3FE << 52,
            0x433 << 52, 0x41DFFFFFFFC00000, 0x43E << 52, 0x7FEFFFFFFFFFFFFF, 0x7FF << 52,
            0x7FF8 << 48, (0x7FF << 52) + 1, (1 << 63) - 1, 0x47EFFFFFE0000000, 0x36A << 52,
            0x3810000000000000, 0x40F0 << 48, 0x400921FB54442D18),
    "f16": (0, 1, 0x3FF, 0x400, 0x3BFF, 0x3C00, 0x3C01, 0x3800, 0x4248, 0x57F8, 0x5BFF, 0x77FF,
            0x7BFF, 0x7C00, 0x7E00, 0x7C01, 0x7FFF),
    "bf16": (0, 1, 0x7F, 0x80, 0x3F7F, 0x3F80, 0x3F81, 0x3F00, 0x4049, 0x4B7F, 0x4F00, 0x5F00,
             0x7F7F, 0x7F80, 0x7FC0, 0x7F81, 0x7FFF),
}  # fmt: skip
THREADS = 4096
WARPS = 64


@dataclass(frozen=True)
class Form:
    """A form of an instruction.

    Attributes:
        text: The opcode with its modifiers and types.
        result: The type of the result.
        sources: The types of the sources, behind a word for those that are limited.
    """

    text: str
    result: str
    sources: tuple[str, ...]

    @property
    def name(self) -> str:
        """That of its kernel."""
        return re.sub(r"\W", "_", f"{self.text}_{len(self.sources)}")

    def kernel(self) -> str:
        """The text of a kernel: one thread for each element of its inputs."""
        kinds = [kind.split("-")[-1] for kind in self.sources]
        operands = ", ".join(f"%{x}" for x in "abce"[: len(kinds)])
        return elementwise(f"{self.text} %d, {operands};", self.result, kinds, self.name)

    grid, block = (THREADS // 128, 1, 1), (128, 1, 1)

    def arrays(self) -> list[NDArray[Any]]:
        """The bits of `THREADS` values of each source, edges with edges, then any; and zeros."""
        rng = np.random.default_rng(len(self.text))
        made = []
        for place, kind in enumerate(self.sources):
            limit, _, name = kind.rpartition("-")
            width = max(BITS[name], 8)
            dtype = np.dtype(f"u{width // 8}")
            values = np.frombuffer(rng.bytes(THREADS * dtype.itemsize), dtype).copy()
            edges = _edges(name)
            pairs = np.arange(THREADS * 3 // 4) // edges.size**place % edges.size
            values[: pairs.size] = edges[pairs]
            # As many of usual size: sums of any two floats are one of them.
            if name in ("f32", "f64", "f16", "bf16"):
                usual = rng.standard_normal(THREADS // 8) * 100
                values[-usual.size :] = _bits(usual, name)
            if limit == "nonzero":
                values[values == 0] = 7
            elif limit in ("small", "lane"):
                values %= dtype.type(70 if limit == "small" else 32)
            elif name == "u32" and place > 0:
                values[::2] %= 70  # amounts and places
            made.append(values % 2 if name == "pred" else values)
        return [*made, np.zeros(THREADS, f"u{BITS[self.result] // 8}")]


def _edges(name: str) -> NDArray[Any]:
    element = name.removesuffix("x2")
    width = max(BITS[element], 8)
    dtype = np.dtype(f"u{width // 8}")
    if element in _EDGES:
        positive = np.array(_EDGES[element], dtype)
        edges = np.concatenate([positive, positive | dtype.type(1 << (width - 1))])
    else:
        top = 1 << (width - 1)
        ends = (0, 1, 2, 3, 5, 7, 31, 32, 63, width - 1, top - 1, top, top + 1, 2 * top - 1)
        edges = np.array([*ends, 2 * top - 2, top // 2, 0x55 * (top // 128)], dtype)
    if element == name:
        return edges
    wide = edges.astype(np.uint32)
    return (wide | np.roll(wide, 5) << np.uint32(16)).astype(f"u{BITS[name] // 8}")


def _bits(numbers: NDArray[Any], name: str) -> NDArray[Any]:
    if name == "bf16":
        return (numbers.astype(np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    dtype = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[name]
    return numbers.astype(dtype).view(f"u{BITS[name] // 8}")


def expanded(text: str) -> Iterator[str]:
    """Returns all texts that braces stand for, as a shell expands them."""
    parts = [p[1:-1].split(",") if p[0] == "{" else [p] for p in re.split(r"(\{.*?\})", text) if p]
    return map("".join, product(*parts))


def _forms() -> Iterator[Form]:
    for line in FAMILIES.strip().splitlines():
        text, kinds, *types = (part.strip() for part in line.split(":"))
        for name in types[0].split() if types else [""]:
            wide = f"{name[:1]}{2 * BITS[name]}" if "W" in kinds else ""
            result, *sources = (k.replace("T", name).replace("W", wide) for k in kinds.split())
            for form in expanded(text):
                yield Form(re.sub(r"\.T\b", f".{name}", form), result, tuple(sources))


FORMS = tuple(dict.fromkeys(_forms()))


def module(forms: tuple[Form, ...]) -> str:
    """The text of a module with a kernel for each form."""
    return HEAD + "\n".join(form.kernel() for form in forms)


@dataclass(frozen=True)
class MatrixForm:
    """A form of `mma`.

    Attributes:
        shape: ``m16n8k16`` and the like.
        types: Of D, A, B and C.
    """

    shape: str
    types: tuple[str, str, str, str]

    grid, block = (WARPS, 1, 1), (32, 1, 1)

    @property
    def text(self) -> str:
        """The opcode with its modifiers and types."""
        return f"mma.sync.aligned.{self.shape}.row.col.{'.'.join(self.types)}"

    @property
    def name(self) -> str:
        """That of its kernel."""
        return re.sub(r"\W", "_", self.text)

    def words(self) -> tuple[int, ...]:
        """How many registers of a lane hold D, A, B and C."""
        m, n, k = map(int, re.findall(r"\d+", self.shape))
        sizes = (m * n, m * k, k * n, m * n)
        held = [max(_ELEMENTS[kind], 32) for kind in self.types]
        return tuple(
            count * _ELEMENTS[kind] // bits // 32
            for count, kind, bits in zip(sizes, self.types, held, strict=True)
        )

    def kernel(self) -> str:
        """The text of a kernel whose parameters are A, B, C and D, by threads and registers."""
        lines = [".reg .b32 %t, %u; .reg .b64 %at, %off;"]
        lines += ["mov.u32 %t, %ctaid.x; shl.b32 %t, %t, 5; mov.u32 %u, %tid.x;"]
        lines += ["add.u32 %t, %t, %u;"]
        counts = dict(zip("dabc", self.words(), strict=True))
        kinds = dict(zip("dabc", self.types, strict=True))
        moves = {}
        for place, x in enumerate("abcd"):
            bits = max(_ELEMENTS[kinds[x]], 32)
            held = kinds[x] if x in "cd" and kinds[x] != "f16" else f"b{bits}"
            held = "f64" if kinds[x] == "f64" else held
            lines.append(f".reg .{held} %{x}<{counts[x]}>;")
            moves[x] = [f"ld.param.u64 %at, [{self.name}_{place}];"]
            moves[x] += [f"mul.wide.u32 %off, %t, {counts[x] * bits // 8}; add.s64 %at, %at, %off;"]
            for i in range(counts[x]):
                at = f"[%at+{i * bits // 8}]"
                move = f"st.global.{held} {at}, %{x}{i};"
                moves[x].append(move if x == "d" else f"ld.global.{held} %{x}{i}, {at};")
        lists = {x: "{" + ", ".join(f"%{x}{i}" for i in range(n)) + "}" for x, n in counts.items()}
        lines += [*moves["a"], *moves["b"], *moves["c"]]
        lines += [f"{self.text} {', '.join(lists.values())};", *moves["d"]]
        declared = ", ".join(f".param .u64 {self.name}_{i}" for i in range(4))
        body = "\n".join(lines)
        return f".visible .entry {self.name}({declared})\n{{\n{body}\nret;\n}}\n"

    def arrays(self) -> list[NDArray[Any]]:
        """A, B and C for `WARPS` warps, and D of zeros.

        Of numbers of usual size in the first half of the warps, of any size after it, and with NaN
        and infinities in the last ones.
        """
        rng = np.random.default_rng(len(self.text))
        made = []
        counts = self.words()
        for place in (1, 2, 3):
            kind, count = self.types[place], counts[place]
            bits = _ELEMENTS[kind]
            shape = (WARPS, WARP * count * max(bits, 32) // bits)
            if kind in _INTEGER_ELEMENTS:
                data = rng.integers(0, 1 << bits, shape, np.uint64).astype(f"u{bits // 8}")
            else:
                spread = np.where(np.arange(WARPS) < WARPS // 2, 0, 3)[:, None]
                # `ldexp` is exact; NumPy's powers differ by processor in the last bit of a double.
                powers = np.rint(rng.standard_normal(shape) * spread).astype(np.int32)
                numbers = np.ldexp(rng.standard_normal(shape), powers)
                numbers[-2:, ::37], numbers[-1, ::53] = np.inf, np.nan
                data = _elements(numbers, kind)
            made.append(data.view(f"u{max(bits, 32) // 8}").reshape(-1))
        bits = max(_ELEMENTS[self.types[0]], 32)
        return [*made, np.zeros(WARPS * WARP * counts[0], f"u{bits // 8}")]


WARP = 32
_INTEGER_ELEMENTS = {"s8": 8, "u8": 8, "s32": 32}
_ELEMENTS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "e4m3": 8, "e5m2": 8}
_ELEMENTS |= _INTEGER_ELEMENTS


def _elements(numbers: NDArray[Any], kind: str) -> NDArray[Any]:
    if kind in ("e4m3", "e5m2"):
        dtype = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}[kind]
        return numbers.astype(dtype).view(np.uint8)
    if kind == "tf32":
        return numbers.astype(np.float32).view(np.uint32) & np.uint32(0xFFFFE000)
    return _bits(numbers, kind)


MATRIX_FORMS = tuple(
    dict.fromkeys(
        MatrixForm(shape, (out, a, b, out))
        for shapes, outs, pairs in (
            ("m16n8k8 m16n8k16", "f16 f32", "f16/f16"),
            ("m16n8k8 m16n8k16", "f32", "bf16/bf16"),
            ("m16n8k4 m16n8k8", "f32", "tf32/tf32"),
            ("m16n8k32", "f32", "e4m3/e4m3 e4m3/e5m2 e5m2/e4m3 e5m2/e5m2"),
            ("m16n8k16 m16n8k32", "f16 f32", "e4m3/e4m3 e5m2/e5m2"),
            ("m8n8k4 m16n8k4 m16n8k8 m16n8k16", "f64", "f64/f64"),
            ("m8n8k16 m16n8k16 m16n8k32", "s32", "s8/s8 u8/u8 s8/u8 u8/s8"),
        )
        for shape, out, pair in product(shapes.split(), outs.split(), pairs.split())
        for a, b in [pair.split("/")]
    )
)


def result_of(form: Any) -> NDArray[Any]:
    """What the simulator gives for a form."""
    return run(HEAD + form.kernel(), form.name, form.grid, form.block, *form.arrays()).arrays[-1]
