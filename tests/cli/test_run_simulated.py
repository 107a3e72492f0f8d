"""`jitstudio run --device sim`: a launch on any machine, with what each line did."""

import json

import numpy as np
import pytest

from tests.support import ROOT, SAMPLES

pytestmark = pytest.mark.usefixtures("shared_cache")

DATA = ROOT / "tests" / "data"

VECTOR_ADD = (
    *("run", SAMPLES / "vector_add.cu", "--device", "sim", "--cover", "n"),
    *("--arg", "a=n:random(1)", "--arg", "b=n:random(2)", "--arg", "sum=n:zeros:out"),
)
TRANSPOSE = (
    *("run", DATA / "simulator/transpose.cu", "--device", "sim", "--grid", "4,4", "--json"),
    *("--block", "32,32", "--arg", "n=128", "--arg", "out=n*n:out", "--arg", "in=n*n:random"),
)
REDUCE = (
    *("run", DATA / "simulator/races.cu", "--device", "sim", "--grid", 8, "--block", 256),
    *("--arg", "out=8:out", "--arg", "in=2048:random"),
)


def test_a_launch_is_checked_saved_and_counted(run, tmp_path):
    ran = run(
        *(*VECTOR_ADD, "--arg", "n=1000", "--expect", "sum = a + b"),
        *("--json", "--save", tmp_path / "out"),
    )
    assert ran.code == 0, ran.err
    told = ran.json
    assert (told["device"], told["timing"], told["bandwidth"]) == ("Simulator (no GPU)", None, None)
    assert told["checks"][0]["count"] == 1000
    assert told["buffers"][2]["unwritten"] == 0
    assert np.load(tmp_path / "out" / "sum.npy").shape == (1000,)
    simulation = told["simulation"]
    assert (simulation["exact"], simulation["blocks"], simulation["races"]) == (True, 4, [])
    lines = [line for line in simulation["lines"] if line["requests"]]
    # 1,000 threads are 31 whole warps and one of 8.
    assert [(line["requests"], line["sectors"]) for line in lines] == [(32, 125)] * 3
    assert {line["bytes_used"] for line in lines} == {4000}
    assert {line["line"] for line in lines} == {9}


def test_a_part_of_a_buffer_is_checked(run):
    rule = ("--expect", "sum[1:-1] = a[i] + b[i]", "--expect", "sum[::2] = a[i] - b[i]")
    ran = run(*VECTOR_ADD, "--arg", "n=1000", *rule, "--json")
    assert ran.code == 5, ran.err
    inner, even = ran.json["checks"]
    assert (inner["ok"], inner["count"], inner["part"], inner["left_out"]) == (
        True,
        998,
        "[1:-1]",
        2,
    )
    assert (even["ok"], even["count"], even["left_out"]) == (False, 500, 500)
    assert [mismatch["index"] for mismatch in even["mismatches"][:3]] == [[0], [2], [4]]


def test_the_terminal_says_so_too(run):
    ran = run(*VECTOR_ADD, "--arg", "n=1000", "--expect", "sum = a - b", "--blocks", 2)
    assert ran.code == 0, ran.err
    assert "instructions in 2 of 4 blocks, exact" in ran.out
    assert "2 of 4 blocks were simulated" in ran.err
    assert "ms of simulation" in ran.err
    rows = [line.split() for line in ran.out.splitlines()]
    (row,) = (row for row in rows if row[:1] == ["vector_add.cu:9"])
    assert row[:3] == ["vector_add.cu:9", "16", "32"]
    assert row[-5:] == ["48", "192", "4", "48", "100%"]
    assert "check" not in ran.out


def test_a_failed_check_and_a_write_out_of_bounds_decide_the_status(run):
    assert run(*VECTOR_ADD, "--arg", "n=100", "--expect", "sum = a - b").code == 5
    beyond = [word if word != "sum=n:zeros:out" else "sum=90:zeros:out" for word in VECTOR_ADD]
    ran = run(*beyond, "--arg", "n=100", "--json")
    assert (ran.code, ran.json["outcome"]) == (5, "wrong")
    (fault,) = ran.json["simulation"]["faults"]
    assert (fault["kind"], fault["first"]["line"]) == ("out of bounds", 9)
    assert fault["first"]["thread"] == [90, 0, 0]
    assert "end of sum (360 bytes)" in fault["message"]


@pytest.mark.parametrize(("kernel", "conflicts"), [("tiled", 16 * 32 * 31), ("padded", 0)])
def test_bank_conflicts_of_a_transposition(run, kernel, conflicts):
    ran = run(*TRANSPOSE, "--kernel", kernel, "--expect", "out = in.reshape(128, 128).T")
    assert ran.code == 0, ran.err
    lines = ran.json["simulation"]["lines"]
    assert sum(line["bank_conflicts"] for line in lines) == conflicts
    assert sum(line["sectors"] for line in lines) == 2 * 4 * 16 * 32
    assert sum(line["sector_requests"] for line in lines) == 2 * 16 * 32
    found = [(one["rule"], one["line"]) for one in ran.json["simulation"]["findings"]]
    assert found == ([("banks", 9)] if conflicts else [])


def test_a_missing_barrier_is_told_with_both_lines_and_none_once_it_is_there(run):
    ran = run(*REDUCE, "--kernel", "broken", "--json")
    assert (ran.code, ran.json["outcome"]) == (5, "wrong")
    (race,) = ran.json["simulation"]["races"]
    assert (race["kind"], race["space"]) == ("read after write", "shared")
    assert (race["first"]["line"], race["second"]["line"]) == (9, 9)
    assert race["first"]["thread"] != race["second"]["thread"]
    (error,) = [d for d in ran.json["diagnostics"] if d["severity"] == "error"]
    assert (error["line"], "__syncthreads()" in error["explanation"]) == (9, True)
    mended = run(*REDUCE, "--kernel", "mended", "--expect", "out = in.reshape(8, 256).sum(axis=1)")
    assert mended.code == 0, mended.err


LATE = """extern "C" __global__ void late(int* o, unsigned long long* h, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { o[i] = i - (i > 200000); h[i] = (1ull << 63) + i - (i == 7); } }
"""


def test_an_index_that_is_one_too_low_fails_in_a_run_a_budget_and_a_sweep(run, tmp_path):
    (tmp_path / "late.cu").write_text(LATE)
    launch = ("--cover=n", "--arg=n=300000", "--arg=o=n:out", "--arg=h=n:out")
    checks = ("--expect=o = i", "--expect=h = uint64(1 << 63) + i.astype(uint64)")
    words = ("late.cu", "--device=sim", *launch, *checks)
    ended = run("run", *words, "--json")
    late, high = json.loads(ended.out)["checks"]
    assert (ended.code, late["wrong"], high["wrong"]) == (5, 99_999, 1)
    first = {"index": [200_001], "got": "200000", "expected": "200001"}
    assert late["mismatches"][0] == first
    assert high["mismatches"] == [{"index": [7], "got": str(2**63 + 6), "expected": str(2**63 + 7)}]
    # Tolerances of floats say nothing of integers; their own does.
    assert run("run", *words, "--rtol=1", "--atol=10").code == 5
    assert run("run", *words, "--itol=1").code == 0
    swept = json.loads(
        run("sweep", "late.cu", "--devices=sim", *launch, *checks, "--axis=block=64", "--json").out
    )
    assert [row["check"] for row in swept["variants"]] == [False]
    arguments = 'arg = { n = "300000", o = "n:out", h = "n:out" }'
    budget = '[[budget]]\nname = "b"\nsources = ["late.cu"]\nrequire = ["failed_checks == 0"]\n'
    launch = f'[budget.launch]\ndevice = "sim"\ncover = "n"\n{arguments}\nexpect = ["o = i"]\n'
    (tmp_path / "B.toml").write_text(budget + launch)
    ended = run("check", "B.toml")
    assert ended.code == 5
    assert "element 200001: it is 200000 and should be 200001" in ended.err


SUMS = """extern "C" __global__ void sums(float* sum, const float* x, float* y, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] += x[i];
  if (i < n - 1) y[i] = 0; }
"""


def summed(run, tmp_path, fill, *more):
    (tmp_path / "sums.cu").write_text(SUMS)
    words = ("--device=sim", "--cover=n", "--block=32", "--arg=n=64", f"--arg=sum={fill}")
    ended = run("run", "sums.cu", *words, "--arg=x=n", "--arg=y=n:out", "--json", *more)
    return ended.code, json.loads(ended.out)


@pytest.mark.parametrize("fill", ["n:unfilled", "n:unfilled:in", "n:unfilled:inout"])
def test_reading_a_buffer_that_is_left_unfilled_is_told_with_its_line(run, tmp_path, fill):
    code, made = summed(run, tmp_path, fill)
    (fault,) = [each for each in made["diagnostics"] if each["severity"] == "error"]
    assert (code, fault["line"]) == (5, 3)
    assert "global memory" in fault["message"]
    assert [fault["kind"] for fault in made["simulation"]["faults"]] == ["never written"]
    code, made = summed(run, tmp_path, "n:zeros")
    assert (code, made["outcome"]) == (0, "ran")


def test_no_check_passes_by_what_was_never_written_or_never_filled(run, tmp_path):
    code, made = summed(run, tmp_path, "n:zeros", "--expect=y = 0", "--expect=sum = x")
    never, right = made["checks"]
    assert (code, never["wrong"], right["wrong"]) == (5, 1, 0)
    assert never["mismatches"] == [{"index": [63], "got": "nan", "expected": "0.0"}]
    code, made = summed(run, tmp_path, "n:unfilled", "--expect=y = sum")
    assert (code, made["checks"][0]["ok"]) == (5, False)
    assert made["checks"][0]["problem"] == "sum is left unfilled: nobody knows what it holds."


GRID = """#include <cooperative_groups.h>
extern "C" __global__ void turn(float* a, float* b, int n)
{
    auto grid = cooperative_groups::this_grid();
    int i = grid.thread_rank();
    if (i < n) a[i] = i;
    grid.sync();
    if (i < n) b[i] = a[n - 1 - i];
}
"""


def test_a_barrier_of_the_grid_is_told_with_the_line_of_the_user_and_what_it_needs(run, tmp_path):
    (tmp_path / "turn.cu").write_text(GRID)
    launch = ("turn.cu", "--device=sim", "--grid=4", "--block=64", "--arg=n=256", "--arg=a=n:zeros")
    words = ("run", *launch, "--arg=b=n:out", "--expect=b = n - 1 - i", "--json")
    ended = run(*words)
    warning, error = json.loads(ended.out)["diagnostics"]
    assert (ended.code, warning["severity"], error["severity"]) == (1, "warning", "error")
    assert "grid.sync() needs" in warning["message"]
    assert (error["file"].endswith("turn.cu"), error["line"]) == (True, 7)
    assert "grid.sync() needs a cooperative launch (--cooperative" in error["message"]
    assert "cooperative_groups.h" not in error["message"]
    # One step does it.
    ended = run(*words, "--cooperative")
    assert (ended.code, json.loads(ended.out)["diagnostics"]) == (0, [])


def test_shared_memory_above_48_kib_runs_and_says_what_the_host_does(run, tmp_path):
    (tmp_path / "turn.cu").write_text(
        'extern "C" __global__ void turn(float* out)\n{ extern __shared__ float s[];'
        " s[threadIdx.x] = threadIdx.x; __syncthreads(); out[threadIdx.x] = s[255 - threadIdx.x]; }"
    )
    words = ("run", "turn.cu", "--device=sim", "--grid=1", "--arg=out=256:out", "--json")
    for shared, told in ((49_152, []), (98_304, ["info"])):
        ended = run(*words, "--block=256", "--arch=sm_90", f"--shared={shared}")
        found = json.loads(ended.out)["diagnostics"]
        assert (ended.code, [each["severity"] for each in found]) == (0, told)
    assert "cudaFuncAttributeMaxDynamicSharedMemorySize, 98304" in found[0]["explanation"]


MAD = """extern "C" __global__ void mad(const float* a, const float* b, float* y, int* o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = a[i] * b[i] + a[i];
    o[i] = i + SHIFT;
}
"""


def compared(run, tmp_path, *more):
    (tmp_path / "mad.cu").write_text(MAD)
    words = ("--device=sim", "--cover=n", "--block=64", "--rtol=0", "--atol=0", "--arg=n=256")
    arrays = ("--arg=a=n:random(1)", "--arg=b=n:random(2)", "--arg=y=n:out", "--arg=o=n:out")
    ended = run("run", "mad.cu", *words, *arrays, "--option=-DSHIFT=1", *more, "--json")
    return ended.code, json.loads(ended.out)


def test_two_builds_are_compared_with_the_first_difference_and_its_line(run, tmp_path):
    code, made = compared(run, tmp_path, "--compare-option=--fmad=false")
    found = made["comparison"]
    y, o = found["buffers"]
    assert (code, made["outcome"], found["outcome"], o["wrong"]) == (5, "wrong", "ran", 0)
    rng = [np.random.default_rng(seed).random(256, np.float32) for seed in (1, 2)]
    exact = rng[0].astype(np.float64) * rng[1] + rng[0]
    once, twice = exact.astype(np.float32), rng[0] * rng[1] + rng[0]
    (differ,) = np.nonzero(once != twice)
    assert y["wrong"] == len(differ) > 0
    first = {"index": [int(differ[0])], "got": str(once[differ[0]])}
    assert y["mismatches"][0] == first | {"expected": str(twice[differ[0]])}
    (error,) = made["diagnostics"]
    assert error["line"] == 5
    assert f"y[{differ[0]}] is {once[differ[0]]!s} (this build)" in error["message"]
    assert made["buffers"][2]["written_by"] == [{"file": error["file"], "line": 5}]
    # The tolerance of floats is that of the launch.
    assert compared(run, tmp_path, "--compare-option=--fmad=false", "--rtol=1e-5")[0] == 0


def test_integers_that_differ_are_no_matter_of_contraction(run, tmp_path):
    code, made = compared(run, tmp_path, "--compare-option=-DOTHER=1", "--option=-USHIFT")
    assert (code, made["outcome"]) == (1, "failed")
    source = MAD.replace("SHIFT", "SHIFT + EXTRA").replace("extern", "#ifndef EXTRA\n"
        "#define EXTRA 0\n#endif\nextern")  # fmt: skip
    (tmp_path / "other.cu").write_text(source)
    words = ("--device=sim", "--cover=n", "--block=64", "--arg=n=256", "--option=-DSHIFT=1")
    arrays = ("--arg=a=n:random(1)", "--arg=b=n:random(2)", "--arg=y=n:out", "--arg=o=n:out")
    ended = run(
        "run", "other.cu", *words, *arrays, "--compare-option=-DEXTRA=1", "--rtol=9", "--json"
    )
    made = json.loads(ended.out)
    assert (ended.code, made["comparison"]["differs_without_fma"]) == (5, None)
    y, o = made["comparison"]["buffers"]
    assert (y["wrong"], o["wrong"], o["mismatches"][0]["expected"]) == (0, 256, "2")


def test_a_wrong_result_that_is_due_to_contraction_is_built_without_and_says_so(run, tmp_path):
    words = ("--compare-option=-DOTHER=1", "--expect=y = a * b + a")
    code, made = compared(run, tmp_path, *words)
    assert (code, made["comparison"]["differs_without_fma"]) == (5, False)
    assert made["diagnostics"][-1]["message"] == (
        "With --fmad=false nothing differs: the difference is due to contraction."
    )
    code, made = compared(run, tmp_path, words[0], "--expect=y = a * b + a + i // 255")
    assert (code, made["comparison"]["differs_without_fma"]) == (5, True)
    assert "Contraction is not all of it" in made["diagnostics"][-1]["message"]
    code, made = compared(run, tmp_path, words[0])
    assert (code, made["comparison"]["differs_without_fma"]) == (0, None)
    assert made["diagnostics"][-1]["message"].endswith("agree in 'y', 'o'.")


def test_nothing_is_said_to_agree_of_which_nothing_was_compared(run, tmp_path):
    code, made = compared(run, tmp_path, "--compare-option=-DOTHER=1", "--blocks=1")
    messages = [each["message"] for each in made["diagnostics"]]
    assert (code, made["comparison"]["buffers"]) == (0, [])
    assert any(words.startswith("Nothing was compared with") for words in messages)


def test_complex_buffers_are_filled_and_checked(run, tmp_path):
    (tmp_path / "twice.cu").write_text(
        "#include <cuda/std/complex>\nusing namespace cuda::std;\n"
        "template <typename T> __global__ void twice(T* a, const T* b)\n"
        "{ int i = threadIdx.x; a[i] = a[i] * b[i]; }\n"
    )
    words = ("run", "twice.cu", "--kernel", "twice<complex<double>>", "--device=sim", "--grid=1")
    fills = ("--block=32", "--arg=a=32:constant(1+2j):inout", "--arg=b=32:expr(i - 1j)")
    ended = run(*words, *fills, "--expect=a = a * b", "--expect=a = 2 + i + (2 * i - 1) * 1j")
    assert ended.code == 0, ended.out + ended.err
    ended = run(*words, *fills, "--expect=a = a * b + 1e-3j", "--json")
    (check,) = json.loads(ended.out)["checks"]
    assert (ended.code, check["wrong"], check["count"]) == (5, 32, 32)
    assert check["mismatches"][0] == {"index": [0], "got": "(2-1j)", "expected": "(2-0.999j)"}


def test_orders_by_other_seeds_are_compared(run, tmp_path):
    right = (
        *("run", DATA / "simulator/races.cu", "--device", "sim", "--kernel", "histogram"),
        *("--grid", 4, "--block", 64, "--arg", "bins=64", "--arg", "in=n:range", "--arg", "n=1000"),
    )
    ran = run(*right, "--seed", 3, "--seeds", 4, "--sanitize", "racecheck", "--json")
    assert ran.code == 0, ran.err
    told = ran.json["simulation"]
    assert (told["seed"], told["compared_seeds"], told["differences"]) == (3, [4, 5, 6], [])
    agree, ignored = [d["message"] for d in ran.json["diagnostics"]]
    assert "All buffers are the same in 4 orders, of seeds 3 to 6." in agree
    assert "in the simulator: compute-sanitizer." in ignored

    ran = run(*REDUCE, "--kernel", "broken", "--seeds", 8, "--json")
    told = ran.json["simulation"]
    assert (ran.code, told["seed"], len(told["compared_seeds"])) == (5, 0, 7)
    (difference,) = told["differences"]
    assert (difference["buffer"], difference["element"]) == ("out", 0)
    assert set(difference["seeds"]) <= set(told["compared_seeds"])
    # What the sentence says of the element is what runs with these seeds give.
    for seed in (0, difference["seeds"][0]):
        one = run(*REDUCE, "--kernel", "broken", "--seed", seed, "--save", tmp_path / str(seed))
        assert str(np.load(tmp_path / str(seed) / "out.npy")[0]) in difference["message"]
        assert (f", seed {seed}" in one.out) is bool(seed)


def test_an_order_that_does_not_end_well_is_a_fault(run, tmp_path):
    lucky = tmp_path / "lucky.cu"
    lucky.write_text(
        'extern "C" __global__ void lucky(int* first) {\n'
        "    if (atomicAdd(first, 1) == 0 && blockIdx.x != 0) __trap();\n}\n"
    )
    words = ("run", lucky, "--device", "sim", "--grid", 8, "--block", 1, "--arg", "first=1:zeros")
    ran = run(*words, "--seeds", 8, "--json")
    assert (ran.code, ran.json["outcome"]) == (5, "wrong")
    assert ran.json["simulation"]["differences"] == []
    (told,) = ran.json["simulation"]["faults"]
    assert (told["kind"], told["fatal"], told["first"]["line"]) == ("trap", True, 2)
    words_of_seeds = f"With seed{'s' if len(told['seeds']) > 1 else ''} {told['seeds'][0]}"
    assert told["message"].startswith(words_of_seeds)
    assert "the run does not end well: Thread" in told["message"]
    messages = [d["message"] for d in ran.json["diagnostics"]]
    assert told["message"] in messages
    assert not any("8 orders" in message for message in messages)
    # Alone, those seeds fail and all others do not.
    for seed in range(8):
        one = run(*words, "--seed", seed, "--json")
        assert one.code == (1 if seed in told["seeds"] else 0)
        if seed == told["seeds"][0]:
            (error,) = (d["message"] for d in one.json["diagnostics"] if d["severity"] == "error")
            assert told["message"].endswith(error)


def test_faults_and_races_of_further_orders_only_are_told_with_their_seeds(run, tmp_path):
    hidden = tmp_path / "hidden.cu"
    hidden.write_text(
        'extern "C" __global__ void hidden(int* count, int* out) {\n'
        "    __shared__ int held[1];\n"
        "    int turn = atomicAdd(count, 1);\n"
        "    if (blockIdx.x == 0 || turn != 0) return;\n"
        "    if (out[0]) held[0] = 1;\n"
        "    if (*(volatile int*)held == 7) out[1] = 1;\n"
        "    count[1] = atomicAdd(out + 2, 0);\n}\n"
        'extern "C" __global__ void late(int* count, int* out) {\n'
        "    if (atomicAdd(count, 1) == blockIdx.x) return;\n"
        "    atomicAdd(out, 1);\n"
        "    out[1] = blockIdx.x;\n}\n"
    )
    words = ("run", hidden, "--device", "sim", "--grid", 4, "--block", 1, "--json")
    words += ("--arg", "count=2:zeros", "--arg", "out=3:zeros", "--kernel")
    for kernel, kind, found in (("hidden", "faults", "never written"), ("late", "races", "write")):
        assert run(*words, kernel).code == 0
        ran = run(*words, kernel, "--seeds", 6)
        assert (ran.code, ran.json["outcome"]) == (5, "wrong")
        (told,) = ran.json["simulation"][kind]
        assert found in told["kind"]
        (error,) = (d for d in ran.json["diagnostics"] if d["severity"] == "error")
        assert "some orders" in error["explanation"]
        # A run with such a seed says the same, and no other one does.
        for seed in range(6):
            (one, *_) = (*run(*words, kernel, "--seed", seed).json["simulation"][kind], None)
            assert (one is not None) is (seed in told["seeds"])
            if seed == told["seeds"][0]:
                assert error["message"].startswith(told["message"].rstrip("."))
                assert told["message"].endswith(f": {one['message']}")
                assert one["seeds"] == []


RIGHT = {
    "last_block": ("--grid 6 --block 256", "out=1:out partial=6:out in=6*256:random", "in.sum()"),
    "histogram": (
        "--grid 4 --block 64",
        "bins=64 in=n:random n=1000",
        "bincount(in & 63, minlength=64)",
    ),
    "warp_sum": ("--grid 1 --block 64", "out=1:out in=128:random", "in.sum()"),
    "scan": (
        "--grid 5 --block 128",
        "out=640:out in=640:random flag=5 sums=5",
        "cumsum(in)",
    ),
}


@pytest.mark.parametrize("kernel", RIGHT)
def test_what_fences_atomics_and_warp_barriers_order_is_no_race(run, kernel):
    size, arguments, expected = RIGHT[kernel]
    given = [word for text in arguments.split() for word in ("--arg", text)]
    buffer = arguments.partition("=")[0]
    ran = run(
        *("run", DATA / "simulator/races.cu", "--device", "sim", "--kernel", kernel, "--json"),
        *(*size.split(), *given, "--expect", f"{buffer} = {expected}"),
    )
    assert (ran.code, ran.json["simulation"]["races"]) == (0, []), ran.json["diagnostics"]


def test_a_sweep_has_counts_in_the_place_of_times(run):
    words = ["sweep" if word == "run" else word for word in TRANSPOSE if word != "--json"]
    words[words.index("--device")] = "--devices"
    at = words.index("--block")
    ran = run(
        *(*words[:at], "--axis", "block=32,32;32,16"),
        *(*words[at + 2 :], "--kernel", "naive", "--json"),
    )
    assert ran.code == 0, ran.err
    told = ran.json
    assert told["ok"]
    assert [row["message"] for row in told["variants"]] == [None, None]
    rows = [(row["median_ms"], row["sectors"], row["bank_conflicts"]) for row in told["variants"]]
    assert rows == [(None, 16 * 32 * (4 + 32), 0), (None, 16 * 16 * (4 + 32), 0)]


def test_modules_linked_by_ptx_run_as_one(run):
    modules = (SAMPLES / "scale.ptx", SAMPLES / "multiply.ptx")
    ran = run(
        *("run", *modules, "--link", "--device", "sim", "--cover", "n", "--arg", "n=100"),
        *("--arg", "data=float[n]:random(1):inout", "--arg", "factor=3"),
        *("--expect", "data = data * factor"),
    )
    assert ran.code == 0, ran.err


def test_what_cannot_be_simulated_is_refused_in_words(run, tmp_path):
    hopeless = tmp_path / "k.ptx"
    hopeless.write_text(
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry k() { .reg .pred %p; L: bar.sync 0; bra L; }\n"
    )
    ran = run("run", hopeless, "--device", "sim", "--grid", 1, "--timeout", 1)
    assert ran.code == 4, ran.err
    assert "limit" in ran.err


COPY = """\
extern "C" __global__ void copy(cudaTextureObject_t from, cudaSurfaceObject_t to, int w, int h) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= h) return;
    surf2Dwrite(tex2D<uchar4>(from, x + 0.5f, y + 0.5f), to, x * 4, y);
}
"""


def test_a_texture_from_a_file_comes_back_in_a_surface(run, tmp_path):
    photo = np.random.default_rng(1).integers(0, 256, (24, 48, 4), np.uint8)
    np.save(tmp_path / "photo.npy", photo)
    (tmp_path / "copy.cu").write_text(COPY)
    words = (
        *("run", tmp_path / "copy.cu", "--device", "sim", "--json", "--block", "16,8"),
        *("--arg", f"from=uchar4[w,h]:file({tmp_path / 'photo.npy'}):clamp", "--arg", "h=24"),
        *("--arg", "to=uchar4[48,h]:zeros:out", "--cover", "w,h", "--save", tmp_path / "out"),
    )
    ran = run(*words, "--arg", "w=48", "--expect", "to = from")
    assert ran.code == 0, ran.err
    told = ran.json
    assert [buffer["shape"] for buffer in told["buffers"]] == [[48, 24], [48, 24]]
    assert told["buffers"][1]["unwritten"] == 0
    assert (np.load(tmp_path / "out" / "to.npy") == photo.reshape(-1, 4)).all()
    lines = [line for line in told["simulation"]["lines"] if line["requests"]]
    # 9 blocks of 4 warps read and write once.
    assert [(line["requests"], line["sectors"]) for line in lines] == [(36, 0)] * 2
    assert told["simulation"]["exact"]
    # With 16 more threads in a row the last ones write beyond the surface.
    refused = run(*words, "--arg", "w=64")
    assert refused.json["outcome"] == "refused"
    for figure in ("4,608 numbers", "1,536 elements of uchar4"):
        assert figure in str(refused.json)
    np.save(tmp_path / "photo.npy", np.zeros((24, 64, 4), np.uint8))
    ran = run(*words, "--arg", "w=64")
    assert (ran.code, ran.json["outcome"]) == (5, "wrong")
    (fault,) = ran.json["simulation"]["faults"]
    assert fault["kind"] == "out of bounds"
    assert "surface 'to' (48 x 24 texels of uchar4)" in fault["message"]


def test_two_comparisons_at_once_are_refused(run, tmp_path):
    (tmp_path / "mad.cu").write_text(MAD)
    ended = run("run", "mad.cu", "--device=sim", "--both", "--compare-option=--fmad=false")
    assert ended.code == 2
    assert "--both and --compare-option are two comparisons: give one of them." in ended.err


def saved_project(folder, **launch):
    """Writes a project with `vector_add` and the launch of it; returns its path."""
    launch = {
        "kernel": "vector_add",
        "arguments": {"a": "n", "b": "n", "sum": "n", "n": "64"},
        "cover": "n",
    } | launch
    (folder / "vector_add.cu").write_text((SAMPLES / "vector_add.cu").read_text())
    module = {"name": "vector_add.cu", "kind": "cuda", "path": "vector_add.cu", "included": True}
    path = folder / "add.jitproj"
    path.write_text(json.dumps({"version": 1, "modules": [module], "launches": [launch]}))
    return path


def limits_told(ran):
    messages = (each["message"] for each in ran.json["diagnostics"])
    return [message for message in messages if "time limit" in message]


def test_a_project_has_no_longer_time_limit_than_there_is_without_it(run, tmp_path):
    path = saved_project(tmp_path, timeout=600)
    (told,) = limits_told(run("run", path, "--device=sim", "--json"))
    assert told == (
        "The launch asks for 600 s and has 30 s: a project or budget sets no longer time limit "
        "than its caller."
    )
    assert limits_told(run("run", path, "--device=sim", "--timeout=700", "--json")) == []
    shorter = saved_project(tmp_path, timeout=20)
    assert limits_told(run("run", shorter, "--device=sim", "--json")) == []
    swept = run("sweep", saved_project(tmp_path, timeout=600), "--axis=block=64", "--devices=sim")
    assert "The launch asks for 600 s and has 30 s" in swept.err


def test_a_comparison_that_is_asked_for_goes_before_that_of_a_project(run, tmp_path):
    path = saved_project(tmp_path, both=True)
    ran = run("run", path, "--device=sim", "--compare-option=--fmad=false", "--json")
    assert ran.json["comparison"]["with"] == "that built with --fmad=false"
    (told,) = (
        d for d in ran.json["diagnostics"] if "compares a GPU and the simulator" in d["message"]
    )
    assert told["severity"] == "info"
    assert told["message"].endswith("this build and the other one run on the same device.")


MERGED = """\
extern "C" __global__ void merged(const float* in, float* out) {
  __shared__ float s[1024];
  for (int i = threadIdx.x; i < 1024; i += 32)
    s[i] = in[i];
  __syncthreads();
  float v = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    v += s[threadIdx.x * 32 + i];
  out[threadIdx.x] = v;
}
extern "C" __global__ void rows(const float* in, float* out) {
  __shared__ float s[1024];
  for (int i = threadIdx.x; i < 1024; i += 32)
    s[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x * 32];
}
"""


@pytest.mark.parametrize(
    ("kernel", "line", "words"),
    [("merged", 9, ".128)"), ("rows", 17, "[32 + 1] instead of [32], it takes 1 instead")],
)
def test_what_is_advised_is_for_the_machine_code(run, tmp_path, kernel, line, words):
    (tmp_path / "k.cu").write_text(MERGED)
    launch = ("run", tmp_path / "k.cu", "--device=sim", "--kernel", kernel, "--block=32")
    arguments = ("--grid=1", "--arg=in=1024:random", "--arg=out=32:out", "--json")
    ran = run(*launch, *arguments)
    (found,) = (f for f in ran.json["simulation"]["findings"] if f["rule"] == "banks")
    assert found["line"] == line
    assert words in found["remedy"]
    assert "assumes" not in found["remedy"]
