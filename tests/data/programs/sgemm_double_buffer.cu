#include <cstdio>
#include <cstdlib>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define OFFSET(row, col, ld) ((row) * (ld) + (col))
#define FETCH_FLOAT4(pointer) (reinterpret_cast<float4*>(&(pointer))[0])

// cp.async into the other half of shared memory while this half is multiplied
template <int BLOCK_M, int BLOCK_N, int BLOCK_K, int THREAD_M, int THREAD_N>
__global__ void sgemmDoubleBuffer(float* __restrict__ A, float* __restrict__ B, float* __restrict__ C,
                                  const int M, const int N, const int K) {
    constexpr int THREADS = (BLOCK_M / THREAD_M) * (BLOCK_N / THREAD_N);
    static_assert(BLOCK_M * BLOCK_K % (4 * THREADS) == 0 && BLOCK_N * BLOCK_K % (4 * THREADS) == 0,
                  "tiles are not whole vectors");
    __shared__ alignas(16) float As[2][BLOCK_M][BLOCK_K];
    __shared__ alignas(16) float Bs[2][BLOCK_K][BLOCK_N];
    const int tid = threadIdx.x;
    const int tx = tid % (BLOCK_N / THREAD_N), ty = tid / (BLOCK_N / THREAD_N);
    float acc[THREAD_M][THREAD_N] = {};

    auto load = [&](int stage, int k0) {
        #pragma unroll
        for (int i = tid * 4; i < BLOCK_M * BLOCK_K; i += THREADS * 4) {
            int r = i / BLOCK_K, c = i % BLOCK_K;
            __pipeline_memcpy_async(&As[stage][r][c],
                                    &A[OFFSET(blockIdx.y * BLOCK_M + r, k0 + c, K)], sizeof(float4));
        }
        #pragma unroll
        for (int i = tid * 4; i < BLOCK_K * BLOCK_N; i += THREADS * 4) {
            int r = i / BLOCK_N, c = i % BLOCK_N;
            __pipeline_memcpy_async(&Bs[stage][r][c],
                                    &B[OFFSET(k0 + r, blockIdx.x * BLOCK_N + c, N)], sizeof(float4));
        }
        __pipeline_commit();
    };

    load(0, 0);
    int stage = 0;
    for (int k0 = 0; k0 < K; k0 += BLOCK_K, stage ^= 1) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (k0 + BLOCK_K < K) load(stage ^ 1, k0 + BLOCK_K);
        #pragma unroll
        for (int k = 0; k < BLOCK_K; ++k) {
            #pragma unroll
            for (int m = 0; m < THREAD_M; ++m)
                #pragma unroll
                for (int n = 0; n < THREAD_N; ++n)
                    acc[m][n] += As[stage][ty * THREAD_M + m][k] * Bs[stage][k][tx * THREAD_N + n];
        }
    }
    #pragma unroll
    for (int m = 0; m < THREAD_M; ++m)
        #pragma unroll
        for (int n = 0; n < THREAD_N; n += 4)
            FETCH_FLOAT4(C[OFFSET(blockIdx.y * BLOCK_M + ty * THREAD_M + m,
                                  blockIdx.x * BLOCK_N + tx * THREAD_N + n, N)]) =
                make_float4(acc[m][n], acc[m][n + 1], acc[m][n + 2], acc[m][n + 3]);
}

int main(int argc, char** argv) {
    if (argc != 4) {
        printf("usage: ./main [M] [K] [N]\n");
        exit(0);
    }
    size_t M = atoi(argv[1]);
    size_t K = atoi(argv[2]);
    size_t N = atoi(argv[3]);
    float *A, *B, *C;
    cudaMallocManaged(&A, M * K * sizeof(float));
    cudaMallocManaged(&B, K * N * sizeof(float));
    cudaMallocManaged(&C, M * N * sizeof(float));
    for (size_t i = 0; i < M * K; i++) A[i] = i / 13;
    for (size_t i = 0; i < K * N; i++) B[i] = i % 13;
    const int BM = 64, BN = 64, BK = 16, TM = 4, TN = 4;
    dim3 dimBlock((BM / TM) * (BN / TN));
    dim3 dimGrid(N / BN, M / BM);
    sgemmDoubleBuffer<BM, BN, BK, TM, TN><<<dimGrid, dimBlock>>>(A, B, C, M, N, K);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s, C[0] = %f\n", cudaGetErrorName(status), C[0]);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return status;
}
