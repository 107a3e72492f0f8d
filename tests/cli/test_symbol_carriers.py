"""Module variables and pointers in structs in projects, in budgets and from Python."""

import json

import pytest

import jitstudio
from tests.symbol_launches import BUFFERS, CONV, SHARED, VIEWS

pytestmark = pytest.mark.usefixtures("shared_cache")

CHECK = "out = where((i > 0) & (i < 255), in + in + roll(in, 1) + roll(in, -1), out)"
BUDGET = """\
[[budget]]
source = "k.cu"
require = ["failed_checks == 0"]

[budget.launch]
device = "sim"
cover = "n"
arg = { n = "256", in = "n:range:in", out = "n:zeros:inout" }
set = { mask = "{MASK}", hits = "out" }
expect = ["CHECK", "hits = 254"]
"""


@pytest.mark.parametrize(("mask", "code"), [("{1, 2, 1}", 0), ("{1, 2, 2}", 5)])
def test_a_budget_sets_variables(run, tmp_path, mask, code):
    (tmp_path / "k.cu").write_text(CONV)
    text = BUDGET.replace("{MASK}", mask).replace("CHECK", CHECK)
    (tmp_path / "BUDGETS.toml").write_text(text)
    assert run("check", tmp_path / "BUDGETS.toml").code == code


def _project(folder, source, arguments, **more):
    (folder / "k.cu").write_text(source)
    launch = {"kernel": "", "arguments": arguments, "block": "64"} | more
    members = [{"name": "k.cu", "kind": "cuda", "path": "k.cu"}]
    content = {"version": 1, "modules": members, "launches": [launch]}
    path = folder / "k.jitproj"
    path.write_text(json.dumps(content))
    return path


def test_a_project_carries_them(run, tmp_path):
    arguments = {"n": "256", "in": "n:range:in", "out": "n:zeros:inout", "mask": "{1, 2, 1}"}
    more = {"cover": "n", "expectations": [CHECK]}
    path = _project(tmp_path, CONV, arguments, kernel="conv", **more)
    assert run("run", path, "--device=sim").code == 0
    assert run("run", path, "--device=sim", "--set=mask={1, 2, 2}").code == 5


def test_a_project_carries_pointers_in_structs(run, tmp_path):
    arguments = {
        "q": "{a={n=64, stride=1}, b={stride=1}, alpha=3, more={null, null}}",
        "q.a.p": "q.a.n:range",
        "q.b.p": "64:zeros",
        "q.more[1]": "64:constant(1)",
    }
    more = {"grid": "1", "expectations": ["q.b.p = 3 * q.a.p + 1"]}
    path = _project(tmp_path, VIEWS, arguments, kernel="axpy", **more)
    assert run("run", path, "--device=sim").code == 0


def test_a_project_carries_pointers_into_one_buffer(run, tmp_path):
    arguments = {"in": "64:range", "out": "same(in+n)", "end": "same(in + 64)", "n": "32"}
    more = {"grid": "1", "expectations": ["out = 2 * in[i] + 1", "in[:n] = i"]}
    path = _project(tmp_path, SHARED, arguments, kernel="shift", **more)
    assert run("run", path, "--device=sim").code == 0


@pytest.mark.parametrize("text", ["file(../k.npy)", "{1, 2, 1}:file(/k.npy)", "file(/k.npy):in"])
def test_a_variable_is_filled_from_no_file_outside_of_a_projects_folder(run, tmp_path, text):
    arguments = {"n": "256", "in": "n:range:in", "out": "n:zeros:inout", "mask": text}
    path = _project(tmp_path, CONV, arguments, kernel="conv", cover="n")
    ran = run("run", path, "--device=sim")
    assert ran.code == 2
    assert "k.npy" in ran.err


@pytest.mark.slow
def test_python_sets_variables(tmp_path):
    (tmp_path / "k.cu").write_text(CONV)
    arguments = dict(word.removeprefix("--arg=").split("=", 1) for word in BUFFERS[:3])
    report = jitstudio.run(
        tmp_path / "k.cu",
        arguments=arguments,
        set={"mask": "{1, 2, 1}", "hits": "out"},
        cover="n",
        expect=[CHECK, "hits = 254"],
        device="sim",
    )
    assert report.ok
    assert report.checks_passed
    wrong = jitstudio.run(
        tmp_path / "k.cu", arguments=arguments, cover="n", expect=[CHECK], device="sim"
    )
    assert not wrong.checks_passed


@pytest.mark.slow
def test_python_shares_a_buffer(tmp_path):
    (tmp_path / "k.cu").write_text(SHARED)
    arguments = {"in": "64:range", "out": "same(in+n)", "end": "same(in+64)", "n": "32"}
    report = jitstudio.run(
        tmp_path / "k.cu",
        arguments=arguments,
        grid="1",
        block="32",
        expect=["out = 2 * in[i] + 1"],
        device="sim",
    )
    assert report.ok
    assert report.checks_passed
