// Sizes and choices are unscoped enumerators of a namespace, used with and without its name.
#include <cuda_runtime.h>

namespace sizes {
enum { warp = 32, warps = 6, block = warp * warps };
enum Layout { rows = 3, columns };
}

template <int BLOCK, sizes::Layout LAYOUT>
__global__ void transform(int* data, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) data[i] += LAYOUT == sizes::rows ? i : n - i;
}

using namespace sizes;

int main()
{
    const int n = 3000;
    int* data;
    cudaMalloc(&data, n * sizeof(int));
    transform<sizes::block, sizes::rows><<<(n + sizes::block - 1) / sizes::block, sizes::block>>>(data, n);
    transform<block / 2, columns><<<n / (block / 2) + 1, block / 2>>>(data, n);
    cudaDeviceSynchronize();
    return 0;
}
