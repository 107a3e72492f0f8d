#include <cub/block/block_reduce.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/util_allocator.cuh>
#include <cstdio>

cub::CachingDeviceAllocator allocator(true);

__global__ void sums(const int *in, int *out)
{
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ typename Reduce::TempStorage storage;
    int sum = Reduce(storage).Sum(in[blockIdx.x * 128 + threadIdx.x]);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main()
{
    const int blocks = 24;
    int *in, *out;
    cudaMalloc(&in, blocks * 128 * sizeof(int));
    cudaMalloc(&out, blocks * sizeof(int));
    sums<<<blocks, 128>>>(in, out);
    size_t bytes = 0;
    void *temporary = nullptr;
    cub::DeviceRadixSort::SortKeys(temporary, bytes, out, out, blocks);
    std::printf("%zu\n", bytes);
    return 0;
}
