"""Sweeps that several tests carry out."""

from jitstudio.core.axes import parse_axis
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.variants.plan import VariantPlan
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


def power_plan(*axes: str, **spec: str) -> VariantPlan:
    """Variants of a small kernel that is a template with a macro in it."""
    given = {"kernel": "power<{T}>", "cover": "n", "arguments": ARGUMENTS} | spec
    read = tuple(parse_axis(text, {"T"}) for text in axes)
    return VariantPlan(read, request(POWER), LaunchSpec(**given))


HUNGRY = cuda(
    """\
extern "C" __global__ void hungry(float* p) {
  __shared__ float s[64];
  float v[40];
  for (int i = 0; i < 40; ++i) v[i] = p[threadIdx.x * 40 + i];
  s[threadIdx.x % 64] = v[3];
  __syncthreads();
  for (int r = 0; r < 9; ++r)
    for (int i = 0; i < 40; ++i) v[i] = v[i] * v[(i * 7 + r) % 40] + s[i];
  for (int i = 0; i < 40; ++i) p[threadIdx.x * 40 + i] = v[i];
}
""",
    "hungry.cu",
)
"""A kernel that needs registers, and spills where it has too few."""
