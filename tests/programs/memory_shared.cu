// Kernels that get one allocation by several pointers, and others of the same size.
#include "include/check.h"

__global__ void in_place(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}

__global__ void halves(int *low, int *high, int *sum, int n)
{
    int i = threadIdx.x;
    if (i < n) sum[i] = low[i] + high[i];
}

__global__ void apart(float *a, float *b, float *c) { a[threadIdx.x] = b[threadIdx.x] + c[threadIdx.x]; }

struct Pool {
    char *memory;
    size_t used = 0;
    explicit Pool(size_t bytes) { cudaMalloc(&memory, bytes); }
    void *take(size_t bytes)
    {
        void *p = memory + used;
        used += bytes;
        return p;
    }
};

__global__ void pooled(float *a, float *b, int n)
{
    if (threadIdx.x < n) a[threadIdx.x] = b[threadIdx.x];
}

static void run(float *p, float *q, int n) { in_place<<<(n + 127) / 128, 128>>>(p, q, n); }

int main(int argc, char **)
{
    const int n = 500;
    float *x, *y, *z;
    int *k;
    CHECK(cudaMalloc(&x, n * sizeof *x));
    CHECK(cudaMalloc(&y, n * sizeof *y));
    CHECK(cudaMalloc(&k, 2 * n * sizeof *k));
    run(x, x, n);
    halves<<<1, 512>>>(k, k + n, k, n);
    z = y;
    apart<<<1, 64>>>(x, y, z);
    Pool pool(1 << 16);
    float *first = (float *)pool.take(1024), *second = (float *)pool.take(1024);
    pooled<<<1, 256>>>(first, second, 256);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
