"""PTX that is broken, or that ptxas refuses, ends in a sentence: in no reader in a traceback."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from jitstudio.core.arch import Arch
from jitstudio.ptx.tokens import PtxReadError
from jitstudio.python.things import found_in
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.state.model import SimulationLimits, SimulationOutcome
from jitstudio.toolchain.supplied_copy import supply_ptx
from tests.ptx.readers import tracebacks
from tests.ptx.spellings import EVERYTHING, MATRICES, Spelling
from tests.simulator.running import HEAD, launch_of, program_of, run, simulate

# A branch that was moved before its own label has no end.
_FEW_STEPS = SimulationLimits(steps=20_000)
CALLED = (
    ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; "
    "st.param.b32 [r], x; ret; }\n.func g(.reg .b32 a) { ret; }\n"
)


def kernel(body: str, name: str = "k") -> str:
    declared = ".reg .b32 a, b; .reg .b64 q; .reg .pred pp;"
    return f".visible .entry {name}(.param .u64 p)\n{{\n{declared}\n{body}\n}}\n"


def broken(words: tuple[str, ...], random: Random) -> str:
    """The words with some left out, put elsewhere, repeated or cut."""
    mutant = list(words)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at = random.randrange(len(mutant) - 1)
        match random.randrange(5):
            case 0:
                del mutant[at]
            case 1:
                mutant.insert(at, random.choice(words))
            case 2:
                mutant[at] = random.choice(words)
            case 3:
                other = random.randrange(len(mutant) - 1)
                mutant[at], mutant[other] = mutant[other], mutant[at]
            case 4:
                mutant[at] = mutant[at][:-1]
    return " ".join(mutant)


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(100, 3100), marks=pytest.mark.bench)]
)
def test_broken_programs_end_in_sentences(seeds):
    ends = set()
    for seed in seeds:
        random = Random(seed)
        text, *arguments = random.choice([(EVERYTHING, np.uint32(5)), (MATRICES,)])
        mutant = broken(Spelling.of(text).words, random)
        assert tracebacks(mutant) == [], seed
        try:
            program = program_of(mutant)
        except PtxReadError:
            ends.add("unread")
            continue
        arrays = [np.zeros(32, np.uint32), *arguments]
        launch = launch_of("k", (1, 1, 1), (32, 1, 1), arrays, limits=_FEW_STEPS)
        result = simulate(launch, program)
        ends.add(result.outcome)
    assert {"unread", SimulationOutcome.FINISHED, SimulationOutcome.REFUSED} <= ends


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (".param .b32 x; call (x), f, (zz);", "zz is neither a register nor a variable of k"),
        ("call (zz), f, (a);", "zz is neither a register nor a variable of k"),
        (".param .b64 x; call (x), f, (a);", "x has 8 bytes, and r of f has 4"),
        ("st.param.b32 [zz], a;", "zz is not a parameter"),
        ("st.global.u32 [q];", "it has 1 operands instead of 2"),
    ],
)
def test_a_statement_that_ptxas_refuses_is_refused_with_its_line(body, why):
    text = HEAD + CALLED + kernel(f"{body} ret;")
    ran = run(text, "k", (1, 1, 1), (1, 1, 1), np.zeros(1, np.uint64), finishes=False)
    assert ran.result.outcome is SimulationOutcome.REFUSED
    assert why in ran.result.message
    assert ran.result.message.startswith("Line 9 of the PTX")
    assert ran.messages == ()


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (kernel(".foo 3;"), 7, "“.foo” is not a directive that is known in a function"),
        (kernel(".maxnreg 32;"), 7, "“.maxnreg” is not a directive that is known in a function"),
        (
            ".entry k()\n.foo 3\n{ ret; }",
            5,
            "“.foo” is not a directive of a function that is known",
        ),
        (".foo 1;", 4, "“.foo” begins no statement of PTX"),
        (kernel(".loc 1 3\nmov.b32 a, 1;"), 8, "a number is expected here, and there is “mov”"),
        (kernel(".loc 1 3 4, inlined_at 1 2 3"), 7, "“function_name” is expected after “,”"),
        (".entry k(.param .b32 a .param .b32 b) { ret; }", 4, "“,” is expected after “a”"),
        (".section { }", 4, "a word such as “.b32” is expected here, and there is “{”"),
    ],
)
def test_a_directive_that_is_not_known_is_refused_and_not_skipped(text, line, why):
    with pytest.raises(PtxReadError, match=r"^Line") as refusal:
        read_program(HEAD + text)
    assert why in str(refusal.value)
    assert refusal.value.line == line


@pytest.mark.parametrize("body", ["", "{}", "L:", "setp.eq.u32 pp, 1, 2;\n@pp ret;"])
def test_where_control_comes_to_the_end_of_a_kernel_it_returns(body):
    text = HEAD + kernel(body) + kernel("st.global.b32 [0], 1;\ntrap;", "other")
    ran = run(text, "k", (1, 1, 1), (4, 1, 1), np.zeros(4, np.uint32))
    assert ran.result.outcome is SimulationOutcome.FINISHED


def test_a_function_without_a_ret_returns_to_its_caller():
    called = ".func (.reg .b32 r) seven(.reg .b32 a) { mul.lo.u32 r, a, 7; }\n"
    body = "ld.param.u64 q, [p]; mov.b32 b, 6; call (a), seven, (b); st.global.b32 [q], a;"
    ran = run(HEAD + kernel(body) + called, "k", (1, 1, 1), (1, 1, 1), np.zeros(1, np.uint32))
    assert ran.arrays[0].tolist() == [42]


def test_a_parameter_goes_to_a_register_of_the_function_that_is_called():
    called = ".func (.reg .b32 r) same(.reg .b32 a) { mov.b32 r, a; ret; }\n"
    body = (
        ".param .b32 x; .param .b32 y; ld.param.u64 q, [p]; st.param.b32 [x], 9; "
        "call (y), same, (x); ld.param.b32 a, [y]; st.global.b32 [q], a;"
    )
    ran = run(HEAD + called + kernel(body), "k", (1, 1, 1), (1, 1, 1), np.zeros(1, np.uint32))
    assert ran.arrays[0].tolist() == [9]


def test_a_function_without_a_line_table_has_no_lines_of_the_one_before():
    first = '.file 1 "x.cu"\n' + kernel(".loc 1 7 3\nret;")
    program = read_program(HEAD + first + kernel("ret;", "other"))
    assert [i.source.line for i in program.instructions] == [7, 0]


@pytest.mark.parametrize(
    "head",
    [
        ".version 8.0\n.target\nsm_90\n",
        ".version 8.0 /* x */ .target sm_90\n",
        "// was: .target sm_50\n/* .version 7.0\n.target sm_50 */\n.version 8.0\n.target sm_90\n",
        ".version\t8.0 .target/* .target sm_50 */sm_90, texmode_unified .address_size 64\n",
    ],
)
def test_a_valid_head_lacks_nothing(head):
    text = head + kernel("ret;")
    assert supply_ptx("text", text.encode(), Arch.parse("sm_75")) == (text.encode(), ())
    assert read_program(text).target == "sm_90"


def test_a_kernel_in_a_comment_names_no_code():
    text = "// was: .entry old(\n.version 8.0\n.target sm_90\n" + kernel("ret;", "fresh")
    assert [found.name for found in found_in(text)] == ["fresh.ptx"]
