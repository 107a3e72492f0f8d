"""`jitstudio check`, against the figures of `jitstudio inspect`."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from jitstudio.commands import check
from jitstudio.worker import host
from tests.core.remarks import REMARKS
from tests.support import KERNEL, SAMPLES

DATA = Path(__file__).parents[1] / "data"

pytestmark = pytest.mark.usefixtures("shared_cache")


@pytest.fixture(scope="module")
def tmp_path(one_folder):
    """The same for all tests: what one has built and read the others need not."""
    return one_folder


# Line 9 is the first with more values than registers.
SPILLS = """\
template <int N>
__device__ void twist(float (&t)[N]) {
#pragma unroll
    for (int k = 0; k < N; ++k) t[k] = t[k] * t[(k * 7 + 5) % N] + 1.0f;
}

extern "C" __global__ void __launch_bounds__(1024) much(const float* a, float* b, int n) {
    float t[96];
#pragma unroll
    for (int k = 0; k < 96; ++k) t[k] = a[k * 1024 + threadIdx.x];
    for (int i = 0; i < n; ++i) twist(t);
#pragma unroll
    for (int k = 0; k < 96; ++k) b[k * 1024 + threadIdx.x] = t[k];
}

extern "C" __global__ void wide(const float4* a, float4* b) { b[threadIdx.x] = a[threadIdx.x]; }

extern "C" __global__ void twice(float* a) { a[threadIdx.x] = a[threadIdx.x] * 2.1; }
"""


def budgets(folder, text, name="BUDGETS.toml"):
    (folder / "much.cu").write_text(SPILLS)
    path = folder / name
    path.write_text(text)
    return path


def conditions(ran):
    return {
        (one["demangled"], one["condition"]): one
        for budget in ran.json["budgets"]
        for one in budget["conditions"]
    }


DIVIDES = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry divides(.param .u64 a, .param .u32 n) {
.reg .b64 %rd1; .reg .b32 %r<4>;
ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n];
ld.global.u32 %r2, [%rd1];
div.u32 %r3, %r2, %r1;
st.global.u32 [%rd1], %r3;
ret; }
"""


def test_a_finding_speaks_the_language_of_the_module(run, tmp_path):
    (tmp_path / "divides.ptx").write_text(DIVIDES)
    keys = 'source = "divides.ptx"\ntarget = "sm_90"\nrequire = ["findings == 0"]'
    budgets(tmp_path, f"[[budget]]\n{keys}")
    ran = run("check")
    assert "Make the divisor a constant;" in ran.err
    assert "template argument" not in ran.err


def test_remarks_of_the_compilers_count_by_their_numbers(run, tmp_path):
    """Of each kernel its own, and of all where no kernel is named, with the line of the source."""
    wide = next(row for row in REMARKS if row.id == "setmaxnreg-without-bounds").request
    waits = next(row for row in REMARKS if row.id == "wgmma-wait-injected").request
    for name, kernels in (("wide.cu", wide), ("waits.cu", waits)):
        text = kernels.sources[0].content.decode()
        (tmp_path / name).write_text(f'{text}extern "C" __global__ void quiet() {{}}\n')
    rows = ["no remark:C7508", "remark:C75* == 1", "no remark:C7510", "no remarks"]
    keys = f'target = "sm_90a"\nrequire = {rows}'
    texts = (f'[[budget]]\nsource = "{name}.cu"\n{keys}\n' for name in ("wide", "waits"))
    budgets(tmp_path, "".join(texts))
    ran = run("check", "--json")
    values = {
        (budget["files"][0], c["demangled"]): [
            d["value"] for d in budget["conditions"] if d["demangled"] == c["demangled"]
        ]
        for budget in ran.json["budgets"]
        for c in budget["conditions"]
    }
    assert values == {
        ("wide.cu", "k"): [1, 1, 0, 1],
        ("waits.cu", "k"): [0, 1, 0, 1],
        ("waits.cu", "quiet"): [0, 0, 0, 0],
        ("wide.cu", "quiet"): [1, 1, 0, 1],
    }
    lines = (tmp_path / "wide.cu").read_text().splitlines()
    line = 1 + next(at for at, text in enumerate(lines) if "setmaxnreg" in text)
    assert f"wide.cu:{line}: error: k (sm_90a): no remark:C7508" in run("check").err


@pytest.mark.parametrize("link", ["", 'link = "ptx"'])
def test_remarks_on_code_that_was_built_before_are_not_known(run, tmp_path, link):
    (tmp_path / "before.cu").write_text(KERNEL)
    (tmp_path / "new.cu").write_text('extern "C" __global__ void fresh() {}')
    target = ("--arch", "sm_80", "--option=-rdc=true")
    assert run("build", "before.cu", *target, "--emit", "cubin", "-o", ".").code == 0
    keys = f'{link}\ntarget = "sm_80"\nrequire = ["no remarks", "no remark:C7510"]'
    budgets(tmp_path, f'[[budget]]\nsources = ["before.cubin", "new.cu"]\n{keys}')
    ran = run("check", "--json")
    assert ran.code == 5
    values = {(kernel, c["value"], c["holds"]) for (kernel, _), c in conditions(ran).items()}
    assert values == {("fine", None, False), ("fresh", 0, True)}
    assert "not known" in run("check").err


def test_a_remark_is_named_as_a_build_prints_it(run, tmp_path):
    (tmp_path / "idle.cu").write_text('extern "C" __global__ void idle() { int unused; }')
    printed = re.search(r"\[(#\S+-D)\]", run("build", "idle.cu", "--emit", "ptx").err)[1]
    budgets(tmp_path, f'[[budget]]\nsource = "idle.cu"\nrequire = ["remark:{printed} == 1"]')
    assert run("check").code == 0


def test_the_figures_are_those_of_inspect(run, tmp_path):
    texts = (
        *("registers >= 0", "spill_stores >= 0", "spill_loads >= 0", "instructions >= 0"),
        *("live_registers >= 0", "memory >= 0", "fp32 >= 0", "double >= 0", "loops >= 0"),
        *("findings >= 0", "finding:spills >= 0", "occupancy(256) >= 0", "LDG.128 >= 0"),
        *("stack >= 0", "code_bytes >= 0"),
    )
    budgets(tmp_path, f'[[budget]]\nsource = "much.cu"\ntarget = "sm_90"\nrequire = {list(texts)}')
    found = conditions(run("check", "--json"))
    read = run("inspect", "much.cu", "--arch", "sm_90", "--block", "256", "--json").json
    assert len(read["kernels"]) == 3
    for kernel in read["kernels"]:
        report, rules = kernel["report"], [one["rule"] for one in kernel["findings"]]
        classes = {one["precision"]: one["count"] for one in report["classes"]}
        opcodes = [one["opcode"].split(".") for one in kernel["instructions"]]
        expected = (
            *(report[name] for name in ("registers", "spill_stores", "spill_loads")),
            report["instructions"],
            report["peak_live_registers"]["gpr"],
            report["groups"]["memory"],
            *(classes.get(name, 0) for name in ("fp32", "fp64")),
            len(kernel["cfg"]["loops"]),
            *(len(rules), rules.count("spills"), kernel["occupancy"]["fraction"]),
            sum(parts[0] == "LDG" and "128" in parts for parts in opcodes),
            *(report["stack_bytes"], report["code_bytes"]),
        )
        name = kernel["demangled"]
        assert tuple(found[name, text]["value"] for text in texts) == expected, name
    assert found["much", "spill_stores >= 0"]["value"] > 0
    assert found["wide", "LDG.128 >= 0"]["value"] == 1
    assert found["twice", "double >= 0"]["value"] == 1


# With the 1 KiB that ptxas adds and that of the driver, eight blocks fill the 228 KiB of sm_90.
FILLS = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry fills(.param .u64 a) {
.reg .b64 %rd1; .reg .b32 %r1; .shared .align 4 .b8 tile[27136];
ld.param.u64 %rd1, [a];
ld.volatile.shared.u32 %r1, [tile+27132];
st.global.u32 [%rd1], %r1;
ret; }
"""


def test_without_shared_memory_of_the_launch_occupancy_is_that_of_the_kernel(run, tmp_path):
    (tmp_path / "fills.ptx").write_text(FILLS)
    texts = [f"resident_blocks({launch}) >= 0" for launch in ("32", "32, 0", "32, 1")]
    keys = f'source = "fills.ptx"\ntarget = "sm_90"\nrequire = {texts}'
    budgets(tmp_path, f"[[budget]]\n{keys}")
    values = conditions(run("check", "--json"))
    assert [values["fills", text]["value"] for text in texts] == [8, 8, 7]


def test_what_fails_is_written_with_its_line(run, tmp_path):
    text = '[[budget]]\nsource = "much.cu"\nkernel = "{}"\nrequire = ["{}"]\n'
    rows = (("much", "spills == 0"), ("twice", "no double"), ("w*", "LDG.128 >= 1"))
    budgets(tmp_path, "".join(text.format(*row) for row in rows))
    ran = run("check", "--sarif", "out.sarif", "--junit", "out.xml")
    assert ran.code == 5
    assert "1 of 3 conditions hold." in ran.err
    log = json.loads((tmp_path / "out.sarif").read_text())
    schema = json.loads((DATA / "sarif-2.1.0.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(log)
    assert log["version"] == "2.1.0"
    (made,) = log["runs"]
    assert [rule["id"] for rule in made["tool"]["driver"]["rules"]] == ["spills", "double"]
    places = [one["locations"][0]["physicalLocation"] for one in made["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {"much.cu"}
    lines = SPILLS.splitlines()
    spill, double = (lines[place["region"]["startLine"] - 1] for place in places)
    assert "t[k]" in spill
    assert "2.1" in double
    assert "expected none, found" in made["results"][1]["message"]["text"]
    suites = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert [suite.get("failures") for suite in suites] == ["1", "1", "0"]
    assert "much.cu:18: error: twice (" in ran.err


@pytest.mark.bench
def test_a_baseline_is_written_and_compared(run, tmp_path):
    require = "require = ['equal_to(\"base-{target}.cubin\", normalised=true)']"
    head = '[[budget]]\nsource = "vary.cu"\ntarget = ["sm_80", "sm_90"]\n'
    budgets(tmp_path, head + require)
    (tmp_path / "vary.cu").write_text(KERNEL)
    missing = run("check")
    assert missing.code == 5
    assert "There is no 'base-sm_80.cubin'. 'jitstudio check --update' writes it." in missing.err
    updated = run("check", "--update", "--json")
    assert updated.code == 0
    written = [budget["written"] for budget in updated.json["budgets"]]
    assert written == [["base-sm_80.cubin"], ["base-sm_90.cubin"]]
    assert run("check").code == 0
    (tmp_path / "vary.cu").write_text(KERNEL.replace("= 1", "= 2"))
    assert "It differs from 'base-sm_80.cubin'" in run("check").err
    budgets(tmp_path, head + require.replace("{target}", "one"))
    refused = run("check", "--update")
    assert refused.code == 2
    assert "would be the baseline of vary.cu for sm_80 by budget 1" in refused.err
    assert "and of vary.cu for sm_90 by budget 1" in refused.err


@pytest.mark.parametrize("name", ["", 'name = "one"\n'])
def test_a_baseline_is_not_replaced_by_that_of_a_budget_of_the_same_name(
    run, tmp_path, name, monkeypatch
):
    builds = []

    def read(request, *words, **options):
        builds.append(request.options)
        return read_machine_code(request, *words, **options)

    read_machine_code = check.read_machine_code
    monkeypatch.setattr(check, "read_machine_code", read)
    (tmp_path / "vary.cu").write_text(KERNEL.replace("= 1", "= X"))
    budget = f"[[budget]]\n{name}source = 'vary.cu'\nrequire = ['equal_to(\"base.cubin\")']\n"
    budgets(tmp_path, f"{budget}option = '-DX=1'\n{budget}option = '-DX=2'\n")
    refused = run("check", "--update")
    assert refused.code == 2
    assert "by budget 1 of 'BUDGETS.toml' and of vary.cu for" in refused.err
    assert len(builds) == len(set(builds)) == 2
    # What is built alike has the same baseline.
    budgets(tmp_path, f"{budget}option = '-DX=1'\n" * 2)
    assert run("check", "--update").code == 0
    assert run("check").code == 0


def test_each_module_of_a_budget_has_its_own_baseline(run, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.cu").write_text(KERNEL)
    (tmp_path / "sub/b.cu").write_text(KERNEL.replace("= 1", "= 2"))
    text = "[[budget]]\nsources = ['a.cu', 'sub/b.cu']\nrequire = ['equal_to(\"NAME.cubin\")']\n"
    budgets(tmp_path, text.replace("NAME", "base"))
    refused = run("check", "--update")
    assert refused.code == 2
    assert all(name in refused.err for name in ("'base.cubin'", "of a.cu for", "of sub/b.cu for"))
    budgets(tmp_path, text.replace("NAME", "base-{module}"))
    updated = run("check", "--update", "--json").json
    assert updated["budgets"][0]["written"] == ["base-a.cu.cubin", "base-sub%2Fb.cu.cubin"]
    assert run("check").code == 0
    (tmp_path / "sub/b.cu").write_text(KERNEL.replace("= 1", "= 3"))
    broken = run("check")
    assert broken.code == 5
    assert "'base-sub%2Fb.cu.cubin'" in broken.err
    assert "'base-a.cu.cubin'" not in broken.err


EQUAL = "[[budget]]\nsources = {}\nrequire = ['equal_to(\"{}\")']\n"


@pytest.fixture
def kernels(tmp_path):
    """Two modules whose paths differ in `/` and `_` alone; the files that are there."""
    for name, number in (("a/b_c.cu", "= 1"), ("a_b/c.cu", "= 2")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(KERNEL.replace("= 1", number))
    return ["a/b_c.cu", "a_b/c.cu"]


def test_modules_of_similar_paths_have_baselines_of_their_own(run, tmp_path, kernels):
    budgets(tmp_path, EQUAL.format(kernels, "similar-{module}.cubin"))
    assert run("check", "--update").code == 0
    assert run("check").code == 0
    assert len(list(tmp_path.glob("similar-*"))) == 2


def test_no_baseline_is_written_where_two_builds_have_it(run, tmp_path, kernels):
    other = tmp_path / "other.toml"
    for sources in (kernels, kernels[:1]):
        budgets(tmp_path, EQUAL.format(sources, "clash-{target}.cubin"))
        other.write_text(EQUAL.format(kernels[1:], "./clash-{target}.cubin"))
        refused = run("check", "--update", "BUDGETS.toml", "other.toml")
        assert refused.code == 2
        assert 'equal_to("clash-{target}-{module}.cubin")' in refused.err
        assert not list(tmp_path.glob("clash-*"))
    # With both words in the name, it is no advice to write them.
    same = "clash-{module}-{target}.cubin"
    (tmp_path / "vary.cu").write_text(KERNEL.replace("= 1", "= X"))
    budget = EQUAL.format(["vary.cu"], same)
    budgets(tmp_path, f"{budget}option = '-DX=1'\n{budget}option = '-DX=2'\n")
    refused = run("check", "--update")
    assert "Use another name for each budget.\n" in refused.err
    assert not list(tmp_path.glob("clash-*"))


@pytest.mark.parametrize("name", ["{module}", "own.cu", "sub/../own.cu", "own.h", "BUDGETS.toml"])
def test_a_baseline_replaces_no_text(run, tmp_path, name):
    (tmp_path / "sub").mkdir(exist_ok=True)
    (tmp_path / "own.cu").write_text(f'#include "own.h"\n{KERNEL}')
    (tmp_path / "own.h").write_text("#pragma once\n")
    budgets(tmp_path, EQUAL.format(["own.cu"], name))
    paths = [tmp_path / kept for kept in ("own.cu", "own.h", "BUDGETS.toml")]
    before = [path.read_bytes() for path in paths]
    refused = run("check", "--update")
    assert refused.code == 2
    assert "would be replaced by a baseline" in refused.err
    assert [path.read_bytes() for path in paths] == before


def test_a_baseline_replaces_no_cubin_that_a_budget_builds(run, tmp_path):
    (tmp_path / "own.cu").write_text(KERNEL)
    budgets(tmp_path, EQUAL.format(["own.cu"], "own.cubin"))
    assert run("check", "--update").code == 0
    before = (tmp_path / "own.cubin").read_bytes()
    (tmp_path / "own.cu").write_text(KERNEL.replace("= 1", "= 2"))
    reading = "[[budget]]\nsource = 'own.cubin'\nrequire = ['registers <= 64']\n"
    budgets(tmp_path, EQUAL.format(["own.cu"], "own.cubin") + reading)
    refused = run("check", "--update")
    assert refused.code == 2
    assert "'own.cubin'" in refused.err
    assert (tmp_path / "own.cubin").read_bytes() == before
    # Nothing reads it any more: the baseline of the text before is replaced.
    budgets(tmp_path, EQUAL.format(["own.cu"], "own.cubin"))
    assert run("check", "--update").code == 0
    assert (tmp_path / "own.cubin").read_bytes() != before


def test_a_budget_is_chosen_by_its_whole_name(run, tmp_path):
    text = "[[budget]]\nname = 'twice(float)'\nsource = 'much.cu'\nrequire = ['no spills']\n"
    budgets(tmp_path, text)
    refused = run("check", "--only", "twice")
    assert refused.code == 2
    assert "There are: 'twice(float)'." in refused.err
    for pattern in ("twice(float)", "twice*"):
        (budget,) = run("check", "--only", pattern, "--json").json["budgets"]
        assert budget["name"] == "twice(float)"


def test_a_bound_that_is_too_large_a_number_is_not_known(run, tmp_path):
    (tmp_path / "vary.cu").write_text(KERNEL)
    budgets(
        tmp_path,
        "[[budget]]\nsource = 'vary.cu'\nrequire = ['instructions <= 1e308 * instructions']\n",
    )
    ran = run("check", "--json")
    ((verdict,),) = (budget["conditions"] for budget in ran.json["budgets"])
    assert (verdict["holds"], verdict["bound"]) == (False, None)
    assert 1 < verdict["value"] < 100
    assert verdict["reason"] == (
        "Instructions of SASS, without padding (1e+308 * instructions): not known. "
        "It is too large a number."
    )


def test_a_project_is_built_as_it_says(run, tmp_path):
    (tmp_path / "k.cu").write_text("#ifdef ASKED\n" + KERNEL + "#endif\n")
    module = {"name": "k.cu", "kind": "cuda", "path": "k.cu", "included": True}
    project = {"version": 1, "target": "sm_80", "options": "-DASKED", "modules": [module]}
    (tmp_path / "p.jitproj").write_text(json.dumps(project))
    text = '[[tool.jitstudio.check.budget]]\nproject = "p.jitproj"\nrequire = ["registers <= 32"]\n'
    path = budgets(tmp_path, text, "pyproject.toml")
    (found,) = run("check", path, "--json").json["budgets"]
    assert (found["arch"], found["ok"]) == ("sm_80", True)


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ('source = "broken.cu"\nrequire = ["spills == 0"]', 1, "broken.cu:1"),
        (
            'source = "much.cu"\nkernel = "muhc"\nrequire = ["spills == 0"]',
            2,
            "'muhc'. There are: ",
        ),
        ('source = "empty.cu"\nrequire = ["spills == 0"]', 2, "There is no kernel in it."),
        (
            'source = "none.cu"\nrequire = ["spills == 0"]',
            2,
            "none.cu' cannot be read: No such file",
        ),
        ('project = "gone"\nrequire = ["spills == 0"]', 2, "gone' cannot be opened: No such file"),
        (
            'project = "much.cu"\nrequire = ["spills == 0"]',
            2,
            "much.cu' is not a project: the name",
        ),
        ('source = "../a.cu"\nrequire = ["spills == 0"]', 2, "'../a.cu' lies outside the folder"),
        ('source = "much.cu"\ntarget = "sm_1"\nrequire = ["spills == 0"]', 2, "sm_1"),
        ('source = "much.cu"\noption = "-I/etc"\nrequire = ["spills == 0"]', 2, "-I/etc"),
        ('source = "much.cu"\nrequire = ["spils == 0"]', 2, "Did you mean 'spills'?"),
    ],
)
def test_what_cannot_be_checked_is_told(run, tmp_path, text, code, part):
    (tmp_path / "broken.cu").write_text("__global__ void k( {\n")
    (tmp_path / "empty.cu").write_text("template <class T> __global__ void k(T* p) { *p = 1; }\n")
    ran = run("check", budgets(tmp_path, f"[[budget]]\n{text}\n", "bad.toml"))
    assert ran.code == code
    assert part in ran.err


def test_a_launch_that_expects_nothing_passes_no_check(run, tmp_path):
    text = '[[budget]]\nsource = "much.cu"\nrequire = ["failed_checks == 0"]\n'
    text += '[budget.launch]\ndevice = "sim"\nseed = 3\nkernel = "twice"\narg = { a = "32" }\n'
    text += 'grid = "1"\nblock = "32"\n'
    ended = run("check", budgets(tmp_path, text, "launch.toml"))
    assert ended.code == 5
    assert "The launch checks nothing" in ended.out + ended.err


def test_counts_of_a_kernel_that_a_fault_has_stopped_keep_no_condition(run, tmp_path):
    (tmp_path / "far.cu").write_text(
        'extern "C" __global__ void far(float* a) { a[1 << 20] = a[threadIdx.x]; }\n'
    )
    text = '[[budget]]\nsource = "far.cu"\n'
    text += 'require = ["no races", "sectors <= 9", "no unwritten", "faults <= 1"]\n'
    text += 'launch = { device = "sim", arg = { a = "32" }, grid = "1", block = "32" }\n'
    ran = run("check", budgets(tmp_path, text), "--json")
    (judged,) = (budget["conditions"] for budget in ran.json["budgets"])
    assert [verdict["holds"] for verdict in judged] == [False, False, False, True]
    assert {verdict["source_line"] for verdict in judged} == {1}
    for verdict in judged[:3]:
        assert verdict["value"] is None
        assert verdict["reason"].startswith("Not checked, as the kernel was stopped by this fault")
        assert "past the end of a" in verdict["reason"]


def test_a_share_is_told_in_percent(run, tmp_path):
    text = '[[budget]]\nsource = "much.cu"\nrequire = ["occupancy(32) >= 99%"]\n'
    (verdict, *_) = run("check", budgets(tmp_path, text), "--json").json["budgets"][0]["conditions"]
    assert re.search(r"expected at least 99%, found \d+(\.\d+)?%\. Limited by", verdict["reason"])


def test_a_launch_reads_files_of_its_own_folder_only(run, tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(128))
    text = '[[budget]]\nsource = "much.cu"\nrequire = ["strays == 0"]\n[budget.launch]\n'
    text += 'device = "sim"\nkernel = "twice"\ngrid = "1"\nblock = "32"\n'
    text += 'arg = { a = "32:file(PATH)" }\n'
    for path in (str(tmp_path / "secret.bin"), "../secret.bin"):
        ended = run("check", budgets(tmp_path / "b", text.replace("PATH", path)))
        assert (ended.code, f"'{path}' lies outside" in ended.err) == (2, True)
    (tmp_path / "secret.bin").rename(tmp_path / "b" / "own.bin")
    assert run("check", budgets(tmp_path / "b", text.replace("PATH", "own.bin"))).code == 0


def test_a_launch_without_a_gpu_is_missing(run, tmp_path):
    if run("devices", "--json").json["devices"]:
        pytest.skip("there is a GPU")
    text = '[[budget]]\nsource = "much.cu"\nrequire = ["strays == 0"]\n[budget.launch]\n'
    text += 'kernel = "wide"\ngrid = 1\nblock = 32\narg = { a = "32", b = "32" }\n'
    assert run("check", budgets(tmp_path, text, "launch.toml")).code == 3


def test_unchanged_budgets_start_no_process(run, tmp_path, cache_folder, monkeypatch):
    """Neither compilers nor nvdisasm: results and readings of the check before are taken."""
    text = '[[budget]]\nsource = "much.cu"\noption = "-lineinfo"\nrequire = ["registers <= 64"]\n'
    path = budgets(tmp_path, text, "unchanged.toml")
    # Not the results of all tests, for which another process may keep this one waiting.
    monkeypatch.setenv("JITSTUDIO_CACHE_DIR", str(cache_folder))
    processes, child = [], host.ChildProcess

    def counted(*words):
        processes.append(words)
        return child(*words)

    monkeypatch.setattr(host, "ChildProcess", counted)
    first = run("check", path)
    assert processes
    processes.clear()
    again = run("check", path)
    assert (again.code, again.out, again.err) == (0, first.out, first.err)
    assert processes == []


@pytest.mark.slow
def test_the_fixture_of_pytest_fails_what_breaks_a_budget(tmp_path, environment):
    folder = tmp_path / "plugin"
    folder.mkdir(exist_ok=True)
    (folder / "test_it.py").write_text(
        "def test_kept(jitstudio_check):\n"
        "    (report,) = jitstudio_check(source='k.cu', target='sm_90', require=('spills == 0',))\n"
        "    assert report.target == 'sm_90'\n"
        "def test_broken(jitstudio_check):\n"
        "    jitstudio_check('B.toml')\n"
        "def test_mistyped(jitstudio_check):\n"
        "    jitstudio_check(source='k.cu', require=['regsters <= 2'])\n"
        "def test_missing(jitstudio_check):\n"
        "    jitstudio_check('none.toml')\n"
        "def test_empty(jitstudio_check):\n"
        "    jitstudio_check()\n"
    )
    (folder / "k.cu").write_text((SAMPLES / "vector_add.cu").read_text())
    (folder / "B.toml").write_text('[[budget]]\nsource = "k.cu"\nrequire = ["registers <= 1"]\n')
    words = [sys.executable, "-m", "pytest", "-q", "-p", "jitstudio.pytest_plugin", "-p"]
    done = subprocess.run(
        [*words, "no:cacheprovider", "--rootdir", folder, folder],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=90,
    )
    assert "4 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "'regsters'" in done.stdout
    assert "none.toml'" in done.stdout
    assert "Error" not in done.stdout
    assert "During handling" not in done.stdout
    assert "jitstudio_check takes" in done.stdout
    assert "registers <= 1: 32-bit registers per thread: expected at most 1, found" in done.stdout


FOREVER = """\
extern "C" __global__ void forever(volatile int* p) { while (p[0] == 0) p[1] += 1; }
"""


@pytest.mark.slow
@pytest.mark.parametrize("is_project", [False, True])
def test_no_file_gives_itself_a_longer_time_limit(run, tmp_path, is_project):
    """Of two seconds, whatever the budget or the project of the launch says."""
    (tmp_path / "forever.cu").write_text(FOREVER)
    launch = {"kernel": "forever", "grid": "1", "block": "1", "timeout": 1e9}
    if is_project:
        module = {"name": "forever.cu", "kind": "cuda", "path": "forever.cu"}
        project = {
            "version": 1,
            "target": "sm_90",
            "modules": [module | {"included": True}],
            "launches": [launch | {"arguments": {"p": "8"}}],
        }
        (tmp_path / "forever.jitproj").write_text(json.dumps(project))
        files, said = 'project = "forever.jitproj"', ""
    else:
        files, said = 'source = "forever.cu"', ', block = "1", arg = { p = "8" }, timeout = 1e9'
    (tmp_path / "forever.toml").write_text(
        f"[[budget]]\n{files}\nrequire = ['registers < 99']\n"
        f'launch = {{ kernel = "forever", device = "sim", grid = "1"{said} }}\n'
    )
    start = time.monotonic()
    ran = run("check", tmp_path / "forever.toml", "--timeout", "2", "--json")
    assert time.monotonic() - start < 60
    (budget,) = ran.json["budgets"]
    assert budget["outcome"] == "timed-out", budget
    # The simulator stops in time to tell how far it has come.
    messages = " ".join(each["message"] for each in budget["diagnostics"])
    assert re.search(r"after (?:1\.\d|2) s", messages), messages
