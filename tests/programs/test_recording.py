"""The recording runtime, with which `recorded.json` is made: needs nvcc and its host compiler."""

import json
import shutil

import pytest

from tests.programs.oracle import FOLDER, TABLE, Oracle

pytestmark = pytest.mark.slow
PROGRAMS = json.loads(TABLE.read_text())["programs"]


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
    nvcc = shutil.which("nvcc")
    if nvcc is None or shutil.which("g++") is None:
        pytest.skip("there is no nvcc or no g++ on PATH")
    return Oracle(nvcc, tmp_path_factory.mktemp("oracle"))


def test_launches_and_copies_are_written_down(oracle, tmp_path):
    program = tmp_path / "all_ways.cu"
    program.write_text(ALL_WAYS)
    first, copy, again, cooperative, cluster, back = (
        line for line in oracle.lines([program]) if "call" not in line
    )
    assert (first["demangled"], first["by"]) == ("void scaled<double>(double*, S)", "<<<>>>")
    assert (first["grid"], first["block"], first["shared"]) == ([2, 3, 1], [32, 1, 1], 64)
    pointer, struct = first["arguments"]  # the variable is the first allocation
    assert pointer == {"bytes": "00" * 8, "pointers": {"0": [1, 16, 800]}}
    assert struct == {"bytes": "07000000" + "00" * 12, "pointers": {"8": [2, 0, 40]}}
    assert (copy["copy"], copy["variable"], copy["bytes"]) == ("to", "weights", "0200000003000000")
    assert (copy["offset"], copy["size"]) == (4, 8)
    assert (again["launch"], again["by"]) == ("_Z4nonev", "cudaLaunchKernel")
    assert (cooperative["cooperative"], cooperative["cluster"]) == (True, None)
    assert (cluster["cooperative"], cluster["cluster"]) == (False, [4, 1, 1])
    assert (back["copy"], back["bytes"]) == ("from", "000000000200000003000000")


def test_a_program_of_the_table_does_what_the_table_says(oracle):
    name = "class_static_launcher.cu"
    lines = [line for line in oracle.lines([FOLDER / name]) if "call" not in line]
    assert lines == PROGRAMS[name]["lines"]


ALL_WAYS = """\
struct S { int n; float *p; };
__constant__ int weights[3];
template <typename T> __global__ void scaled(T *p, S s) { p[0] = s.n * weights[0]; }
__global__ void none() {}
int main() {
    double *d; S s = {7, nullptr}; int two[] = {2, 3}, all[3];
    cudaMalloc(&d, 800);
    cudaMalloc(&s.p, 40);
    scaled<<<dim3(2, 3), 32, 64>>>(d + 2, s);
    cudaMemcpyToSymbol(weights, two, sizeof two, sizeof(int));
    cudaLaunchKernel((void *)none, 1, 1, nullptr, 0, 0);
    cudaLaunchCooperativeKernel((void *)none, 1, 1, nullptr, 0, 0);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {4, 1, 1};
    config.gridDim = 8, config.blockDim = 32, config.attrs = &attribute, config.numAttrs = 1;
    cudaLaunchKernelEx(&config, none);
    cudaMemcpyFromSymbol(all, weights, sizeof all);
}
"""
