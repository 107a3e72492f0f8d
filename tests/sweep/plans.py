"""Sweeps that several tests carry out."""

from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.sweep.plan import SweepPlan, parse_axis
from tests.support import cuda, request

POWER = cuda(
    """\
template <class T> __global__ void power(T* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T x = p[i], y = 1;
#pragma unroll
    for (int k = 0; k < POWER; ++k) y *= x;
    p[i] = y;
}
""",
    "power.cu",
)
ARGUMENTS = (("n", "1024"), ("p", "n"))


def power_plan(*axes: str, **spec: str) -> SweepPlan:
    """Variants of a small kernel that is a template with a macro in it."""
    given = {"kernel": "power<{T}>", "cover": "n", "arguments": ARGUMENTS} | spec
    read = tuple(parse_axis(text, {"T"}) for text in axes)
    return SweepPlan(read, request(POWER), LaunchSpec(**given))
