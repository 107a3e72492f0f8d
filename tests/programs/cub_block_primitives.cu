#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_store.cuh>

template <int THREADS, int ITEMS>
__global__ void centre(const float *in, float *out)
{
    using Load = cub::BlockLoad<float, THREADS, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Store = cub::BlockStore<float, THREADS, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using Reduce = cub::BlockReduce<float, THREADS>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Reduce::TempStorage reduce;
    } temp;
    __shared__ float mean;
    float items[ITEMS];
    int base = blockIdx.x * THREADS * ITEMS;
    Load(temp.load).Load(in + base, items);
    __syncthreads();
    float total = Reduce(temp.reduce).Sum(items);
    if (threadIdx.x == 0) mean = total / (THREADS * ITEMS);
    __syncthreads();
    for (int i = 0; i < ITEMS; i++) items[i] -= mean;
    Store(temp.store).Store(out + base, items);
}

int main()
{
    constexpr int threads = 128, items = 4, tiles = 25;
    float *in, *out;
    cudaMalloc(&in, sizeof(float) * threads * items * tiles);
    cudaMalloc(&out, sizeof(float) * threads * items * tiles);
    centre<threads, items><<<tiles, threads>>>(in, out);
    return cudaDeviceSynchronize();
}
