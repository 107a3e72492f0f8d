#include <stdio.h>
#include <stdlib.h>

template <int BLOCK>
__global__ void scan_block(const int *in, int *out, int *sums, int n)
{
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, from = 0;
    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    if (i < n) out[i] = s[from][t];
    if (t == BLOCK - 1) sums[blockIdx.x] = s[from][t];
}

#define CASE(B)                                                                  \
    case B:                                                                      \
        scan_block<B><<<(n + B - 1) / B, B>>>(in, out, sums, n);                 \
        break

static int scan(int block, const int *in, int *out, int *sums, int n)
{
    switch (block) {
        CASE(32);
        CASE(64);
        CASE(128);
        CASE(256);
        CASE(512);
        CASE(1024);
    default:
        return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int n = 6000, block = 256;
    if (argc > 1) block = atoi(argv[1]);
    int *in, *out, *sums;
    cudaMalloc((void **)&in, n * sizeof(int));
    cudaMalloc((void **)&out, n * sizeof(int));
    cudaMalloc((void **)&sums, (n + 31) / 32 * sizeof(int));
    if (scan(block, in, out, sums, n) < 0) {
        fprintf(stderr, "block sizes are powers of two up to 1024\n");
        return 1;
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
