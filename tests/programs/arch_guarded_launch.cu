// A function for host and device launches a kernel where no device code is compiled.
#include <cuda_runtime.h>

__host__ __device__ inline float scaled(float value, float factor)
{
#ifdef __CUDA_ARCH__
    return __fmul_rn(value, factor);
#else
    return value * factor;
#endif
}

__global__ void scale(float* data, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = scaled(data[i], factor);
}

__host__ __device__ void scale_all(float* data, float factor, int n)
{
#ifdef __CUDA_ARCH__
    for (int i = 0; i < n; ++i) data[i] = scaled(data[i], factor);
#else
    scale<<<(n + 191) / 192, 192>>>(data, factor, n);
#endif
}

__global__ void scale_twice(float* data, int n)
{
    scale_all(data, 2.0f, n / 2);
    scale_all(data + n / 2, 3.0f, n - n / 2);
}

int main()
{
    const int n = 5000;
    float* data;
    cudaMalloc(&data, n * sizeof(float));
    scale_all(data, scaled(4.0f, 0.5f), n);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    scale_twice<<<1, 1>>>(data, n);
#endif
    cudaDeviceSynchronize();
    cudaFree(data);
    return 0;
}
