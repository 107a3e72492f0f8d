#include "include/check.h"

__global__ void gradient(const float *in, size_t in_pitch, float2 *out, size_t out_pitch, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= 0 || y <= 0 || x >= w - 1 || y >= h - 1) return;
    const float *row = (const float *)((const char *)in + y * in_pitch);
    const float *above = (const float *)((const char *)row - in_pitch);
    const float *below = (const float *)((const char *)row + in_pitch);
    float2 *target = (float2 *)((char *)out + y * out_pitch);
    target[x] = make_float2(row[x + 1] - row[x - 1], below[x] - above[x]);
}

int main()
{
    int w = 301, h = 200;
    float *in;
    float2 *out;
    size_t in_pitch, out_pitch;
    CHECK(cudaMallocPitch((void **)&in, &in_pitch, w * sizeof(float), h));
    CHECK(cudaMallocPitch(&out, &out_pitch, w * sizeof(float2), h));
    CHECK(cudaMemset2D(in, in_pitch, 0, w * sizeof(float), h));
    const dim3 block(32, 4);
    const dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
    gradient<<<grid, block>>>(in, in_pitch, out, out_pitch, w, h);
    CHECK_LAUNCH();

    cudaPitchedPtr volume;
    cudaExtent extent = make_cudaExtent(64 * sizeof(float), 32, 16);
    CHECK(cudaMalloc3D(&volume, extent));
    CHECK(cudaMemset3D(volume, 0, extent));
    gradient<<<dim3(2, 8), block>>>((float *)volume.ptr, volume.pitch, out, out_pitch, 64, 32);
    CHECK_LAUNCH();
    return 0;
}
