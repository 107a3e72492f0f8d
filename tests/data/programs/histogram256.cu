#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "cuda_runtime.h"
#include "device_launch_parameters.h"

namespace {

constexpr int kBins = 256;
constexpr int kWarpsPerBlock = 6;
constexpr int kThreads = kWarpsPerBlock * 32;

inline void check(cudaError_t e, char const* what)
{
    if (e != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

// One small histogram per warp in shared memory, then one atomic per bin and block.
__global__ void histogram(std::uint8_t const* data, std::size_t n, unsigned int* bins)
{
    __shared__ unsigned int local[kWarpsPerBlock][kBins];
    for (int i = threadIdx.x; i < kWarpsPerBlock * kBins; i += kThreads)
        (&local[0][0])[i] = 0;
    __syncthreads();

    unsigned int* mine = local[threadIdx.x / 32];
    auto const stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[data[i]], 1u);
    __syncthreads();

    for (int bin = threadIdx.x; bin < kBins; bin += kThreads) {
        unsigned int sum = 0;
        for (int w = 0; w < kWarpsPerBlock; ++w)
            sum += local[w][bin];
        if (sum != 0)
            atomicAdd(&bins[bin], sum);
    }
}

std::vector<std::uint8_t> read(char const* path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error(std::string("cannot open ") + path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv)
try {
    std::vector<std::uint8_t> data;
    if (argc > 1) {
        data = read(argv[1]);
    } else {
        data.resize(64u << 20);
        std::generate(data.begin(), data.end(), [] { return static_cast<std::uint8_t>(std::rand() >> 4); });
    }

    std::uint8_t* d_data = nullptr;
    unsigned int* d_bins = nullptr;
    check(cudaMalloc(&d_data, data.size()), "cudaMalloc");
    check(cudaMalloc(&d_bins, kBins * sizeof(unsigned int)), "cudaMalloc");
    check(cudaMemcpy(d_data, data.data(), data.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemset(d_bins, 0, kBins * sizeof(unsigned int)), "cudaMemset");

    histogram<<<240, kThreads>>>(d_data, data.size(), d_bins);
    check(cudaGetLastError(), "histogram");

    std::array<unsigned int, kBins> bins{};
    check(cudaMemcpy(bins.data(), d_bins, sizeof(bins), cudaMemcpyDeviceToHost), "cudaMemcpy");

    std::array<unsigned int, kBins> want{};
    for (auto byte : data)
        ++want[byte];
    for (int i = 0; i < kBins; ++i)
        std::cout << std::setw(4) << i << std::setw(12) << bins[i] << (i % 4 == 3 ? '\n' : ' ');
    std::cout << (bins == want ? "OK" : "MISMATCH") << '\n';

    cudaFree(d_data);
    cudaFree(d_bins);
    return bins == want ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (std::exception const& e) {
    std::cerr << e.what() << '\n';
    return EXIT_FAILURE;
}
