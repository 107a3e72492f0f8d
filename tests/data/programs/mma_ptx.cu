// Tensor cores by inline PTX: ldmatrix and mma.sync.m16n8k16
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define LDMATRIX_X4(R0, R1, R2, R3, addr)                                             \
    asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n" \
                 : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3)                             \
                 : "r"(addr))

#define LDMATRIX_X2_T(R0, R1, addr)                                                   \
    asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n"   \
                 : "=r"(R0), "=r"(R1)                                                 \
                 : "r"(addr))

__device__ __forceinline__ void mma16816(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

constexpr int M = 16, N = 8, K = 64;

__global__ void gemm16x8(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C) {
    __shared__ __align__(16) __nv_bfloat16 sA[M][K + 8], sB[K][N];
    for (int i = threadIdx.x; i < M * K; i += 32) sA[i / K][i % K] = A[i];
    for (int i = threadIdx.x; i < K * N; i += 32) sB[i / N][i % N] = B[i];
    __syncwarp();
    float d[4] = {0.f, 0.f, 0.f, 0.f};
    const int lane = threadIdx.x;
#pragma unroll
    for (int k = 0; k < K; k += 16) {
        uint32_t a[4], b[2];
        uint32_t pa = __cvta_generic_to_shared(&sA[lane % 16][k + (lane / 16) * 8]);
        uint32_t pb = __cvta_generic_to_shared(&sB[k + lane % 16][0]);
        LDMATRIX_X4(a[0], a[1], a[2], a[3], pa);
        LDMATRIX_X2_T(b[0], b[1], pb);
        mma16816(d, a, b);
    }
    const int row = lane / 4, col = (lane % 4) * 2;
    C[row * N + col] = d[0];
    C[row * N + col + 1] = d[1];
    C[(row + 8) * N + col] = d[2];
    C[(row + 8) * N + col + 1] = d[3];
}

int main() {
    std::vector<__nv_bfloat16> a(M * K), b(K * N);
    std::vector<float> c(M * N);
    for (size_t i = 0; i < a.size(); ++i) a[i] = __float2bfloat16(float(i % 5) - 2.f);
    for (size_t i = 0; i < b.size(); ++i) b[i] = __float2bfloat16(float(i % 3) - 1.f);
    __nv_bfloat16 *da, *db;
    float *dc;
    cudaMalloc(&da, a.size() * sizeof(a[0]));
    cudaMalloc(&db, b.size() * sizeof(b[0]));
    cudaMalloc(&dc, c.size() * sizeof(c[0]));
    cudaMemcpy(da, a.data(), a.size() * sizeof(a[0]), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(b[0]), cudaMemcpyHostToDevice);
    gemm16x8<<<1, 32>>>(da, db, dc);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(c[0]), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += __bfloat162float(a[i * K + k]) * __bfloat162float(b[k * N + j]);
            wrong += s != c[i * N + j];
        }
    std::cout << wrong << " wrong" << std::endl;
    return wrong != 0;
}
