// Tensor cores by their PTX instructions, one 16 x 8 result for each warp, and ldmatrix.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// c[16][8] = a[16][16] b[16][8], b by columns.
extern "C" __global__ void mma_f16(const unsigned* a, const unsigned* b, float* c) {
    int lane = threadIdx.x, row = lane / 4, pair = lane % 4;
    a += blockIdx.x * 128;
    b += blockIdx.x * 64;
    c += blockIdx.x * 128;
    unsigned a0 = a[row * 8 + pair], a1 = a[(row + 8) * 8 + pair];
    unsigned a2 = a[row * 8 + pair + 4], a3 = a[(row + 8) * 8 + pair + 4];
    unsigned b0 = b[row * 8 + pair], b1 = b[row * 8 + pair + 4];
    float* upper = c + row * 8 + pair * 2;
    float* lower = upper + 64;
    float d0 = upper[0], d1 = upper[1], d2 = lower[0], d3 = lower[1];
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    upper[0] = d0;
    upper[1] = d1;
    lower[0] = d2;
    lower[1] = d3;
}

extern "C" __global__ void mma_bf16(const unsigned* a, const unsigned* b, float* c) {
    int lane = threadIdx.x, row = lane / 4, pair = lane % 4;
    a += blockIdx.x * 128;
    b += blockIdx.x * 64;
    c += blockIdx.x * 128;
    unsigned a0 = a[row * 8 + pair], a1 = a[(row + 8) * 8 + pair];
    unsigned a2 = a[row * 8 + pair + 4], a3 = a[(row + 8) * 8 + pair + 4];
    unsigned b0 = b[row * 8 + pair], b1 = b[row * 8 + pair + 4];
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    float* upper = c + row * 8 + pair * 2;
    upper[0] = d0;
    upper[1] = d1;
    upper[64] = d2;
    upper[65] = d3;
}

extern "C" __global__ void mma_tf32(const float* a, const float* b, float* c) {
    int lane = threadIdx.x, row = lane / 4, column = lane % 4;
    a += blockIdx.x * 128;
    b += blockIdx.x * 64;
    c += blockIdx.x * 128;
    unsigned u[6];
    float from[6] = {a[row * 8 + column], a[(row + 8) * 8 + column], a[row * 8 + column + 4],
                     a[(row + 8) * 8 + column + 4], b[column * 8 + row], b[(column + 4) * 8 + row]};
    for (int i = 0; i < 6; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u[i]) : "f"(from[i]));
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
        : "r"(u[0]), "r"(u[1]), "r"(u[2]), "r"(u[3]), "r"(u[4]), "r"(u[5]));
    float* upper = c + row * 8 + column * 2;
    upper[0] = d0;
    upper[1] = d1;
    upper[64] = d2;
    upper[65] = d3;
}

extern "C" __global__ void mma_s8(const int* a, const int* b, int* c) {
    int lane = threadIdx.x, row = lane / 4, word = lane % 4;
    a += blockIdx.x * 128;
    b += blockIdx.x * 64;
    c += blockIdx.x * 128;
    int a0 = a[row * 8 + word], a1 = a[(row + 8) * 8 + word];
    int a2 = a[row * 8 + word + 4], a3 = a[(row + 8) * 8 + word + 4];
    int b0 = b[row * 8 + word], b1 = b[row * 8 + word + 4];
    int d0 = 1, d1 = 2, d2 = 3, d3 = 4;
    asm("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};" : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    int* upper = c + row * 8 + word * 2;
    upper[0] = d0;
    upper[1] = d1;
    upper[64] = d2;
    upper[65] = d3;
}

extern "C" __global__ void mma_f64(const double* a, const double* b, double* c) {
    int lane = threadIdx.x, row = lane / 4, column = lane % 4;
    double left = a[blockIdx.x * 32 + row * 4 + column];
    double right = b[blockIdx.x * 32 + column * 8 + row];
    double d0 = 0.5, d1 = -0.5;
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(d0), "+d"(d1) : "d"(left), "d"(right));
    c[blockIdx.x * 64 + row * 8 + column * 2] = d0;
    c[blockIdx.x * 64 + row * 8 + column * 2 + 1] = d1;
}

__device__ unsigned shared_address(const void* p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

// A 32 x 32 product of halves by one warp: tiles to shared memory, fragments by ldmatrix.
extern "C" __global__ void mma_tile(const __half* a, const __half* b, float* c) {
    __shared__ __align__(16) __half left[32][40], right[32][40];
    int lane = threadIdx.x;
    for (int i = lane; i < 1024; i += 32) {
        left[i / 32][i % 32] = a[i];
        right[i / 32][i % 32] = b[i];
    }
    __syncwarp();
    for (int m = 0; m < 32; m += 16)
        for (int n = 0; n < 32; n += 8) {
            float d[4] = {};
            for (int k = 0; k < 32; k += 16) {
                unsigned u[4], v[2];
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                             : "=r"(u[0]), "=r"(u[1]), "=r"(u[2]), "=r"(u[3])
                             : "r"(shared_address(&left[m + lane % 16][k + lane / 16 * 8])));
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                             : "=r"(v[0]), "=r"(v[1])
                             : "r"(shared_address(&right[k + lane % 16][n])));
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                             "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                             : "r"(u[0]), "r"(u[1]), "r"(u[2]), "r"(u[3]), "r"(v[0]), "r"(v[1]));
            }
            float* to = c + (m + lane / 4) * 32 + n + lane % 4 * 2;
            to[0] = d[0];
            to[1] = d[1];
            to[256] = d[2];
            to[257] = d[3];
        }
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void move_matrices(const unsigned* in, unsigned* out) {
    __shared__ __align__(16) unsigned held[32 * 4], moved[32 * 4];
    int lane = threadIdx.x;
    for (int i = 0; i < 4; ++i) held[lane * 4 + i] = in[lane * 4 + i];
    __syncwarp();
    unsigned u[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(u[0]), "=r"(u[1]), "=r"(u[2]), "=r"(u[3])
                 : "r"(shared_address(&held[lane * 4])));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0,%1,%2,%3};"
                 :: "r"(u[1]), "r"(u[0]), "r"(u[3]), "r"(u[2]),
                    "r"(shared_address(&moved[lane * 4])) : "memory");
    __syncwarp();
    for (int i = 0; i < 4; ++i) out[lane * 4 + i] = moved[lane * 4 + i];
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(u[0]) : "r"(u[2]));
    out[128 + lane] = u[0];
}
#endif
