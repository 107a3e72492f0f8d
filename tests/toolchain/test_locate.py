import os
import subprocess
import sys
from pathlib import Path

import pytest

from jitstudio.core.tools import NO_COMPILERS, OPTIONAL_TOOLS, Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.tool_output import ToolMissing


@pytest.mark.parametrize("tool", [t for t in Tool if t not in (*NO_COMPILERS, *OPTIONAL_TOOLS)])
def test_every_tool_is_found_with_its_origin(tool):
    path, found_via = locate.locate(tool)
    assert Path(path).is_file()
    assert found_via


def test_the_disassembler_tells_its_version():
    major, minor = map(int, locate.program_version(Tool.NVDISASM).split("."))
    assert (major, minor) >= (13, 0)


@pytest.fixture
def toolkit(tmp_path):
    (tmp_path / "toolkit" / "bin").mkdir(parents=True)
    (tmp_path / "toolkit" / "nvvm").mkdir()
    compiler = tmp_path / "toolkit" / "bin" / "nvcc"
    compiler.write_text("#!/bin/sh\n")
    compiler.chmod(0o755)
    return tmp_path / "toolkit"


def test_a_toolkit_on_the_path_is_announced(monkeypatch, toolkit):
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.setenv("CUDA_PATH", "")
    monkeypatch.setenv("PATH", str(toolkit / "bin"))
    locate.announce_toolkit()
    assert os.environ["CUDA_PATH"] == str(toolkit)


def test_the_choice_of_the_user_stands(monkeypatch, toolkit):
    monkeypatch.setenv("CUDA_PATH", "/my/own")
    monkeypatch.setenv("PATH", str(toolkit / "bin"))
    locate.announce_toolkit()
    assert os.environ["CUDA_PATH"] == "/my/own"


def test_nvcc_is_looked_for_without_starting_a_program(monkeypatch, toolkit):
    """Each worker looks for it when it starts, and most machines have none."""
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setattr(sys, "path", [])
    for variable in ("CONDA_PREFIX", "CUDA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CUDA_PATH", "/my/own")
    find = locate.program.__wrapped__
    with pytest.raises(ToolMissing, match="pip install nvidia-cuda-nvcc"):
        find(Tool.NVCC)
    monkeypatch.setenv("CUDA_PATH", str(toolkit))
    assert find(Tool.NVCC) == os.path.realpath(toolkit / "bin" / "nvcc")
