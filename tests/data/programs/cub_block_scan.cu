#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cuda_runtime.h>

#include <cstdio>
#include <iostream>
#include <vector>

template <int BLOCK_THREADS, int ITEMS_PER_THREAD>
__global__ void blockPrefixSum(const int *in, int *out, clock_t *elapsed)
{
    using BlockLoad = cub::BlockLoad<int, BLOCK_THREADS, ITEMS_PER_THREAD, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using BlockStore = cub::BlockStore<int, BLOCK_THREADS, ITEMS_PER_THREAD, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using BlockScan = cub::BlockScan<int, BLOCK_THREADS>;

    // the three take turns in the same shared memory
    __shared__ union TempStorage {
        typename BlockLoad::TempStorage load;
        typename BlockStore::TempStorage store;
        typename BlockScan::TempStorage scan;
    } temp;

    int data[ITEMS_PER_THREAD];
    BlockLoad(temp.load).Load(in, data);
    __syncthreads();

    clock_t start = clock();
    int total;
    BlockScan(temp.scan).ExclusiveSum(data, data, total);
    clock_t stop = clock();
    __syncthreads();

    BlockStore(temp.store).Store(out, data);
    if (threadIdx.x == 0) {
        *elapsed = stop > start ? stop - start : start - stop;
        out[BLOCK_THREADS * ITEMS_PER_THREAD] = total;
    }
}

__global__ void blockMaximum(const int *in, int *out, int n)
{
    typedef cub::BlockReduce<int, 256> BlockReduce;
    __shared__ typename BlockReduce::TempStorage temp;
    int best = -1;
    for (int i = threadIdx.x; i < n; i += 256) best = max(best, in[i]);
    best = BlockReduce(temp).Reduce(best, [](int a, int b) { return a > b ? a : b; });
    if (threadIdx.x == 0) *out = best;
}

int main()
{
    constexpr int threads = 128, items = 9, n = threads * items;
    std::vector<int> h(n), sums(n + 1);
    for (int i = 0; i < n; i++) h[i] = i % 13;
    int *in, *out;
    clock_t *elapsed, cycles;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, (n + 1) * sizeof(int));
    cudaMalloc(&elapsed, sizeof(clock_t));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);

    blockPrefixSum<threads, items><<<1, threads>>>(in, out, elapsed);
    cudaMemcpy(sums.data(), out, (n + 1) * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&cycles, elapsed, sizeof cycles, cudaMemcpyDeviceToHost);
    blockMaximum<<<1, 256>>>(in, out, n);

    int want = 0, wrong = 0;
    for (int i = 0; i < n; want += h[i++]) wrong += sums[i] != want;
    std::cout << wrong << " wrong, total " << sums[n] << ", " << (long long)cycles << " cycles\n";
    cudaFree(in), cudaFree(out), cudaFree(elapsed);
    return wrong;
}
