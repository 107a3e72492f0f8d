// The host's part of a program of two files, with one kernel of its own.
#include "split/shared.h"
#include <cstdio>

__global__ void ages(const cell_t *cells, int *oldest)
{
    __shared__ int best;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < CELLS; i += blockDim.x) atomicMax(&best, cells[i].age);
    __syncthreads();
    if (threadIdx.x == 0) *oldest = best;
}

int world_report(const char *title, int (*callback)(const char *)) { return callback(title); }

int main()
{
    cell_t *now, *next;
    int *oldest, h_oldest = 0;
    world_init(&now, &next);
    world_step(now, next, 20);
    cudaMalloc(&oldest, sizeof(int));
    ages<<<1, 128>>>(now, oldest);
    cudaMemcpy(&h_oldest, oldest, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", h_oldest);
    return world_report("done", std::puts) < 0;
}
