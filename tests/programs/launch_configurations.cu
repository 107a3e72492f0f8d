#include <cstddef>
#include <tuple>
#include <utility>

struct LaunchConfig {
    dim3 grid, block;
    std::size_t shared = 0;
    static LaunchConfig for_1d(std::size_t n, unsigned threads = 256)
    {
        LaunchConfig config;
        config.block = dim3(threads);
        config.grid = dim3(static_cast<unsigned>((n + threads - 1) / threads));
        return config;
    }
    LaunchConfig with_shared(std::size_t bytes) const
    {
        LaunchConfig config = *this;
        config.shared = bytes;
        return config;
    }
};

std::pair<int, int> blocks_threads(int count) { return {(count + 127) / 128, 128}; }
std::tuple<dim3, dim3> plane(unsigned w, unsigned h) { return std::make_tuple(dim3((w + 7) / 8, (h + 7) / 8), dim3(8, 8)); }

__global__ void first(double *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void second(double *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }
__global__ void third(double *x, unsigned w, unsigned h)
{
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < w && r < h) x[r * w + c] *= 2;
}
__global__ void fourth(double *x, int n)
{
    extern __shared__ double s[];
    s[threadIdx.x] = x[threadIdx.x % n];
    __syncthreads();
    x[threadIdx.x % n] = s[blockDim.x - 1 - threadIdx.x];
}

int main()
{
    const int n = 50 * 40;
    double *x;
    cudaMalloc(&x, n * sizeof(double));
    auto config = LaunchConfig::for_1d(n);
    first<<<config.grid, config.block>>>(x, n);
    auto sizes = blocks_threads(n);
    second<<<sizes.first, sizes.second>>>(x, n);
    auto [grid, block] = plane(50, 40);
    third<<<grid, block>>>(x, 50, 40);
    const LaunchConfig more = LaunchConfig::for_1d(64, 64).with_shared(64 * sizeof(double));
    fourth<<<more.grid, more.block, more.shared>>>(x, n);
    return cudaDeviceSynchronize();
}
