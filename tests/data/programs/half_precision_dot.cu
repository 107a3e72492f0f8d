#include "cuda_fp16.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

#define NUM_OF_BLOCKS 1024
#define NUM_OF_THREADS 128

__forceinline__ __device__ void reduceInShared_intrinsics(half2 *const v)
{
    if (threadIdx.x < 64) v[threadIdx.x] = __hadd2(v[threadIdx.x], v[threadIdx.x + 64]);
    __syncthreads();
    for (int i = 32; i > 0; i /= 2) {
        if (threadIdx.x < 32) v[threadIdx.x] = __hadd2(v[threadIdx.x], v[threadIdx.x + i]);
        __syncthreads();
    }
}

__forceinline__ __device__ void reduceInShared_native(half2 *const v)
{
    if (threadIdx.x < 64) v[threadIdx.x] = v[threadIdx.x] + v[threadIdx.x + 64];
    __syncthreads();
    for (int i = 32; i > 0; i /= 2) {
        if (threadIdx.x < 32) v[threadIdx.x] = v[threadIdx.x] + v[threadIdx.x + i];
        __syncthreads();
    }
}

// One body for both spellings
#define SCALAR_PRODUCT_KERNEL(NAME, FMA, REDUCE)                                                   \
    __global__ void NAME(half2 const *const a, half2 const *const b, float *const results,         \
                         size_t const size)                                                        \
    {                                                                                              \
        const int stride = gridDim.x * blockDim.x;                                                 \
        __shared__ half2 shArray[NUM_OF_THREADS];                                                  \
        half2 value = __float2half2_rn(0.f);                                                       \
        for (size_t i = threadIdx.x + blockDim.x * blockIdx.x; i < size; i += stride)              \
            value = FMA(a[i], b[i], value);                                                        \
        shArray[threadIdx.x] = value;                                                              \
        __syncthreads();                                                                           \
        REDUCE(shArray);                                                                           \
        if (threadIdx.x == 0) {                                                                    \
            half2 result = shArray[0];                                                             \
            results[blockIdx.x] = __low2float(result) + __high2float(result);                      \
        }                                                                                          \
    }

#define NATIVE_FMA(a, b, c) ((a) * (b) + (c))

SCALAR_PRODUCT_KERNEL(scalarProductKernel_intrinsics, __hfma2, reduceInShared_intrinsics)
SCALAR_PRODUCT_KERNEL(scalarProductKernel_native, NATIVE_FMA, reduceInShared_native)

void generateInput(half2 *a, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        half2 temp;
        temp.x = static_cast<float>(rand() % 4);
        temp.y = static_cast<float>(rand() % 2);
        a[i] = temp;
    }
}

int main(int argc, char *argv[])
{
    srand((unsigned int)time(NULL));
    size_t size = NUM_OF_BLOCKS * NUM_OF_THREADS * 16;
    half2 *vec[2], *devVec[2];
    float *results, *devResults;
    for (int i = 0; i < 2; ++i) {
        cudaMallocHost((void **)&vec[i], size * sizeof *vec[i]);
        cudaMalloc((void **)&devVec[i], size * sizeof *devVec[i]);
        generateInput(vec[i], size);
        cudaMemcpy(devVec[i], vec[i], size * sizeof *vec[i], cudaMemcpyHostToDevice);
    }
    cudaMallocHost((void **)&results, NUM_OF_BLOCKS * sizeof *results);
    cudaMalloc((void **)&devResults, NUM_OF_BLOCKS * sizeof *devResults);

    for (int native = 0; native < 2; native++) {
        if (native)
            scalarProductKernel_native<<<NUM_OF_BLOCKS, NUM_OF_THREADS>>>(devVec[0], devVec[1], devResults, size);
        else
            scalarProductKernel_intrinsics<<<NUM_OF_BLOCKS, NUM_OF_THREADS>>>(devVec[0], devVec[1], devResults, size);
        cudaMemcpy(results, devResults, NUM_OF_BLOCKS * sizeof *results, cudaMemcpyDeviceToHost);
        float result = 0;
        for (int i = 0; i < NUM_OF_BLOCKS; ++i) result += results[i];
        printf("Result %s\t: %f \n", native ? "native operators" : "intrinsics", result);
    }
    return EXIT_SUCCESS;
}
