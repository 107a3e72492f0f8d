"""Products are added up without being rounded where ptxas does that, and only there."""

from collections import Counter

import numpy as np

from jitstudio.core.code import CodeKind, Source
from jitstudio.simulator.ptx.contraction import contractions
from tests.simulator.exact import differences, fractions
from tests.simulator.running import HEAD, program_of, run
from tests.support import request

# What is behind the loads of %f1 to %f4, and what is stored of it.
_MUL, _MUL_2 = "mul.f32 %f10,%f1,%f2;", "mul.f32 %f11,%f3,%f4;"
CASES = {
    "product_first": (f"{_MUL} add.f32 %f11,%f10,%f3;", "11"),
    "product_last": (f"{_MUL} sub.f32 %f11,%f3,%f10;", "11"),
    "said_to_round": ("mul.rn.f32 %f10,%f1,%f2; add.f32 %f11,%f10,%f3;", "11"),
    "sum_said_to_round": (f"{_MUL} add.rn.f32 %f11,%f10,%f3;", "11"),
    "other_ftz": ("mul.ftz.f32 %f10,%f1,%f2; add.f32 %f11,%f10,%f3;", "11"),
    "kept": (f"{_MUL} add.f32 %f11,%f10,%f3;", "10 11"),
    "twice": (f"{_MUL} add.f32 %f11,%f10,%f3; sub.f32 %f12,%f10,%f4;", "11 12"),
    "also_a_factor": (f"{_MUL} add.f32 %f11,%f10,%f3; mul.f32 %f12,%f10,%f4;", "11 12"),
    "doubled": (f"{_MUL} add.f32 %f11,%f10,%f10;", "11"),
    "of_two": (f"{_MUL} {_MUL_2} sub.f32 %f12,%f10,%f11;", "12"),
    "with_fewer_uses": (f"{_MUL} {_MUL_2} add.f32 %f12,%f10,%f11; sub.f32 %f13,%f3,%f10;", "12 13"),
    "saturated": (f"{_MUL} add.sat.f32 %f11,%f10,%f3;", "11"),
    "over_a_barrier": (f"{_MUL} bar.sync 0; add.f32 %f11,%f10,%f3;", "11"),
    "over_a_fence": (f"{_MUL} membar.gl; add.f32 %f11,%f10,%f3;", "11"),
    "over_a_branch": (
        f"{_MUL} @%p1 bra on; mov.f32 %f3,%f4; bar.sync 0; on: add.f32 %f11,%f10,%f3;",
        "11",
    ),
}
KERNEL = """.visible .entry {name}(.param .u64 p) {{
    .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %a<4>; .reg .f32 %f<20>;
    ld.param.u64 %a1, [p]; mov.u32 %r1, %tid.x; mad.wide.u32 %a1, %r1, 32, %a1;
    ld.global.v4.f32 {{%f1, %f2, %f3, %f4}}, [%a1]; setp.gt.f32 %p1, %f1, %f4;
    {body}
    {stores}
    ret;
}}
"""


def _text():
    made = HEAD.replace("sm_90a", "sm_90").replace("9.0", "8.0", 1)
    for name, (body, kept) in CASES.items():
        stores = "".join(
            f"st.global.f32 [%a1+{16 + 4 * i}], %f{n};" for i, n in enumerate(kept.split())
        )
        made += KERNEL.format(name=name, body=body, stores=stores)
    return made


def test_additions_are_fused_where_ptxas_fuses_them(tools):
    text = _text()
    program = program_of(text)
    cubin = tools.cubin(request(Source("k.ptx", CodeKind.PTX, text.encode()), emit="cubin"))
    code = tools.code(cubin.content)
    for name in CASES:
        made = contractions(program, program.functions[name])
        machine = Counter(opcode.split(".")[0] for opcode in code.function(name).opcodes)
        sums = machine["FFMA"], machine["FADD"]
        function = program.functions[name]
        body = program.instructions[function.start : function.end]
        total = sum(i.opcode in ("add", "sub") for i in body)
        assert sums == (len(made.fused), total - len(made.fused)), (name, machine)
        assert made.is_certain == (name != "with_fewer_uses"), name


def test_a_fused_sum_is_rounded_once():
    rng = np.random.default_rng(1)
    held = np.zeros((64, 8), "f4")
    held[:, :4] = rng.uniform(-1, 1, (64, 4))
    x, y, z, w = (held[:, i].copy() for i in range(4))
    done = {
        name: run(_text(), name, (1, 1, 1), (64, 1, 1), held).arrays[0][:, 4]
        for name in ("product_first", "product_last", "of_two", "said_to_round")
    }

    def sums(name, terms, sign=1):
        products = [a * b for a, b in zip(fractions(x), fractions(y), strict=True)]
        exact = [sign * p + t for p, t in zip(products, fractions(terms), strict=True)]
        return differences(exact, done[name], "f32", "rn")

    assert sums("product_first", z) == []
    assert sums("product_last", z, -1) == []
    assert sums("of_two", -(z * w)) == []
    assert sums("said_to_round", z) != []
    assert (done["said_to_round"] == x * y + z).all()
