#include <stdio.h>
#include <stdlib.h>
#include <vector>

typedef unsigned int u32;

// Inclusive scan of a warp, then of the warps' totals
template <class T> __device__ T warp_scan(T value, int lane) {
#pragma unroll
    for (int i = 1; i <= 16; i *= 2) {
        T n = __shfl_up_sync(0xFFFFFFFF, value, i);
        if (lane >= i) value += n;
    }
    return value;
}

__global__ void shfl_scan(const u32 *in, u32 *out, u32 *partial_sums) {
    __shared__ u32 sums[32];
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int lane_id = id % warpSize;
    int warp_id = threadIdx.x / warpSize;

    u32 value = warp_scan(in[id], lane_id);
    if (lane_id == warpSize - 1) sums[warp_id] = value;
    __syncthreads();
    if (warp_id == 0) {
        u32 s = lane_id < blockDim.x / warpSize ? sums[lane_id] : 0;
        sums[lane_id] = warp_scan(s, lane_id);
    }
    __syncthreads();
    if (warp_id > 0) value += sums[warp_id - 1];
    out[id] = value;
    if (partial_sums && threadIdx.x == blockDim.x - 1) partial_sums[blockIdx.x] = value;
}

__global__ void uniform_add(u32 *data, const u32 *partial_sums) {
    if (blockIdx.x == 0) return;
    __shared__ u32 buf;
    if (threadIdx.x == 0) buf = partial_sums[blockIdx.x - 1];
    __syncthreads();
    data[blockIdx.x * blockDim.x + threadIdx.x] += buf;
}

// lanes that vote, count and match
__global__ void votes(const u32 *in, u32 *out) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned odd = __ballot_sync(~0u, in[id] & 1);
    bool all = __all_sync(~0u, in[id] < 100), any = __any_sync(~0u, in[id] == 42);
    unsigned peers = __match_any_sync(~0u, in[id]);
    u32 below; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    out[id] = __popc(odd & below) + (all ? 64 : 0) + (any ? 128 : 0) + 256 * (__ffs(peers) - 1);
}

int main() {
    const int threads = 256, blocks = 256, n = threads * blocks;
    std::vector<u32> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i % 7;

    u32 *in, *out, *partial;
    cudaMalloc(&in, n * sizeof(u32));
    cudaMalloc(&out, n * sizeof(u32));
    cudaMalloc(&partial, blocks * sizeof(u32));
    cudaMemcpy(in, &h[0], n * sizeof(u32), cudaMemcpyHostToDevice);

    shfl_scan<<<blocks, threads>>>(in, out, partial);
    shfl_scan<<<1, blocks>>>(partial, partial, NULL);
    uniform_add<<<blocks, threads>>>(out, partial);
    cudaMemcpy(&got[0], out, n * sizeof(u32), cudaMemcpyDeviceToHost);
    votes<<<blocks, threads>>>(in, out);

    u32 sum = 0;
    bool ok = true;
    for (int i = 0; i < n; ++i) { sum += h[i]; ok &= got[i] == sum; }
    printf("%s\n", ok ? "Success" : "Failure");
    cudaFree(in); cudaFree(out); cudaFree(partial);
    return !ok;
}
