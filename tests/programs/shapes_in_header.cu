#include "include/tiles.cuh"
#include <cstdio>

namespace tiles {
namespace shapes {

template <typename Shape = Wide, int Depth = DEPTH>
__global__ void clear(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / Shape::COLUMNS % Shape::ROWS;
    for (int d = 0; d < Depth && i < n; d++, i += n / Depth) out[i] = row;
}

void clear_all(float *out, int n)
{
    using Shape = Wide;
    clear<Shape><<<16, 256>>>(out, n);
    clear<Tall, DEPTH><<<16, 256>>>(out, n);
}

}  // namespace shapes
}  // namespace tiles

int main()
{
    const int n = 4096;
    float *out;
    __half *in;
    int64_t *above;
    uint64_t *all;
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&in, n * sizeof(__half));
    cudaMalloc(&above, n * sizeof(int64_t));
    cudaMalloc(&all, sizeof(uint64_t));
    tiles::shapes::clear_all(out, n);
    tiles::count_halves<<<n / 256, 256>>>(in, above, all, n);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
