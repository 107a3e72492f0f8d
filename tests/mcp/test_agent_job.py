"""The job of a coding agent: three kernels made faster step by step, within its means.

At each step it builds, reads what the machine code says, runs the kernel in the simulator with a
check, and compares the change with what was there before.
"""

import json
import re
from itertools import pairwise

import pytest

from tests.mcp_client import MARKS, characters_of_schemas, conversation, said, text_of
from tests.support import QUICK_ARCH

pytestmark = MARKS

_TRANSPOSE = """
extern "C" __global__ void transpose(const float* in, float* out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < n && y + j < n) out[x * n + y + j] = in[(y + j) * n + x];
}
"""
_TILE = """
extern "C" __global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < n && y + j < n) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < n && y + j < n) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
"""
_SUM = """
extern "C" __global__ void sum(const float* x, float* out, int n) {
    __shared__ float part[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (STEPS) {
        if (AT_WORK) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
"""
_SHUFFLED = """
__device__ float of_warp(float mine) {
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(~0u, mine, step);
    return mine;
}
extern "C" __global__ void sum(const float* x, float* out, int n) {
    __shared__ float part[8];
    int i = blockIdx.x * 256 + threadIdx.x;
    float mine = of_warp(i < n ? x[i] : 0);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    mine = of_warp(threadIdx.x < 8 ? part[threadIdx.x] : 0);
    if (threadIdx.x == 0) atomicAdd(out, mine);
}
"""
_GEMM = """
extern "C" __global__ void BOUNDS gemm(const float* a, const float* b, float* c, int n, int m) {
    float sums[8][8] = {};
    int row = (blockIdx.y * 16 + threadIdx.y) * 8;
    int column = (blockIdx.x * 16 + threadIdx.x) * 8;
    for (int k = 0; k < m; ++k)
        for (int i = 0; i < 8; ++i)
            for (int j = 0; j < 8; ++j) sums[i][j] += a[(row + i) * m + k] * b[k * n + column + j];
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) c[(row + i) * n + column + j] = sums[i][j];
}
"""


def _sum(steps, at_work):
    return _SUM.replace("STEPS", steps).replace("AT_WORK", at_work)


STEPS = {
    "transpose": (_TRANSPOSE, _TILE, _TILE.replace("[32][32]", "[32][33]")),
    "sum": (
        _sum("int step = 1; step < 256; step *= 2", "threadIdx.x % (2 * step) == 0"),
        _sum("int step = 128; step > 0; step /= 2", "threadIdx.x < step"),
        _SHUFFLED,
    ),
    "gemm": (
        _GEMM.replace("BOUNDS", "__launch_bounds__(256, 8)"),
        _GEMM.replace("BOUNDS", "__launch_bounds__(256)"),
    ),
}
LAUNCHES = {
    "transpose": {
        "arguments": {"in": "n * n:random", "out": "n * n:out", "n": "64"},
        "grid": "2,2",
        "block": "32,8",
        "expect": ["out = in.reshape(n, n).T.ravel()"],
    },
    "sum": {
        "arguments": {"x": "n:random", "out": "1:zeros:inout", "n": "1000"},
        "cover": "n",
        "block": "256",
        "expect": ["out = x.sum()"],
    },
    "gemm": {
        "arguments": {
            "a": "n * m:random",
            "b": "m * n:random",
            "c": "n * n:out",
            "n": "128",
            "m": "8",
        },
        "grid": "1,1",
        "block": "16,16",
        "expect": ["c = (a.reshape(n, m) @ b.reshape(m, n)).ravel()"],
    },
}
MOST_TOKENS, OF_AN_ANSWER, OF_A_COMPARISON = 12_000, 1_000, 400


def calls_for(name):
    """The calls for one of the kernels, each by what it is about."""
    # The bounds of the matrix product are about a multiprocessor with 2,048 threads.
    target = "sm_90" if name == "gemm" else QUICK_ARCH.sm
    built = {"target": target, "options": ["-lineinfo"]}
    launch = LAUNCHES[name]
    steps = [{f"{name}.cu": text} for text in STEPS[name]]
    for number, sources in enumerate(steps):
        yield ("build", number), {"sources": sources, "emit": [], **built}
        yield ("inspect", number), {"sources": sources, "block": 256, **built}
        yield ("run", number), {"sources": sources, **launch, **built}
    for number, (a, b) in enumerate(pairwise(steps), 1):
        yield ("compare", number), {"a": a, "b": b, "launch": launch, **built}
    yield ("diff", len(steps)), {"a": steps[0], "b": steps[-1], **built}


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """The schemas' characters, and the texts of all answers by kernel, tool and step."""

    async def talk(client):
        schemas = characters_of_schemas((await client.list_tools()).tools)
        answers = {}
        for name in STEPS:
            for (tool, number), words in calls_for(name):
                answers[name, tool, number] = await client.call_tool(tool, words)
        return schemas, answers

    return conversation(tmp_path_factory.mktemp("job"), talk)


@pytest.fixture(scope="module")
def answers(job):
    return {call: said(result) for call, result in job[1].items()}


def test_the_job_is_affordable(job):
    schemas, results = job
    sizes = {call: len(text_of(result)) / 4 for call, result in results.items()}
    limits = {"compare": OF_A_COMPARISON}
    too_long = {
        call: size for call, size in sizes.items() if size > limits.get(call[1], OF_AN_ANSWER)
    }
    assert too_long == {}
    assert schemas / 4 + sum(sizes.values()) <= MOST_TOKENS


def test_each_step_is_right(answers):
    for (_, tool, _), answer in answers.items():
        if tool == "run":
            assert answer["ok"] is True
            assert "as expected" in answer["launch"][0]
        if tool == "compare":
            assert (answer["outcome"], answer["outputs"]) == ("ran", "agree")


@pytest.mark.parametrize(
    ("call", "section", "part"),
    [
        (("transpose", "inspect", 0), "findings", "bring a tile into shared memory"),
        (("transpose", "run", 0), "findings", "32 sectors of 32 bytes"),
        (("transpose", "inspect", 1), "findings", "[32][33] instead of [32][32]"),
        (("transpose", "compare", 1), "new", "[32 + 1] instead of [32]"),
        (("sum", "inspect", 0), "findings", "halve the distance with if (i < distance)"),
        (("gemm", "build", 0), "kernels", "bytes spilled"),
        (("gemm", "inspect", 0), "findings", "Lower the second number of __launch_bounds__"),
    ],
)
def test_the_next_step_stands_in_the_first_answer(answers, call, section, part):
    assert part in json.dumps(answers[call][section])


def test_what_a_step_brings_is_what_arithmetic_says(answers):
    tiled, padded = (answers["transpose", "compare", step] for step in (1, 2))
    # 64 x 64 floats are 512 sectors to read. To write, each of the 128 requests of a warp goes down
    # a column, and needs 32 sectors instead of 4.
    assert tiled["simulated"]["sectors"] == f"{512 + 128 * 32} → {512 + 512}"
    # The 32 words of a column of the tile are in one bank: 31 passes more for each request.
    assert tiled["simulated"]["bank_conflicts"] == f"0 → {128 * 31}"
    assert padded["simulated"]["bank_conflicts"] == f"{128 * 31} → 0"
    assert "shared bytes 4,096 → 4,224" in padded["figures"][0]
    assert tiled["gone"] == ["Uncoalesced store of global memory"]
    assert padded["gone"] == ["Bank conflicts"]
    freed = answers["gemm", "compare", 1]
    assert "spill stores" in freed["figures"][0]
    assert "Registers are spilled" in freed["gone"]
    # 8 blocks of 256 threads are all 2,048 of a multiprocessor. Without that bound 65,536 registers
    # are for as many blocks as fit, each register by the 8 for all of its threads.
    registers = int(re.search(r"registers 32 → (\d+)", freed["figures"][0])[1])
    blocks = 65_536 // (256 * ((registers + 7) // 8 * 8))
    occupancy = f"{blocks * 256 / 2_048:.0%}"
    assert freed["occupancy"] == [f"gemm: 100% → {occupancy} with 256 threads by registers"]


def test_the_reduction_has_fewer_and_fewer_requests(answers):
    # Loads and stores of shared memory by 8 warps in 4 blocks. Of the first kernel's 8 steps the
    # first 5 keep all 8 warps at work, the others 4, 2 and 1; of the second's 4, 2, 1 and then 1.
    counts = [answers["sum", "run", step]["simulated"]["requests"] for step in range(3)]
    begins = 4 * (8 + 8)
    ends = 4 * 2
    assert counts[0] == begins + ends + 4 * 3 * (5 * 8 + 4 + 2 + 1)
    assert counts[1] == begins + ends + 4 * 3 * (4 + 2 + 1 + 5)
    # A load of x by each warp and a store of its sum; the first warp loads these and adds up.
    assert counts[2] == 4 * (8 + 8 + 1 + 1)
