#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/tuple>
#include <cuda/std/limits>
#include <cstdio>

using Range = cuda::std::array<cuda::std::int64_t, 2>;

template <typename T>
__global__ void extremes(const T* data, int count, cuda::std::tuple<T, T>* out, Range range)
{
    T low = cuda::std::numeric_limits<T>::max(), high = cuda::std::numeric_limits<T>::lowest();
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        if (i < range[0] || i >= range[1]) continue;
        low = data[i] < low ? data[i] : low;
        high = high < data[i] ? data[i] : high;
    }
    out[threadIdx.x] = cuda::std::make_tuple(low, high);
}

__global__ void tickets(unsigned* counter, unsigned* taken)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(*counter);
    taken[blockIdx.x * blockDim.x + threadIdx.x] = ref.fetch_add(1, cuda::memory_order_relaxed);
}

int main()
{
    const int count = 2500;
    short* data;
    cuda::std::tuple<short, short>* out;
    unsigned *counter, *taken;
    cudaMalloc(&data, count * sizeof(short));
    cudaMalloc(&out, 128 * sizeof(*out));
    cudaMalloc(&counter, sizeof(unsigned));
    cudaMalloc(&taken, 4 * 64 * sizeof(unsigned));
    extremes<<<1, 128>>>(data, count, out, Range{10, 2000});
    tickets<<<4, 64>>>(counter, taken);
    std::printf("%d\n", cudaDeviceSynchronize());
}
