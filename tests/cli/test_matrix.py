import json

import pytest

from jitstudio.core.arch import Arch
from jitstudio.variants.plan import parse_targets
from tests.support import SAMPLES, refusal
from tests.wheels import OLDEST, nvrtc_of

KERNEL = 'extern "C" __global__ void f(float* y, int i) { y[i] += 1;'
SAXPY = SAMPLES / "vector_add.cu"


def test_each_target_and_option_set_is_a_line(run):
    ran = run(
        "build", SAXPY, "--compare-targets", "sm_80,sm_90", "--compare-options=",
        "--compare-options", "-maxrregcount=16",
    )  # fmt: skip
    assert ran.code == 0
    title, heading, *lines = ran.out.strip().splitlines()
    assert title.startswith("vector_add")
    assert heading.split()[:4] == ["target", "options", "link", "registers"]
    assert [line.split()[0] for line in lines] == ["sm_80", "sm_80", "sm_90", "sm_90"]
    assert lines[1].split()[1] == "-maxrregcount=16"


def test_kernels_of_one_name_in_several_modules_have_figures_of_their_own(
    run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    modules = []
    for name, more in (("one.cu", ""), ("two.cu", "y[i] *= sqrtf(y[i]);")):
        modules.append(name)
        (tmp_path / name).write_text(KERNEL + more + "}")
    told = run("build", *modules, "--compare-targets", "sm_90", "--json").json
    figures = told["variants"][0]["kernels"]
    assert list(figures) == ["f (one.cu)", "f (two.cu)"]
    few, many = (each["instructions"] for each in figures.values())
    assert 0 < few < many
    ran = run("run", *modules, "--arch", "sm_90")
    assert "Choose one of f (one.cu) and f (two.cu)." in ran.err
    assert run("inspect", *modules, "--kernel", "f (two.cu)").out.startswith("f (two.cu)  (kernel")


def test_json_has_all_figures_and_the_failures(run):
    ran = run("build", SAXPY, "--compare-targets", "sm_90,sm_20", "--json")
    assert ran.code == 1
    told = json.loads(ran.out)
    assert (told["ok"], told["threads"]) == (False, 256)
    good, bad = told["variants"]
    (figures,) = good["kernels"].values()
    assert set(figures) == {
        "registers", "spilled", "live", "instructions", "code", "shared", "occupancy", "build",
    }  # fmt: skip
    assert None not in figures.values()
    assert (bad["outcome"], bad["kernels"]) == ("failed", {})
    assert bad["problem"].startswith("Build failed")


def test_several_toolchains_are_an_axis(run, twin):
    words = ("--compare-targets", "sm_90", "--toolchain", "own", "--toolchain", twin.folder)
    told = run("build", SAXPY, *words, "--json").json
    assert [one["toolchain"] for one in told["variants"]] == [None, twin.folder]
    registers = [next(iter(one["kernels"].values()))["registers"] for one in told["variants"]]
    assert registers[0] == registers[1] > 0
    _, heading, *lines = run("build", SAXPY, *words).out.strip().splitlines()
    assert heading.split()[:4] == ["target", "options", "link", "toolchain"]
    assert [line.split()[2] for line in lines] == ["own", twin.version]


def test_a_failure_is_told_below_the_tables(run):
    ran = run("build", SAXPY, "--compare-targets", "sm_20")
    assert ran.code == 1
    assert "sm_20: Build failed" in ran.err
    assert "does not know sm_20 any more" in ran.err


@pytest.mark.slow
def test_an_empty_cell_has_its_reason_below_the_tables(run):
    toolchain = nvrtc_of(OLDEST)
    words = ("--compare-targets", "sm_75,sm_88", "--toolchain", toolchain.folder)
    ran = run("build", SAXPY, *words, "--toolchain", "own")
    reasons = dict(line.split(": ", 1) for line in ran.err.splitlines() if ": " in line)
    assert "does not know the target sm_88" in reasons["sm_88 12.0"]
    assert "an assembler of CUDA 12 or before has made this code" in reasons["sm_75 12.0"]
    assert reasons["sm_88 own"].startswith("The occupancy is not known: NVIDIA")
    assert len(reasons) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--compare-targets", ""), refusal(parse_targets, "")),
        (("--compare-targets", "sm_9x"), refusal(Arch.parse, "sm_9x")),
        (("--compare-options=-O1",), "--compare-options needs --compare-targets"),
        (("--compare-targets", "sm_90", "--emit", "ptx"), "--emit is not for --compare-targets"),
        (
            ("--compare-targets", "sm_90", "--compare-links"),
            "--compare-targets is not for --compare-links",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(run, words, message):
    ran = run("build", SAXPY, *words)
    assert ran.code == 2
    assert message in ran.err


MODULES = (SAMPLES / "apply_transform.cu", SAMPLES / "user_transform.cu")


def test_both_links_are_told_side_by_side(run):
    ran = run("build", *MODULES, "--compare-links", "--json")
    assert ran.code == 0
    told = json.loads(ran.out)
    assert told["ok"]
    assert told["ptx"]["kernels"][0]["name"] == told["lto"]["kernels"][0]["name"]
    figures = {(f["subject"], f["name"]): (f["ptx"], f["lto"]) for f in told["figures"]}
    called, inlined = figures["apply_transform", "instructions"]
    assert 0 < inlined < called
    assert figures["apply_transform", "registers"][0] > 0
    # Times from the cache would be no times.
    assert all(time > 0 for time in figures["", "link, ms"])


def test_the_terminal_shows_a_table(run):
    ran = run("build", *MODULES, "--compare-links")
    assert ran.code == 0
    heading, *rows = ran.out.splitlines()
    assert heading.split() == ["function", "figure", "PTX", "link", "LTO", "link"]
    assert any(row.startswith("apply_transform  registers") for row in rows)


def test_a_link_that_fails_decides_the_status(run):
    ran = run("build", MODULES[0], "--compare-links", "--json")
    assert ran.code == 1
    told = json.loads(ran.out)
    assert not told["ok"]
    assert any("user_transform" in d["message"] for d in told["ptx"]["diagnostics"])
