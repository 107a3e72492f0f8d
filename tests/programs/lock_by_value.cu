#include "include/check.h"

// Its constructor and destructor are the host's, its members for the device are called in kernels.
struct Mutex {
    int *state;
    Mutex()
    {
        int free = 0;
        CHECK(cudaMalloc((void **)&state, sizeof(int)));
        CHECK(cudaMemcpy(state, &free, sizeof(int), cudaMemcpyHostToDevice));
    }
    ~Mutex()
    {
#ifndef KEEP_MEMORY
        printf("freed\n");
#endif
    }
    __device__ void lock()
    {
        while (atomicCAS(state, 0, 1) != 0) {}
        __threadfence();
    }
    __device__ void unlock()
    {
        __threadfence();
        atomicExch(state, 0);
    }
};

__global__ void count_blocks(Mutex mutex, int *blocks)
{
    if (threadIdx.x == 0) {
        mutex.lock();
        *blocks = *blocks + 1;
        mutex.unlock();
    }
}

int main()
{
    int *blocks, zero = 0;
    Mutex mutex;
    CHECK(cudaMalloc(&blocks, sizeof *blocks));
    CHECK(cudaMemcpy(blocks, &zero, sizeof zero, cudaMemcpyHostToDevice));
    count_blocks<<<64, 32>>>(mutex, blocks);
    CHECK_LAUNCH();
    CHECK(cudaFree(mutex.state));
    return 0;
}
