// Matrix instructions, asynchronous copies, clusters and tensor memory, as far as the target has.
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void fragments(const half* a, const half* b, float* c, const signed char* d, int* e) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> i;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> j;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> k;
    wmma::fill_fragment(k, 0);
    wmma::load_matrix_sync(i, d, 16);
    wmma::load_matrix_sync(j, d + 256, 16);
    wmma::mma_sync(k, i, j, k);
    wmma::store_matrix_sync(e, k, 16, wmma::mem_row_major);
}

extern "C" __global__ void binary(unsigned* a, int* c) {
    unsigned x = a[threadIdx.x];
    int d0 = 0, d1 = 0;
    asm volatile(
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0,%1}, {%2}, {%2}, {%0,%1};"
        : "+r"(d0), "+r"(d1) : "r"(x));
    c[threadIdx.x] = d0 + d1;
}

extern "C" __global__ void matrices(unsigned* out) {
    __shared__ unsigned tile[256];
    unsigned at = __cvta_generic_to_shared(tile + threadIdx.x * 4);
    unsigned a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(a));
    out[threadIdx.x] = a + b + c + d;
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void ampere(unsigned* p, double* q, float* f, const int4* from) {
    __shared__ int4 tile[64];
    unsigned at = __cvta_generic_to_shared(tile + threadIdx.x);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from + threadIdx.x));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from + 64));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 1;");
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    unsigned a = p[0], b = p[1];
    float c[4] = {f[0], f[1], f[2], f[3]};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%4,%5}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a), "r"(b));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%4,%5}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a), "r"(b));
    f[threadIdx.x] = c[0] + c[1] + c[2] + c[3] + tile[threadIdx.x ^ 1].x;
    double x = q[0], y = q[1], u = q[2], v = q[3];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(u), "+d"(v) : "d"(x), "d"(y));
    q[threadIdx.x] = u + v;
}
#endif

#if __CUDA_ARCH__ >= 890
extern "C" __global__ void eighths(unsigned* p, float* f) {
    unsigned a = p[0], b = p[1];
    float c[4] = {f[0], f[1], f[2], f[3]};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%4,%5}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a), "r"(b));
    unsigned short packed;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(packed) : "f"(c[0]), "f"(c[1]));
    unsigned halves;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(packed));
    f[threadIdx.x] = c[2] + c[3];
    p[threadIdx.x] = packed + halves;
}
#endif

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) clusters(int* p, const int* from, const void* map) {
    __shared__ alignas(128) int tile[1024];
    __shared__ unsigned long long barrier;
    unsigned at = __cvta_generic_to_shared(tile), bar = __cvta_generic_to_shared(&barrier);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("barrier.cluster.arrive.aligned;");
    asm volatile("barrier.cluster.wait.aligned;");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];"
                 ::"r"(at), "l"(from), "r"(bar) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];"
                 ::"r"(at), "l"(map), "r"(p[1]), "r"(bar) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %1}];" ::"l"(map), "r"(p[2]));
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 1024;" ::"l"(from));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 2048;" ::"r"(bar));
    unsigned done = 0;
    while (!done) {
        asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }"
                     : "=r"(done) : "r"(bar));
    }
    asm volatile("fence.proxy.async;");
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %1}], [%2];"
                 ::"l"(map), "r"(p[3]), "r"(at) : "memory");
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %1}], [%2];"
                 ::"l"(map), "r"(p[4]), "r"(at) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;"
                 ::"l"(p), "r"(at) : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group.read 0;");
    unsigned far, rank;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(far) : "r"(at));
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(far), "r"(rank));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(rank) : "r"(far));
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
                 ::"r"(far), "r"(rank), "r"(far));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 ::"r"(far), "r"(rank), "r"(far));
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %1};" ::"r"(at), "r"(rank));
    asm volatile("griddepcontrol.wait;");
    asm volatile("griddepcontrol.launch_dependents;");
    unsigned elected;
    asm volatile("{ .reg .pred q; elect.sync _|q, 0xffffffff; selp.u32 %0, 1, 0, q; }" : "=r"(elected));
    asm volatile("multimem.ld_reduce.global.add.u32 %0, [%1];" : "=r"(rank) : "l"(p));
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map));
    p[threadIdx.x] = rank + elected + tile[threadIdx.x];
}
#endif

#if __CUDA_ARCH_FEAT_SM90_ALL
extern "C" __global__ void __launch_bounds__(128) warpgroups(float* f, unsigned long long a, unsigned long long b) {
    float c[4] = {};
    int k[4] = {};
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(a), "l"(b));
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3}, %4, %5, 1, 1, 1;"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(a), "l"(b));
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0,%1,%2,%3}, %4, %5, 1;"
                 : "+r"(k[0]), "+r"(k[1]), "+r"(k[2]), "+r"(k[3]) : "l"(a), "l"(b));
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%0,%1,%2,%3}, %4, %5, 1;"
                 : "+r"(k[0]), "+r"(k[1]), "+r"(k[2]), "+r"(k[3]) : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;");
    asm volatile("wgmma.wait_group.sync.aligned 0;");
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    f[threadIdx.x] = c[0] + c[1] + c[2] + c[3] + k[0] + k[1] + k[2] + k[3];
}
#endif

#if __CUDA_ARCH_FEAT_SM100_ALL || __CUDA_ARCH_FEAT_SM103_ALL || __CUDA_ARCH_FEAT_SM110_ALL
extern "C" __global__ void fifth(unsigned* p, unsigned long long a, unsigned long long b) {
    __shared__ unsigned slot;
    __shared__ unsigned long long barrier;
    unsigned at = __cvta_generic_to_shared(&slot), bar = __cvta_generic_to_shared(&barrier);
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(at));
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    unsigned tmem = slot;
    asm volatile("{ .reg .pred q; setp.ne.u32 q, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, q; }"
                 ::"r"(tmem), "l"(a), "l"(b), "r"(p[1]), "r"(p[2]));
    asm volatile("{ .reg .pred q; setp.ne.u32 q, %4, 0; tcgen05.mma.cta_group::1.kind::f8f6f4 [%0], %1, %2, %3, q; }"
                 ::"r"(tmem), "l"(a), "l"(b), "r"(p[1]), "r"(p[2]));
    asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(tmem), "l"(a));
    asm volatile("tcgen05.shift.cta_group::1.down [%0];" ::"r"(tmem));
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar));
    unsigned x, y;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "r"(tmem));
    asm volatile("tcgen05.wait::ld.sync.aligned;");
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(tmem), "r"(x));
    asm volatile("tcgen05.wait::st.sync.aligned;");
    p[threadIdx.x] = x + y;
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(tmem));
}
#endif

#if __CUDA_ARCH_FEAT_SM120_ALL || __CUDA_ARCH_FEAT_SM121_ALL
extern "C" __global__ void quarters(unsigned* p, float* f) {
    unsigned a = p[0], b = p[1];
    float c[4] = {f[0], f[1], f[2], f[3]};
    asm volatile("mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%4,%5}, {%0,%1,%2,%3}, %4, {0, 0}, %5, {0, 0};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a), "r"(b));
    asm volatile("mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e2m1.e3m2.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%4,%5}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a), "r"(b));
    f[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}
#endif
