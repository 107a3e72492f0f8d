"""The same launch on a GPU and in the simulator, compared as `--both` does it."""

import pytest

from jitstudio.core.launch.device import SIMULATOR
from jitstudio.core.launch.result import LaunchOutcome
from tests.launching import spec

pytestmark = pytest.mark.gpu

MAD = """extern "C" __global__ void mad(const float* a, const float* b, float* y, int* o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = a[i] * b[i] + a[i];
    o[i] = i;
}
"""
# What is read before anybody has written it is the driver's on one side and zero on the other.
LEFT = """extern "C" __global__ void left(int* x, int* o, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = x[i] + 1; }
"""
WHERE = """extern "C" __global__ void where(unsigned* smid, int n)
{ unsigned v; asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(v));
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) smid[i] = 1000000 + v; }
"""


def compared(bench, text, launch, device=0):
    other = SIMULATOR if device != SIMULATOR else 0
    request, rival = (bench.request(text, launch, device=each) for each in (device, other))
    return bench.launcher.launch(request, rival=rival)


@pytest.mark.parametrize("device", [0, SIMULATOR])
def test_a_kernel_gives_the_same_bits_on_both(bench, device):
    launch = spec(
        "mad", "a=n:random(1)", "b=n:random(2)", "y=n:out", "o=n:out", "n=100000",
        cover="n", relative=0.0, absolute=0.0, timeout=60,
    )  # fmt: skip
    result = compared(bench, MAD, launch, device)
    assert result.outcome is LaunchOutcome.RAN, result.diagnostics
    assert [(check.buffer, check.ok) for check in result.comparison.buffers] == [
        ("y", True),
        ("o", True),
    ]
    assert "agree in 'y', 'o'" in result.diagnostics[-1].message


def test_what_only_the_hardware_knows_differs_and_is_told_with_its_line(bench):
    launch = spec("where", "smid=n:out", "n=64", cover="n", block="32", timeout=60)
    result = compared(bench, WHERE, launch)
    (check,) = result.comparison.buffers
    if check.ok:
        pytest.skip("the simulator has as many warps a multiprocessor as this GPU")
    assert result.outcome is LaunchOutcome.WRONG
    error = next(d for d in result.diagnostics if "differ. smid[0] is" in d.message)
    assert error.line == 4


def test_a_fault_that_only_the_simulator_sees_is_told(bench):
    launch = spec("left", "x=n:unfilled:in", "o=n:out", "n=64", cover="n", block="32", timeout=60)
    result = compared(bench, LEFT, launch)
    assert result.outcome is LaunchOutcome.WRONG
    assert any("nobody has written" in each.message for each in result.diagnostics)
