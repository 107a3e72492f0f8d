/* Monte Carlo without a library: every thread has its own LCG, seeded by a hash of its number */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <inttypes.h>
#include <time.h>

#define LCG_A 6364136223846793005ULL
#define LCG_C 1442695040888963407ULL

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
   if (code != cudaSuccess)
   {
      fprintf(stderr,"GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
      exit(code);
   }
}

__device__ static inline uint64_t splitmix(uint64_t x)
{
   x += 0x9E3779B97F4A7C15ULL;
   x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
   x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
   return x ^ (x >> 31);
}

__device__ static inline float next(uint64_t *state)
{
   *state = *state * LCG_A + LCG_C;
   return (float)(*state >> 40) * 0x1p-24f;
}

__global__ void pi_kernel(uint64_t seed, uint32_t samples, uint32_t *counts)
{
   uint32_t tid = blockIdx.x * blockDim.x + threadIdx.x;
   uint64_t state = splitmix(seed ^ tid);
   uint32_t count = 0;
   for (uint32_t s = 0; s < samples; ++s)
   {
      float x = next(&state), y = next(&state);
      count += (x * x + y * y) < 1.0f;
   }
   counts[tid] = count;
}

int main(void)
{
   const uint32_t threads = 128, blocks = 512, samples = 4096;
   uint32_t *counts;
   uint64_t total = 0;

   gpuErrchk(cudaMallocManaged(&counts, threads * blocks * sizeof(uint32_t)));
   pi_kernel<<<blocks, threads>>>((uint64_t)time(NULL), samples, counts);
   gpuErrchk(cudaPeekAtLastError());
   gpuErrchk(cudaDeviceSynchronize());
   for (uint32_t i = 0; i < threads * blocks; ++i)
      total += counts[i];
   printf("%" PRIu64 " of %" PRIu64 ": %f\n", total, (uint64_t)threads * blocks * samples,
          4.0 * total / ((double)threads * blocks * samples));
   gpuErrchk(cudaFree(counts));
   return 0;
}
