#include "include/check.h"

__global__ void produce(unsigned long long *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (unsigned long long)i * i;
}

__global__ void consume(const unsigned long long *in, unsigned *digits, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(digits + in[i] % 10, 1u);
}

int main()
{
    const unsigned n = 7777u;
    cudaStream_t stream;
    int low, high;
    CHECK(cudaDeviceGetStreamPriorityRange(&low, &high));
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, high));
    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = ~0ull;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    unsigned long long *numbers;
    unsigned *digits;
    CHECK(cudaMallocAsync((void **)&numbers, n * sizeof(*numbers), stream));
    CHECK(cudaMallocAsync(&digits, 10 * sizeof(unsigned), stream));
    CHECK(cudaMemsetAsync(digits, 0, 10 * sizeof(unsigned), stream));
    const dim3 threads(224), blocks((n + threads.x - 1) / threads.x);
    produce<<<blocks, threads, 0, stream>>>(numbers, n);
    consume<<<blocks, threads, 0, stream>>>(numbers, digits, n);
    CHECK(cudaFreeAsync(numbers, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
