"""Thousands of kernels in a module: each command takes time in proportion, a few times the tools'.

In seconds of processors, those of all processes that a command starts.
"""

import os
import resource
import shutil
import subprocess
import sys
import sysconfig
from functools import cache, partial

import pytest

from jitstudio.analysis.sass.reading import CODE_OPTIONS, LIVE_OPTIONS
from jitstudio.core.toolchain_folders import toolchain_in
from jitstudio.core.tools import Tool
from jitstudio.mcp.answers import LONGEST
from jitstudio.toolchain import locate
from tests import bare_tools
from tests.mcp_client import MARKS, answers_to, text_of
from tests.support import ROOT

pytestmark = [pytest.mark.bench, pytest.mark.tools]

FEW, MANY = 500, 2_000
TARGET = ("--arch", "sm_75")
LAUNCH = ("--kernel", "k3", "--grid", "1", "--arg", "arg0=int[32]:zeros:out")
SIMULATED = ("--device", "sim", "--block", "32")
BUDGET = (
    '[[budget]]\nsource = "a.ptx"\ntarget = "sm_75"\nrequire = ["registers <= 64", "no double"]\n'
)
KERNEL = """
.visible .entry k{n}(.param .u64 k{n}_param_0)
{{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [k{n}_param_0];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd2, %rd1, %rd3;
    mov.u32 %r2, {value};
    st.global.u32 [%rd2], %r2;
    ret;
}}
"""
COMMANDS = {
    "build": ("build", "a.ptx", *TARGET, "--emit", "ptx,cubin", "-o", "out"),
    "inspect": ("inspect", "a.ptx", *TARGET),
    "inspect as JSON": ("inspect", "a.ptx", *TARGET, "--json"),
    "inspect a kernel": ("inspect", "a.ptx", *TARGET, "--kernel", "k3", "--code"),
    "diff": ("diff", "a.ptx", "b.ptx", *TARGET),
    "check": ("check", "B.toml", "--sarif", "s.json", "--junit", "j.xml"),
    "run": ("run", "a.ptx", *TARGET, *LAUNCH, *SIMULATED),
    "run as JSON": ("run", "a.ptx", *TARGET, *LAUNCH, *SIMULATED, "--json"),
    "sweep": ("sweep", "a.ptx", *TARGET, *LAUNCH, "--axis", "block=32,64"),
    **{
        name: ("export", name, "a.ptx", *TARGET, "--kernel", "k3", "-o", f"e-{name}")
        for name in ("nvcc", "cpp", "cuda-core", "html")
    },
}
SCRIPT = """
import jitstudio
from pathlib import Path
one, two = Path("a.ptx"), Path("b.ptx")
known = {"arch": "sm_75"}
built, read = jitstudio.build(one, **known), jitstudio.inspect(one, **known)
pages = len(built._repr_html_()), len(read._repr_html_())
launch = {"arguments": {"arg0": "int[32]:zeros:out"}, "grid": 1, "block": 32, "device": "sim"}
ran = jitstudio.run(one, **known, kernel="k3", **launch)
assert list(ran.buffers["arg0"]) == [3] * 32
assert len(read.kernels) == one.read_text().count(".entry")
jitstudio.diff(one, two, **known)
"""
PLUGIN = "def test_all(jitstudio_check):\n    jitstudio_check('B.toml')\n"
_PTX = {"sources": ["a.ptx"], "target": "sm_75"}
_SIDES = {"a": ["a.ptx"], "b": ["b.ptx"], "target": "sm_75"}
_LAUNCH = {
    "kernel": "k3",
    "arguments": {"arg0": "int[32]:zeros:out"},
    "grid": "1",
    "block": "32",
}
CALLS = {
    "build": ("build", {**_PTX, "emit": []}),
    "inspect": ("inspect", _PTX),
    "diff": ("diff", _SIDES),
    "compare": ("compare", {**_SIDES, "launch": _LAUNCH}),
    "check": ("check", {**_PTX, "require": ["registers <= 2"]}),
    "run": ("run", {**_PTX, **_LAUNCH}),
}
# Python and MCP read two programs, a page of HTML or a launch beside; 1.5 to 3.5 measured.
MOST_TIMES = 6.0
GROWTH = 1.25 * MANY / FEW


def seconds(work):
    """The seconds of processors of all processes that end while a function is at work."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Folders with two modules of few and of many kernels, and a budget."""
    folders = {}
    for count in (FEW, MANY):
        folders[count] = folder = tmp_path_factory.mktemp(f"of{count}")
        for name, factor in (("a", 1), ("b", 10)):
            kernels = "".join(KERNEL.format(n=n, value=n * factor) for n in range(count))
            head = ".version 8.0\n.target sm_75\n.address_size 64\n"
            (folder / f"{name}.ptx").write_text(head + kernels)
        (folder / "B.toml").write_text(BUDGET)
        (folder / "s.py").write_text(SCRIPT)
        (folder / "test_budgets.py").write_text(PLUGIN)
    return folders


@cache
def bare(folder):
    """The seconds that nvJitLink and the two runs of nvdisasm take for the first module."""
    library = toolchain_in(sysconfig.get_path("purelib")).files[Tool.NVJITLINK]
    words = (sys.executable, "-I", "-S", bare_tools.__file__, library, folder / "a.ptx")
    cubin = folder / "bare.cubin"

    def work():
        with cubin.open("wb") as file:
            subprocess.run([*words, "-arch=sm_75", "-lineinfo"], stdout=file, check=True)
        for options in (CODE_OPTIONS, LIVE_OPTIONS):
            subprocess.run(
                [locate.nvdisasm(), *options, cubin], stdout=subprocess.DEVNULL, check=True
            )

    return seconds(work)


def in_proportion(folders, work):
    """Asserts that the time of some work in a folder grows with the kernels, like the tools'."""
    few, many = (seconds(partial(work, folders[count])) for count in (FEW, MANY))
    assert many / few < GROWTH, f"{few:.2f} s, then {many:.2f} s"
    assert many / bare(folders[MANY]) < MOST_TIMES, f"{many:.2f} s"


def done(folder, words, expected=(0,)):
    """Runs a process of its own in a folder, with a cache of the folder."""
    places = {"JITSTUDIO_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    shutil.rmtree(folder / "cache", ignore_errors=True)
    ended = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | places,
        timeout=300,
    )
    assert ended.returncode in expected, ended.stderr[-2000:]
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_time_in_proportion(folders, name):
    # Differences end in 1, no GPU in 3.
    expected = {"diff": (1,), "sweep": (0, 3)}.get(name, (0,))
    words = ("-m", "jitstudio", *COMMANDS[name])
    in_proportion(folders, lambda folder: done(folder, words, expected))


def test_functions_of_python_take_time_in_proportion(folders):
    in_proportion(folders, lambda folder: done(folder, ["s.py"]))


def test_the_plugin_of_pytest_takes_time_in_proportion(folders):
    words = ("-m", "pytest", "-q", "-p", "jitstudio.pytest_plugin", "-p", "no:cacheprovider", ".")
    in_proportion(folders, lambda folder: done(folder, words))


@MARKS[-1]
@pytest.mark.parametrize("name", CALLS)
def test_a_call_of_a_language_model_takes_time_in_proportion(folders, name):
    def work(folder):
        shutil.rmtree(folder / "cache", ignore_errors=True)
        (answer,) = answers_to(folder, {name: CALLS[name]}).values()
        assert not answer.is_error
        assert len(text_of(answer)) <= LONGEST

    in_proportion(folders, work)
