#include <cstdio>
#include <cassert>

// Helllo from every thread. printf goes to a buffer which is shown at the next synchronisation.
__global__ void hello()
{
  int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
  printf("Hello from block (%d,%d,%d), thread (%2d,%d,%d), warp %d lane %2d\n",
         blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, warp, lane);
}

__device__ unsigned int fibonacci(unsigned int n)
{
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void checks(int limit)
{
  assert(limit > 0 && "limit must be positive");
  if (threadIdx.x < limit)
    printf("fib(%u) = %u\n", threadIdx.x, fibonacci(threadIdx.x));
  auto twice = [=](int x) { return 2 * x + limit; };
  if (twice(threadIdx.x) == limit) printf("lambda on thread %d\n", threadIdx.x);
}

void deviceInfo()
{
  int count = 0;
  cudaGetDeviceCount(&count);
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, i);
    printf("%d: %s, compute %d.%d, %d multiprocessors, %zu MiB\n", i, p.name, p.major, p.minor,
           p.multiProcessorCount, p.totalGlobalMem >> 20);
  }
}

int main()
{
  deviceInfo();
  dim3 grid(2, 2), block(4, 2);
  hello<<<grid, block>>>();
  checks<<<1, 10>>>(10);
  cudaError_t e = cudaDeviceSynchronize();
  if (e != cudaSuccess) printf("%s\n", cudaGetErrorString(e));
  return e == cudaSuccess ? 0 : 1;
}
