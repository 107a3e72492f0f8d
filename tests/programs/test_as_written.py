"""Programs as people write them: the kernels that nvcc makes of them, the launches that they make.

What nvcc and a run of each program say is in `recorded.json`, which
`python3 -m tests.programs.oracle` writes. Each program of `instances` has one way in which host
code comes to an instance of a kernel template. `known.toml` has what fails for now, each with its
cause, and what nobody but a run of the program can tell: that may be unknown, or assumed where the
launch says so.
"""

import json
import tomllib
from functools import cache

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.request import BuildRequest
from jitstudio.listing.kernels.forms import kernel_forms
from jitstudio.listing.own_headers import own_headers
from jitstudio.toolchain import nvrtc
from tests.program_kernels import named, of_library
from tests.programs.matched import best_match, copied
from tests.programs.oracle import FOLDER, TABLE, TARGET, flags
from tests.support import request

RECORDED = json.loads(TABLE.read_text())
PROGRAMS = RECORDED["programs"]
WITH_LAUNCHES = [name for name in PROGRAMS if PROGRAMS[name]["lines"]]
KNOWN = tomllib.loads((FOLDER / "known.toml").read_text())
# Headers of Thrust, CUB and libcu++ take seconds each.
HEAVY = {
    "cooperative_reduction.cu",
    "cub_block_and_device.cu",
    "cub_block_primitives.cu",
    "cub_device_calls.cu",
    "libcudacxx_parts.cu",
    "pipeline_copies.cu",
    "thrust_in_kernels.cu",
    "thrust_pipeline.cu",
}
# Some kernels have so many registers more or less by the ptxas of another version.
BETWEEN_VERSIONS = 3
pytestmark = pytest.mark.slow


def programs(table, names=PROGRAMS):
    """Programs, of which those fail that a table of causes has."""
    cases = []
    for name in sorted(names):
        marks = [pytest.mark.bench] if name in HEAVY else []
        if cause := KNOWN[table].get(name):
            marks.append(pytest.mark.xfail(reason=cause, strict=True))
        cases.append(pytest.param(name, marks=marks))
    return cases


@pytest.fixture(scope="module")
def built(builder):
    """A function that gives the source of a program and what becomes of it."""

    @cache
    def build(name, emit="ptx"):
        path = FOLDER / name
        source = Source(path.name, CodeKind.CUDA, path.read_bytes(), folder=str(path.parent))
        options = tuple(word for word in flags(path) if word.startswith("-std="))
        return source, builder.build(request(source, emit=emit, arch=TARGET, options=options))

    return build


@pytest.mark.parametrize("name", programs("kernels"))
def test_the_kernels_are_those_of_nvcc(built, name):
    _, result = built(name)
    assert result.ok, (result.reason, result.diagnostics)
    kernels = dict.fromkeys(k.name for k in result.kernels if not of_library(k.name))
    assert named(kernels).keys() == named(PROGRAMS[name]["kernels"]).keys()


@pytest.mark.bench
@pytest.mark.parametrize("name", programs("registers"))
def test_registers_are_those_of_nvcc(built, name):
    _, result = built(name, "cubin")
    registers = {k.name: k.resources.registers for k in result.kernels if k.resources}
    own = named({kernel: count for kernel, count in registers.items() if not of_library(kernel)})
    wanted = named(PROGRAMS[name]["kernels"])
    assert own.keys() == wanted.keys()
    slack = 0 if nvrtc.version() == RECORDED["nvcc"] else BETWEEN_VERSIONS
    differing = {kernel: (own[kernel], wanted[kernel]) for kernel in own}
    assert {k: (a, b) for k, (a, b) in differing.items() if abs(a - b) > slack} == {}


@pytest.mark.parametrize("name", programs("launches", WITH_LAUNCHES))
def test_a_form_says_of_a_launch_what_a_run_does(built, name):
    source, result = built(name)
    assert result.ok, (result.reason, result.diagnostics)
    lines = PROGRAMS[name]["lines"]
    headers = own_headers(BuildRequest((source,)))
    for form in kernel_forms([source], result, headers, access=True):
        if of_library(form.lowered) or (match := best_match(form, lines)) is None:
            continue
        if (launch := form.host_launch) is not None:
            match.wrong += copied(form, launch, lines).wrong
        is_of_a_run = name in KNOWN["run"]
        is_assumed = is_of_a_run and launch is not None and launch.assumed
        assert match.wrong == [] or is_assumed
        assert match.unknown == [] or is_of_a_run
