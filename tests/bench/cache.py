"""What a rebuild costs that finds its results in the cache.

    python tests/bench/cache.py [ROUNDS]

Two cases, each against the bare calls of the libraries in the same run, turn and turn about:

- A kernel that includes CUB, built again without a change. The goal is a ratio of at most 0.1 to
  the bare compile, for results in memory and for a new program that finds them on disk.
- Eight modules of an LTO link, one of them changed. The goal is a ratio of at most 1.3 to the bare
  compile of that one and the bare link.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from cuda.bindings import nvjitlink, nvrtc  # noqa: E402

from jitstudio.cache.store import Store  # noqa: E402
from jitstudio.worker.builder import Builder  # noqa: E402
from tests.support import cuda, request  # noqa: E402

GOAL_CACHED, GOAL_CHANGED = 0.1, 1.3
MODULES = 8

CUB = """\
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void total(const int* in, int* out) {
    using Reduce = cub::BlockReduce<int, 256>;
    __shared__ typename Reduce::TempStorage shared;
    int sum = Reduce(shared).Sum(in[threadIdx.x]);
    if (threadIdx.x == 0) *out = sum;
}
"""


def module(number: int, edit: int = 0) -> str:
    """A module of some weight, which calls the next one."""
    lines = "".join(f"    x = x * {i + 3}u + (x >> {i % 13 + 1});\n" for i in range(400))
    head = f"__device__ unsigned f{number}(unsigned x) {{\n{lines}    return x + {edit}u;\n}}\n"
    if number:
        return head
    calls = "".join(f"__device__ unsigned f{n}(unsigned x);\n" for n in range(1, MODULES))
    sums = " + ".join(f"f{n}(x)" for n in range(MODULES))
    kernel = 'extern "C" __global__ void k(unsigned* p) { unsigned x = *p; *p = %s; }\n'
    return head + calls + kernel % sums


def bare_compile(text: str, name: str, options: list[bytes], lto: bool = False) -> bytes:
    """One compile by NVRTC itself."""
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), name.encode(), 0, [], [])
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    assert status == nvrtc.nvrtcResult.NVRTC_SUCCESS
    size_of, copy = (
        (nvrtc.nvrtcGetLTOIRSize, nvrtc.nvrtcGetLTOIR)
        if lto
        else (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX)
    )
    made = b" " * size_of(program)[1]
    copy(program, made)
    nvrtc.nvrtcDestroyProgram(program)
    return made


def bare_link(inputs: list[bytes]) -> None:
    """One LTO link by nvJitLink itself."""
    options = ["-arch=sm_90", "-lto"]
    handle = nvjitlink.create(len(options), options)
    for number, data in enumerate(inputs):
        nvjitlink.add_data(handle, nvjitlink.InputType.LTOIR, data, len(data), f"m{number}")
    nvjitlink.complete(handle)
    cubin = bytearray(nvjitlink.get_linked_cubin_size(handle))
    nvjitlink.get_linked_cubin(handle, cubin)
    nvjitlink.destroy(handle)


def timed(call, *args) -> tuple[float, object]:
    """Milliseconds of a call, and what it returned."""
    start = time.perf_counter()
    made = call(*args)
    return (time.perf_counter() - start) * 1000, made


def unchanged(folder: Path, rounds: int) -> float:
    """The kernel with CUB, again and again; the worse of both ratios."""
    wanted = request(cuda(CUB, "total.cu"))
    builder = Builder(store=Store(folder))
    first = builder.build(wanted)
    assert first.ok
    options = [o.encode() for o in first.stages[0].options if "bundled" in o or "include" in o]
    bare, memory, disk = [], [], []
    for _ in range(rounds):
        ms, _ = timed(bare_compile, CUB, "total.cu", [b"-arch=compute_90", *options])
        bare.append(ms)
        again = builder.build(wanted)
        assert [stage.cached for stage in again.stages] == [True]
        memory.append(again.total_ms)
        other = Builder(store=Store(folder))
        other.start()
        again = other.build(wanted)
        assert [stage.cached for stage in again.stages] == [True]
        disk.append(again.total_ms)
        other.close()
    builder.close()
    base = statistics.median(bare)
    ratios = [statistics.median(times) / base for times in (memory, disk)]
    print(f"bare compile with CUB            {base:9.2f} ms (median of {rounds})")
    print(f"built again, from memory         {statistics.median(memory):9.2f} ms")
    print(f"  ratio                          {ratios[0]:9.3f}    (goal: at most {GOAL_CACHED})")
    print(f"built by a new program, by disk  {statistics.median(disk):9.2f} ms")
    print(f"  ratio                          {ratios[1]:9.3f}    (goal: at most {GOAL_CACHED})")
    return max(ratios)


def one_changed(folder: Path, rounds: int) -> float:
    """Eight modules, one of them changed in each round."""
    builder = Builder(store=Store(folder))
    options = [b"-arch=compute_90", b"-dlto"]
    inputs = [bare_compile(module(n), f"m{n}.cu", options, True) for n in range(MODULES)]
    bare, built = [], []
    for edit in range(-2, rounds):
        texts = [module(n, edit + 3 if n == 3 else 0) for n in range(MODULES)]
        ms, inputs[3] = timed(bare_compile, texts[3], "m3.cu", options, True)
        ms_link, _ = timed(bare_link, inputs)
        sources = [cuda(text, f"m{n}.cu") for n, text in enumerate(texts)]
        result = builder.build(request(*sources, link="lto", emit="cubin"))
        assert result.ok
        if edit >= 0:  # the rounds before warm both up
            ran = [stage.source for stage in result.stages if not stage.cached]
            assert ran == ["m3.cu", "linked"]
            bare.append(ms + ms_link)
            built.append(result.total_ms)
    builder.close()
    ratio = statistics.median(built) / statistics.median(bare)
    print(f"bare compile of one and link     {statistics.median(bare):9.2f} ms")
    print(f"{MODULES} modules, one of them changed   {statistics.median(built):9.2f} ms")
    print(f"  ratio                          {ratio:9.3f}    (goal: at most {GOAL_CHANGED})")
    return ratio


def main(rounds: int) -> int:
    """Measure and print; 1 if a goal is missed."""
    with tempfile.TemporaryDirectory() as folder:
        cached = unchanged(Path(folder) / "unchanged", rounds)
        changed = one_changed(Path(folder) / "changed", rounds)
    return 0 if cached <= GOAL_CACHED and changed <= GOAL_CHANGED else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
