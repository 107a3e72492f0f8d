#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdint>

#define CUDA_NUM_THREADS 512
#define MAX_BLOCKS 4096
#define INDEX_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

inline int GET_BLOCKS(const int n, const int threads = CUDA_NUM_THREADS)
{
    int blocks = (n + threads - 1) / threads;
    return std::min(blocks, MAX_BLOCKS);
}

template <typename Dtype>
__global__ void pool_forward(const int n, const Dtype *bottom, Dtype *top, const int size)
{
    INDEX_LOOP(i, n)
    {
        Dtype best = bottom[i * size];
        for (int k = 1; k < size; ++k) best = max(best, bottom[i * size + k]);
        top[i] = best;
    }
}

__global__ void threshold(const int n, float *data, float limit)
{
    INDEX_LOOP(i, n) { data[i] = data[i] > limit ? 1.f : 0.f; }
}

__global__ void count_up(unsigned *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i]++;
}

int main()
{
    const int pooled = 3000, size = 4;
    float *bottom, *top;
    unsigned *counts;
    cudaMalloc(&bottom, sizeof(float) * pooled * size);
    cudaMalloc(&top, sizeof(float) * pooled);
    cudaMalloc(&counts, sizeof(unsigned) * 777);
    pool_forward<float><<<GET_BLOCKS(pooled), CUDA_NUM_THREADS>>>(pooled, bottom, top, size);
    threshold<<<std::min<std::size_t>((pooled + 255) / 256, 8), 256>>>(pooled, top, 0.5f);
    count_up<<<ceil(777 / 256.0), 256>>>(counts, 777);
    return cudaDeviceSynchronize();
}
