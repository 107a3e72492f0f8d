#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "include/check.h"

namespace cg = cooperative_groups;

template <typename T>
__device__ T block_sum(cg::thread_block block, T v)
{
    __shared__ T partial[32];
    auto tile = cg::tiled_partition<32>(block);
    v = cg::reduce(tile, v, cg::plus<T>());
    if (tile.thread_rank() == 0) partial[tile.meta_group_rank()] = v;
    block.sync();
    if (tile.meta_group_rank() == 0) {
        v = tile.thread_rank() < tile.meta_group_size() ? partial[tile.thread_rank()] : T(0);
        v = cg::reduce(tile, v, cg::plus<T>());
    }
    return v;
}

__global__ void variance(const float *x, float *sums, int n)
{
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    float s = 0, q = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) s += x[i], q += x[i] * x[i];
    s = block_sum(block, s);
    block.sync();
    q = block_sum(block, q);
    if (block.thread_rank() == 0) sums[2 * blockIdx.x] = s, sums[2 * blockIdx.x + 1] = q;
    grid.sync();
    if (grid.thread_rank() == 0)
        for (unsigned b = 1; b < gridDim.x; b++) sums[0] += sums[2 * b], sums[1] += sums[2 * b + 1];
}

int main()
{
    int n = 1 << 16, device = 0, supported = 0, sms = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device));
    if (!supported) return 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    float *x, *sums;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMalloc(&sums, 2 * sms * sizeof(float)));
    dim3 dimBlock(256, 1, 1), dimGrid(sms, 1, 1);
    void *kernelArgs[] = {(void *)&x, (void *)&sums, (void *)&n};
    CHECK(cudaLaunchCooperativeKernel((void *)variance, dimGrid, dimBlock, kernelArgs, 0, NULL));
    CHECK(cudaDeviceSynchronize());
    return 0;
}
