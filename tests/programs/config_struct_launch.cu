#include <cuda_runtime.h>
#include <cstdio>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
typedef unsigned int uint;

template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm1D(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const uint cRow = blockIdx.y, cCol = blockIdx.x;
  const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN;
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;
  const uint innerColA = threadIdx.x % BK, innerRowA = threadIdx.x / BK;
  const uint innerColB = threadIdx.x % BN, innerRowB = threadIdx.x / BN;
  float results[TM] = {0.0};
  for (uint bk = 0; bk < K; bk += BK) {
    As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
    Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (uint dot = 0; dot < BK; ++dot) {
      float b = Bs[dot * BN + threadCol];
      for (uint i = 0; i < TM; ++i) results[i] += As[(threadRow * TM + i) * BK + dot] * b;
    }
    __syncthreads();
  }
  for (uint i = 0; i < TM; ++i)
    C[(threadRow * TM + i) * N + threadCol] = alpha * results[i] + beta * C[(threadRow * TM + i) * N + threadCol];
}

void run_sgemm1D(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
  const uint BM = 64;
  const uint BN = 64;
  const uint BK = 8;
  const uint TM = 8;
  dim3 gridDim(CEIL_DIV(N, BN), CEIL_DIV(M, BM));
  dim3 blockDim((BM * BN) / TM);
  sgemm1D<BM, BN, BK, TM><<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
}

void run_kernel(int kernel_num, int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
  switch (kernel_num) {
  case 1:
    run_sgemm1D(M, N, K, alpha, A, B, beta, C);
    break;
  case 2:
    sgemm1D<32, 32, 8, 4><<<dim3(CEIL_DIV(N, 32), CEIL_DIV(M, 32)), 256>>>(M, N, K, alpha, A, B, beta, C);
    break;
  }
}

int main() {
  long sizes[] = {128, 256};
  float alpha = 0.5, beta = 3.0;
  float *dA = NULL, *dB = NULL, *dC = NULL;
  long max_size = sizes[1];
  cudaMalloc((void **)&dA, sizeof(float) * max_size * max_size);
  cudaMalloc((void **)&dB, sizeof(float) * max_size * max_size);
  cudaMalloc((void **)&dC, sizeof(float) * max_size * max_size);
  for (long size : sizes) {
    int m, n, k;
    m = n = k = (int)size;
    for (int kernel_num = 1; kernel_num <= 2; kernel_num++) run_kernel(kernel_num, m, n, k, alpha, dA, dB, beta, dC);
  }
  return cudaDeviceSynchronize();
}
