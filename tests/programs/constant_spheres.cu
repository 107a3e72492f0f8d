#include <cstdlib>
#include "include/check.h"

#define SPHERES 20
#define rnd(x) (x * rand() / RAND_MAX)
#define INF 2e10f

struct Sphere {
    float r, g, b;
    float radius;
    float x, y, z;
    __device__ float hit(float ox, float oy, float *n) {
        float dx = ox - x;
        float dy = oy - y;
        if (dx * dx + dy * dy < radius * radius) {
            float dz = sqrtf(radius * radius - dx * dx - dy * dy);
            *n = dz / sqrtf(radius * radius);
            return dz + z;
        }
        return -INF;
    }
};

__constant__ Sphere s[SPHERES];
__device__ unsigned int misses;

__global__ void trace(uchar4 *ptr, int dim) {
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    int offset = x + y * blockDim.x * gridDim.x;
    float ox = (x - dim / 2), oy = (y - dim / 2);
    float r = 0, g = 0, b = 0, maxz = -INF;
    for (int i = 0; i < SPHERES; i++) {
        float n, t = s[i].hit(ox, oy, &n);
        if (t > maxz) {
            r = s[i].r * n, g = s[i].g * n, b = s[i].b * n;
            maxz = t;
        }
    }
    if (maxz == -INF) atomicAdd(&misses, 1u);
    ptr[offset] = make_uchar4(r * 255, g * 255, b * 255, 255);
}

int main() {
    const int dim = 256;
    Sphere *temp_s = (Sphere *)malloc(sizeof(Sphere) * SPHERES);
    for (int i = 0; i < SPHERES; i++) {
        temp_s[i].r = rnd(1.0f), temp_s[i].g = rnd(1.0f), temp_s[i].b = rnd(1.0f);
        temp_s[i].x = rnd(200.0f) - 100, temp_s[i].y = rnd(200.0f) - 100;
        temp_s[i].z = rnd(200.0f) - 100, temp_s[i].radius = rnd(50.0f) + 20;
    }
    uchar4 *bitmap;
    CHECK(cudaMalloc(&bitmap, dim * dim * sizeof(*bitmap)));
    CHECK(cudaMemcpyToSymbol(s, temp_s, sizeof(Sphere) * SPHERES));
    unsigned int zero = 0;
    CHECK(cudaMemcpyToSymbol(misses, &zero, sizeof zero));
    dim3 grids(dim / 16, dim / 16), threads(16, 16);
    trace<<<grids, threads>>>(bitmap, dim);
    CHECK_LAUNCH();
    CHECK(cudaMemcpyFromSymbol(&zero, misses, sizeof zero));
    printf("%u rays hit nothing\n", zero);
    free(temp_s);
    return cudaFree(bitmap);
}
