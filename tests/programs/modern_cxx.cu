// C++17 as people write it today.
#include <algorithm>
#include <any>
#include <array>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <optional>
#include <random>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

using namespace std::string_view_literals;

template <auto Value, typename T>
__global__ void add_value(T* data, std::size_t size) {
    if (auto i = blockIdx.x * blockDim.x + threadIdx.x; i < size) data[i] += static_cast<T>(Value);
}

struct Grid {
    unsigned blocks;
    unsigned threads;
};

[[nodiscard]] constexpr Grid grid_for(std::size_t size, unsigned threads = 256) noexcept {
    return {static_cast<unsigned>((size + threads - 1) / threads), threads};
}

std::optional<float*> allocate(std::size_t count) {
    float* p{};
    if (cudaMalloc(&p, count * sizeof(float)) != cudaSuccess) return std::nullopt;
    return p;
}

int main() {
    constexpr std::size_t size = 1'000;
    std::mt19937 engine{42};
    std::uniform_real_distribution<float> distribution{-1.f, 1.f};
    std::vector<float> host(size);
    std::generate(host.begin(), host.end(), [&] { return distribution(engine); });

    const auto device = allocate(size);
    if (!device) return 1;
    cudaMemcpy(*device, host.data(), size * sizeof(float), cudaMemcpyHostToDevice);
    const auto [blocks, threads] = grid_for(size);
    add_value<3><<<blocks, threads>>>(*device, size);
    add_value<'c', float><<<grid_for(size, 64).blocks, 64>>>(*device, size);
    std::variant<int, std::string_view> state = "done"sv;
    std::visit([](const auto& s) { std::cout << s << '\n'; }, state);
    std::cout << std::setprecision(3) << std::accumulate(host.begin(), host.end(), 0.0) << '\n';
    return cudaDeviceSynchronize();
}
