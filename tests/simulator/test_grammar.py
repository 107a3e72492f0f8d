"""The simulator refuses statements that ptxas refuses for their grammar, and takes those it takes.

The judge is ptxas, on statements of all forms and their neighbours: see `grammar`.
"""

from __future__ import annotations

import re
import tomllib
from random import Random

import pytest

from jitstudio.simulator.instructions.rows import ROW_MODULES
from jitstudio.simulator.instructions.table import ROWS, row_of
from jitstudio.simulator.ptx.reading import read_program
from tests.ptx.judge import Judge
from tests.simulator.grammar import (
    module,
    refused_by_ptxas,
    refused_by_simulator,
    seeds,
    vocabularies,
)
from tests.support import ROOT

assert ROW_MODULES
pytestmark = pytest.mark.tools
SEEDS = seeds()
# Of other targets or versions of PTX, and what ptxas dies of: nothing about the grammar.
_NO_GRAMMAR = re.compile(
    r"requires \.target|not supported on|not supported starting|PTX ISA \.version|has died"
    r"|Internal compiler error"
)
# No instructions of a kernel for sm_90 that the net could judge.
_UNJUDGED = frozenset(
    [
        *("tcgen05", "clusterlaunchcontrol", "tensormap", "multimem", "elect"),
        *("fabric", "clmad", "spcompress", "spdecompress"),
    ]
)


def differences(count: int, seed: int) -> tuple[int, dict[str, str], dict[str, str]]:
    """How many neighbours of some statements were tried, and those with two answers.

    Args:
        count: Of the statements.
        seed: Chooses them.

    Returns:
        The number, what ptxas says against those that the simulator takes, and the other way.
    """
    random, known = Random(seed), vocabularies(SEEDS)
    texts = list(
        {
            neighbour.text: None
            for statement in random.sample(list(SEEDS), count)
            for neighbour in statement.neighbours(known[statement.words[0]], random)
        }
    )
    taken: dict[str, str] = {}
    refused: dict[str, str] = {}
    with Judge() as judge:
        for start in range(0, len(texts), 400):
            part = texts[start : start + 400]
            by_ptxas, by_simulator = refused_by_ptxas(judge, part), refused_by_simulator(part)
            taken |= {
                text: said
                for text, said in by_ptxas.items()
                if text not in by_simulator and not _NO_GRAMMAR.search(said)
            }
            # An error may make a later line be misread: alone it is refused, or not.
            taken = {t: s for t in taken if (s := refused_by_ptxas(judge, [t]).get(t))}
            refused |= {t: said for t, said in by_simulator.items() if t not in by_ptxas}
    return len(texts), taken, refused


@pytest.mark.slow
def test_neighbours_that_ptxas_refuses_are_refused():
    tried, taken, refused = differences(14, 1)
    assert tried > 2000
    assert taken == {}
    # Such as `add.pred.f32`, which ptxas takes for `add.f32`.
    assert len(refused) <= tried // 100, refused


@pytest.mark.bench
@pytest.mark.parametrize("seed", range(2, 12))
def test_all_neighbours_that_ptxas_refuses_are_refused(seed):
    tried, taken, refused = differences(40, seed)
    assert tried > 5000
    assert taken == {}
    assert len(refused) <= tried // 100, refused


@pytest.mark.slow
def test_statements_of_all_forms_are_taken():
    texts = [statement.text for statement in SEEDS]
    with Judge() as judge:
        by_ptxas = refused_by_ptxas(judge, texts)
    assert {t: said for t, said in by_ptxas.items() if not _NO_GRAMMAR.search(said)} == {}
    unknown = {t: s for t, s in refused_by_simulator(texts).items() if "does not know" in s}
    assert unknown == {}


def test_every_form_has_a_statement():
    program = read_program(module([statement.text for statement in SEEDS]))
    used = {id(row_of(instruction)) for instruction in program.instructions}
    missing = [
        (opcode, row.name, row.types, row.needs)
        for opcode, rows in ROWS.items()
        for row in rows
        # Products that ptxas contracts are named by signs; what is refused needs no statement.
        if id(row) not in used and opcode[-1].isalnum() and "+" not in opcode
        if "-" not in opcode and "refused" not in row.bind.__name__
    ]
    assert missing == []


def test_every_instruction_of_the_reference_has_a_statement():
    table = tomllib.loads((ROOT / "resources" / "reference" / "ptx.toml").read_text("utf-8"))
    forms = {re.split(r"[.{ ]", row[0])[0] for row in table["instruction"].values()}
    named = {statement.words[0] for statement in SEEDS}
    assert {opcode for opcode in forms - named - _UNJUDGED if not opcode.startswith("v")} == set()


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("redux.sync.add.min.s32 r0, r1, -1;", "only one of .add and .min can be meant"),
        ("add.rn.rz.f32 f0, f1, f2;", "only one of .rn and .rz can be meant"),
        ("fma.f32 f0, f1, f2, f3;", "it lacks .rm or .rn or .rp or .rz"),
        ("add.relu.f32 f0, f1, f2;", ".relu is not part of it"),
        ("mul.u32.lo r0, r1, r2;", "it lacks .lo right after mul"),
        ("mbarrier.shared.init.b64 [q0], r0;", "it lacks .init right after mbarrier"),
        ("ld.global.v2.f32 f0, [q0];", "it moves 2 elements, and 1 are named"),
        ("add.u32 r0, r1, f2;", "f2 is of type .f32, and .u32 is needed"),
        ("add.f32 f0, f1, 1;", "1 is not a number of type .f32"),
        ("add.u32 r0, r1, r2, r3;", "it has 4 operands instead of 3"),
        ("add.u32 r0, r1, %tid.x;", "is a special register, which mov and cvt"),
        ("add.u32 r0, r1, !r2;", "r2 is negated, and no predicate here"),
        ("ld.global.u32 r0, [s];", "s is in .shared, and the address is one of .global"),
        ("ld.global.u32 r0, q0;", "no address in brackets"),
        ("st.relaxed.u32 [q0], r0;", "it lacks .cluster or .cta or .gpu or .sys"),
        ("ld.param.u64;", "operands instead of"),
    ],
)
def test_a_refusal_names_the_part(statement, why):
    with Judge() as judge:
        assert statement in refused_by_ptxas(judge, [statement])
    assert why in refused_by_simulator([statement])[statement]
