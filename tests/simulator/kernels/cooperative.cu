// Cooperative groups: barriers of the whole grid, tiles of a warp.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// Relaxation in many steps with a barrier of all blocks between them.
extern "C" __global__ void relax(float* from, float* to, int n, int steps) {
    auto grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int step = 0; step < steps; ++step) {
        if (i < n) {
            float left = i ? from[i - 1] : 0.0f, right = i + 1 < n ? from[i + 1] : 0.0f;
            to[i] = 0.25f * left + 0.5f * from[i] + 0.25f * right;
        }
        grid.sync();
        float* kept = from;
        from = to;
        to = kept;
    }
}

extern "C" __global__ void grid_sum(const int* x, int* sums, int* total, int n) {
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ int held;
    if (block.thread_rank() == 0) held = 0;
    block.sync();
    int own = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) own += x[i];
    own = cg::reduce(warp, own, cg::plus<int>());
    if (warp.thread_rank() == 0) atomicAdd(&held, own);
    block.sync();
    if (block.thread_rank() == 0) sums[blockIdx.x] = held;
    grid.sync();
    if (grid.thread_rank() == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; ++i) sum = sum * 3 + sums[i];
        *total = sum;
    }
}

extern "C" __global__ void tiles(const float* x, float* out, int* sizes) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = cg::reduce(tile, x[i], cg::plus<float>());
    float highest = cg::reduce(tile, x[i], cg::greater<float>());
    out[i] = sum - highest + tile.shfl_xor(x[i], 3);
    if (x[i] > 0.5f) {
        auto active = cg::coalesced_threads();
        sizes[i] = active.size() * 100 + active.thread_rank();
    } else {
        sizes[i] = -(int)tile.meta_group_rank();
    }
}
