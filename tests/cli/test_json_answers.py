"""Answers of real commands bear out the descriptions of the schemas."""

import pytest

from tests.answer_claims import ASKED_FOR, CLAIMS, broken_claims, objects
from tests.schemas import NAMES, fields, schema_of
from tests.support import KERNEL, ROOT, SAMPLES

BUDGETS = """\
[[budget]]
sources = ["k.cu"]
require = ["registers <= 10"]
"""
VECTOR_ADD = (
    *("run", SAMPLES / "vector_add.cu", "--device", "sim", "--cover", "n", "--arg", "n=100"),
    *("--arg", "a=n:random(1)", "--arg", "b=n:random(2)", "--arg", "sum=n:zeros:out", "--json"),
)
RACES = (
    *("run", ROOT / "tests/data/simulator/races.cu", "--kernel", "broken", "--device", "sim"),
    *("--grid", 8, "--block", 256, "--arg", "out=8:out", "--arg", "in=2048:random", "--json"),
)
COMMANDS = (
    ("build", "k.cu", "--emit", "ptx,cubin", "--json"),
    ("build", "k.cu", "--repeat", 2, "--json"),
    ("build", "k.cu", "--time", "--json"),
    ("build", "k.cu", "--fat", "sm_75,compute_90", "--json"),
    ("build", SAMPLES / "saxpy.cu", "--name-expression", "saxpy<float>", "--json"),
    ("inspect", "k.cu", "--json"),
    ("inspect", SAMPLES / "triton_swiglu.jitkernel", "--list", "--json"),
    (*VECTOR_ADD, "--expect", "sum = a + b"),
    (*VECTOR_ADD, "--expect", "sum[:5] = a - b", "--compare-option=--fmad=false"),
    RACES,
    ("run", SAMPLES / "broken.cu", "--device", "sim", "--grid", 1, "--json"),
    ("sweep", "k.cu", "--axis", "block=32,64", "--grid", 1, "--devices", 4711, "--json"),
    ("check", "BUDGETS.toml", "--json"),
    ("cache", "--json"),
    ("cache", "--clear", "--json"),
    ("lesson", "list", "--json"),
    ("lesson", "open", "01-line-to-machine"),
    ("lesson", "check", "01-line-to-machine", "--json"),
    ("lesson", "class", ".", "--json"),
)
CACHE = {"folder": "f", "bytes": 1, "limit_bytes": 2, "cleared_bytes": None, "problem": None}
SWEEP = {"ok": False, "axes": [], "best": None, "variants": [], "total_ms": 1.0}
# A GPU or its profiler is needed for these.
ON_A_GPU = {"common#timing", "common#facts", "capture#kernel", "run#launch.counterpart"}


@pytest.mark.tools
def test_real_answers_bear_out_what_descriptions_claim(run, tmp_path):
    (tmp_path / "k.cu").write_text(f"{KERNEL}int main() {{ return 0; }}\n")
    (tmp_path / "BUDGETS.toml").write_text(BUDGETS)
    optional = {f.place for name in NAMES for f in fields(name) if not f.is_required}
    optional = {place for place in optional if not place.startswith("project")}
    met, there, left_out = set(), set(), set()
    for words in COMMANDS:
        ran = run(*words)
        if "--json" not in words:
            assert ran.code == 0, ran.err
            continue
        for place, part in objects(schema_of(ran.words), ran.json):
            met.add(place)
            there |= {f"{place}.{key}" for key, value in part.items() if value is not None}
            left_out |= {x for x in optional if x.rpartition(".")[0] == place} - {
                f"{place}.{key}" for key in part
            }
    assert set(CLAIMS) - met == ON_A_GPU & set(CLAIMS)
    assert set(ASKED_FOR) - there == ON_A_GPU & set(ASKED_FOR)
    assert optional == there & left_out & optional


@pytest.mark.parametrize(
    ("words", "answer", "claim"),
    [
        (("cache",), CACHE | {"cleared_bytes": 3}, "cache.cleared_bytes: with --clear"),
        (("sweep",), SWEEP | {"ok": True}, "sweep: ok: a variant was timed"),
        (
            ("sweep",),
            SWEEP
            | {"variants": [{"index": 1, "values": [], "outcome": "missing", "executed": None}]},
            "sweep: ok: a variant",
        ),
    ],
)
def test_a_claim_that_an_answer_belies_is_found(words, answer, claim):
    (broken,) = broken_claims(words, answer)
    assert broken.startswith(claim)
