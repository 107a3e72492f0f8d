#include <cuda_pipeline.h>

extern "C" __global__ void product(const float* a, const float* b, float* c, int size)
{
    __shared__ float tile_a[2][16][16];
    __shared__ float tile_b[2][16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 16 + x;
    int row = blockIdx.y * 16 + y;
    float sum = 0;
    int now = 0;
    __pipeline_memcpy_async(&tile_a[0][y][x], &a[row * size + x], 4);
    __pipeline_memcpy_async(&tile_b[0][y][x], &b[y * size + column], 4);
    __pipeline_commit();
    for (int first = 0; first < size; first += 16) {
        int next = first + 16;
        if (next < size) {
            __pipeline_memcpy_async(&tile_a[1 - now][y][x], &a[row * size + next + x], 4);
            __pipeline_memcpy_async(&tile_b[1 - now][y][x], &b[(next + y) * size + column], 4);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            sum += tile_a[now][y][k] * tile_b[now][k][x];
        }
        __syncthreads();
        now = 1 - now;
    }
    c[row * size + column] = sum;
}
