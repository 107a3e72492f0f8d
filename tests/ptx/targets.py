"""Which targets have an instruction, by ptxas: `resources/reference/ptx_targets.toml`.

`python -m tests.ptx.targets` writes the table. Each statement here is one that ptxas refuses for
some targets with "not supported on .target"; the name that it calls it by there is the row.

To add an instruction of few targets: a statement here. From the table errors name the target to
build for.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.ptx.judge import Judge

TABLE = Path(__file__).parents[2] / "resources/reference/ptx_targets.toml"
_WITH_LETTERS = (100, 103, 110, 120, 121)
TARGETS = (
    *("75", "80", "86", "87", "88", "89", "90", "90a"),
    *(f"{number}{letter}" for number in _WITH_LETTERS for letter in ("", "a", "f")),
)
_DECLARED = """.reg .b8 c8; .reg .b16 h, h2; .reg .b32 a, b, c, d, e; .reg .b64 q, r, t;
.reg .f32 f, g, f1, f2, f3, f4; .reg .pred p; .reg .b128 w;
.shared .align 128 .b8 s[1024]; .shared .align 8 .b64 m;
"""
_FLOATS, _FOUR, _TWO = "{f1,f2,f3,f4}", "{a,b,c,d}", "{a,b}"
_SCALES = "a, {0,0}, b, {0,0}"
_NOT_SUPPORTED = re.compile(r"(?:Instruction|Feature|Modifier) '([^']*)' not supported on \.target")
STATEMENTS = (
    "wgmma.fence.sync.aligned",
    "wgmma.commit_group.sync.aligned",
    "wgmma.wait_group.sync.aligned 0",
    f"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {_FLOATS}, q, r, p, 1, 1, 0, 0",
    f"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {_FOUR}, q, r, p",
    f"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {_FOUR}, q, r, p",
    f"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {_FLOATS}, q, r, a, 0, p, 1, 1, 0, 0",
    "setmaxnreg.dec.sync.aligned.u32 40",
    "setmaxnreg.inc.sync.aligned.u32 40",
    "tcgen05.fence::before_thread_sync",
    "tcgen05.fence::after_thread_sync",
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 32",
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 a, 32",
    "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned",
    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {a}, [b]",
    "tcgen05.ld.sync.aligned.16x64b.x1.b32 {a}, [b]",
    "tcgen05.ld.sync.aligned.16x128b.x1.b32 {a,c}, [b]",
    "tcgen05.ld.sync.aligned.16x256b.x1.b32 {a,c,d,e}, [b]",
    "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {a}, [b], 2",
    "tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {a,b}, c, [d]",
    "tcgen05.st.sync.aligned.32x32b.x1.b32 [b], {a}",
    "tcgen05.wait::ld.sync.aligned",
    "tcgen05.wait::st.sync.aligned",
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [q]",
    "tcgen05.cp.cta_group::1.128x256b [a], q",
    "tcgen05.cp.cta_group::1.4x256b [a], q",
    "tcgen05.cp.cta_group::1.128x128b [a], q",
    "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [a], q",
    "tcgen05.cp.cta_group::1.32x128b.warpx4 [a], q",
    "tcgen05.cp.cta_group::1.128x256b.b8x16.b6x16_p32 [a], q",
    "tcgen05.shift.cta_group::1.down [a]",
    "tcgen05.mma.cta_group::1.kind::f16 [a], q, r, b, p",
    "tcgen05.mma.cta_group::1.kind::tf32 [a], q, r, b, p",
    "tcgen05.mma.cta_group::1.kind::f8f6f4 [a], q, r, b, p",
    "tcgen05.mma.cta_group::1.kind::i8 [a], q, r, b, p",
    "tcgen05.mma.sp.cta_group::1.kind::f16 [a], q, r, [c], b, p",
    "tcgen05.mma.ws.cta_group::1.kind::f16 [a], q, r, b, p",
    "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [a], q, r, b, [c], [d], p",
    "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X [a], q, r, b, [c], [d], p",
    "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [a], q, r, b, [c], [d], p",
    *(
        f"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.{left}.{right}.f32 "
        f"{_FLOATS}, {_FOUR}, {_TWO}, {_FLOATS}"
        for left, right in (("e5m2", "e2m1"), ("e3m2", "e2m3"), ("e4m3", "e4m3"))
    ),
    (
        f"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e2m1.f16 "
        f"{_TWO}, {_FOUR}, {_TWO}, {_TWO}"
    ),
    *(
        f"mma.sync.aligned.{shape}.row.col.kind::{kind}.block_scale.scale_vec::{scale}.f32.{form}."
        f"{form}.f32.{scales} {_FLOATS}, {_FOUR}, {_TWO}, {_FLOATS}, {_SCALES}"
        for shape, kind, scale, form, scales in (
            ("m16n8k64", "mxf4", "2X", "e2m1", "ue8m0"),
            ("m16n8k64", "mxf4nvf4", "4X", "e2m1", "ue4m3"),
            ("m16n8k32", "mxf8f6f4", "1X", "e4m3", "ue8m0"),
        )
    ),
    (
        f"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 "
        f"{_FLOATS}, {_FOUR}, {_FOUR}, {_FLOATS}, e, 0"
    ),
    f"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {_TWO}, [s]",
    f"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b6x16_p32 {_TWO}, [s]",
    "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {a}, [s]",
    "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {a}, [s]",
    "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [s], {a}",
    "cvt.rn.satfinite.e2m1x2.f32 c8, f, g",
    "cvt.rn.f16x2.e2m1x2 a, c8",
    "cvt.rn.satfinite.e2m3x2.f32 h, f, g",
    "cvt.rn.satfinite.e3m2x2.f32 h, f, g",
    "cvt.rn.f16x2.e2m3x2 a, h",
    "cvt.rn.f16x2.e3m2x2 a, h",
    "cvt.rz.ue8m0x2.f32 h, f, g",
    "cvt.rn.bf16x2.ue8m0x2 a, h",
    "cvt.rp.ue8m0x2.bf16x2 h, a",
    *(f"cvt.rs.satfinite.{to}x4.f32 a, {_FLOATS}, b" for to in ("e4m3", "e5m2", "e2m3", "e3m2")),
    f"cvt.rs.satfinite.e2m1x4.f32 h, {_FLOATS}, b",
    "cvt.rs.f16x2.f32 a, f, g, b",
    "cvt.rs.bf16x2.f32 a, f, g, b",
    "redux.sync.min.f32 f, g, -1",
    "redux.sync.max.abs.NaN.f32 f, g, -1",
    *(
        f"cp.async.bulk.tensor.{how} [s], [q, {at}], [m]{more}"
        for how, at, more in (
            (
                "2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes",
                "{a,b,c,d,e}",
                "",
            ),
            ("1d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::1", "{a}", ""),
            (
                "3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes",
                "{a,b,c}",
                ", {h,h2}",
            ),
            (
                "3d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes",
                "{a,b,c}",
                ", {h,h2}",
            ),
            (
                "1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
                "{a}",
                ", h",
            ),
        )
    ),
    "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [q, {a,b,c,d,e}], [s]",
    "tensormap.replace.tile.global_address.global.b1024.b64 [q], r",
    "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [q], 0",
    "tensormap.replace.tile.elemtype.global.b1024.b32 [q], 13",
    "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [q], 4",
    *(f"multimem.ld_reduce.global.add.acc::f16.{kind}x4 a, [q]" for kind in ("e4m3", "e5m2")),
    (
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
        ".multicast::cluster::all.b128 [s], [m]"
    ),
)


def text_for(statement: str, target: str) -> str:
    return (
        f".version 9.0\n.target sm_{target}\n.address_size 64\n.visible .entry k(.param .u64 p0)\n"
        f"{{\n{_DECLARED}{statement};\nret;\n}}\n"
    )


def refusals(judge: Judge, statement: str) -> dict[str, str]:
    """What ptxas says of a statement for each target; empty where it takes it."""
    return {
        target: judge.refusal(text_for(statement, target), f"sm_{target}") for target in TARGETS
    }


def rows(judge: Judge, statements: Iterable[str]) -> dict[str, set[str]]:
    """The targets that have each thing that ptxas calls "not supported" on others."""
    table: dict[str, set[str]] = {}
    for statement in statements:
        said = refusals(judge, statement)
        taken = {target for target in TARGETS if not said[target]}
        assert taken, f"{statement}: {said['100a']}"
        for name in {m[1] for text in said.values() for m in _NOT_SUPPORTED.finditer(text)}:
            table.setdefault(name, set()).update(taken)
    return table


def written() -> tuple[str, dict[str, list[str]]]:
    """The version of nvJitLink that the table was measured with, and the table."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    return table["assembler"], table["targets"]


def _lines(version: str, table: dict[str, set[str]]) -> Iterator[str]:
    yield "# Which targets have what ptxas calls “not supported” on others, by its name for it."
    yield "# Measured by `python -m tests.ptx.targets` over all targets from sm_75 on."
    yield f'assembler = "{version}"'
    yield ""
    yield "[targets]"
    for name, targets in sorted(table.items()):
        listed = ", ".join(f'"{target}"' for target in TARGETS if target in targets)
        yield f'"{name}" = [{listed}]'


if __name__ == "__main__":
    from jitstudio.toolchain.nvjitlink import version

    with Judge() as judge:
        lines = [*_lines(version(), rows(judge, STATEMENTS))]
    TABLE.write_text("\n".join([*lines, ""]), "utf-8")
