// SGEMM, step by step: naive -> coalesced -> 2D block tiling -> vectorised
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cuda_runtime.h>
#include <iostream>
#include <stdexcept>
#include <vector>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define cudaCheck(err) (cudaCheck_((err), __FILE__, __LINE__))

void cudaCheck_(cudaError_t error, const char *file, int line) {
  if (error != cudaSuccess) {
    printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
  }
}

__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B,
                            float beta, float *C) {
  const uint x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < M && y < N) {
    float tmp = 0.0;
    for (int i = 0; i < K; ++i) tmp += A[x * K + i] * B[i * N + y];
    C[x * N + y] = alpha * tmp + beta * C[x * N + y];
  }
}

template <const uint BLOCKSIZE>
__global__ void sgemm_coalesced(int M, int N, int K, float alpha, const float *A, const float *B,
                                float beta, float *C) {
  const int cRow = blockIdx.x * BLOCKSIZE + (threadIdx.x / BLOCKSIZE);
  const int cCol = blockIdx.y * BLOCKSIZE + (threadIdx.x % BLOCKSIZE);
  if (cRow < M && cCol < N) {
    float tmp = 0.0;
    for (int i = 0; i < K; ++i) tmp += A[cRow * K + i] * B[i * N + cCol];
    C[cRow * N + cCol] = alpha * tmp + beta * C[cRow * N + cCol];
  }
}

template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemm_vectorised(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  const uint innerRowA = threadIdx.x / (BK / 4);
  const uint innerColA = threadIdx.x % (BK / 4);
  const uint innerRowB = threadIdx.x / (BN / 4);
  const uint innerColB = threadIdx.x % (BN / 4);

  float threadResults[TM * TN] = {0.0};
  float regM[TM] = {0.0};
  float regN[TN] = {0.0};

  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    // transpose A while loading it
    float4 tmp = reinterpret_cast<float4 *>(&A[innerRowA * K + innerColA * 4])[0];
    As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
    As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
    As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
    As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;
    reinterpret_cast<float4 *>(&Bs[innerRowB * BN + innerColB * 4])[0] =
        reinterpret_cast<float4 *>(&B[innerRowB * N + innerColB * 4])[0];
    __syncthreads();
    A += BK;
    B += BK * N;

    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (uint i = 0; i < TM; ++i) regM[i] = As[dotIdx * BM + threadRow * TM + i];
      for (uint i = 0; i < TN; ++i) regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
      for (uint m = 0; m < TM; ++m)
        for (uint n = 0; n < TN; ++n) threadResults[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }

  for (uint m = 0; m < TM; m += 1)
    for (uint n = 0; n < TN; n += 4) {
      float4 *place = reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN + n]);
      float4 tmp = *place;
      tmp.x = alpha * threadResults[m * TN + n] + beta * tmp.x;
      tmp.y = alpha * threadResults[m * TN + n + 1] + beta * tmp.y;
      tmp.z = alpha * threadResults[m * TN + n + 2] + beta * tmp.z;
      tmp.w = alpha * threadResults[m * TN + n + 3] + beta * tmp.w;
      *place = tmp;
    }
}

void run_kernel(int which, int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
  switch (which) {
  case 0:
    sgemm_naive<<<dim3(CEIL_DIV(M, 32), CEIL_DIV(N, 32)), dim3(32, 32)>>>(M, N, K, alpha, A, B, beta, C);
    break;
  case 1:
    sgemm_coalesced<32><<<dim3(CEIL_DIV(M, 32), CEIL_DIV(N, 32)), 32 * 32>>>(M, N, K, alpha, A, B, beta, C);
    break;
  case 2: {
    const uint BK = 8, TM = 8, TN = 8, BM = 128, BN = 128;
    sgemm_vectorised<BM, BN, BK, TM, TN>
        <<<dim3(CEIL_DIV(N, BN), CEIL_DIV(M, BM)), (BM * BN) / (TM * TN)>>>(M, N, K, alpha, A, B, beta, C);
    break;
  }
  default:
    throw std::invalid_argument("Unknown kernel number");
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "Please select a kernel (range 0 - 2)" << std::endl;
    exit(EXIT_FAILURE);
  }
  int which = std::stoi(argv[1]);
  for (int size : std::vector<int>{128, 256, 512, 1024, 2048, 4096}) {
    float *A, *B, *C;
    cudaCheck(cudaMalloc((void **)&A, sizeof(float) * size * size));
    cudaCheck(cudaMalloc((void **)&B, sizeof(float) * size * size));
    cudaCheck(cudaMalloc((void **)&C, sizeof(float) * size * size));
    cudaEvent_t beg, end;
    float elapsed;
    cudaEventCreate(&beg), cudaEventCreate(&end);
    cudaEventRecord(beg);
    for (int j = 0; j < 10; j++) run_kernel(which, size, size, size, 0.5f, A, B, 3.0f, C);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&elapsed, beg, end);
    printf("size %d: %7.1f GFLOPS\n", size, 10 * 2e-6 * size * size * size / elapsed);
    cudaFree(A), cudaFree(B), cudaFree(C);
  }
}
