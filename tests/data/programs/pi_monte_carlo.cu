// Estimate pi by throwing darts, with the generators of cuRAND in the kernel.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>
#include <curand_kernel.h>

__global__ void setup(curandState *states, unsigned long long seed)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curand_init(seed, id, 0, &states[id]);
}

__global__ void throwDarts(curandState *states, unsigned long long *hits, int darts)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curandState local = states[id];
    unsigned long long inside = 0;
    for (int i = 0; i < darts; i++) {
        float x = curand_uniform(&local);
        float y = curand_uniform(&local);
        if (x * x + y * y <= 1.0f) inside++;
    }
    states[id] = local;
    atomicAdd(hits, inside);
}

int main(int argc, char **argv)
{
    const int blocks = 64, threads = 256;
    int darts = argc > 1 ? atoi(argv[1]) : 10000;

    curandState *states;
    unsigned long long *hits, found;
    cudaMalloc(&states, blocks * threads * sizeof(curandState));
    cudaMalloc(&hits, sizeof *hits);
    cudaMemset(hits, 0, sizeof *hits);

    setup<<<blocks, threads>>>(states, 1234ULL);
    throwDarts<<<blocks, threads>>>(states, hits, darts);
    cudaMemcpy(&found, hits, sizeof found, cudaMemcpyDeviceToHost);

    double pi = 4.0 * found / ((double)blocks * threads * darts);
    printf("pi is about %.6f, error %.2e\n", pi, fabs(pi - M_PI));
    cudaFree(states);
    cudaFree(hits);
    return 0;
}
