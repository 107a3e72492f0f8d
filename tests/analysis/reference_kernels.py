"""Kernels that need instructions which the samples do not."""

from tests.support import cuda

WARPS = cuda(
    """\
extern "C" __global__ void warps(int* p, unsigned* q, float* f, double* d, long long* w, int n) {
    __shared__ int tile[256];
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned mask = __ballot_sync(~0u, i & 1);
    int v = __shfl_sync(mask, i, 3) + __shfl_xor_sync(~0u, i, 1) + __shfl_up_sync(~0u, i, 2);
    v += __shfl_down_sync(~0u, i, 4) + __any_sync(mask, v) + __all_sync(mask, v > 3);
    v += __match_any_sync(mask, v) + __activemask() + __syncthreads_or(v);
    v += __syncthreads_count(v);
#if __CUDA_ARCH__ >= 800
    v += __reduce_add_sync(mask, v) + __reduce_max_sync(mask, v);
#endif
    tile[threadIdx.x] = v;
    __syncthreads();
    atomicAdd(&tile[v & 255], 1);
    atomicAdd(&p[0], v);
    atomicMax(&p[1], v);
    atomicExch(&p[2], n);
    q[0] = atomicCAS(&p[3], v, i) + atomicInc(&q[1], 5) + atomicXor(&q[2], 3u);
    atomicAdd(f, 1.0f);
    atomicAdd(d, 1.0);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    q[i] = __popc(v) + __clz(v) + __ffs(v) + __brev(v) + __byte_perm(v, n, 0x1234);
    q[i + 1] = __mulhi(v, n) + __sad(v, i, n) + __funnelshift_l(v, n, 3) + __dp4a(v, n, 3);
    w[i] = w[1] * w[2] / w[3] % w[4] + (w[5] << n) + __popcll(w[6]) + clock64();
    double x = d[i];
    d[i] = sqrt(x) + 1.0 / x + exp(x) + fma(x, 2.0, 3.0) + fmin(x, 3.0) + rint(x) + v;
    float y = f[i];
    f[i] = sqrtf(y) + 1.0f / y + __expf(y) + __sinf(y) + __logf(y) + tanhf(y) + sinf(y) + (int)y;
    if (i == 77) __trap();
}
""",
    "warps.cu",
)

HALVES = cuda(
    """\
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void halves(__half2* h, __half* g, __nv_bfloat16* b, float* f, int n) {
    int i = threadIdx.x;
    h[i] = __hfma2(h[i], h[i + 1], h[i + 2]);
    h[i + 3] = __hadd2(h[i + 4], __hmul2(h[i + 5], h[i + 6]));
    g[i] = hsqrt(g[1]) + hexp(g[2]) + __float2half(f[i]) + __int2half_rn(n);
    f[1] = __half2float(g[3]) + __hgt(g[4], g[5]) + __half2int_rn(g[6]);
    b[i] = __float2bfloat16(f[2]) + b[1] * b[2];
    atomicAdd(&h[i + 7], h[2]);
}
""",
    "halves.cu",
)

MATRICES = cuda(
    """\
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void matrices(const __half* a, const __half* b, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
""",
    "matrices.cu",
)

COPIES = cuda(
    """\
extern "C" __global__ void copies(float* g, int n) {
    __shared__ alignas(16) float tile[1024];
    __shared__ alignas(8) unsigned long long barrier[1];
    unsigned s = (unsigned)__cvta_generic_to_shared(tile);
    unsigned b = (unsigned)__cvta_generic_to_shared(barrier);
    asm volatile("nanosleep.u32 20;");
    asm volatile("prefetch.global.L2 [%0];" ::"l"(g));
    unsigned x, y;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1},[%2];"
                 : "=r"(x), "=r"(y) : "r"(s));
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(s), "l"(g));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(b));
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(b));
    g[n] = state;
#endif
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.aligned;");
    asm volatile("barrier.cluster.wait.aligned;");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0],[%1],64,[%2];" ::"r"(s), "l"(g), "r"(b));
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0],[%1,{%2}],[%3];" ::"r"(s), "l"(g), "r"(n), "r"(b));
    asm volatile("fence.proxy.async;");
    asm volatile("griddepcontrol.wait;");
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    g[n + 1] = rank;
#endif
    g[0] = x + y + tile[n];
}
""",
    "copies.cu",
)

KERNELS = (WARPS, HALVES, MATRICES, COPIES)
