// nvcc: -std=c++20
#include <concepts>
#include <span>
#include <vector>
#include <cstdint>

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

template <Number T>
__global__ void clamp_all(T* data, T low, T high, std::size_t size) {
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
        data[i] = data[i] < low ? low : high < data[i] ? high : data[i];
}

struct Limits {
    int low = 0;
    int high = 255;
};

template <Number T>
void clamp(std::span<T> data, Limits limits) {
    clamp_all<T><<<4, 128>>>(data.data(), static_cast<T>(limits.low), static_cast<T>(limits.high), data.size());
}

int main() {
    std::int16_t* values;
    float* reals;
    cudaMallocManaged(&values, 512 * sizeof *values);
    cudaMallocManaged(&reals, 100 * sizeof(float));
    clamp(std::span{values, 512}, {.low = 5, .high = 50});
    clamp(std::span<float>(reals, 100), Limits{.high = 1});
    return cudaDeviceSynchronize();
}
