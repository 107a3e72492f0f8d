// The runtime's launch functions in place of <<< >>>.
#include <cuda_runtime_api.h>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include "include/check.h"

namespace cg = cooperative_groups;

__global__ void plain(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}

template <typename T>
__global__ void typed(T *x, T by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += by;
}

__global__ void together(float *x, float *sums, int n) {
    cg::grid_group grid = cg::this_grid();
    float s = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) s += x[i];
    sums[grid.thread_rank()] = s;
    grid.sync();
    if (grid.thread_rank() == 0)
        for (int i = 1; i < (int)grid.size(); i++) sums[0] += sums[i];
}

__global__ void clustered(int *out) {
    cg::cluster_group cluster = cg::this_cluster();
    out[blockIdx.x] = cluster.block_rank();
    cluster.sync();
}

int main() {
    int n = 2000;
    float *x, *sums, by = 0.5f;
    int *ranks;
    CHECK(cudaMalloc((void **)&x, sizeof(float) * n));
    CHECK(cudaMalloc((void **)&sums, sizeof(float) * 8 * 128));
    CHECK(cudaMalloc((void **)&ranks, sizeof(int) * 16));

    void *plain_args[] = {&x, &n};
    CHECK(cudaLaunchKernel((const void *)plain, dim3((n + 255) / 256), dim3(256), plain_args, 0, NULL));
    void *typed_args[] = {&x, &by, &n};
    CHECK(cudaLaunchKernel(typed<float>, 20, 100, typed_args, 0, 0));
    void *together_args[] = {(void *)&x, (void *)&sums, (void *)&n};
    CHECK(cudaLaunchCooperativeKernel((void *)together, 8, 128, together_args, 0, 0));

    cudaLaunchConfig_t config = {};
    config.gridDim = 16;
    config.blockDim = dim3(32);
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 4;
    attribute[0].val.clusterDim.y = 1;
    attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, clustered, ranks));
    CHECK(cudaDeviceSynchronize());
    return 0;
}
