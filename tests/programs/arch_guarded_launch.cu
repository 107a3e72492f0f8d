// A launcher for host and device: what only device code does stands under __CUDA_ARCH__.
#include <cstdio>
#include <cuda_runtime.h>

template <int BLOCK>
__global__ void fill(float* out, float value, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[i] = value;
}

__host__ __device__ inline int blocks_for(int n, int block)
{
#ifdef __CUDA_ARCH__
    return __float2int_ru(float(n) / block);
#else
    return (n + block - 1) / block;
#endif
}

void launch(float* out, int n)
{
#if defined(__CUDA_ARCH__)
    fill<32><<<blocks_for(n, 32), 32>>>(out, 1.0f, n);
#else
    fill<256><<<blocks_for(n, 256), 256>>>(out, 2.0f, n);
#endif
}

int main()
{
    const int n = 5000;
    float* out;
    cudaMalloc(&out, n * sizeof(float));
    launch(out, n);
#ifndef __CUDA_ARCH__
    fill<64><<<blocks_for(n, 64), 64>>>(out, 3.0f, n);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
