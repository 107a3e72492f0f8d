#include <cstdint>
#include <cstring>

struct Scene {
    float camera[3];
    float view[4][4];
    std::uint16_t flags;
    struct { unsigned bounces : 4, samples : 12; } quality;
    union { float exposure; std::uint32_t bits; } tone;
};

__global__ void shade(const __grid_constant__ Scene scene, float4* pixels, unsigned width)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    float z = scene.camera[0] * scene.view[x & 3][y & 3] * scene.tone.exposure;
    pixels[y * width + x] = make_float4(z, z * scene.quality.samples, scene.flags, scene.quality.bounces);
}

int main()
{
    const unsigned width = 100, height = 30;
    Scene scene;
    std::memset(&scene, 0, sizeof scene);
    scene.camera[0] = 1.5f;
    scene.flags = 0x8001;
    scene.quality.samples = 64;
    scene.tone.exposure = 0.25f;
    for (int i = 0; i < 4; ++i) scene.view[i][i] = 1;
    float4* pixels;
    cudaMalloc(&pixels, sizeof(float4) * width * height);
    shade<<<dim3((width + 31) / 32, height), 32>>>(scene, pixels, width);
    return cudaDeviceSynchronize();
}
