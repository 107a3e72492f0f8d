#include <cub/cub.cuh>
#include <cstdio>

#define CubDebugExitHere(e) if ((e) != cudaSuccess) return 1

__global__ void keys_of(unsigned *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keys[i] = i * 2654435761u;
}

int main()
{
    int n = 4000;
    unsigned *in, *out, *sum;
    cudaMalloc(&in, n * sizeof(*in));
    cudaMalloc(&out, n * sizeof(*out));
    cudaMalloc(&sum, sizeof(*sum));
    keys_of<<<(n + 255) / 256, 256>>>(in, n);
    void *temp = NULL;
    size_t bytes = 0;
    CubDebugExitHere(cub::DeviceRadixSort::SortKeys(temp, bytes, in, out, n));
    cudaMalloc(&temp, bytes);
    CubDebugExitHere(cub::DeviceRadixSort::SortKeys(temp, bytes, in, out, n));
    cudaFree(temp);
    temp = NULL;
    cub::DeviceReduce::Sum(temp, bytes, out, sum, n);
    cudaMalloc(&temp, bytes);
    cub::DeviceReduce::Sum(temp, bytes, out, sum, n);
    unsigned total;
    cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost);
    printf("%u\n", total);
    return 0;
}
