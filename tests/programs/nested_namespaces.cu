#include <cstdint>

namespace image::filters {

inline namespace v2 {
template <typename Pixel, std::uint32_t Levels>
__global__ void posterise(Pixel* p, std::size_t n) {
    std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i < n) p[i] = static_cast<Pixel>(p[i] / (256 / Levels) * (256 / Levels));
}
}

namespace {
__global__ void invert(std::uint8_t* p, std::size_t n) {
    std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i < n) p[i] = 255 - p[i];
}
}

template <typename Pixel>
cudaError_t apply(Pixel* pixels, std::size_t n, bool inverted, cudaStream_t stream = {}) {
    constexpr unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    posterise<Pixel, 8><<<blocks, threads, 0, stream>>>(pixels, n);
    if constexpr (sizeof(Pixel) == 1) {
        if (inverted) invert<<<blocks, threads, 0, stream>>>(pixels, n);
    }
    return cudaPeekAtLastError();
}

}  // namespace image::filters

namespace fx = image::filters;

int main() {
    std::uint8_t* grey;
    std::uint16_t* deep;
    const std::size_t n = 640 * 480;
    if (cudaMalloc(&grey, n) || cudaMalloc(&deep, n * sizeof(std::uint16_t))) return 1;
    if (fx::apply(grey, n, true) != cudaSuccess) return 1;
    using namespace image::filters;
    apply<std::uint16_t>(deep, n, false);
    posterise<std::uint8_t, 2u><<<dim3{300}, dim3{1024}>>>(grey, n);
    return cudaDeviceSynchronize();
}
