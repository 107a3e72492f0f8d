// Counts bytes. The atomics come from a header that exists in memory only:
// it is the tab "atomic_ops.cuh", found by its name.

#include "atomic_ops.cuh"

extern "C" __global__
void histogram(const unsigned char* data, unsigned int* bins, int n)
{
    __shared__ unsigned int local[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        local[bin] = 0;
    }
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        count(&local[data[i]]);
    }
    __syncthreads();

    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        accumulate(&bins[bin], local[bin]);
    }
}
