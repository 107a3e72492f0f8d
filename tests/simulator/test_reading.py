"""What PTX text is read into, and how what cannot be read is told."""

from contextlib import suppress

import numpy as np
import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.cubin import sections
from jitstudio.core.request import BuildRequest
from jitstudio.ptx.initialisers import SymbolAddress
from jitstudio.ptx.tokens import PtxReadError
from jitstudio.simulator.ptx.program import (
    AddressOperand,
    ImmediateOperand,
    PairOperand,
    RegisterOperand,
    SymbolOperand,
    VectorOperand,
)
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.running.simulate import simulate
from jitstudio.simulator.state.model import SimulatedLaunch, SimulationOutcome
from tests.simulator.running import HEAD, kernel_of, run

TEXT = (
    HEAD
    + """
.file 1 "/src/a.cu"
.file 2 "/src/b.h"
.extern .func (.param .b32 r) outside (.param .b64 a);
.global .align 8 .u64 table[2] = {names, generic(names)+4};
.visible .const .f32 pi[2] = {0f40490FDB, -1.5};
.global .b8 names[] = {0x61, 0xFF00(pi), 'x'}; // "
.shared .align 16 .b8 tile[4][8][2];
""".replace(", 'x'", "")
    + """
.visible .entry k(.param .u64 .ptr .global .align 4 k_0, .param .align 8 .b8 k_1[20])
.maxntid 8, 4 .reqnctapercluster 2, 1, 1
{
  .reg .b32 %r<3>, a; .reg .pred %p; .reg .v4 .f32 %v;
  .loc 1 7 3
  @!%p add.sat.s32 %r1, %r2, -5;
  .loc 2 9 1, function_name $L__info_string0, inlined_at 1 8 2
  { .reg .b32 a; mov.b32 a, 0f3F800000; L: mov.b32 %r0, a; bra L; }
  ld.global.v4.f32 %v, [%r1+-16]; L: shfl.sync.idx.b32 %r0|%p, a, 1, 31, -1;
  st.shared.u32 [tile+4], %r0; mov.b32 {a, _}, %v.y; bra L;
  ret;
}
"""
)


def test_what_is_declared():
    program = read_program(TEXT)
    assert (program.version, program.target, program.declared) == ("9.0", "sm_90a", {"outside"})
    assert program.variables["tile"].size == 64
    assert program.variables["pi"].data == np.array([np.pi, -1.5], np.float32).tobytes()
    assert program.variables["table"].addresses == (
        SymbolAddress(0, "names", 0, False, 8),
        SymbolAddress(8, "names", 4, True, 8),
    )
    assert program.variables["names"].data == b"\x61\0"
    assert program.variables["names"].addresses == (SymbolAddress(1, "pi", 0, False, 1, 8),)
    kernel = program.functions["k"]
    assert [(p.name, p.size, p.align) for p in kernel.parameters] == [
        ("k_0", 8, 8),
        ("k_1", 20, 8),
    ]
    assert (kernel.most_threads, kernel.required_cluster) == (32, (2, 1, 1))
    assert {"%r0", "%r2", "a", "a#2", "%v.x", "%v.w"} <= kernel.registers.keys()


def test_instructions_with_their_places():
    program = read_program(TEXT)
    add, move, _, inner, load, shuffle, store, unpack, outer, _ = program.instructions
    assert (add.opcode, add.modifiers, [t.name for t in add.types]) == ("add", ("sat",), ["s32"])
    assert add.guard == RegisterOperand("%p", negated=True)
    assert add.operands[2] == ImmediateOperand(-5)
    assert (add.source, add.inlined_at) == (("/src/a.cu", 7), ())
    assert TEXT.splitlines()[add.line - 1].strip().startswith("@!%p add")
    assert add.full_opcode == "add.sat.s32"
    assert (move.source, move.inlined_at) == (("/src/b.h", 9), (("/src/a.cu", 8),))
    assert move.operands == (RegisterOperand("a#2"), ImmediateOperand(0x3F800000, 32))
    assert load.operands[1] == AddressOperand(RegisterOperand("%r1"), -16)
    assert load.operands[0] == VectorOperand(tuple(RegisterOperand(f"%v.{x}") for x in "xyzw"))
    assert shuffle.operands[0] == PairOperand(RegisterOperand("%r0"), RegisterOperand("%p"))
    assert store.operands[0] == AddressOperand(SymbolOperand("tile"), 4)
    assert unpack.operands[0] == VectorOperand((RegisterOperand("a"), SymbolOperand("_")))
    labels = program.functions["k"].labels
    assert labels[inner.operands[0].name] == 2
    assert labels[outer.operands[0].name] == shuffle.number


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (".reg .q32 %r;", "“.q32” is not a type of registers"),
        ("add.s32 %r1, %r2", "“;” is expected after “%r2”, and there is “ret”"),
        ("st.shared.u32 [5 5], %r1;", "“]” is expected after “5”"),
        ("5;", "an instruction is expected here, and there is “5”"),
        ("@5 bra L;", "a name is expected here, and there is “5”"),
        (".local .b8 big[99999999999];", "too much to simulate"),
        (".reg .b32 %x<9999999>;", "too many to simulate"),
        (f"mov.u32 %r1, {'9' * 5000};", "too many digits"),
        (f"mov.b32 {'{' * 5000}", "nested too deeply"),
        (".reg .b32 %x<1e999>;", "an integer is expected"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(line, why):
    with pytest.raises(PtxReadError) as told:
        read_program(kernel_of(f".reg .b32 %r<3>;\n{line}\n"))
    assert why in str(told.value)
    assert told.value.line == 8


@pytest.mark.parametrize(
    "text", ["", ".version", "}", "abc", ".func", ".entry k(", '"', "/*", ".address_size 32", "\0"]
)
def test_texts_that_are_no_program(text):
    with suppress(PtxReadError):
        assert read_program(text).functions == {}


@pytest.mark.parametrize(
    ("instruction", "why"),
    [
        ("add.s32 %r0;", "operands"),
        ("mov.b32 %r0, %r9;", "%r9 is not declared"),
        ("mov.b32 %nothing, %r0;", "not a register of the function"),
        ("bra nowhere;", "there is no label nowhere"),
        ("call outside;", "outside is declared and not defined"),
        ("setp.lt.s32 %r0, %r1, %r2;", "has 32 bits"),
        ("ld.global.v2.u32 %r0, [%rd0];", "it moves 2 elements, and 1 are named"),
        ("mad.lo.s32 %r0, %r1, %r2;", "does not know this form of the instruction"),
    ],
)
def test_an_instruction_that_is_wrong_is_refused_when_a_thread_comes_to_it(instruction, why):
    head = ".extern .func outside;"
    body = f".reg .b32 %r<3>; .reg .b64 %rd<2>; mov.b32 %r1, 1;\n{instruction}"
    done = run(kernel_of(body, before=head), "k", (1, 1, 1), (8, 1, 1), finishes=False)
    assert done.result.outcome is SimulationOutcome.REFUSED
    assert done.result.message.startswith(f"Line 8 of the PTX, {instruction.split()[0]}")
    assert why in done.result.message or "does not know this form" in done.result.message


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"kernel": "other"}, "The PTX has no kernel other. It has: k."),
        ({"block": (1025, 1, 1)}, "there may be 1,024 at most"),
        ({"grid": (100_000, 100_000, 1)}, "10,000,000,000 blocks are too many to simulate"),
        ({"grid": (0, 1, 1)}, "have no thread"),
        ({"parameters": b""}, "takes 8 bytes of parameters, and 0 are given"),
        ({"cluster": (3, 1, 1)}, "cannot be divided into clusters"),
        ({"shared_bytes": 1 << 30}, "1,073,741,824 bytes"),
        ({"block": (64, 1, 1)}, "takes blocks of 32 threads at most (.maxntid)"),
    ],
)
def test_launches_that_cannot_be(changes, why):
    text = kernel_of("", "u64").replace(")\n{", ")\n.maxntid 32, 1, 1\n{")
    if changes.get("block") == (1025, 1, 1):
        text = kernel_of("", "u64")
    launch = SimulatedLaunch(
        **({"kernel": "k", "grid": (4, 1, 1), "parameters": bytes(8)} | changes)
    )
    result = simulate(launch, read_program(text))
    assert result.outcome is SimulationOutcome.REFUSED
    assert why in result.message


@pytest.mark.parametrize(
    ("operand", "value"),
    [
        ("4 + 8 * 2", 20),
        ("-4 + 2", -2),
        ("1 << 4 | 3", 19),
        ("2 * (3 + 4) - 1", 13),
        ("~0", 2**64 - 1),
        ("WARP_SZ / 3 % 4", 2),
        ("1 < 2 ? -1 : 5", -1),
        ("!(3 > 4 && 1)", 1),
    ],
)
def test_constant_expressions_have_the_precedence_of_c(operand, value):
    text = kernel_of(f".reg .b64 %a; .reg .b32 %r; mov.b32 %r, {operand}; ld.b32 %r, [%a+52+4];")
    move, load, _ = read_program(text).instructions
    assert move.operands[1] == ImmediateOperand(value)
    assert load.operands[1].offset == 56


# Of every operator, and of what type its result is: it decides what `>>` and `/` do with it.
CONSTANTS = """4 + 8 * 2; 1 << 4 | 3; 2 * (3 + 4) - 1; ~0 >> 1; -1 >> 1; -7 % 3; 7 % -2;
(-7 % 3) / -1; -7 / 2; -7 / 2U; 7U / -2; -1 < 0U; -1 < 0; !5; !0 - 2 >> 1; (1 ? -1 : 2U) >> 1;
0 ? 1 : 2 ? 3 : 4; (-1 & -1) >> 1; (-1 | 0U) / 2; 3 != 3; 2 && 3; 0 || 7; 1 << 63 >> 63;
1U << 63 >> 63; 1 << 65;
(.s64)~0 >> 1; (.u64)-1 >> 1; 0xfabc123400000000 >> 4; -0xfabc123400000000 / 3; WARP_SZ * 2 + 1;
100 / 7 / 2; 2 + 3 < 6 & 1; 1 | 2 == 2; 010 + 0b11; 6 & 3 ^ 1; 3 > 2 > 1; ~5 / 2; 1.5 < 2.5;
2.0 == 2.0 ? 10 : 20; 0x1234U - 0x1235 >> 60; -(-42); 1 - 2 <= 0 == 1"""
FLOATS = "1.0 / 3.0; 1.5 * 2.0 - 0.25; -1.0 + 0d3FF0000000000001; (1.0 + 2.0) * 3.0; -(0.5)"


@pytest.mark.tools
def test_constant_expressions_have_the_values_that_ptxas_gives_them(builder):
    words, floats = (text.replace("\n", " ").split("; ") for text in (CONSTANTS, FLOATS))
    text = kernel_of("", before=(
        f".visible .global .align 8 .u64 words[{len(words)}] = {{{', '.join(words)}}};\n"
        f".visible .global .align 8 .f64 floats[{len(floats)}] = {{{', '.join(floats)}}};\n"
    ))  # fmt: skip
    source = Source("k.ptx", CodeKind.PTX, text.encode())
    emit = frozenset({CodeKind.CUBIN})
    done = builder.build(BuildRequest((source,), arch=Arch(90, "a"), emit=emit))
    assert done.ok, done.reason
    (cubin,) = (a.content for a in done.artifacts if a.kind is CodeKind.CUBIN)
    (data,) = (s.content for s in sections(cubin) if s.name.startswith(".nv.global"))
    variables = read_program(text).variables
    integers, others = variables["words"].data, variables["floats"].data
    assert data in (integers + others, others + integers)


@pytest.mark.parametrize(
    "expression", ["1 + 1.0", "7 / 0", "7 % 0", "0f3f800000 + 1.0", "1 ? 2 : 3.0", "!1.0", "1 +"]
)
def test_constant_expressions_without_a_value(expression):
    with pytest.raises(PtxReadError, match="Line 4 of the PTX"):
        read_program(kernel_of("", before=f".global .u64 x = {expression};"))


SHADOWED = """\
.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 r) one(.param .b32 a)
{
	.reg .b32 x;
	ld.param.b32 x, [a];
	add.u32 x, x, 1;
	st.param.b32 [r], x;
	ret;
}
.visible .entry k(.param .u64 out)
{
	.reg .b64 b, p;
	.reg .b32 v;
	mov.b64 b, 41;
	ld.param.u64 p, [out];
	{
	.param .b32 b;
	.param .b32 q;
	mov.b32 v, 6;
	st.param.b32 [b], v;
	call (q), one, (b);
	ld.param.b32 v, [q];
	}
	cvt.u64.u32 p, v;
	add.u64 b, b, p;
	ld.param.u64 p, [out];
	st.global.u64 [p], b;
	ret;
}
"""


def test_a_parameter_of_a_call_may_have_the_name_of_a_register(tools):
    """In a scope of its own, as ptxas takes it."""
    module = Source("k.ptx", CodeKind.PTX, SHADOWED.encode())
    tools.cubin(BuildRequest((module,), emit=frozenset([CodeKind.CUBIN])))
    done = run(SHADOWED, "k", (1, 1, 1), (1, 1, 1), np.zeros(1, np.uint64))
    assert done.arrays[0].tolist() == [41 + 7]
