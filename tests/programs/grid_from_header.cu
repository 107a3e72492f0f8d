#include "include/launch_shapes.cuh"
__global__ void one(float *p, int n) { p[0] = n; }
__global__ void two(float *p, int w, int h) { p[0] = w * h; }
__global__ void three(float *p, unsigned n) { p[0] = n; }
__global__ void four(float *p, int n) { p[0] = n; }
int main()
{
    int n = 10000;
    float *p;
    cudaMalloc(&p, n * sizeof(float));
    dim3 grid = blocks_for(n, 256);
    one<<<grid, 256>>>(p, n);
    auto s = shapes::image(300, 90);
    two<<<s.grid, s.block, s.shared>>>(p, 300, 90);
    three<<<shapes::capped(100000), shapes::kThreads>>>(p, 100000);
    four<<<ceil_div(n, 96), 96>>>(p, n);
    return cudaDeviceSynchronize();
}
