"""Checks in continuous integration: annotations, the action, the hook, the manual's workflow."""

import json
import re
import shlex
import subprocess
import sys
import textwrap
from xml.etree import ElementTree

import pytest
import yaml

from jitstudio import __version__
from jitstudio.core.code import ENDINGS, PROJECT_ENDING, CodeKind
from tests.support import QUICK_ARCH, ROOT
from tests.workflows import Job, evaluated, machine, new_python, wheel_of_checkout

pytestmark = pytest.mark.usefixtures("shared_cache")

ACTION = ROOT / ".github" / "actions" / "check"
KERNEL = 'extern "C" __global__ void scale(float* a) {\n    a[threadIdx.x] *= 2.1;\n}\n'
BUDGET = f"""\
[[budget]]
source = "scale.cu"
target = "{QUICK_ARCH.sm}"
option = "-lineinfo"
require = ["registers <= 64"]
"""
FAILING = BUDGET.replace("registers <= 64", "no double")
BROKEN = """\
template <class T> struct S {};
__global__ void k(S<int*> s) {
    s | s;
    int i = s;
}
"""
UPLOAD = "github/codeql-action/upload-sarif"
_COMMAND = re.compile(r"^::(\w+) (.*?)::(.*)$", re.MULTILINE)


@pytest.fixture
def repository(tmp_path):
    """A repository whose kernels lie in a folder with a space in its name."""
    folder = tmp_path / "work" / "my kernels"
    folder.mkdir(parents=True)
    (folder.parent / ".git").mkdir()
    (folder / "scale.cu").write_text(KERNEL)
    (folder / "BUDGETS.toml").write_text(BUDGET)
    (folder / "failing.toml").write_text(FAILING)
    return folder.parent


@pytest.fixture
def on_github(run, repository, monkeypatch, tmp_path):
    """Runs `jitstudio check` as in a step; returns how it ended, annotations and the summary."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))

    def runs(*words):
        ran = run("check", *words)
        commands = [
            (level, dict(pair.split("=", 1) for pair in words.split(",")), text)
            for level, words, text in _COMMAND.findall(ran.err)
        ]
        return ran, commands, (tmp_path / "summary.md").read_text()

    return runs


def test_annotations_name_the_lines_that_the_sarif_log_names(on_github, repository, tmp_path):
    folder = repository / "my kernels"
    (folder / "broken,1.cu").write_text(BROKEN)
    other = BUDGET.replace("scale.cu", "broken,1.cu")
    (folder / "both.toml").write_text(FAILING + other)
    ran, commands, summary = on_github(
        folder / "both.toml", "--sarif", tmp_path / "s.sarif", "--json"
    )
    (log,) = json.loads((tmp_path / "s.sarif").read_text())["runs"]
    assert (ran.code, len(log["results"])) == (1, 3)
    for result, (level, values, text) in zip(log["results"], commands, strict=True):
        assert (level, values["title"]) == ("error", f"jitstudio%3A {result['ruleId']}")
        assert text == result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        assert values["line"] == str(place["region"]["startLine"])
        assert values.get("col") == (
            str(column) if (column := place["region"].get("startColumn")) else None
        )
    files = [values["file"] for _, values, _ in commands]
    assert files == ["my kernels/scale.cu", *["my kernels/broken%2C1.cu"] * 2]
    assert commands[0][1]["line"] == "2"
    assert json.loads(ran.out)["root"] == str(repository)
    assert summary.startswith("### jitstudio check\n\n0 of 1 ")
    assert "| my kernels/scale.cu:2 | scale " in summary
    # Between the bars of a table, nothing of a message is a tag, and no bar of it ends a cell.
    assert r"S\<int \*\>" in summary
    assert r"\|" in summary


def test_a_file_that_cannot_be_read_is_annotated(on_github):
    ran, commands, summary = on_github("none.toml")
    assert ran.code == 2
    ((level, values, text),) = commands
    assert (level, "file" in values, "none.toml" in text) == ("error", False, True)
    assert r"none.toml" in summary


def test_reports_that_cannot_be_written_hide_no_verdict(run, repository, tmp_path, monkeypatch):
    """Of the file that GitHub names there is a warning: the user has not asked for that."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    nowhere = tmp_path / "none" / "x"
    reports = ("--sarif", nowhere.with_suffix(".sarif"), "--junit", nowhere.with_suffix(".xml"))
    missing = run("check", "none.toml", *reports)
    assert missing.code == 2
    failing = run("check", repository / "my kernels" / "failing.toml", *reports)
    assert failing.code == 2
    assert "FAILS" in failing.out
    for ran in (missing, failing):
        assert all(f"'{path}' cannot be written" in ran.err for path in reports[1::2])
    assert missing.err.splitlines()[-1].startswith("jitstudio: 'none.toml' cannot be read")

    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(nowhere))
    holding = run("check", repository / "my kernels" / "BUDGETS.toml")
    assert (holding.code, "holds" in holding.out) == (0, True)
    assert f"warning: '{nowhere}' cannot be written" in holding.err


def test_outside_of_github_there_is_no_annotation(run, repository, monkeypatch):
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    ran = run("check", repository / "my kernels" / "failing.toml")
    assert (ran.code, _COMMAND.findall(ran.err)) == (5, [])


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return wheel_of_checkout(tmp_path_factory.mktemp("wheel"))


@pytest.mark.slow
def test_the_action_installs_checks_and_reports(repository, wheel, tmp_path):
    action = yaml.safe_load((ACTION / "action.yml").read_text())
    defaults = {name: value["default"] for name, value in action["inputs"].items()}
    actions = {"actions/setup-python": {"python-path": sys.executable}, "actions/cache": {}}
    job = Job(repository, tmp_path / "temp", actions, machine(wheel), ACTION)
    steps = action["runs"]["steps"]
    assert {step["shell"] for step in steps if "run" in step} == {"bash"}
    inputs = {**defaults, "folder": "my kernels", "package": str(wheel)}
    assert job.run(steps, inputs), job.log
    (python, setup), (cache, kept) = job.used
    assert (python, cache) == ("actions/setup-python", "actions/cache")
    assert setup["python-version"] == defaults["python-version"]
    assert kept["path"].startswith("/")
    assert re.fullmatch(r"jitstudio-Linux-X64-[\d.]+-[0-9a-f]{16}", kept["key"])
    assert "1 of 1 " in (tmp_path / "temp" / "summary.md").read_text()

    # The last step again, with another file and an option.
    files = {"files": "BUDGETS.toml\nfailing.toml\n", "options": "--only=scale*"}
    assert not job.run(steps[-1:], {**inputs, **files})
    assert "::error file=my kernels/scale.cu,line=2," in job.log
    sarif, junit = (
        job.temp / evaluated(action["outputs"][name]["value"], {"steps": job.steps})
        for name in ("sarif", "junit")
    )
    (log,) = json.loads(sarif.read_text())["runs"]
    assert [result["ruleId"] for result in log["results"]] == ["double"]
    assert len(list(ElementTree.parse(junit).getroot().iter("testcase"))) == 2


def test_the_action_installs_its_own_version():
    text = (ACTION / "action.yml").read_text()
    paths = re.findall(r"\$GITHUB_ACTION_PATH/([./]+\b|[./]+)", text)
    assert paths
    assert {(ACTION / path.rstrip("/")).resolve() for path in paths} == {ROOT}


@pytest.fixture(scope="module")
def hook():
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    return hook


def test_the_hook_runs_for_all_that_kernels_are_built_of(hook):
    """Sources, binary modules, baselines, headers, projects, and files of budgets of any name."""
    endings = [
        ending for ending, kind in ENDINGS.items() if kind not in (CodeKind.SASS, CodeKind.TILEIR)
    ]
    names = [f"kernels/scale{ending}" for ending in (*endings, PROJECT_ENDING, ".CU")]
    names += ["BUDGETS.toml", "kernels/BUDGETS.toml", "pyproject.toml", "ci/limits.toml"]
    assert [name for name in names if not re.search(hook["files"], name)] == []
    others = ["README.md", "scale.sass", "scale.cu.txt", "data", "scale.hat", "a_toml"]
    assert [name for name in others if re.search(hook["files"], name)] == []


@pytest.mark.slow
def test_the_hook_stops_a_commit_that_breaks_a_budget(hook, repository, tmp_path, environment):
    """Run as pre-commit does: the entry and its arguments, in the folder of the repository."""
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
    words = [sys.executable, "-m", *shlex.split(hook["entry"])]

    def ended(*arguments):
        return subprocess.run(
            [*words, *arguments], cwd=repository, env=environment, capture_output=True, text=True
        )

    done = ended("my kernels/failing.toml")
    assert done.returncode == 5
    assert "my kernels/scale.cu:2: error: " in done.stderr
    assert ended("my kernels/BUDGETS.toml").returncode == 0
    # Without arguments it says what it looked for.
    assert ended().returncode == 2


def printed(first_line):
    """The YAML on the page of budgets that begins so."""
    page = (ROOT / "resources" / "help" / "budgets.md").read_text()
    (block,) = re.findall(rf"^ +{re.escape(first_line)}\n(?:(?:    .*)?\n)+", page, re.MULTILINE)
    return yaml.safe_load(textwrap.dedent(block))


def test_the_manual_uses_the_action_and_the_hook_as_they_are(hook):
    action = yaml.safe_load((ACTION / "action.yml").read_text())
    check, upload = printed("- id: kernels")
    path = check["uses"].partition("@")[0].removeprefix("OWNER/jitstudio/")
    assert (ROOT / path / "action.yml").is_file()
    assert set(check["with"]) <= set(action["inputs"])
    outputs = {check["id"]: {"outputs": dict.fromkeys(action["outputs"], "a file")}}
    assert evaluated(upload["with"]["sarif_file"], {"steps": outputs}) == "a file"
    (repository,) = printed("repos:")["repos"]
    assert repository["hooks"] == [{"id": hook["id"]}]
    assert {repository["rev"], check["uses"].partition("@")[2]} == {f"v{__version__}"}


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    return new_python(tmp_path_factory.mktemp("python"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "budget",
    [
        # That the same steps go well where a budget holds is a test of the action, too.
        pytest.param(BUDGET, id="kept", marks=pytest.mark.bench),
        pytest.param(FAILING, id="broken"),
    ],
)
def test_the_workflow_of_the_manual_runs_as_printed(repository, wheel, python, tmp_path, budget):
    folder = repository / "my kernels"
    (folder / "BUDGETS.toml").write_text(budget)
    (steps,) = [job["steps"] for job in printed("name: kernels")["jobs"].values()]
    names = ("actions/checkout", "actions/setup-python", UPLOAD)
    job = Job(folder, tmp_path / "temp", {name: {} for name in names}, machine(wheel, python))
    went_well = job.run(steps, {})
    assert went_well == (budget == BUDGET), job.log
    assert [name for name, _ in job.used] == list(names)
    (log,) = json.loads((folder / job.used[-1][1]["sarif_file"]).read_text())["runs"]
    assert [result["ruleId"] for result in log["results"]] == ([] if went_well else ["double"])
    assert ("::error file=my kernels/scale.cu,line=2," in job.log) == (not went_well)
