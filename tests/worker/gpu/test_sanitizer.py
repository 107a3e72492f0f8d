"""What compute-sanitizer tells of kernels of which the simulator tells faults and races."""

import re

import pytest

from jitstudio.core.launch.spec import Sanitizer
from jitstudio.worker.compute_sanitizer import find_sanitizer
from tests.launching import spec
from tests.simulator import test_barriers, test_races
from tests.simulator.kernel_runs import KERNELS

pytestmark = pytest.mark.gpu

_BARRIERS = {
    # The threads that pass by exit before anything waits for them again: nothing for synccheck.
    "in_a_condition": False,
    "in_some_warps": False,
    "in_a_loop": False,
    "on_both_ways": True,
    "then_another": True,
    "returns_early": False,
    # It counts those of a warp that are still on their way to their exit.
    "returns_with_work": True,
    "of_whole_blocks": False,
    "named_by_warps": False,
    "after_a_long_way": False,
}
_PAIRS = ("reduce", "reverse", "shift", "count", "tiles", "flag")
_MORE = {"shift": ("rounds=3",), "tiles": ("count=4",), "in_a_loop": ("n=230",)}


@pytest.fixture(autouse=True)
def _a_sanitizer():
    if find_sanitizer() is None:
        pytest.skip("no compute-sanitizer")


def findings(bench, text, kernel, *arguments, grid="1", block="64", tool):
    more = _MORE.get(kernel.partition("_r")[0] if tool is Sanitizer.RACECHECK else kernel, ())
    launch = spec(kernel, *arguments, *more, grid=grid, block=block, sanitizer=tool, timeout=60)
    return bench.run(text, launch).findings


@pytest.mark.parametrize("kernel", _BARRIERS)
def test_barriers_that_not_all_threads_reach(bench, kernel):
    grid, count = ("4", 257) if kernel == "of_whole_blocks" else ("1", 65)
    # ptxas builds no barrier for a number of threads that fills no warps.
    text = re.sub(r"^KERNEL of_no_warps.*$", "", test_barriers.KERNELS, flags=re.MULTILINE)
    found = findings(
        bench, text, kernel, f"a={count}:expr(i):inout", grid=grid,
        tool=Sanitizer.SYNCCHECK,
    )  # fmt: skip
    assert bool(found) is _BARRIERS[kernel], found
    if found:
        lines = {test_barriers.line_of(kernel, "__sync"), *(f.line for f in found)}
        assert len(lines) <= 2, found  # on both ways it names either


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("kernel", _PAIRS)
def test_races_in_shared_memory(bench, kernel, right):
    text = (KERNELS / "races.cu").read_text()
    found = findings(
        bench, text, f"{kernel}_{'right' if right else 'races'}",
        "x=512:expr(i * 7 % 256)", "out=512:zeros:out", grid="4", block="128",
        tool=Sanitizer.RACECHECK,
    )  # fmt: skip
    assert bool(found) is not right, found


@pytest.mark.parametrize(
    ("kernel", "races"), [("in_step", True), ("with_syncwarp", False), ("own_places", False)]
)
def test_lanes_in_step(bench, kernel, races):
    found = findings(
        bench,
        test_races.VOLATILE,
        kernel,
        "out=64:constant(1):inout",
        tool=Sanitizer.RACECHECK,
    )
    assert bool(found) is races, found


_SUMS = """extern "C" __global__ void sums(float *sum, const float *x, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] += x[i]; }
"""


@pytest.mark.parametrize(
    ("fill", "line"), [("n:out", 3), ("n:unfilled:inout", 3), ("n:zeros:inout", None)]
)
def test_what_is_read_before_anybody_has_written_it(bench, fill, line):
    found = findings(
        bench, _SUMS, "sums", f"sum={fill}", "x=n:range", "n=64",
        tool=Sanitizer.INITCHECK,
    )  # fmt: skip
    assert {each.line for each in found} == ({line} if line else set()), found
    assert all("Uninitialized" in each.message for each in found), found
