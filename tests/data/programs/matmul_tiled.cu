/**
 * @file   matmul_tiled.cu
 * @brief  C = A * B for dense row-major matrices, tiled in shared memory.
 *
 * The tile is a template parameter, so that the loops over it unroll.
 */
#include <cassert>
#include <chrono>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <cuda_runtime.h>

using std::cout;
using std::endl;
using std::vector;

/// Aborts with the place when a call of the runtime has failed.
#define cudaCheck(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
    if (code != cudaSuccess) {
        std::cerr << "GPUassert: " << cudaGetErrorString(code) << " " << file << " " << line << endl;
        if (abort) exit(code);
    }
}

/**
 * @brief  One thread per element of C.
 * @tparam TILE  Edge of the tile, also of the block.
 */
template <int TILE, typename T>
__global__ void matmulTiled(const T *A, const T *B, T *C, int M, int N, int K)
{
    __shared__ T As[TILE][TILE];
    __shared__ T Bs[TILE][TILE + 1];

    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    T sum = 0;

    for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
        const int ka = t * TILE + threadIdx.x;
        const int kb = t * TILE + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = (row < M && ka < K) ? A[row * K + ka] : T(0);
        Bs[threadIdx.y][threadIdx.x] = (kb < K && col < N) ? B[kb * N + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k)
            sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

/// The same on the host.
static void matmulHost(const vector<float> &A, const vector<float> &B, vector<float> &C, int M,
                       int N, int K)
{
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0;
            for (int k = 0; k < K; ++k) s += (double)A[i * K + k] * B[k * N + j];
            C[i * N + j] = (float)s;
        }
}

int main(int argc, char *argv[])
{
    const int M = argc > 1 ? std::stoi(argv[1]) : 320;
    const int K = argc > 2 ? std::stoi(argv[2]) : 640;
    const int N = argc > 3 ? std::stoi(argv[3]) : 320;
    constexpr int tile = 16;

    vector<float> A(M * K), B(K * N), C(M * N), want(M * N);
    std::mt19937 rng(42);
    std::uniform_real_distribution<float> dist(-1.f, 1.f);
    for (auto &v : A) v = dist(rng);
    for (auto &v : B) v = dist(rng);

    float *dA, *dB, *dC;
    cudaCheck(cudaMalloc(&dA, A.size() * sizeof(float)));
    cudaCheck(cudaMalloc(&dB, B.size() * sizeof(float)));
    cudaCheck(cudaMalloc(&dC, C.size() * sizeof(float)));
    cudaCheck(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 threads(tile, tile);
    dim3 grid((N + tile - 1) / tile, (M + tile - 1) / tile);
    auto begin = std::chrono::high_resolution_clock::now();
    matmulTiled<tile><<<grid, threads>>>(dA, dB, dC, M, N, K);
    cudaCheck(cudaPeekAtLastError());
    cudaCheck(cudaDeviceSynchronize());
    auto end = std::chrono::high_resolution_clock::now();
    cudaCheck(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

    matmulHost(A, B, want, M, N, K);
    double worst = 0;
    for (size_t i = 0; i < C.size(); ++i) worst = std::max(worst, (double)std::abs(C[i] - want[i]));
    cout << "time: " << std::chrono::duration<double, std::milli>(end - begin).count() << " ms, "
         << "largest difference: " << worst << endl;
    assert(worst < 1e-3);

    cudaFree(dA), cudaFree(dB), cudaFree(dC);
    return 0;
}
