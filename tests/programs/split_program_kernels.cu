// The kernels of a program of two files.
#include "split/shared.h"

__global__ void evolve(const cell_t *now, cell_t *next, int rule)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= CELLS) return;
    int pattern = now[wrap(i - 1)].alive << 2 | now[i].alive << 1 | now[wrap(i + 1)].alive;
    next[i].alive = rule >> pattern & 1;
    next[i].age = next[i].alive ? now[i].age + 1 : 0;
}

extern "C" void world_init(cell_t **now, cell_t **next)
{
    cudaMalloc((void **)now, CELLS * sizeof(cell_t));
    cudaMalloc((void **)next, CELLS * sizeof(cell_t));
    cudaMemset(*now, 0, CELLS * sizeof(cell_t));
}

extern "C" void world_step(cell_t *now, cell_t *next, int steps)
{
    while (steps-- > 0) {
        evolve<<<CELLS / 64, 64>>>(now, next, 110);
        cell_t *t = now;
        now = next;
        next = t;
    }
}
