import re
from importlib.metadata import version

import pytest

from jitstudio import __version__
from jitstudio.commands import versions
from jitstudio.core.tools import NO_COMPILERS, OPTIONAL_TOOLS, Tool


def test_help_names_every_command(run):
    ran = run("--help")
    assert ran.code == 0
    assert "build" in ran.out
    assert "doctor" in ran.out
    assert {"run", "sweep", "devices"} <= set(ran.out.split())
    assert "jitstudio [FILE...] opens the window" in ran.out


def test_help_of_build_tells_the_exit_codes(run):
    ran = run("build", "--help")
    assert ran.code == 0
    text = " ".join(ran.out.split())
    assert "0 built, 1 compile or link failed, 2 usage, 3 something is missing" in text


@pytest.mark.parametrize("word", ["run", "sweep"])
def test_help_of_what_launches_tells_the_status_of_a_failed_check(run, word):
    text = " ".join(run(word, "--help").out.split())
    assert "5 a check failed" in text


def test_an_axis_with_a_dash_needs_no_equals_sign(run):
    ran = run("sweep", "none.cu", "--axis", "-DN=1,2")
    assert ran.code == 2
    assert "'none.cu' cannot be read" in ran.err


def test_the_version_names_all_parts(run):
    ran = run("--version")
    first, *rows = ran.out.splitlines()
    assert (ran.code, first) == (0, f"jitstudio {__version__}")
    told = {row[:17].strip(): row[17:] for row in rows}
    tools = ("NVRTC", "libNVVM", "nvJitLink", "nvFatbin", "nvdisasm", "cuobjdump")
    packages = ("cuda-python", "cuda-bindings", "cuda-core", "PySide6")
    assert {"Python", "System", *tools, *packages} <= told.keys()
    for tool in Tool:
        if tool not in (*NO_COMPILERS, *OPTIONAL_TOOLS):
            assert re.match(r"\d+\.\d+, ", told[tool.value]), tool
    assert told["cuda-core"] == version("cuda-core")


def test_a_part_that_is_missing_is_said_not_to_be_found(run, monkeypatch):
    monkeypatch.setattr(versions, "_PACKAGES", {"PySide6": "no-such-distribution"})
    assert f"{'PySide6':<17}not found\n" in run("--version").out


def test_without_a_command_the_usage_is_told(run):
    ran = run()
    assert ran.code == 2
    assert "the following arguments are required: COMMAND" in ran.err


def test_an_option_with_a_dash_needs_no_equals_sign(run):
    ran = run("build", "none.cu", "--option", "-lineinfo", "--option=-G")
    assert ran.code == 2
    assert "'none.cu' cannot be read" in ran.err
