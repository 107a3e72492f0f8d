// A type and a tile are chosen at run time and handed to a generic lambda as values of tags.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

template <typename T>
struct Tag {
    using type = T;
};

template <int N>
struct Int {
    static constexpr int value = N;
};

template <typename T, int ITEMS>
__global__ void scale(T* data, T factor, int n)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    for (int i = 0; i < ITEMS; ++i)
        if (first + i < n) data[first + i] *= factor;
}

template <typename Function>
void with_type(bool is_double, Function&& function)
{
    if (is_double)
        function(Tag<double>{});
    else
        function(Tag<float>{});
}

template <typename Function>
void with_items(int items, Function&& function)
{
    switch (items) {
    case 2: function(Int<2>{}); break;
    case 4: function(Int<4>{}); break;
    default: function(Int<1>{});
    }
}

int main()
{
    const int n = 4096;
    with_type(false, [&](auto tag) {
        using T = typename decltype(tag)::type;
        T* data;
        cudaMalloc(&data, n * sizeof(T));
        with_items(4, [&](auto items) {
            constexpr int count = decltype(items)::value;
            scale<T, count><<<n / count / 128, 128>>>(data, T(3), n);
        });
        cudaFree(data);
    });
    cudaDeviceSynchronize();
    return 0;
}
