#include <cuda_runtime.h>
#include <cstdio>
#include <algorithm>
#include "include/check.h"

__global__ void square(int *array, int count)
{
    extern __shared__ int unused[];
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < count) array[i] *= array[i];
}

template <typename T>
__global__ void __launch_bounds__(256, 4) cube(T *array, int count)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < count) array[i] = array[i] * array[i] * array[i];
}

int shared_of_block(int block) { return block * sizeof(int); }

int main()
{
    int count = 100000, grid = 0, block = 0, minimum = 0, per_sm = 0, sms = 0;
    int *array;
    double *reals;
    CHECK(cudaMalloc(&array, count * sizeof(int)));
    CHECK(cudaMalloc(&reals, count * sizeof(double)));
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&minimum, &block, square, shared_of_block, count));
    grid = (count + block - 1) / block;
    square<<<grid, block, shared_of_block(block)>>>(array, count);

    CHECK(cudaOccupancyMaxPotentialBlockSize(&minimum, &block, cube<double>, 0, 0));
    cube<double><<<(count + block - 1) / block, block>>>(reals, count);

    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, cube<int>, 128, 0));
    cube<<<std::min(per_sm * sms, (count + 127) / 128), 128>>>(array, count);
    CHECK_LAUNCH();
    return 0;
}
