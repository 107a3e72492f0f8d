#include <cuda_runtime.h>
#include <texture_indirect_functions.h>
#include <string.h>
#include "include/check.h"

__global__ void rotate(float *out, cudaTextureObject_t tex, int width, int height, float theta)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = x / (float)width - 0.5f;
    float v = y / (float)height - 0.5f;
    float tu = u * cosf(theta) - v * sinf(theta) + 0.5f;
    float tv = v * cosf(theta) + u * sinf(theta) + 0.5f;
    out[y * width + x] = tex2D<float>(tex, tu, tv);
}

__global__ void clear(cudaSurfaceObject_t surface, int width, int height, uchar4 colour)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) surf2Dwrite(colour, surface, x * sizeof(uchar4), y);
}

int main()
{
    const int width = 512, height = 320;
    float angle = 0.5;
    float *h_data = (float *)calloc(width * height, sizeof(float)), *d_out;

    cudaChannelFormatDesc channel = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &channel, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, h_data, width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice));

    struct cudaResourceDesc res;
    memset(&res, 0, sizeof(res));
    res.resType = cudaResourceTypeArray;
    res.res.array.array = array;
    struct cudaTextureDesc desc;
    memset(&desc, 0, sizeof(desc));
    desc.addressMode[0] = cudaAddressModeWrap;
    desc.addressMode[1] = cudaAddressModeWrap;
    desc.filterMode = cudaFilterModeLinear;
    desc.readMode = cudaReadModeElementType;
    desc.normalizedCoords = 1;
    cudaTextureObject_t tex = 0;
    CHECK(cudaCreateTextureObject(&tex, &res, &desc, NULL));

    CHECK(cudaMalloc(&d_out, width * height * sizeof(float)));
    dim3 threads(16, 16);
    dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    rotate<<<blocks, threads>>>(d_out, tex, width, height, angle);
    CHECK_LAUNCH();
    CHECK(cudaDestroyTextureObject(tex));
    CHECK(cudaFreeArray(array));
    free(h_data);
    return 0;
}
