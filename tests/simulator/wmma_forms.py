"""Kernels with a `wmma.load` or `wmma.store`, for all types, shapes, layouts and spaces."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
_SQUARE = ("m16n16k16", "m8n32k16", "m32n8k16")
_FACTORS = (
    *itertools.product(("f16", "bf16", "s8", "u8"), _SQUARE),
    *(("tf32", "m16n16k8"), ("f64", "m8n8k4")),
)
_SUMS = (
    *itertools.product(("f16", "s32", "f32"), _SQUARE),
    *(("f32", "m16n16k8"), ("f64", "m8n8k4")),
)
_BITS = {"f16": 16, "bf16": 16, "s8": 8, "u8": 8, "f64": 64}
_ROOM = 1 << 13
"""Bytes of shared memory, and of the array that is loaded from or stored to."""


class Form(NamedTuple):
    """An access to a matrix, in the words of the instruction."""

    action: str
    letter: str
    layout: str
    shape: str
    space: str
    kind: str

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return "_".join(self)

    @property
    def bits(self) -> int:
        """The bits of an element."""
        return _BITS.get(self.kind, 32)

    @property
    def rows_and_columns(self) -> tuple[int, int]:
        """The size of the matrix."""
        m, n, k = (int(number) for number in re.findall(r"\d+", self.shape))
        return {"a": (m, k), "b": (k, n)}.get(self.letter, (m, n))

    @property
    def stride(self) -> int:
        """The least distance of lines in memory, in elements."""
        return self.rows_and_columns[self.layout == "row"]

    @property
    def registers(self) -> int:
        """The registers of a lane."""
        rows, columns = self.rows_and_columns
        if self.kind == "f16" and self.letter in "ab":
            return 8
        return rows * columns * self.bits // (32 * max(self.bits, 32))

    @property
    def ptx(self) -> str:
        """The kernel: the matrix at `p` with lines `s` apart, the registers of all lanes at `q`."""
        kind = {"f32": "f32", "f64": "f64"}.get(self.kind, "b32")
        size = max(self.bits, 32) // 8
        held = "{" + ", ".join(f"%f{i}" for i in range(self.registers)) + "}"
        words = f"wmma.{self.action}.{self.letter}.sync.aligned.{self.layout}.{self.shape}"
        places = [(i, f"[%rd2+{i * 32 * size}]") for i in range(self.registers)]
        if self.action == "load":
            moved = [f"{words}{self._space}.{self.kind} {held}, [%rd1], %r1;"]
            moved += [f"st.global.{kind} {place}, %f{i};" for i, place in places]
        else:
            moved = [f"ld.global.{kind} %f{i}, {place};" for i, place in places]
            moved.append(f"{words}{self._space}.{self.kind} [%rd1], {held}, %r1;")
        lines = (
            f".reg .{kind} %f<{self.registers}>;",
            ".reg .b32 %r<4>;",
            ".reg .b64 %rd<4>;",
            *self._address,
            "ld.param.u64 %rd2, [q];",
            "cvta.to.global.u64 %rd2, %rd2;",
            "mov.u32 %r3, %tid.x;",
            f"mul.wide.u32 %rd3, %r3, {size};",
            "add.u64 %rd2, %rd2, %rd3;",
            "ld.param.u32 %r1, [s];",
            *moved,
            "ret;",
        )
        body = "\n".join(lines)
        head = f".visible .entry {self.name}(.param .u64 p, .param .u64 q, .param .u32 s)"
        return f"{head}\n{{\n{body}\n}}\n"

    @property
    def _space(self) -> str:
        return "" if self.space == "generic" else f".{self.space}"

    @property
    def _address(self) -> tuple[str, ...]:
        if self.space in ("shared", "generic"):
            array = f".shared .align 128 .b8 smem[{_ROOM}];"
            widened = "cvta.shared.u64 %rd1, %rd1;" if self.space == "generic" else ""
            return array, "mov.u32 %r2, smem;", "cvt.u64.u32 %rd1, %r2;", widened
        return "ld.param.u64 %rd1, [p];", "cvta.to.global.u64 %rd1, %rd1;"


def forms() -> Iterator[Form]:
    """Yields all accesses."""
    for space, layout in itertools.product(("global", "shared"), ("row", "col")):
        for (kind, shape), letter in itertools.product(_FACTORS, "ab"):
            yield Form("load", letter, layout, shape, space, kind)
        for kind, shape in _SUMS:
            yield Form("load", "c", layout, shape, space, kind)
            yield Form("store", "d", layout, shape, space, kind)
