"""Which targets have an instruction, by ptxas: `resources/reference/ptx_targets.toml`.

`python -m tests.ptx.targets` writes the tables. Each statement here is one that ptxas refuses for
some targets with "not supported on .target": the name that it calls it by there, and the opcode of
the statement, are a row of the first table, from which errors name the target to build for. Of the
second are the rows of `resources/reference/ptx.toml` that say no target themselves.

To add an instruction of few targets: a statement here, and a row of help with the target *.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from jitstudio.analysis.word_table import WordTable, read_table
from jitstudio.analysis.word_table import rows as table_rows
from tests.ptx.judge import Judge

TABLE = Path(__file__).parents[2] / "resources/reference/ptx_targets.toml"
Tables = tuple[dict[str, dict[str, set[str]]], dict[str, set[str]]]
_INSTRUCTIONS = dict(table_rows(read_table("ptx")["instruction"]))
_ROWS = WordTable((name, name) for name in _INSTRUCTIONS)
MEASURED = frozenset(name for name, fields in _INSTRUCTIONS.items() if fields[-1] == "*")
"""The rows that say no target themselves."""
_WITH_LETTERS = (100, 103, 107, 110, 120, 121)
TARGETS = (
    *("75", "80", "86", "87", "88", "89", "90", "90a"),
    *(f"{number}{letter}" for number in _WITH_LETTERS for letter in ("", "a", "f")),
)
_DECLARED = """.reg .b8 c8; .reg .b16 h, h2; .reg .b32 a, b, c, d, e; .reg .b64 q, r, t;
.reg .f32 f, g, f1, f2, f3, f4; .reg .pred p, p2; .reg .b128 w;
.shared .align 128 .b8 s[1024]; .shared .align 8 .b64 m;
"""
_FLOATS, _FOUR, _TWO = "{f1,f2,f3,f4}", "{a,b,c,d}", "{a,b}"
_SCALES = "a, {0,0}, b, {0,0}"
# Types of factors that fewer targets multiply than the wider ones of the same instruction.
_NARROW = ("e2m1", "e2m3", "e3m2")
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
        for left, right in product(("e4m3", "e5m2", *_NARROW), repeat=2)
    ),
    *(
        f"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.{left}.{right}.f16 "
        f"{_TWO}, {_FOUR}, {_TWO}, {_TWO}"
        for left, right in (("e5m2", "e2m1"), ("e4m3", "e5m2"))
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
    "spcompress.b8.b2.sp::2:4.x1 {a}, {b}, {c,d}, e",
    "spdecompress.b8.b2.sp::2:4.x2 {a,b}, {c}, {d}",
    "tcgen05.ld.spcompress.sync.aligned.32x32b.x4.max.sp::2:4.f32.b2 {a}, {b,c}, [d]",
    "tcgen05.ld.red.spcompress.sync.aligned.32x32b.x4.max.sp::2:4.f32.b2 {a}, {b,c}, e, [d]",
    "tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32 [s], 32",
    "tcgen05.dealloc.exclusive.cta_group::1.sync.aligned.b32 a, 32",
    (
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one"
        ".sync_restrict::shared::read::mma::a.b64 [q]"
    ),
    (
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster"
        ".multicast::cluster::32b.b64 [a], b"
    ),
    "tcgen05.mma.cta_group::1.kind::ti16 [a], q, r, b, p",
    "tcgen05.mma.cta_group::1.kind::f8f6f4.decompress::lut::b [a], q, r, [c], b, p",
    "tcgen05.mma.cta_group::1.kind::f16.collector::a::fill [a], q, r, b, p",
    *(
        f"tcgen05.mma.cta_group::1.kind::f16.collector::b::{use} [a], q, r, b, p"
        for use in ("fill", "use", "lastuse", "discard")
    ),
    "tcgen05.mma.ws.cta_group::1.kind::f16.collector::b0::fill [a], q, r, b, p",
    "tcgen05.mma.cta_group::1.kind::f16.ashift [a], [b], r, c, p",
    "tcgen05.ld.sync.aligned.32x32b.x1.pack::16b.b32 {a}, [b]",
    "tensormap.query.alloc_class_large.global.b1024 p, [q]",
    "tensormap.replace.tile.global_address.alloc_large.global.b1024.b64 [q], r",
    "tensormap.replace.tile.alloc_small.global.b1024 [q]",
    "tensormap.replace.tile.global_address.alloc_same.global.b1024.b64 [q], r",
    "applypriority.async.bulk.global.bulk_group.L2::evict_normal [q], a",
    "applypriority.async.bulk.tensor.2d.bulk_group.L2::evict_normal [q, {a,b}]",
    "cp.async.bulk.prefetch.L2.global.L2::evict_last [q], a",
    "cp.async.bulk.prefetch.tensor.1d.L2.global.tile.L2::evict_last [q, {a}]",
    (
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::disabled "
        "[s], [q], 16, [m]"
    ),
    *(
        f"mbarrier.{action}.relaxed.cluster.shared::cluster.multicast::cluster::32b.b64 {operands}"
        for action, operands in (
            *(("complete_tx", "[a], b, c"), ("expect_tx", "[a], b, c")),
            *(("arrive", "_, [a], b, c"), ("arrive_drop", "_, [a], b, c")),
        )
    ),
    (
        "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group.override::global_address "
        "[q, r, {a}], [s]"
    ),
    (
        "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.override::global_address"
        ".bulk_group [q, r, {a}], [s]"
    ),
    *(f"set.lt.{kind} a, b, c" for kind in ("u8x4", "s8x4", "u16x2", "s16x2")),
    *(
        statement
        for kind in ("e4m3x4", "e5m2x4")
        for statement in (
            f"add.rn.satfinite.{kind}.e4m3x4 a, b, c",
            f"sub.rn.satfinite.{kind}.e4m3x4 a, b, c",
            f"mul.rn.satfinite.{kind}.e2m1x4.e4m3x4 a, h, c",
            f"fma.rn.satfinite.{kind}.e4m3x4.e4m3x4 a, b, c, d",
            f"multimem.st.weak.global.{kind} [q], a",
        )
    ),
    "cvt.rn.satfinite.ue5m3x2.f32 h, f, g",
    "cvt.rn.f16x2.ue5m3x2 a, h",
    *(
        f"cvt.rz.satfinite.{kind}.f32 {'c8' if kind == 'e2m1x2' else 'h'}, f, g"
        for kind in ("e4m3x2", "e5m2x2", "e2m1x2", "e2m3x2", "e3m2x2")
    ),
    "cvt.rn.satfinite.pzo.e4m3x2.f32 h, f, g",
    "cvt.rn.satfinite.s2f6x2.f32 h, f, g",
    "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32 h, f, g, c8",
    *(f"cvt.rn.bf16x2.{kind} a, h" for kind in ("e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2")),
    "cvt.rn.bf16x2.e2m1x2 a, c8",
    "ldmatrix.sync.aligned.m8n16.x1.shared.s8.s4 {a}, [s]",
    "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {f1,f2,f3,f4}, q, r, p, 1, 1",
)


def text_for(statement: str, target: str) -> str:
    return (
        f".version 9.5\n.target sm_{target}\n.address_size 64\n.visible .entry k(.param .u64 p0)\n"
        f"{{\n{_DECLARED}{statement};\nret;\n}}\n"
    )


def refusals(judge: Judge, statement: str) -> dict[str, str]:
    """What ptxas says of a statement for each target; empty where it takes it."""
    return {
        target: judge.refusal(text_for(statement, target), f"sm_{target}") for target in TARGETS
    }


def rows(judge: Judge, statements: Iterable[str]) -> Tables:
    """Both tables of targets: by names of ptxas, and by rows of the reference."""
    lacking: dict[str, dict[str, set[str]]] = {}
    helped: dict[str, set[str]] = {}
    for statement in statements:
        said = refusals(judge, statement)
        taken = {target for target in TARGETS if not said[target]}
        assert taken, f"{statement}: {said['107a']}"
        opcode, *parts = statement.partition(" ")[0].split(".")
        for name in {m[1] for text in said.values() for m in _NOT_SUPPORTED.finditer(text)}:
            for key in (opcode, *(f"{opcode}.{part}" for part in parts if part in _NARROW)):
                lacking.setdefault(name, {}).setdefault(key, set()).update(taken)
        if (row := row_of(statement)) in MEASURED:
            helped.setdefault(row, set()).update(taken)
    for name, by in lacking.items():
        lacking[name] = {k: by[k] for k in by if "." not in k or by[k] != by[k.split(".")[0]]}
    for row in MEASURED - helped.keys():
        forms = [targets for name, targets in helped.items() if name.startswith(f"{row}.")]
        helped[row] = set().union(*forms)
    return lacking, helped


def row_of(statement: str) -> str:
    """The row of the reference that helps with a statement."""
    found = _ROWS.find(statement.partition(" ")[0])
    assert found, statement
    return found[0]


def written() -> tuple[str, Tables]:
    """The version of nvJitLink in the file of the tables, and the tables."""
    content = tomllib.loads(TABLE.read_text("utf-8"))
    lacking = {
        name: {opcode: set(targets) for opcode, targets in row.items()}
        for name, row in content["targets"].items()
    }
    return content["assembler"], (lacking, {n: set(t) for n, t in content["rows"].items()})


def _key(opcode: str) -> str:
    return f'"{opcode}"' if "." in opcode else opcode


def _listed(targets: set[str]) -> str:
    return json.dumps([target for target in TARGETS if target in targets])


def _lines(version: str, tables: Tables) -> Iterator[str]:
    lacking, helped = tables
    yield "# Which targets have what ptxas calls “not supported” on others: by its name for it and"
    yield "# the opcode of the statement; and by rows of ptx.toml that say no target."
    yield "# Measured by `python -m tests.ptx.targets` over all targets from sm_75 on."
    yield f'assembler = "{version}"'
    yield ""
    yield "[targets]"
    for name, by_opcode in sorted(lacking.items()):
        row = ", ".join(
            f"{_key(opcode)} = {_listed(by_opcode[opcode])}" for opcode in sorted(by_opcode)
        )
        yield f'"{name}" = {{ {row} }}'
    yield ""
    yield "[rows]"
    for name, targets in sorted(helped.items()):
        yield f'"{name}" = {_listed(targets)}'


if __name__ == "__main__":
    from jitstudio.toolchain.nvjitlink import version

    with Judge() as judge:
        lines = [*_lines(version(), rows(judge, STATEMENTS))]
    TABLE.write_text("\n".join([*lines, ""]), "utf-8")
