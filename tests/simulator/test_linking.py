"""Modules of PTX that are joined run as one, whatever their own names are."""

from __future__ import annotations

import numpy as np

from jitstudio.simulator.ptx.linking import LinkedLines, link_ptx
from jitstudio.simulator.ptx.reading import read_program
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
    head = HEAD.format("8.0", "sm_90 /* the\ntarget */")
    first = head + ".visible .global .b32 shared[4];\n"
    second = head + ".extern .global .b32 shared\n[4];\n// here"
    third = head + "// there"
    texts = [first, second, third]
    lines = link_ptx(texts).split("\n")
    places = LinkedLines.of("all", "abc", texts)
    assert places.place_of(1) == ("a", 1)
    for name, text in zip("bc", texts[1:], strict=True):
        last = text.count("\n") + 1
        line = places.line_of(name, last)
        assert lines[line - 1] == text.split("\n")[-1]
        assert places.place_of(line) == (name, last)
    assert places.line_of("d", 1) is None
    alone = LinkedLines.of("a", "abc", texts[:1])
    assert (alone.place_of(7), alone.line_of("a", 7), alone.line_of("b", 7)) == (("a", 7), 7, None)
    assert ".extern" not in "".join(lines)
