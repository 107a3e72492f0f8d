"""Modules of PTX that are joined run as one, whatever their own names are."""

from __future__ import annotations

import numpy as np

from jitstudio.simulator.linking import first_lines, link_ptx
from jitstudio.simulator.reading import read_program
from tests.simulator.running import run

HEAD = ".version {}\n.target {}\n.address_size 64\n"
KERNEL = (
    HEAD.format("7.0", "sm_70")
    + """.file 1 "first.cu"
.extern .func (.param .b32 r) twice (.param .b32 x);
.extern .global .align 4 .u32 more;
.global .align 4 .u32 own = 5;
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<4>; .reg .b64 %rd<2>;
    .loc 1 7 0
    ld.param.u64 %rd1, [out];
    ld.global.u32 %r1, [own];
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;
    call (b), twice, (a); ld.param.b32 %r2, [b]; }
    ld.global.u32 %r3, [more];
    add.u32 %r2, %r2, %r3;
    st.global.u32 [%rd1], %r2;
    ret;
}
"""
)
OTHER = (
    HEAD.format("8.1", "sm_90a")
    + """.file 1 "second.cu"
.visible .global .align 4 .u32 more = 100;
.global .align 4 .u32 own = 2;
.visible .func (.param .b32 r) twice (.param .b32 x) {
    .reg .b32 %r<4>;
    .loc 1 9 0
    ld.param.b32 %r1, [x];
    ld.global.u32 %r2, [own];
    mul.lo.u32 %r1, %r1, %r2;
    st.param.b32 [r], %r1;
    ret;
}
"""
)


def test_two_modules_call_each_other_and_keep_what_is_their_own():
    text = link_ptx((KERNEL, OTHER))
    program = read_program(text)
    assert (program.version, program.target) == ("8.1", "sm_90a")
    assert {(i.source.file, i.source.line) for i in program.instructions} == {
        ("first.cu", 7),
        ("second.cu", 9),
    }
    ran = run(text, "k", (1, 1, 1), (1, 1, 1), np.zeros(1, np.uint32))
    assert ran.arrays[0].tolist() == [110]


def test_each_module_keeps_its_lines():
    first = HEAD + ".visible .global .b32 shared[4];\n"
    second = HEAD + ".extern .global .b32 shared\n[4];\n// here"
    third = HEAD + "// there"
    texts = [first, second, third]
    lines = link_ptx(texts).split("\n")
    starts = first_lines(texts)
    assert starts[0] == 1
    for start, text in zip(starts[1:], texts[1:], strict=True):
        assert lines[start - 1 + text.count("\n")] == text.split("\n")[-1]
    assert ".extern" not in "".join(lines)
