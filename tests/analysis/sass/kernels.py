"""Code with everything that a listing of nvdisasm can hold."""

from tests.support import cuda

# A routine of the assembler's own, calls, predicates, uniform data paths, tables of jumps.
RICH = cuda(
    """\
__device__ __noinline__ float far(float x) { return x * x - 1.0f; }
extern "C" __global__ void rich(float* p, int n, double d) {
    __shared__ float tile[64];
    int i = threadIdx.x;
    tile[i] = p[i];
    __syncthreads();
    switch (n) {
    case 0: p[i] = 1.0f / tile[63 - i]; break;
    case 1: p[i] = far(tile[i]); break;
    case 2: p[i] = (float)(d / p[i]); break;
    case 3: p[i] = __shfl_xor_sync(~0u, tile[i], 1); break;
    case 4: p[i] = sqrtf(tile[i]); break;
    case 5: p[i] = (float)(i % n); break;
    default: p[i] = sinf(tile[i]);
    }
}
""",
    "rich.cu",
)
