#include <cuda_runtime.h>

__global__ void reset(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 0.0f; }
__global__ void reset(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 0; }
__global__ void reset(int2 *p, int n, int2 value = {1, 2}) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = value; }

namespace a { __global__ void touch(char *p) { p[threadIdx.x] = 'a'; } }
namespace b { __global__ void touch(char *p) { p[threadIdx.x] = 'b'; } }

int main()
{
    float *f;
    int *i;
    int2 *pairs;
    char *c;
    cudaMalloc(&f, 100 * sizeof(float));
    cudaMalloc(&i, 200 * sizeof(int));
    cudaMalloc(&pairs, 300 * sizeof(int2));
    cudaMalloc(&c, 64);
    reset<<<1, 100>>>(f, 100);
    reset<<<2, 100>>>(i, 200);
    reset<<<3, 100>>>(pairs, 300, make_int2(3, 4));
    a::touch<<<1, 32>>>(c);
    b::touch<<<1, 64>>>(c);
    return cudaDeviceSynchronize();
}
