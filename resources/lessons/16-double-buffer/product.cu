#include <cuda_pipeline.h>

extern "C" __global__ void product(const float* a, const float* b, float* c, int size)
{
    __shared__ float tile_a[16][16];
    __shared__ float tile_b[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 16 + x;
    int row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int first = 0; first < size; first += 16) {
        __pipeline_memcpy_async(&tile_a[y][x], &a[row * size + first + x], 4);
        __pipeline_memcpy_async(&tile_b[y][x], &b[(first + y) * size + column], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        __syncthreads();
    }
    c[row * size + column] = sum;
}
