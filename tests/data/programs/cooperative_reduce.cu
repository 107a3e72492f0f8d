#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace cg = cooperative_groups;

#define CUDA_CALL(x) do { if ((x) != cudaSuccess) { \
    printf("Error at %s:%d\n", __FILE__, __LINE__); \
    return EXIT_FAILURE; } } while (0)

__device__ double blockReduce(cg::thread_block block, double *shared, double value)
{
    auto tile = cg::tiled_partition<32>(block);
    for (int offset = tile.size() / 2; offset > 0; offset >>= 1)
        value += tile.shfl_down(value, offset);
    if (tile.thread_rank() == 0) shared[tile.meta_group_rank()] = value;
    block.sync();
    value = 0;
    if (block.thread_rank() == 0)
        for (int w = 0; w < tile.meta_group_size(); ++w) value += shared[w];
    return value;
}

// The whole grid takes part, with one launch.
extern "C" __global__ void reduceSinglePassMultiBlockCG(const float *g_idata, double *g_odata, unsigned int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    extern double __shared__ sdata[];

    double mine = 0;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) mine += g_idata[i];
    mine = blockReduce(block, sdata, mine);
    if (block.thread_rank() == 0) g_odata[blockIdx.x] = mine;
    cg::sync(grid);

    if (grid.thread_rank() == 0)
        for (int b = 1; b < gridDim.x; b++) g_odata[0] += g_odata[b];
}

int main(int argc, char **argv)
{
    int device = 0, supports = 0, perSm = 0;
    CUDA_CALL(cudaDeviceGetAttribute(&supports, cudaDevAttrCooperativeLaunch, device));
    if (!supports) {
        std::cout << "cooperative launch is not supported, waiving\n";
        return EXIT_SUCCESS;
    }
    unsigned int n = 1u << 25;
    float *data;
    double *sums;
    CUDA_CALL(cudaMallocManaged(&data, n * sizeof(float)));
    for (unsigned int i = 0; i < n; i++) data[i] = (rand() & 0xFF) / (float)RAND_MAX;

    cudaDeviceProp prop = {};
    CUDA_CALL(cudaGetDeviceProperties(&prop, device));
    int threads = 256;
    size_t smem = threads / 32 * sizeof(double);
    CUDA_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, reduceSinglePassMultiBlockCG, threads, smem));
    int blocks = prop.multiProcessorCount * perSm;
    CUDA_CALL(cudaMalloc(&sums, blocks * sizeof(double)));

    void *args[] = {&data, &sums, &n};
    CUDA_CALL(cudaLaunchCooperativeKernel((void *)reduceSinglePassMultiBlockCG, dim3(blocks), dim3(threads), args, smem, NULL));
    CUDA_CALL(cudaDeviceSynchronize());

    double gpu = 0, cpu = 0;
    CUDA_CALL(cudaMemcpy(&gpu, sums, sizeof gpu, cudaMemcpyDeviceToHost));
    for (unsigned int i = 0; i < n; i++) cpu += data[i];
    printf("gpu %f, cpu %f\n", gpu, cpu);
    cudaFree(data);
    cudaFree(sums);
    return EXIT_SUCCESS;
}
