#pragma once

// One more of this kind.
__device__ inline void count(unsigned int* bin)
{
    atomicAdd(bin, 1u);
}

// Empty bins cost no memory traffic.
__device__ inline void accumulate(unsigned int* total, unsigned int part)
{
    if (part != 0) {
        atomicAdd(total, part);
    }
}
