#include "include/sizes.h"

__global__ void image(float *p, int w) { p[0] = w; }
__global__ void line(float *p, int n) { p[0] = n; }
__global__ void chosen(float *p, int n) { p[0] = n; }
__global__ void few(float *p, int n) { p[0] = n; }

static void draw(float *p, const Extent &extent)
{
    dim3 block(32, 4);
    image<<<extent.blocks(block), block>>>(p, extent.width);
}

int main()
{
    const int n = 5000;
    float *p;
    cudaMalloc((void **)&p, n * sizeof(float));
    Extent extent = {500, 30};
    draw(p, extent);
    Launcher launcher(n);
    line<<<launcher.grid(), launcher.threads()>>>(p, n);
    int blocks, threads;
    choose(n, &blocks, &threads);
    chosen<<<blocks, threads>>>(p, n);
    choose(100, &blocks, &threads);
    few<<<blocks, threads, ROUND_UP(100, 8)>>>(p, 100);
    return cudaDeviceSynchronize();
}
