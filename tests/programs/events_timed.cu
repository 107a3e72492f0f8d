#include <cstdio>
#include <cstdlib>
#include "helpers/timer.hpp"

template <unsigned TILE>
__global__ void transpose(const int* __restrict in, int* __restrict out, unsigned n) {
    __shared__ int tile[TILE][TILE + 1];
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < n && y < n) out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

template <unsigned TILE>
float run(const int* in, int* out, unsigned n, int repeat) {
    dim3 threads{TILE, TILE}, blocks{(n + TILE - 1) / TILE, (n + TILE - 1) / TILE};
    helpers::Timer timer;
    timer.start();
    for (int i = 0; i < repeat; ++i) transpose<TILE><<<blocks, threads>>>(in, out, n);
    return timer.stop() / repeat;
}

int main(int argc, const char* argv[]) {
    unsigned n = 1u << 9;
    int repeat = 5;
    if (argc >= 2) repeat = std::atoi(argv[1]);
    int *in = nullptr, *out = nullptr;
    HELPERS_CHECK(cudaMalloc(&in, n * n * sizeof *in));
    HELPERS_CHECK(cudaMalloc(&out, n * n * sizeof *out));
    std::printf("tile 8: %f ms\n", run<8>(in, out, n, repeat));
    std::printf("tile 16: %f ms\n", run<16>(in, out, n, repeat));
    std::printf("tile 32: %f ms\n", run<32>(in, out, n, repeat));
}
