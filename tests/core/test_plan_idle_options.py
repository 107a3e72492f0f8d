from dataclasses import replace

import pytest

from jitstudio.core.arch import DEFAULT_ARCH
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.diagnostics import Severity
from jitstudio.core.plan import with_idle_options
from jitstudio.core.request import Assembler
from jitstudio.core.result import BuildResult, Outcome
from tests.support import cuda, ptx, request

CUDA = cuda("", "a.cu")
PTX = ptx("b.ptx", "")
CUBIN = Source("c.cubin", CodeKind.CUBIN, b"")
FATBIN = Source("d.fatbin", CodeKind.FATBIN, b"")


def told(built):
    """What is told of the options of a build that went well."""
    diagnostics = with_idle_options(built, BuildResult(Outcome.BUILT, DEFAULT_ARCH)).diagnostics
    assert all(diagnostic.severity is Severity.WARNING for diagnostic in diagnostics)
    return [diagnostic.message for diagnostic in diagnostics]


@pytest.mark.parametrize(
    ("source", "emit", "option", "takers"),
    [
        (CUDA, "ptx", "-O0", "nvJitLink"),
        (CUDA, "sass", "nvjitlink:-lineinfo", "nvJitLink"),
        (PTX, "cubin", "nvrtc:--bogus", "NVRTC"),
        (PTX, "cubin", "--print-life-ranges", "nvdisasm"),
        (CUBIN, "sass", "--bogus", "nvJitLink"),
        (CUBIN, "sass", "-lineinfo", "NVRTC and nvJitLink"),
    ],
)
def test_an_option_that_reaches_no_tool_is_told_with_those_it_is_for(source, emit, option, takers):
    message = f"No tool of this build takes '{option}': it is for {takers}."
    assert told(request(source, emit=emit, options=(option, option))) == [message]


@pytest.mark.parametrize(
    ("source", "emit", "option"),
    [
        (CUDA, "ptx", "--bogus"),
        (CUDA, "ptx", "-lineinfo"),
        (CUDA, "sass", "--print-life-ranges"),
        (PTX, "cubin", "--bogus"),
        (PTX, "sass", "-O0"),
        (FATBIN, "sass", "-O0"),
    ],
)
def test_an_option_that_reaches_one_tool_is_not_told(source, emit, option):
    assert told(request(source, emit=emit, options=(option,))) == []


def test_the_driver_takes_what_nvjitlink_would():
    built = request(PTX, emit="cubin", options=("-O0",))
    assert told(replace(built, assembler=Assembler.DRIVER)) == []


def test_the_linker_of_a_link_takes_its_options():
    assert told(request(CUDA, PTX, emit="ptx", options=("-O0",))) != []
    assert told(request(CUDA, PTX, emit="cubin", link="ptx", options=("-O0",))) == []


def test_a_build_that_is_refused_tells_of_no_options():
    assert told(request(CUBIN, emit="ltoir", options=("-O0",))) == []
