"""The commands of the manual run, in a folder of samples."""

import re
import shutil

import pytest

from jitstudio.cli import COMMANDS
from tests.support import SAMPLES
from tests.test_learn import PAGES as LEARN
from tests.test_sentences import blocks

_KERNEL = SAMPLES / "vector_add.cu"
_FILES = {
    "kernel.cu": _KERNEL,
    "k.cu": _KERNEL,
    "apply.cu": SAMPLES / "apply_transform.cu",
    "transform.cu": SAMPLES / "user_transform.cu",
}
"""Files of the examples, besides the samples."""
_TRANSPOSE = """\
extern "C" __global__ void transpose(const float* in, float* out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}
"""
_PROGRAM = """\
#include <cuda_runtime.h>
#include <vector>

__global__ void scale(float* data, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= factor;
}

int main()
{
    const int n = 1000;
    std::vector<float> host(n, 1.0f);
    float* data;
    cudaMalloc(&data, n * sizeof(float));
    cudaMemcpy(data, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<(n + 255) / 256, 256>>>(data, 3.0f, n);
    cudaMemcpy(host.data(), data, n * sizeof(float), cudaMemcpyDeviceToHost);
}
"""
_BUDGETS = '[[budget]]\nsource = "kernel.cu"\nrequire = ["registers <= 64"]\n'
_CHANGED = ("a[i] + b[i]", "a[i] * b[i]")
_ELSEWHERE = re.compile(
    r"FILE|FOLDER|OLD|NEW|P\.jitproj|\.\.\.|cuda-13\.0|\b13\.0|\.whl$|\.zip$|\.py$|triton|python3"
)
"""Words that stand for the reader's own, and for what is not on every machine."""
_GPU_IS_MISSING = 3
_DIFFERS, _NOT_REACHED = 1, 5


def commands():
    """The commands in blocks of pages that can be carried out in a folder of samples."""
    for case in blocks():
        (words,) = case.values
        page = case.id.partition("-")[0]
        is_done = page in {name.partition("-")[0] for name in LEARN}
        if words[0] in COMMANDS and not is_done and not any(map(_ELSEWHERE.search, words)):
            yield pytest.param(words, id=case.id)


@pytest.mark.slow
@pytest.mark.usefixtures("shared_cache")
@pytest.mark.parametrize("words", [*commands()])
def test_a_command_of_the_manual_runs(run, tmp_path, monkeypatch, words):
    for path in SAMPLES.glob("*.cu*"):
        shutil.copy(path, tmp_path)
    for name, path in _FILES.items():
        shutil.copy(path, tmp_path / name)
    (tmp_path / "changed.cu").write_text(_KERNEL.read_text("utf-8").replace(*_CHANGED))
    (tmp_path / "transpose.cu").write_text(_TRANSPOSE)
    (tmp_path / "program.cu").write_text(_PROGRAM)
    (tmp_path / "BUDGETS.toml").write_text(_BUDGETS)
    monkeypatch.chdir(tmp_path)
    if words[:2] == ["lesson", "check"]:
        assert run("lesson", "open", words[2].partition("-")[0].lstrip("0") or "0").code == 0
    ran = run(*words)
    needs_gpu = words[0] in ("run", "sweep") and "sim" not in words
    fine = {0, *[_GPU_IS_MISSING] * needs_gpu, *[_DIFFERS] * (words[0] == "diff")}
    fine |= {_NOT_REACHED} if words[:2] == ["lesson", "check"] else set()
    assert ran.code in fine, ran.err


def test_most_commands_of_the_manual_are_run():
    assert len([*commands()]) >= 12
