#include <mma.h>
#include <cuda_fp16.h>
#include <cstdlib>
#include "include/check.h"

using namespace nvcuda;

const int WMMA_M = 16, WMMA_N = 16, WMMA_K = 16;

__global__ void wmma_gemm(const half *a, const half *b, float *c, int M, int N, int K, float alpha, float beta)
{
    int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int warpN = blockIdx.y * blockDim.y + threadIdx.y;
    if (warpM * WMMA_M >= M || warpN * WMMA_N >= N) return;
    wmma::fragment<wmma::matrix_a, WMMA_M, WMMA_N, WMMA_K, half, wmma::row_major> a_frag;
    wmma::fragment<wmma::matrix_b, WMMA_M, WMMA_N, WMMA_K, half, wmma::col_major> b_frag;
    wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, float> acc, c_frag;
    wmma::fill_fragment(acc, 0.0f);
    for (int k = 0; k < K; k += WMMA_K) {
        wmma::load_matrix_sync(a_frag, a + warpM * WMMA_M * K + k, K);
        wmma::load_matrix_sync(b_frag, b + warpN * WMMA_N * K + k, K);
        wmma::mma_sync(acc, a_frag, b_frag, acc);
    }
    float *at = c + warpM * WMMA_M * N + warpN * WMMA_N;
    wmma::load_matrix_sync(c_frag, at, N, wmma::mem_row_major);
    for (int i = 0; i < c_frag.num_elements; i++) c_frag.x[i] = alpha * acc.x[i] + beta * c_frag.x[i];
    wmma::store_matrix_sync(at, c_frag, N, wmma::mem_row_major);
}

__global__ void to_half(half *out, const float *in, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) out[i] = __float2half(in[i]);
}

int main()
{
    int M = 128, N = 64, K = 96;
    float *f, *c;
    half *a, *b;
    CHECK(cudaMalloc((void **)&f, M * K * sizeof(float)));
    CHECK(cudaMalloc((void **)&c, M * N * sizeof(float)));
    CHECK(cudaMalloc((void **)&a, M * K * sizeof(half)));
    CHECK(cudaMalloc((void **)&b, K * N * sizeof(half)));
    to_half<<<(M * K + 255) / 256, 256>>>(a, f, M * K);
    dim3 gridDim;
    dim3 blockDim;
    blockDim.x = 128;
    blockDim.y = 4;
    gridDim.x = (M + (WMMA_M * blockDim.x / 32 - 1)) / (WMMA_M * blockDim.x / 32);
    gridDim.y = (N + WMMA_N * blockDim.y - 1) / (WMMA_N * blockDim.y);
    wmma_gemm<<<gridDim, blockDim>>>(a, b, c, M, N, K, 1.0f, 0.5f);
    CHECK_LAUNCH();
    return 0;
}
