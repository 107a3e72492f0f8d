"""`jitstudio passes` and `jitstudio.passes`."""

import pytest

import jitstudio
from tests.answer_claims import broken_claims
from tests.schemas import violations
from tests.support import SAMPLES

pytestmark = [pytest.mark.tools, pytest.mark.slow]
LOOP = """extern "C" __global__ void scale(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += x[i * 4 + k] * a;
    if (i < n) y[i] = sum;
}
"""


@pytest.fixture
def loop(tmp_path):
    path = tmp_path / "loop.cu"
    path.write_text(LOOP)
    return path


def test_the_object_of_a_film(run, loop):
    ran = run("passes", loop, "--arch", "sm_90", "--json")
    assert ran.code == 0
    assert violations("passes", ran.json) == broken_claims(ran.words, ran.json) == []
    (film,) = ran.json["films"]
    unrolling = next(s for s in film["steps"] if "Unroll loops" in s["title"])
    assert unrolling["ptx"].count("ld.global.f32") == 4
    assert film["ptx"].count("ld.global.f32") == 1
    fused = next(line for line in film["lines"] if line["text"].startswith("fma.rn"))
    assert film["passes"][fused["first"] - 1]["name"].endswith("Pattern Instruction Selection")
    assert fused["source_line"] == 5
    assert any(r["line"] == 5 and "unrolled" in r["message"] for r in film["remarks"])


def test_a_table_and_remarks_are_printed(run, loop):
    ran = run("passes", loop, "--arch", "sm_90")
    rows = [line for line in ran.out.splitlines() if " Unroll loops on loop" in line]
    assert len(rows) == 1
    assert rows[0].split()[-1].startswith("+")
    assert "loop.cu:5:5: info: completely unrolled loop with 4 iterations" in ran.out
    assert "change the PTX" in ran.err


def test_one_pass_is_shown_as_a_diff(run, loop):
    # Of newer targets there are few passes, so that this is quick.
    shown = run("passes", loop, "--arch", "sm_100", "--diff").out
    assert shown.count("--- before ") == shown.count("+++ after ") >= 2
    number = shown.removeprefix("--- before ").split()[0]
    one = run("passes", loop, "--arch", "sm_100", "--pass", number).out
    assert shown.startswith(one)
    assert "changes nothing" in run("passes", loop, "--arch", "sm_100", "--pass", 1).out


def test_a_pass_beyond_the_last_is_said(run, loop):
    ran = run("passes", loop, "--arch", "sm_100", "--pass", 5000)
    assert (ran.code, "There is no pass 5,000: " in ran.err) == (2, True)


def test_each_instruction_has_its_pass(run, loop):
    lines = run("passes", loop, "--arch", "sm_100", "--lines").out.splitlines()
    loads = [line for line in lines if "ld.global" in line]
    assert len(loads) == 4
    assert all("loop.cu:5" in line for line in loads)
    assert any(" on function (scale)" in line for line in lines)


def test_a_kernel_alone(run, loop):
    two = LOOP + LOOP.replace("scale", "other").replace("k < 4", "k < n")
    loop.write_text(two)
    film = run("passes", loop, "--arch", "sm_100", "--kernel", "scale", "--json").json["films"][0]
    assert film["steps"]
    assert all(step["title"].endswith("(scale)") for step in film["steps"])
    assert all(".entry other" not in step["ptx"] for step in film["steps"])
    missing = run("passes", loop, "--arch", "sm_100", "--kernel", "third")
    assert (missing.code, "no kernel or function 'third'" in missing.err) == (2, True)


def test_what_has_no_passes_is_said(run):
    ran = run("passes", SAMPLES / "multiply.ptx")
    assert ran.code != 0
    assert "is PTX already" in ran.err
    broken = run("passes", SAMPLES / "broken.cu", "--json")
    assert (broken.code, broken.json["ok"], broken.json["films"]) == (1, False, [])
    assert any(d["severity"] == "error" for d in broken.json["diagnostics"])


def test_python_gets_the_same(loop):
    report = jitstudio.passes(LOOP, name="loop.cu", arch="sm_100")
    assert report.ok
    assert " on function (scale)" in str(report)
    assert violations("passes", report.to_dict()) == []


CALLED = """template <int N> __device__ __noinline__ float dot(const float *a) {
    float sum = 0;
    for (int i = 0; i < N; ++i) sum += a[i];
    return sum;
}
__global__ void norm(const float *a, float *b) { *b = dot<4>(a); }
"""


def test_a_function_is_named_as_in_c(run, loop):
    loop.write_text(CALLED)
    by_title, lowered = (
        run("passes", loop, "--arch", "sm_90", "--kernel", name, "--json").json["films"]
        for name in ("dot<4>", "_Z3dotILi4EEfPKf")
    )
    assert by_title == lowered
    titles = {step["title"] for step in by_title[0]["steps"]}
    assert any(
        title.endswith(" Promote Memory to Register on function (dot<4>)") for title in titles
    )
    missing = run("passes", loop, "--arch", "sm_90", "--kernel", "third")
    assert "no kernel or function 'third'. There are: norm, dot<4>." in missing.err


def test_a_pass_that_one_module_has_is_shown(run, loop, tmp_path):
    small = tmp_path / "small.cu"
    small.write_text('extern "C" __global__ void small(int *p) { *p = 3; }')
    counts = {
        film["name"]: len(film["passes"])
        for film in run("passes", loop, small, "--arch", "sm_90", "--json").json["films"]
    }
    number = max(counts.values())
    ran = run("passes", loop, small, "--arch", "sm_90", "--pass", number)
    assert ran.code == 0, ran.err
    assert f"There is no pass {number}: " in ran.out
    assert f"Pass {number} (" in ran.out
    ran = run("passes", loop, small, "--arch", "sm_90", "--pass", number + 1)
    assert (ran.code, ran.err.count(" passes")) == (2, 2)
