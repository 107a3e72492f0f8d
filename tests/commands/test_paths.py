"""Names of files, whatever the working folder: those that are told lead to a file."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

import jitstudio
from jitstudio.cli.main import main
from tests.cli.test_mcp import conversation
from tests.support import QUICK_ARCH, one_in

pytestmark = pytest.mark.usefixtures("shared_cache")

HEADER = "__device__ float twice(float x) { return x * 2.1; }\n"
KERNEL = """\
#include "twice.h"
extern "C" __global__ void scale(float* a) { a[threadIdx.x] = twice(a[threadIdx.x]); }
"""
BROKEN = 'extern "C" __global__ void broken(float* a) {\n    a[0] = nothing;\n}\n'
REQUIRE = 'require = ["double == 0"]\n'
BUDGETS = "".join(
    f'[[budget]]\nsource = "{name}.cu"\ntarget = "{QUICK_ARCH.sm}"\noption = "-lineinfo"\n{REQUIRE}'
    for name in ("missing", "scale", "broken")
)
# From the first two no name is right that is as from the repository or from the file. In the last
# two those are right by chance: what fails there alone is left to the bench.
FOLDERS = ("below", "top", "repository", "folder")
IN_ALL = [*FOLDERS[:2], *(pytest.param(name, marks=pytest.mark.bench) for name in FOLDERS[2:])]
# With these, pytest's summary repeats whole messages.
OF_CI = {"CI", "BUILD_NUMBER", "PYTEST_ADDOPTS"}
OPTIONS = ("--arch", QUICK_ARCH.sm, "--option=-lineinfo")
LAUNCH = ("--kernel", "scale", "--device", "sim", "--grid", "1", "--block", "32", "--arg", "a=32")


@pytest.fixture(scope="module")
def tmp_path(one_folder):
    """The same for all tests: what one has built and read the others need not."""
    return one_folder


@pytest.fixture
def kernels(tmp_path) -> Path:
    """A folder of a repository, with a kernel, its header, a broken kernel and budgets."""
    folder = tmp_path / "kernels"
    (folder / "below").mkdir(parents=True, exist_ok=True)
    (tmp_path / ".git").mkdir(exist_ok=True)
    module = {"name": "scale.cu", "kind": "cuda", "path": "scale.cu", "included": True}
    project = {"version": 1, "target": QUICK_ARCH.sm, "options": "-lineinfo", "modules": [module]}
    files = {"twice.h": HEADER, "scale.cu": KERNEL, "broken.cu": BROKEN, "BUDGETS.toml": BUDGETS}
    for name in ("scale", "broken"):
        files[f"{name}.jitproj"] = json.dumps(project).replace("scale", name)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(params=IN_ALL)
def here(request, kernels, monkeypatch) -> Path:
    """The working folder."""
    folders = {"repository": kernels.parent, "folder": kernels}
    folders |= {"below": kernels / "below", "top": Path("/")}
    monkeypatch.chdir(folders[request.param])
    return folders[request.param]


@pytest.fixture
def ended(here, capfd):
    """Runs a command in the working folder, and returns the exit status and the streams."""

    def runs(*words):
        status = main([str(word) for word in words])
        return status, *capfd.readouterr()

    return runs


def seen(path: Path) -> str:
    """The path as a user types it in the working folder."""
    return os.path.relpath(path)


def files_in(value) -> set[str]:
    """All that JSON calls a file."""
    if isinstance(value, list):
        return set().union(*map(files_in, value))
    if not isinstance(value, dict):
        return set()
    own = {value[key] for key in ("file", "source_file") if value.get(key)}
    return own.union(*map(files_in, value.values()))


def test_check_names_files_of_the_repository(ended, here, kernels, tmp_path):
    reports = {name: tmp_path / f"out.{name}" for name in ("sarif", "junit")}
    flags = [word for name, path in reports.items() for word in (f"--{name}", path)]
    status, out, err = ended("check", seen(kernels / "BUDGETS.toml"), *flags)
    assert status == 2
    assert "missing.cu'" in err
    assert re.search(rf"^{re.escape(seen(kernels / 'scale.cu'))} +scale ", out, re.MULTILINE)
    assert "0 of 1 " in err
    assert "2 of 3 " in err
    told = re.findall(r"^(\S+?):(\d+)(?::(\d+))?: error", err, re.MULTILINE)
    assert [Path(name).resolve().name for name, *_ in told] == ["scale.cu", "broken.cu"]
    assert all(Path(name).is_file() for name, *_ in told)
    (log,) = json.loads(reports["sarif"].read_text())["runs"]
    assert log["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{tmp_path.as_uri()}/"
    places = [one["locations"][0]["physicalLocation"] for one in log["results"]]
    assert {place["artifactLocation"]["uriBaseId"] for place in places} == {"%SRCROOT%"}
    assert [place["artifactLocation"]["uri"] for place in places] == [
        "kernels/BUDGETS.toml",
        "kernels/scale.cu",
        "kernels/broken.cu",
    ]
    assert places[2]["region"] == {
        "startLine": 2,
        "startColumn": BROKEN.splitlines()[1].index("nothing") + 1,
    }
    cases = ElementTree.parse(reports["junit"]).getroot().iter("testcase")
    assert [case.get("file") for case in cases] == [None, "kernels/scale.cu", "kernels/broken.cu"]
    _, out, _ = ended("check", seen(kernels / "BUDGETS.toml"), "--json")
    answer = json.loads(out)
    assert answer["root"] == str(tmp_path)
    assert files_in(answer) == {"kernels/scale.cu", "kernels/broken.cu"}


@pytest.mark.parametrize("name", ["scale.cu", "scale.jitproj"])
def test_inspect_and_run_name_files_that_are_there(ended, here, kernels, name):
    words = () if name.endswith(".jitproj") else OPTIONS
    _, out, _ = ended("inspect", seen(kernels / name), *words, "--json")
    assert files_in(json.loads(out)) == {str(kernels / "scale.cu"), str(kernels / "twice.h")}
    _, out, _ = ended("run", seen(kernels / name), *words, *LAUNCH, "--json")
    assert files_in(json.loads(out)) == {str(kernels / "scale.cu"), str(kernels / "twice.h")}


def test_an_error_names_the_file_as_it_was_typed(ended, here, kernels):
    name = seen(kernels / "broken.cu")
    for words in (("inspect", name, *OPTIONS), ("run", name, *OPTIONS, *LAUNCH)):
        status, _, err = ended(*words)
        assert (status, f"{name}:2:" in err) == (1, True)


def test_other_commands_name_files_that_are_there(ended, here, kernels, tmp_path):
    """Also those of a project, whose modules have names without a folder."""
    project, broken = seen(kernels / "broken.jitproj"), seen(kernels / "broken.cu")
    commands = (
        (1, "build", project),
        # As diff(1) has it, 1 stands for differences.
        (2, "diff", seen(kernels / "scale.cu"), broken, *OPTIONS),
        (1, "run", project, *LAUNCH),
    )
    for expected, *words in commands:
        status, out, _ = ended(*words, "--json")
        files = {Path(name).resolve() for name in files_in(json.loads(out))}
        assert (status, files) == (expected, {kernels / "broken.cu"})
    for words in (("build", project), ("export", "nvcc", project, "-o", tmp_path / "exported")):
        status, _, err = ended(*words)
        (name,) = re.findall(r"^(\S+):2:12: error", err, re.MULTILINE)
        assert (status, Path(name).resolve()) == (1, kernels / "broken.cu")
    # Nothing to launch on is needed to see that it does not build.
    launch = (*LAUNCH[:2], *LAUNCH[4:], "--axis", "option=-O1,-O2")
    _, out, _ = ended("sweep", seen(kernels / "scale.cu"), broken, *OPTIONS, *launch, "--json")
    messages = [row["message"] for row in json.loads(out)["variants"]]
    assert ["in broken.cu, line 2" in message for message in messages] == [True, True]


def test_tables_name_the_file_of_each_row(ended, here, kernels):
    """Two headers of one name by the part of the path that tells them apart."""
    for name in ("one", "two"):
        (kernels / name).mkdir(exist_ok=True)
        (kernels / name / "same.h").write_text(HEADER.replace("twice", name))
    call = (
        'extern "C" __global__ void both(float* a) { a[threadIdx.x] = one(two(a[threadIdx.x])); }'
    )
    (kernels / "both.cu").write_text(f'#include "one/same.h"\n#include "two/same.h"\n{call}\n')
    name, launch = seen(kernels / "both.cu"), ("--kernel", "both", *LAUNCH[2:])
    _, out, _ = ended("inspect", name, *OPTIONS, "--code")
    rows = re.findall(r"^ +0x\w+ .*? (\S+):\d+ +\d+  \w", out, re.MULTILINE)
    assert set(rows) == {"both.cu", "one/same.h", "two/same.h"}
    (place,) = re.findall(r"double precision \((\S+?):1(?:, | and )", out)
    assert Path(place).resolve() in {kernels / "one" / "same.h", kernels / "two" / "same.h"}
    _, out, _ = ended("run", name, *OPTIONS, *launch)
    assert set(re.findall(r"^ +(\S+):\d+ +1 ", out, re.MULTILINE)) == set(rows)
    scale = seen(kernels / "scale.cu")
    _, _, err = ended("build", name, scale, *OPTIONS, "--emit", "cubin")
    # Lines of key figures have a dot behind the kernel.
    rows_of = re.compile(r"(both|scale) +[^· ]")
    table = [line.split()[:2] for line in err.splitlines() if rows_of.match(line)]
    assert sorted(table) == [["both", name], ["scale", scale]]


@pytest.mark.slow
@pytest.mark.parametrize("here", one_in(4, FOLDERS), indirect=True)
def test_the_plugin_of_pytest_names_files_that_are_there(here, kernels, environment):
    (kernels / "test_budgets.py").write_text(
        "def test_all(jitstudio_check):\n    jitstudio_check('BUDGETS.toml')\n"
    )
    words = ("-m", "pytest", "-q", "-p", "jitstudio.pytest_plugin", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, *words, "--rootdir", here, seen(kernels / "test_budgets.py")],
        capture_output=True,
        text=True,
        env={name: value for name, value in environment.items() if name not in OF_CI},
        timeout=120,
    )
    told = re.findall(r"^(\S+?):\d+(?::\d+)?: error", done.stdout, re.MULTILINE)
    assert [Path(name).resolve().name for name in told] == ["scale.cu", "broken.cu"], done.stdout
    assert all(Path(name).is_file() for name in told)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mcp") is None, reason="needs the package mcp")
def test_language_models_read_names_as_from_their_folder(kernels):
    settings = {"target": QUICK_ARCH.sm, "options": ["-lineinfo"]}
    scale, broken = {"sources": ["kernels/scale.cu"]}, {"sources": ["kernels/broken.cu"]}
    calls = {
        "build": {**broken, **settings},
        "inspect": {**scale, **settings},
        "check": {**scale, **settings, "require": ["no double"]},
        "compare": {"a": scale["sources"], "b": broken["sources"], **settings},
        "run": {**scale, **settings, "grid": "1", "block": "32", "arguments": {"a": "32"}},
    }

    async def talk(client):
        return [(await client.call_tool(*call)).content[0].text for call in calls.items()]

    answers = dict(zip(calls, conversation(kernels.parent, talk), strict=True))
    assert "kernels/broken.cu:2:12: error" in answers["build"]
    assert " at kernels/twice.h:1" in answers["inspect"]
    assert " at kernels/scale.cu:2: FAILS" in answers["check"]
    assert "kernels/broken.cu:2" in answers["compare"]
    assert '"scale.cu:2: executed' in answers["run"]
    assert str(kernels) not in "".join(answers.values())


def test_python_names_files_that_are_there_and_texts_by_their_name(here, kernels):
    common = {"arch": QUICK_ARCH.sm, "options": "-lineinfo"}
    files = files_in(jitstudio.inspect(Path(seen(kernels / "scale.cu")), **common).to_dict())
    assert files == {str(kernels / "scale.cu"), str(kernels / "twice.h")}
    headers = {"twice.h": HEADER}
    report = jitstudio.inspect(KERNEL, headers=headers, name="mine.cu", **common)
    assert files_in(report.to_dict()) == {"mine.cu", "twice.h"}
    launched = jitstudio.run(
        KERNEL,
        arguments={"a": 32},
        grid=1,
        block=32,
        device="sim",
        headers=headers,
        name="mine.cu",
        **common,
    )
    assert files_in(launched.to_dict()) <= {"mine.cu", "twice.h"}


def test_links_and_spaces_lead_to_files_of_the_repository(ended, here, kernels, tmp_path):
    """A link to the repository, links to sources in it, and `..` behind a folder."""
    folder = tmp_path / "my kernels"
    (folder / "sub").mkdir(parents=True, exist_ok=True)
    (folder / "k.cu").write_text(KERNEL.replace("twice.h", "sub/twice.h"))
    (folder / "sub" / "twice.h").write_text(HEADER)
    (folder / "broken.cu").write_text(BROKEN)
    links = {folder / "link.cu": "k.cu", folder / "sub" / "up.cu": "../k.cu"}
    alias = tmp_path.with_name(f"{tmp_path.name}-alias")
    for link, target in {**links, folder / "other.cu": "broken.cu", alias: tmp_path}.items():
        link.unlink(missing_ok=True)
        link.symlink_to(target)
    sources = ("k.cu", "sub/../k.cu", "link.cu", "sub/up.cu", "other.cu", "sub/../broken.cu")
    (folder / "B.toml").write_text(
        "".join(BUDGETS[: BUDGETS.index("[[", 2)].replace("missing.cu", name) for name in sources)
    )
    for begin in (tmp_path, alias):
        file = os.path.relpath(begin / "my kernels" / "B.toml")
        _, _, err = ended("check", file, "--sarif", tmp_path / "links.sarif")
        told = re.findall(r"^(.+?):(\d+)(?::\d+)?: error", err, re.MULTILINE)
        assert all(Path(name).is_file() for name, _ in told), told
        (log,) = json.loads((tmp_path / "links.sarif").read_text())["runs"]
        assert log["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{begin.as_uri()}/"
        places = [one["locations"][0]["physicalLocation"] for one in log["results"]]
        assert [place["artifactLocation"]["uri"] for place in places] == [
            f"my%20kernels/{name.replace('sub/../', '')}" for name in sources
        ]
        # The line of the module that called what a header has, as without links.
        assert [place["region"]["startLine"] for place in places] == [2] * len(sources)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("source = 'scale.cu'\nrequire = ['regsters <= 2']\n", "'registers'?"),
        ("source = 'scale.cu'\narch = 3\n" + REQUIRE, "'arch'"),
        (None, "wrong.toml"),
    ],
)
def test_reports_are_written_whatever_fails(run, kernels, tmp_path, text, part):
    path = kernels / "wrong.toml"
    path.unlink(missing_ok=True)
    if text:
        path.write_text(f"[[budget]]\n{text}")
    ran = run("check", path, "--sarif", "wrong.sarif", "--junit", "wrong.xml")
    assert (ran.code, part in ran.err) == (2, True)
    (log,) = json.loads((tmp_path / "wrong.sarif").read_text())["runs"]
    (result,) = log["results"]
    assert part in result["message"]["text"]
    places = [
        place["physicalLocation"]["artifactLocation"] for place in result.get("locations", ())
    ]
    assert [place["uri"] for place in places] == (["kernels/wrong.toml"] if text else [])
    assert part in ElementTree.parse(tmp_path / "wrong.xml").getroot().find(".//error").text


def test_a_report_is_written_where_another_cannot_be(run, kernels, tmp_path):
    words = ("--sarif", "none/wrong.sarif", "--junit", "second.xml")
    ran = run("check", kernels / "BUDGETS.toml", "--only", "scale*", *words)
    assert (ran.code, "'none/wrong.sarif'" in ran.err) == (2, True)
    assert ElementTree.parse(tmp_path / "second.xml").getroot().find(".//failure") is not None
