#include <cstdio>
#include <cassert>
#include <climits>

#define FULL_MASK 0xffffffff
#define WARP 32

template <typename T>
__inline__ __device__ T warpReduceSum(T val)
{
#pragma unroll
    for (int offset = WARP / 2; offset > 0; offset /= 2) val += __shfl_down_sync(FULL_MASK, val, offset);
    return val;
}

__global__ void ballot(const int *in, unsigned *masks, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned m = __ballot_sync(FULL_MASK, i < n && in[i] > 0);
    if (threadIdx.x % WARP == 0) masks[i / WARP] = m;
    assert(__popc(m) <= WARP);
}

template <class T, int kWarps>
__launch_bounds__(kWarps * WARP) __global__ void block_sums(const T *in, T *out, int n)
{
    __shared__ T partial[kWarps];
    T v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += in[i];
    v = warpReduceSum(v);
    if (threadIdx.x % WARP == 0) partial[threadIdx.x / WARP] = v;
    __syncthreads();
    if (threadIdx.x < WARP) {
        v = warpReduceSum(threadIdx.x < kWarps ? partial[threadIdx.x] : T(0));
        if (threadIdx.x == 0) out[blockIdx.x] = v;
    }
}

int main(int, char **)
{
    enum { N = 5000, WARPS = 8, GRID = 5 };
    int *in, *out;
    unsigned *masks;
    cudaMalloc(&in, N * sizeof(int));
    cudaMalloc(&out, GRID * sizeof(int));
    cudaMalloc(&masks, (N + WARP - 1) / WARP * sizeof(unsigned));
    ballot<<<(N + 127) / 128, 128>>>(in, masks, N);
    block_sums<int, WARPS><<<GRID, WARPS * WARP>>>(in, out, N);
    return cudaDeviceSynchronize();
}
