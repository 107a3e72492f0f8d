#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include "include/check.h"

namespace cg = cooperative_groups;

template <int Stages>
__global__ void staged(const int *in, int *out, int tiles)
{
    extern __shared__ int shared[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int size = block.size();
    for (int fetch = 0, compute = 0; compute < tiles; ++compute) {
        for (; fetch < tiles && fetch < compute + Stages; ++fetch) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, shared + fetch % Stages * size, in + fetch * size, sizeof(int) * size, pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        block.sync();
        out[compute * size + block.thread_rank()] = shared[compute % Stages * size + block.thread_rank()] + 1;
        block.sync();
        pipeline.consumer_release();
    }
}

int main()
{
    constexpr int stages = 2, tiles = 12, threads = 128;
    int *in, *out;
    CHECK(cudaMalloc(&in, tiles * threads * sizeof(int)));
    CHECK(cudaMalloc(&out, tiles * threads * sizeof(int)));
    staged<stages><<<1, threads, stages * threads * sizeof(int)>>>(in, out, tiles);
    CHECK_LAUNCH();
    return 0;
}
