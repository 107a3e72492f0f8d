#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// The only dimensions supported here
const int WMMA_M = 16;
const int WMMA_N = 16;
const int WMMA_K = 16;

// D = alpha * A * B + beta * C, A and B packed column major, one warp per 16 x 16 of D.
__global__ void wmma_example(half *a, half *b, float *c, int M, int N, int K, float alpha, float beta) {
   int lda = M;
   int ldb = K;
   int ldc = M;

   // Tile using a 2D grid
   int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
   int warpN = (blockIdx.y * blockDim.y + threadIdx.y);

   wmma::fragment<wmma::matrix_a, WMMA_M, WMMA_N, WMMA_K, half, wmma::col_major> a_frag;
   wmma::fragment<wmma::matrix_b, WMMA_M, WMMA_N, WMMA_K, half, wmma::col_major> b_frag;
   wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, float> acc_frag;
   wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, float> c_frag;

   wmma::fill_fragment(acc_frag, 0.0f);

   for (int i = 0; i < K; i += WMMA_K) {
      int aRow = warpM * WMMA_M;
      int aCol = i;
      int bRow = i;
      int bCol = warpN * WMMA_N;

      // Bounds checking
      if (aRow < M && aCol < K && bRow < K && bCol < N) {
         wmma::load_matrix_sync(a_frag, a + aRow + aCol * lda, lda);
         wmma::load_matrix_sync(b_frag, b + bRow + bCol * ldb, ldb);
         wmma::mma_sync(acc_frag, a_frag, b_frag, acc_frag);
      }
   }

   int cRow = warpM * WMMA_M;
   int cCol = warpN * WMMA_N;

   if (cRow < M && cCol < N) {
      wmma::load_matrix_sync(c_frag, c + cRow + cCol * ldc, ldc, wmma::mem_col_major);
      for (int i = 0; i < c_frag.num_elements; i++)
         c_frag.x[i] = alpha * acc_frag.x[i] + beta * c_frag.x[i];
      wmma::store_matrix_sync(c + cRow + cCol * ldc, c_frag, ldc, wmma::mem_col_major);
   }
}

__global__ void convertFp32ToFp16 (half *out, float *in, int n) {
   int idx = blockDim.x * blockIdx.x + threadIdx.x;
   if (idx < n) {
      out[idx] = in[idx];
   }
}

int main(int argc, char* argv[]) {
   const int M = 512, N = 512, K = 512;
   float *a_fp32, *b_fp32, *c;
   half *a_fp16, *b_fp16;
   cudaMallocManaged(&a_fp32, M * K * sizeof(float));
   cudaMallocManaged(&b_fp32, K * N * sizeof(float));
   cudaMallocManaged(&c, M * N * sizeof(float));
   cudaMalloc(&a_fp16, M * K * sizeof(half));
   cudaMalloc(&b_fp16, K * N * sizeof(half));
   for (int i = 0; i < M * K; i++) a_fp32[i] = rand() / (float)RAND_MAX;
   for (int i = 0; i < K * N; i++) b_fp32[i] = rand() / (float)RAND_MAX;
   cudaMemset(c, 0, M * N * sizeof(float));

   convertFp32ToFp16 <<< (M * K + 255) / 256, 256 >>> (a_fp16, a_fp32, M * K);
   convertFp32ToFp16 <<< (K * N + 255) / 256, 256 >>> (b_fp16, b_fp32, K * N);

   dim3 gridDim;
   dim3 blockDim;
   // blockDim.x must be a multple of warpSize
   // 128x4 means we have 16 warps and a block computes a 64x64 output tile
   blockDim.x = 128;
   blockDim.y = 4;
   gridDim.x = (M + (WMMA_M * blockDim.x / 32 - 1)) / (WMMA_M * blockDim.x / 32);
   gridDim.y = (N + WMMA_N * blockDim.y - 1) / (WMMA_N * blockDim.y);

   printf("Running with wmma...\n");
   wmma_example <<< gridDim, blockDim >>> (a_fp16, b_fp16, c, M, N, K, 2.0f, 2.0f);
   cudaDeviceSynchronize();

   double want = 0;
   for (int k = 0; k < K; k++) want += a_fp32[k * M] * b_fp32[k];
   printf("%f, %f\n", c[0], 2 * want);
   return fabs(c[0] - 2 * want) > 0.05 * fabs(want);
}
