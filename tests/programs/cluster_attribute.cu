#include <cooperative_groups.h>
#include <cstdio>
using namespace cooperative_groups;

constexpr int kBins = 1024, kBlock = 256;

__global__ void __cluster_dims__(2, 1, 1) histogram(const unsigned *in, unsigned *bins, int n)
{
    extern __shared__ unsigned local[];
    cluster_group cluster = this_cluster();
    for (int i = threadIdx.x; i < kBins / 2; i += blockDim.x) local[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned bin = in[i] % kBins;
        unsigned *there = cluster.map_shared_rank(local, bin / (kBins / 2));
        atomicAdd(there + bin % (kBins / 2), 1u);
    }
    cluster.sync();
    unsigned *mine = bins + cluster.block_rank() * (kBins / 2);
    for (int i = threadIdx.x; i < kBins / 2; i += blockDim.x) atomicAdd(mine + i, local[i]);
}

int main()
{
    const int n = 1 << 15;
    unsigned *in, *bins;
    cudaMalloc(&in, n * sizeof(unsigned));
    cudaMalloc(&bins, kBins * sizeof(unsigned));
    cudaMemset(bins, 0, kBins * sizeof(unsigned));
    size_t shared = kBins / 2 * sizeof(unsigned);
    cudaFuncSetAttribute(histogram, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    histogram<<<8, kBlock, shared>>>(in, bins, n);
    return cudaDeviceSynchronize();
}
