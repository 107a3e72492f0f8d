"""Whole programs, host code and all, build as they are to the kernels that nvcc makes of them."""

import json
import shutil

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.result import Outcome
from jitstudio.toolchain import nvrtc
from tests.program_kernels import PROGRAMS, TABLE, named, of_nvcc, version_of
from tests.support import one_in, request

MADE_BY_NVCC = json.loads(TABLE.read_text())
NAMES = sorted(path.name for path in PROGRAMS.glob("*.cu"))
# cuRAND has headers for the device only in a wheel of its own.
LACKS_A_HEADER = {"pi_monte_carlo.cu"}
# Without one instance, whose arguments follow from the result of a function template of the host.
FEWER_KERNELS = {"functors_transform.cu"}
pytestmark = pytest.mark.slow


def program(name):
    path = PROGRAMS / name
    return Source(name, CodeKind.CUDA, path.read_bytes(), folder=str(PROGRAMS))


# What has heavy headers is built for every release, not for every change.
HEAVY = {"cub_block_scan.cu", "layernorm.cu", "ring_buffer.cu"}
CASES = [
    pytest.param(name, marks=[pytest.mark.bench] if name in HEAVY else [])
    for name in NAMES
    if name not in LACKS_A_HEADER
]


@pytest.mark.parametrize("name", one_in(3, CASES))
def test_a_whole_program_builds_to_the_kernels_that_nvcc_makes(builder, name):
    result = builder.build(request(program(name), emit="cubin"))
    assert result.ok, result.reason
    made = named({k.name: k.resources.registers for k in result.kernels if k.resources})
    version = nvrtc.version()
    table = MADE_BY_NVCC.get(version, next(iter(MADE_BY_NVCC.values())))
    expected = named(table.get(name, made))
    assert made.keys() <= expected.keys()
    assert made.keys() == expected.keys() or name in FEWER_KERNELS
    if version in MADE_BY_NVCC:
        assert {k: (n, expected[k]) for k, n in made.items() if n != expected[k]} == {}


@pytest.mark.parametrize("name", sorted(LACKS_A_HEADER))
def test_a_program_whose_header_is_nowhere_says_which(builder, name):
    result = builder.build(request(program(name)))
    assert result.ok or (result.outcome is Outcome.FAILED and "curand_kernel.h" in result.reason)


def test_the_table_is_what_nvcc_says():
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("there is no nvcc on PATH")
    if (version := version_of(nvcc)) not in MADE_BY_NVCC:
        pytest.skip(f"the table is of nvcc {' and '.join(MADE_BY_NVCC)}, this one is {version}")
    name = "histogram256.cu"
    assert named(of_nvcc(nvcc, PROGRAMS / name)) == named(MADE_BY_NVCC[version][name])
